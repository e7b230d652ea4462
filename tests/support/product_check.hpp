// Products whose right answer is one number in every order of the sums: values, X, Y and scalars
// are small integers, so that sums in fp32 and fp64 are exact and Y is rounded once.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/csr.hpp"
#include "formats/dense_layout.hpp"
#include "formats/small_floats.hpp"
#include "sparserepro/arrays.hpp"

namespace sparserepro::testing {

/// The element nearest to an integer or NaN.
template <class Element>
Element element_of(double value) {
  if constexpr (std::is_same_v<Element, double>) {
    return value;
  } else {
    return from_float<Element>(static_cast<float>(value));
  }
}
template <class Element>
double number_of(Element value) {
  if constexpr (std::is_same_v<Element, double>) {
    return value;
  } else {
    return to_float(value);
  }
}

/// An integer from -3 to 3, not 0, that depends on all bits of `seed`.
inline double small_integer(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
  const auto step = static_cast<int>((seed ^ seed >> 31) % 6);
  return step < 3 ? step - 3 : step - 2;
}

/// How a product is asked for.
struct ProductForm {
  Operation operation = Operation::none;
  DenseLayout x = DenseLayout::row_major, y = DenseLayout::row_major;
  std::int64_t gap = 0;  ///< elements between rows, or columns, of X and Y
  double alpha = 1, beta = 0;
};

inline std::string to_string(const ProductForm& form) {
  return std::string(to_string(form.operation)) + ", X " + to_string(form.x) + ", Y " +
         to_string(form.y) + ", gap " + std::to_string(form.gap) + ", alpha " +
         std::to_string(form.alpha) + ", beta " + std::to_string(form.beta);
}

/// Forms in which every layout, stride, scalar and operation occurs.
inline std::vector<ProductForm> product_forms() {
  constexpr DenseLayout rows = DenseLayout::row_major, columns = DenseLayout::column_major;
  std::vector<ProductForm> forms;
  for (const Operation operation : {Operation::none, Operation::transpose}) {
    forms.push_back({operation, rows, rows, 0, 1, 0});
    forms.push_back({operation, rows, rows, 0, -2, 3});
    forms.push_back({operation, rows, rows, 3, 1, 1});
    forms.push_back({operation, columns, rows, 0, 2, 0});
    forms.push_back({operation, rows, columns, 0, 1, 0});
    forms.push_back({operation, columns, columns, 2, 3, -1});
    forms.push_back({operation, columns, columns, 0, 0, 1});
  }
  return forms;
}

/// Operands of one product, and its answer.
template <class Element>
class ExactProduct {
 public:
  /// op(A) X for the pattern of `a`; `round` makes other values.
  template <class Value>
  ExactProduct(const Csr<std::int64_t, Value>& a, std::int64_t k, const ProductForm& form,
               std::uint64_t round = 0)
      : rows_(form.operation == Operation::none ? a.rows : a.cols),
        cols_(form.operation == Operation::none ? a.cols : a.rows),
        k_(k),
        form_(form) {
    const Element nan = element_of<Element>(std::numeric_limits<double>::quiet_NaN());
    values.resize(a.col_idx.size());
    for (std::size_t p = 0; p < values.size(); ++p) {
      values[p] = element_of<Element>(small_integer(p + (round << 40)));
    }
    x.assign(storage(cols_, form.x), nan);
    y.assign(storage(rows_, form.y), nan);
    for (std::int64_t i = 0; i < cols_; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        x[place(cols_, form.x, i, j)] =
            element_of<Element>(small_integer(static_cast<std::uint64_t>(i * k + j) + 77));
      }
    }
    std::vector<double> sums(static_cast<std::size_t>(rows_ * k), 0.0);
    for (index_t i = 0; i < a.rows; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        const bool none = form.operation == Operation::none;
        const std::int64_t to = none ? i : a.col_idx[p], from = none ? a.col_idx[p] : i;
        for (std::int64_t j = 0; j < k; ++j) {
          sums[to * k + j] += number_of(values[p]) * number_of(x[place(cols_, form.x, from, j)]);
        }
      }
    }
    answer = y;
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        const std::size_t at = place(rows_, form.y, i, j);
        const double before = small_integer(static_cast<std::uint64_t>(i * k + j) + 991);
        if (form.beta != 0) {
          y[at] = element_of<Element>(before);
        }
        const double sum = form.alpha * sums[i * k + j];
        answer[at] = element_of<Element>(form.beta == 0 ? sum : sum + form.beta * before);
      }
    }
  }

  /// Views of arrays that hold `x` and `y`, wherever they lie.
  DenseInput x_at(const Element* data) const {
    return {cols_, k_, stride(cols_, form_.x), {data, data_type_of<Element>()}, form_.x};
  }
  DenseOutput y_at(Element* data) const {
    return {rows_, k_, stride(rows_, form_.y), {data, data_type_of<Element>()}, form_.y};
  }
  /// Whether `got` [y.size()] has the answer, and what lies between its rows as it was.
  bool is_right(const Element* got) const {
    bool right = true;
    for (std::size_t e = 0; e < answer.size(); ++e) {
      right = right && (number_of(got[e]) == number_of(answer[e]) ||
                        std::memcmp(got + e, &answer[e], sizeof(Element)) == 0);
    }
    return right;
  }

  std::vector<Element> values, x, y, answer;

 private:
  std::int64_t stride(std::int64_t rows, DenseLayout layout) const {
    return (layout == DenseLayout::row_major ? k_ : rows) + form_.gap;
  }
  std::size_t storage(std::int64_t rows, DenseLayout layout) const {
    return static_cast<std::size_t>((layout == DenseLayout::row_major ? rows : k_) *
                                    stride(rows, layout));
  }
  std::size_t place(std::int64_t rows, DenseLayout layout, std::int64_t i, std::int64_t j) const {
    const std::int64_t step = stride(rows, layout);
    return static_cast<std::size_t>(layout == DenseLayout::row_major ? i * step + j : j * step + i);
  }

  std::int64_t rows_, cols_, k_;
  ProductForm form_;
};

}  // namespace sparserepro::testing
