// COO to ELLPACK without padding by a stable parallel counting sort by row. Method:
// linear/row_sort.hpp. O(nnz + p M) work with p threads.
#include "convert/algorithms.hpp"
#include "convert/linear/run.hpp"
#include "convert/policy.hpp"

namespace sparserepro {

Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_linear() {
  return {.name = "coo_to_ellpack_no_zero_padding_linear",
          .summary = "unpadded; stable parallel counting sort by row, no locks",
          .source = "this project; histogram scheme of Wang et al., ICS'16",
          .backend = Backend::omp,
          .refusal = cursor_refusal,
          .prepare = make_run<LinearRun<EllpackNoPadding>, ConvertProblem>};
}

}  // namespace sparserepro
