// Rate of random reads of rows from a table, as of rows of X in SpMM. Rows are drawn from the whole
// table, so that they come from the cache that holds the table, or from memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>

#include "formats/buffer.hpp"
#include "formats/mapped_memory.hpp"
#include "harness/bandwidth.hpp"
#include "harness/stream_kernels.hpp"
#include "harness/timer.hpp"

namespace sparserepro {
namespace {

constexpr std::int64_t max_table_bytes = std::int64_t{512} << 20;
constexpr std::uint32_t places = 2048;  // 8 KiB: the list stays in the first-level cache
constexpr int passes = 3;

/// Rounds of a pass, in each of which a thread reads `places` rows. A pass takes 5 to 30 ms.
std::uint32_t rounds_of(std::int64_t row_bytes) {
  constexpr std::int64_t most_bytes = std::int64_t{128} << 20, most_rows = std::int64_t{1} << 20;
  const std::int64_t rows = std::min(most_bytes / row_bytes, most_rows);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, rows / places));
}

/// The n-th number of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t random_bits(std::uint64_t n) {
  std::uint64_t z = (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

double measure(int threads, std::int64_t row_bytes, std::int64_t table_bytes) {
  const std::int64_t rows = std::max<std::int64_t>(1, table_bytes / row_bytes);
  MappedMemory table(static_cast<std::size_t>(rows * row_bytes));
  constexpr std::int64_t part = std::int64_t{2} << 20;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t at = 0; at < rows * row_bytes; at += part) {
    std::memset(table.data() + at, 1,
                static_cast<std::size_t>(std::min(part, rows * row_bytes - at)));
  }
  Buffer<std::uint32_t> list(places);
  for (std::uint32_t i = 0; i < places; ++i) {
    list[i] = static_cast<std::uint32_t>(random_bits(i) % static_cast<std::uint64_t>(rows));
  }
  const StreamKernels kernels = stream_kernels().front();
  GatherPiece piece{.table = table.data(),
                    .rows = static_cast<std::uint32_t>(rows),
                    .row_bytes = static_cast<std::size_t>(row_bytes),
                    .places = list.data(),
                    .place_count = places,
                    .rounds = rounds_of(row_bytes),
                    .rows_ahead = 0,
                    .seed = 0};
  const double bytes =
      static_cast<double>(threads) * piece.rounds * places * static_cast<double>(row_bytes);
  // Distance of prefetches: far enough for as many outstanding misses as the processor allows, near
  // enough that a fetched row is still cached when it is read.
  const auto ahead =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>((64 << 10) / row_bytes, 16, 64));
  double best = 0.0;
  [[maybe_unused]] static volatile std::uint64_t sink = 0;  // a use of the sums: no read is omitted
  CpuTimer timer;
  for (int pass = 0; pass < passes; ++pass) {
    for (const std::uint32_t rows_ahead : {std::uint32_t{0}, ahead}) {
      piece.rows_ahead = rows_ahead;
      std::uint64_t sum = 0;
      timer.start();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(^ : sum)
      for (int thread = 0; thread < threads; ++thread) {
        GatherPiece own = piece;
        own.seed = random_bits(static_cast<std::uint64_t>(places + thread * passes + pass));
        sum ^= kernels.gather(own);
      }
      best = std::max(best, bytes / timer.stop());
      sink = sum;
    }
  }
  return best;
}

}  // namespace

double gather_bandwidth(int threads, std::int64_t row_bytes, std::int64_t table_bytes) {
  static std::map<std::array<std::int64_t, 3>, double> measured;
  const std::array<std::int64_t, 3> key{threads, row_bytes, std::min(table_bytes, max_table_bytes)};
  const auto found = measured.find(key);
  return found != measured.end()
             ? found->second
             : measured.emplace(key, measure(key[0], key[1], key[2])).first->second;
}

}  // namespace sparserepro
