// Base of all triangle counts on the host: it owns the answer, poisons it and reports facts of the
// graph.
#pragma once

#include <cstdint>
#include <limits>

#include "triangles/triangles.hpp"

namespace sparserepro {

/// A run on the host. `execute` of the derived class sets `triangles_`.
class HostTrianglesRun : public Run<TrianglesProblem> {
 public:
  explicit HostTrianglesRun(const TrianglesProblem& problem)
      : problem_(problem), graph_(problem.graph()) {}

  void poison() override { triangles_ = std::numeric_limits<std::uint64_t>::max(); }
  TrianglesProblem::Result result() override { return {triangles_}; }
  std::int64_t workspace_bytes() const override { return 0; }
  Measures measures() const override {
    Measures all = problem_.facts();
    all.emplace_back("triangles", static_cast<double>(triangles_));
    return all;
  }

 protected:
  const TrianglesProblem& problem_;
  const Graph& graph_;
  std::uint64_t triangles_{};
};

}  // namespace sparserepro
