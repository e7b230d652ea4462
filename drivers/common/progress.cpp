#include "common/progress.hpp"

#include <unistd.h>

#include <iostream>

namespace sparserepro {

Progress::Progress(bool quiet) : active_(!quiet && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (active_ && width_ > 0) {
    std::cerr << '\r' << std::string(width_, ' ') << '\r' << std::flush;
    width_ = 0;
  }
}

void Progress::show(const std::string& text) {
  if (!active_) {
    return;
  }
  std::cerr << '\r' << text << std::string(width_ > text.size() ? width_ - text.size() : 0, ' ')
            << std::flush;
  width_ = text.size();
}

}  // namespace sparserepro
