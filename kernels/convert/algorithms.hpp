// Declares the table entries of the conversion algorithms: one function per file, called by
// registry.cpp alone.
#pragma once

#include "convert/convert.hpp"

namespace sparserepro {

#define ALGORITHM(name) Algorithm<ConvertProblem> convert_##name();
#include "convert/algorithms.def"

}  // namespace sparserepro
