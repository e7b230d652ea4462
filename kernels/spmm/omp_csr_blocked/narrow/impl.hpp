// The products of kernels.hpp for the instruction set `Set`: sums of up to four vectors of columns
// stay in registers while the entries of a row go by. Everything here depends on `Set`, so that
// translation units of different instruction sets share no code.
#pragma once

#include "spmm/omp_csr_blocked/narrow/kernels.hpp"

namespace sparserepro::csr_narrow {

template <int n>
struct VectorsOf {
  typedef float Floats __attribute__((vector_size(4 * n)));
  typedef std::uint32_t Bits __attribute__((vector_size(4 * n)));
  typedef std::uint16_t Shorts __attribute__((vector_size(2 * n)));
};

/// `n` sums in fp32, and their loads from elements of any type.
template <class Set, int n>
struct Floats {
  using Vector = typename VectorsOf<n>::Floats;
  using Bits = typename VectorsOf<n>::Bits;
  using Shorts = typename VectorsOf<n>::Shorts;

  [[gnu::always_inline]] static Bits bits_of(const void* from) {
    Shorts shorts;
    __builtin_memcpy(&shorts, from, sizeof shorts);
    return __builtin_convertvector(shorts, Bits);
  }
  [[gnu::always_inline]] static Vector load(const float* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static Vector load(const Bfloat* from) {
    return reinterpret_cast<Vector>(bits_of(from) << 16);
  }
  /// As to_float(Half).
  [[gnu::always_inline]] static Vector load(const Half* from) {
    const Bits half = bits_of(from);
    const Bits magnitude = (half & 0x7fffu) << 13;
    const Vector finite = reinterpret_cast<Vector>(magnitude) * 0x1p112f;
    const Bits special = reinterpret_cast<Bits>(magnitude >= 0x0f800000u);
    const Bits bits =
        (special & (magnitude | 0x7f800000u)) | (~special & reinterpret_cast<Bits>(finite));
    return reinterpret_cast<Vector>(bits | (half & 0x8000u) << 16);
  }

  [[gnu::always_inline]] static Bits select(Bits mask, Bits yes, Bits no) {
    return (mask & yes) | (~mask & no);
  }
  [[gnu::always_inline]] static void put_bits(void* to, Bits bits) {
    const Shorts shorts = __builtin_convertvector(bits, Shorts);
    __builtin_memcpy(to, &shorts, sizeof shorts);
  }
  [[gnu::always_inline]] static void store(float* to, Vector v) {
    __builtin_memcpy(to, &v, sizeof v);
  }
  /// As from_float<Bfloat>.
  [[gnu::always_inline]] static void store(Bfloat* to, Vector v) {
    const Bits bits = reinterpret_cast<Bits>(v);
    const Bits nan = reinterpret_cast<Bits>((bits & 0x7fffffffu) > 0x7f800000u);
    put_bits(to, select(nan, bits >> 16 | 0x40u, (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16));
  }
  /// As from_float<Half>.
  [[gnu::always_inline]] static void store(Half* to, Vector v) {
    const Bits all = reinterpret_cast<Bits>(v), bits = all & 0x7fffffffu;
    const Bits tiny = reinterpret_cast<Bits>(reinterpret_cast<Vector>(bits) + 0.5f) - 0x3f000000u;
    Bits half = (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13;
    half = select(reinterpret_cast<Bits>(bits < 0x38800000u), tiny, half);
    half = select(reinterpret_cast<Bits>(bits >= 0x477ff000u), Bits{} + 0x7c00u, half);
    half = select(reinterpret_cast<Bits>(bits > 0x7f800000u), Bits{} + 0x7e00u, half);
    put_bits(to, half | (all >> 16 & 0x8000u));
  }
};

/// Writes alpha sum + beta y to y; Y is not read if beta = 0.
template <class Set, class Element>
struct RowOfY {
  Element* y;
  float alpha, beta;

  [[gnu::always_inline]] void one(std::int64_t c, float sum) const {
    const float out = alpha * sum;
    y[c] = from_float<Element>(beta == 0.0f ? out : out + beta * to_float(y[c]));
  }
  template <int n>
  [[gnu::always_inline]] void all(std::int64_t c, typename Floats<Set, n>::Vector sum) const {
    using V = Floats<Set, n>;
    const typename V::Vector out = alpha * sum;
    V::store(y + c, beta == 0.0f ? out : out + beta * V::load(y + c));
  }
};

/// Writes sums as they are.
template <class Set>
struct SumsOfPiece {
  float* sums;

  [[gnu::always_inline]] void one(std::int64_t c, float sum) const { sums[c] = sum; }
  template <int n>
  [[gnu::always_inline]] void all(std::int64_t c, typename Floats<Set, n>::Vector sum) const {
    Floats<Set, n>::store(sums + c, sum);
  }
};

/// Entries of one row, and X.
template <class Element>
struct Part {
  const Element* values;
  const index_t* columns;
  std::int64_t count;
  const Element* x;
  std::int64_t k;
};

template <class Set, class Element>
struct Sums {
  using From = Part<Element>;

  /// sums[q] = the columns c + q n, ..., c + q n + n - 1 of the product.
  template <int n, int vectors>
  [[gnu::always_inline]] static void add(const From& from, std::int64_t c,
                                         typename Floats<Set, n>::Vector (&sums)[vectors]) {
    using V = Floats<Set, n>;
    constexpr int chains = vectors == 1 ? 4 : vectors == 2 ? 2 : 1;
    typename V::Vector chain[chains][vectors] = {};
    std::int64_t p = 0;
    for (; p + chains <= from.count; p += chains) {
#pragma GCC unroll 4
      for (int t = 0; t < chains; ++t) {
        const float value = to_float(from.values[p + t]);
        const Element* const x = from.x + from.columns[p + t] * from.k + c;
#pragma GCC unroll 4
        for (int q = 0; q < vectors; ++q) {
          chain[t][q] += value * V::load(x + q * n);
        }
      }
    }
    for (; chains > 1 && p < from.count; ++p) {
      const float value = to_float(from.values[p]);
      const Element* const x = from.x + from.columns[p] * from.k + c;
#pragma GCC unroll 4
      for (int q = 0; q < vectors; ++q) {
        chain[0][q] += value * V::load(x + q * n);
      }
    }
#pragma GCC unroll 4
    for (int q = 0; q < vectors; ++q) {
      sums[q] = chain[0][q];
#pragma GCC unroll 4
      for (int t = 1; t < chains; ++t) {
        sums[q] += chain[t][q];
      }
    }
  }

  /// Puts the columns from c on, but for the first `skip`.
  template <int n, int vectors, class Put>
  [[gnu::always_inline]] static void tile(const From& from, std::int64_t c, int skip, Put put) {
    typename Floats<Set, n>::Vector sums[vectors];
    add<n, vectors>(from, c, sums);
#pragma GCC unroll 4
    for (int q = 0; q < vectors; ++q) {
      if (skip == 0) {
        put.template all<n>(c + q * n, sums[q]);
      } else {
        for (int lane = skip; lane < n; ++lane) {
          put.one(c + q * n + lane, sums[q][lane]);
        }
      }
    }
  }

  /// All columns, k >= n. The last tile of a k that is no multiple of n overlaps the one before.
  template <int n, class Put>
  [[gnu::always_inline]] static void tiles(const From& from, Put put) {
    std::int64_t c = 0;
    for (; c + 4 * n <= from.k; c += 4 * n) {
      tile<n, 4>(from, c, 0, put);
    }
    for (; c + 2 * n <= from.k; c += 2 * n) {
      tile<n, 2>(from, c, 0, put);
    }
    for (; c + n <= from.k; c += n) {
      tile<n, 1>(from, c, 0, put);
    }
    if (c < from.k) {
      tile<n, 1>(from, from.k - n, static_cast<int>(n - (from.k - c)), put);
    }
  }

  /// K = 1: eight sums, then that of the last entries.
  [[gnu::always_inline]] static float dot(const From& from) {
    using V = Floats<Set, 4>;
    typename V::Vector sums[2] = {};
    std::int64_t p = 0;
    for (; p + 8 <= from.count; p += 8) {
#pragma GCC unroll 2
      for (int half = 0; half < 2; ++half) {
        const index_t* const at = from.columns + p + 4 * half;
        const typename V::Vector x = {to_float(from.x[at[0]]), to_float(from.x[at[1]]),
                                      to_float(from.x[at[2]]), to_float(from.x[at[3]])};
        sums[half] += V::load(from.values + p + 4 * half) * x;
      }
    }
    float rest = 0;
    for (; p < from.count; ++p) {
      rest += to_float(from.values[p]) * to_float(from.x[from.columns[p]]);
    }
    const typename V::Vector sum = sums[0] + sums[1];
    return rest + ((sum[0] + sum[2]) + (sum[1] + sum[3]));
  }

  /// Puts each column.
  template <class Put>
  [[gnu::noinline]] static void of(const From& from, Put put) {
    constexpr int middle = Set::lanes < 8 ? Set::lanes : 8;
    if (from.k == 1) {
      put.one(0, dot(from));
    } else if (from.k >= Set::lanes) {
      tiles<Set::lanes>(from, put);
    } else if (from.k >= middle) {
      tiles<middle>(from, put);
    } else if (from.k >= 4) {
      tiles<4>(from, put);
    } else {
      tiles<2>(from, put);
    }
  }
};

template <class Set, class Offset, class Element>
struct Rows {
  using Job = Operands<Offset, Element>;

  static Part<Element> part(const Job& o, Offset begin, Offset end) {
    return {o.a.values + begin, o.a.col_idx + begin, static_cast<std::int64_t>(end - begin), o.x,
            o.k};
  }
  static void rows(const Job& o, index_t first, index_t last) {
    for (index_t i = first; i < last; ++i) {
      Sums<Set, Element>::of(part(o, o.a.row_ptr[i], o.a.row_ptr[i + 1]),
                             RowOfY<Set, Element>{o.y + i * o.k, o.alpha, o.beta});
    }
  }
  static void piece(const Job& o, Offset begin, Offset end, float* sums) {
    Sums<Set, Element>::of(part(o, begin, end), SumsOfPiece<Set>{sums});
  }
};

template <class Set>
struct KernelsOf {
  template <class Offset, class Element>
  static Kernels<Offset, Element> get() {
    return {Rows<Set, Offset, Element>::rows, Rows<Set, Offset, Element>::piece};
  }
};

/// Defines `NAME`, which gives the kernels of `SET`, for all types.
#define SPARSEREPRO_NARROW_KERNELS(NAME, SET)                          \
  template <class Offset, class Element>                               \
  Kernels<Offset, Element> NAME() {                                    \
    return KernelsOf<SET>::template get<Offset, Element>();            \
  }                                                                    \
  template Kernels<std::int32_t, float> NAME<std::int32_t, float>();   \
  template Kernels<std::int64_t, float> NAME<std::int64_t, float>();   \
  template Kernels<std::int32_t, Half> NAME<std::int32_t, Half>();     \
  template Kernels<std::int64_t, Half> NAME<std::int64_t, Half>();     \
  template Kernels<std::int32_t, Bfloat> NAME<std::int32_t, Bfloat>(); \
  template Kernels<std::int64_t, Bfloat> NAME<std::int64_t, Bfloat>();

}  // namespace sparserepro::csr_narrow
