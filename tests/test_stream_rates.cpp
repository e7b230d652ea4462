// The memory kernels of the host: bytes moved and counted, and least rates.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "formats/available_cores.hpp"
#include "formats/buffer.hpp"
#include "formats/mapped_memory.hpp"
#include "harness/bandwidth.hpp"
#include "harness/machine.hpp"
#include "harness/stream_kernels.hpp"
#include "harness/timer.hpp"
#include "support/catch.hpp"

namespace {

using namespace sparserepro;

constexpr std::int64_t mebi = std::int64_t{1} << 20;

/// Four granules, one for each part of a kernel with four parts.
constexpr std::size_t piece_bytes = 4 * stream_granule;

Buffer<char> numbered(std::size_t bytes, unsigned first) {
  Buffer<char> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<char>((first + i) * 37 % 251);
  }
  return out;
}

void flip_word(char* word) {
  *word = static_cast<char>(*word ^ 1);
}

/// Bytes read plus bytes written per second by memcpy on all threads; the best of three passes.
double memcpy_rate(int threads) {
  const std::size_t piece = 256 * mebi / threads;
  MappedMemory from(piece * threads), to(piece * threads);
  double best = 0.0;
  for (int pass = 0; pass < 4; ++pass) {  // the first one touches the pages
    CpuTimer timer;
    timer.start();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int thread = 0; thread < threads; ++thread) {
      if (pass == 0) {
        std::memset(from.data() + thread * piece, 1, piece);
      }
      std::memcpy(to.data() + thread * piece, from.data() + thread * piece, piece);
    }
    if (pass > 0) {
      best = std::max(best, 2.0 * static_cast<double>(piece) * threads / timer.stop());
    }
  }
  return best;
}

}  // namespace

TEST_CASE("the arrays that are streamed exceed the last-level cache, within limits") {
  const std::int64_t memory = 64 * 1024 * mebi;
  CHECK(stream_array_bytes(100 * mebi, memory) == 200 * mebi);
  CHECK(stream_array_bytes(256 * mebi, memory) == 512 * mebi);
  CHECK(stream_array_bytes(0, memory) == 64 * mebi);            // the cache is not reported
  CHECK(stream_array_bytes(480 * mebi, memory) == 512 * mebi);  // the cache of a whole socket
  CHECK(stream_array_bytes(480 * mebi, 2048 * mebi) == 256 * mebi);
  CHECK(stream_array_bytes(480 * mebi, 256 * mebi) == 64 * mebi);
}

TEST_CASE("every way to stream moves the bytes that it is counted with") {
  for (const StreamKernels& kernels : stream_kernels()) {
    for (const StreamKernel& kernel : kernels.streams) {
      const std::string name = kernel.name;
      INFO(kernels.instructions << ", " << name);
      Buffer<char> from = numbered(piece_bytes, 1);
      const Buffer<char> before = from, old = numbered(piece_bytes, 5);
      Buffer<char> to = old;
      const std::uint64_t sum = kernel.run(to.data(), from.data(), piece_bytes);
      CHECK(from == before);
      if (name.starts_with("copy")) {
        CHECK(kernel.moved == 2);
        CHECK(to == from);
      } else if (name.starts_with("read")) {
        CHECK(kernel.moved == 1);
        CHECK(to == old);
        int unread = 0;
        for (std::size_t at = 0; at < piece_bytes; at += 8) {
          flip_word(&from[at]);
          unread += kernel.run(to.data(), from.data(), piece_bytes) == sum;
          flip_word(&from[at]);
        }
        CHECK(unread == 0);
      } else {
        CHECK(kernel.moved == 1);
        int unwritten = 0;
        for (std::size_t at = 0; at < piece_bytes; at += 8) {
          unwritten += std::memcmp(&to[at], &old[at], 8) == 0;
        }
        CHECK(unwritten == 0);
      }
    }
  }
}

TEST_CASE("gathers read every word of their rows, with any vectors, with and without prefetches") {
  constexpr std::uint32_t rows = 37, count = 21;
  std::vector<std::uint32_t> places(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    places[i] = i * i % rows;
  }
  const auto sets = stream_kernels();
  for (const std::size_t row_bytes : {8, 16, 24, 32, 40, 56, 64, 72, 96, 120, 128, 192, 248, 320}) {
    Buffer<char> table = numbered(rows * row_bytes, 3);
    Buffer<char> equal_rows(rows * row_bytes);  // exclusive or of an odd number of rows: a row
    for (std::size_t i = 0; i < equal_rows.size(); ++i) {
      equal_rows[i] = table[i % row_bytes];
    }
    GatherPiece piece{table.data(), rows, row_bytes, places.data(), count, 3, 0, 11};
    const std::uint64_t sum = sets.back().gather(piece);
    for (const StreamKernels& kernels : sets) {
      INFO(kernels.instructions << ", rows of " << row_bytes << " bytes");
      for (const std::uint32_t ahead : {0, 4, 64}) {
        piece.rows_ahead = ahead;
        CHECK(kernels.gather(piece) == sum);
      }
      GatherPiece one{equal_rows.data(), rows, row_bytes, places.data(), count, 1, 0, 11};
      const std::uint64_t row_sum = kernels.gather(one);
      for (std::size_t word = 0; word < row_bytes; word += 8) {
        Buffer<char> changed = equal_rows;
        for (std::uint32_t row = 0; row < rows; ++row) {
          flip_word(&changed[row * row_bytes + word]);
        }
        one.table = changed.data();
        CHECK(kernels.gather(one) == (row_sum ^ 1));
      }
    }
  }
}

TEST_CASE("a rate counts the bytes that are read and those that are written") {
  CHECK(stream_rate(1, 3e9, 1.5) == 2e9);
  CHECK(stream_rate(2, 3e9, 1.5) == 4e9);
}

TEST_CASE("the streaming rate is not below memcpy") {
  const int threads = available_cores();
  // Other processes may disturb a measurement; a rate that is really too low fails every attempt.
  bool not_below = false;
  for (int attempt = 0; attempt < 4 && !not_below; ++attempt) {
    double best = 0.0;
    for (const StreamRate& rate : measure_stream_rates(threads)) {
      best = std::max(best, rate.bytes_per_s);
    }
    const double own = memcpy_rate(threads);
    CAPTURE(attempt, own, best);
    not_below = best >= 0.8 * own;
  }
  CHECK(not_below);
}

TEST_CASE("the bound's rate is the highest of all ways to stream") {
  CHECK(highest_rate({{"plain", 2e9}, {"streaming", 3e9}, {"memcpy", 1e9}}) == 3e9);
  CHECK(highest_rate({}) == 0);
  double best = 0.0;
  for (const StreamRate& rate : stream_rates(1)) {
    CHECK(rate.bytes_per_s > 0);
    best = std::max(best, rate.bytes_per_s);
  }
  CHECK(copy_bandwidth(1) == best);
  CHECK(copy_bandwidth(1) == best);  // measured once
  // Both arrays had their full size: the peak memory of the process contains them.
  const MachineInfo& machine = machine_info();
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_maxrss * std::int64_t{1024} >=
        2 * stream_array_bytes(machine.last_level_cache_bytes, machine.memory_bytes) - mebi);
}

TEST_CASE("gathers are faster from a cache than from memory, and in rows than in words") {
  double near = 0.0, far = 0.0, words = 0.0;
  // Other programs may disturb a measurement; a table of another size is measured anew.
  for (int attempt = 0; attempt < 5 && (near <= 2 * far || far <= 2 * words); ++attempt) {
    const std::int64_t table = (512 - 4 * attempt) * mebi;
    near = std::max(near, gather_bandwidth(1, 64, (16 - attempt) << 10));
    far = std::max(far, gather_bandwidth(1, 64, table));
    words = std::max(words, gather_bandwidth(1, 8, table));
  }
  CHECK(near > 2 * far);
  CHECK(far > 2 * words);
  CHECK(gather_bandwidth(1, 64, 512 * mebi) == gather_bandwidth(1, 64, 512 * mebi));
}
