// The second bounds: formulas compared with numbers computed by hand.
#include <cstdint>
#include <string>
#include <utility>

#include "formats/matrix.hpp"
#include "harness/bounds.hpp"
#include "io/load_matrix.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "transpose/transpose.hpp"
#include "transpose/two_passes.hpp"

namespace {

using namespace sparserepro;
using sparserepro::testing::matrix_from_entries;

Params storage(const std::string& value_type) {
  return Params{{"value_type", value_type}, {"offset_bits", std::int64_t{32}}};
}

SecondBound second_of(const std::string& spec, const std::string& value_type) {
  return TransposeProblem(load_matrix(spec), storage(value_type)).model().second;
}

}  // namespace

TEST_CASE("second bound of SpMM: A and Y in order, X by rows") {
  // 4 entries in 3 x 3, K = 2: A has 4 (4 + 8) + 4 4 = 64 bytes, Y 3 2 8 = 48, X as many.
  const Matrix a =
      matrix_from_entries("hand", 3, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {2, 1, 3.0}, {2, 2, 4.0}});
  const SecondBound second = SpmmProblem(a, Dense(3, 2), 32).model().second;
  CHECK(second.name == "gather");
  CHECK(second.copied_bytes == 64 + 48);
  CHECK(second.gathered_bytes == 4 * 2 * 8);
  CHECK(second.row_bytes == 16);
  CHECK(second.table_bytes == 48);
  CHECK(second.panel_bytes == 64);
  CHECK(SpmmProblem(matrix_from_entries("empty", 3, 3, {}), Dense(3, 2), 32)
            .model()
            .second.name.empty());
}

TEST_CASE("second bound of transposition: 32 and 48 bytes an entry", "[transpose]") {
  const std::string spec = "uniform:rows=200000,cols=200000,nnz=1000000,seed=1";
  const double nnz = 1000000, pointers = 4.0 * (200000 + 200000 + 2);
  for (const auto& [value_type, bytes] :
       {std::pair{"fp64", 48}, std::pair{"fp32", 32}, std::pair{"pattern", 16}}) {
    CAPTURE(value_type);
    const SecondBound second = second_of(spec, value_type);
    CHECK(second.name == "two_passes");
    CHECK(second.copied_bytes == bytes * nnz + pointers);
    CHECK(static_cast<double>(second.table_bytes) == bytes / 4 * nnz);
    CHECK(second.gathered_bytes == 0);
  }
}

TEST_CASE("one pass suffices where tiles hold runs of a column", "[transpose]") {
  CHECK(second_of("uniform:rows=200000,cols=1000,nnz=1000000,seed=1", "fp64").name.empty());
  CHECK(second_of("banded:rows=100000,diagonals=9,half_bandwidth=8", "fp64").name.empty());
  // One tile holds all entries.
  CHECK(second_of("uniform:rows=20000,cols=20000,nnz=100000,seed=1", "fp64").name.empty());
  // | a b . |  in tiles of 2 entries: {a b} 2 columns, {a a} 1, {c} 1: 5 entries, 4 columns.
  // | a . . |
  // | a . c |
  Csr<std::int32_t, Pattern> a(3, 3, 5);
  a.row_ptr = {0, 2, 3, 5};
  a.col_idx = {0, 1, 0, 0, 2};
  CHECK(entries_per_column_of_a_tile(a, 2) == 5.0 / 4);
  CHECK(entries_per_column_of_a_tile(a, 5) == 5.0 / 3);
}

TEST_CASE("the time of two passes holds while the cache cannot keep what the first pass leaves") {
  Model model{24e6, 0.0, {}};
  model.second = {.name = "two_passes", .copied_bytes = 48e6, .table_bytes = 12000000};
  const auto seconds = [&](std::int64_t cache) {
    return second_bound_seconds(model, Rates{1e9, cache, nullptr});
  };
  CHECK(seconds(11999999).value() == 0.048);
  CHECK_FALSE(seconds(12000000).has_value());
  model.second.name = "";
  CHECK_FALSE(seconds(1).has_value());
}

TEST_CASE("the time of gathers: one memory adds up, a cache and the memory overlap") {
  Model model{300.0, 0.0, {}};
  model.second = {.name = "gather",
                  .copied_bytes = 200,
                  .gathered_bytes = 1000,
                  .row_bytes = 64,
                  .table_bytes = 640,
                  .panel_bytes = 150};
  const auto seconds = [&](std::int64_t cache, double gather) {
    return second_bound_seconds(
        model, Rates{100.0, cache, [&](std::int64_t, std::int64_t) { return gather; }});
  };
  CHECK(seconds(639, 500.0).value() == 200 / 100.0 + 1000 / 500.0);
  CHECK(seconds(640, 250.0).value() == 1000 / 250.0);
  CHECK_FALSE(seconds(640, 500.0).has_value());  // 2 s; the first bound says 3 s
  // Rows of 256 bytes in panels of 128: A is read twice, and the panel of 1280 bytes fits.
  model.second.row_bytes = 256;
  model.second.table_bytes = 2560;
  const auto rate = [](std::int64_t row, std::int64_t table) {
    CHECK(table == 10 * row);
    return row == 256 ? 10.0 : row == 128 ? 100.0 : 20.0;
  };
  CHECK(second_bound_seconds(model, Rates{100.0, 1280, rate}).value() == 10.0);
  CHECK(second_bound_seconds(model, Rates{100.0, 1279, rate}).value() == 3.5 + 10.0);
}
