// The lock of measurements: one holder, or those of several GPUs side by side.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "common/lock.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

/// Lets SPARSEREPRO_LOCK name a file of this test's own.
class OwnLock {
 public:
  OwnLock() {
    const auto folder = std::filesystem::temp_directory_path();
    path_ = (folder / ("sparserepro-lock-" + std::to_string(getpid()))).string();
    setenv("SPARSEREPRO_LOCK", path_.c_str(), 1);
  }
  ~OwnLock() {
    unsetenv("SPARSEREPRO_LOCK");
    std::filesystem::remove(path_);
  }
  /// Whether another process could take the lock in this way now.
  bool is_free(int kind) const {
    const int file = open(path_.c_str(), O_RDONLY);
    REQUIRE(file >= 0);
    const bool taken = flock(file, kind | LOCK_NB) == 0;
    close(file);
    return taken;
  }

 private:
  std::string path_;
};

struct Problem {};

/// Cells of algorithms of these backends.
bool alone(const std::vector<Backend>& backends, const char* slot, int gpus) {
  std::vector<Algorithm<Problem>> table;
  for (const Backend backend : backends) {
    table.push_back({.name = to_string(backend), .summary = "", .source = "", .backend = backend});
  }
  std::vector<Cell<Problem>> cells;
  for (const Algorithm<Problem>& algorithm : table) {
    cells.push_back({&algorithm, {}});
  }
  return has_one_gpu_alone(cells, slot, gpus);
}

}  // namespace

TEST_CASE("a measurement has the lock to itself", "[lock]") {
  const OwnLock own;
  {
    const MeasurementLock lock(true);
    CHECK(!own.is_free(LOCK_EX));
    CHECK(!own.is_free(LOCK_SH));
  }
  CHECK(own.is_free(LOCK_EX));
}

TEST_CASE("measurements of several GPUs share the lock, and keep others out", "[lock]") {
  const OwnLock own;
  {
    const MeasurementLock first(true, true), second(true, true);
    CHECK(own.is_free(LOCK_SH));
    CHECK(!own.is_free(LOCK_EX));
  }
  CHECK(own.is_free(LOCK_EX));
}

TEST_CASE("only cells of one GPU whose slot is held share the lock", "[lock]") {
  const Backend cuda = Backend::cuda;
  CHECK(alone({cuda, cuda}, "0", 1));
  CHECK(!alone({cuda, Backend::serial}, "0", 1));
  CHECK(!alone({Backend::omp}, "0", 1));
  CHECK(!alone({cuda}, nullptr, 1));
  CHECK(!alone({cuda}, "", 1));
  CHECK(!alone({cuda}, "0", 2));
  CHECK(!alone({cuda}, "0", 0));
}
