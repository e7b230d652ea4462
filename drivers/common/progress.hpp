// Progress of a measurement on the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace sparserepro {

/// One line on stderr; each text replaces the one before it.
class Progress {
 public:
  /// Writes to stderr if it is a terminal and `quiet` is false; else does nothing.
  explicit Progress(bool quiet);
  ~Progress();
  void show(const std::string& text);
  void clear();

 private:
  bool active_;
  std::size_t width_ = 0;
};

}  // namespace sparserepro
