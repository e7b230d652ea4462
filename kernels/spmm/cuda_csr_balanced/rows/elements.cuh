// Elements of A, X and Y of each type on the device: their loads, their form in the sums, and their
// stores. Sums are in fp64 for fp64 and in fp32 for all others.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "formats/small_floats.hpp"
#include "formats/types.hpp"

namespace sparserepro::balanced {

template <class Element>
using SumType = typename SumOf<Element>::Type;

/// Hides from the compiler what an address is the sum of, so that an address beyond it takes one
/// instruction.
template <class T>
__device__ __forceinline__ void keep_whole(const T*& address) {
  asm("" : "+l"(address));
}

/// 0, or whatever the registers hold.
template <bool Zeroed, class T>
__device__ __forceinline__ T first_value() {
  if constexpr (Zeroed) {
    return T{};
  } else if constexpr (std::is_same_v<T, double>) {
    double out;
    asm("" : "=d"(out));
    return out;
  } else if constexpr (std::is_same_v<T, float>) {
    float out;
    asm("" : "=f"(out));
    return out;
  } else if constexpr (sizeof(T) == 2) {
    unsigned short out;
    asm("" : "=h"(out));
    return out;
  } else if constexpr (std::is_integral_v<T>) {
    T out;
    asm("" : "=r"(out));
    return out;
  } else {
    // No loop: with -Xcicc -O1 nvcc 13.0 puts the parts of one where the sums of the caller are.
    T out;
    auto& parts = out.parts();
    using Part = std::remove_reference_t<decltype(parts[0])>;
    parts[0] = first_value<false, Part>();
    if constexpr (sizeof parts >= 2 * sizeof(Part)) {
      parts[1] = first_value<false, Part>();
    }
    if constexpr (sizeof parts == 4 * sizeof(Part)) {
      parts[2] = first_value<false, Part>();
      parts[3] = first_value<false, Part>();
    }
    return out;
  }
}

/// What a load leaves in a register.
template <class Element>
struct RawOf {
  using Type = Element;
};
template <>
struct RawOf<Half> {
  using Type = unsigned short;
};
template <>
struct RawOf<Bfloat> {
  using Type = unsigned short;
};
template <class Element>
using Raw = typename RawOf<Element>::Type;

template <class Element>
__device__ __forceinline__ SumType<Element> widen(Raw<Element> raw) {
  if constexpr (std::is_same_v<Element, Half>) {
    return __half2float(__ushort_as_half(raw));
  } else if constexpr (std::is_same_v<Element, Bfloat>) {
    return __uint_as_float(static_cast<unsigned>(raw) << 16);
  } else {
    return raw;
  }
}

/// The nearest element, ties to even.
template <class Element>
__device__ __forceinline__ Raw<Element> narrow(SumType<Element> sum) {
  if constexpr (std::is_same_v<Element, Half>) {
    return __half_as_ushort(__float2half_rn(sum));
  } else if constexpr (std::is_same_v<Element, Bfloat>) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(sum));
  } else {
    return sum;
  }
}

/// `Width` adjacent elements as they were loaded; those of 16 bits two in a word.
template <int Width, class Element>
struct Vector {
  Element at[Width];
  __device__ __forceinline__ auto& parts() { return at; }
  __device__ __forceinline__ SumType<Element> get(int e) const { return at[e]; }
};
template <int Width, class Element>
struct Words {
  unsigned word[(Width + 1) / 2];
  __device__ __forceinline__ auto& parts() { return word; }
  __device__ __forceinline__ float get(int e) const {
    return widen<Element>(
        static_cast<unsigned short>(e % 2 == 0 ? word[e / 2] & 0xffffU : word[e / 2] >> 16));
  }
};
template <int Width>
struct Vector<Width, Half> : Words<Width, Half> {};
template <int Width>
struct Vector<Width, Bfloat> : Words<Width, Bfloat> {};

// Loads are volatile assembly: the compiler keeps their order, so that a batch is in flight at
// once. They are no read-only loads (ld.global.nc): the kernel may begin before the one that writes
// X has ended. With one column per load (odd K), A leaves L2 first and X stays. With `Guarded`, a
// load gives 0 unless `on`, or, where `Zeroed` says so, nothing that may be used, which takes fewer
// instructions.
#define SPARSEREPRO_LOAD_ONE(SUFFIX, REGISTER)                                                 \
  if constexpr (Width > 1) {                                                                   \
    if constexpr (Guarded) {                                                                   \
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global." SUFFIX " %0, [%1]; }" \
                   : "+" REGISTER(out)                                                         \
                   : "l"(from), "r"(static_cast<int>(on)));                                    \
    } else {                                                                                   \
      asm volatile("ld.global." SUFFIX " %0, [%1];" : "=" REGISTER(out) : "l"(from));          \
    }                                                                                          \
  } else {                                                                                     \
    asm volatile(                                                                              \
        "{ .reg .pred p; .reg .b64 q; createpolicy.fractional.L2::evict_first.b64 q, 1.0;"     \
        " setp.ne.s32 p, %2, 0; @p ld.global.L2::cache_hint." SUFFIX " %0, [%1], q; }"         \
        : "+" REGISTER(out)                                                                    \
        : "l"(from), "r"(Guarded ? static_cast<int>(on) : 1));                                 \
  }

template <bool Guarded, int Width, bool Zeroed = true>
__device__ __forceinline__ index_t load_column(const index_t* from, bool on) {
  auto out = first_value<Zeroed, index_t>();
  SPARSEREPRO_LOAD_ONE("b32", "r")
  return out;
}

template <bool Guarded, int Width, bool Zeroed = true, class Element>
__device__ __forceinline__ Raw<Element> load_value(const Element* from, bool on) {
  auto out = first_value<Zeroed, Raw<Element>>();
  if constexpr (sizeof(Element) == 8) {
    SPARSEREPRO_LOAD_ONE("f64", "d")
  } else if constexpr (sizeof(Element) == 4) {
    SPARSEREPRO_LOAD_ONE("f32", "f")
  } else {
    SPARSEREPRO_LOAD_ONE("b16", "h")
  }
  return out;
}
#undef SPARSEREPRO_LOAD_ONE

#define SPARSEREPRO_LOAD_1(SUFFIX, REGISTER, A)                                              \
  if constexpr (Guarded) {                                                                   \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global." SUFFIX " %0, [%1]; }" \
                 : "+" REGISTER(A)                                                           \
                 : "l"(from), "r"(static_cast<int>(on)));                                    \
  } else {                                                                                   \
    asm volatile("ld.global." SUFFIX " %0, [%1];" : "=" REGISTER(A) : "l"(from));            \
  }
#define SPARSEREPRO_LOAD_2(SUFFIX, REGISTER, A, B)                               \
  if constexpr (Guarded) {                                                       \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2." SUFFIX \
                 " {%0, %1}, [%2]; }"                                            \
                 : "+" REGISTER(A), "+" REGISTER(B)                              \
                 : "l"(from), "r"(static_cast<int>(on)));                        \
  } else {                                                                       \
    asm volatile("ld.global.v2." SUFFIX " {%0, %1}, [%2];"                       \
                 : "=" REGISTER(A), "=" REGISTER(B)                              \
                 : "l"(from));                                                   \
  }
#define SPARSEREPRO_LOAD_4(SUFFIX, REGISTER, A, B, C, D)                              \
  if constexpr (Guarded) {                                                            \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4." SUFFIX      \
                 " {%0, %1, %2, %3}, [%4]; }"                                         \
                 : "+" REGISTER(A), "+" REGISTER(B), "+" REGISTER(C), "+" REGISTER(D) \
                 : "l"(from), "r"(static_cast<int>(on)));                             \
  } else {                                                                            \
    asm volatile("ld.global.v4." SUFFIX " {%0, %1, %2, %3}, [%4];"                    \
                 : "=" REGISTER(A), "=" REGISTER(B), "=" REGISTER(C), "=" REGISTER(D) \
                 : "l"(from));                                                        \
  }

template <bool Guarded, int Width, class Element, bool Zeroed = true>
__device__ __forceinline__ Vector<Width, Element> load_vector(const char* from, bool on) {
  auto out = first_value<Zeroed, Vector<Width, Element>>();
  if constexpr (sizeof(Element) == 8 && Width == 1) {
    SPARSEREPRO_LOAD_1("f64", "d", out.at[0])
  } else if constexpr (sizeof(Element) == 8) {
    SPARSEREPRO_LOAD_2("f64", "d", out.at[0], out.at[1])
  } else if constexpr (sizeof(Element) == 4 && Width == 1) {
    SPARSEREPRO_LOAD_1("f32", "f", out.at[0])
  } else if constexpr (sizeof(Element) == 4 && Width == 2) {
    SPARSEREPRO_LOAD_2("f32", "f", out.at[0], out.at[1])
  } else if constexpr (sizeof(Element) == 4) {
    SPARSEREPRO_LOAD_4("f32", "f", out.at[0], out.at[1], out.at[2], out.at[3])
  } else if constexpr (Width == 1) {
    auto half = first_value<Zeroed, unsigned short>();
    SPARSEREPRO_LOAD_1("b16", "h", half)
    out.word[0] = half;
  } else if constexpr (Width == 2) {
    SPARSEREPRO_LOAD_1("b32", "r", out.word[0])
  } else {
    SPARSEREPRO_LOAD_2("b32", "r", out.word[0], out.word[1])
  }
  return out;
}
#undef SPARSEREPRO_LOAD_1
#undef SPARSEREPRO_LOAD_2
#undef SPARSEREPRO_LOAD_4

/// An element of A that is read once, and leaves the caches first; 0 unless `on`.
template <class T>
__device__ __forceinline__ T load_once(const T* from, bool on) {
  return on ? __ldcs(from) : T{};
}

/// Writes adjacent elements; they leave the caches first.
template <int Width, class Element>
__device__ __forceinline__ void store_vector(Element* to, const SumType<Element> (&sum)[Width]) {
  if constexpr (std::is_same_v<Element, double>) {
    if constexpr (Width == 2) {
      __stcs(reinterpret_cast<double2*>(to), make_double2(sum[0], sum[1]));
    } else {
      __stcs(to, sum[0]);
    }
  } else if constexpr (std::is_same_v<Element, float>) {
    if constexpr (Width == 4) {
      __stcs(reinterpret_cast<float4*>(to), make_float4(sum[0], sum[1], sum[2], sum[3]));
    } else if constexpr (Width == 2) {
      __stcs(reinterpret_cast<float2*>(to), make_float2(sum[0], sum[1]));
    } else {
      __stcs(to, sum[0]);
    }
  } else {
    const auto pair = [&](int e) {
      return static_cast<unsigned>(narrow<Element>(sum[e])) |
             static_cast<unsigned>(narrow<Element>(sum[e + 1])) << 16;
    };
    if constexpr (Width == 4) {
      __stcs(reinterpret_cast<uint2*>(to), make_uint2(pair(0), pair(2)));
    } else if constexpr (Width == 2) {
      __stcs(reinterpret_cast<unsigned*>(to), pair(0));
    } else {
      __stcs(reinterpret_cast<unsigned short*>(to), narrow<Element>(sum[0]));
    }
  }
}

/// An element as an operand of a sum.
template <class Element>
__device__ __forceinline__ SumType<Element> element(const Element* from) {
  if constexpr (sizeof(Element) == 2) {
    return widen<Element>(from->bits);
  } else {
    return *from;
  }
}

}  // namespace sparserepro::balanced
