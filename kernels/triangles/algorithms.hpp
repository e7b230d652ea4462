// Declares the table entries of the triangle counting algorithms: one function per file, called by
// registry.cpp alone.
#pragma once

#include "triangles/triangles.hpp"

namespace sparserepro {

#define ALGORITHM(name, ...) Algorithm<TrianglesProblem> triangles_##name();
#include "triangles/algorithms.def"

}  // namespace sparserepro
