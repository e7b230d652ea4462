// Comparison of transpositions on the device with the reference, for every storage type.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "generate/generate.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro::testing {

/// The algorithm of this name; fails the test case if there is none.
inline const Algorithm<TransposeProblem>& transposition(const std::string& name) {
  const auto& table = transpose_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  return *found;
}

inline Params storage(const std::string& value_type, std::int64_t offset_bits) {
  return {{"value_type", value_type}, {"offset_bits", offset_bits}};
}

/// The default values of the parameters, and each other allowed value with the defaults of the
/// others.
inline std::vector<Params> cells(const Algorithm<TransposeProblem>& algorithm) {
  Params fallbacks;
  for (const Parameter& parameter : algorithm.parameters) {
    fallbacks.set(parameter.name, parameter.fallback);
  }
  std::vector<Params> out{fallbacks};
  for (const Parameter& parameter : algorithm.parameters) {
    for (const ParamValue& value : parameter.allowed) {
      if (value != parameter.fallback) {
        out.push_back(fallbacks);
        out.back().set(parameter.name, value);
      }
    }
  }
  return out;
}

/// Preprocesses a prepared cell and checks the answer of each of its executions over poison.
template <class Run>
void check_executions(Run& run, const TransposeProblem& problem, const AnyCsr& reference) {
  run.preprocess();
  for (int execution = 1; execution <= executions(); ++execution) {
    run.poison();
    run.execute();
    run.download();
    const CheckOutcome outcome = problem.check(run.result(), reference);
    CAPTURE(execution, outcome.detail);
    CHECK(outcome.ok);
  }
}

/// Checks the answer of each execution of a cell over poison. Does nothing if the cell is refused
/// or belongs to another part of the tests.
inline void check_cell(const Algorithm<TransposeProblem>& algorithm,
                       const TransposeProblem& problem, const AnyCsr& reference,
                       const Params& params) {
  if ((algorithm.applies && !algorithm.applies(problem)) ||
      (algorithm.unavailable && !algorithm.unavailable().empty()) ||
      (algorithm.refusal && !algorithm.refusal(problem, params).empty()) || !next_cell_in_part()) {
    return;
  }
  CAPTURE(algorithm.name, to_string(params));
  check_executions(*algorithm.prepare(problem, params), problem, reference);
}

/// Checks the cells of the CUDA algorithms `names` (of all if empty) for every storage type. In a
/// brief run the first choice of parameters has two storage types, and each other one has one type
/// on every second matrix; the types change from matrix to matrix.
inline void check_all(const Matrix& matrix, const std::vector<std::string>& names = {}) {
  constexpr std::size_t storage_types = 6;
  static std::size_t matrices = 0;
  std::size_t type = matrices++;
  for (const char* value_type : {"fp64", "fp32", "pattern"}) {
    for (const std::int64_t bits : {32, 64}) {
      ++type;
      const TransposeProblem problem(matrix, storage(value_type, bits));
      const AnyCsr reference = problem.reference();
      CAPTURE(value_type, bits, matrix.name);
      for (const auto& algorithm : transpose_algorithms()) {
        const bool named = std::count(names.begin(), names.end(), algorithm.name) > 0;
        if (algorithm.backend == Backend::cuda && (named || names.empty()) && selected(algorithm)) {
          const std::vector<Params> all = cells(algorithm);
          for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t every = i == 0 ? 3 : 2 * storage_types;
            if (!brief() || (type + i) % every == 0) {
              check_cell(algorithm, problem, reference, all[i]);
            }
          }
        }
      }
    }
  }
}

/// check_all for the matrix of a generator spec.
inline void check_spec(const std::string& spec, const std::vector<std::string>& names = {}) {
  Matrix matrix = generate(spec, 2);
  matrix.name = spec;
  check_all(matrix, names);
}

inline std::string uniform(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  return "uniform:rows=" + std::to_string(rows) + ",cols=" + std::to_string(cols) +
         ",nnz=" + std::to_string(nnz);
}

}  // namespace sparserepro::testing
