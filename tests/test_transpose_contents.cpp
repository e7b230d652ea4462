// A host::Transposer whose arrays get other contents between calls, as its page allows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sparserepro/transpose.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

constexpr std::int32_t rows = 131072, apart = 32, columns = apart * rows;

/// A of `rows` entries, entry p in column apart * p, and its transpose.
struct Arrays {
  std::vector<std::int32_t> row_ptr, col_idx, out_ptr, out_idx;

  Arrays() : row_ptr(rows + 1), col_idx(rows), out_ptr(std::size_t{columns} + 1), out_idx(rows) {
    all_entries_in_one_row();
    for (std::int32_t p = 0; p < rows; ++p) {
      col_idx[p] = apart * p;
    }
  }
  void all_entries_in_one_row() {
    std::fill(row_ptr.begin(), row_ptr.end(), rows);
    row_ptr[0] = 0;
  }
  void one_entry_a_row() { std::iota(row_ptr.begin(), row_ptr.end(), 0); }

  CsrInput in() const { return {rows, columns, rows, row_ptr.data(), col_idx.data(), nullptr}; }
  CsrOutput out() { return {out_ptr.data(), out_idx.data(), nullptr}; }

  /// The rows of the answer's entries, column by column, in ascending order.
  bool answers_row(bool every) const {
    bool right = out_ptr.back() == rows;
    for (std::int32_t p = 0; p < rows; ++p) {
      right = right && out_ptr[apart * p] == p && out_idx[p] == (every ? p : 0);
    }
    return right;
  }
};

}  // namespace

TEST_CASE("host transposition: other contents than the constructor saw, on every path") {
  using enum host::TransposePath;
  for (const int threads : {1, 2}) {
    for (const host::TransposePath path : {automatic, serial, direct, columns, buckets}) {
      CAPTURE(threads, static_cast<int>(path));
      Arrays arrays;
      host::Transposer transposer(arrays.in(), {.threads = threads, .path = path});
      transposer(arrays.out());
      CHECK(arrays.answers_row(false));
      arrays.one_entry_a_row();
      transposer(arrays.out());
      CHECK(arrays.answers_row(true));
      arrays.all_entries_in_one_row();
      transposer(arrays.out());
      CHECK(arrays.answers_row(false));
    }
  }
}

TEST_CASE("host transposition: the path of a call whose keys do not fit is serial") {
  Arrays arrays;
  host::Transposer transposer(arrays.in(), {.threads = 1, .path = host::TransposePath::buckets});
  CHECK(transposer.path() == host::TransposePath::buckets);
  arrays.one_entry_a_row();
  transposer(arrays.out());
  CHECK(transposer.path() == host::TransposePath::serial);
}
