// Element types shared by every format and problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sparserepro {

/// Row and column numbers. Offsets into the entries (row pointers) are a template parameter
/// `Offset` of each format: 32-bit while nnz < 2^31, 64-bit beyond.
using index_t = std::int32_t;

/// Value type of a matrix that stores only its pattern: no value array exists.
struct Pattern {};

template <class Value>
inline constexpr bool has_values = !std::is_same_v<Value, Pattern>;

/// Bytes that one stored value occupies: 0 for a pattern.
template <class Value>
inline constexpr std::size_t value_bytes = has_values<Value> ? sizeof(Value) : 0;

}  // namespace sparserepro
