// Times of the copies between host and device in an end-to-end cycle.
#pragma once

namespace sparserepro {

/// Sums over the copies of all DeviceBuffers while the log is active on the calling thread.
struct TransferLog {
  bool pinned{};        ///< copies go through pinned host memory
  double transfer_s{};  ///< seconds of the copies between host and device
  /// Seconds of the copies between the caller's arrays and pinned memory. A caller with pinned
  /// arrays does not need them.
  double staging_s{};
};

/// The active log of this thread; null outside an end-to-end cycle and during its kernel.
inline TransferLog*& active_transfer_log() {
  static thread_local TransferLog* active = nullptr;
  return active;
}

/// Makes `log` the active one of this thread for the lifetime of the object.
class LogTransfers {
 public:
  explicit LogTransfers(TransferLog& log) { active_transfer_log() = &log; }
  ~LogTransfers() { active_transfer_log() = nullptr; }
  LogTransfers(const LogTransfers&) = delete;
  LogTransfers& operator=(const LogTransfers&) = delete;
};

}  // namespace sparserepro
