// The streaming rates that bounds stand on: what is counted, and over which arrays.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/bandwidth.hpp"
#include "core/buffer.hpp"
#include "core/stream_kernels.hpp"
#include "core/timer.hpp"
#include "support/catch.hpp"

namespace sparserepro {

TEST_CASE("arrays are twice the last-level cache, within limits", "[rates]") {
  constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;
  CHECK(stream_array_bytes(100 * mebibyte, 64 * gibibyte) == 200 * mebibyte);
  CHECK(stream_array_bytes(0, 64 * gibibyte) == 64 * mebibyte);
  CHECK(stream_array_bytes(480 * mebibyte, 64 * gibibyte) == 512 * mebibyte);
  CHECK(stream_array_bytes(100 * mebibyte, gibibyte) == 128 * mebibyte);
}

TEST_CASE("a copy counts the bytes that it reads and those that it writes", "[rates]") {
  constexpr std::size_t bytes = 16 * stream_granule;
  for (const StreamKernels& kernels : stream_kernels()) {
    int copies = 0;
    for (const StreamKernel& kernel : kernels.streams) {
      CAPTURE(kernels.instructions, kernel.name);
      Buffer<char> from(bytes, 'f'), to(bytes, 't');
      kernel.run(to.data(), from.data(), bytes);
      const bool copied = std::memcmp(to.data(), from.data(), bytes) == 0;
      CHECK(kernel.moved == (copied ? 2 : 1));
      copies += copied ? 1 : 0;
    }
    CHECK(copies >= 3);
  }
}

TEST_CASE("copies are not slower than a plain memcpy, read and written", "[rates]") {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  double rate = 0.0;
  for (const StreamRate& way : stream_rates(1)) {
    rate = std::max(rate, way.name.starts_with("copy") ? way.bytes_per_s : 0.0);
  }
  Buffer<char> from(bytes, 'f'), to(bytes, 't');
  double best_s = std::numeric_limits<double>::infinity();
  CpuTimer timer;
  for (int pass = 0; pass < 4; ++pass) {
    timer.start();
    std::memcpy(to.data(), from.data(), bytes);
    best_s = std::min(best_s, timer.stop());
  }
  CHECK(to.back() == 'f');
  CHECK(copy_bandwidth(1) >= rate);
  CHECK(rate > 0.75 * 2.0 * static_cast<double>(bytes) / best_s);
}

}  // namespace sparserepro
