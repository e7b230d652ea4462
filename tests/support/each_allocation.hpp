// Lets each allocation of a call fail in turn. One file of a program includes this
// (failing_memory.hpp).
#pragma once

#include <functional>
#include <new>

#include "formats/error.hpp"
#include "support/catch.hpp"
#include "support/failing_memory.hpp"

namespace sparserepro::testing {

/// Turns allocations from the `number`-th on into none that fails, whatever ends the scope.
struct Failing {
  explicit Failing(std::int64_t number) { fuse = number; }
  ~Failing() { fuse = -1; }
};

struct Ended {
  bool failed{}, reached{};  ///< an exception came; there was an allocation of that number
};

/// `call` with the allocation `number` (from 0) failing. Throws what it may not throw.
inline Ended with_failing(std::int64_t number, const std::function<void()>& call) {
  Ended ended;
  {
    const Failing failing(number);
    try {
      call();
    } catch (const std::bad_alloc&) {
      ended.failed = true;
    } catch (const InputError&) {
      ended.failed = true;
    }
    ended.reached = fuse < 0;
  }
  return ended;
}

/// Lets the first, second, ... allocation of `call` fail until there is none of the number, which
/// is returned. `right` tells whether the last call without an exception gave the right answer.
inline std::int64_t fail_each(const std::function<void()>& call,
                              const std::function<bool()>& right) {
  call();  // what stays allocated from the first call on
  call();
  std::int64_t failures = 0;
  for (std::int64_t number = 0;; number += 1 + number / 64) {
    const std::int64_t before = live_blocks;
    const Ended ended = with_failing(number, call);
    const std::int64_t leaked = live_blocks - before;  // CAPTURE takes memory itself
    CAPTURE(number);
    REQUIRE(leaked == 0);
    if (!ended.failed) {
      REQUIRE(right());
    }
    if (!ended.reached) {
      CHECK(failures > 0);
      return number;
    }
    failures += ended.failed;
    call();
    REQUIRE(right());
  }
}

}  // namespace sparserepro::testing
