// Problem `triangles`: the graph of the matrix and its facts, the exact check and the traffic
// model.
#include <algorithm>

#include "formats/available_cores.hpp"
#include "formats/error.hpp"
#include "harness/machine.hpp"
#include "triangles/triangles.hpp"

namespace sparserepro {

std::vector<Parameter> TrianglesProblem::instance_parameters() {
  return {{"strict",
           std::int64_t{0},
           {std::int64_t{0}, std::int64_t{1}},
           "1: refuse a matrix with self-loops, duplicate entries or edges stored in one "
           "direction only"},
          {"output",
           "total",
           {"total", "vertices", "edges"},
           "triangles in all, with each vertex, or with each edge"}};
}

namespace {

TrianglesOutput output_of(const Params& instance) {
  const std::string name = instance.has("output") ? instance.text("output") : "total";
  return name == "vertices" ? TrianglesOutput::vertices
         : name == "edges"  ? TrianglesOutput::edges
                            : TrianglesOutput::total;
}

}  // namespace

TrianglesProblem::TrianglesProblem(const Matrix& matrix, const Params& instance)
    : output_(output_of(instance)),
      graph_(graph_from_matrix(matrix.csr, cleaning_, available_cores())),
      shape_{matrix.csr.rows, matrix.csr.cols, matrix.stored() - matrix.explicit_zeros,
             matrix.stored()} {
  if (instance.integer("strict") == 1 && !cleaning_.clean()) {
    throw InputError(matrix.name + " is not a simple undirected graph (strict=1): " +
                     std::to_string(cleaning_.loops) + " loops, " +
                     std::to_string(cleaning_.duplicates) + " duplicates, " +
                     std::to_string(cleaning_.mirrored) + " one-directional edges");
  }
  for (const auto& [parameter, value] : instance) {
    if (parameter != "output" || output_ != TrianglesOutput::total) {
      given_.set(parameter, value);
    }
  }
  std::int64_t max_degree = 0, products = 0;
#pragma omp parallel for schedule(static) num_threads(available_cores()) \
    reduction(max : max_degree) reduction(+ : products)
  for (index_t v = 0; v < graph_.vertices; ++v) {
    max_degree = std::max(max_degree, graph_.degree(v));
    products += graph_.degree(v) * graph_.degree(v);
  }
  products_ = products;
  max_degree_ = max_degree;
  const auto fact = [](const char* fact_name, std::int64_t value) {
    return std::pair<std::string, double>(fact_name, static_cast<double>(value));
  };
  facts_ = {fact("edges", graph_.edges()),
            fact("max_degree", max_degree),
            fact("products", products),
            fact("loops_dropped", cleaning_.loops),
            fact("duplicates_dropped", cleaning_.duplicates),
            fact("edges_mirrored", cleaning_.mirrored)};
}

TrianglesProblem::Result TrianglesProblem::reference() const {
  if (!reference_) {
    reference_ = Result{triangles_reference(graph_, available_cores())};
  }
  return *reference_;
}

CheckOutcome TrianglesProblem::check(const Result& result, const Result& reference) const {
  const std::uint64_t got = result.triangles, want = reference.triangles;
  CheckOutcome outcome{got == want, "exact", 0.0, 0.0, "", {}};
  if (!outcome.ok) {
    outcome.error = static_cast<double>(std::max(got, want) - std::min(got, want));
    outcome.detail =
        "counted " + std::to_string(got) + " triangles, expected " + std::to_string(want);
  }
  const auto compare = [&](const std::vector<std::uint64_t>& mine, bool asked,
                           auto reference_counts, std::vector<std::uint64_t>& theirs,
                           const char* where) {
    if (!outcome.ok || (mine.empty() && !asked)) {
      return;
    }
    if (theirs.empty()) {
      theirs = reference_counts(graph_, available_cores());
    }
    const auto [at, wanted] = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end());
    if (at != mine.end() || wanted != theirs.end()) {
      outcome.ok = false;
      outcome.error = 1.0;
      outcome.detail = std::string("triangles at ") + where + " " +
                       std::to_string(at - mine.begin()) + " differ from the reference";
    }
  };
  compare(result.of_vertex, output_ == TrianglesOutput::vertices, triangles_of_vertices_reference,
          reference_of_vertex_, "vertex");
  compare(result.of_entry, output_ == TrianglesOutput::edges, triangles_of_edges_reference,
          reference_of_entry_, "entry");
  return outcome;
}

Model TrianglesProblem::model() const {
  const double written = output_ == TrianglesOutput::vertices ? graph_.vertices
                         : output_ == TrianglesOutput::edges  ? static_cast<double>(graph_.stored())
                                                              : 0.0;
  return {static_cast<double>(sizeof(index_t)) * static_cast<double>(graph_.stored()) +
              static_cast<double>(sizeof(std::int64_t)) * (graph_.vertices + 1.0 + written),
          0.0};
}

}  // namespace sparserepro
