// What cuda_partition makes of counts, alone: the cut of buckets into chunks, and a team's column
// pointers.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "cuda/stream.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"
#include "transpose/cuda_partition/few/team_block.cuh"
#include "transpose/cuda_partition/one_level/plan.cuh"

using namespace sparserepro;
using namespace sparserepro::testing;
using namespace sparserepro::partition;

namespace {

__global__ void cut_kernel(Plan plan, unsigned buckets) {
  cut_buckets(buckets, plan);
}

/// The chunks of buckets with these entries, each of which has entries in the tiles
/// [bucket % 5, bucket % 5 + tiles), against the rule.
void check_cut(const std::vector<unsigned>& size, unsigned tiles, const Plan& rule) {
  const Stream stream;
  std::vector<BucketExtent> extents;
  std::vector<unsigned> chunks, partial;  // words of the chunks; numbers
  unsigned base = 0, number = 0;
  for (unsigned b = 0; b < size.size(); ++b) {
    const unsigned first = size[b] == 0 ? 0 : b % 5, span = size[b] == 0 ? 0 : tiles;
    extents.push_back({size[b], first, first + span});
    const bool whole = size[b] <= rule.tile && span <= rule.window;
    const unsigned most = DevicePartitionPolicy::chunks_per_bucket;
    const unsigned count = whole ? 1 : std::min({(size[b] - 1) / rule.target + 1, span, most});
    const auto first_partial = static_cast<unsigned>(partial.size());
    for (unsigned k = 0; k < count; ++k) {
      chunks.insert(chunks.end(),
                    {b, b * rule.width, base, first + span * k / count,
                     first + span * (k + 1) / count, first_partial, k, whole ? 0 : count});
      if (!whole) {
        partial.push_back(number + k);
      }
    }
    base += size[b];
    number += count;
  }
  const auto partials = static_cast<unsigned>(partial.size());
  DeviceBuffer<BucketExtent> in(extents, stream.get());
  DeviceBuffer<unsigned> list(chunks.size(), stream.get()),
      list_partial(partial.size() + 1, stream.get());
  DeviceBuffer<PassState> state(std::size_t{1}, stream.get());
  list.fill_bytes(0x5a, stream.get());
  list_partial.fill_bytes(0x5a, stream.get());
  state.fill_bytes(0, stream.get());
  Plan plan = rule;
  plan.extents = in.data();
  plan.state = state.data();
  plan.chunks = reinterpret_cast<Chunk*>(list.data());
  plan.partial = list_partial.data();
  cut_kernel<<<1, plan_threads, 0, stream.get()>>>(plan, static_cast<unsigned>(size.size()));
  CUDA_CHECK_LAUNCH();
  CAPTURE(size.size(), tiles, rule.tile, rule.window);
  partial.push_back(0x5a5a5a5aU);
  CHECK(on_host(list, stream) == chunks);
  CHECK(on_host(list_partial, stream) == partial);
  const PassState after = on_host(state, stream).front();
  CHECK(after.chunk_count == number);
  CHECK(after.partial_count == partials);
}

__global__ void pointers_kernel(const unsigned* sorted, unsigned nnz, unsigned cols, int low_bits,
                                unsigned digits, const unsigned* start, AnyPointers pointers) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  write_pointers(sorted, nnz, warp, warps, cols, low_bits, pointers);
  write_empty_digits(start, digits, nnz, cols, low_bits, warp, warps, pointers);
}

/// Pointers of `cols` columns, of which the entries have the ascending ones `sorted`.
void check_team_pointers(const std::vector<unsigned>& sorted, unsigned cols, int low_bits) {
  const Stream stream;
  const unsigned digits = ((cols - 1) >> low_bits) + 1;
  std::vector<unsigned> start(digits), want(std::size_t{cols} + 1);
  for (unsigned c = 0; c <= cols; ++c) {
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), c);
    want[c] = static_cast<unsigned>(first - sorted.begin());
    if (c < cols && c % (1U << low_bits) == 0) {
      start[c >> low_bits] = want[c];
    }
  }
  want[cols] = 0xffffffffU;  // the caller writes the last
  DeviceBuffer<unsigned> in(sorted, stream.get()), d_start(start, stream.get()),
      out(want.size(), stream.get());
  out.fill_bytes(0xff, stream.get());
  pointers_kernel<<<1, 128, 0, stream.get()>>>(in.data(), static_cast<unsigned>(sorted.size()),
                                               cols, low_bits, digits, d_start.data(),
                                               AnyPointers(out.data()));
  CUDA_CHECK_LAUNCH();
  CAPTURE(sorted.size(), cols, low_bits);
  CHECK(on_host(out, stream) == want);
}

}  // namespace

TEST_CASE("cuda_partition's units: buckets are cut into chunks", "[cuda][units]") {
  require_device();
  for (const unsigned count : {1U, 2U, 97U, 512U, 513U, 3000U}) {
    std::vector<unsigned> size(count);
    for (unsigned b = 0; b < count; ++b) {
      size[b] = b * 7919 % 101 * (b % 3) * (b % 11 == 4 ? 40 : 1);  // 0 among them
    }
    size.back() = 5;
    Plan rule{};
    rule.width = 7;
    for (const unsigned tile : {4U, 30U, 7999U, 8000U}) {
      rule.tile = tile;
      rule.target = tile / 2 + 1;
      for (const unsigned tiles : {1U, 9U, 700U}) {
        for (const unsigned window : {700U, 8U}) {
          rule.window = window;
          check_cut(size, tiles, rule);
        }
      }
    }
    for (unsigned b = 512; b + 1 < count; ++b) {
      size[b] = 3;  // all beyond one tile are among the first
    }
    rule.tile = 30;
    rule.target = 16;
    rule.window = 700;
    check_cut(size, 9, rule);
  }
}

TEST_CASE("cuda_partition's units: a team's column pointers", "[cuda][units]") {
  require_device();
  for (const int low_bits : {0, 3, 6}) {
    for (const unsigned cols : {1U, 5U, 64U, 65U, 700U, 3000U}) {
      for (const unsigned stride : {1U, 2U, 4U, 5U, 6U, 40U, 333U}) {
        std::vector<unsigned> sorted;
        for (unsigned c = stride / 2; c < cols; c += stride) {
          sorted.insert(sorted.end(), 1 + c % 3, c);
        }
        check_team_pointers(sorted, cols, low_bits);
      }
    }
  }
}
