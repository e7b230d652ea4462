// A program that answers lines over its standard input and output.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace sparserepro {

/// Starts a program at construction; ends and reaps it at destruction. Both streams are one socket
/// that no other child inherits, so a dead program raises an error here, never a signal; its
/// standard error goes to an unnamed temporary file that errors quote.
class ChildProcess {
 public:
  /// `argv[0]` is looked up on PATH. Throws std::runtime_error when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& argv);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Both throw std::runtime_error with the program's name, its end and its last error line once it
  /// is gone.
  void send(const void* data, std::size_t bytes);
  std::string receive_line();  ///< without the newline

  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void fail();
  void close_files();
  std::string last_error_line();

  std::string program_;
  pid_t pid_ = -1;
  int socket_ = -1;
  int errors_ = -1;
  std::string received_;  // bytes after the last line that was handed out
};

}  // namespace sparserepro
