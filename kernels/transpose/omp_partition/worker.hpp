// Scratch of one thread of path buckets: open lines, counters of columns, a sorted bucket.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// The open line of one bucket: a cache line of keys and the values that belong to it.
template <class Key, class Value>
struct alignas(64) PartitionLine {
  static constexpr int entries = 64 / sizeof(Key);
  /// The least multiple of `entries` from `count` on.
  static constexpr std::size_t padded(std::size_t count) {
    return (count + entries - 1) / entries * entries;
  }
  Key keys[entries];
  Value values[has_values<Value> ? entries : 1];
};

template <class Offset, class Value, class Key>
struct PartitionWorker {
  using Line = PartitionLine<Key, Value>;

  Buffer<Line> lines;          // [buckets]
  Buffer<std::uint32_t> fill;  // [buckets] entries in the open line
  Buffer<std::size_t> end;     // [buckets] where that line goes
  Buffer<Offset> count;        // [buckets] entries of the slice
  Buffer<Offset> next;         // [width] place of a column's next entry
  Buffer<index_t> rows;        // [staged] the bucket in order
  Buffer<Value> values;        // [staged]

  void allocate(std::size_t buckets, std::size_t width, std::size_t staged) {
    lines.resize(buckets);
    fill.resize(buckets);
    end.resize(buckets);
    count.resize(buckets);
    next.resize(width);
    rows.resize(staged);
    if constexpr (has_values<Value>) {
      values.resize(staged);
    }
  }
  std::size_t bytes() const {
    return lines.size() * sizeof(Line) + fill.size() * sizeof(std::uint32_t) +
           end.size() * sizeof(std::size_t) + (count.size() + next.size()) * sizeof(Offset) +
           rows.size() * (sizeof(index_t) + value_bytes<Value>);
  }
};

}  // namespace sparserepro
