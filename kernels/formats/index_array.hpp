// Integers of 32 or of 64 bits, told apart at run time.
#pragma once

#include <cstdint>

#include "sparserepro/arrays.hpp"

namespace sparserepro {

/// An array of int32 or int64, read as int64.
class IndexArray {
 public:
  IndexArray(const ConstArray& array)
      : data_(array.data), is_wide_(array.type == DataType::int64) {}
  template <class Index>
  IndexArray(const Index* array) : IndexArray(ConstArray(array)) {}

  [[gnu::always_inline]] std::int64_t operator[](std::int64_t i) const {
    return is_wide_ ? static_cast<const std::int64_t*>(data_)[i]
                    : static_cast<const std::int32_t*>(data_)[i];
  }
  /// The elements from number i on.
  IndexArray operator+(std::int64_t i) const {
    return is_wide_ ? IndexArray(static_cast<const std::int64_t*>(data_) + i)
                    : IndexArray(static_cast<const std::int32_t*>(data_) + i);
  }

 private:
  const void* data_;
  bool is_wide_;
};

}  // namespace sparserepro
