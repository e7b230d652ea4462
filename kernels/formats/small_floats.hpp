// Floating-point numbers of 16 bits: storage types, whose sums are taken in fp32.
#pragma once

#include <bit>
#include <cstdint>

#include "sparserepro/arrays.hpp"

namespace sparserepro {

/// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};

/// The upper half of an IEEE 754 binary32.
struct Bfloat {
  std::uint16_t bits;
};

[[gnu::always_inline]] inline float to_float(float value) {
  return value;
}
[[gnu::always_inline]] inline float to_float(Bfloat value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
/// Exact. The bits of exponent and fraction, taken as those of a float, are 2^112 times too small,
/// subnormal numbers included.
[[gnu::always_inline]] inline float to_float(Half value) {
  const std::uint32_t magnitude = (value.bits & 0x7fffu) << 13;
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const float finite = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t bits =
      magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : std::bit_cast<std::uint32_t>(finite);
  return std::bit_cast<float>(bits | sign);
}

/// The element of type T that is nearest to `value`, ties to even; NaN stays NaN.
template <class T>
T from_float(float value);

template <>
[[gnu::always_inline]] inline float from_float<float>(float value) {
  return value;
}
template <>
[[gnu::always_inline]] inline Bfloat from_float<Bfloat>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}
/// Below 2^-14 an addition of 0.5 leaves the fraction at the end of the bits, rounded. Without
/// branches, so that loops take vectors.
template <>
[[gnu::always_inline]] inline Half from_float<Half>(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all >> 16 & 0x8000u, bits = all & 0x7fffffffu;
  const std::uint32_t tiny =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0.5f) - 0x3f000000u;
  std::uint32_t half = (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13;
  half = bits < 0x38800000u ? tiny : half;
  half = bits >= 0x477ff000u ? 0x7c00u : half;  // 65520 and more
  half = bits > 0x7f800000u ? 0x7e00u : half;
  return {static_cast<std::uint16_t>(half | sign)};
}

template <>
constexpr DataType data_type_of<Half>() {
  return DataType::fp16;
}
template <>
constexpr DataType data_type_of<Bfloat>() {
  return DataType::bf16;
}

/// The type in which elements of T are added.
template <class T>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};

}  // namespace sparserepro
