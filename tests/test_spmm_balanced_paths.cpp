// The parameter `path` of cuda_csr_balanced: every path is right unless it is refused, `auto` gives
// the same bits as one of them, and refusals give the reason.
#include <array>
#include <map>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "generate/generate.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

SpmmProblem problem_of(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", offset_bits}});
}

Params path_params(const std::string& path, std::int64_t calls = 0) {
  return {{"path", path}, {"calls", calls}};
}

/// The values of `path` except auto.
std::vector<std::string> forced_paths() {
  std::vector<std::string> out;
  for (const Parameter& parameter : spmm_cuda_csr_balanced().parameters) {
    for (const ParamValue& value : parameter.allowed) {
      if (parameter.name == "path" && value != parameter.fallback) {
        out.push_back(std::get<std::string>(value));
      }
    }
  }
  return out;
}

/// The measure that is 1 for a path. The others, natural and uncut, have none.
const std::map<std::string, std::string> path_measures{
    {"row_groups", "grouped"}, {"row_bins", "binned"},     {"row_pack", "packed"},
    {"row_stage", "staged"},   {"row_block", "blocks"},    {"row_flat", "flat"},
    {"row_merge", "merged"},   {"row_short", "short_rows"}};

struct Answer {
  Dense y;
  std::string path;   ///< by the run's measures
  double segments{};  ///< of the long rows
  std::int64_t workspace_bytes{};
};

Answer multiply(const Algorithm<SpmmProblem>& algorithm, const SpmmProblem& problem,
                const std::string& path, const SpmmReference& reference, std::int64_t calls = 0) {
  const auto run = algorithm.prepare(problem, path_params(path, calls));
  Answer out{{}, "natural", 0.0, 0};
  for (int execution = 1; execution <= executions(); ++execution) {
    run->preprocess();
    run->poison();
    run->execute();
    run->download();
    const Dense y = run->result();
    const CheckOutcome outcome = problem.check(y, reference);
    INFO("execution " << execution << ": " << outcome.detail);
    CHECK(outcome.ok);
    CHECK((execution == 1 || out.y.data == y.data));
    out.y = y;
  }
  for (const auto& [name, value] : run->measures()) {
    if (const auto found = path_measures.find(name); found != path_measures.end() && value == 1) {
      out.path = found->second;
    } else if (name == "segments") {
      out.segments = value;
    }
  }
  out.workspace_bytes = run->workspace_bytes();
  return out;
}

/// Checks every path, and that the path which auto takes gives the same bits as auto. Returns it.
std::string check_paths(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits) {
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  const SpmmProblem problem = problem_of(matrix, k, offset_bits);
  const SpmmReference reference = problem.reference();
  const bool entries = problem.shape().stored > 0 && problem.shape().rows > 0;
  INFO(matrix.name << ", k = " << k << ", " << offset_bits << "-bit row pointers");
  const Answer automatic = multiply(algorithm, problem, "auto", reference);
  const Answer few = multiply(algorithm, problem, "auto", reference, 1);
  if (entries) {
    CHECK((few.path == "merged") == (k == 1));
    CHECK(few.path != "grouped");
  }
  for (const std::string& path : forced_paths()) {
    if (!algorithm.refusal(problem, path_params(path)).empty() || !next_cell_in_part()) {
      continue;
    }
    INFO("path = " << path);
    const Answer forced = multiply(algorithm, problem, path, reference);
    if (entries) {
      CHECK(forced.path == (path == "uncut" ? "natural" : path));
      if (path == "uncut" || path == "staged" || path == "blocks" || path == "short_rows") {
        CHECK(forced.segments == 0);
      }
    }
    CHECK((path != automatic.path || forced.y.data == automatic.y.data));
    CHECK((path != few.path || forced.y.data == few.y.data));
  }
  return automatic.path;
}

/// Every `every` rows one about as long as a task, a part or a block's may be; short and empty
/// ones.
Matrix rows_about(const std::array<index_t, 6>& limits, index_t every = 100) {
  constexpr index_t cols = 20000;
  const index_t rows = 30 * every;
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    const index_t limit = limits[static_cast<std::size_t>(i * 6 / rows)];
    const index_t length = i % every == 7 ? limit + i / every % 5 - 2 : i % 50 < 5 ? 0 : i % 9;
    for (index_t e = 0; e < length; ++e) {
      entries.emplace_back(i, (37 * i + e) % cols, 1.0 + (i + e) % 7);
    }
  }
  return matrix_from_entries("rows_about_limits", rows, cols, entries);
}

}  // namespace

TEST_CASE("every path of cuda_csr_balanced is right on the battery", "[battery]") {
  require_device();
  if (!selected(spmm_cuda_csr_balanced())) {
    SKIP("not among SPARSEREPRO_TEST_ALGORITHMS");
  }
  for (const NamedMatrix& named : battery()) {
    for (const std::int64_t k : {1, 2, 3, 4, 8, 17, 64, 130}) {
      if (!brief() || k == 1 || k == 3 || k == 64) {
        check_paths(named.matrix, k, k == 3 || k == 17 ? 64 : 32);
      }
    }
  }
}

TEST_CASE("every path of cuda_csr_balanced is right on small matrices", "[small]") {
  require_device();
  for (const char* spec :
       {"fem:nx=3,ny=3,nz=2,dofs=3", "fem:nx=3,ny=2,nz=2,dofs=4", "star:leaves=3000"}) {
    const Matrix matrix = generate(spec);
    check_paths(matrix, 1, 32);
    check_paths(matrix, 3, 64);
    check_paths(matrix, 64, 32);
    check_paths(matrix, 128, 32);  // a slot a row
  }
}

TEST_CASE("every path of cuda_csr_balanced is right on matrices of many blocks") {
  require_device();
  std::vector<Matrix> matrices;
  for (const char* spec :
       {"fem:nx=9,ny=8,nz=7,dofs=3", "fem:nx=12,ny=12,nz=12,dofs=3", "fem:nx=5,ny=8,nz=7,dofs=4",
        "fem:stencil=5,nx=90,ny=80,nz=1,dofs=1", "uniform:rows=20000,cols=9000,nnz=400000",
        "rmat:scale=14,symmetric=0",
        "circuit:rows=30000,per_row=5,spread=40,dense_rows=3,dense_cols=2,dense_length=20000",
        "empty_rows:rows=5000,cols=700,nnz=9000", "star:leaves=20000"}) {
    matrices.push_back(generate(spec));
  }
  std::vector<Entry> entries;  // runs of equal rows far longer than a group, and empty ones between
  for (index_t i = 0; i < 20000; ++i) {
    for (index_t e = 0; e < (i % 700 < 600 ? 9 : 0); ++e) {
      entries.emplace_back(i, 100 * (i / 700) + 7 * e, 1.0 + e);
    }
  }
  matrices.push_back(matrix_from_entries("runs_of_equal_rows", 20000, 3000, entries));
  matrices.push_back(rows_about({112, 128, 256, 480, 512, 1024}));
  matrices.push_back(rows_about({128, 512, 1024, 2048, 4096, 8192}));
  for (const Matrix& matrix : matrices) {
    for (const std::int64_t k : {1, 2, 3, 6, 7, 10, 16, 31, 33, 64, 65, 128}) {
      check_paths(matrix, k, k == 7 ? 64 : 32);
    }
    check_paths(matrix, 1, 64);
  }
}

TEST_CASE("paths of one column are right where blocks have the tasks") {
  require_device();
  static_assert(BalancedPolicy::least_flat_of_blocks <= 1'000'000);
  const Matrix matrix = generate("rmat:scale=16,edge_factor=20,symmetric=0");
  REQUIRE(matrix.csr.nnz() >= 1'000'000);
  check_paths(matrix, 1, 32);
  check_paths(rows_about({112, 480, 512, 4096, 8192, 15000}, 12'000), 1, 64);
}

TEST_CASE("several columns: uneven rows of many entries go in equal shares") {
  require_device();
  const Matrix matrix = generate("rmat:scale=18,edge_factor=16,symmetric=0");
  REQUIRE(matrix.csr.nnz() >= 2 * BalancedPolicy::least_shares);  // half of them in long rows
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  for (const std::int64_t k : {3, 8}) {
    const SpmmProblem problem = problem_of(matrix, k, 32);
    const SpmmReference reference = problem.reference();
    CHECK(multiply(algorithm, problem, "auto", reference).path == "flat");
    CHECK(multiply(algorithm, problem, "auto", reference, 1).path == "binned");
  }
}

TEST_CASE("several columns: even rows far from the diagonal are staged") {
  require_device();
  const Matrix matrix = generate("uniform:rows=420000,cols=300000,nnz=3000000");
  for (const std::int64_t k : {2, 3, 8}) {
    check_paths(matrix, k, k == 3 ? 64 : 32);
  }
}

TEST_CASE("rows of few entries take several loads and rows a thread") {
  require_device();
  for (const char* spec :
       {"short_rows:rows=60000,cols=9000,per_row=1", "uniform:rows=70000,cols=50000,nnz=120000",
        "empty_rows:rows=90000,cols=30000,nnz=60000,empty=0.7"}) {
    const Matrix matrix = generate(spec);
    for (const std::int64_t k : {4, 7, 16, 31, 64, 100, 130}) {
      CHECK((check_paths(matrix, k, k % 9 == 7 ? 64 : 32) == "short_rows") == (k >= 16));
    }
  }
}

TEST_CASE("few long rows go by blocks, and many of them far from the diagonal") {
  require_device();
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  for (const char* spec :
       {"uniform:rows=600,cols=40000,nnz=120000", "uniform:rows=250,cols=9000,nnz=400000",
        "uniform:rows=9000,cols=400000,nnz=1500000"}) {
    const Matrix matrix = generate(spec);
    for (const std::int64_t k : {3, 8, 16}) {
      const SpmmProblem problem = problem_of(matrix, k, 32);
      const SpmmReference reference = problem.reference();
      INFO(spec << ", k = " << k);
      const Answer automatic = multiply(algorithm, problem, "auto", reference);
      CHECK(automatic.path == "blocks");
      CHECK(automatic.segments == 0);
      CHECK(multiply(algorithm, problem, "auto", reference, 1).path == "blocks");
    }
  }
  for (const std::int64_t k : {1, 7, 48, 130, 200}) {
    check_paths(generate("uniform:rows=600,cols=40000,nnz=120000"), k, k == 7 ? 64 : 32);
  }
}

TEST_CASE("memory of the sums of segments is that of the segments that there are") {
  require_device();
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  constexpr std::int64_t k = 64;
  for (const auto& [spec, cut] :
       {std::pair{"banded:rows=3000,diagonals=27", false}, {"star:leaves=20000", true}}) {
    INFO(spec);
    const SpmmProblem problem = problem_of(generate(spec), k, 32);
    const SpmmReference reference = problem.reference();
    const Answer natural = multiply(algorithm, problem, "natural", reference);
    const Answer uncut = multiply(algorithm, problem, "uncut", reference);
    CHECK((natural.segments > 0) == cut);
    CHECK(natural.workspace_bytes - uncut.workspace_bytes ==
          static_cast<std::int64_t>(natural.segments) * 8 * k);
  }
}

TEST_CASE("a path that cannot take K or the entries says why") {
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  const Matrix matrix = matrix_from_entries("one", 2, 2, {{0, 1, 1.0}});
  const auto reason = [&](const std::string& path, std::int64_t k) {
    return algorithm.refusal(problem_of(matrix, k, 32), path_params(path));
  };
  for (const std::int64_t k : {1, 2, 3, 4, 5, 6, 7, 8, 64, 129}) {
    INFO("k = " << k);
    for (const char* path :
         {"auto", "natural", "binned", "grouped", "blocks", "uncut", "short_rows"}) {
      CHECK(reason(path, k).empty());
    }
    CHECK(reason("flat", k).empty() == (k != 129));
    CHECK(reason("merged", k).empty() == (k == 1));
    CHECK(reason("packed", k).empty() == (k != 129));
    CHECK(reason("staged", k).empty() == (k != 129));
  }
  CHECK(reason("flat", 130) == "path flat takes at most 32 loads of a row of X; K = 130 makes 65");
  CHECK(reason("merged", 3) == "path merged takes K = 1 alone, not K = 3");
  CHECK(reason("packed", 33) ==
        "path packed takes at most 32 loads of a row of X; K = 33 makes 33");
  const auto says_most = [](RowOrder order, std::int64_t most) {
    CHECK(order_refusal(order, most, 3).empty());
    CHECK(order_refusal(order, most + 1, 3) == std::string("path ") + to_string(order) +
                                                   " takes at most " + std::to_string(most) +
                                                   " entries, not " + std::to_string(most + 1));
  };
  for (const RowOrder order : {RowOrder::uncut, RowOrder::blocks, RowOrder::short_rows}) {
    says_most(order, 1'073'741'824);
  }
  says_most(RowOrder::staged, 2'147'479'551);
  says_most(RowOrder::flat, 2'147'479'551);
  CHECK(order_refusal(RowOrder::natural, std::int64_t{1} << 40, 3).empty());
}
