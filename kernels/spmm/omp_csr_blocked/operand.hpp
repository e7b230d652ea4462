// op(A) in CSR with columns of 32 bits: A where it lies, or A^T in memory of this.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "formats/buffer.hpp"
#include "formats/convert.hpp"
#include "formats/csr.hpp"
#include "formats/huge_pages.hpp"
#include "formats/small_floats.hpp"
#include "sparserepro/arrays.hpp"
#include "sparserepro/transpose_plan.hpp"

namespace sparserepro {

/// Entries of A^T keep the order of the rows of A, so that op(A) is unique.
template <class Offset, class Element>
class Operand {
 public:
  /// The arrays of `a` outlive this.
  Operand(const CsrInput& a, Operation operation, int threads) : threads_(threads) {
    CsrInput narrow = a;
    if (a.col_idx.type == DataType::int64) {
      narrow_columns(a);
      narrow.col_idx = columns_.data();
    }
    if (operation == Operation::none) {
      view_ = {static_cast<index_t>(a.rows),
               static_cast<index_t>(a.cols),
               static_cast<Offset>(a.nnz),
               static_cast<const Offset*>(a.row_ptr.data),
               static_cast<const index_t*>(narrow.col_idx.data),
               static_cast<const Element*>(a.values.data)};
    } else {
      transpose(narrow);
    }
  }

  const CsrView<Offset, Element>& view() const { return view_; }
  bool is_transposed() const { return plan_ != nullptr; }

  /// `values` of A: view() has them from now on.
  void set_values(const ConstArray& values) {
    if (is_transposed()) {
      (*plan_)(values, {values_.data(), data_type_of<Element>()});
    } else {
      view_.values = static_cast<const Element*>(values.data);
    }
  }

  /// Calls visit(place) where place(p) is the entry of A that entry p of op(A) is.
  template <class Visit>
  void with_places(Visit visit) const {
    if (!is_transposed()) {
      visit([](std::int64_t p) { return p; });
    } else if (const ConstArray source = plan_->permutation(); source.type == DataType::int32) {
      visit([at = static_cast<const std::int32_t*>(source.data)](std::int64_t p) {
        return std::int64_t{at[p]};
      });
    } else {
      visit([at = static_cast<const std::int64_t*>(source.data)](std::int64_t p) { return at[p]; });
    }
  }

  /// Frees the columns and values of A^T, where a copy has them: view() has its row pointers left.
  void release_entries() {
    if (is_transposed()) {
      columns_ = Buffer<index_t>();
      values_ = Buffer<Element>();
      view_.col_idx = nullptr;
      view_.values = nullptr;
    }
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(row_ptr_.size() * sizeof(Offset) +
                                     columns_.size() * sizeof(index_t) +
                                     values_.size() * sizeof(Element)) +
           (plan_ ? plan_->workspace_bytes() : 0);
  }

 private:
  void narrow_columns(const CsrInput& a) {
    columns_.resize(static_cast<std::size_t>(a.nnz));
    convert(static_cast<const std::int64_t*>(a.col_idx.data), columns_.size(), columns_.data(),
            threads_);
  }

  void transpose(CsrInput a) {
    const auto nnz = static_cast<std::size_t>(a.nnz);
    row_ptr_.resize(static_cast<std::size_t>(a.cols) + 1);
    Buffer<index_t> rows;
    rows.reserve(nnz);
    advise_huge_pages(rows);
    rows.resize(nnz);
    const ConstArray values = a.values;
    a.values = {};
    plan_ = std::make_unique<host::TransposePlan>(
        a, CsrOutput{row_ptr_.data(), rows.data(), nullptr}, host::TransposeOptions{threads_},
        host::PlanPath::gather);
    columns_ = std::move(rows);
    values_.reserve(nnz);
    advise_huge_pages(values_);
    values_.resize(nnz);
    view_ = {static_cast<index_t>(a.cols),
             static_cast<index_t>(a.rows),
             static_cast<Offset>(a.nnz),
             row_ptr_.data(),
             columns_.data(),
             values_.data()};
    if (nnz > 0) {
      set_values(values);
    }
  }

  int threads_;
  Buffer<Offset> row_ptr_;   // [cols + 1] of A^T
  Buffer<index_t> columns_;  // [nnz] of A^T; of A where the caller's have 64 bits
  Buffer<Element> values_;   // [nnz] of A^T
  std::unique_ptr<host::TransposePlan> plan_;
  CsrView<Offset, Element> view_;
};

}  // namespace sparserepro
