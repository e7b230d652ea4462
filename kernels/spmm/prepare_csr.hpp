// Products of a CSR matrix for both widths of its row pointers.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>

#include "spmm/spmm.hpp"

namespace sparserepro {

/// Prepares `Method<Offset>(problem, a, params)` for the width of the problem's row pointers.
template <template <class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_csr_spmm(const SpmmProblem& problem,
                                                   const Params& params) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<SpmmProblem>> {
        using Offset = typename std::decay_t<decltype(a)>::offset_type;
        return std::make_unique<Method<Offset>>(problem, a, params);
      },
      problem.matrix());
}

}  // namespace sparserepro
