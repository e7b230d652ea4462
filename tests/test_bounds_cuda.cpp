// Measured rates of the device's memory.
#include <algorithm>

#include "cuda/device_info.hpp"
#include "cuda/measure/device_bandwidth.hpp"
#include "harness/bandwidth.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

namespace {

using namespace sparserepro;
using namespace sparserepro::testing;

void need_device() {
  require_device();
}

double rate_of(const std::string& name) {
  for (const StreamRate& rate : device_stream_rates()) {
    if (rate.name == name) {
      return rate.bytes_per_s;
    }
  }
  FAIL("no way to stream is named " << name);
  return 0.0;
}

}  // namespace

TEST_CASE("cuda: the streaming rate is the highest, and all ways are near it") {
  need_device();
  double best = 0.0;
  for (const StreamRate& rate : device_stream_rates()) {
    CAPTURE(rate.name, rate.bytes_per_s);
    CHECK(rate.bytes_per_s > 0.5 * device_copy_bandwidth());
    best = std::max(best, rate.bytes_per_s);
  }
  CHECK(device_copy_bandwidth() == best);
  // A copy counts reads and writes: both copies agree, and neither is half of a pure read.
  CHECK(rate_of("copy") > 0.8 * rate_of("copy, cudaMemcpyAsync"));
  CHECK(rate_of("copy") < 1.25 * rate_of("copy, cudaMemcpyAsync"));
}

TEST_CASE("cuda: gathers from the second-level cache exceed those from memory") {
  need_device();
  const std::int64_t near = gpu_info()->l2_bytes / 4, far = 16 * gpu_info()->l2_bytes;
  CHECK(device_gather_bandwidth(128, near) > 1.3 * device_gather_bandwidth(128, far));
  CHECK(device_gather_bandwidth(128, near) > device_copy_bandwidth());
  CHECK(device_gather_bandwidth(128, far) < 1.3 * device_copy_bandwidth());
  // A read of 8 bytes moves a sector of 32 bytes.
  CHECK(device_gather_bandwidth(8, far) < 0.5 * device_gather_bandwidth(32, far));
  // Rows of all sizes of loads and numbers of steps, above 1 KiB included.
  for (const std::int64_t row : {8, 16, 24, 40, 64, 256, 520, 1000, 1024, 4096}) {
    CAPTURE(row);
    CHECK(device_gather_bandwidth(row, far) > 0);
    CHECK(device_gather_bandwidth(row, far) < 2 * device_copy_bandwidth());
  }
}

TEST_CASE("cuda: gathers from a small table", "[small]") {
  need_device();
  for (const std::int64_t row : {8, 40, 1024}) {
    CHECK(device_gather_bandwidth(row, 1 << 20) > 0);
  }
}
