// The grid of a command line: values of parameters, and the cells of an instance.
#pragma once

#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "common/affinity.hpp"
#include "common/bench_loop.hpp"
#include "common/cli.hpp"
#include "common/record.hpp"
#include "common/restart.hpp"
#include "generate/memory_guard.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro {

/// The table with the parameter `threads` added to every OpenMP algorithm.
template <class Problem>
std::vector<Algorithm<Problem>> with_threads(std::vector<Algorithm<Problem>> table) {
  const std::int64_t threads = default_threads();
  for (Algorithm<Problem>& algorithm : table) {
    if (algorithm.backend == Backend::omp) {
      algorithm.parameters.push_back({"threads", threads, {}, "OpenMP threads"});
    }
  }
  return table;
}

/// All combinations of the given values. A parameter without given values has its default.
inline std::vector<Params> expand_grid(
    const std::vector<Parameter>& parameters,
    const std::map<std::string, std::vector<ParamValue>>& given) {
  std::vector<Params> grid{Params{}};
  for (const Parameter& parameter : parameters) {
    const auto found = given.find(parameter.name);
    const std::vector<ParamValue> values =
        found == given.end() ? std::vector<ParamValue>{parameter.fallback} : found->second;
    std::vector<Params> next;
    for (const Params& params : grid) {
      for (const ParamValue& value : values) {
        next.push_back(params);
        next.back().set(parameter.name, value);
      }
    }
    grid = std::move(next);
  }
  return grid;
}

/// The parameters of the instance that its records state.
template <class Problem>
Params instance_of(const Problem& problem, const Params& given) {
  if constexpr (requires { problem.parameters(); }) {
    return problem.parameters();
  } else {
    return given;
  }
}

/// Name of the baseline of the speedups of `algorithm`.
template <class Problem>
std::string baseline_of(const Algorithm<Problem>& algorithm,
                        const std::vector<Algorithm<Problem>>& table) {
  if (!algorithm.baseline.empty()) {
    return algorithm.baseline;
  }
  const auto serial = std::find_if(table.begin(), table.end(), [](const Algorithm<Problem>& a) {
    return a.backend == Backend::serial && !a.peer;
  });
  return serial == table.end() ? "" : serial->name;
}

/// The cells of one instance: each asked algorithm that applies, with each combination of values.
template <class Problem>
std::vector<Cell<Problem>> make_cells(const std::vector<Algorithm<Problem>>& table,
                                      const CommandLine& line, const Problem& problem) {
  std::vector<Cell<Problem>> cells;
  for (const Algorithm<Problem>& algorithm : table) {
    const bool asked = std::find(line.algorithms.begin(), line.algorithms.end(), algorithm.name) !=
                       line.algorithms.end();
    if (asked && (!algorithm.applies || algorithm.applies(problem))) {
      for (Params& params : expand_grid(algorithm.parameters, line.values)) {
        cells.push_back({&algorithm, std::move(params)});
      }
    }
  }
  return cells;
}

/// Whether these cells may be measured beside those of other GPUs: whoever started the driver holds
/// the slot of the one GPU that it sees (`slot`, of SPARSEREPRO_GPU_SLOT; may be null), and no cell
/// is timed on the host. `gpus` are visible.
template <class Problem>
bool has_one_gpu_alone(const std::vector<Cell<Problem>>& cells, const char* slot, int gpus) {
  return slot != nullptr && *slot != '\0' && gpus == 1 &&
         std::all_of(cells.begin(), cells.end(), [](const Cell<Problem>& cell) {
           return cell.algorithm->backend == Backend::cuda;
         });
}

/// Makes each instance once, and the arrays of its reference where their size depends on the
/// parameters, and drops them. Throws InputError for a value that does not fit this input, and for
/// an instance that does not fit the memory.
template <class Problem>
void check_instances(const typename Problem::Input& input, const std::vector<Params>& instances) {
  for (const Params& instance : instances) {
    try {
      const Problem problem(input, instance);
      if constexpr (requires { problem.reference_arrays(); }) {
        static_cast<void>(problem.reference_arrays());
      }
    } catch (const std::bad_alloc& error) {
      throw InputError("not enough memory for this instance (" + to_string(instance) + ")" +
                       memory_words(error));
    }
  }
  release_unused_memory();
}

}  // namespace sparserepro
