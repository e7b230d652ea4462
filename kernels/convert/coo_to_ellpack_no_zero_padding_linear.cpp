// COO to ELLPACK without padding by a stable parallel counting sort (row_sort.hpp): linear, without
// locks or atomics, and with the same answer for every number of threads. Replaces the SpMM seed's
// unpadded versions.
#include <omp.h>

#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/policy.hpp"
#include "convert/row_sort.hpp"

namespace sparserepro {
namespace {

class EllpackNoPaddingLinear final : public HostConvertRun<EllpackNoPadding> {
 public:
  EllpackNoPaddingLinear(const ConvertProblem& problem, const Params& params)
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
      sort_.place(p, t,
                  [&](index_t i, std::int64_t before) { return out_.row_offset[i] = before; });
#pragma omp barrier
      sort_.scatter(p, t, out_.col_idx.data(), out_.values.data());
    }
  }
  std::int64_t workspace_bytes() const override {
    return sort_.workspace_bytes();
  }

 private:
  RowSort sort_;
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_linear() {
  return {.name = "coo_to_ellpack_no_zero_padding_linear",
          .summary = "unpadded; stable parallel counting sort by row, no locks",
          .source = "this project; histogram scheme of Wang et al., ICS'16",
          .backend = Backend::omp,
          .refusal = cursor_refusal,
          .prepare = make_run<EllpackNoPaddingLinear, ConvertProblem>};
}

}  // namespace sparserepro
