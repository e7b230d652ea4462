// The check of conversions rejects wrong answers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "convert/convert.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

ConvertProblem small_problem() {
  return ConvertProblem(
      matrix_from_entries(
          "small", 4, 3,
          {{0, 0, 1.0}, {0, 2, 2.0}, {0, 2, 3.0}, {2, 1, 4.0}, {3, 0, 5.0}, {3, 1, 6.0}}),
      {{"order", "column_major"}});
}

Converted convert(const std::string& name, const ConvertProblem& problem) {
  const auto& table = convert_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  const auto run = found->prepare(problem, {{"threads", std::int64_t{1}}});
  run->execute();
  return run->result();
}

}  // namespace

TEST_CASE("the check rejects wrong CSR and accepts a free order only where it is declared") {
  const ConvertProblem problem = small_problem();
  const ConvertedCsr reference = problem.reference();
  const auto accepts = [&](ConvertedCsr csr, EntryOrder order = EntryOrder::input) {
    const CheckOutcome outcome = problem.check({std::move(csr), order}, reference);
    CHECK(outcome.ok == outcome.detail.empty());
    return outcome.ok;
  };
  CHECK(accepts(reference));
  ConvertedCsr swapped = reference;
  std::swap(swapped.col_idx[0], swapped.col_idx[1]);
  std::swap(swapped.values[0], swapped.values[1]);
  CHECK_FALSE(accepts(swapped));
  CHECK(accepts(swapped, EntryOrder::any));
  ConvertedCsr torn = reference;  // columns moved without their values
  std::swap(torn.col_idx[0], torn.col_idx[1]);
  CHECK_FALSE(accepts(torn, EntryOrder::any));
  ConvertedCsr repeated = reference;  // one of two duplicates written twice
  repeated.values[2] = repeated.values[1];
  CHECK_FALSE(accepts(repeated, EntryOrder::any));
  ConvertedCsr value = reference;
  value.values[5] = std::nextafter(value.values[5], 7.0);
  CHECK_FALSE(accepts(value));
  ConvertedCsr zero = reference, minus = reference;  // values are compared by their bits
  zero.values[5] = 0.0;
  minus.values[5] = -0.0;
  CHECK_FALSE(problem.check({minus, EntryOrder::input}, zero).ok);
  ConvertedCsr unwritten = reference;
  unwritten.values[4] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(accepts(unwritten, EntryOrder::any));
  ConvertedCsr pointer = reference;
  pointer.row_ptr[2] = 2;
  CHECK_FALSE(accepts(pointer));
  ConvertedCsr shorter = reference;
  shorter.col_idx.pop_back();
  CHECK_FALSE(accepts(shorter));
  ConvertedCsr rows = reference;
  rows.rows = 3;
  CHECK_FALSE(accepts(rows));
}

TEST_CASE("the check rejects wrong ELLPACK, its padding included") {
  const ConvertProblem problem = small_problem();
  const ConvertedCsr reference = problem.reference();
  const auto padded = std::get<Ellpack>(convert("coo_to_ellpack_serial", problem).matrix);
  const auto unpadded =
      std::get<EllpackNoPadding>(convert("coo_to_ellpack_no_zero_padding_serial", problem).matrix);
  const auto rejected = [&](const auto& matrix) {
    return !problem.check({matrix, EntryOrder::input}, reference).ok;
  };
  CHECK_FALSE(rejected(padded));
  CHECK_FALSE(rejected(unpadded));
  Ellpack changed = padded;
  changed.values[4] = 1e-300;  // padding of the empty row
  CHECK(rejected(changed));
  changed = padded;
  changed.col_idx[7] = 2;  // padding of row 2
  CHECK(rejected(changed));
  changed = padded;
  changed.values[6] = 4.5;  // entry of row 2
  CHECK(rejected(changed));
  changed = padded;
  changed.row_length[2] = 2;
  CHECK(rejected(changed));
  changed = padded;
  changed.width = 4;
  CHECK(rejected(changed));
  EllpackNoPadding moved = unpadded;
  moved.row_offset[3] = 3;
  CHECK(rejected(moved));
  moved = unpadded;
  moved.row_offset[1] = 0;  // of the empty row
  CHECK(rejected(moved));
  moved = unpadded;
  moved.row_length[0] = 2;
  CHECK(rejected(moved));
  moved = unpadded;
  moved.col_idx[5] = 2;
  CHECK(rejected(moved));
}
