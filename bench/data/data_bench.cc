// From a file to the arrays that training works on: how fast, and with how much memory.
//
//   otseq2set_bench_data [--data FILE.jsonl] [--vectors FILE]
//
// Without files it makes its own: English-like text (words as frequent and as long as English ones, with
// punctuation, capitals, numbers and some non-ASCII characters) and random vectors for 341,000 words. Speeds
// are given for a second of processor time, so that other programs on the machine disturb little, and count
// the bytes of the texts alone; that of the whole way is the best of five rounds, with one thread and with
// all in turn. Memory is what the process holds at its peak beyond what it held before.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/text/word_vectors.h"

namespace otseq2set {
namespace {

constexpr int kRounds = 5;
constexpr size_t kTextBytes = 100'000'000;
constexpr size_t kVectors = 341'000, kDimension = 100;

struct Times {
  double wall, processor;
};

constexpr Times kNever = {INFINITY, INFINITY};

Times faster(const Times& a, const Times& b) { return b.processor < a.processor ? b : a; }

double processor_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <typename Body>
Times time(const Body& body) {
  const double processor = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  body();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          processor_seconds() - processor};
}

// Bytes that the body adds to the process at its peak.
template <typename Body>
double peak_memory(const Body& body) {
  malloc_trim(0);
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {  // 5: forget the peak so far
    std::fputs("5", file);
    std::fclose(file);
  }
  const uint64_t before = resident_memory();
  body();
  return static_cast<double>(peak_resident_memory() - before);
}

// Words by rank: the commonest are English, the others are made of syllables, the rarer the longer.
std::string word_of_rank(uint64_t rank) {
  static const std::vector<std::string> kCommon = {
      "the",  "of",  "and",  "to", "in",   "a",     "is",  "that", "for", "it",  "as",    "was",
      "with", "be",  "by",   "on", "not",  "he",    "his", "are",  "or",  "at",  "this",  "from",
      "but",  "had", "have", "an", "they", "which", "one", "were", "you", "all", "their", "there"};
  static const char* const kSyllables[] = {"con", "ti", "men", "re", "ar", "tion", "pro", "al",
                                           "er",  "in", "com", "de", "is", "ver",  "un",  "ly"};
  if (rank < kCommon.size()) return kCommon[rank];
  if (rank % 23 == 0) return std::to_string(rank);
  std::string word = rank % 97 == 5 ? "\u00e9" : "";
  for (; rank > 0; rank /= 16) word += kSyllables[rank % 16];
  return word;
}

// Zipf's law as English keeps it: the density falls as 1 / rank over the 8,000 words that make up nine tenths
// of a text, and as 1 / rank^2 beyond them.
uint64_t random_rank(RandomStream& random) {
  constexpr double kCore = 8000, kRanks = 500000;
  const double u = random.uniform();
  const double rank = random.below(10) > 0 ? std::pow(kCore, u) : std::min(kRanks, kCore / (1 - u));
  return static_cast<uint64_t>(rank) - 1;
}

std::string random_text(RandomStream& random) {
  std::string text;
  const uint64_t words = 100 + random.below(1000);
  bool begins = true;
  for (uint64_t i = 0; i < words; ++i) {
    std::string word = word_of_rank(random_rank(random));
    if (begins) word[0] = static_cast<char>(std::toupper(word[0]));
    const uint64_t mark = random.below(60);
    begins = mark < 4;
    text += word + (mark < 4 ? ". " : mark < 8 ? ", " : mark == 8 ? "-" : mark == 9 ? " \u2013 " : " ");
  }
  return text;
}

void make_documents(const std::string& path) {
  AtomicFile file(path);
  size_t bytes = 0;
  for (uint64_t i = 0; bytes < kTextBytes; ++i) {
    RandomStream random(1, "data bench", {i});
    const std::string text = random_text(random);
    bytes += text.size();
    file.write(fmt::format("{{\"id\":\"d{}\",\"text\":\"{}\",\"labels\":[\"l{}\",\"l{}\"]}}\n", i, text,
                           random.below(100), 100 + random.below(4000)));
  }
  file.commit();
}

void make_vectors(const std::string& path) {
  AtomicFile file(path);
  RandomStream random(1, "vector bench");
  for (size_t i = 0; i < kVectors; ++i) {
    std::string line = fmt::format("w{}", i);
    for (size_t d = 0; d < kDimension; ++d) line += fmt::format(" {:.5g}", random.uniform(-1, 1));
    file.write(line + "\n");
  }
  file.commit();
}

uint64_t text_bytes(const DataFiles& files) {
  uint64_t bytes = 0;
  const auto reader = open_documents(files, true);
  for (Document document; reader->next(document);) bytes += document.text.size();
  return bytes;
}

void print_speed(const char* what, double bytes, const Times& times) {
  fmt::print("{:<44} {:8.1f} MB/s per core   ({:.2f} s, {:.2f} s of processor time)\n", what,
             1e-6 * bytes / times.processor, times.wall, times.processor);
}

void bench_documents(const DataFiles& files) {
  const auto bytes = static_cast<double>(text_bytes(files));
  fmt::print("{}: {:.1f} MB of text\n", files.data, 1e-6 * bytes);
  print_speed("reading alone", bytes, time([&] { text_bytes(files); }));
  CorpusOptions options;
  options.max_words = 1'000'000;  // nothing is cut: the most memory that a text can take
  options.valid_fraction = 0.1;
  double peak = 0;
  std::map<int, Times> best;  // by threads
  for (int round = 0; round < kRounds; ++round) {
    for (const int threads : {1, 0}) {
      Times& times = best.try_emplace(set_threads(threads), kNever).first->second;
      const auto read = [&] { read_training_corpus(files, std::nullopt, options); };
      peak = std::max(peak, peak_memory([&] { times = faster(times, time(read)); }));
    }
  }
  for (const auto& [threads, times] : best) {
    print_speed(fmt::format("reading, tokenising, numbering, {} threads", threads).c_str(), bytes, times);
  }
  fmt::print("{:<44} {:8.2f} bytes per byte of text\n", "peak memory of that", peak / bytes);
}

void bench_vectors(const std::string& path) {
  for (const int threads : {1, 0}) {
    const int used = set_threads(threads);
    size_t words = 0;
    const Times times =
        time([&] { words = WordVectors::read(path, kDimension, [](std::string_view) { return true; }).size(); });
    fmt::print("{:<44} {:8.2f} s   ({:.2f} s of processor time)\n",
               fmt::format("{} vectors of {}, {} threads", words, kDimension, used), times.wall, times.processor);
  }
}

// A folder for the files made here, gone at the end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("otseq2set_bench_{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void run(int argc, char** argv) {
  std::string data, vectors;
  for (int i = 1; i < argc; i += 2) {
    const bool is_data = std::strcmp(argv[i], "--data") == 0;
    if ((!is_data && std::strcmp(argv[i], "--vectors") != 0) || i + 1 == argc) {
      fail_usage("usage: otseq2set_bench_data [--data FILE.jsonl] [--vectors FILE]");
    }
    (is_data ? data : vectors) = argv[i + 1];
  }
  const Folder folder;
  if (data.empty()) make_documents(data = folder.file("documents.jsonl"));
  bench_documents({data, "", ""});
  if (vectors.empty()) make_vectors(vectors = folder.file("vectors.txt"));
  bench_vectors(vectors);
}

}  // namespace
}  // namespace otseq2set

int main(int argc, char** argv) {
  // As the program does; it is where freed memory is not given back.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  try {
    otseq2set::run(argc, argv);
  } catch (const otseq2set::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
