// Writes down what a program does to its files, in the order in which it happens, so that another program can work out
// what a power cut could have left at any moment (power_loss.py).
//
// FILE has one line a change, fields separated by tabs; file numbers count files, not names:
//
//   create FILE PATH        write FILE OFFSET LENGTH      truncate FILE LENGTH     sync FILE
//   mkdir PATH              sync_folder PATH              rename FROM TO           link FROM TO
//   unlink PATH             rmdir PATH                    known FILE PATH
//
// `known` is a file that was there before the program. FILE.data has the bytes of all writes, one after the other.
#pragma once

#include <sys/stat.h>

#include <cstdio>
#include <map>
#include <string>

#include "system_calls.h"
#include "tracee.h"

namespace torture {

class Recorder {
 public:
  explicit Recorder(const std::string& file);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Before the call: was the file there?
  void before(const std::string& path);
  // After a call that has succeeded.
  void after(const Tracee& tracee, const SystemCall& call, const std::string& path, const std::string& other);

 private:
  long number_of(const std::string& place, bool is_new, const std::string& path);
  void opened(const Tracee& tracee, const std::string& path, bool truncates);
  void written(const Tracee& tracee, const std::string& path, int64_t offset);

  std::FILE *lines_, *data_;
  std::map<std::pair<dev_t, ino_t>, long> numbers_;
  long files_ = 0;
  bool existed_ = false;
};

}  // namespace torture
