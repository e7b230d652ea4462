// Problem `primitives`: the array procedures of which the seed composes parallel transposition
// (transposition seed, section IV).
//
//   procedure          input                           output
//   scan               a[length]                       sums[i] = a[0] + ... + a[i-1]
//   segmented_sort     keys, payload [length]          each segment of `segment` elements sorted
//   merge              the same, segments sorted       segments 2k and 2k+1 merged
//   index_to_pointers  index[length] in [0, bins)      pointers[b] = #{i : index[i] < b}, [bins+1]
//   pointers_to_index  pointers[bins+1]                index[length], ascending
//
// Sorting and merging are stable: among equal keys, a merge takes the left segment first. Each key
// carries a 32-bit payload, the position of the element in the input, which shows stability. Every
// answer is therefore unique. Elements have 32 bits, as in the seed. The sums of scan have 64 bits;
// the seed's 32 bits overflow silently. As in the seed, the scan is exclusive: it begins with 0 and
// leaves out the sum of all elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/buffer.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"
#include "primitives/array_input.hpp"

namespace sparserepro {

enum class Procedure { scan, segmented_sort, merge, index_to_pointers, pointers_to_index };

const char* to_string(Procedure procedure);

/// The answer of a procedure. The arrays of the other procedures are empty.
struct PrimitivesResult {
  Buffer<std::int64_t> sums;      ///< scan: [length]
  Buffer<index_t> keys, payload;  ///< segmented_sort, merge: [length]
  Buffer<index_t> pointers;       ///< index_to_pointers: [bins+1]
  Buffer<index_t> index;          ///< pointers_to_index: [length]
};

/// An instance: a procedure, its sizes and its input.
class PrimitivesProblem {
 public:
  using Input = ArrayInput;
  using Result = PrimitivesResult;
  static constexpr const char* name = "primitives";

  /// `procedure`, `length`, `segment` (segmented_sort, merge), `bins` (index_to_pointers,
  /// pointers_to_index).
  static std::vector<Parameter> instance_parameters();

  /// Makes the input of the procedure. Throws InputError if a parameter exceeds 2^31 - 1 or no
  /// procedure has that name.
  PrimitivesProblem(const ArrayInput& input, const Params& instance);

  Procedure procedure() const { return procedure_; }
  std::int64_t length() const { return length_; }
  std::int64_t segment() const { return segment_; }  ///< 0 where the procedure has none
  index_t bins() const { return bins_; }             ///< 0 where the procedure has none
  /// Elements of scan, keys of segmented_sort and merge, indices of index_to_pointers: [length].
  const Buffer<index_t>& values() const { return values_; }
  const Buffer<index_t>& payload() const { return payload_; }    ///< [length]
  const Buffer<index_t>& pointers() const { return pointers_; }  ///< [bins+1]

  /// The instance parameters that its procedure uses.
  Params parameters() const;
  Shape shape() const { return {length_, 1, length_, length_}; }
  Result reference() const;
  CheckOutcome check(const Result& result, const Result& reference) const;
  /// Bytes: scan 4 + 8 an element, segmented_sort and merge 8 + 8; index_to_pointers and
  /// pointers_to_index 4 (length + bins + 1). No floating-point operations.
  Model model() const;

 private:
  Procedure procedure_;
  std::int64_t length_;
  std::int64_t segment_ = 0;
  index_t bins_ = 0;
  Buffer<index_t> values_, payload_, pointers_;
};

/// Whether the procedure divides its array into segments.
constexpr bool has_segments(Procedure procedure) {
  return procedure == Procedure::segmented_sort || procedure == Procedure::merge;
}
/// Whether the procedure has bins.
constexpr bool has_bins(Procedure procedure) {
  return procedure == Procedure::index_to_pointers || procedure == Procedure::pointers_to_index;
}

/// The table of algorithms.
const std::vector<Algorithm<PrimitivesProblem>>& primitives_algorithms();

}  // namespace sparserepro
