// One function per algorithm file; registry.cpp alone calls them.
#pragma once

#include "transpose/transpose.hpp"

namespace sparserepro {

Algorithm<TransposeProblem> transpose_serial();
Algorithm<TransposeProblem> transpose_omp_scantrans();
Algorithm<TransposeProblem> transpose_omp_mergetrans();

}  // namespace sparserepro
