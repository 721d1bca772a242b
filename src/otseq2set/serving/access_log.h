// One JSON line a request, for people and for programs:
//
//   {"time":"2025-03-01T12:00:00.123Z","remote":"127.0.0.1","method":"POST","path":"/v1/predict",
//    "status":200,"ms":12.3,"bytes_in":512,"bytes_out":180,"token_name":"annif","model":"debtags","documents":1}
//
// Texts and tokens are never in it: neither the query nor the body is logged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "otseq2set/http/http_server.h"
#include "otseq2set/serving/line_writer.h"

namespace otseq2set::inline serving {

class AccessLog {
 public:
  // A file that is appended to, "-" for standard output, "off" for none.
  explicit AccessLog(const std::string& path);

  void write(const Exchange& exchange);  // returns at once
  void reopen();                         // see LineWriter
  uint64_t lost() const { return lines_ ? lines_->lost() : 0; }

 private:
  std::optional<LineWriter> lines_;
};

std::string access_log_line(const Exchange& exchange);

}  // namespace otseq2set::inline serving
