// The threads of a public function on the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/available_cores.hpp"
#include "formats/check_arrays.hpp"

namespace sparserepro {

/// Most threads of a call, unless the process has more processors. OpenMP's runtime has no way to
/// report that it cannot start a thread: GNU's ends the process, or overruns the caller's stack,
/// of which it takes 224 bytes a thread.
inline constexpr int most_threads = 4096;

/// Threads of a call whose options ask for `threads`; 0: all processors. Throws InputError beyond
/// the limit.
inline int asked_threads(std::int64_t threads) {
  if (threads == 0) {
    return available_cores();
  }
  check_range("threads", threads,
              threads <= most_threads ? most_threads : std::max(most_threads, available_cores()));
  return static_cast<int>(threads);
}

}  // namespace sparserepro
