// The cells of every product that this machine can run, and their answers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "spmm/spmm.hpp"
#include "support/catch.hpp"
#include "support/selection.hpp"

namespace sparserepro::testing {

/// All combinations of parameter values with 1, 2 and 3 threads. For CUDA the defaults, and for
/// peers each other value beside them; test_spmm_cuda.cpp has the other values of own algorithms.
inline std::vector<Params> cells_of(const Algorithm<SpmmProblem>& algorithm) {
  std::vector<Parameter> parameters = algorithm.parameters;
  if (algorithm.backend == Backend::omp) {
    parameters.push_back({"threads", std::int64_t{1}, {1, 2, 3}, ""});
  }
  Params defaults;
  for (const Parameter& parameter : parameters) {
    defaults.set(parameter.name, parameter.fallback);
  }
  std::vector<Params> cells{defaults};
  for (const Parameter& parameter : parameters) {
    const std::vector<Params> so_far =
        algorithm.backend == Backend::cuda ? std::vector{defaults} : cells;
    for (const ParamValue& value : parameter.allowed) {
      if (value != parameter.fallback && (algorithm.backend != Backend::cuda || algorithm.peer)) {
        for (const Params& cell : so_far) {
          cells.push_back(cell);
          cells.back().set(parameter.name, value);
        }
      }
    }
  }
  return cells;
}

/// "" or why `algorithm` gives no answer; a peer may refuse what its library cannot do.
inline std::string refusal(const Algorithm<SpmmProblem>& algorithm, const SpmmProblem& problem,
                           const Params& params) {
  return algorithm.refusal ? algorithm.refusal(problem, params) : "";
}

/// Calls `visit(algorithm, params)` for every cell of the problem that this machine can run.
template <class Visit>
void for_each_cell(const SpmmProblem& problem, Visit visit) {
  for (const auto& algorithm : spmm_algorithms()) {
    if (!selected(algorithm) || (algorithm.unavailable && !algorithm.unavailable().empty()) ||
        (algorithm.applies && !algorithm.applies(problem))) {
      continue;
    }
    for (const Params& params : cells_of(algorithm)) {
      if (refusal(algorithm, problem, params).empty() && next_cell_in_part()) {
        INFO(algorithm.name << " (" << to_string(params) << ")");
        visit(algorithm, params);
      }
    }
  }
}

inline Dense multiply(const Algorithm<SpmmProblem>& algorithm, const SpmmProblem& problem,
                      const Params& params) {
  const auto run = algorithm.prepare(problem, params);
  run->preprocess();
  run->poison();
  run->execute();
  run->download();
  return run->result();
}

/// Executes twice over poison (once in a brief run), checks the answers and, except for peers,
/// which need not be deterministic, that they are equal; returns omega.
inline double verify(const Algorithm<SpmmProblem>& algorithm, const SpmmProblem& problem,
                     const SpmmReference& reference, const Params& params) {
  const auto run = algorithm.prepare(problem, params);
  run->preprocess();
  Dense first;
  double omega = 0.0;
  for (int execution = 1; execution <= executions(); ++execution) {
    run->poison();
    run->execute();
    run->download();
    const Dense y = run->result();
    const CheckOutcome outcome = problem.check(y, reference);
    INFO("execution " << execution << ": " << outcome.detail);
    CHECK(outcome.ok);
    omega = std::max(omega, outcome.error);
    CHECK((execution == 1 || algorithm.peer || first.data == y.data));
    first = y;
  }
  return omega;
}

}  // namespace sparserepro::testing
