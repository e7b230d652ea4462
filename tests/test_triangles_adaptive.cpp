// omp_adaptive: both paths on the battery and on larger graphs; every vector width of this
// processor, lists whose lengths are around that of a vector, neighbours that collide in a hash
// table; and published counts of real graphs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "io/load_matrix.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/selection.hpp"
#include "triangles/omp_adaptive/low.hpp"
#include "triangles/omp_adaptive/marked.hpp"
#include "triangles/omp_adaptive/ranked.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const Params any_graph{{"strict", std::int64_t{0}}};

const Algorithm<TrianglesProblem>& omp_adaptive() {
  const auto& table = triangles_algorithms();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& algorithm) { return algorithm.name == "omp_adaptive"; });
}

/// The default values of all parameters, with two threads.
Params defaults(const Algorithm<TrianglesProblem>& algorithm) {
  Params params{{"threads", std::int64_t{2}}};
  for (const Parameter& parameter : algorithm.parameters) {
    params.set(parameter.name, parameter.fallback);
  }
  return params;
}

/// Checks two counts over poison; returns the path that ran.
std::string check_path(const TrianglesProblem& problem, const std::string& path,
                       std::int64_t threads) {
  CAPTURE(path, threads);
  const auto run = omp_adaptive().prepare(problem, {{"path", path}, {"threads", threads}});
  for (int execution = 0; execution < 2; ++execution) {
    run->preprocess();
    run->poison();
    run->execute();
    CHECK(problem.check(run->result(), problem.reference()).ok);
  }
  std::string ran;
  for (const auto& [name, value] : run->measures()) {
    if (name.rfind("path_", 0) == 0 && value == 1.0) {
      ran = ran.empty() ? name.substr(5) : "";
    }
  }
  return ran;
}

std::vector<Matrix> graphs_at_the_ends_of_vectors() {
  std::vector<Matrix> all;
  for (const int n : {3, 4, 8, 9, 10, 16, 17, 18, 19, 32, 33, 34, 35, 50, 65, 300}) {
    all.push_back(generate("complete:vertices=" + std::to_string(n)));
  }
  for (const char* const spec :
       {"wheel:rim=100", "friendship:triangles=50", "star:leaves=70", "mesh:width=40,height=31",
        "mesh:width=40,height=31,permute=1", "road:width=60,height=50", "rmat:scale=9",
        "rmat:scale=8,edge_factor=40", "fem:stencil=27,nx=7,ny=6,nz=5,dofs=1",
        "uniform:rows=300,cols=300,nnz=6000"}) {
    all.push_back(generate(spec));
  }
  all.push_back(spread_complete_graph(120, 1024));
  return all;
}

}  // namespace

TEST_CASE("omp_adaptive: every path on the battery", "[triangles][battery]") {
  for (const auto& [name, matrix, is_graph] : battery_part()) {
    if (matrix.csr.rows != matrix.csr.cols) {
      continue;
    }
    CAPTURE(name);
    const TrianglesProblem problem(matrix, any_graph);
    for (const std::int64_t threads : {1, 3}) {
      CHECK_FALSE(check_path(problem, "auto", threads).empty());
      CHECK(check_path(problem, "low", threads) == "low");
      CHECK(check_path(problem, "ranked", threads) == "ranked");
    }
  }
}

TEST_CASE("omp_adaptive: the path follows the degrees, and can be forced", "[triangles]") {
  for (const auto& [spec, path] :
       {std::pair{"mesh:width=40,height=31", "low"}, std::pair{"road:width=60,height=50", "low"},
        std::pair{"uniform:rows=3000,cols=3000,nnz=15000", "low"},
        std::pair{"rmat:scale=11,edge_factor=20", "ranked"},
        std::pair{"star:leaves=7000", "ranked"}, std::pair{"complete:vertices=300", "ranked"}}) {
    CAPTURE(spec);
    const TrianglesProblem problem(generate(spec), any_graph);
    CHECK(check_path(problem, "auto", 2) == path);
    CHECK(check_path(problem, "low", 2) == "low");
    CHECK(check_path(problem, "ranked", 2) == "ranked");
  }
}

TEST_CASE("omp_adaptive: low degrees, every vector width", "[triangles]") {
  for (const Matrix& matrix : graphs_at_the_ends_of_vectors()) {
    const TrianglesProblem problem(matrix, any_graph);
    const GraphView graph = problem.graph().view();
    for (std::size_t width = 0; width < count_low_variants().size(); ++width) {
      CAPTURE(matrix.source, graph.vertices, width);
      const CountLow count = count_low_variants()[width];
      const index_t middle = graph.vertices / 3;
      CHECK(count(graph, 0, middle) + count(graph, middle, graph.vertices) ==
            problem.reference().triangles);
    }
  }
}

TEST_CASE("omp_adaptive: marked numbers, every vector width and length", "[triangles]") {
  std::vector<std::uint32_t> bitmap(40);
  for (index_t i = 0; i < 1280; ++i) {
    bitmap[i / 32] |= i % 3 == 0 || i == 1279 ? 1U << (i % 32) : 0U;
  }
  std::vector<index_t> list(1280);
  for (index_t p = 0; p < 1280; ++p) {
    list[p] = (p * 7 + 1279) % 1280;
  }
  std::uint64_t expected = 0;
  for (index_t length = 0; length <= 1280; ++length) {
    for (const CountMarked count : count_marked_variants()) {
      REQUIRE(count(bitmap.data(), list.data(), length) == expected);
    }
    if (length < 1280) {
      expected += list[length] % 3 == 0 || list[length] == 1279;
    }
  }
  CHECK(expected == 428);
}

TEST_CASE("omp_adaptive: ranks descend by degree and rows keep the neighbours below",
          "[triangles]") {
  // The star's hub and the R-MAT graph's are ordered by comparison, as their degrees exceed 4096.
  for (const char* const spec :
       {"star:leaves=5000", "rmat:scale=14,edge_factor=30", "mesh:width=20,height=30"}) {
    const TrianglesProblem problem(generate(spec), any_graph);
    const GraphView graph = problem.graph().view();
    for (const int threads : {1, 3}) {
      CAPTURE(spec, threads);
      RankedGraph ranked(graph, threads);
      ranked.build();
      std::multiset<std::int64_t> degrees, ranked_degrees;
      bool descends = true, parted = true;
      std::int64_t edges = 0;
      for (index_t r = 0; r < graph.vertices; ++r) {
        const std::int64_t degree = ranked.start(r + 1) - ranked.start(r);
        degrees.insert(graph.degree(r));
        ranked_degrees.insert(degree);
        descends = descends && (r == 0 || ranked.start(r) - ranked.start(r - 1) >= degree);
        const std::set<index_t> kept(ranked.row(r), ranked.row(r) + ranked.later(r));
        parted = parted && static_cast<std::int64_t>(kept.size()) == ranked.later(r) &&
                 (kept.empty() || (*kept.begin() >= 0 && *kept.rbegin() < r));
        edges += ranked.later(r);
        if (degree > 0) {
          REQUIRE(ranked.rank_of(ranked.start(r)) == r);
          REQUIRE(ranked.rank_of(ranked.start(r + 1) - 1) == r);
        }
      }
      CHECK(degrees == ranked_degrees);
      CHECK(descends);
      CHECK(parted);
      CHECK(edges == graph.stored() / 2);
    }
  }
}

TEST_CASE("neighbours that share a residue are all counted", "[triangles]") {
  for (const auto& [corners, step] : {std::pair{150, 1024}, std::pair{130, 4096}}) {
    const TrianglesProblem problem(spread_complete_graph(corners, step), any_graph);
    for (const auto& algorithm : triangles_algorithms()) {
      if (algorithm.backend == Backend::cuda || algorithm.peer) {
        continue;
      }
      CAPTURE(algorithm.name, step);
      const auto run = algorithm.prepare(problem, defaults(algorithm));
      run->preprocess();
      run->execute();
      CHECK(run->result().triangles ==
            static_cast<std::uint64_t>(corners) * (corners - 1) * (corners - 2) / 6);
    }
  }
}

TEST_CASE("published counts of real graphs", "[triangles]") {
  // https://snap.stanford.edu/data, where directed edges are taken as undirected too.
  const std::vector<std::pair<std::string, std::uint64_t>> published = {{"p2p-Gnutella31", 2024},
                                                                        {"email-Enron", 727044},
                                                                        {"soc-Epinions1", 1624481},
                                                                        {"web-NotreDame", 8910005}};
  const char* const folder = std::getenv("SPARSEREPRO_MATRICES");
  if (folder == nullptr) {
    SKIP("SPARSEREPRO_MATRICES names no folder of matrices");
  }
  int counted = 0;
  for (const auto& [name, triangles] : published) {
    const std::string path = std::string(folder) + "/" + name + ".mtx.gz";
    if (!std::filesystem::exists(path)) {
      WARN("not run: no " << path);
      continue;
    }
    ++counted;
    const TrianglesProblem problem(load_matrix(path), any_graph);
    CAPTURE(name);
    CHECK(problem.reference().triangles == triangles);
    for (const auto& algorithm : triangles_algorithms()) {
      if (algorithm.backend == Backend::omp && !algorithm.peer) {
        CAPTURE(algorithm.name);
        const auto run = algorithm.prepare(problem, defaults(algorithm));
        run->preprocess();
        run->execute();
        CHECK(run->result().triangles == triangles);
      }
    }
  }
  if (counted == 0) {
    SKIP(folder << " has none of the published graphs");
  }
}
