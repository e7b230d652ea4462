// Counts in closed form, every algorithm on the host compared with the reference, and the check
// itself.
#include <algorithm>
#include <numeric>
#include <random>

#include "formats/error.hpp"
#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "triangles/triangles.hpp"

namespace sparserepro {
namespace {

using testing::Entry;

const Params any_graph{{"strict", std::int64_t{0}}};
const Params strict_graph{{"strict", std::int64_t{1}}};

const Algorithm<TrianglesProblem>& algorithm_named(const std::string& name) {
  for (const auto& algorithm : triangles_algorithms()) {
    if (algorithm.name == name) {
      return algorithm;
    }
  }
  throw std::out_of_range(name);
}

Params parameters_of(const Algorithm<TrianglesProblem>& algorithm, int threads) {
  Params params;
  for (const Parameter& parameter : algorithm.parameters) {
    params.set(parameter.name, parameter.fallback);
  }
  if (algorithm.backend == Backend::omp) {
    params.set("threads", std::int64_t{threads});
  }
  return params;
}

std::uint64_t count(const Algorithm<TrianglesProblem>& algorithm, const TrianglesProblem& problem,
                    int threads = 2) {
  const auto run = algorithm.prepare(problem, parameters_of(algorithm, threads));
  run->preprocess();
  run->execute();
  run->download();
  return run->result().triangles;
}

std::uint64_t count(const std::string& algorithm, const Matrix& matrix, int threads = 2) {
  const TrianglesProblem problem(matrix, any_graph);
  return count(algorithm_named(algorithm), problem, threads);
}

const std::vector<Entry> seed_example = {{0, 1, 1}, {0, 3, 1}, {1, 0, 1}, {1, 2, 1}, {1, 3, 1},
                                         {1, 4, 1}, {2, 1, 1}, {2, 4, 1}, {3, 0, 1}, {3, 1, 1},
                                         {3, 4, 1}, {4, 1, 1}, {4, 2, 1}, {4, 3, 1}};

struct KnownCount {
  std::string spec;
  std::uint64_t triangles;
};

const std::vector<KnownCount> closed_forms = {
    {"complete:vertices=3", 1},
    {"complete:vertices=50", 19600},
    {"wheel:rim=3", 4},
    {"wheel:rim=100", 100},
    {"friendship:triangles=40", 40},
    {"star:leaves=70", 0},
    {"bipartite:left=9,right=13", 0},
    {"road:width=20,height=9,density=1,diagonals=0", 0},
    {"mesh:width=20,height=9", 304},
    {"mesh:width=20,height=9,permute=1", 304},
};

TEST_CASE("the triangle seed's example has 3 triangles") {
  const Matrix matrix = testing::matrix_from_entries("seed", 5, 5, seed_example);
  const TrianglesProblem problem(matrix, strict_graph);

  CHECK(problem.reference().triangles == 3);
  CHECK(problem.graph().edges() == 7);
  for (const auto& algorithm : triangles_algorithms()) {
    if (!algorithm.unavailable || algorithm.unavailable().empty()) {
      INFO(algorithm.name);
      CHECK(count(algorithm, problem) == 3);
    }
  }
}

TEST_CASE("counts in closed form") {
  for (const auto& [spec, triangles] : closed_forms) {
    const TrianglesProblem problem(generate(spec), strict_graph);
    CHECK(problem.reference().triangles == triangles);
    for (const char* const name : {"serial", "serial_upper", "omp_forward", "omp_adaptive"}) {
      INFO(spec << ", " << name);
      CHECK(count(algorithm_named(name), problem) == triangles);
    }
  }
}

TEST_CASE("every algorithm agrees with the oracle on the battery, after poison and repetition") {
  for (const auto& [name, matrix, is_graph] : testing::battery()) {
    if (matrix.csr.rows != matrix.csr.cols) {
      CHECK_THROWS_AS(TrianglesProblem(matrix, any_graph), InputError);
      continue;
    }
    const TrianglesProblem problem(matrix, any_graph);
    for (const auto& algorithm : triangles_algorithms()) {
      if (algorithm.peer || algorithm.backend == Backend::cuda) {
        continue;  // test_peers.cpp, test_triangles_cuda.cpp
      }
      for (const int threads : {1, 2, 3}) {
        INFO(name << ", " << algorithm.name << ", " << threads << " threads");
        const auto run = algorithm.prepare(problem, parameters_of(algorithm, threads));
        CHECK(run->has_preprocess() == (algorithm.backend == Backend::omp));
        run->preprocess();
        for (int execution = 0; execution < 2; ++execution) {
          run->poison();
          CHECK_FALSE(problem.check(run->result(), problem.reference()).ok);
          run->execute();
          const CheckOutcome outcome = problem.check(run->result(), problem.reference());
          INFO(outcome.detail);
          CHECK(outcome.ok);
        }
      }
    }
  }
}

TEST_CASE("the count does not change when vertices are renumbered") {
  const Matrix matrix = generate("rmat:scale=9,edge_factor=8");
  std::vector<index_t> number(static_cast<std::size_t>(matrix.csr.rows));
  std::iota(number.begin(), number.end(), 0);
  std::mt19937 random(7);
  std::shuffle(number.begin(), number.end(), random);
  std::vector<Entry> entries;
  for (index_t i = 0; i < matrix.csr.rows; ++i) {
    for (auto p = matrix.csr.row_ptr[i]; p < matrix.csr.row_ptr[i + 1]; ++p) {
      entries.emplace_back(number[i], number[matrix.csr.col_idx[p]], 1.0);
    }
  }
  std::sort(entries.begin(), entries.end());
  const Matrix renumbered =
      testing::matrix_from_entries("renumbered", matrix.csr.rows, matrix.csr.cols, entries);

  const std::uint64_t expected = count("serial_upper", matrix);
  CHECK(expected > 0);
  CHECK(count("serial_upper", renumbered) == expected);
  CHECK(count("omp_forward", renumbered) == expected);
  CHECK(count("omp_adaptive", renumbered) == expected);
}

TEST_CASE("merges, markers and searches agree on skewed and road-like graphs") {
  for (const char* const spec :
       {"rmat:scale=12", "road:width=90,height=80", "rmat:scale=11,permute=0"}) {
    const TrianglesProblem problem(generate(spec), strict_graph);
    const std::uint64_t expected = problem.reference().triangles;
    INFO(spec);
    CHECK(expected > 0);
    CHECK(count(algorithm_named("serial"), problem) == expected);
    CHECK(count(algorithm_named("serial_upper"), problem) == expected);
    CHECK(count(algorithm_named("omp_forward"), problem) == expected);
    CHECK(count(algorithm_named("omp_adaptive"), problem) == expected);
  }
}

TEST_CASE("counts beyond 32 bits are exact") {
  const Matrix complete = generate("complete:vertices=3000");

  CHECK(count("omp_forward", complete) == 4495501000U);
  CHECK(count("omp_adaptive", complete) == 4495501000U);
}

TEST_CASE("a directed triangle with a loop, a duplicate and an explicit zero is one triangle") {
  const Matrix matrix = testing::matrix_from_entries(
      "dirty", 3, 3, {{0, 0, 1}, {0, 1, 0}, {0, 1, 2}, {1, 2, 3}, {2, 0, 4}});
  const TrianglesProblem problem(matrix, any_graph);

  CHECK(problem.cleaning() == GraphCleaning{.loops = 1, .duplicates = 1, .mirrored = 3});
  CHECK(problem.reference().triangles == 1);
  CHECK(count("serial", matrix) == 1);
  CHECK_THROWS_WITH(TrianglesProblem(matrix, strict_graph),
                    "dirty is not a simple undirected graph (strict=1): 1 loops, 1 duplicates, "
                    "3 one-directional edges");
}

TEST_CASE("graphs without edges have no triangles, whatever the threads") {
  for (const index_t vertices : {0, 1, 2, 100}) {
    const Matrix matrix = testing::matrix_from_entries("empty", vertices, vertices, {});
    for (const int threads : {1, 3}) {
      CHECK(count("omp_forward", matrix, threads) == 0);
      CHECK(count("omp_adaptive", matrix, threads) == 0);
    }
    CHECK(count("serial", matrix) == 0);
  }
}

TEST_CASE("the checker rejects counts that are off by one and names both") {
  const TrianglesProblem problem(generate("complete:vertices=5"), strict_graph);
  const TrianglesProblem::Result reference = problem.reference();

  CHECK(problem.check({10}, reference).ok);
  for (const std::uint64_t wrong : {9U, 11U}) {
    const CheckOutcome outcome = problem.check({wrong}, reference);
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.error == 1.0);
    CHECK(outcome.detail == "counted " + std::to_string(wrong) + " triangles, expected 10");
  }
}

TEST_CASE("a run records the graph's facts") {
  const Matrix matrix = generate("star:leaves=6");
  const TrianglesProblem problem(matrix, strict_graph);
  const auto run = algorithm_named("serial").prepare(problem, {});
  run->execute();

  const Measures measures = run->measures();
  const auto value = [&](const std::string& name) {
    return std::find_if(measures.begin(), measures.end(),
                        [&](const auto& m) { return m.first == name; })
        ->second;
  };
  CHECK(value("edges") == 6);
  CHECK(value("max_degree") == 6);
  CHECK(value("products") == 36 + 6);
  CHECK(value("triangles") == 0);
  CHECK(value("edges_mirrored") == 0);
  CHECK(problem.model().bytes == 4.0 * 12 + 8.0 * 8);
}

// The table of divisors in triangles.hpp.
using Dense = std::vector<std::vector<std::int64_t>>;

std::int64_t masked_sum(const Dense& x, const Dense& y, const Dense& mask) {
  std::int64_t sum = 0;
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        sum += mask[i][j] * x[i][k] * y[k][j];
      }
    }
  }
  return sum;
}

TEST_CASE("the divisors of the matrix expressions are those of the documentation") {
  const Matrix matrix = generate("rmat:scale=6,edge_factor=6");
  const TrianglesProblem problem(matrix, strict_graph);
  const Graph& graph = problem.graph();
  const auto n = static_cast<std::size_t>(graph.vertices);
  const Dense zero(n, std::vector<std::int64_t>(n, 0));
  Dense a = zero, l = zero, u = zero;
  for (index_t i = 0; i < graph.vertices; ++i) {
    for (const index_t* j = graph.begin(i); j != graph.end(i); ++j) {
      a[i][*j] = 1;
      (*j < i ? l : u)[i][*j] = 1;
    }
  }
  const auto triangles = static_cast<std::int64_t>(problem.reference().triangles);
  REQUIRE(triangles > 10);

  struct Row {
    std::string name;
    const Dense &x, &y;
    std::int64_t over_a, over_l, over_u;
  };
  const std::vector<Row> rows = {
      {"AA", a, a, 6, 3, 3}, {"AL", a, l, 3, 2, 1}, {"LA", l, a, 3, 2, 1},
      {"AU", a, u, 3, 1, 2}, {"UA", u, a, 3, 1, 2}, {"LU", l, u, 2, 1, 1},
      {"UL", u, l, 2, 1, 1}, {"LL", l, l, 1, 1, 0}, {"UU", u, u, 1, 0, 1}};
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(masked_sum(row.x, row.y, a) == row.over_a * triangles);
    CHECK(masked_sum(row.x, row.y, l) == row.over_l * triangles);
    CHECK(masked_sum(row.x, row.y, u) == row.over_u * triangles);
  }
}

}  // namespace
}  // namespace sparserepro
