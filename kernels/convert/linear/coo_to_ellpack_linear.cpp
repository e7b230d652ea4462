// COO to padded ELLPACK by a stable parallel counting sort by row. Method: linear/row_sort.hpp.
// O(nnz + p M + M width) work with p threads.
#include "convert/algorithms.hpp"
#include "convert/linear/run.hpp"
#include "convert/policy.hpp"

namespace sparserepro {

Algorithm<ConvertProblem> convert_coo_to_ellpack_linear() {
  return {.name = "coo_to_ellpack_linear",
          .summary = "padded; stable parallel counting sort by row, no locks",
          .source = "this project; histogram scheme of Wang et al., ICS'16",
          .backend = Backend::omp,
          .refusal = cursor_padded_refusal,
          .prepare = make_run<LinearRun<Ellpack>, ConvertProblem>};
}

}  // namespace sparserepro
