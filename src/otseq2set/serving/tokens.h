// The secrets that open the server, each with the name of whom it was given to. Only names are ever logged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline serving {

class Tokens {
 public:
  // name: may be empty.
  void add(std::string name, std::string secret);
  // A file with a token on each line: `name token`, or a token alone. Empty lines and those that begin with # do not
  // count. An Error names file and line, and never the token.
  void add_file(const std::string& path);

  bool empty() const { return tokens_.empty(); }

  // The name of the token in a header 'Authorization: Bearer TOKEN'; none if it is not one of these. Takes the same time
  // whatever is right about it.
  std::optional<std::string> name_of(std::string_view authorization) const;

 private:
  struct Token {
    std::string name, secret;
  };
  std::vector<Token> tokens_;
};

}  // namespace otseq2set::inline serving
