// The parts of cuda_partition's splits alone: ranks by each method, places from counts, staged
// writes, buckets of columns, places of a window's entries.
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "cuda/stream.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"
#include "transpose/cuda_partition/one_level/chunks.cuh"
#include "transpose/cuda_partition/split.cuh"

using namespace sparserepro;
using namespace sparserepro::testing;
using namespace sparserepro::partition;

namespace {

constexpr int threads = 512, items = 5;
constexpr unsigned slots = threads * items;
constexpr unsigned group_slots = 32 * group_warps * items;  // of warps that share counters

/// Ranks of `slots` digits below `digits`; beyond `count`, entries are absent. start [digits + 1]:
/// where the entries of each digit begin; place[i]: of entry i, sorted.
template <Ranks ranks>
__global__ void rank_kernel(const unsigned* digit_of, unsigned digits, unsigned count,
                            unsigned frequent, unsigned* before_of, unsigned* start,
                            unsigned* place) {
  extern __shared__ __align__(16) unsigned counters[];
  __shared__ unsigned warp_sums[threads / 32];
  const unsigned lane = threadIdx.x % 32;
  fill<threads>(counters, counter_words<threads>(digits), 0);
  __syncthreads();
  const unsigned mine = threadIdx.x / 32 * 32 * items + lane;
  unsigned word[items], before[items];
  for (int j = 0; j < items; ++j) {
    const unsigned i = mine + j * 32;
    word[j] = i < count ? digit_of[i] : digits + (ranks == Ranks::by_vote ? 0 : lane);
  }
  const HalfCounters own(counters, counter_stride(digits));
  rank<ranks>(own, 0, 0x3fffU, digits, word, before, frequent);
  __syncthreads();
  places_from_counts<threads>(
      counters, counter_stride(digits), digits + absent_digits, warp_sums,
      [](unsigned d) { return d; },
      [&](unsigned d, unsigned from, unsigned) {
        if (d <= digits) {
          start[d] = from;
        }
      });
  __syncthreads();
  for (int j = 0; j < items; ++j) {
    const unsigned i = mine + j * 32;
    before_of[i] = before[j];
    place[i] = before[j] + own[word[j]];
  }
}

struct Ranked {
  std::vector<unsigned> before, start, place;
};

template <Ranks ranks>
Ranked rank_on_device(const std::vector<unsigned>& digit, unsigned digits, unsigned frequent) {
  const Stream stream;
  DeviceBuffer<unsigned> in(digit, stream.get()), before(std::size_t{slots}, stream.get()),
      start(std::size_t{digits} + 1, stream.get()), place(std::size_t{slots}, stream.get());
  const std::size_t bytes = (counter_words<threads>(digits) + 4) * sizeof(unsigned);
  allow_shared_bytes(rank_kernel<ranks>, bytes);
  rank_kernel<ranks>
      <<<1, threads, bytes, stream.get()>>>(in.data(), digits, static_cast<unsigned>(digit.size()),
                                            frequent, before.data(), start.data(), place.data());
  CUDA_CHECK_LAUNCH();
  return {on_host(before, stream), on_host(start, stream), on_host(place, stream)};
}

/// Whether each method ranks the entries as it says. The order in which lanes of one instruction
/// add to one counter is not promised: there any order is right, and a number is used once.
template <Ranks ranks>
void check_ranks(const std::vector<unsigned>& digit, unsigned digits, unsigned frequent) {
  const Ranked got = rank_on_device<ranks>(digit, digits, frequent);
  CAPTURE(static_cast<int>(ranks), digits, digit.size());
  std::vector<unsigned> start(digits + 1);
  for (const unsigned d : digit) {
    ++start[d + 1 <= digits ? d + 1 : digits];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  CHECK(got.start == start);
  std::vector<unsigned> taken(slots);
  std::size_t wrong = 0;
  std::vector<unsigned> in_group(digits), all(start.begin(), start.end());
  for (unsigned first = 0; first < digit.size(); first += 32) {
    if (first % group_slots == 0) {
      std::fill(in_group.begin(), in_group.end(), 0U);
    }
    const auto last = std::min<std::size_t>(first + 32, digit.size());
    std::map<unsigned, unsigned> met;  // in this instruction
    for (std::size_t i = first; i < last; ++i) {
      ++met[digit[i]];
    }
    std::map<unsigned, unsigned> seen;
    for (std::size_t i = first; i < last; ++i) {
      const unsigned d = digit[i], number = in_group[d] + seen[d]++;
      const bool stable = ranks == Ranks::by_vote || (ranks == Ranks::by_leader && d == frequent);
      const unsigned most = in_group[d] + met[d];
      wrong +=
          stable ? got.before[i] != number : got.before[i] < in_group[d] || got.before[i] >= most;
      wrong +=
          got.place[i] - all[d] >= met[d] || got.place[i] >= slots || taken[got.place[i]]++ > 0;
    }
    for (const auto& [d, number] : met) {
      in_group[d] += number;
      all[d] += number;
    }
  }
  CHECK(wrong == 0);
}

template <class T>
__global__ void staged_kernel(T* to, unsigned count) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const staged = reinterpret_cast<T*>(memory);
  for (unsigned i = threadIdx.x; i < count + 8; i += threads) {
    staged[i] = static_cast<T>(i < count ? i + 1 : 77);
  }
  __syncthreads();
  write_staged<threads>(to, staged, count);
}

template <class T>
void check_staged(unsigned count) {
  const Stream stream;
  DeviceBuffer<T> to(std::size_t{count} + 32, stream.get());
  to.fill_bytes(0, stream.get());
  staged_kernel<T><<<1, threads, (count + 8) * sizeof(T), stream.get()>>>(to.data(), count);
  CUDA_CHECK_LAUNCH();
  constexpr unsigned each = 16 / sizeof(T);
  std::vector<T> want(count + 32);
  for (unsigned i = 0; i < (count + each - 1) / each * each; ++i) {
    want[i] = static_cast<T>(i < count ? i + 1 : 77);
  }
  CAPTURE(sizeof(T), count);
  CHECK(on_host(to, stream) == want);
}

__global__ void bucket_kernel_of(ColumnBuckets buckets, unsigned first, unsigned* wrong) {
  const unsigned column = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (bucket_of(column, buckets) != column / buckets.width) {
    atomicAdd(wrong, 1U);
  }
}

using WaveShape = TileShape<threads, items, true>;

__global__ void window_kernel(RunTable table, unsigned tiles, unsigned* place) {
  __shared__ __align__(16) unsigned marks[slots];
  __shared__ unsigned warp_sums[threads / 32];
  __shared__ uint2 cut;
  open_window<WaveShape>(table, 1, 0, tiles, marks, warp_sums, &cut);
  for (int j = 0; j < items; ++j) {
    const unsigned i = threadIdx.x / 32 * 32 * items + threadIdx.x % 32 + j * 32;
    place[i] = place_in_window(marks, i);
  }
}

/// Where a window finds the entries of a bucket that has up to 8 in each of `tiles` tiles of 32.
void check_window(unsigned tiles, unsigned each) {
  const Stream stream;
  std::vector<unsigned> runs(std::size_t{2} * tiles), want;
  for (unsigned t = 0; t < tiles; ++t) {
    const unsigned size = t * 7 % each, start = t % 4;
    runs[tiles + t] = start | size << 16;
    for (unsigned i = 0; i < size; ++i) {
      want.push_back(t * 32 + start + i);
    }
  }
  while (want.size() < slots) {
    want.push_back(static_cast<unsigned>(want.size()) % 32);  // absent: one of the first entries
  }
  DeviceBuffer<unsigned> d_runs(runs, stream.get()), place(std::size_t{slots}, stream.get());
  DeviceBuffer<uint2> range(std::vector<uint2>(tiles, uint2{2U << 16, 32}), stream.get());
  window_kernel<<<1, threads, 0, stream.get()>>>(
      RunTable{d_runs.data(), tiles, range.data(), nullptr, 32}, tiles, place.data());
  CUDA_CHECK_LAUNCH();
  CAPTURE(tiles, each);
  CHECK(on_host(place, stream) == want);
}

}  // namespace

TEST_CASE("cuda_partition's units: ranks by each method, and places", "[cuda][units]") {
  require_device();
  std::mt19937 random(3);
  constexpr unsigned most = DevicePartitionPolicy::most_buckets;
  for (const unsigned digits : {1U, 2U, 8U, 31U, 33U, 700U, 1500U, most}) {
    for (const unsigned count : {1U, 31U, 33U, group_slots, group_slots + 1, slots - 1, slots}) {
      for (const bool skewed : {false, true}) {
        std::vector<unsigned> digit(count);
        for (unsigned& d : digit) {
          d = skewed && random() % 4 != 0 ? digits / 2 : random() % digits;
        }
        check_ranks<Ranks::by_addition>(digit, digits, 0);
        check_ranks<Ranks::by_leader>(digit, digits, digits / 2);
        check_ranks<Ranks::by_vote>(digit, digits, 0);
      }
    }
  }
}

TEST_CASE("cuda_partition's units: staged elements are written, and nothing beyond 16 bytes",
          "[cuda][units]") {
  require_device();
  for (const unsigned count : {0U, 1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 2047U, 2048U, 2051U}) {
    check_staged<unsigned>(count);
    check_staged<unsigned long long>(count);
    check_staged<unsigned short>(count);
  }
}

TEST_CASE("cuda_partition's units: a column's bucket is the exact quotient on the device",
          "[cuda][units]") {
  require_device();
  const Stream stream;
  DeviceBuffer<unsigned> wrong(std::size_t{1}, stream.get());
  wrong.fill_bytes(0, stream.get());
  constexpr unsigned most = DevicePartitionPolicy::largest_width, block = 256, blocks = 64;
  for (unsigned width = 1; width <= most; width += 1 + width / 16) {
    const unsigned cols = std::min(most * width, 1U << 24);
    const ColumnBuckets buckets(cols, width);
    const unsigned last = cols - std::min(cols, blocks * block);
    bucket_kernel_of<<<blocks, block, 0, stream.get()>>>(buckets, 0, wrong.data());
    bucket_kernel_of<<<blocks, block, 0, stream.get()>>>(buckets, last, wrong.data());
    CUDA_CHECK_LAUNCH();
  }
  CHECK(on_host(wrong, stream).front() == 0);
}

TEST_CASE("cuda_partition's units: a window finds its entries, and the first where it is not full",
          "[cuda][units]") {
  require_device();
  for (const unsigned tiles : {1U, 2U, 33U, 170U, 512U}) {
    for (const unsigned each : {1U, 2U, 9U}) {
      check_window(tiles, each);
    }
  }
}
