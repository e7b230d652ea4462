// omp_csr_blocked as a class: bundles once, products often.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "formats/buffer.hpp"
#include "formats/processor.hpp"
#include "sparserepro/spmm.hpp"
#include "spmm/omp_csr_blocked/layout/set_values.hpp"
#include "spmm/omp_csr_blocked/policy.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/row_parts.hpp"

namespace sparserepro {

/// "" or why `path` takes no X of `k` columns on this processor.
inline std::string path_refusal(host::SpmmPath path, std::int64_t k) {
  using host::SpmmPath;
  const int most = csr_blocks::instruction_sets().front().tile_columns;
  if (k > most &&
      (path == SpmmPath::lanes || path == SpmmPath::shifted || path == SpmmPath::band)) {
    return std::string("path ") + to_string(path) +
           ": slices are made for one tile of columns, at most " + std::to_string(most) + " here";
  }
  return path == SpmmPath::band && k == 1 ? "path band: K = 1 stores bands as shifted slices" : "";
}

/// Y = A X for X of `k` columns, both with rows k apart. `a` outlives this.
template <class Offset>
class BlockedProduct {
 public:
  /// `calls` products follow, 0: many.
  BlockedProduct(const CsrView<Offset, double>& a, std::int64_t k, int threads, host::SpmmPath path,
                 std::int64_t calls)
      : a_(a), k_(k), threads_(threads), path_(path), calls_(calls) {
    const csr_blocks::InstructionSet set = csr_blocks::instruction_sets().front();
    for (std::int64_t column = 0; column < k_; column += set.tile_columns) {
      const int columns = static_cast<int>(std::min<std::int64_t>(set.tile_columns, k_ - column));
      tiles_.push_back({column, columns, k_ == 1 ? set.one_column : set.tile(columns, k_)});
    }
    stream_ = (k_ % 8 == 0 || k_ == 4 || k_ == 3 || k_ == 1) &&
              a_.rows * k_ * std::int64_t{sizeof(double)} > BlockedPolicy::stream_bytes;
  }

  /// Copies the entries of A into bundles, or parts its rows alone; before any product, and again
  /// where A has changed.
  void analyse() {
    const csr_blocks::RowBundles::Limits limits = window_limits();
    bundles_ = {};
    parts_ = {};
    makes_bundles_ =
        path_ == host::SpmmPath::automatic ? bundles_pay(limits) : path_ != host::SpmmPath::csr;
    if (makes_bundles_) {
      bundles_ = csr_blocks::RowBundles(a_, limits, threads_);
      cut_rows(bundles_.long_rows(), limits.entries);
    } else {
      parts_ = RowParts<Offset>(a_, limits.entries, limits.prefetch, threads_);
      cut_rows(parts_.long_rows(), limits.entries);
    }
    order_tasks();
    sums_.resize(pieces_.size() * static_cast<std::size_t>(k_));
  }

  void multiply(const double* x, double* y) {
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    const std::int64_t tasks = pieces + windows();
    const std::int64_t together =
        std::max<std::int64_t>(1, tasks / (BlockedPolicy::shares * threads_));
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_) if (tasks > 1)
    for (std::int64_t place = 0; place < tasks; ++place) {
      const std::int64_t task = order_.empty() ? place : order_[place];
      if (task < pieces) {
        multiply_piece(task, x);
      } else {
        makes_bundles_ ? multiply_window(task - pieces, x, y) : multiply_part(task - pieces, x, y);
      }
    }
    add_pieces(y);
  }

  /// From now on entry p of A, whose values lie at `values` again, has the value value_of(p). Where
  /// no row is long, `values` and the columns of A are not read any more.
  template <class ValueOf>
  void set_values(const double* values, ValueOf value_of) {
    bundles_.set_values(a_.row_ptr, value_of, threads_);
    a_.values = values;
  }
  /// Whether products read columns and values of A: of long rows, or of all without bundles.
  bool reads_entries() const {
    return !makes_bundles_ || !pieces_.empty();
  }

  std::int64_t workspace_bytes() const {
    return bundles_.bytes() + parts_.bytes() + bytes(sums_) +
           static_cast<std::int64_t>(pieces_.size() * sizeof(Piece) +
                                     order_.size() * sizeof(std::int64_t));
  }

 private:
  struct Tile {
    std::int64_t column;
    int columns;
    csr_blocks::Kernels kernels;
  };
  /// Entries of a long row.
  struct Piece {
    index_t row;
    Offset begin, end;
  };

  template <class T>
  static std::int64_t bytes(const Buffer<T>& array) {
    return static_cast<std::int64_t>(array.size() * sizeof(T));
  }

  std::int64_t x_bytes() const {
    return a_.cols * k_ * std::int64_t{sizeof(double)};
  }

  csr_blocks::RowBundles::Limits window_limits() const {
    using csr_blocks::Layout;
    using csr_blocks::Prefetch;
    const bool slices = tiles_.size() == 1 && path_ != host::SpmmPath::rows;
    return {.one_column = k_ == 1,
            .lanes = slices ? tiles_.front().kernels.lanes : csr_blocks::SliceLanes{1, 1, 1},
            .window_rows = k_ == 1 ? BlockedPolicy::one_column_rows : BlockedPolicy::most_rows,
            .entries = BlockedPolicy::window_entries(k_, a_.nnz),
            .prefetch = k_ == 1 || x_bytes() <= BlockedPolicy::prefetch_bytes ? Prefetch::none
                        : k_ < 8 ? Prefetch::scattered_rows
                                 : Prefetch::new_rows,
            .aligned_rows = k_ == 1   ? 8
                            : k_ == 3 ? 4
                                      : 1,
            .last = path_ == host::SpmmPath::lanes     ? Layout::lanes
                    : path_ == host::SpmmPath::shifted ? Layout::shifted
                                                       : Layout::band};
  }

  /// Whether a copy of A by bundles pays; the same on every processor.
  bool bundles_pay(const csr_blocks::RowBundles::Limits& limits) const {
    if (calls_ != 0 && calls_ < BlockedPolicy::paying_calls(k_)) {
      return false;
    }
    if (k_ > 1 && k_ < BlockedPolicy::csr_columns) {
      return true;
    }
    const bool are_short = k_ == 1 ? a_.nnz < BlockedPolicy::one_column_short_rows * a_.rows
                                   : a_.nnz < BlockedPolicy::short_rows * a_.rows &&
                                         x_bytes() <= BlockedPolicy::prefetch_bytes;
    return are_short ||
           csr_blocks::RowBundles::shared_entries(a_, limits) >= BlockedPolicy::shared_entries;
  }

  std::int64_t windows() const {
    return makes_bundles_ ? bundles_.windows() : parts_.size();
  }
  index_t first_row(std::int64_t w) const {
    return makes_bundles_ ? bundles_.first_row(w) : parts_.first_row(w);
  }

  /// Into pieces that meet so few rows of X that windows near them find these in the L2 cache.
  void cut_rows(const std::vector<index_t>& long_rows, std::int64_t most_entries) {
    pieces_.clear();
    for (const index_t row : long_rows) {
      const std::int64_t x_bytes_each = x_bytes() / (a_.row_ptr[row + 1] - a_.row_ptr[row]);
      const std::int64_t entries =
          std::clamp(BlockedPolicy::piece_x_bytes / std::max<std::int64_t>(1, x_bytes_each),
                     BlockedPolicy::least_piece, most_entries);
      for (Offset begin = a_.row_ptr[row]; begin < a_.row_ptr[row + 1];) {
        const auto end =
            static_cast<Offset>(std::min<std::int64_t>(a_.row_ptr[row + 1], begin + entries));
        pieces_.push_back({row, begin, end});
        begin = end;
      }
    }
  }

  /// Each piece behind the windows about the diagonal at its last column.
  void order_tasks() {
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    order_.clear();
    if (pieces == 0) {
      return;
    }
    const double slope = static_cast<double>(a_.rows) / static_cast<double>(a_.cols);
    const auto row_of = [&](std::int64_t task) {
      return task < pieces ? static_cast<double>(a_.col_idx[pieces_[task].end - 1]) * slope
                           : first_row(task - pieces);
    };
    order_.resize(pieces + windows());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](std::int64_t task, std::int64_t other) {
      return row_of(task) < row_of(other);
    });
  }

  void multiply_part(std::int64_t part, const double* x, double* y) const {
    parts_.for_each_stretch(part, [&](index_t first, index_t last) {
      for (const Tile& tile : tiles_) {
        const csr_blocks::Operands operands{x + tile.column, y + first * k_ + tile.column, k_,
                                            tile.columns, stream_};
        if constexpr (sizeof(Offset) == sizeof(std::int32_t)) {
          tile.kernels.csr(a_.values, a_.col_idx, a_.row_ptr + first, last - first, operands,
                           parts_.fetch(part));
        } else {
          tile.kernels.wide_csr(a_.values, a_.col_idx, a_.row_ptr + first, last - first, operands,
                                parts_.fetch(part));
        }
      }
    });
  }

  void multiply_window(std::int64_t w, const double* x, double* y) const {
    const csr_blocks::Window window = bundles_.window(w);
    double* const first = y + bundles_.first_row(w) * k_;
    for (const Tile& tile : tiles_) {
      tile.kernels.window(window,
                          {x + tile.column, first + tile.column, k_, tile.columns, stream_});
    }
  }

  void multiply_piece(std::int64_t piece, const double* x) {
    const auto [row, begin, end] = pieces_[piece];
    for (const Tile& tile : tiles_) {
      tile.kernels.segment(a_.values + begin, a_.col_idx + begin, end - begin,
                           {x + tile.column, nullptr, k_, tile.columns, false},
                           sums_.data() + piece * k_ + tile.column);
    }
  }

  void add_pieces(double* y) const {
    constexpr std::int64_t block = 8, least_parallel = 1 << 16;
#pragma omp parallel for num_threads(threads_) if (std::ssize(sums_) >= least_parallel)
    for (std::int64_t column = 0; column < k_; column += block) {
      const std::int64_t columns = std::min(block, k_ - column);
      index_t row = -1;
      for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
        const double* const sum = sums_.data() + static_cast<std::int64_t>(piece) * k_ + column;
        double* const to = y + pieces_[piece].row * k_ + column;
        for (std::int64_t j = 0; j < columns; ++j) {
          to[j] = pieces_[piece].row == row ? to[j] + sum[j] : sum[j];
        }
        row = pieces_[piece].row;
      }
    }
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  int threads_;
  host::SpmmPath path_;
  std::int64_t calls_;
  bool makes_bundles_{};
  std::vector<Tile> tiles_;
  csr_blocks::RowBundles bundles_;
  RowParts<Offset> parts_;  // without bundles
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> order_;  // of pieces, then of windows; or empty
  Buffer<double> sums_;              // [pieces * k]
  bool stream_{};
};

}  // namespace sparserepro
