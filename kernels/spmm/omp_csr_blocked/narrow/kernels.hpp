// Products of rows in fp32, fp16 and bf16 with sums in fp32, for one instruction set each:
// avx512.cpp, avx2.cpp and portable.cpp instantiate impl.hpp with its flags.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"
#include "formats/small_floats.hpp"

namespace sparserepro::csr_narrow {

/// Y = alpha A X + beta Y; rows of X and Y are k apart.
template <class Offset, class Element>
struct Operands {
  CsrView<Offset, Element> a;
  const Element* x{};
  Element* y{};
  std::int64_t k{};
  float alpha{}, beta{};
};

template <class Offset, class Element>
struct Kernels {
  /// Rows [first, last) of Y; Y is not read if beta = 0.
  void (*rows)(const Operands<Offset, Element>& o, index_t first, index_t last);
  /// sums [k] = sum over the entries [begin, end) of A, all of one row.
  void (*piece)(const Operands<Offset, Element>& o, Offset begin, Offset end, float* sums);
};

/// Those of the widest instruction set that this processor has.
template <class Offset, class Element>
Kernels<Offset, Element> kernels();

}  // namespace sparserepro::csr_narrow
