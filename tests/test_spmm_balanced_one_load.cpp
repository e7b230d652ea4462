// Natural order where one load takes a row of X, on the device: every number of lanes, every type
// and width, rows of several batches and of no entries, exactly. Without CUDA the functions are not
// in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/product_on_device.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Rows of `mean` entries, but for empty ones and others of nearly three times as many; none in
/// column 0.
Csr<std::int64_t, double> rows_of(index_t rows, index_t mean) {
  Csr<std::int64_t, double> a;
  a.rows = rows;
  a.cols = 3 * mean + 1000;
  a.row_ptr.push_back(0);
  for (index_t i = 0; i < rows; ++i) {
    const index_t length = i % 11 == 3 ? 0 : i % 13 == 5 ? 3 * mean - i % 2 : mean;
    for (index_t e = 0; e < length; ++e) {
      a.col_idx.push_back(1 + i % 900 + e);
      a.values.push_back(0);
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col_idx.size()));
  }
  return a;
}

/// log2 of the lanes of a row for one column.
int log_lanes_of(const Csr<std::int64_t, double>& a) {
  RowStatistics statistics{};
  statistics.short_entries = static_cast<unsigned long long>(a.nnz());
  for (std::int64_t begin = 0; begin < a.rows; begin += 32) {
    std::int64_t longest = 0;
    for (std::int64_t i = begin; i < std::min<std::int64_t>(begin + 32, a.rows); ++i) {
      longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    }
    statistics.padded_entries += static_cast<unsigned long long>(32 * longest);
  }
  return one_load_log_lanes({statistics, a.rows, a.cols, a.nnz(), 1, 8, true, 1});
}

template <class Element, class Offset>
void check_one_load(const Csr<std::int64_t, double>& a, std::int64_t k, const ProductForm& form) {
  check_product_on_device<Element, Offset>(a, k, device::SpmmPath::natural, form);
}

}  // namespace

TEST_CASE("natural order by one load is right with every number of lanes", "[cuda][spmm][small]") {
  require_device();
  std::vector<bool> lanes(6);
  for (const index_t mean : {0, 1, 2, 5, 10, 20, 40, 80}) {
    // One lane takes a row only where rows are many.
    for (const index_t rows : {1, 131, 257, mean == 1 ? 50'003 : 2}) {
      CAPTURE(mean, rows);
      const auto a = rows_of(rows, mean);
      lanes[static_cast<std::size_t>(log_lanes_of(a))] = true;
      for (const ProductForm& form : {ProductForm{}, ProductForm{.alpha = -2, .beta = 3}}) {
        check_one_load<double, std::int32_t>(a, 1, form);
        check_one_load<double, std::int64_t>(a, 2, form);
        check_one_load<float, std::int64_t>(a, 1, form);
        check_one_load<float, std::int32_t>(a, 2, form);
        check_one_load<float, std::int32_t>(a, 4, form);
        for (const std::int64_t k : {1, 2, 4}) {
          check_one_load<Half, std::int32_t>(a, k, form);
          check_one_load<Bfloat, std::int64_t>(a, k, form);
        }
      }
    }
  }
  CHECK(lanes == std::vector<bool>(6, true));
}

TEST_CASE("natural order by one load is right where A leaves L2 first", "[cuda][spmm]") {
  require_device();
  const auto a = rows_of(1'100'000, 8);
  REQUIRE(passes_l2(a.rows, a.cols, a.nnz(), 1, 2, BalancedPolicy::passing_bytes));
  const ProductForm form{.alpha = -2, .beta = 3};
  check_one_load<double, std::int32_t>(a, 1, form);
  check_one_load<double, std::int64_t>(a, 2, form);
  check_one_load<float, std::int64_t>(a, 1, form);
  check_one_load<float, std::int32_t>(a, 4, form);
  check_one_load<Half, std::int32_t>(a, 1, form);
  check_one_load<Bfloat, std::int32_t>(a, 4, form);
}

#endif
