// Common parts of the peers on the host whose integers all have 32 bits.
#pragma once

#include <algorithm>
#include <cstdint>
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

/// Parameter `calls` of a library that takes hints before its analysis.
inline Parameter hint_parameter() {
  return {"calls",
          std::int64_t{0},
          {},
          "products of which the hints tell; 0: a thousand; 1: neither hints nor analysis",
          0};
}

/// Products of which the hints tell; 1: there are none.
inline std::int32_t hinted_calls(const Params& params) {
  constexpr std::int64_t many = 1000;
  const std::int64_t calls = params.integer("calls");
  return static_cast<std::int32_t>(calls == 0 ? many : std::min<std::int64_t>(calls, INT32_MAX));
}

/// Prepares `Method(problem, a, params)` for a matrix that `narrow_refusal` accepts.
template <class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_narrow_spmm(const SpmmProblem& problem,
                                                      const Params& params) {
  return std::make_unique<Method>(problem, std::get<Csr<std::int32_t, double>>(problem.matrix()),
                                  params);
}

}  // namespace sparserepro
