// The array procedures that parallel transposition is composed of (transposition seed, section IV).
//
//   procedure          input                           output
//   scan               a[length]                       sums[i] = a[0] + ... + a[i-1]
//   segmented_sort     keys, payload [length]          each segment of `segment` elements sorted
//   merge              the same, segments sorted       segments 2k and 2k+1 merged
//   index_to_pointers  index[length] in [0, bins)      pointers[b] = elements less than b, [bins+1]
//   pointers_to_index  pointers[bins+1]                index[length], ascending
//
// Sorting and merging are stable (in a merge, left before right among equal keys) and move a 32-bit
// payload with each key: the element's position in the input, which shows stability. Every answer
// is therefore unique. All elements are 32 bits wide, as in the seed, but for the sums of scan: the
// seed's are 32 bits and overflow silently, here they are 64 bits, enough for every array. The seed
// returns the sums with the identity first and without the grand total; so does scan here.
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

/// The answer of any procedure: its own arrays filled, the others empty.
struct PrimitivesResult {
  Buffer<std::int64_t> sums;      ///< scan: [length]
  Buffer<index_t> keys, payload;  ///< segmented_sort, merge: [length]
  Buffer<index_t> pointers;       ///< index_to_pointers: [bins+1]
  Buffer<index_t> index;          ///< pointers_to_index: [length]
};

class PrimitivesProblem {
 public:
  using Input = ArrayInput;
  using Result = PrimitivesResult;
  static constexpr const char* name = "primitives";

  /// `procedure`, `length`, `segment` (segmented_sort, merge), `bins` (the two conversions).
  static std::vector<Parameter> instance_parameters();

  /// Makes the procedure's input. Throws InputError when a number does not fit 32 bits.
  PrimitivesProblem(const ArrayInput& input, const Params& instance);

  Procedure procedure() const { return procedure_; }
  std::int64_t length() const { return length_; }
  std::int64_t segment() const { return segment_; }  ///< 0 where the procedure has none
  index_t bins() const { return bins_; }             ///< 0 where the procedure has none
  /// Elements of scan, keys of segmented_sort and merge, indices of index_to_pointers: [length].
  const Buffer<index_t>& values() const { return values_; }
  const Buffer<index_t>& payload() const { return payload_; }    ///< [length]
  const Buffer<index_t>& pointers() const { return pointers_; }  ///< [bins+1]

  /// The instance's parameters without those that its procedure does not use.
  Params parameters() const;
  Shape shape() const { return {length_, 1, length_, length_}; }
  Result reference() const;
  CheckOutcome check(const Result& result, const Result& reference) const;
  /// Bytes: scan 4 + 8, segmented_sort and merge 8 + 8 per element; conversions 4 per index and
  /// per pointer.
  Model model() const;

 private:
  Procedure procedure_;
  std::int64_t length_;
  std::int64_t segment_ = 0;
  index_t bins_ = 0;
  Buffer<index_t> values_, payload_, pointers_;
};

/// Whether the procedure works on segments of keys; else, apart from scan, it has bins.
constexpr bool has_segments(Procedure procedure) {
  return procedure == Procedure::segmented_sort || procedure == Procedure::merge;
}
constexpr bool has_bins(Procedure procedure) {
  return procedure == Procedure::index_to_pointers || procedure == Procedure::pointers_to_index;
}

const std::vector<Algorithm<PrimitivesProblem>>& primitives_algorithms();

}  // namespace sparserepro
