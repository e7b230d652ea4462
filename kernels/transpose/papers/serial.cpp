// Serial transposition: histogram of the columns, exclusive scan, stable scatter row by row.
// O(nnz + cols) work, no workspace: the column pointers advance as entries are placed, as in
// Gustavson; the seed advances a second array of counters. Source: section III-A of the
// transposition seed; Gustavson, "Two fast algorithms for sparse matrices: multiplication and
// permuted transposition", ACM TOMS 4(3), 1978.
#include "transpose/algorithms.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/host_run.hpp"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class SerialTranspose final : public HostTransposeRun<Offset, Value> {
 public:
  SerialTranspose(const Csr<Offset, Value>& a, const Params&)
      : HostTransposeRun<Offset, Value>(a) {}

  void execute() override {
    transpose_slice(
        this->a_.view(), Offset{0}, this->a_.nnz(),
        {this->out_.row_ptr.data(), this->out_.col_idx.data(), this->out_.values.data()});
  }

  std::int64_t workspace_bytes() const override { return 0; }
};

}  // namespace

Algorithm<TransposeProblem> transpose_serial() {
  return {.name = "serial",
          .summary = "counting sort over columns",
          .source = "transposition seed III-A; Gustavson 1978",
          .backend = Backend::serial,
          .prepare = prepare_transpose<SerialTranspose>};
}

}  // namespace sparserepro
