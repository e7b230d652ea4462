// Common parts of the peers on the host whose integers all have 32 bits.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "spmm/host_run.hpp"

namespace sparserepro {

/// "" or why `library`, which has 32-bit integers, cannot store the matrix.
inline std::string narrow_refusal(const SpmmProblem& problem, const std::string& library) {
  return std::holds_alternative<Csr<std::int32_t, double>>(problem.matrix())
             ? ""
             : library +
                   " has one integer type, so that 64-bit row pointers would double the "
                   "column indices";
}

/// Prepares `Method(problem, a, params)` for a matrix that `narrow_refusal` accepts.
template <class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_narrow_spmm(const SpmmProblem& problem,
                                                      const Params& params) {
  return std::make_unique<Method>(problem, std::get<Csr<std::int32_t, double>>(problem.matrix()),
                                  params);
}

}  // namespace sparserepro
