// Streaming stores, which write a cache line without reading it first, for results that exceed the
// caches.
#pragma once

#include <algorithm>
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

/// Orders this thread's streaming stores before its later stores.
inline void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace sparserepro
