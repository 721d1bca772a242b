// Labels for each line of standard input: suggest MODEL_FOLDER <texts
#include <otseq2set/model.h>

#include <iostream>
#include <string>

int main(int argc, char** argv) try {
  if (argc != 2) throw otseq2set::UsageError("usage: suggest MODEL_FOLDER <texts");
  const auto model = otseq2set::Model::load(argv[1]);
  std::string text;
  while (std::getline(std::cin, text)) {
    const char* separator = "";
    for (const auto& [label, score] : model.predict(text)) {
      std::cout << separator << model.label(label).name << '=' << score;
      separator = "\t";
    }
    std::cout << '\n';
  }
} catch (const otseq2set::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
