// Base of all transpositions on the device: it uploads the matrix, owns the output, poisons it and
// copies it back to the host.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "cuda/cuda_run.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/public_views.hpp"
#include "transpose/prepare.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro {

/// A run on the device for one storage type. `execute` of the derived class writes A^T to
/// col_ptr(), row_idx() and values() from a().
template <class Offset, class Value>
class CudaTransposeRun : public CudaRun<TransposeProblem> {
 public:
  explicit CudaTransposeRun(const Csr<Offset, Value>& a)
      : rows_(a.rows),
        cols_(a.cols),
        row_ptr_(a.row_ptr, stream()),
        col_idx_(a.col_idx, stream()),
        values_(a.values, stream()),
        out_col_ptr_(static_cast<std::size_t>(a.cols) + 1, stream()),
        out_row_idx_(a.col_idx.size(), stream()),
        out_values_(a.values.size(), stream()) {}

  void poison() override {
    out_col_ptr_.fill_bytes(0xff, stream());
    out_row_idx_.fill_bytes(0xff, stream());
    poison_values();
  }
  void download() override {
    if (host_.rows != cols_ || host_.cols != rows_ || host_.col_idx.size() != out_row_idx_.size()) {
      host_ = Csr<Offset, Value>(cols_, rows_, static_cast<Offset>(out_row_idx_.size()));
    }
    out_col_ptr_.copy_to(host_.row_ptr.data(), stream());
    out_row_idx_.copy_to(host_.col_idx.data(), stream());
    out_values_.copy_to(host_.values.data(), stream());
    synchronize();
  }
  AnyCsr result() override { return host_; }

 protected:
  /// A in device memory.
  CsrView<Offset, Value> a() const {
    return {rows_,           cols_,           static_cast<Offset>(col_idx_.size()),
            row_ptr_.data(), col_idx_.data(), values_.data()};
  }
  void poison_values() { out_values_.fill_bytes(0xff, stream()); }
  /// A^T in device memory: col_ptr [cols + 1], row_idx and values [nnz].
  CsrOutput out() {
    CsrOutput out{out_col_ptr_.data(), out_row_idx_.data(), {}};
    if constexpr (has_values<Value>) {
      out.values = out_values_.data();
    }
    return out;
  }
  Offset* col_ptr() { return out_col_ptr_.data(); }
  index_t* row_idx() { return out_row_idx_.data(); }
  Value* values() { return out_values_.data(); }
  /// Sets the column pointers to 0: the answer if A has no entry.
  void write_empty() { out_col_ptr_.fill_bytes(0, stream()); }

 private:
  index_t rows_, cols_;
  DeviceBuffer<Offset> row_ptr_;
  DeviceBuffer<index_t> col_idx_;
  DeviceBuffer<Value> values_;
  DeviceBuffer<Offset> out_col_ptr_;
  DeviceBuffer<index_t> out_row_idx_;
  DeviceBuffer<Value> out_values_;
  Csr<Offset, Value> host_;
};

/// Bits of the numbers in [0, count): ceil(log2 count); 0 for count <= 1.
constexpr int bits_below(std::uint64_t count) {
  return count <= 1 ? 0 : static_cast<int>(std::bit_width(count - 1));
}

}  // namespace sparserepro
