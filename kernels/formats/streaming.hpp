// Streaming stores, which write a cache line without reading it first, for results that exceed the
// caches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sparserepro {

/// Copies `bytes` bytes, a multiple of 16, between addresses aligned to 16 bytes; whole cache lines
/// are fastest. Other threads see the copy after `stream_fence`.
inline void stream_lines(void* to, const void* from, std::size_t bytes) {
#ifdef __SSE2__
  auto* const destination = static_cast<__m128i*>(to);
  const auto* const source = static_cast<const __m128i*>(from);
  for (std::size_t i = 0; i < bytes / sizeof(__m128i); ++i) {
    _mm_stream_si128(destination + i, _mm_load_si128(source + i));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Copies any number of bytes between any addresses, whole cache lines by streaming stores. Other
/// threads see the copy after `stream_fence`.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) {  // the addresses may be null then
    return;
  }
#ifdef __SSE2__
  auto* destination = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const std::size_t before_line = -reinterpret_cast<std::uintptr_t>(to) % 64;
  const std::size_t head = std::min(before_line, bytes);
  std::memcpy(destination, source, head);
  std::size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    for (std::size_t part = 0; part < 64; part += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(destination + at + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at + part)));
    }
  }
  std::memcpy(destination + at, source + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Stores `value` of 4 or 8 bytes past the caches; neighbours fill a line together. Values of 2
/// bytes are stored as usual. Other threads see it after `stream_fence`.
template <class Value>
inline void stream_value(Value* to, Value value) {
#if defined(__SSE2__) && defined(__x86_64__)
  if constexpr (sizeof(Value) == 8) {
    _mm_stream_si64(reinterpret_cast<long long*>(to), std::bit_cast<long long>(value));
    return;
  } else if constexpr (sizeof(Value) == 4) {
    _mm_stream_si32(reinterpret_cast<int*>(to), std::bit_cast<int>(value));
    return;
  }
#endif
  *to = value;
}

/// Orders this thread's streaming stores before its later stores.
inline void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace sparserepro
