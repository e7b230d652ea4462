#ifdef __x86_64__

#include <bit>

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// With AVX-512VL. 24 sums of three rows, their values and X take 28 of 32 registers.
using Avx512 = Set<64, 8>;

template <class Element>
struct Masks : Vectors<Avx512, Element, 64 / sizeof(Element)> {
  using Vector = typename Vectors<Avx512, Element, 64 / sizeof(Element)>::Vector;
  static bool all_finite(Vector v) {
    const Vector zero = v - v;
    if constexpr (std::is_same_v<Element, double>) {
      return _mm512_cmp_pd_mask(zero, zero, _CMP_UNORD_Q) == 0;
    } else {
      return _mm512_cmp_ps_mask(zero, zero, _CMP_UNORD_Q) == 0;
    }
  }
  /// In lanes with a bit in `rows` a value times that of x is added: that of the lane, if padded,
  /// else the next one. With `within` all lanes of x are readable; those of values always are.
  template <bool padded, bool within>
  [[gnu::always_inline]] static void add_present(index_t rows, const Element* values,
                                                 const Element* x, Vector& sum) {
    Vector next = Masks::load(values);
    Masks::keep(next);
    if constexpr (std::is_same_v<Element, double>) {
      const auto mask = static_cast<__mmask8>(rows);
      const __m512d a = padded ? next : _mm512_maskz_expand_pd(mask, next);
      sum = _mm512_mask3_fmadd_pd(a, within ? _mm512_loadu_pd(x) : _mm512_maskz_loadu_pd(mask, x),
                                  sum, mask);
    } else {
      const auto mask = static_cast<__mmask16>(rows);
      const __m512 a = padded ? next : _mm512_maskz_expand_ps(mask, next);
      sum = _mm512_mask3_fmadd_ps(a, within ? _mm512_loadu_ps(x) : _mm512_maskz_loadu_ps(mask, x),
                                  sum, mask);
    }
  }
};

/// K = 1 by instructions that gather, the last entries of a row or a slice under a mask.
template <class Element>
struct Gathers : Masks<Element> {
  using typename Masks<Element>::Vector;
  using Mask = std::conditional_t<std::is_same_v<Element, double>, __mmask8, __mmask16>;

  /// Into a cleared register: of a mask of ones that GCC knows it makes a gather into any register,
  /// which waits for what that held before.
  static Vector gather(const Element* x, const index_t* at) {
    auto all = static_cast<Mask>(-1);
    asm("" : "+Yk"(all));
    return gather(x, at, all);
  }
  /// Of the first `count` lanes, and zeros.
  static Vector gather_first(const Element* x, const index_t* at, index_t count) {
    return gather(x, at, first(count));
  }
  static Vector load_first(const Element* from, index_t count) {
    if constexpr (std::is_same_v<Element, double>) {
      return _mm512_maskz_loadu_pd(first(count), from);
    } else {
      return _mm512_maskz_loadu_ps(first(count), from);
    }
  }
  /// How many lengths, one for each lane, are more than p.
  static index_t longer(const index_t* lengths, index_t p) {
    std::uint32_t mask;
    if constexpr (std::is_same_v<Element, double>) {
      mask = _mm256_cmpgt_epi32_mask(_mm256_loadu_epi32(lengths), _mm256_set1_epi32(p));
    } else {
      mask = _mm512_cmpgt_epi32_mask(_mm512_loadu_epi32(lengths), _mm512_set1_epi32(p));
    }
    return std::popcount(mask);
  }

 private:
  static Mask first(index_t count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector gather(const Element* x, const index_t* at, Mask mask) {
    if constexpr (std::is_same_v<Element, double>) {
      return _mm512_mask_i32gather_pd(Vector{}, mask, _mm256_maskz_loadu_epi32(mask, at), x, 8);
    } else {
      return _mm512_mask_i32gather_ps(Vector{}, mask, _mm512_maskz_loadu_epi32(mask, at), x, 4);
    }
  }
};

}  // namespace

/// Without fast gathers, as on a Zen 4, vectors of 64 bytes take twice as long as halves: time with
/// halves 0.7 on a band at K = 12 and 0.9 in geometric mean; on a Xeon 1.1.
InstructionSets avx512(bool gathers) {
  InstructionSets sets = gathers ? instruction_sets_of<Avx512>("avx512 with gathers")
                                 : instruction_sets_of<Avx512, true>("avx512 in halves");
  std::get<InstructionSet<double>>(sets).one_column =
      gathers ? one_column<Gathers<double>>() : one_column<Masks<double>>();
  std::get<InstructionSet<float>>(sets).one_column =
      gathers ? one_column<Gathers<float>>() : one_column<Masks<float>>();
  return sets;
}

}  // namespace sparserepro::csr_blocks

#endif
