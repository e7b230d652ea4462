// Products on the device beyond the battery: more columns than threads in a block, rows longer than
// a block, every value of the parameters; and the formats that the host builds for them.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "generate/generate.hpp"
#include "spmm/cuda_host.hpp"
#include "spmm/papers/csr/row_blocks.hpp"
#include "spmm/papers/ellpack/sliced_ellpack.hpp"
#include "spmm/peers/bsr_blocks.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

SpmmProblem problem_of(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits = 32) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", offset_bits}});
}

const Algorithm<SpmmProblem>& product(const std::string& name) {
  const auto& table = spmm_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  return *found;
}

/// The defaults, and each other value of each parameter (1 and 4 if any integer is allowed) with
/// the defaults of the others.
std::vector<Params> cells_of(const Algorithm<SpmmProblem>& algorithm) {
  Params defaults;
  for (const Parameter& parameter : algorithm.parameters) {
    defaults.set(parameter.name, parameter.fallback);
  }
  std::vector<Params> cells{defaults};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::vector<ParamValue> any{1, 4};
    for (const ParamValue& value : parameter.allowed.empty() ? any : parameter.allowed) {
      if (value != parameter.fallback) {
        cells.push_back(defaults);
        cells.back().set(parameter.name, value);
      }
    }
  }
  return cells;
}

/// Checks two executions over poison (one in a brief run) of every cell of every CUDA algorithm,
/// and that own algorithms give the same bits in both.
void check_all(const std::string& spec, std::int64_t k, std::int64_t offset_bits = 32) {
  const Matrix matrix = generate(spec, 2);
  const SpmmProblem problem = problem_of(matrix, k, offset_bits);
  const SpmmReference reference = problem.reference();
  for (const auto& algorithm : spmm_algorithms()) {
    if (algorithm.backend != Backend::cuda || !algorithm.unavailable().empty() ||
        !selected(algorithm) || (algorithm.applies && !algorithm.applies(problem))) {
      continue;
    }
    for (const Params& params : cells_of(algorithm)) {
      if (algorithm.refusal && !algorithm.refusal(problem, params).empty()) {
        continue;
      }
      CAPTURE(spec, k, offset_bits, algorithm.name, to_string(params));
      const auto run = algorithm.prepare(problem, params);
      Dense first;
      for (int execution = 1; execution <= executions(); ++execution) {
        run->preprocess();
        run->poison();
        run->execute();
        run->download();
        const Dense y = run->result();
        const CheckOutcome outcome = problem.check(y, reference);
        CAPTURE(execution, outcome.detail);
        CHECK(outcome.ok);
        CHECK((execution == 1 || algorithm.peer || first.data == y.data));
        first = y;
      }
    }
  }
}

}  // namespace

TEST_CASE("CUDA products: every parameter on small matrices", "[spmm][cuda][small]") {
  require_device();
  check_all("circuit:rows=90,per_row=3,spread=30,dense_rows=1,dense_cols=1,dense_length=80,seed=5",
            3);
  check_all("uniform:rows=40,cols=30,nnz=300,seed=4", 33, 64);
}

TEST_CASE("CUDA products: sub-blocks that no power of two divides, columns beyond a block",
          "[spmm][cuda]") {
  require_device();
  for (const std::int64_t k : {1, 2, 3, 7, 12, 31, 33, 64, 100, 128, 129}) {
    check_all("uniform:rows=300,cols=200,nnz=5000,seed=3", k);
  }
  for (const std::int64_t k : {512, 513, 1024, 1100}) {
    check_all("uniform:rows=40,cols=30,nnz=300,seed=4", k);
  }
}

TEST_CASE("CUDA products: long rows, empty rows, 64-bit row pointers", "[spmm][cuda]") {
  require_device();
  for (const std::int64_t k : {1, 3, 12, 128}) {
    for (const std::int64_t bits : {32, 64}) {
      check_all(
          "circuit:rows=9000,per_row=3,spread=30,dense_rows=2,dense_cols=2,dense_length=8500,seed="
          "5",
          k, bits);
      check_all("empty_rows:rows=5000,cols=900,nnz=3000,empty=0.9,seed=6", k, bits);
    }
  }
  check_all("fem:stencil=27,nx=6,ny=5,nz=4,dofs=3,seed=7", 8);
  check_all("short_rows:rows=70001,cols=300,per_row=2,seed=8", 4);
}

TEST_CASE("CUDA products: blocks of every size that BSR takes", "[spmm][cuda]") {
  require_device();
  const Algorithm<SpmmProblem>& bsr = product("cusparse_bsr");
  for (const std::int64_t edge : {2, 3, 4, 6, 8}) {
    const Matrix matrix =
        generate("fem:stencil=27,nx=5,ny=4,nz=3,dofs=" + std::to_string(edge) + ",seed=9", 2);
    for (const std::int64_t k : {1, 3, 32, 100}) {
      const SpmmProblem problem = problem_of(matrix, k);
      const SpmmReference reference = problem.reference();
      for (const char* layout : {"row", "column"}) {
        const Params params{{"block_edge", edge}, {"layout", layout}};
        CAPTURE(edge, k, layout);
        REQUIRE(bsr.refusal(problem, params).empty());
        const auto run = bsr.prepare(problem, params);
        for (int execution = 1; execution <= 2; ++execution) {
          run->preprocess();
          run->poison();
          run->execute();
          run->download();
          const CheckOutcome outcome = problem.check(run->result(), reference);
          CAPTURE(execution, outcome.detail);
          CHECK(outcome.ok);
        }
      }
    }
  }
}

TEST_CASE("blocks of a matrix are counted, aligned to their size", "[spmm]") {
  // Blocks of 2: (0, 0) twice, (0, 1), (1, 0), (2, 2); of 3: (0, 0), (0, 1), (1, 0), (1, 1).
  const Matrix a = matrix_from_entries(
      "blocks", 6, 6,
      {{0, 0, 1.0}, {0, 3, 1.0}, {1, 1, 1.0}, {2, 0, 1.0}, {4, 1, 1.0}, {5, 5, 1.0}});
  CHECK(count_blocks(a.csr.view(), 1) == 6);
  CHECK(count_blocks(a.csr.view(), 2) == 5);
  CHECK(count_blocks(a.csr.view(), 3) == 4);
  CHECK(count_blocks(a.csr.view(), 6) == 1);
}

TEST_CASE("BSR is refused where blocks are poorly filled or not aligned", "[spmm]") {
  const auto reason = [](const std::string& spec, std::int64_t edge, std::int64_t bits = 32) {
    return product("cusparse_bsr")
        .refusal(problem_of(generate(spec, 2), 4, bits), {{"block_edge", edge}});
  };
  const std::string fem = "fem:stencil=27,nx=5,ny=4,nz=3,dofs=3,seed=9";
  CHECK(reason(fem, 3).empty());
  CHECK(reason(fem, 8) == "rows or columns are no multiple of block_edge 8");
  CHECK(reason(fem, 3, 64) == "cuSPARSE wants row pointers and column indices of one width");
  const std::string scattered = reason("uniform:rows=4000,cols=4000,nnz=8000,seed=3", 4);
  CAPTURE(scattered);
  CHECK(scattered.find("blocks of 4 x 4 store ") == 0);
  CHECK(scattered.find("values an entry; more than 2 are refused") != std::string::npos);
  const Matrix twice = matrix_from_entries("twice", 2, 2, {{0, 0, 1.0}, {0, 0, 2.0}, {1, 1, 1.0}});
  CHECK(product("cusparse_bsr")
            .refusal(problem_of(twice, 1), {{"block_edge", std::int64_t{2}}})
            .find("ascending and once each") != std::string::npos);
}

TEST_CASE("row blocks of CSR-Adaptive hold what they may and no more", "[spmm]") {
  for (const NamedMatrix& named : battery()) {
    const Csr<std::int64_t, double>& a = named.matrix.csr;
    for (const std::int64_t capacity : {1, 4, 32, 512}) {
      CAPTURE(named.name, capacity);
      const Buffer<index_t> first = adaptive_row_blocks(a.row_ptr.data(), a.rows, capacity);
      REQUIRE(first.front() == 0);
      REQUIRE(first.back() == a.rows);
      for (std::size_t b = 0; b + 1 < first.size(); ++b) {
        const index_t rows = first[b + 1] - first[b];
        const std::int64_t entries = a.row_ptr[first[b + 1]] - a.row_ptr[first[b]];
        REQUIRE(rows >= 1);
        REQUIRE((rows == 1 || (rows <= capacity && entries <= capacity)));
        // The next row would have exceeded the capacity.
        REQUIRE((first[b + 1] == a.rows || rows == capacity ||
                 a.row_ptr[first[b + 1] + 1] - a.row_ptr[first[b]] > capacity));
      }
    }
  }
}

TEST_CASE("sizes of blocks and sub-blocks of CSR-Adaptive", "[spmm]") {
  CHECK(sub_block_size(512, 0) == 512);
  CHECK(sub_block_size(512, 1) == 512);
  CHECK(sub_block_size(512, 3) == 128);  // 170 in the seed
  CHECK(sub_block_size(512, 12) == 32);  // 42 in the seed
  CHECK(sub_block_size(512, 512) == 1);
  CHECK(sub_block_size(512, 513) == 1);  // 0 in the seed
  CHECK(adaptive_local_size(0, 0) == 32);
  CHECK(adaptive_local_size(10, 640) == 64);
  CHECK(adaptive_local_size(10, 1271) == 128);
  CHECK(adaptive_local_size(10, 1280) == 128);
  CHECK(adaptive_local_size(1, 5000) == 512);
}

TEST_CASE("items of Y: those of short rows first, each once, row by row", "[spmm]") {
  for (const NamedMatrix& named : battery()) {
    const Csr<std::int64_t, double>& a = named.matrix.csr;
    for (const std::int64_t threshold : {1, 4, 53}) {
      CAPTURE(named.name, threshold);
      const SpmmItems items = items_by_row_length(a, 3, threshold);
      REQUIRE(static_cast<std::int64_t>(items.list.size()) == 3 * std::int64_t{a.rows});
      std::vector<int> seen(items.list.size(), 0);
      for (std::int64_t n = 0; n < 3 * std::int64_t{a.rows}; ++n) {
        const SpmmItem item = items.list[n];
        REQUIRE(item.col == n % 3);
        ++seen[std::int64_t{item.row} * 3 + item.col];
        const bool is_short = a.row_ptr[item.row + 1] - a.row_ptr[item.row] < threshold;
        REQUIRE(is_short == (n < items.short_items));
      }
      REQUIRE(std::count(seen.begin(), seen.end(), 1) == static_cast<std::int64_t>(seen.size()));
    }
  }
}

TEST_CASE("slices hold every row once, sorted within windows", "[spmm]") {
  for (const NamedMatrix& named : battery()) {
    const SpmmProblem problem = problem_of(named.matrix, 1);
    const Csr<std::int64_t, double>& a = named.matrix.csr;
    for (const auto& [height, sigma] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{32, 1}, {32, 1024}, {4, 32}}) {
      CAPTURE(named.name, height, sigma);
      const SlicedEllpack s = make_sliced_ellpack(problem, height, sigma);
      std::vector<index_t> seen(s.row.begin(), s.row.end());
      for (std::int64_t p = 0; p < a.rows; ++p) {
        const index_t row = s.row[p];
        REQUIRE(row / sigma == p / sigma);
        REQUIRE(s.row_length[p] == a.row_ptr[row + 1] - a.row_ptr[row]);
        REQUIRE((p % sigma == 0 || s.row_length[p - 1] >= s.row_length[p]));
        for (index_t e = 0; e < s.row_length[p]; ++e) {
          const std::int64_t slot = s.slice_ptr[p / height] + e * height + p % height;
          REQUIRE(slot < s.slice_ptr[p / height + 1]);
          REQUIRE(s.col_idx[slot] == a.col_idx[a.row_ptr[row] + e]);
          REQUIRE(s.values[slot] == a.values[a.row_ptr[row] + e]);
        }
      }
      std::sort(seen.begin(), seen.end());
      std::vector<index_t> all(seen.size());
      std::iota(all.begin(), all.end(), 0);
      REQUIRE(seen == all);
    }
  }
}

TEST_CASE("slices beyond the limit are refused with factor and size", "[spmm]") {
  constexpr index_t length = 5'600'000;  // 32 of them are 2 GiB
  Matrix one_row = matrix_from_entries("one_row", 1, 1, {{0, 0, 1.0}});
  one_row.csr = Csr<std::int64_t, double>(1, length, length);
  one_row.csr.row_ptr = {0, length};
  std::iota(one_row.csr.col_idx.begin(), one_row.csr.col_idx.end(), 0);
  std::fill(one_row.csr.values.begin(), one_row.csr.values.end(), 1.0);
  const SpmmProblem problem = problem_of(one_row, 1);
  const std::string reason = sliced_ellpack_refusal(problem, 32, 1);
  CAPTURE(reason);
  CHECK(reason.find("32 times the entries (padding factor) in 2050 MiB") != std::string::npos);
  CHECK(sliced_ellpack_refusal(problem, 16, 1).empty());
}
