// COO to padded ELLPACK by a stable parallel counting sort (row_sort.hpp): linear in the padded
// size, without locks, and with the same answer for every number of threads. Replaces the SpMM
// seed's padded version.
#include <omp.h>

#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/policy.hpp"
#include "convert/row_sort.hpp"

namespace sparserepro {
namespace {

class EllpackLinear final : public HostConvertRun<Ellpack> {
 public:
  EllpackLinear(const ConvertProblem& problem, const Params& params)
      : HostConvertRun(problem, params), sort_(coo_, threads_) {}

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      sort_.count(p, t);
#pragma omp barrier
      sort_.sum(p, t, [&](index_t i, index_t length) { out_.row_length[i] = length; });
#pragma omp barrier
#pragma omp single
      out_.width = sort_.longest(p);
      const std::int64_t width = out_.width;
      sort_.place(p, t, [&](index_t i, std::int64_t) { return i * width; });
#pragma omp barrier
      sort_.scatter(p, t, out_.col_idx.data(), out_.values.data());
#pragma omp barrier
      const index_t last = sort_.row_begin(p, t + 1);
      for (index_t i = sort_.row_begin(p, t); i < last; ++i) {
        pad_row(out_, i);
      }
    }
  }
  std::int64_t workspace_bytes() const override {
    return sort_.workspace_bytes();
  }

 private:
  RowSort sort_;
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_linear() {
  return {.name = "coo_to_ellpack_linear",
          .summary = "padded; stable parallel counting sort by row, no locks",
          .source = "this project; histogram scheme of Wang et al., ICS'16",
          .backend = Backend::omp,
          .refusal = cursor_padded_refusal,
          .prepare = make_run<EllpackLinear, ConvertProblem>};
}

}  // namespace sparserepro
