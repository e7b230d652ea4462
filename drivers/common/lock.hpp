// One measurement at a time on a machine, whoever started it.
#pragma once

namespace sparserepro {

/// Holds an advisory lock on a file in the system's temporary folder for its lifetime, so that two
/// drivers, started by the workflow or by hand, never share the machine while they measure.
class MeasurementLock {
 public:
  /// Waits for the lock; says so once on stderr unless `quiet`. Throws std::runtime_error when the
  /// lock file cannot be opened.
  explicit MeasurementLock(bool quiet);
  ~MeasurementLock();
  MeasurementLock(const MeasurementLock&) = delete;
  MeasurementLock& operator=(const MeasurementLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace sparserepro
