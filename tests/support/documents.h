// Reads documents from content that a test writes down.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/reading/document_reader.h"
#include "support/temp_folder.h"

namespace otseq2set {

inline std::vector<Document> read_documents(const DataFiles& files, bool need_labels = true) {
  std::vector<Document> documents;
  const auto reader = open_documents(files, need_labels);
  for (Document document; reader->next(document);) documents.push_back(document);
  return documents;
}

// A folder with one file of documents, and perhaps one of names.
class DocumentFolder {
 public:
  std::vector<Document> read(std::string_view data, std::optional<Format> format, bool need_labels = true) {
    return read_documents({folder_.write("data", data), "", names_, format}, need_labels);
  }
  // The error of the only document, without the folder's name.
  std::string error(std::string_view data, std::optional<Format> format) {
    const std::vector<Document> documents = read(data, format);
    if (documents.size() != 1) return std::to_string(documents.size()) + " documents";
    return without_folder(documents[0].error);
  }
  std::string without_folder(const std::string& message) const {
    const std::string start = folder_.path("");
    return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
  }
  void write_names(std::string_view names) { names_ = folder_.write("names", names); }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  std::string names_;
};

}  // namespace otseq2set
