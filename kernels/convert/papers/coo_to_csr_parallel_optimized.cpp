// COO to CSR with threads over entries; each entry takes the next free position of its row in one
// critical section that all rows share. O(nnz + M) work, serialised by the lock. The order within
// rows depends on the timing of the threads.
// Source: SpMM seed, section 3.1, coo_to_CSR_parallel_optimization. Here only the position is taken
// in the critical section; the entry is stored outside it.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_count.hpp"

namespace sparserepro {
namespace {

class CsrParallelOptimized final : public HostConvertRun<ConvertedCsr> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    const index_t rows = coo_.rows;
    const std::int64_t nnz = coo_.nnz();
    std::int64_t* const row_ptr = out_.row_ptr.data();
    row_ptr[0] = 0;
    count_rows_atomic(coo_, threads_, row_ptr + 1);
    for (index_t i = 0; i < rows; ++i) {
      row_ptr[i + 1] += row_ptr[i];
    }
    const std::int64_t chunk = static_chunk(nnz, threads_);
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (std::int64_t e = 0; e < nnz; ++e) {
      std::int64_t q = 0;
#pragma omp critical(coo_to_csr_position)
      q = row_ptr[coo_.row_idx[e]]++;
      out_.col_idx[q] = coo_.col_idx[e];
      out_.values[q] = value_of(coo_, e);
    }
    std::copy_backward(row_ptr, row_ptr + rows, row_ptr + rows + 1);
    row_ptr[0] = 0;
  }
  Converted result() override {
    return {out_, EntryOrder::any};
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_csr_parallel_optimized() {
  return {.name = "coo_to_csr_parallel_optimized",
          .summary = "threads over entries, positions from one critical section",
          .source = "SpMM seed 3.1, coo_to_CSR_parallel_optimization",
          .backend = Backend::omp,
          .prepare = make_run<CsrParallelOptimized, ConvertProblem>};
}

}  // namespace sparserepro
