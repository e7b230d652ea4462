// Product in fp32, fp16 or bf16 as a class. Threads take windows of rows with about as many entries
// each; rows that are longer than a window are cut into pieces, whose sums are added in their
// order. Windows and pieces depend on A and K alone, so that the answer is the same bits for any
// number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/buffer.hpp"
#include "spmm/omp_csr_blocked/narrow/kernels.hpp"
#include "spmm/omp_csr_blocked/policy.hpp"

namespace sparserepro::csr_narrow {

/// Y = alpha A X + beta Y for X of `k` columns, both with rows k apart. The arrays of `a` outlive
/// this.
template <class Offset, class Element>
class Product {
 public:
  Product(const CsrView<Offset, Element>& a, std::int64_t k, int threads)
      : a_(a), k_(k), threads_(threads) {
    const std::int64_t most = BlockedPolicy::window_entries(k, a.nnz);
    for (index_t row = 0; row < a.rows;) {
      const Offset begin = a.row_ptr[row], end = a.row_ptr[row + 1];
      const index_t first = row++;
      if (end - begin > most) {
        const std::size_t piece = pieces_.size();
        for (Offset at = begin; at < end;) {
          const auto next = static_cast<Offset>(std::min<std::int64_t>(at + most, end));
          pieces_.push_back({at, next});
          at = next;
        }
        long_rows_.push_back({first, piece, pieces_.size()});
        continue;
      }
      while (row < a.rows && row - first < BlockedPolicy::one_column_rows &&
             a.row_ptr[row + 1] - begin <= most) {
        ++row;
      }
      windows_.push_back({first, row});
    }
    sums_.resize(pieces_.size() * static_cast<std::size_t>(k));
  }

  void set_values(const Element* values) { a_.values = values; }

  void multiply(float alpha, const Element* x, float beta, Element* y) {
    if (k_ == 0) {
      return;
    }
    const Operands<Offset, Element> o{a_, x, y, k_, alpha, beta};
    const auto pieces = static_cast<std::int64_t>(pieces_.size());
    const auto tasks = pieces + static_cast<std::int64_t>(windows_.size());
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (tasks > 1)
    for (std::int64_t task = 0; task < tasks; ++task) {
      if (task < pieces) {
        kernels_.piece(o, pieces_[task].begin, pieces_[task].end, sums_.data() + task * k_);
      } else {
        kernels_.rows(o, windows_[task - pieces].first, windows_[task - pieces].last);
      }
    }
    for (const LongRow& row : long_rows_) {
      add_pieces(row, o);
    }
  }

  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(
        windows_.size() * sizeof(Window) + pieces_.size() * sizeof(Piece) +
        long_rows_.size() * sizeof(LongRow) + sums_.size() * sizeof(float));
  }

 private:
  struct Window {
    index_t first, last;
  };
  struct Piece {
    Offset begin, end;
  };
  struct LongRow {
    index_t row;
    std::size_t first, last;  ///< pieces
  };

  void add_pieces(const LongRow& row, const Operands<Offset, Element>& o) const {
    Element* const y = o.y + row.row * k_;
    for (std::int64_t j = 0; j < k_; ++j) {
      float sum = 0;
      for (std::size_t piece = row.first; piece < row.last; ++piece) {
        sum += sums_[piece * static_cast<std::size_t>(k_) + static_cast<std::size_t>(j)];
      }
      const float out = o.alpha * sum;
      y[j] = from_float<Element>(o.beta == 0.0f ? out : out + o.beta * to_float(y[j]));
    }
  }

  CsrView<Offset, Element> a_;
  std::int64_t k_;
  int threads_;
  Kernels<Offset, Element> kernels_ = kernels<Offset, Element>();
  std::vector<Window> windows_;
  std::vector<Piece> pieces_;
  std::vector<LongRow> long_rows_;
  Buffer<float> sums_;  // [pieces * k]
};

}  // namespace sparserepro::csr_narrow
