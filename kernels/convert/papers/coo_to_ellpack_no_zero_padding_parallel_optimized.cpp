// COO to ELLPACK without padding, threads over entries; each entry takes its place in the row from
// the counter of the row, in one critical section that all rows share. O(nnz + M) work, serialised
// by the lock. The order within rows depends on the timing of the threads.
// Source: SpMM seed, section 4.1, coo_to_ellpack_no_zero_padding_parallel_optimization and its
// curr_idx_per_row. Corrected: the seed's code reads values of a pattern, which has none. Here the
// entry is stored outside the critical section.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_count.hpp"

namespace sparserepro {
namespace {

class EllpackNoPaddingOptimized final : public HostConvertRun<EllpackNoPadding> {
 public:
  EllpackNoPaddingOptimized(const ConvertProblem& problem, const Params& params)
      : HostConvertRun(problem, params), current_(static_cast<std::size_t>(coo_.rows)) {}

  void execute() override {
    const index_t rows = coo_.rows;
    const std::int64_t nnz = coo_.nnz();
    count_rows_atomic(coo_, threads_, out_.row_length.data());
    std::int64_t offset = 0;
    for (index_t i = 0; i < rows; ++i) {
      out_.row_offset[i] = offset;
      offset += out_.row_length[i];
    }
    std::fill(current_.begin(), current_.end(), index_t{0});
    const std::int64_t chunk = static_chunk(nnz, threads_);
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (std::int64_t e = 0; e < nnz; ++e) {
      const index_t i = coo_.row_idx[e];
      index_t place = 0;
#pragma omp critical(coo_to_ellpack_position)
      place = current_[i]++;
      const std::int64_t q = out_.row_offset[i] + place;
      out_.col_idx[q] = coo_.col_idx[e];
      out_.values[q] = value_of(coo_, e);
    }
  }
  Converted result() override {
    return {out_, EntryOrder::any};
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(current_.size() * sizeof(index_t));
  }

 private:
  Buffer<index_t> current_;  // [rows]: entries placed so far
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_parallel_optimized() {
  return {.name = "coo_to_ellpack_no_zero_padding_parallel_optimized",
          .summary = "unpadded; threads over entries, positions from one critical section",
          .source = "SpMM seed 4.1, coo_to_ellpack_no_zero_padding_parallel_optimization",
          .backend = Backend::omp,
          .prepare = make_run<EllpackNoPaddingOptimized, ConvertProblem>};
}

}  // namespace sparserepro
