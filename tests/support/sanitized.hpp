// Whether a sanitizer stands in for malloc: its allocator keeps blocks that were freed, takes no
// settings and tells no sizes.
#pragma once

namespace sparserepro::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitizer_allocates = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitizer_allocates = true;
#else
constexpr bool sanitizer_allocates = false;
#endif
#else
constexpr bool sanitizer_allocates = false;
#endif

}  // namespace sparserepro::testing
