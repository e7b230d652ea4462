// COO to CSR, one thread: count the entries of each row, compute the prefix sum, place the entries
// while the row pointers advance, shift the row pointers back by one row. O(nnz + M) work.
// Source: coo_to_CSR_serial of the SpMM seed's code. Corrected: its row pointers lack the last
// element, and its earlier versions write -1 for an empty first row.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"

namespace sparserepro {
namespace {

class CsrSerial final : public HostConvertRun<ConvertedCsr> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    std::int64_t* const row_ptr = out_.row_ptr.data();
    const index_t rows = coo_.rows;
    const std::int64_t nnz = coo_.nnz();
    std::fill_n(row_ptr, static_cast<std::size_t>(rows) + 1, std::int64_t{0});
    for (std::int64_t e = 0; e < nnz; ++e) {
      ++row_ptr[static_cast<std::size_t>(coo_.row_idx[e]) + 1];
    }
    for (index_t i = 0; i < rows; ++i) {
      row_ptr[i + 1] += row_ptr[i];
    }
    for (std::int64_t e = 0; e < nnz; ++e) {
      const std::int64_t q = row_ptr[coo_.row_idx[e]]++;
      out_.col_idx[q] = coo_.col_idx[e];
      out_.values[q] = value_of(coo_, e);
    }
    std::copy_backward(row_ptr, row_ptr + rows, row_ptr + rows + 1);
    row_ptr[0] = 0;
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_csr_serial() {
  return {.name = "coo_to_csr_serial",
          .summary = "count, prefix sum, one pass over the entries",
          .source = "SpMM seed, code of coo_to_CSR_serial",
          .backend = Backend::serial,
          .prepare = make_run<CsrSerial, ConvertProblem>};
}

}  // namespace sparserepro
