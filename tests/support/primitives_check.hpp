// Comparison of every algorithm of the primitives with the reference, on any instance.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "primitives/primitives.hpp"
#include "support/catch.hpp"
#include "support/selection.hpp"

namespace sparserepro::testing {

inline Params instance(const std::string& procedure, std::int64_t length, std::int64_t segment,
                       std::int64_t bins) {
  return {{"procedure", procedure}, {"length", length}, {"segment", segment}, {"bins", bins}};
}

/// The cross product of thread counts and parameter values: all allowed values of a parameter, or
/// 2, 7 and 128 if any integer is allowed.
inline std::vector<Params> cells(const Algorithm<PrimitivesProblem>& algorithm) {
  std::vector<Params> out;
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    if (algorithm.backend == Backend::omp || threads == 1) {
      out.push_back({{"threads", threads}});
    }
  }
  for (const Parameter& parameter : algorithm.parameters) {
    std::vector<ParamValue> values = parameter.allowed;
    if (values.empty()) {
      for (const std::int64_t value : {2, 7, 128}) {
        values.emplace_back(value);
      }
    }
    std::vector<Params> next;
    for (const Params& params : out) {
      for (const ParamValue& value : values) {
        next.push_back(params);
        next.back().set(parameter.name, value);
      }
    }
    out = std::move(next);
  }
  return out;
}

/// Checks every cell of every algorithm: two executions of one run over poison, which reveal
/// elements that are not written and state that an execution leaves behind.
inline void check_all(const PrimitivesProblem& problem) {
  const PrimitivesResult reference = problem.reference();
  int solved = 0;
  for (const auto& algorithm : primitives_algorithms()) {
    if (!selected(algorithm) || !algorithm.applies(problem) ||
        (algorithm.unavailable && !algorithm.unavailable().empty())) {
      continue;
    }
    for (const Params& params : cells(algorithm)) {
      if (algorithm.refusal && !algorithm.refusal(problem, params).empty()) {
        continue;
      }
      CAPTURE(algorithm.name, to_string(params), to_string(problem.parameters()));
      const auto run = algorithm.prepare(problem, params);
      CHECK(run->workspace_bytes() >= 0);
      for (int execution = 1; execution <= 2; ++execution) {
        run->poison();
        run->download();
        if (problem.length() > 0) {
          CHECK_FALSE(problem.check(run->result(), reference).ok);
        }
        run->execute();
        run->download();
        const CheckOutcome outcome = problem.check(run->result(), reference);
        CAPTURE(execution, outcome.detail);
        CHECK(outcome.ok);
      }
      ++solved;
    }
  }
  CHECK(solved > 0);
}

/// Sources of arrays: different values, three values (many equal keys), one value (equal keys
/// only).
inline const std::vector<std::string> sources{"random:seed=11", "random:seed=12,distinct=3",
                                              "random:distinct=1"};

/// The same of a [battery] test; in a brief run the one with equal and different values.
inline std::vector<std::string> battery_sources() {
  return brief() ? std::vector{sources[1]} : sources;
}

}  // namespace sparserepro::testing
