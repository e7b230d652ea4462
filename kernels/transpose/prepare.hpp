// Transpositions for each storage type.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// Prepares `Method<Offset, Value>(a, params)` for the storage type that the problem has.
template <template <class, class> class Method>
std::unique_ptr<Run<TransposeProblem>> prepare_transpose(const TransposeProblem& problem,
                                                         const Params& params) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<TransposeProblem>> {
        using Matrix_ = std::decay_t<decltype(a)>;
        return std::make_unique<
            Method<typename Matrix_::offset_type, typename Matrix_::value_type>>(a, params);
      },
      problem.matrix());
}

}  // namespace sparserepro
