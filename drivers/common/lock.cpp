#include "common/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace sparserepro {

MeasurementLock::MeasurementLock(bool quiet) {
  const auto path = std::filesystem::temp_directory_path() / "sparserepro-measurement.lock";
  // In a sticky folder, Linux may refuse O_CREAT for an existing file of another user.
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    file_ = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
  }
  if (file_ < 0) {
    throw std::runtime_error("cannot open the measurement lock " + path.string() + ": " +
                             std::strerror(errno));
  }
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) {
    return;
  }
  if (!quiet) {
    std::cerr << "waiting: another measurement holds " << path.string() << '\n';
  }
  while (flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      throw std::runtime_error(std::string("cannot take the measurement lock: ") +
                               std::strerror(errno));
    }
  }
}

MeasurementLock::~MeasurementLock() {
  close(file_);
}

}  // namespace sparserepro
