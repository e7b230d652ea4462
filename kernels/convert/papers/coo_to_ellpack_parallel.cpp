// COO to padded ELLPACK with threads over rows; each row reads all entries twice, to find the width
// and to copy its entries. O(M nnz) work.
// Source: SpMM seed, section 4.1, coo_to_ellpack_parallel. The seed combines the threads' widths in
// a critical section; here a max reduction does.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_scan.hpp"
#include "convert/policy.hpp"
#include "formats/static_chunk.hpp"

namespace sparserepro {
namespace {

class EllpackParallel final : public HostConvertRun<Ellpack> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    const index_t rows = coo_.rows;
    const std::int64_t chunk = static_chunk(rows, threads_);
    index_t width = 0;
#pragma omp parallel for schedule(static, chunk) num_threads(threads_) reduction(max : width)
    for (index_t i = 0; i < rows; ++i) {
      width = std::max(width, count_row(coo_, i));
    }
    out_.width = width;
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (index_t i = 0; i < rows; ++i) {
      const std::int64_t begin = std::int64_t{i} * width;
      out_.row_length[i] =
          gather_row(coo_, i, out_.col_idx.data() + begin, out_.values.data() + begin);
      pad_row(out_, i);
    }
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_parallel() {
  return {.name = "coo_to_ellpack_parallel",
          .summary = "padded; threads over rows, each row scans all entries, twice",
          .source = "SpMM seed 4.1, coo_to_ellpack_parallel",
          .backend = Backend::omp,
          .refusal = quadratic_padded_refusal,
          .prepare = make_run<EllpackParallel, ConvertProblem>};
}

}  // namespace sparserepro
