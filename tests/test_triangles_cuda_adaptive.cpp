// cuda_adaptive beyond the tests of all CUDA counts: the choice of a path, triangles at each
// vertex, sets that collide in a hash table, ranks beyond a bitmap, hubs with several tasks.
// Clustering coefficients in closed form.
#include <algorithm>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "triangles/cuda_adaptive/clustering.hpp"
#include "triangles/cuda_adaptive/policy.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const Params any_graph{{"strict", std::int64_t{0}}};

const Algorithm<TrianglesProblem>& adaptive_algorithm() {
  const auto& table = triangles_algorithms();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& a) { return a.name == "cuda_adaptive"; });
}

std::unique_ptr<Run<TrianglesProblem>> counted(const TrianglesProblem& problem,
                                               const std::string& path, std::int64_t per_vertex) {
  auto run = adaptive_algorithm().prepare(problem, {{"path", path}, {"per_vertex", per_vertex}});
  run->preprocess();
  run->poison();
  run->execute();
  run->download();
  return run;
}

double measured(const Run<TrianglesProblem>& run, const std::string& name) {
  const Measures all = run.measures();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.first == name; });
  REQUIRE(found != all.end());
  return found->second;
}

/// Compares every path but `left_out` with the reference, in total and at each vertex.
void check_paths(const Matrix& matrix, std::int64_t most_narrow_entries = 1 << 30,
                 const std::string& left_out = "") {
  TrianglesProblem problem(matrix, any_graph);
  problem.set_most_narrow_entries(most_narrow_entries);
  const auto reference = problem.reference();
  for (const ParamValue& path : adaptive_algorithm().parameters[0].allowed) {
    if (to_string(path) == left_out) {
      continue;
    }
    for (const std::int64_t per_vertex : {0, 1}) {
      CAPTURE(matrix.name, to_string(path), per_vertex, most_narrow_entries);
      const auto run = counted(problem, to_string(path), per_vertex);
      const auto result = run->result();
      CHECK(result.of_vertex.size() ==
            (per_vertex == 1 ? static_cast<std::size_t>(matrix.csr.rows) : 0));
      const CheckOutcome outcome = problem.check(result, reference);
      CAPTURE(outcome.detail);
      CHECK(outcome.ok);
    }
  }
}

Matrix symmetric(const std::string& name, index_t n,
                 const std::vector<std::pair<int, int>>& edges) {
  std::vector<Entry> entries;
  for (const auto& [a, b] : edges) {
    entries.emplace_back(a, b, 1.0);
    entries.emplace_back(b, a, 1.0);
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return matrix_from_entries(name, n, n, entries);
}

}  // namespace

TEST_CASE("cuda_adaptive: the path follows the survey", "[triangles]") {
  const auto choose = [](index_t n, std::int64_t stored, AdaptiveSurvey survey) {
    return choose_path(n, stored, survey);
  };
  // A mesh in natural and in random order, a road, a uniform graph, R-MAT, a star, a dense graph.
  CHECK(choose(1000000, 6000000, {390, 8000, 12000}) == AdaptivePath::prefix);
  CHECK(choose(1000000, 6000000, {420, 8700, 5200}) == AdaptivePath::middle);
  CHECK(choose(24000000, 57800000, {200, 1500, 3300}) == AdaptivePath::prefix);
  CHECK(choose(1000000, 33000000, {2500, 60000, 33000}) == AdaptivePath::even);
  CHECK(choose(262144, 7600000, {60000, 9000, 8000}) == AdaptivePath::oriented);
  CHECK(choose(1000001, 2000000, {1000063, 0, 0}) == AdaptivePath::oriented);
  CHECK(choose(3000, 8997000, {191936, 9000, 8000}) == AdaptivePath::oriented);
}

TEST_CASE("clustering coefficients in closed form", "[triangles]") {
  const auto of = [](const std::string& spec) {
    const TrianglesProblem problem(generate(spec), any_graph);
    return clustering(problem.graph(), triangles_of_vertices_reference(problem.graph(), 2));
  };
  CHECK(of("complete:vertices=9").global == 1.0);
  CHECK(of("complete:vertices=9").mean_local == 1.0);
  CHECK(of("star:leaves=9").global == 0.0);
  CHECK(of("star:leaves=9").mean_local == 0.0);
  // Friendship graph of k triangles: the hub has k of its k (2k - 1) pairs, 2k others one of one.
  CHECK(of("friendship:triangles=4").global == Approx(12.0 / (28.0 + 8.0)));
  CHECK(of("friendship:triangles=4").mean_local == Approx((1.0 / 7.0 + 8.0) / 9.0));
  CHECK(local_clustering(0, 0) == 0.0);
  CHECK(local_clustering(0, 1) == 0.0);
  CHECK(local_clustering(3, 3) == 1.0);
}

TEST_CASE("the checker compares the triangles of each vertex", "[triangles]") {
  const TrianglesProblem problem(generate("wheel:rim=5"), any_graph);
  const auto reference = problem.reference();
  auto right = triangles_of_vertices_reference(problem.graph(), 2);
  CHECK(std::count(right.begin(), right.end(), 5) == 1);
  CHECK(std::count(right.begin(), right.end(), 2) == 5);
  CHECK(problem.check({5, right}, reference).ok);
  ++right[3];
  CHECK(problem.check({5, right}, reference).detail ==
        "triangles at vertex 3 differ from the reference");
  right.pop_back();
  --right[3];
  CHECK_FALSE(problem.check({5, right}, reference).ok);
}

TEST_CASE("cuda_adaptive: every path on the battery, in total and at each vertex",
          "[triangles][cuda][battery]") {
  require_device();
  for (const auto& [name, matrix, is_graph] : battery_part()) {
    if (matrix.csr.rows == matrix.csr.cols) {
      check_paths(matrix);
    }
  }
}

TEST_CASE("cuda_adaptive: every path on small graphs", "[triangles][cuda][small]") {
  require_device();
  for (const char* const spec :
       {"rmat:scale=7,edge_factor=8", "complete:vertices=80", "wheel:rim=5000"}) {
    check_paths(generate(spec));
  }
}

TEST_CASE("cuda_adaptive: every path, in total and at each vertex", "[triangles][cuda]") {
  require_device();
  for (const char* const spec :
       {"rmat:scale=13", "rmat:scale=11,edge_factor=64", "mesh:width=61,height=47",
        "mesh:width=61,height=47,permute=1", "road:width=300,height=70",
        "friendship:triangles=5000", "wheel:rim=9000", "star:leaves=100000",
        "complete:vertices=200", "bipartite:left=70,right=3000", "banded:rows=5000,diagonals=27",
        "uniform:rows=4000,cols=4000,nnz=60000"}) {
    check_paths(generate(spec));
    check_paths(generate(spec), 0);
  }
}

TEST_CASE("cuda_adaptive: one degree more or less than a limit", "[triangles][cuda]") {
  require_device();
  // A complete graph has vertices with every number of kept neighbours; the vertices of a wheel
  // that is joined to it are hubs of a chosen degree.
  using Policy = DeviceAdaptivePolicy;
  for (const int n : {Policy::table_set, Policy::table_set + 1, Policy::table_set + 2,
                      Policy::long_row, Policy::long_row + 1, Policy::long_row + 2,
                      5 * Policy::long_row}) {  // the last one in pieces, all with kept neighbours
    check_paths(generate("complete:vertices=" + std::to_string(n)));
  }
  for (const int n : {Policy::warp_segment, 2 * Policy::long_row, Policy::block_segment}) {
    for (const int rim : {n - 1, n, n + 1, 2 * n + 1}) {
      check_paths(generate("wheel:rim=" + std::to_string(rim)));
    }
  }
}

TEST_CASE("cuda_adaptive: more tasks with a bitmap than blocks", "[triangles][cuda]") {
  require_device();
  // About 5000 tasks: a block takes several, each with neighbours of its own.
  check_paths(generate("uniform:rows=6000,cols=6000,nnz=1200000"));
}

TEST_CASE("cuda_adaptive: neighbours congruent modulo powers of two", "[triangles][cuda]") {
  require_device();
  std::vector<std::pair<int, int>> edges;
  constexpr int stride = 4096, many = 150, centres = 70;
  const auto number = [](int k) { return 100 + stride * k; };
  for (int k = 0; k < many; ++k) {
    for (int c = 0; c < centres; ++c) {
      edges.emplace_back(c, number(k));
    }
    for (const int step : {1, 2, 7, 64}) {
      edges.emplace_back(number(k), number((k + step) % many));
    }
  }
  for (int c = 1; c < centres; ++c) {
    edges.emplace_back(c - 1, c);
  }
  check_paths(symmetric("congruent", number(many), edges));
}

TEST_CASE("cuda_adaptive: numbers that share a bit of the filter", "[triangles][cuda][small]") {
  require_device();
  // Vertex u has more lower neighbours than upper ones, c and d, which are adjacent: c is looked up
  // among the lower ones, behind which it lies, and has the bit of the first of them, a.
  constexpr int u = 9000;
  const auto bit = [](int w) { return static_cast<unsigned>(w) * 2654435769U >> 20; };
  int a = 0, c = u + 1;
  while (bit(a) != bit(c)) {
    a = a + 1 < u - 3 ? a + 1 : 0;
    c += a == 0 ? 1 : 0;
  }
  const int d = c + 5;
  check_paths(symmetric("shared_bit", d + 1,
                        {{u, a}, {u, u - 3}, {u, u - 2}, {u, c}, {u, d}, {c, d}, {0, 1}}));
}

TEST_CASE("cuda_adaptive: hubs of many tasks", "[triangles][cuda]") {
  require_device();
  // 150 hubs, each adjacent to all hubs and to 3000 of 60000 others, which form a path.
  std::vector<std::pair<int, int>> edges;
  constexpr int hubs = 150, others = 60000, share = 20;
  for (int a = 0; a < hubs; ++a) {
    for (int b = 0; b < a; ++b) {
      edges.emplace_back(a, b);
    }
    for (int k = a % share; k < others; k += share) {
      edges.emplace_back(a, hubs + k);
    }
  }
  for (int k = 1; k < others; ++k) {
    edges.emplace_back(hubs + k - 1, hubs + k);
  }
  // Path middle compares each pair of hubs number by number, in five warps.
  check_paths(symmetric("hubs", hubs + others, edges), 1 << 30, "middle");
}

TEST_CASE("cuda_adaptive: ranks beyond a bitmap", "[triangles][cuda]") {
  require_device();
  constexpr std::int64_t n = 32 * DeviceAdaptivePolicy::bitmap_words + 20000, side = 66;
  static_assert(side > DeviceAdaptivePolicy::table_set);
  const TrianglesProblem problem(
      generate("banded:rows=" + std::to_string(n) + ",diagonals=" + std::to_string(2 * side + 1)),
      any_graph);
  // Of i < j < k with k - i <= side, C(side, 2) for each i but the last ones.
  const std::uint64_t triangles =
      (n - side) * (side * (side - 1) / 2) + side * (side - 1) * (side - 2) / 6;
  for (const char* const path : {"oriented", "auto", "even"}) {
    const auto run = counted(problem, path, 0);
    CHECK(run->result().triangles == triangles);
    if (path == std::string("oriented")) {
      CHECK(measured(*run, "bitmap_tasks") > 0);
    }
  }
}

TEST_CASE("cuda_adaptive: records of clustering", "[triangles][cuda]") {
  require_device();
  const TrianglesProblem problem(generate("complete:vertices=30"), any_graph);
  const auto run = counted(problem, "auto", 1);
  CHECK(measured(*run, "global_clustering") == 1.0);
  CHECK(measured(*run, "mean_local_clustering") == 1.0);
}
