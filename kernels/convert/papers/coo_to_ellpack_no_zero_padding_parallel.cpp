// COO to ELLPACK without padding, threads over rows: atomic additions count the rows, then each row
// searches all entries for its own. O(M nnz) work.
// Source: SpMM seed, section 4.1, coo_to_ellpack_no_zero_padding_parallel. Corrected, as in
// coo_to_csr_parallel: the chunk of rows is computed from the rows, not from nnz.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_count.hpp"
#include "convert/papers/row_scan.hpp"
#include "convert/policy.hpp"

namespace sparserepro {
namespace {

class EllpackNoPaddingParallel final : public HostConvertRun<EllpackNoPadding> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    const index_t rows = coo_.rows;
    count_rows_atomic(coo_, threads_, out_.row_length.data());
    std::int64_t offset = 0;
    for (index_t i = 0; i < rows; ++i) {
      out_.row_offset[i] = offset;
      offset += out_.row_length[i];
    }
    const std::int64_t chunk = static_chunk(rows, threads_);
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (index_t i = 0; i < rows; ++i) {
      if (out_.row_length[i] != 0) {
        const std::int64_t begin = out_.row_offset[i];
        gather_row(coo_, i, out_.col_idx.data() + begin, out_.values.data() + begin);
      }
    }
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_parallel() {
  return {.name = "coo_to_ellpack_no_zero_padding_parallel",
          .summary = "unpadded; threads over rows, each row scans all entries",
          .source = "SpMM seed 4.1, coo_to_ellpack_no_zero_padding_parallel",
          .backend = Backend::omp,
          .refusal = quadratic_refusal,
          .prepare = make_run<EllpackNoPaddingParallel, ConvertProblem>};
}

}  // namespace sparserepro
