// cuda_partition on matrices with duplicates: the check of the order fails, and the entries are
// sorted again.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "support/transpose_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Number of pairs of neighbouring entries with equal rows in the columns of A.
std::int64_t equal_neighbours(const Matrix& matrix) {
  std::map<std::pair<index_t, index_t>, std::int64_t> entries;
  const auto& a = matrix.csr;
  for (index_t i = 0; i < a.rows; ++i) {
    for (auto p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      ++entries[{i, a.col_idx[p]}];
    }
  }
  return a.nnz() - static_cast<std::int64_t>(entries.size());
}

/// Checks these storage types (in a brief run, with 32-bit row pointers).
/// Duplicates with values make the passes run again by votes; without values their order does not
/// matter.
void check_equal(const Matrix& matrix,
                 const std::vector<std::string>& value_types = {"fp64", "fp32", "pattern"}) {
  const auto& algorithm = transposition("cuda_partition");
  const auto equal = static_cast<double>(equal_neighbours(matrix));
  for (const std::string& value_type : value_types) {
    for (const std::int64_t bits : {32, 64}) {
      if (brief() && bits == 64) {
        continue;
      }
      const TransposeProblem problem(matrix, storage(value_type, bits));
      const AnyCsr reference = problem.reference();
      for (const char* tile : {"small", "large"}) {
        const Params params{{"path", std::string("auto")},
                            {"tile", std::string(tile)},
                            {"ranks", std::string("addition")},
                            {"launches", std::string("programmatic")}};
        CAPTURE(matrix.name, value_type, bits, tile);
        check_cell(algorithm, problem, reference, params);
        const auto run = algorithm.prepare(problem, params);
        run->execute();
        std::map<std::string, double> measures;
        for (const auto& [name, value] : run->measures()) {
          measures[name] = value;
        }
        const bool valued = value_type[0] != 'p';
        if (valued) {
          CHECK(measures.at("disorder") > 0);
        }
        if (measures.at("disorder") <= equal) {  // only duplicates are out of order
          CHECK(measures.at("sorted_again") == (valued ? 1 : 0));
        }
      }
    }
  }
}

/// `count` entries, 50 in a row, with `copies` duplicates at each position.
std::vector<Entry> repeated(index_t count, index_t copies) {
  std::vector<Entry> entries;
  for (index_t k = 0; k < count; ++k) {
    entries.emplace_back(k / 50, k % 50 / copies * 300, 1.0 + k);
  }
  return entries;
}

}  // namespace

TEST_CASE("cuda_partition: equal entries of one type of values", "[transpose][cuda][small]") {
  require_device();
  check_equal(matrix_from_entries("each_entry_ten_times", 2000, 15000, repeated(100000, 10)),
              {"fp32"});
}

TEST_CASE("cuda_partition: equal entries come in the order of A", "[transpose][cuda]") {
  require_device();
  check_equal(matrix_from_entries("each_entry_twice", 4000, 15000, repeated(200000, 2)));
  check_equal(matrix_from_entries("each_entry_ten_times", 2000, 15000, repeated(100000, 10)));
  std::vector<Entry> some = repeated(100000, 1);  // and one row of another order
  for (index_t k = 0; k < 200; ++k) {
    some.emplace_back(2000, 7 * (k % 100), -1.0 - k);
  }
  for (index_t k = 0; k < 3000; ++k) {  // a long row in order, whose entries meet few others
    some.emplace_back(2001, 2 * (k / 3), 0.5 + k);
  }
  check_equal(matrix_from_entries("some_entries_again", 2002, 15000, some));
  std::vector<Entry> many = repeated(100000, 1);
  for (index_t k = 0; k < 64; ++k) {
    many.emplace_back(2000, 77, 1.0 + k);
  }
  check_equal(matrix_from_entries("one_entry_64_times", 2001, 15000, many));
  check_equal(matrix_from_entries("most_entries_twice", 44000, 15000, repeated(2200000, 2)));
}
