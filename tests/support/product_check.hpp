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
inline std::int32_t small_integer(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
  const auto step = static_cast<std::int32_t>((seed ^ seed >> 31) % 6);
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

/// Forms of an operation in which every layout, stride and scalar occurs.
inline std::vector<ProductForm> product_forms(Operation operation) {
  constexpr DenseLayout rows = DenseLayout::row_major, columns = DenseLayout::column_major;
  return {{operation, rows, rows, 0, 1, 0},      {operation, rows, rows, 0, -2, 3},
          {operation, rows, rows, 3, 1, 1},      {operation, columns, rows, 0, 2, 0},
          {operation, rows, columns, 0, 1, 0},   {operation, columns, columns, 2, 3, -1},
          {operation, columns, columns, 0, 0, 1}};
}

/// op(A) X in integers, which the products of every element type and layout share.
struct IntegerProduct {
  /// For the pattern of `a`; `round` makes other values.
  template <class Value>
  IntegerProduct(const Csr<std::int64_t, Value>& a, std::int64_t k_columns, Operation op,
                 std::uint64_t round = 0)
      : rows(op == Operation::none ? a.rows : a.cols),
        cols(op == Operation::none ? a.cols : a.rows),
        k(k_columns),
        operation(op),
        values(a.col_idx.size()),
        x(static_cast<std::size_t>(cols * k)),
        sums(static_cast<std::size_t>(rows * k)) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      values[p] = small_integer(p + (round << 40));
    }
    for (std::size_t e = 0; e < x.size(); ++e) {
      x[e] = small_integer(e + 77);
    }
    for (index_t i = 0; i < a.rows; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        const bool none = operation == Operation::none;
        std::int32_t* const to = sums.data() + (none ? i : a.col_idx[p]) * k;
        const std::int32_t* const from = x.data() + (none ? a.col_idx[p] : i) * k;
        for (std::int64_t j = 0; j < k; ++j) {
          to[j] += values[static_cast<std::size_t>(p)] * from[j];
        }
      }
    }
  }

  std::int64_t rows, cols, k;
  Operation operation;
  std::vector<std::int32_t> values;   ///< [nnz]
  std::vector<std::int32_t> x, sums;  ///< [cols * k] and [rows * k], row by row
};

/// Operands of one product, and its answer.
template <class Element>
class ExactProduct {
 public:
  /// `form` has the operation of `product`.
  ExactProduct(const IntegerProduct& product, const ProductForm& form)
      : rows_(product.rows), cols_(product.cols), k_(product.k), form_(form) {
    const Element nan = element_of<Element>(std::numeric_limits<double>::quiet_NaN());
    Element small[7];
    for (int e = 0; e < 7; ++e) {
      small[e] = element_of<Element>(e - 3);
    }
    values.reserve(product.values.size());
    for (const std::int32_t value : product.values) {
      values.push_back(small[value + 3]);
    }
    x.assign(storage(cols_, form.x), nan);
    y.assign(storage(rows_, form.y), nan);
    for (std::int64_t i = 0; i < cols_; ++i) {
      for (std::int64_t j = 0; j < k_; ++j) {
        x[place(cols_, form.x, i, j)] = small[product.x[i * k_ + j] + 3];
      }
    }
    answer = y;
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < k_; ++j) {
        const std::size_t at = place(rows_, form.y, i, j);
        const std::int32_t before = small_integer(static_cast<std::uint64_t>(i * k_ + j) + 991);
        if (form.beta != 0) {
          y[at] = small[before + 3];
        }
        const double sum = form.alpha * product.sums[i * k_ + j];
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
    if (answer.empty() || std::memcmp(got, answer.data(), answer.size() * sizeof(Element)) == 0) {
      return true;
    }
    bool right = true;  // unless zeros differ in sign alone
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
