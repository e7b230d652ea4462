// The list of conversion algorithms, in the order in which tables show them.
#include "convert/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<ConvertProblem>>& convert_algorithms() {
  static const auto table = with_group_baselines<ConvertProblem>({
      convert_coo_to_csr_serial(),
      convert_coo_to_csr_parallel(),
      convert_coo_to_csr_parallel_optimized(),
      convert_coo_to_csr_linear(),
      convert_coo_to_ellpack_serial(),
      convert_coo_to_ellpack_parallel(),
      convert_coo_to_ellpack_linear(),
      convert_coo_to_ellpack_no_zero_padding_serial(),
      convert_coo_to_ellpack_no_zero_padding_parallel(),
      convert_coo_to_ellpack_no_zero_padding_parallel_optimized(),
      convert_coo_to_ellpack_no_zero_padding_linear(),
  });
  return table;
}

}  // namespace sparserepro
