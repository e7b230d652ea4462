// Declares the table entries of the transposition algorithms: one function per file, called by
// registry.cpp alone.
#pragma once

#include <type_traits>
#include <variant>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// Whether the matrix has values: algorithms that move values alone do not apply to patterns.
inline bool has_stored_values(const TransposeProblem& problem) {
  return std::visit(
      [](const auto& a) { return has_values<typename std::decay_t<decltype(a)>::value_type>; },
      problem.matrix());
}

/// Of algorithms that prepare the pattern of A^T: each value read once and written once. Ways with
/// one pass and with two exist, so there is no second bound.
inline Model model_of_values(const TransposeProblem& problem) {
  return std::visit(
      [](const auto& a) -> Model {
        constexpr auto value = value_bytes<typename std::decay_t<decltype(a)>::value_type>;
        return {.bytes = 2.0 * value * static_cast<double>(a.nnz()), .flops = 0.0, .second = {}};
      },
      problem.matrix());
}

#define ALGORITHM(name) Algorithm<TransposeProblem> transpose_##name();
#include "transpose/algorithms.def"

}  // namespace sparserepro
