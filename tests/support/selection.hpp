// Restriction of a run of the tests by the environment, which tests/sanitize sets:
//
//   SPARSEREPRO_TEST_PART=I/N    only part I of N of the cases of a [battery] test (0 <= I < N)
//   SPARSEREPRO_TEST_OWN_CUDA=1  only the project's own algorithms on the device
//   SPARSEREPRO_TEST_ALGORITHMS=NAME,..  only algorithms with these names; empty: all
//   SPARSEREPRO_TEST_BRIEF=1     in the [battery] tests one execution a cell, fewer storage types,
//                                values and numbers of columns, and smaller bands and teams
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/registry.hpp"
#include "support/battery.hpp"

namespace sparserepro::testing {

/// Whether case number `index` belongs to this run. A hash of the number chooses the part, so that
/// each part is a sample of all cases. Throws std::invalid_argument if SPARSEREPRO_TEST_PART is not
/// I/N.
inline bool in_part(std::uint64_t index) {
  const char* const text = std::getenv("SPARSEREPRO_TEST_PART");
  if (text == nullptr) {
    return true;
  }
  const std::string part = text;
  const std::size_t slash = part.find('/');
  const std::size_t first = std::stoul(part), parts = std::stoul(part.substr(slash + 1));
  if (slash == std::string::npos || first >= parts) {
    throw std::invalid_argument("SPARSEREPRO_TEST_PART must be I/N with I < N, not " + part);
  }
  const std::uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15U;  // Knuth's multiplicative hashing
  return (mixed >> 32) % parts == first;
}

/// in_part() of the next cell (an algorithm with parameters on one input), counted by calls.
inline bool next_cell_in_part() {
  static std::uint64_t number = 0;
  return in_part(number++);
}

/// Whether this run has all cases.
inline bool all_parts() {
  const char* const text = std::getenv("SPARSEREPRO_TEST_PART");
  return text == nullptr || std::string(text) == "0/1";
}

/// Whether the run is brief.
inline bool brief() {
  const char* const text = std::getenv("SPARSEREPRO_TEST_BRIEF");
  return text != nullptr && std::string(text) == "1";
}

/// Executions of a cell. The second one reveals state that the first leaves behind.
inline int executions() {
  return brief() ? 1 : 2;
}

/// The matrices of the battery that belong to this run.
inline std::vector<NamedMatrix> battery_part() {
  std::vector<NamedMatrix> out;
  for (std::size_t i = 0; i < battery().size(); ++i) {
    if (in_part(i)) {
      out.push_back(battery()[i]);
    }
  }
  return out;
}

/// Whether this run tests `algorithm`.
template <class Problem>
bool selected(const Algorithm<Problem>& algorithm) {
  const char* const names = std::getenv("SPARSEREPRO_TEST_ALGORITHMS");
  if (names != nullptr && *names != 0 &&
      ("," + std::string(names) + ",").find("," + algorithm.name + ",") == std::string::npos) {
    return false;
  }
  const char* const own_cuda = std::getenv("SPARSEREPRO_TEST_OWN_CUDA");
  return own_cuda == nullptr || std::string(own_cuda) != "1" ||
         (algorithm.backend == Backend::cuda && !algorithm.peer);
}

}  // namespace sparserepro::testing
