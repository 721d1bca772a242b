// Learns from lines of the form label,label,...<TAB>text, and tells how far it is:
//   learn DOCUMENTS MODEL_FOLDER [KEY=VALUE...]
#include <otseq2set/training.h>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 3) throw otseq2set::UsageError("usage: learn DOCUMENTS MODEL_FOLDER [KEY=VALUE...]");
  otseq2set::Documents documents;
  std::ifstream file(argv[1]);  // lines: label,label,...<TAB>text
  for (std::string labels, text; std::getline(file, labels, '\t') && std::getline(file, text);) {
    otseq2set::LabelledText& document = documents.in_memory.emplace_back();
    document.text = text;
    for (size_t begin = 0, end; begin <= labels.size(); begin = end + 1) {
      end = std::min(labels.find(',', begin), labels.size());
      document.labels.push_back(labels.substr(begin, end - begin));
    }
  }
  otseq2set::train(
      documents, argv[2],
      {.preset = "cpu_small",
       .settings = {argv + 3, argv + argc},
       .progress = [](const auto& now) { std::cerr << "\r" << now.documents_done << " of " << now.documents_total; },
       .log = [](const std::string& line) { std::cerr << line << '\n'; }});
} catch (const otseq2set::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
