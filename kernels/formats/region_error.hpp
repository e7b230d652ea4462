// Exceptions within parallel regions: the program ends where one leaves a region.
#pragma once

#include <atomic>
#include <exception>

namespace sparserepro {

/// Keeps the first exception of the iterations of a parallel loop for the code behind it. What a
/// failed iteration was to write stays unwritten, so no step behind the loop may come before
/// `rethrow`.
class RegionError {
 public:
  /// Calls `work`, unless an iteration has failed.
  template <class Work>
  void guard(const Work& work) noexcept {
    if (failed_.load(std::memory_order_relaxed)) {
      return;
    }
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) {
        error_ = std::current_exception();
      }
    }
  }
  /// Behind the region: throws what was kept.
  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

}  // namespace sparserepro
