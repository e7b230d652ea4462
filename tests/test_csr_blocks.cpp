// What omp_csr_blocked is made of: the cuts between its chunks, the products of every instruction
// set that this processor has, and rows that several threads share.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "spmm/csr_blocks.hpp"
#include "spmm/entry_chunks.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

SpmmProblem problem_of(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", offset_bits}});
}

/// Rows of very different lengths around two that many chunks share, one of them the last.
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

const Algorithm<SpmmProblem>& blocked() {
  return *std::find_if(spmm_algorithms().begin(), spmm_algorithms().end(),
                       [](const auto& algorithm) { return algorithm.name == "omp_csr_blocked"; });
}

/// All products of one instruction set, with rows in two ranges, against the reference.
template <class Offset>
void verify_sets(const Matrix& matrix, std::int64_t k) {
  const SpmmProblem problem = problem_of(matrix, k, 8 * sizeof(Offset));
  const SpmmReference reference = problem.reference();
  const CsrView<Offset, double> a = std::get<Csr<Offset, double>>(problem.matrix()).view();
  for (const auto& set : csr_blocks::instruction_sets<Offset>()) {
    for (const bool stream : {false, true}) {
      Dense y(a.rows, k);
      std::fill(y.data.begin(), y.data.end(), 1e300);
      for (std::int64_t column = 0; column < k; column += set.tile_columns) {
        const auto columns = std::min<std::int64_t>(set.tile_columns, k - column);
        const auto kernels = k == 1 ? set.one_column : set.tile(static_cast<int>(columns));
        const csr_blocks::Operands<Offset> operands{a, problem.x().data.data() + column,
                                                    y.data.data() + column, k, stream};
        kernels.rows(operands, 0, a.rows / 3, static_cast<int>(columns));
        kernels.rows(operands, a.rows / 3, a.rows, static_cast<int>(columns));
        if (a.rows > 0) {
          kernels.segment(operands, a.row_ptr[0], a.row_ptr[1], static_cast<int>(columns),
                          operands.y);
        }
      }
      const CheckOutcome outcome = problem.check(y, reference);
      INFO(set.name << ", k = " << k << ", stream " << stream << ": " << outcome.detail);
      CHECK(outcome.ok);
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
  CHECK(std::string(csr_blocks::instruction_sets<std::int32_t>().back().name) == "portable");
  for (const NamedMatrix& named : battery()) {
    INFO(named.name);
    for (const std::int64_t k : {1, 4, 7, 8}) {
      verify_sets<std::int64_t>(named.matrix, k);
    }
  }
}

TEST_CASE("chunks follow each other, end with the matrix, and cut long rows alone") {
  const Matrix matrix = long_rows();
  const auto& a = matrix.csr;
  for (const std::int64_t least : {1, 100, 5000, 10000000}) {
    for (const std::int64_t most : {1, 7, 1000}) {
      const EntryChunks<std::int64_t> chunks(a.view(), least, most);
      INFO("least " << least << ", most " << most << ": " << chunks.count());
      CHECK((chunks.count() >= 1 && chunks.count() <= most));
      CHECK(chunks.begin(0) == Cut{0, 0});
      CHECK(chunks.begin(chunks.count()) == Cut{300, 0});
      const std::int64_t size =
          (a.nnz() + 300 * EntryChunks<std::int64_t>::row_cost) / chunks.count() + 1;
      for (std::int64_t c = 1; c < chunks.count(); ++c) {
        const Cut cut = chunks.begin(c);
        REQUIRE(cut >= chunks.begin(c - 1));
        REQUIRE(cut.row < 300);
        const std::int64_t length = a.row_ptr[cut.row + 1] - a.row_ptr[cut.row];
        REQUIRE((cut.entry == 0 || cut.entry < length));
        REQUIRE((cut.entry == 0 || length >= size));
      }
    }
  }
  CHECK(EntryChunks<std::int64_t>(Csr<std::int64_t, double>().view(), 5, 5).count() == 0);
}

TEST_CASE("rows that chunks share are summed to the same bits by any number of threads") {
  const Matrix matrix = long_rows();
  for (const std::int64_t k : {1, 3, 16, 70}) {
    const SpmmProblem problem = problem_of(matrix, k, k == 3 ? 64 : 32);
    const SpmmReference reference = problem.reference();
    Dense first;
    for (const std::int64_t threads : {1, 2, 3, 5}) {
      const auto run = blocked().prepare(problem, {{"threads", threads}});
      for (int execution = 1; execution <= 3; ++execution) {
        run->poison();
        run->execute();
        const Dense y = run->result();
        INFO("k = " << k << ", " << threads << " threads, execution " << execution);
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
}
