#include "common/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

namespace sparserepro {

namespace {

/// The same for all users and for every TMPDIR, so that no two measure at once.
std::string lock_path() {
  const char* const named = std::getenv("SPARSEREPRO_LOCK");
  return named != nullptr && *named != '\0' ? named : "/tmp/sparserepro-measurement.lock";
}

/// Opens the lock, and makes it where it is missing. Throws std::runtime_error.
int open_lock(const std::string& path) {
  // O_NONBLOCK: a FIFO in its place would wait for a writer. In a sticky folder, Linux may refuse
  // O_CREAT for an existing file of another user.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0 && errno == ENOENT) {
    file = open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file >= 0) {
      (void)fchmod(file, 0666);  // the umask would lock other users out
    } else if (errno == EEXIST) {
      file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    }
  }
  const std::string words = "cannot open the measurement lock " + path + ": ";
  const std::string hint = " (SPARSEREPRO_LOCK names another file)";
  if (file < 0) {
    throw std::runtime_error(words + std::strerror(errno) + hint);
  }
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    throw std::runtime_error(words + "not a plain file" + hint);
  }
  return file;
}

}  // namespace

MeasurementLock::MeasurementLock(bool quiet, bool shared) {
  const int kind = shared ? LOCK_SH : LOCK_EX;
  const std::string path = lock_path();
  file_ = open_lock(path);
  if (flock(file_, kind | LOCK_NB) == 0) {
    return;
  }
  if (!quiet) {
    std::cerr << "waiting: another measurement holds " << path << '\n';
  }
  while (flock(file_, kind) != 0) {
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
