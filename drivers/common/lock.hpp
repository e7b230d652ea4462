// Lock that allows one measurement at a time on a machine.
#pragma once

namespace sparserepro {

/// Holds an advisory lock on a file in the system's temporary folder for its lifetime. Drivers that
/// the workflow or a user starts thus never measure at the same time.
class MeasurementLock {
 public:
  /// Waits for the lock; if it must wait, prints one line on stderr unless `quiet`. Holders that
  /// `shared` it measure side by side, on a GPU each. Throws std::runtime_error if the lock file
  /// cannot be opened or locked.
  explicit MeasurementLock(bool quiet, bool shared = false);
  ~MeasurementLock();
  MeasurementLock(const MeasurementLock&) = delete;
  MeasurementLock& operator=(const MeasurementLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace sparserepro
