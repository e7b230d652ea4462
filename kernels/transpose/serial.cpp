// Serial transposition: histogram of the columns, exclusive scan, stable scatter row by row.
// Source: section III-A of the transposition seed; Gustavson, "Two fast algorithms for sparse
// matrices: multiplication and permuted transposition", ACM TOMS 4(3), 1978.
#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class SerialTranspose final : public HostTransposeRun<Offset, Value> {
 public:
  SerialTranspose(const Csr<Offset, Value>& a, const Params&)
      : HostTransposeRun<Offset, Value>(a), next_(static_cast<std::size_t>(a.cols) + 1) {}

  void execute() override {
    const CsrView<Offset, Value> a = this->a_.view();
    std::fill(next_.begin(), next_.end(), Offset{0});
    for (Offset p = 0; p < a.nnz; ++p) {
      ++next_[static_cast<std::size_t>(a.col_idx[p]) + 1];
    }
    Offset* const col_ptr = this->out_.row_ptr.data();
    Offset sum = 0;
    for (index_t j = 0; j <= a.cols; ++j) {
      sum += next_[j];
      col_ptr[j] = next_[j] = sum;
    }
    index_t* const out_idx = this->out_.col_idx.data();
    Value* const out_values = this->out_.values.data();
    for (index_t i = 0; i < a.rows; ++i) {
      for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        const Offset q = next_[a.col_idx[p]]++;
        out_idx[q] = i;
        if constexpr (has_values<Value>) {
          out_values[q] = a.values[p];
        }
      }
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(next_.size() * sizeof(Offset));
  }

 private:
  Buffer<Offset> next_;  // [cols+1] position of the next entry of each column
};

}  // namespace

Algorithm<TransposeProblem> transpose_serial() {
  return {.name = "serial",
          .summary = "counting sort over columns",
          .source = "transposition seed III-A; Gustavson 1978",
          .backend = Backend::serial,
          .prepare = prepare_host_transpose<SerialTranspose>};
}

}  // namespace sparserepro
