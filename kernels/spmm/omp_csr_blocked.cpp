// CSR by rows, the sums of a tile of columns in registers:
//
//   y_i[j..j+63] = sum over p of a_p x_col(p)[j..j+63],   p = row_ptr[i], ..., row_ptr[i+1] - 1
//
// K = 1 runs its lanes over the entries instead, or over eight short rows at a time. Rows with the
// same columns as the one before, as those of one node of a finite element mesh, share the loads of
// X, three at a time; they are found on the way, so that nothing is prepared. Threads take chunks
// of equal work (entry_chunks.hpp); what a chunk adds to a row that began before it is kept apart
// and added afterwards in the order of the chunks, so that the answer is the same bits for any
// number of threads. The instruction set is chosen at run time. A large Y is written past the
// caches.
//
// Source: this project; register tiles over K as in JITSPMM (CGO'24).
#include <algorithm>
#include <vector>

#include "spmm/algorithms.hpp"
#include "spmm/csr_blocks.hpp"
#include "spmm/entry_chunks.hpp"
#include "spmm/host_run.hpp"

namespace sparserepro {
namespace {

/// Measured with 16 threads on as many cores with AVX-512, K = 1, 4, 8 and 64, seven classes of
/// matrices, side by side: 1.55 times the speed of the better of Eigen 3.4 and oneMKL 2025.3 in
/// geometric mean, from 0.90 (band, K = 1) to 2.65 (FEM, K = 8); by K: 1.24, 1.58, 2.10, 1.41.
/// Short rows were taken in four partial sums then. The speed of other designs over that:
///   no rows grouped by their columns    FEM 0.83 (K = 4), 0.86 (K = 64); elsewhere within noise
///   tiles of 32 columns instead of 64   K = 64: 0.79 to 0.98, but for a noisy 5-point stencil
///   software prefetch of X              FEM 0.72 (K = 8), 0.91 (K = 64); uniform 1.06 (K = 64)
///   Y through a buffer in the L1 cache  K = 4: short rows 1.22, circuit 0.92; K = 8: 0.83 to 0.98
///   huge pages for A and X              none faster by more than noise
struct Policy {
  /// Entries times (K + 16): some ten microseconds; four times as much: 0.86 to 1.14.
  static constexpr std::int64_t chunk_work = 1 << 18;
  static constexpr std::int64_t max_chunks = 1 << 10;
  /// Beyond it Y leaves the caches before it is read again: 1.01 to 1.65 at K = 8.
  static constexpr std::int64_t stream_bytes = 4 << 20;

  static std::int64_t chunk_entries(std::int64_t k) { return 1 + chunk_work / (k + 16); }
};

template <class Offset>
class OmpCsrBlocked final : public HostSpmmRun {
 public:
  OmpCsrBlocked(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : HostSpmmRun(problem, params), a_(a.view()) {
    const csr_blocks::InstructionSet<Offset> set = csr_blocks::instruction_sets<Offset>().front();
    const std::int64_t k = x_.cols;
    for (std::int64_t column = 0; column < k; column += set.tile_columns) {
      const int columns = static_cast<int>(std::min<std::int64_t>(set.tile_columns, k - column));
      tiles_.push_back({column, columns, k == 1 ? set.one_column : set.tile(columns)});
    }
    chunks_ = EntryChunks<Offset>(a_, Policy::chunk_entries(k), Policy::max_chunks);
    carried_row_.resize(static_cast<std::size_t>(chunks_.count()));
    carried_.resize(static_cast<std::size_t>(chunks_.count() * k));
    stream_ = static_cast<std::int64_t>(y_.data.size() * sizeof(double)) > Policy::stream_bytes;
  }

  void execute() override {
    const std::int64_t count = chunks_.count();
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (count > 1)
    for (std::int64_t c = 0; c < count; ++c) {
      multiply_chunk(c);
    }
    const std::int64_t k = x_.cols;
    for (std::int64_t c = 0; c < count; ++c) {
      if (carried_row_[c] != none) {
        double* const y = y_.data.data() + carried_row_[c] * k;
        const double* const carried = carried_.data() + c * k;
        for (std::int64_t j = 0; j < k; ++j) {
          y[j] += carried[j];
        }
      }
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(carried_.size() * sizeof(double) +
                                     carried_row_.size() * sizeof(index_t));
  }

 private:
  static constexpr index_t none = -1;

  struct Tile {
    std::int64_t column;
    int columns;
    csr_blocks::Kernels<Offset> kernels;
  };

  /// The rest of a row that began before, whole rows, and the beginning of a row.
  void multiply_chunk(std::int64_t c) {
    const Cut begin = chunks_.begin(c);
    const Cut end = chunks_.begin(c + 1);
    const bool carries = begin.entry > 0;
    const index_t first = begin.row + (carries ? 1 : 0);
    carried_row_[c] = carries ? begin.row : none;
    for (const Tile& tile : tiles_) {
      const csr_blocks::Operands<Offset> operands{a_, x_.data.data() + tile.column,
                                                  y_.data.data() + tile.column, x_.cols, stream_};
      if (carries) {
        tile.kernels.segment(operands, place(begin), place(std::min(end, Cut{first, 0})),
                             tile.columns, carried_.data() + c * x_.cols + tile.column);
      }
      if (first < end.row) {
        tile.kernels.rows(operands, first, end.row, tile.columns);
      }
      if (end.entry > 0 && first <= end.row) {
        tile.kernels.segment(operands, a_.row_ptr[end.row], place(end), tile.columns,
                             operands.y + end.row * x_.cols);
      }
    }
  }

  /// Position in the arrays of entries.
  Offset place(const Cut& cut) const {
    return a_.row_ptr[cut.row] + static_cast<Offset>(cut.entry);
  }

  CsrView<Offset, double> a_;
  std::vector<Tile> tiles_;
  EntryChunks<Offset> chunks_;
  bool stream_{};
  Buffer<index_t> carried_row_;  // [chunks]
  Buffer<double> carried_;       // [chunks * k]
};

}  // namespace

Algorithm<SpmmProblem> spmm_omp_csr_blocked() {
  return {.name = "omp_csr_blocked",
          .summary = "CSR, a tile of columns in registers, chunks of equal work, wide vectors",
          .source = "this project",
          .backend = Backend::omp,
          .prepare = prepare_csr_spmm<OmpCsrBlocked>};
}

}  // namespace sparserepro
