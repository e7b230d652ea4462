// Parts of omp_csr_blocked: the products of every instruction set of this processor, and rows that
// several threads share. test_row_bundles.cpp tests the bundles,
// test_csr_blocked_policy.cpp what the paths are and which one is taken.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "generate/generate.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/csr_blocked.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Rows of very different lengths, two of which are divided among threads, one of them the last.
Matrix long_rows() {
  constexpr index_t cols = 400000;
  std::vector<Entry> entries;
  const auto fill = [&](index_t row, index_t count) {
    for (index_t j = 0; j < count; ++j) {
      entries.emplace_back(row, j, (j % 17 - 8) / 7.0);
    }
  };
  for (index_t i = 0; i < 300; ++i) {
    fill(i, i == 100 || i == 299 ? cols : i % 7 == 0 ? 0 : i % 23);
  }
  return matrix_from_entries("long_rows", 300, cols, entries);
}

/// The tiles of K columns: the last one may take columns of the one before.
template <class Visit>
void for_each_tile(const csr_blocks::InstructionSet<double>& set, std::int64_t k, Visit visit) {
  for (std::int64_t column = 0; column < k; column += set.tile_columns) {
    const std::int64_t first = std::max<std::int64_t>(0, std::min(column, k - set.vector_columns));
    const auto columns = static_cast<int>(std::min<std::int64_t>(set.tile_columns, k - first));
    visit(first, columns, k == 1 ? set.one_column : set.tile(columns));
  }
}

std::vector<csr_blocks::InstructionSet<double>> sets_of_fp64() {
  std::vector<csr_blocks::InstructionSet<double>> all;
  for (const auto& sets : csr_blocks::all_instruction_sets()) {
    all.push_back(std::get<csr_blocks::InstructionSet<double>>(sets));
  }
  return all;
}

/// Rows as they lie in A, by every instruction set, with and without prefetches, against the
/// reference.
template <class Offset>
void verify_csr(const Matrix& matrix, std::int64_t k) {
  const SpmmProblem problem = problem_of(matrix, k, 8 * sizeof(Offset));
  const SpmmReference reference = problem.reference();
  const CsrView<Offset, double> a = std::get<Csr<Offset, double>>(problem.matrix()).view();
  std::vector<index_t> columns(a.col_idx, a.col_idx + a.nnz);
  columns.resize(columns.size() + csr_blocks::RowBundles::columns_ahead);
  for (const auto& set : sets_of_fp64()) {
    for (const bool fetch : {false, true}) {
      Dense y(a.rows, k);
      std::fill(y.data.begin(), y.data.end(), std::numeric_limits<double>::quiet_NaN());
      for_each_tile(set, k, [&](std::int64_t first, int width, const auto& kernels) {
        kernels.csr(
            a.values, columns.data(), a.row_ptr, a.rows,
            {problem.x().data.data() + first, y.data.data() + first, k, width, fetch, fetch});
      });
      const CheckOutcome outcome = problem.check(y, reference);
      INFO(set.name << ", k = " << k << ": " << outcome.detail);
      CHECK(outcome.ok);
    }
  }
}

/// Entries of a window, few and many, with every last layout that the set has.
std::vector<std::pair<std::int64_t, csr_blocks::Layout>> cases_of(
    const csr_blocks::InstructionSet<double>& set, std::int64_t k, std::int64_t longest) {
  using csr_blocks::Layout;
  std::vector<std::pair<std::int64_t, Layout>> cases;
  for (const std::int64_t entries : {std::max<std::int64_t>(longest, 60), std::int64_t{1} << 20}) {
    cases.emplace_back(entries, k == 1 ? Layout::shifted : Layout::band);
    cases.emplace_back(entries, Layout::lanes);
    if (k == 1 && set.one_column.diagonals) {
      cases.emplace_back(entries, Layout::diagonals);
      cases.emplace_back(entries, Layout::padded);
    }
  }
  return cases;
}

/// All products of every instruction set, with windows of a few rows and of many, against the
/// reference.
template <class Offset>
void verify_sets(const Matrix& matrix, std::int64_t k) {
  const SpmmProblem problem = problem_of(matrix, k, 8 * sizeof(Offset));
  const SpmmReference reference = problem.reference();
  const CsrView<Offset, double> a = std::get<Csr<Offset, double>>(problem.matrix()).view();
  std::int64_t longest = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    longest = std::max<std::int64_t>(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
  }
  for (const auto& set : sets_of_fp64()) {
    for (const auto& [entries, last] : cases_of(set, k, longest)) {
      const bool stream = entries == 1 << 20;
      Dense y(a.rows, k);
      std::fill(y.data.begin(), y.data.end(), std::numeric_limits<double>::quiet_NaN());
      csr_blocks::SliceLanes lanes{1, 1, 1};
      if (k > 0 && k <= set.tile_columns) {
        lanes = (k == 1 ? set.one_column : set.tile(static_cast<int>(k))).lanes;
      }
      const bool jagged = k == 1 && set.one_column.jagged && last != csr_blocks::Layout::lanes;
      const csr_blocks::RowBundles bundles(
          csr_blocks::RowPattern{a.rows, a.row_ptr, a.col_idx, a.cols},
          {.lanes = lanes, .entries = entries, .fetch = true, .jagged = jagged, .last = last}, 1);
      REQUIRE(bundles.long_rows().empty());
      std::vector<double> values(static_cast<std::size_t>(bundles.value_places()) +
                                 csr_blocks::RowBundles::most_lanes);
      bundles.write_values(
          a.row_ptr, [&](std::int64_t p) { return a.values[p]; }, values.data(), 1);
      for_each_tile(set, k, [&](std::int64_t column, int columns, const auto& kernels) {
        for (std::int64_t w = 0; w < bundles.windows(); ++w) {
          const csr_blocks::Window& window = bundles.window(w);
          kernels.window(window, values.data() + window.entry,
                         {problem.x().data.data() + column,
                          y.data.data() + window.first * k + column, k, columns, stream});
        }
      });
      const CheckOutcome outcome = problem.check(y, reference);
      INFO(set.name << ", k = " << k << ", stream " << stream << ": " << outcome.detail);
      CHECK(outcome.ok);
    }
  }
}

/// Rows of many lengths, some of them in threes of equal columns, whose columns cover a large X
/// many times.
Matrix scattered_rows() {
  constexpr index_t rows = 30000, cols = 265000;
  constexpr std::uint64_t mixer = 0x9E3779B97F4A7C15;  // odd, about 2^64 over the golden ratio
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    const std::int64_t unit = i % 7 < 3 ? i / 7 * 7 : i;
    const index_t length = unit % 50 == 0 ? 800 : 20 + static_cast<index_t>(unit % 9);
    for (index_t p = 0; p < length; ++p) {
      const std::uint64_t mixed = (static_cast<std::uint64_t>(unit) << 10 | p) * mixer >> 33;
      entries.emplace_back(i, static_cast<index_t>(mixed % cols),
                           ((i * 31 + p * 17) % 41 - 20) / 7.0);
    }
  }
  return matrix_from_entries("scattered_rows", rows, cols, entries);
}

/// Few rows: each row of X is read many times, each time long after the time before.
Matrix far_rows() {
  constexpr index_t rows = 3000, cols = 33000, length = 100;
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t p = 0; p < length; ++p) {
      entries.emplace_back(i, (p * 330 + i * 7919 % 330) % cols, (i * 31 + p * 17) % 41 / 7.0);
    }
  }
  return matrix_from_entries("far_rows", rows, cols, entries);
}

/// Checks that omp_csr_blocked with `path` is right and gives the same bits at each execution and
/// with each number of threads.
void verify_bits(const SpmmProblem& problem, const SpmmReference& reference,
                 const std::string& path, const std::vector<std::int64_t>& threads) {
  Dense first;
  for (const std::int64_t count : threads) {
    const auto run = blocked().prepare(
        problem, {{"path", path}, {"threads", count}, {"calls", std::int64_t{0}}});
    for (int execution = 1; execution <= 3; ++execution) {
      run->preprocess();
      run->poison();
      run->execute();
      const Dense y = run->result();
      INFO("path " << path << ", k = " << problem.k() << ", " << count << " threads, execution "
                   << execution);
      if (first.data.empty()) {
        first = y;
        const CheckOutcome outcome = problem.check(y, reference);
        INFO(outcome.detail);
        CHECK(outcome.ok);
      }
      CHECK(y.data == first.data);
    }
  }
}

/// verify_bits with every path that accepts the problem.
void verify_bits(const SpmmProblem& problem, const std::vector<std::int64_t>& threads) {
  const SpmmReference reference = problem.reference();
  for (const ParamValue& path : blocked().parameters.front().allowed) {
    if (blocked().refusal(problem, {{"path", path}}).empty()) {
      verify_bits(problem, reference, std::get<std::string>(path), threads);
    }
  }
}

}  // namespace

TEST_CASE("every instruction set, every width of a tile and beyond") {
  const NamedMatrix& blocks =
      *std::find_if(battery().begin(), battery().end(),
                    [](const auto& named) { return named.name == "blocks_of_three"; });
  for (std::int64_t k = 1; k <= 66; ++k) {
    verify_sets<std::int32_t>(blocks.matrix, k);
  }
  verify_sets<std::int64_t>(blocks.matrix, 129);
}

TEST_CASE("every instruction set on the battery") {
  CHECK(std::string(sets_of_fp64().back().name) == "portable");
  for (const NamedMatrix& named : battery()) {
    INFO(named.name);
    for (const std::int64_t k : {1, 4, 7, 8}) {
      verify_sets<std::int64_t>(named.matrix, k);
    }
  }
}

TEST_CASE("rows as they lie in A by every instruction set, with and without prefetches") {
  const Matrix matrix = every_layout();
  for (std::int64_t k = 1; k <= 66; ++k) {
    verify_csr<std::int32_t>(matrix, k);
  }
  verify_csr<std::int64_t>(matrix, 129);
}

TEST_CASE("every instruction set on every layout, at every width") {
  const Matrix matrix = every_layout();
  for (std::int64_t k = 1; k <= 66; ++k) {
    verify_sets<std::int32_t>(matrix, k);
  }
  verify_sets<std::int64_t>(matrix, 129);
}

TEST_CASE("diagonals by every instruction set that has them") {
  verify_sets<std::int32_t>(band_with_holes(500), 1);
  verify_sets<std::int64_t>(generate("fem:stencil=9,nx=11,ny=9,nz=1,dofs=2"), 1);
}

TEST_CASE("a few windows are shared by many threads, and summed to the same bits") {
  for (const Matrix& matrix : {every_layout(), scattered_rows()}) {
    for (const std::int64_t k : {1, 3, 16}) {
      verify_bits(problem_of(matrix, k, 32), {1, 2, 16});
    }
  }
}

TEST_CASE("diagonals have the same bits whether threads have few values or many") {
  const Matrix band = band_with_holes(16000);  // 1.5 MB of values
  const SpmmProblem problem = problem_of(band, 1, 32);
  verify_bits(problem, {1, 2, 16});
  const auto bytes_an_entry = [&](std::int64_t threads) {
    const auto run = blocked().prepare(
        problem, {{"path", "auto"}, {"threads", threads}, {"calls", std::int64_t{0}}});
    run->preprocess();
    return static_cast<double>(run->workspace_bytes()) / static_cast<double>(band.csr.nnz());
  };
  CHECK(bytes_an_entry(1) < 16);
  CHECK((bytes_an_entry(2) > 16) == csr_blocks::fastest_set<double>().one_column.diagonals);
}

TEST_CASE("rows that meet a large X from afar are summed to the same bits by any threads") {
  const Matrix matrix = scattered_rows();
  for (const std::int64_t k : {1, 3, 4, 8}) {
    verify_bits(problem_of(matrix, k, k == 3 ? 64 : 32), {1, 2, 7});
  }
}

TEST_CASE("rows of X that are met from afar again and again") {
  const Matrix matrix = far_rows();
  for (const std::int64_t k : {8, 64, 70}) {
    const SpmmProblem problem = problem_of(matrix, k, 32);
    verify_bits(problem, {1, 3});
    const auto run = blocked().prepare(
        problem, {{"path", "auto"}, {"threads", std::int64_t{2}}, {"calls", std::int64_t{0}}});
    run->preprocess();  // no copy of X
    CHECK(run->workspace_bytes() < 12 * matrix.csr.nnz() + (1 << 20));
  }
}

TEST_CASE("rows that are cut are summed to the same bits by any number of threads") {
  const Matrix matrix = long_rows();
  for (const std::int64_t k : {1, 3, 16, 70}) {
    verify_bits(problem_of(matrix, k, k == 3 ? 64 : 32), {1, 2, 3, 5});
  }
}
