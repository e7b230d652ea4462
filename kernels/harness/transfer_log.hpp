// The account of copies between host and device that an end-to-end cycle keeps.
#pragma once

namespace sparserepro {

/// Filled by every copy of a DeviceBuffer while the log is active on the calling thread.
struct TransferLog {
  bool pinned{};        ///< copies take the host's data from and to pinned memory
  double transfer_s{};  ///< seconds that copies took
  /// Seconds that went into moving data between the caller's arrays and pinned memory: a caller
  /// whose arrays are pinned does not spend them.
  double staging_s{};
};

/// The log of this thread; null while no end-to-end cycle runs or while its kernel runs.
inline TransferLog*& active_transfer_log() {
  static thread_local TransferLog* active = nullptr;
  return active;
}

/// Makes a log the active one for its lifetime.
class LogTransfers {
 public:
  explicit LogTransfers(TransferLog& log) { active_transfer_log() = &log; }
  ~LogTransfers() { active_transfer_log() = nullptr; }
  LogTransfers(const LogTransfers&) = delete;
  LogTransfers& operator=(const LogTransfers&) = delete;
};

}  // namespace sparserepro
