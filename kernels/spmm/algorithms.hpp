// Declares the table entries of the algorithms for SpMM: one function per file, called by
// registry.cpp alone.
#pragma once

#include "spmm/spmm.hpp"

namespace sparserepro {

#define ALGORITHM(name, ...) Algorithm<SpmmProblem> spmm_##name();
#include "spmm/algorithms.def"

}  // namespace sparserepro
