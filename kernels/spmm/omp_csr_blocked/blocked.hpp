// omp_csr_blocked as a class: bundles once, products often.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/array_bytes.hpp"
#include "formats/buffer.hpp"
#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "formats/processor.hpp"
#include "sparserepro/spmm.hpp"
#include "spmm/omp_csr_blocked/policy.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"

namespace sparserepro {

/// Y = alpha A X + beta Y for X of `k` columns, both with rows k apart. `a` outlives this.
template <class Element>
class BlockedProduct {
 public:
  using Sum = csr_blocks::SumOf<Element>;

  /// `calls` products follow, 0: many.
  BlockedProduct(const csr_blocks::RowPattern& a, const Element* values, std::int64_t k,
                 int threads, host::SpmmPath path, std::int64_t calls)
      : a_(a), a_values_(values), k_(k), threads_(threads), shares_(threads) {
    for (std::int64_t column = 0; column < k_; column += set_.tile_columns) {
      // The last tile may take columns of the one before.
      const std::int64_t first =
          std::max<std::int64_t>(0, std::min(column, k_ - set_.vector_columns));
      const int columns = static_cast<int>(std::min<std::int64_t>(set_.tile_columns, k_ - first));
      tiles_.push_back({first, columns, k_ == 1 ? set_.one_column : set_.tile(columns)});
    }
    const std::int64_t row_bytes = k_ * static_cast<std::int64_t>(sizeof(Sum));
    fetch_y_ = row_bytes >= 64 && a_.rows * row_bytes > BlockedPolicy::prefetch_bytes;
    stream_ = (row_bytes % 64 == 0 || row_bytes == 32) &&
              a_.rows * row_bytes > BlockedPolicy::stream_bytes;
    analyse(path, calls);
  }

  void multiply(Sum alpha, const Element* x, Sum beta, Element* y) {
    const bool straight = std::is_same_v<Sum, Element> && alpha == 1 && beta == 0;
    if (!straight) {
      between_.resize(static_cast<std::size_t>(threads_ * most_rows_ * k_));
    }
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    const auto multiply = [&](std::int64_t task) {
      if (task < pieces) {
        return multiply_piece(task, x);
      }
      const csr_blocks::Window& window = bundles_.window(task - pieces);
      Element* const rows_of_y = y + window.first * k_;
      Sum* const sums = straight ? reinterpret_cast<Sum*>(rows_of_y)  // of the same type
                                 : between_.data() + omp_get_thread_num() * most_rows_ * k_;
      multiply_window(window, x, sums, straight && stream_);
      if (!straight) {
        set_.put(sums, rows_of(window) * k_, alpha, beta, rows_of_y);
      }
    };
    const auto end_of = [&](int share) { return part_begin(std::ssize(order_), threads_, share); };
    for (int share = 0; share < threads_; ++share) {
      shares_[share].next = end_of(share);
    }
#pragma omp parallel num_threads(threads_) if (order_.size() > 1)
    for (int i = 0; i < threads_; ++i) {
      const int share = (omp_get_thread_num() + i) % threads_;
      if (i > 0 && shares_[share].next.load(std::memory_order_relaxed) >= end_of(share + 1)) {
        continue;
      }
      for (std::int64_t place; (place = shares_[share].next++) < end_of(share + 1);) {
        multiply(order_[place].second);
      }
    }
    add_pieces(alpha, beta, y);
  }

  /// From now on entry p of A, whose values lie at `values` again, has the value value_of(p). Where
  /// no row is long, `values` and the columns of A are not read any more.
  template <class ValueOf>
  void set_values(const Element* values, ValueOf value_of) {
    if (makes_bundles_) {
      bundles_.write_values(a_.row_ptr, value_of, values_.data(), threads_);
    }
    a_values_ = values;
  }
  /// Whether products read columns and values of A: of long rows, or of all without bundles.
  bool reads_entries() const {
    return !makes_bundles_ || !pieces_.empty();
  }

  std::int64_t workspace_bytes() const {
    return bundles_.bytes() + array_bytes(values_, pieces_, order_, shares_, sums_, between_);
  }

 private:
  static constexpr std::int64_t element_bytes = sizeof(Element);
  struct Tile {
    std::int64_t column;
    int columns;
    csr_blocks::Kernels<Element> kernels;
  };
  /// Tasks that a thread takes first, so that it meets them in its caches again; then those that
  /// others have left.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next;
  };
  /// Entries of a long row.
  struct Piece {
    index_t row;
    std::int64_t begin, end;
  };

  static std::int64_t rows_of(const csr_blocks::Window& window) {
    return window.last - window.first;
  }
  std::int64_t x_bytes() const {
    return a_.cols * k_ * element_bytes;
  }

  /// Copies the entries of A into bundles, or parts its rows alone.
  void analyse(host::SpmmPath path, std::int64_t calls) {
    using csr_blocks::Layout;
    using host::SpmmPath;
    const bool slices = tiles_.size() == 1 && path != SpmmPath::rows;
    csr_blocks::RowBundles::Limits limits{
        .lanes = slices ? tiles_.front().kernels.lanes : csr_blocks::SliceLanes{1, 1, 1},
        .entries = BlockedPolicy::window_entries(k_, nnz_, a_.rows),
        .fetch = k_ > 1 && x_bytes() > BlockedPolicy::prefetch_bytes,
        .near = BlockedPolicy::near_columns(k_ * element_bytes, nnz_, a_.cols),
        .jagged = tiles_.size() == 1 && tiles_.front().kernels.jagged && path != SpmmPath::rows &&
                  path != SpmmPath::lanes,
        .unit_diagonals = std::is_same_v<Element, float>,
        .last = path == SpmmPath::lanes                ? Layout::lanes
                : path == SpmmPath::jagged             ? Layout::jagged
                : path == SpmmPath::diagonals          ? Layout::diagonals
                : path == SpmmPath::padded             ? Layout::padded
                : path == SpmmPath::shifted || k_ == 1 ? Layout::shifted
                                                       : Layout::band};
    makes_bundles_ = limits.bundles =
        path == SpmmPath::automatic ? bundles_pay(limits, calls) : path != SpmmPath::csr;
    bundles_ = csr_blocks::RowBundles(a_, limits, threads_);
    if (makes_bundles_) {
      values_.resize(
          static_cast<std::size_t>(bundles_.value_places() + csr_blocks::RowBundles::most_lanes));
      advise_huge_pages(values_);
      set_values(a_values_, [this](std::int64_t p) { return a_values_[p]; });
    }
    for (std::int64_t w = 0; w < bundles_.windows(); ++w) {
      most_rows_ = std::max(most_rows_, rows_of(bundles_.window(w)));
    }
    cut_rows(limits.entries);
    order_tasks();
    sums_.resize(pieces_.size() * static_cast<std::size_t>(k_));
  }

  /// Whether a copy of A by bundles pays, with diagonals if these do; the same on processors with
  /// the same vector extensions.
  bool bundles_pay(csr_blocks::RowBundles::Limits& limits, std::int64_t calls) const {
    using csr_blocks::Layout;
    const auto are_shared = [&] {
      return csr_blocks::RowBundles::shared_entries(a_, limits) >= BlockedPolicy::shared_entries;
    };
    if (calls != 0 && calls < BlockedPolicy::paying_calls(k_)) {
      return false;
    }
    const bool overlap = k_ > set_.vector_columns && k_ % set_.vector_columns != 0;
    if (k_ > 1 && k_ <= BlockedPolicy::line_columns(sizeof(Sum)) &&
        x_bytes() <= BlockedPolicy::few_columns_x_bytes(has_near_last_level_cache(), k_) &&
        nnz_ < BlockedPolicy::few_columns_short_rows(x_bytes(), overlap) * a_.rows) {
      return true;
    }
    if (k_ == 1 && set_.one_column.diagonals && (!BlockedPolicy::are_few(calls) || !are_shared())) {
      const bool is_small = nnz_ * element_bytes <= BlockedPolicy::padded_bytes(threads_);
      const Layout others =
          std::exchange(limits.last, is_small ? Layout::padded : Layout::diagonals);
      if (are_shared()) {
        return true;
      }
      limits.last = others;
    }
    const bool are_short = k_ == 1 ? nnz_ < one_column_short_rows(calls) * a_.rows
                                   : nnz_ < BlockedPolicy::short_rows * a_.rows &&
                                         x_bytes() <= BlockedPolicy::prefetch_bytes;
    return are_short || are_shared();
  }

  std::int64_t one_column_short_rows(std::int64_t calls) const {
    return BlockedPolicy::one_column_short_rows(calls, set_.one_column.jagged ? element_bytes : 0);
  }

  /// Into pieces that meet so few rows of X that windows near them find these in the L2 cache.
  void cut_rows(std::int64_t most_entries) {
    for (const index_t row : bundles_.long_rows()) {
      const std::int64_t x_bytes_each = x_bytes() / a_.length(row);
      const std::int64_t entries =
          std::clamp(BlockedPolicy::piece_x_bytes / std::max<std::int64_t>(1, x_bytes_each),
                     BlockedPolicy::least_piece, most_entries);
      for (std::int64_t begin = a_.row_ptr[row]; begin < a_.row_ptr[row + 1]; begin += entries) {
        pieces_.push_back({row, begin, std::min(a_.row_ptr[row + 1], begin + entries)});
      }
    }
  }

  /// Each piece behind the windows about the diagonal at its last column.
  void order_tasks() {
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    const double slope = static_cast<double>(a_.rows) / static_cast<double>(a_.cols);
    for (std::int64_t task = 0; task < pieces + bundles_.windows(); ++task) {
      const double row = task < pieces ? a_.columns[pieces_[task].end - 1] * slope
                                       : bundles_.window(task - pieces).first;
      order_.emplace_back(row, task);
    }
    std::sort(order_.begin(), order_.end());
  }

  void multiply_window(const csr_blocks::Window& window, const Element* x, Sum* y,
                       bool stream) const {
    for (const Tile& tile : tiles_) {
      const csr_blocks::Operands<Element> o{x + tile.column,
                                            y + tile.column,
                                            k_,
                                            tile.columns,
                                            stream,
                                            window.fetch,
                                            has_near_last_level_cache(),
                                            !stream && fetch_y_};
      if (makes_bundles_) {
        tile.kernels.window(window, values_.data() + window.entry, o);
      } else {
        tile.kernels.csr(a_values_, a_.columns, a_.row_ptr + window.first, rows_of(window), o);
      }
    }
  }
  void multiply_piece(std::int64_t piece, const Element* x) {
    const std::int64_t row_ptr[2] = {pieces_[piece].begin, pieces_[piece].end};
    for (const Tile& tile : tiles_) {
      Sum* const sums = sums_.data() + piece * k_ + tile.column;
      tile.kernels.csr(a_values_, a_.columns, row_ptr, 1,
                       {x + tile.column, sums, k_, tile.columns});
    }
  }

  void add_pieces(Sum alpha, Sum beta, Element* y) const {
    if (pieces_.empty()) {
      return;
    }
    constexpr std::int64_t least_parallel = 1 << 16;
#pragma omp parallel for num_threads(threads_) if (std::ssize(sums_) >= least_parallel)
    for (std::int64_t column = 0; column < k_; ++column) {
      for (std::size_t piece = 0; piece < pieces_.size();) {
        const index_t row = pieces_[piece].row;
        Sum sum = sums_[piece * k_ + column];
        while (++piece < pieces_.size() && pieces_[piece].row == row) {
          sum += sums_[piece * k_ + column];
        }
        set_.put(&sum, 1, alpha, beta, &y[row * k_ + column]);
      }
    }
  }

  csr_blocks::RowPattern a_;
  const Element* a_values_;
  std::int64_t k_, nnz_ = a_.row_ptr[a_.rows];
  int threads_;
  bool makes_bundles_{};
  csr_blocks::InstructionSet<Element> set_ = csr_blocks::fastest_set<Element>();
  std::vector<Tile> tiles_;
  csr_blocks::RowBundles bundles_;  // or windows alone
  Buffer<Element> values_;          // of the bundles
  std::vector<Piece> pieces_;
  std::vector<std::pair<double, std::int64_t>> order_;  // row, number among pieces and windows
  std::vector<Share> shares_;                           // [threads]
  Buffer<Sum> sums_;                                    // [pieces * k]
  Buffer<Sum> between_;       // [threads * most_rows_ * k], once asked for
  std::int64_t most_rows_{};  // of a window
  bool stream_{}, fetch_y_{};
};

}  // namespace sparserepro
