// Transposition of the values of a matrix whose pattern is known, on a CUDA device: the pattern is
// analysed once, then values are moved as often as they change.
//
// All arrays are in memory of the device, aligned to 16 bytes; workspaces, to 256. No function
// allocates device memory or waits for the device. All work belongs to the device that is current
// when it is asked for. The answer is unique, as that of device::transpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/device/stream.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::device {

/// How values are moved. `automatic` takes one pass where every stretch of A^T comes from a short
/// window of A, as in bands, a gather by the permutation where neighbours in A^T share sectors of
/// A, as in meshes and matrices of finite elements, and else two passes.
enum class PlanPath : std::uint8_t { automatic, gather, two_passes };

struct TransposePlanOptions {
  PlanPath path = PlanPath::automatic;
};

/// The plan of one pattern. Calls follow each other on the device.
class TransposePlan {
 public:
  /// Reads shape and types of `a`, not its arrays. The plan is for values of the width of a.values:
  /// 2, 4 or 8 bytes, 8 where there are none. Throws InputError where a limit is exceeded: 2^28
  /// entries, and those of Transposer.
  explicit TransposePlan(const CsrInput& a, const TransposePlanOptions& options = {});
  ~TransposePlan();
  TransposePlan(TransposePlan&&) noexcept;
  TransposePlan& operator=(TransposePlan&&) noexcept;

  /// Device memory of the plan, about 4 bytes an entry.
  std::size_t plan_bytes() const;
  /// Device memory that `analyse` needs besides, until it has ended.
  std::size_t analysis_bytes() const;
  /// Device memory that a call needs: the values once more.
  std::size_t call_bytes() const;

  /// Queues on `stream`: the pattern of A^T to row_ptr [cols + 1] and col_idx [nnz] of
  /// `transposed`, and the plan to `plan`, which belongs to this from now on. Unless `permutation`
  /// is none, it is int32 [nnz]: entry q of A^T is entry permutation[q] of A. Values are neither
  /// read nor written. Throws InputError where an array that is written shares memory with another.
  /// After an exception there is no plan, and calls are refused.
  void analyse(const CsrInput& a, const CsrOutput& transposed, const Array& permutation, void* plan,
               std::size_t plan_size, void* workspace, std::size_t workspace_size, Stream stream);

  /// Queues on `stream` the values of A^T from those of A, [nnz] each. Throws InputError where they
  /// share memory.
  void operator()(const ConstArray& values, const Array& transposed, void* workspace,
                  std::size_t bytes, Stream stream) const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace sparserepro::device
