// Table entries of the triangle counting algorithms: one function per file, called by registry.cpp
// alone.
#pragma once

#include "triangles/triangles.hpp"

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_serial();
Algorithm<TrianglesProblem> triangles_serial_upper();
Algorithm<TrianglesProblem> triangles_omp_forward();
Algorithm<TrianglesProblem> triangles_omp_adaptive();
Algorithm<TrianglesProblem> triangles_cusparse_spgemm();
Algorithm<TrianglesProblem> triangles_cuda_block_per_row();
Algorithm<TrianglesProblem> triangles_cuda_block_per_row_shared();
Algorithm<TrianglesProblem> triangles_cuda_adaptive();
Algorithm<TrianglesProblem> triangles_graphblas_masked();
Algorithm<TrianglesProblem> triangles_igraph_triangles();
Algorithm<TrianglesProblem> triangles_networkit_triangles();

}  // namespace sparserepro
