// The three kernels of the host on a small graph: transposition, product, triangles. Prints each
// answer; exit code 1 where one is wrong.
#include <cstdint>
#include <iostream>
#include <sparserepro/spmm.hpp>
#include <sparserepro/transpose.hpp>
#include <sparserepro/triangles.hpp>
#include <vector>

namespace {

template <class T>
void print(const char* name, const std::vector<T>& elements) {
  std::cout << name << ':';
  for (const T& element : elements) {
    std::cout << ' ' << element;
  }
  std::cout << '\n';
}

}  // namespace

int main() {
  // Two triangles that share the edge {1, 2}; weights on the stored entries.
  const std::vector<std::int32_t> row_ptr = {0, 2, 5, 8, 10};
  const std::vector<std::int32_t> col_idx = {1, 2, 0, 2, 3, 0, 1, 3, 1, 2};
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const sparserepro::CsrInput a{4, 4, 10, row_ptr.data(), col_idx.data(), values.data()};

  try {
    std::vector<std::int32_t> t_row_ptr(5), t_col_idx(10);
    std::vector<double> t_values(10);
    sparserepro::host::transpose(a, {t_row_ptr.data(), t_col_idx.data(), t_values.data()});
    print("row_ptr of A^T", t_row_ptr);
    print("col_idx of A^T", t_col_idx);
    print("values of A^T", t_values);

    const std::vector<double> x = {1, 10, 100, 1000};
    std::vector<double> y(4);
    sparserepro::host::spmm(1.0, a, {4, 1, 1, x.data()}, 0.0, {4, 1, 1, y.data()});
    print("A x", y);

    const std::uint64_t triangles = sparserepro::host::triangle_count(a);
    std::cout << "triangles: " << triangles << '\n';

    const bool right = t_values == std::vector<double>{3, 6, 1, 7, 9, 2, 4, 10, 5, 8} &&
                       y == std::vector<double>{210, 5403, 8076, 1090} && triangles == 2;
    return right ? 0 : 1;
  } catch (const sparserepro::InputError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
