// The list of algorithms for the primitives, in the order in which tables show them.
#include "primitives/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<PrimitivesProblem>>& primitives_algorithms() {
  static const auto table = with_group_baselines<PrimitivesProblem>({
      primitives_serial_scan(),
      primitives_omp_scan(),
      primitives_cuda_scan(),
      primitives_cub_scan(),
      primitives_serial_segmented_sort(),
      primitives_omp_segmented_sort(),
      primitives_cuda_segmented_sort(),
      primitives_cub_segmented_sort(),
      primitives_serial_merge(),
      primitives_omp_merge(),
      primitives_omp_merge_splitters(),
      primitives_cuda_merge_small(),
      primitives_cuda_merge_splitters(),
      primitives_cuda_merge_path(),
      primitives_cub_merge(),
      primitives_serial_index_to_pointers(),
      primitives_omp_index_to_pointers(),
      primitives_cuda_index_to_pointers(),
      primitives_cub_index_to_pointers(),
      primitives_serial_pointers_to_index(),
      primitives_omp_pointers_to_index(),
      primitives_cuda_pointers_to_index(),
      primitives_cub_pointers_to_index(),
  });
  return table;
}

}  // namespace sparserepro
