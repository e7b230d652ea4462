// What a driver says on the terminal while it measures.
#pragma once

#include <cstddef>
#include <string>

namespace sparserepro {

/// One line on stderr that each text replaces.
class Progress {
 public:
  /// Draws on stderr when it is a terminal and not `quiet`.
  explicit Progress(bool quiet);
  ~Progress();
  void show(const std::string& text);
  void clear();

 private:
  bool active_;
  std::size_t width_ = 0;
};

}  // namespace sparserepro
