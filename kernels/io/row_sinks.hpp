// What the two passes over a file do with the entries of a window: the first counts them by row,
// the second puts them to their places. Private to the reader.
//
// Threads share the rows, in turn by blocks of a few: each looks at all entries of a window in
// order and takes those of its rows. So no entry needs a lock, entries of a row stay in the order
// of the file whatever the number of threads, and memory beside the matrix is one number a row.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "formats/csr.hpp"
#include "io/matrix_market_chunk.hpp"

namespace sparserepro::matrix_market {

/// Which rows a thread takes: `thread` < `threads`, a power of two.
struct RowOwner {
  static constexpr int block_bits = 3;  // a cache line of 64-bit numbers
  index_t thread, threads;
  bool has(index_t row) const { return ((row >> block_bits) & (threads - 1)) == thread; }
};

/// Calls take(row, col, place, mirrored) for each entry of the owner's rows, in order; with
/// `mirror` also for (j, i) of each off-diagonal entry (i, j). A row's direct entries and its
/// mirrored ones differ in columns, so that their order among each other is without effect.
/// `ahead(row)` is called some entries before.
template <class Take, class Ahead>
void for_each_entry(const WindowEntries& window, RowOwner owner, bool mirror, const Take& take,
                    const Ahead& ahead) {
  constexpr std::size_t block = 1024, distance = 16;
  std::array<std::size_t, block + distance> own;  // the places are listed first, without branches
  const auto pass = [&](const index_t* rows, const index_t* cols, std::size_t begin,
                        std::size_t end, bool mirrored) {
    std::size_t count = 0;
    for (std::size_t p = begin; p < end; ++p) {
      own[count] = p;
      count += owner.has(rows[p]) & (!mirrored | (rows[p] != cols[p]));
    }
    std::fill_n(own.begin() + static_cast<std::ptrdiff_t>(count), distance, begin);
    for (std::size_t k = 0; k < count; ++k) {
      ahead(rows[own[k + distance]]);
      take(rows[own[k]], cols[own[k]], own[k], mirrored);
    }
  };
  for (const Chunk& chunk : window.chunks) {
    const std::size_t end = chunk.place + static_cast<std::size_t>(chunk.entries);
    for (std::size_t begin = chunk.place; begin < end; begin += block) {
      const std::size_t last = std::min(end, begin + block);
      pass(window.rows.data(), window.cols.data(), begin, last, false);
      if (mirror) {
        pass(window.cols.data(), window.rows.data(), begin, last, true);
      }
    }
  }
}

/// First pass: numbers of entries of each row.
class RowCounter {
 public:
  explicit RowCounter(index_t rows) : counts(static_cast<std::size_t>(rows), 0) {}
  void take(const WindowEntries& window, RowOwner owner, bool mirror) {
    for_each_entry(
        window, owner, mirror, [&](index_t row, index_t, std::size_t, bool) { ++counts[row]; },
        [&](index_t row) { __builtin_prefetch(&counts[row], 1); });
  }
  Buffer<std::int64_t> counts;  ///< [rows]
};

/// Second pass: writes columns and values, those of a row in the order of the file.
class RowFiller {
 public:
  /// `counts` as the first pass has them; `negate` changes the sign of mirrored values.
  RowFiller(index_t rows, index_t cols, const Buffer<std::int64_t>& counts, bool negate);
  void take(const WindowEntries& window, RowOwner owner, bool mirror);
  /// Ends the pass: sorts the rows that do not ascend by column, duplicates in the order of the
  /// file. False, without a matrix, if rows did not get as many entries as were counted.
  bool finish(int threads);

  Csr<std::int64_t, double> csr;

 private:
  // During the pass csr.row_ptr[i + 1] is where the next entry of row i goes: first its beginning,
  // in the end its end, which is the beginning of the next row.
  std::uint64_t beginnings_ = 0;  // digest of the rows' beginnings
  bool negate_;
  std::atomic<bool> overflow_{false};
};

}  // namespace sparserepro::matrix_market
