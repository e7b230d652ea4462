// Vectors of omp_csr_blocked: each second or third element of X to a vector, and of Y from one.
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/small_floats.hpp"
#include "spmm/omp_csr_blocked/product/simd.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

/// Every `step`-th element of an array that ends with the last one, and back.
template <class Element, int n, int step>
void verify_steps() {
  using V = csr_blocks::Vectors<csr_blocks::Set<8, 1>, Element, n>;
  constexpr typename V::Lanes lanes;
  std::vector<Element> x(step * (n - 1) + 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<Element, double>) {
      x[i] = static_cast<double>(i + 1);
    } else {
      x[i] = from_float<Element>(static_cast<float>(i + 1));
    }
  }
  const auto picked = V::template load_every<step>(x.data(), V::load(x.data()), lanes);
  std::vector<typename V::Sum> y(step * n), expected(step * n);
  typename V::Vector rows[step];
  for (int lane = 0; lane < n; ++lane) {
    CHECK(picked[lane] == csr_blocks::widened(x[step * lane]));
    for (int row = 0; row < step; ++row) {
      rows[row][lane] = static_cast<typename V::Sum>(100 * row + lane);
      expected[step * lane + row] = rows[row][lane];
    }
  }
  V::template store_every<step>(y.data(), rows, lanes);
  CHECK(y == expected);
}

template <class Element>
void verify_all_steps() {
  const auto verify = []<int... n>(std::integer_sequence<int, n...>) {
    (verify_steps<Element, n, 1>(), ...);
    (verify_steps<Element, n, 2>(), ...);
    (verify_steps<Element, n, 3>(), ...);
  };
  verify(std::integer_sequence<int, 2, 4, 8, 16>());
}

}  // namespace

TEST_CASE("units of several rows take each second or third element, and none behind the last") {
  verify_all_steps<double>();
  verify_all_steps<float>();
  verify_all_steps<Half>();
  verify_all_steps<Bfloat>();
}
