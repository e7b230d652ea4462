// Declares the table entries of the algorithms for the primitives: one function per file, called by
// registry.cpp alone.
#pragma once

#include "primitives/primitives.hpp"

namespace sparserepro {

#define ALGORITHM(name) Algorithm<PrimitivesProblem> primitives_##name();
#include "primitives/algorithms.def"

}  // namespace sparserepro
