// op(A) in CSR with columns of 32 bits on the device: A where it lies, or A^T in memory of the
// plan, where a plan of its transposition moves the values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/convert.cuh"
#include "cuda/device_memory.hpp"
#include "formats/csr.hpp"
#include "sparserepro/device/transpose_plan.hpp"

namespace sparserepro::balanced {

/// Entries of A^T keep the order of the rows of A, so that op(A) is unique.
template <class Offset, class Element>
class Operand {
 public:
  /// Throws InputError where the plan of a transposition refuses A.
  Operand(const CsrInput& a, Operation operation) : a_(a) {
    if (operation == Operation::transpose) {
      plan_ = std::make_unique<device::TransposePlan>(narrow(a));
    }
  }

  /// Takes what the operand needs of `memory`, which outlives this.
  void place(DeviceMemory& memory) {
    const auto nnz = static_cast<std::size_t>(a_.nnz);
    narrow_ = DeviceArray<index_t>(is_wide() ? nnz : 0, memory);
    if (plan_) {
      row_ptr_ = DeviceArray<Offset>(static_cast<std::size_t>(a_.cols) + 1, memory);
      columns_ = DeviceArray<index_t>(nnz, memory);
      values_ = DeviceArray<Element>(nnz, memory);
      moves_ = DeviceArray<char>(plan_->plan_bytes(), memory);
      scratch_ = DeviceArray<char>(std::max(plan_->analysis_bytes(), plan_->call_bytes()), memory);
    }
  }

  /// After `place`; complete after `analyse`.
  CsrView<Offset, Element> view() const {
    if (plan_) {
      return {static_cast<index_t>(a_.cols),
              static_cast<index_t>(a_.rows),
              static_cast<Offset>(a_.nnz),
              row_ptr_.data(),
              columns_.data(),
              values_.data()};
    }
    return {static_cast<index_t>(a_.rows),
            static_cast<index_t>(a_.cols),
            static_cast<Offset>(a_.nnz),
            static_cast<const Offset*>(a_.row_ptr.data),
            is_wide() ? narrow_.data() : static_cast<const index_t*>(a_.col_idx.data),
            static_cast<const Element*>(a_.values.data)};
  }

  /// Queues what makes op(A) of A.
  void analyse(cudaStream_t stream) {
    if (is_wide()) {
      convert_on_device(static_cast<const std::int64_t*>(a_.col_idx.data), narrow_.data(),
                        narrow_.size(), stream);
    }
    if (plan_) {
      plan_->analyse(narrow(a_), {row_ptr_.data(), columns_.data(), nullptr}, {}, moves_.data(),
                     moves_.size(), scratch_.data(), scratch_.size(), stream);
      set_values(a_.values, stream);
    }
  }

  /// Queues the move of the values of A to their places in A^T; those of A itself are read where
  /// they lie.
  void set_values(const ConstArray& values, cudaStream_t stream) {
    a_.values = values;
    if (plan_ && a_.nnz > 0) {
      (*plan_)(values, {values_.data(), values.type}, scratch_.data(), scratch_.size(), stream);
    }
  }

 private:
  bool is_wide() const { return a_.col_idx.type == DataType::int64; }
  /// `a` with columns of 32 bits; before `place` their type alone is right.
  CsrInput narrow(CsrInput a) const {
    a.col_idx.type = DataType::int32;
    a.col_idx.data = narrow_.data() != nullptr ? narrow_.data() : a.col_idx.data;
    return a;
  }

  CsrInput a_;
  std::unique_ptr<device::TransposePlan> plan_;  // of A^T alone
  DeviceArray<index_t> narrow_;                  // [nnz] of A where its columns have 64 bits
  DeviceArray<Offset> row_ptr_;                  // of A^T, as the two below
  DeviceArray<index_t> columns_;
  DeviceArray<Element> values_;
  DeviceArray<char> moves_, scratch_;
};

}  // namespace sparserepro::balanced
