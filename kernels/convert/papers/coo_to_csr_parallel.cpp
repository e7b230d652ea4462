// COO to CSR with threads over rows; each row searches all entries for its own. O(M nnz) work.
// Source: SpMM seed, section 3.1, coo_to_CSR_parallel. Corrected: the seed computes the chunk of
// rows from nnz, which leaves most threads idle for few rows; here it is computed from the rows. An
// empty row has a row pointer instead of -1.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_count.hpp"
#include "convert/papers/row_scan.hpp"
#include "convert/policy.hpp"

namespace sparserepro {
namespace {

class CsrParallel final : public HostConvertRun<ConvertedCsr> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    const index_t rows = coo_.rows;
    std::int64_t* const row_ptr = out_.row_ptr.data();
    row_ptr[0] = 0;
    count_rows_atomic(coo_, threads_, row_ptr + 1);
    for (index_t i = 0; i < rows; ++i) {
      row_ptr[i + 1] += row_ptr[i];
    }
    const std::int64_t chunk = static_chunk(rows, threads_);
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (index_t i = 0; i < rows; ++i) {
      gather_row(coo_, i, out_.col_idx.data() + row_ptr[i], out_.values.data() + row_ptr[i]);
    }
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_csr_parallel() {
  return {.name = "coo_to_csr_parallel",
          .summary = "threads over rows, each row scans all entries",
          .source = "SpMM seed 3.1, coo_to_CSR_parallel",
          .backend = Backend::omp,
          .refusal = quadratic_refusal,
          .prepare = make_run<CsrParallel, ConvertProblem>};
}

}  // namespace sparserepro
