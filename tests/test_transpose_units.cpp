// omp_partition, path direct in units: the answer of the counting sort for every type of values,
// with and without prefetches, and when units are sought.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/units.hpp"

using namespace sparserepro;

namespace {

/// The arrays of a transposed matrix.
template <class Value>
struct Answer {
  std::vector<std::int32_t> col_ptr;
  std::vector<index_t> rows;
  std::vector<Value> values;

  Answer(index_t cols, std::size_t nnz)
      : col_ptr(static_cast<std::size_t>(cols) + 1, -1),
        rows(nnz, -1),
        values(has_values<Value> ? nnz : 0) {}
  CscBlock<std::int32_t, Value> view() { return {col_ptr.data(), rows.data(), values.data()}; }
};

/// Checks numbers of slices that cut rows and units anywhere.
template <class Value>
void check_type(const Csr<std::int64_t, double>& a) {
  const std::vector<std::int32_t> row_ptr(a.row_ptr.begin(), a.row_ptr.end());
  std::vector<Value> values(has_values<Value> ? a.values.size() : 0);
  if constexpr (has_values<Value>) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      values[p] = static_cast<Value>(p + 1);
    }
  }
  CsrView<std::int32_t, Value> view{};
  view.rows = a.rows;
  view.cols = a.cols;
  view.nnz = static_cast<std::int32_t>(a.nnz());
  view.row_ptr = row_ptr.data();
  view.col_idx = a.col_idx.data();
  view.values = values.data();
  Answer<Value> right(a.cols, a.col_idx.size());
  transpose_slice(view, std::int32_t{0}, view.nnz, right.view());
  for (const int slices : {1, 2, 5, 64}) {
    for (const bool fetches : {false, true}) {
      DirectTranspose<std::int32_t, Value> method(view, slices, fetches);
      for (const bool in_units : {true, false, true, true}) {
        CAPTURE(slices, fetches, in_units);
        method.be_in_units(in_units);
        Answer<Value> answer(a.cols, a.col_idx.size());
        method.run(answer.view(), false);
        CHECK(answer.col_ptr == right.col_ptr);
        CHECK(answer.rows == right.rows);
        if constexpr (has_values<Value>) {
          CHECK(answer.values == right.values);
        }
      }
    }
  }
}

void check(const Csr<std::int64_t, double>& a) {
  check_type<double>(a);
  check_type<float>(a);
  check_type<Pattern>(a);
}

}  // namespace

TEST_CASE("omp_partition: units are right where rows are alike, and where none are") {
  for (const char* const spec :
       {"fem:nx=4,ny=3,nz=5,dofs=3", "fem:stencil=9,nx=7,ny=9,nz=1,dofs=2",
        "fem:nx=5,ny=5,nz=4,dofs=5", "banded:rows=900,diagonals=9",
        "uniform:rows=900,cols=2100,nnz=7000", "uniform:rows=20,cols=5000,nnz=2000"}) {
    CAPTURE(spec);
    check(generate(spec).csr);
  }
}

TEST_CASE("omp_partition: units of any number of equal rows, and empty rows between") {
  std::vector<testing::Entry> entries;
  for (index_t i = 0; i < 700; ++i) {
    const index_t run = i / 7;
    for (index_t e = 0; e < (i % 50 < 3 ? 0 : 1 + run % 9); ++e) {
      entries.emplace_back(i, (run % 3 == 0 ? i : run) + 5 * e, i + 0.5 * e);
    }
  }
  check(testing::matrix_from_entries("runs", 700, 800, entries).csr);
  check(testing::matrix_from_entries("empty", 9, 5, {}).csr);
}

TEST_CASE("omp_partition: rows are alike from 45 % of their entries in equal ones on") {
  const auto alike = [](const char* spec) { return rows_are_alike(generate(spec).csr.view()); };
  CHECK(alike("fem:nx=8,ny=8,nz=8,dofs=3"));
  CHECK(alike("fem:stencil=9,nx=30,ny=30,nz=1,dofs=2"));
  CHECK_FALSE(alike("fem:nx=8,ny=8,nz=8,dofs=1"));
  CHECK_FALSE(alike("banded:rows=900,diagonals=9"));
  CHECK_FALSE(alike("uniform:rows=3,cols=9,nnz=12"));  // fewer rows than samples
}
