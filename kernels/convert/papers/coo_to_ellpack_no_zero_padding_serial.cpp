// COO to ELLPACK without padding, one thread: count the entries of each row, compute the prefix
// sum, place the entries. O(nnz + M) work. The SpMM seed has no serial version of this format. This
// one follows its serial CSR conversion and is the baseline of the parallel ones.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"

namespace sparserepro {
namespace {

class EllpackNoPaddingSerial final : public HostConvertRun<EllpackNoPadding> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    const index_t rows = coo_.rows;
    const std::int64_t nnz = coo_.nnz();
    std::fill(out_.row_length.begin(), out_.row_length.end(), index_t{0});
    for (std::int64_t e = 0; e < nnz; ++e) {
      ++out_.row_length[coo_.row_idx[e]];
    }
    std::int64_t offset = 0;
    for (index_t i = 0; i < rows; ++i) {
      out_.row_offset[i] = offset;
      offset += out_.row_length[i];
    }
    for (std::int64_t e = 0; e < nnz; ++e) {
      const std::int64_t q = out_.row_offset[coo_.row_idx[e]]++;
      out_.col_idx[q] = coo_.col_idx[e];
      out_.values[q] = value_of(coo_, e);
    }
    for (index_t i = 0; i < rows; ++i) {
      out_.row_offset[i] -= out_.row_length[i];
    }
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_serial() {
  return {.name = "coo_to_ellpack_no_zero_padding_serial",
          .summary = "unpadded; count, prefix sum, one pass over the entries",
          .source = "this project; after the SpMM seed's coo_to_CSR_serial",
          .backend = Backend::serial,
          .prepare = make_run<EllpackNoPaddingSerial, ConvertProblem>};
}

}  // namespace sparserepro
