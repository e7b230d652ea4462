// CSR by bundles of rows of equal length (row_bundles.hpp), the sums of a tile of columns in
// registers:
//
//   y_i[j..j+63] = sum over p of a_p x_col(p)[j..j+63],   p = row_ptr[i], ..., row_ptr[i+1] - 1
//
// Some rows of a bundle go through one loop side by side; up to three rows with the same columns,
// as those of one node of a finite element mesh, share the loads of X, and so do the rows of a
// band. Where rows of X are met again but far apart, strips of rows are multiplied block of columns
// by block of columns, so that both X and Y stay in the L2 cache. At K = 1 the lanes of a vector
// run over eight rows. The bundles are a copy of A, of about its size or less, made by
// `preprocess`. Threads take windows of rows of about equal work; a row longer than that is cut
// into pieces, whose sums are added in their order, so that the answer is the same bits for any
// number of threads. The instruction set is chosen at run time. A large Y of whole cache lines is
// written past the caches.
//
// Source: this project; register tiles over K as in JITSPMM (CGO'24).
#include <algorithm>
#include <cstdint>
#include <vector>

#include "spmm/algorithms.hpp"
#include "spmm/csr_blocks.hpp"
#include "spmm/host_run.hpp"

namespace sparserepro {
namespace {

/// Measured with AVX-512 beside oneMKL 2025.3, the fastest library in almost every cell, on seven
/// classes of matrices (uniform, FEM with 3 unknowns a node, 5-point stencil, band of 27, R-MAT,
/// circuit, 3 entries a row) at K = 1, 3, 4, 8, 16, 32 and 64. The speed over oneMKL's in geometric
/// mean, by K and over all, and the least and the greatest:
///   2 threads     1.26 1.53 1.43 1.33 1.25 1.17 1.17   1.30   0.90 (uniform, 64), 1.91 (FEM, 3)
/// by processor time, on a loaded machine, R-MAT at K = 64 left out; and of the design before,
/// without strips and the prefetch of entries, as the best of the samples of each:
///   16 threads    1.22 1.63 1.42 1.61 1.26 1.31 1.34   1.39   0.92 (stencil, 16), 2.84 (band, 8)
///   2 threads     1.14 1.25 1.12 1.22 1.16 1.17 1.25   1.19   0.85 (uniform, 3), 1.95 (FEM, 3)
///   rows in place 0.73 0.96 0.79 1.05 1.03 1.11 1.14   0.96   with 2 threads in the same runs
/// The last line is the first design: rows of equal columns found on the way, nothing prepared.
/// With 16 threads strips and the prefetch of entries run at 1.13 of the speed of the design before
/// them at K = 1, 1.16 at 4, 1.10 at 8, 1.09 at 16 and 1.01 at 64.
///
/// What is left, with 2 threads: let the floor be the time to read A, with 2 bytes for a column or
/// none in FEM, stencil and band, and X once, and to write Y, at 33 GB/s; on uniform, R-MAT and 3
/// entries a row, if that is longer, to load the rows of X alone in the order of A. oneMKL takes
/// 1.63 times the floor in geometric mean of 47 cells, so that 1.5 times its speed is a tenth off
/// the floor in every cell. This design takes 0.6 to 1.1 times the floor on uniform and R-MAT,
/// where strips spare loads of X; 1.1 to 1.4 on band, 1.0 to 1.4 on 3 entries a row, 1.0 to 1.5 on
/// the stencil, 1.3 to 2 on the circuit, and on FEM 1.1 to 1.7 up to K = 16, 1.8 at 32 and 2.7 at
/// 64: FEM and circuit have the most to gain.
///
/// Other designs, in the ratio to oneMKL that they reached where the design before has the second
/// figure:
///   rows by length, stored row by row       band 0.98, 1.80 (K = 3); FEM 0.93, 1.28 (K = 4)
///   shifted slices that load X by rows      band 1.36, 1.80 (K = 3); 1.12, 1.37 (K = 64)
///   slices of 8, padded, at K = 1           stencil 0.80, 1.05; FEM 1.19, 1.56
///   tiles of 8 or 16 columns in turn        K = 64: 0.25 to 0.96, 0.86 to 1.40 untiled
///   Y through a buffer in the L1 cache      uniform (K = 4) 0.84 to 0.88, 0.79 to 0.89
///   X prefetched at K = 1                   0.92 to 1.07, 0.97 to 1.18
/// Rows of 512 bytes of X prefetched into the L2 cache and not the L1 cache, with 2 threads: 1.05
/// to 1.16 (uniform, R-MAT, 3 entries a row), 0.98 (FEM, circuit).
struct Policy {
  /// Entries times (K + 16) of a window or a piece of a row: some ten microseconds.
  static constexpr std::int64_t window_work = 1 << 18;
  /// Four times as many: within noise.
  static constexpr index_t most_rows = 512;
  /// K = 1: rows enough that most of equal length find seven others; 512: 0.86 to 1 (R-MAT, FEM).
  static constexpr index_t one_column_rows = 4096;
  static constexpr std::int64_t one_column_entries = 1 << 15;
  /// A thread takes windows that follow each other about so many times; one window at a time:
  /// 0.82 to 0.95 on the stencil.
  static constexpr std::int64_t shares = 16;
  /// Beyond it Y leaves the caches before it is read again: 1.01 to 1.65 at K = 8 to 64, 1.15
  /// to 1.23 on the stencil at K = 4, where rows that follow each other make whole lines (16
  /// threads: 1.09).
  static constexpr std::int64_t stream_bytes = 4 << 20;
  /// An L2 cache: beyond it rows of X are prefetched where they are new; K = 16: 1.02 to 1.24.
  static constexpr std::int64_t prefetch_bytes = 2 << 20;
  /// From so many columns on in all windows: FEM 1.07 (K = 32), 1.13 (64), others within noise.
  static constexpr std::int64_t prefetch_columns = 32;

  /// Strips may be parted up to K = 4, for the same answer with any number of threads. The speed
  /// over that without, on uniform and R-MAT:
  ///   K             1           3           4           8           16
  ///   2 threads     1.45 1.38   1.55 1.63   1.60 1.74   1.28 1.47   1.02 1.40
  ///   16 threads    1.17 1.04   1.13 1.32   1.19 1.08   0.90 1.02   0.78 0.85
  /// At K = 32 with 2 threads 0.95 and 1.13; uniform at K = 64 0.8.
  static constexpr std::int64_t most_parted_columns = 4;
  /// Bytes of Y that a strip keeps in the L2 cache beside a block of X; half as many again: 0.84 to
  /// 0.9; 1 MiB at K = 1: 0.92 to 0.95.
  static constexpr std::int64_t strip_bytes(std::int64_t k) { return k == 1 ? 512 << 10 : 1 << 20; }
  /// Bytes of X in a block. At K = 4 256 KiB: 0.95 (uniform), 1.03 (R-MAT).
  static constexpr std::int64_t block_bytes(std::int64_t k) {
    return k == 1 ? 256 << 10 : 128 << 10;
  }
  /// Loads of X spared for each entry from which on it pays: 3 entries a row spare 0.08 at K = 3
  /// and 4, where the speed is 0.9 to 1.
  static constexpr double least_spared(std::int64_t k) { return k == 1 ? 0.3 : 0.1; }
  /// At K = 1, where sums are scattered, entries a row from which on it pays; with 3: 0.83 to 0.93.
  static constexpr std::int64_t parted_row = 8;
};

template <class Offset>
class OmpCsrBlocked final : public HostSpmmRun {
 public:
  OmpCsrBlocked(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : HostSpmmRun(problem, params), a_(a.view()), k_(x_.cols) {
    const csr_blocks::InstructionSet set = csr_blocks::instruction_sets().front();
    for (std::int64_t column = 0; column < k_; column += set.tile_columns) {
      const int columns = static_cast<int>(std::min<std::int64_t>(set.tile_columns, k_ - column));
      tiles_.push_back({column, columns, k_ == 1 ? set.one_column : set.tile(columns, k_)});
    }
    stream_ = (k_ % 8 == 0 || k_ == 4) && bytes(y_.data) > Policy::stream_bytes;
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    const csr_blocks::RowBundles::Limits limits = window_limits();
    bundles_ = {};
    bundles_ = csr_blocks::RowBundles(a_, limits, threads_);
    pieces_.clear();
    for (const index_t row : bundles_.long_rows()) {
      for (Offset begin = a_.row_ptr[row]; begin < a_.row_ptr[row + 1];) {
        const Offset end = static_cast<Offset>(
            std::min<std::int64_t>(a_.row_ptr[row + 1], begin + limits.entries));
        pieces_.push_back({row, begin, end});
        begin = end;
      }
    }
    sums_.resize(pieces_.size() * static_cast<std::size_t>(k_));
  }

  void execute() override {
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    const std::int64_t tasks = pieces + bundles_.tasks();
    const std::int64_t together = std::max<std::int64_t>(1, tasks / (Policy::shares * threads_));
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_) if (tasks > 1)
    for (std::int64_t task = 0; task < tasks; ++task) {
      if (task < pieces) {
        multiply_piece(task);
      } else {
        multiply_rows(task - pieces);
      }
    }
    add_pieces();
  }

  std::int64_t workspace_bytes() const override {
    return bundles_.bytes() + bytes(sums_) +
           static_cast<std::int64_t>(pieces_.size() * sizeof(Piece));
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

  csr_blocks::RowBundles::Limits window_limits() const {
    if (k_ == 1) {
      return {.one_column = true,
              .lanes = tiles_.front().kernels.lanes,
              .window_rows = Policy::one_column_rows,
              .entries = Policy::one_column_entries,
              .prefetch = csr_blocks::Prefetch::none,
              .blocks = blocks()};
    }
    using csr_blocks::Prefetch;
    return {.one_column = false,
            .lanes =
                tiles_.size() == 1 ? tiles_.front().kernels.lanes : csr_blocks::SliceLanes{1, 1, 1},
            .window_rows = Policy::most_rows,
            .entries = 1 + Policy::window_work / (k_ + 16),
            .prefetch = bytes(x_.data) <= Policy::prefetch_bytes ? Prefetch::none
                        : k_ <= 8                                ? Prefetch::scattered_rows
                        : k_ < Policy::prefetch_columns          ? Prefetch::new_rows
                                                                 : Prefetch::all,
            .blocks = blocks()};
  }

  csr_blocks::RowBundles::Blocks blocks() const {
    if (k_ > Policy::most_parted_columns || bytes(x_.data) <= Policy::prefetch_bytes ||
        (k_ == 1 && a_.nnz < Policy::parted_row * a_.rows)) {
      return {};
    }
    const std::int64_t row_bytes = k_ * static_cast<std::int64_t>(sizeof(double));
    return {.columns = static_cast<index_t>(Policy::block_bytes(k_) / row_bytes),
            .strip_rows = static_cast<index_t>(Policy::strip_bytes(k_) / row_bytes),
            .x_row_bytes = row_bytes,
            .least_spared = Policy::least_spared(k_)};
  }

  /// Blocks of a strip of rows are added one after the other to sums that stay in the caches.
  void multiply_rows(std::int64_t task) {
    const std::int64_t end = bundles_.first_window(task + 1);
    const bool stream = stream_ && end - bundles_.first_window(task) == 1;
    for (std::int64_t w = bundles_.first_window(task); w < end; ++w) {
      const csr_blocks::Window window = bundles_.window(w);
      double* const y = y_.data.data() + bundles_.first_row(w) * k_;
      for (const Tile& tile : tiles_) {
        tile.kernels.window(
            window, {x_.data.data() + tile.column, y + tile.column, k_, tile.columns, stream});
      }
    }
  }

  void multiply_piece(std::int64_t piece) {
    const auto [row, begin, end] = pieces_[piece];
    for (const Tile& tile : tiles_) {
      tile.kernels.segment(a_.values + begin, a_.col_idx + begin, end - begin,
                           {x_.data.data() + tile.column, nullptr, k_, tile.columns, false},
                           sums_.data() + piece * k_ + tile.column);
    }
  }

  void add_pieces() {
    index_t row = -1;
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      const double* const sum = sums_.data() + static_cast<std::int64_t>(piece) * k_;
      double* const y = y_.data.data() + pieces_[piece].row * k_;
      for (std::int64_t j = 0; j < k_; ++j) {
        y[j] = pieces_[piece].row == row ? y[j] + sum[j] : sum[j];
      }
      row = pieces_[piece].row;
    }
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  std::vector<Tile> tiles_;
  csr_blocks::RowBundles bundles_;
  std::vector<Piece> pieces_;
  Buffer<double> sums_;  // [pieces * k]
  bool stream_{};
};

}  // namespace

Algorithm<SpmmProblem> spmm_omp_csr_blocked() {
  return {.name = "omp_csr_blocked",
          .summary = "CSR, rows of equal length bundled, a tile of columns in registers",
          .source = "this project",
          .backend = Backend::omp,
          .prepare = prepare_csr_spmm<OmpCsrBlocked>};
}

}  // namespace sparserepro
