// COO to CSR by a stable parallel counting sort (row_sort.hpp): linear, without locks or atomics,
// and with the same answer for every number of threads. Replaces the SpMM seed's two versions.
#include <omp.h>

#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/policy.hpp"
#include "convert/row_sort.hpp"

namespace sparserepro {
namespace {

class CsrLinear final : public HostConvertRun<ConvertedCsr> {
 public:
  CsrLinear(const ConvertProblem& problem, const Params& params)
      : HostConvertRun(problem, params), sort_(coo_, threads_) {}

  void execute() override {
    std::int64_t* const row_ptr = out_.row_ptr.data();
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      sort_.count(p, t);
#pragma omp barrier
      sort_.sum(p, t, [](index_t, index_t) {});
#pragma omp barrier
      sort_.place(p, t, [&](index_t i, std::int64_t before) { return row_ptr[i] = before; });
#pragma omp barrier
      sort_.scatter(p, t, out_.col_idx.data(), out_.values.data());
    }
    row_ptr[coo_.rows] = coo_.nnz();
  }
  std::int64_t workspace_bytes() const override {
    return sort_.workspace_bytes();
  }

 private:
  RowSort sort_;
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_csr_linear() {
  return {.name = "coo_to_csr_linear",
          .summary = "stable parallel counting sort by row, no locks",
          .source = "this project; histogram scheme of Wang et al., ICS'16",
          .backend = Backend::omp,
          .refusal = cursor_refusal,
          .prepare = make_run<CsrLinear, ConvertProblem>};
}

}  // namespace sparserepro
