// What every processor has, in vectors of 2 doubles of the compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "formats/types.hpp"

namespace sparserepro::csr_blocks {

/// The last column of a tile.
struct PortableHalf {
  static constexpr int lanes = 1;
  using Vector = double;
  struct Mask {};
  static Mask mask(int) { return {}; }
  static Vector zero() { return 0.0; }
  static Vector broadcast(double value) { return value; }
  static Vector load(const double* from, Mask) { return *from; }
  static void store(double* to, Mask, Vector v) { *to = v; }
  static void stream(double* to, Vector v) { *to = v; }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
};

struct Portable {
  static constexpr int lanes = 2;
  static constexpr int tile_vectors = 4;  ///< 12 sums of three rows, their values and X: 16
  using Vector = double __attribute__((vector_size(16)));
  static Vector zero() { return Vector{}; }
  static Vector broadcast(double value) { return Vector{value, value}; }
  static Vector load(const double* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(double* to, Vector v) { std::memcpy(to, &v, sizeof v); }
  static void stream(double* to, Vector v) { store(to, v); }
  static void fence() {}
  static void keep(Vector&) {}
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }

  struct Eight {
    double lane[8];
  };
  static Eight eight_zero() { return {}; }
  static Eight eight_load(const double* from, int count = 8) {
    Eight v{};
    std::copy_n(from, count, v.lane);
    return v;
  }
  static void eight_store(double* to, const Eight& v) { std::copy_n(v.lane, 8, to); }
  static void eight_stream(double* to, const Eight& v) { eight_store(to, v); }
  static Eight eight_add(Eight a, const Eight& b) {
    for (int i = 0; i < 8; ++i) {
      a.lane[i] += b.lane[i];
    }
    return a;
  }
  static Eight eight_multiply_add(const Eight& a, const Eight& b, Eight c) {
    for (int i = 0; i < 8; ++i) {
      c.lane[i] += a.lane[i] * b.lane[i];
    }
    return c;
  }
  static Eight eight_gather(const double* x, const index_t* at, int count = 8) {
    Eight v{};
    for (int i = 0; i < count; ++i) {
      v.lane[i] = x[at[i]];
    }
    return v;
  }
  static void eight_scatter(double* to, const index_t* at, const Eight& v) {
    for (int i = 0; i < 8; ++i) {
      to[at[i]] = v.lane[i];
    }
  }

  /// sum of values[p] x[col_idx[p]] for p < count.
  static double dot(const double* values, const index_t* col_idx, std::int64_t count,
                    const double* x) {
    double sum[4] = {};
    std::int64_t p = 0;
    for (; p + 4 <= count; p += 4) {
      for (int part = 0; part < 4; ++part) {
        sum[part] += values[p + part] * x[col_idx[p + part]];
      }
    }
    for (; p < count; ++p) {
      sum[0] += values[p] * x[col_idx[p]];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

}  // namespace sparserepro::csr_blocks
