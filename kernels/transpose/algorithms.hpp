// One function per algorithm file; registry.cpp alone calls them.
#pragma once

#include "transpose/transpose.hpp"

namespace sparserepro {

Algorithm<TransposeProblem> transpose_serial();

}  // namespace sparserepro
