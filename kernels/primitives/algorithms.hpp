// Table entries of the primitives' algorithms: one function per file, called by registry.cpp alone.
#pragma once

#include "primitives/primitives.hpp"

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_serial_scan();
Algorithm<PrimitivesProblem> primitives_omp_scan();
Algorithm<PrimitivesProblem> primitives_cuda_scan();
Algorithm<PrimitivesProblem> primitives_cub_scan();
Algorithm<PrimitivesProblem> primitives_serial_segmented_sort();
Algorithm<PrimitivesProblem> primitives_omp_segmented_sort();
Algorithm<PrimitivesProblem> primitives_cuda_segmented_sort();
Algorithm<PrimitivesProblem> primitives_cub_segmented_sort();
Algorithm<PrimitivesProblem> primitives_serial_merge();
Algorithm<PrimitivesProblem> primitives_omp_merge();
Algorithm<PrimitivesProblem> primitives_omp_merge_splitters();
Algorithm<PrimitivesProblem> primitives_cuda_merge_small();
Algorithm<PrimitivesProblem> primitives_cuda_merge_splitters();
Algorithm<PrimitivesProblem> primitives_cuda_merge_path();
Algorithm<PrimitivesProblem> primitives_cub_merge();
Algorithm<PrimitivesProblem> primitives_serial_index_to_pointers();
Algorithm<PrimitivesProblem> primitives_omp_index_to_pointers();
Algorithm<PrimitivesProblem> primitives_cuda_index_to_pointers();
Algorithm<PrimitivesProblem> primitives_cub_index_to_pointers();
Algorithm<PrimitivesProblem> primitives_serial_pointers_to_index();
Algorithm<PrimitivesProblem> primitives_omp_pointers_to_index();
Algorithm<PrimitivesProblem> primitives_cuda_pointers_to_index();
Algorithm<PrimitivesProblem> primitives_cub_pointers_to_index();

}  // namespace sparserepro
