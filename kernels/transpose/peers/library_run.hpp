// Common parts of the peers on the host whose integers all have 32 bits and whose matrices have
// values.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// "" or why `library`, which has 32-bit integers and values, cannot store the matrix.
inline std::string narrow_refusal(const TransposeProblem& problem, const std::string& library) {
  return std::visit(
      [&](const auto& a) -> std::string {
        using Matrix_ = std::decay_t<decltype(a)>;
        if (sizeof(typename Matrix_::offset_type) != sizeof(index_t)) {
          return library +
                 " has one integer type, so that 64-bit row pointers would double the "
                 "column indices";
        }
        return has_values<typename Matrix_::value_type> ? "" : library + " has no pattern matrix";
      },
      problem.matrix());
}

/// Prepares `Method<Value>(a, params)` for a matrix that `narrow_refusal` accepts.
template <template <class> class Method>
std::unique_ptr<Run<TransposeProblem>> prepare_narrow_transpose(const TransposeProblem& problem,
                                                                const Params& params) {
  if (const auto* a = std::get_if<Csr<std::int32_t, float>>(&problem.matrix())) {
    return std::make_unique<Method<float>>(*a, params);
  }
  return std::make_unique<Method<double>>(std::get<Csr<std::int32_t, double>>(problem.matrix()),
                                          params);
}

}  // namespace sparserepro
