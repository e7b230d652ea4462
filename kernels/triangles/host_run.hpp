// Base of all triangle counts on the host: it owns the answer, poisons it and reports facts of the
// graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "triangles/triangles.hpp"

namespace sparserepro {

/// A run on the host. `execute` of the derived class sets `triangles_`, and `of_vertex_` [vertices]
/// or `of_entry_` [stored] where the problem asks for them; else these are empty.
class HostTrianglesRun : public Run<TrianglesProblem> {
 public:
  explicit HostTrianglesRun(const TrianglesProblem& problem)
      : problem_(problem), graph_(problem.graph()) {
    if (problem.output() == TrianglesOutput::vertices) {
      of_vertex_.resize(static_cast<std::size_t>(graph_.vertices));
    } else if (problem.output() == TrianglesOutput::edges) {
      of_entry_.resize(static_cast<std::size_t>(graph_.stored()));
    }
  }

  void poison() override {
    triangles_ = std::numeric_limits<std::uint64_t>::max();
    std::fill(of_vertex_.begin(), of_vertex_.end(), triangles_);
    std::fill(of_entry_.begin(), of_entry_.end(), triangles_);
  }
  TrianglesProblem::Result result() override { return {triangles_, of_vertex_, of_entry_}; }
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
  std::vector<std::uint64_t> of_vertex_, of_entry_;
};

}  // namespace sparserepro
