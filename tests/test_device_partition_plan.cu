// What cuda_partition makes of counts, alone: the cut of buckets into chunks, and a team's column
// pointers.
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "cuda/stream.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"
#include "transpose/cuda_partition/few/team_block.cuh"
#include "transpose/cuda_partition/one_level/chunks.cuh"

using namespace sparserepro;
using namespace sparserepro::testing;
using namespace sparserepro::partition;

namespace {

/// The chunks of buckets with these entries, which lie in up to `tiles` tiles from bucket % 5 on,
/// against the rule.
void check_plan(const std::vector<unsigned>& size, unsigned tiles, const Plan& rule) {
  const Stream stream;
  const auto buckets = static_cast<unsigned>(size.size());
  const unsigned stride = tiles + 5;
  std::vector<unsigned> runs(std::size_t{buckets} * stride, 0xdeadbeefU), in_tile(stride);
  std::vector<unsigned> low(stride, buckets), high(stride);
  std::vector<BucketExtent> extents;
  unsigned before = 0;
  for (unsigned b = 0; b < buckets; ++b) {
    std::map<unsigned, unsigned> sizes;
    for (unsigned e = 0; e < size[b]; ++e) {
      ++sizes[b % 5 + e * tiles / size[b]];
    }
    BucketExtent extent{size[b], before, 0, 0};
    for (unsigned t = 0; t < stride; ++t) {
      const unsigned number = sizes.count(t) > 0 ? sizes[t] : 0;
      if (number > 0) {
        low[t] = std::min(low[t], b);
        high[t] = b + 1;
        extent.first_tile = extent.end_tile == 0 ? t : extent.first_tile;
        extent.end_tile = t + 1;
      }
      if (low[t] < buckets) {
        runs[std::size_t{b} * stride + t] = in_tile[t] | number << 16;
      }
      in_tile[t] += number;
    }
    extents.push_back(extent);
    before += size[b];
  }
  std::vector<uint2> range;
  for (unsigned t = 0; t < stride; ++t) {
    REQUIRE(in_tile[t] < 1U << 16);
    range.push_back({in_tile[t] > 0 ? low[t] | (high[t] - low[t]) << 16 : 0, in_tile[t]});
    for (unsigned b = high[t]; b < buckets; ++b) {
      runs[std::size_t{b} * stride + t] = 0xdeadbeefU;  // not of the tile's range
    }
  }
  DeviceBuffer<unsigned> d_runs(runs, stream.get());
  DeviceBuffer<uint2> d_range(range, stream.get());
  DeviceBuffer<Chunk> chunks(std::size_t{buckets} * 300, stream.get());
  DeviceBuffer<PassState> state(std::size_t{1}, stream.get());
  chunks.fill_bytes(0x5a, stream.get());
  state.fill_bytes(0, stream.get());
  Plan plan = rule;
  plan.state = state.data();
  plan.chunks = chunks.data();
  plan.buckets = buckets;
  TiledMatrix a{};
  a.tiles = stride;
  a.buckets.count = buckets;
  plan_kernel<<<(buckets + plan_buckets - 1) / plan_buckets, plan_threads, 0, stream.get()>>>(
      a, RunTable{d_runs.data(), stride, d_range.data(), nullptr, 0}, plan);
  CUDA_CHECK_LAUNCH();
  CAPTURE(buckets, tiles, rule.tile, rule.window);
  const std::vector<Chunk> got = on_host(chunks, stream);
  const unsigned partial_count = on_host(state, stream).front().partial_count;
  unsigned wrong = 0, partial = 0;
  for (unsigned b = 0; b < buckets; ++b) {
    const BucketExtent& extent = extents[b];
    const unsigned span = extent.end_tile - extent.first_tile;
    const auto is = [&](const Chunk& chunk, unsigned first, unsigned k, unsigned count) {
      const unsigned parts = std::max(count, 1U);
      return chunk.bucket == b && chunk.first_column == b * rule.width &&
             chunk.base == extent.before && chunk.first == first && chunk.index == k &&
             chunk.count == count && chunk.first_tile == extent.first_tile + span * k / parts &&
             chunk.end_tile == extent.first_tile + span * (k + 1) / parts;
    };
    if (extent.entries <= rule.tile && span <= rule.window) {
      wrong += !is(got[b], 0, 0, 0);
      continue;
    }
    const unsigned most = DevicePartitionPolicy::chunks_per_bucket;
    const unsigned count = std::min({(extent.entries - 1) / rule.target + 1, span, most});
    wrong += got[b].bucket != Plan::no_bucket || got[b].index != 0 || got[b].count != 0;
    const auto begin = got.begin() + buckets, end = begin + partial_count;
    const auto first = std::find_if(begin, end, [&](const Chunk& c) { return c.bucket == b; });
    for (unsigned k = 0; k < count; ++k) {
      wrong += end - first <= k || !is(first[k], static_cast<unsigned>(first - begin), k, count);
    }
    partial += count;
  }
  CHECK(wrong == 0);
  CHECK(partial == partial_count);
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
      size[b] = b * 7919 % 101 * (b % 3) * (b % 11 == 4 ? 12 : 1);  // 0 among them
    }
    size.back() = 5;
    Plan rule{};
    rule.width = 7;
    for (const unsigned tile : {4U, 30U, 2399U, 2400U}) {
      rule.tile = tile;
      rule.target = tile / 2 + 1;
      for (const unsigned tiles : {1U, 9U, 700U}) {
        for (const unsigned window : {700U, 8U}) {
          rule.window = window;
          if (count < 513 || tiles > 1) {
            check_plan(size, tiles, rule);
          }
        }
      }
    }
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
