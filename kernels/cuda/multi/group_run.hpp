// What every run on several devices adds to one on a device: its group, and bounds and caches of
// all devices.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/cuda_run.hpp"
#include "cuda/multi/device_group.hpp"

namespace sparserepro {

/// `Base` is a run on one device, which is that of rank 0. Derived classes put the work of
/// `execute` between group().fork() and group().join(): it is then one operation of stream(), and
/// the clock of the first device measures from before any device begins to after all have ended.
template <class Base>
class GroupRun : public Base {
 public:
  template <class... Arguments>
  explicit GroupRun(const Placement& placement, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), group_(placement, this->stream()) {}

  std::vector<std::string> devices() const override { return group_.names(); }
  /// Of all devices together; they are taken to be alike.
  double copy_bytes_per_s(int threads) const override {
    return group_.size() * Base::copy_bytes_per_s(threads);
  }
  double gather_bytes_per_s(int threads, std::int64_t row_bytes,
                            std::int64_t table_bytes) const override {
    return group_.size() * Base::gather_bytes_per_s(threads, row_bytes, table_bytes);
  }
  std::int64_t last_level_cache_bytes() const override {
    return group_.size() * Base::last_level_cache_bytes();
  }
  void flush() override {
    flushes_.resize(static_cast<std::size_t>(group_.size()));
    group_.for_each([&](int rank) {
      auto& flush = flushes_[static_cast<std::size_t>(rank)];
      if (!flush) {
        flush.emplace(group_.stream(rank));
      }
      (*flush)();
    });
  }

 protected:
  DeviceGroup& group() { return group_; }
  const DeviceGroup& group() const { return group_; }

 private:
  DeviceGroup group_;
  std::vector<std::optional<L2Flush>> flushes_;
};

}  // namespace sparserepro
