// Triangles at vertices and at edges as an output of the problem: every algorithm that has them
// against the definition, what records state, refusals, and the check itself.
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/selection.hpp"
#include "support/support_check.hpp"
#include "triangles/cuda_adaptive/clustering.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

TrianglesProblem problem_of(const Matrix& matrix, const std::string& output) {
  return TrianglesProblem(matrix, {{"strict", std::int64_t{0}}, {"output", output}});
}

Params defaults_of(const Algorithm<TrianglesProblem>& algorithm) {
  Params params;
  for (const Parameter& parameter : algorithm.parameters) {
    params.set(parameter.name, parameter.fallback);
  }
  params.set("threads", std::int64_t{3});
  return params;
}

/// Both outputs of all algorithms that have them, twice over poison. Returns how many there are.
int check_outputs(const Matrix& matrix) {
  int checked = 0;
  for (const bool edges : {false, true}) {
    const TrianglesProblem problem = problem_of(matrix, edges ? "edges" : "vertices");
    const TriangleAnswer wanted = triangles_by_definition(problem.graph());
    for (const auto& algorithm : triangles_algorithms()) {
      const Params params = defaults_of(algorithm);
      if (!selected(algorithm) || (algorithm.unavailable && !algorithm.unavailable().empty()) ||
          (algorithm.refusal && !algorithm.refusal(problem, params).empty())) {
        continue;
      }
      CAPTURE(matrix.name, matrix.source, edges, algorithm.name);
      const auto run = algorithm.prepare(problem, params);
      run->preprocess();
      for (int execution = 0; execution < 2; ++execution) {
        run->poison();
        run->execute();
        run->download();
        const TrianglesProblem::Result result = run->result();
        CHECK(result.triangles == wanted.all);
        CHECK((edges ? result.of_entry : result.of_vertex) ==
              (edges ? wanted.of_entry : wanted.of_vertex));
        CHECK(problem.check(result, problem.reference()).ok);
      }
      ++checked;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("triangles at vertices and edges: the battery", "[triangles][battery]") {
  for (const auto& [name, matrix, graph] : battery()) {
    if (matrix.csr.rows == matrix.csr.cols) {
      CHECK(check_outputs(matrix) >= (cuda_unavailable().empty() ? 2 : 4));
    }
  }
}

TEST_CASE("triangles at vertices and edges: larger graphs", "[triangles]") {
  for (const char* const spec : {"rmat:scale=11,edge_factor=16", "mesh:width=60,height=40",
                                 "wheel:rim=3000", "complete:vertices=90"}) {
    check_outputs(generate(spec));
  }
}

TEST_CASE("triangles at vertices and edges: small graphs", "[triangles][small]") {
  check_outputs(generate("rmat:scale=6,edge_factor=8"));
}

TEST_CASE("triangles: records state the output where it is not the total", "[triangles]") {
  const Matrix wheel = generate("wheel:rim=5");
  CHECK(to_string(problem_of(wheel, "total").parameters()) == "strict=0");
  CHECK(to_string(TrianglesProblem(wheel, {{"strict", std::int64_t{0}}}).parameters()) ==
        "strict=0");
  CHECK(to_string(problem_of(wheel, "edges").parameters()) == "output=edges strict=0");
  const double total = problem_of(wheel, "total").model().bytes;
  CHECK(problem_of(wheel, "vertices").model().bytes == total + 8 * 6);
  CHECK(problem_of(wheel, "edges").model().bytes == total + 8 * 20);
}

TEST_CASE("triangles: algorithms of the total refuse other outputs", "[triangles]") {
  const Matrix wheel = generate("wheel:rim=5");
  const TrianglesProblem total = problem_of(wheel, "total"), edges = problem_of(wheel, "edges");
  for (const auto& algorithm : triangles_algorithms()) {
    CAPTURE(algorithm.name);
    Params params = defaults_of(algorithm);
    const auto refusal = [&](const TrianglesProblem& problem) {
      return algorithm.refusal ? algorithm.refusal(problem, params) : "";
    };
    const bool all = algorithm.name == "serial" || algorithm.name == "omp_adaptive" ||
                     algorithm.name == "cuda_adaptive";
    CHECK(refusal(total).find("in all") == std::string::npos);
    CHECK(refusal(edges) ==
          (all ? "" : algorithm.name + " counts in all, not at vertices or edges"));
    if (algorithm.name == "cuda_adaptive") {
      params.set("per_vertex", std::int64_t{1});
      CHECK(refusal(total).empty());
      CHECK(refusal(edges) == "per_vertex=1 goes with output=total");
    }
  }
}

TEST_CASE("triangles: the check finds a wrong or missing count", "[triangles]") {
  const Matrix wheel = generate("wheel:rim=5");
  const TrianglesProblem edges = problem_of(wheel, "edges"),
                         vertices = problem_of(wheel, "vertices");
  const auto reference = edges.reference();
  TriangleAnswer right = triangles_by_definition(edges.graph());
  CHECK(edges.check({right.all, {}, right.of_entry}, reference).ok);
  CHECK(vertices.check({right.all, right.of_vertex, {}}, reference).ok);
  CHECK(edges.check({right.all, {}, {}}, reference).detail ==
        "triangles at entry 0 differ from the reference");
  CHECK(vertices.check({right.all, {}, {}}, reference).detail ==
        "triangles at vertex 0 differ from the reference");
  ++right.of_entry[7];
  CHECK(edges.check({right.all, {}, right.of_entry}, reference).detail ==
        "triangles at entry 7 differ from the reference");
  right.of_entry[7] -= 1;
  CHECK_FALSE(edges.check({right.all + 1, {}, right.of_entry}, reference).ok);
}

TEST_CASE("clustering of a triangle with a tail, by hand") {
  const Matrix matrix = matrix_from_entries(
      "tail", 4, 4,
      {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 0, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}, {3, 0, 1}});
  GraphCleaning cleaning;
  std::vector<std::uint64_t> of_vertex(4, 1);
  of_vertex[3] = 0;  // of the list {1, 1, 1, 0}, GCC 12 with AVX-512 makes four ones
  const Clustering found = clustering(graph_from_matrix(matrix.csr, cleaning, 1), of_vertex);
  // Pairs of neighbours: 3, 1, 1 and 0, of which 1, 1 and 1 are edges.
  CHECK(found.global == Approx(3.0 / 5.0));
  CHECK(found.mean_local == Approx((1.0 / 3.0 + 1.0 + 1.0) / 4.0));
}
