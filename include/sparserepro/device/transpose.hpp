// Transposition of a sparse matrix on a CUDA device: CSR of A in, CSR of A^T out (or CSR to CSC).
//
// The answer is unique: entries of a column of A keep the order of their rows, and those of one
// position the order in which they are stored. All arrays are in memory of the device, aligned to
// 16 bytes; the workspace, to 256. No function allocates device memory or waits for the device, but
// for Transposer::facts. All work belongs to the device that is current when it is asked for: a
// program with several makes a Transposer for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sparserepro/arrays.hpp"
#include "sparserepro/device/stream.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::device {

/// How a matrix is transposed; `automatic` chooses by the shape and, on the device, by the entries.
enum class TransposePath : std::uint8_t {
  automatic,
  one_level,  ///< one split into ranges of columns, then a sort of each in shared memory
  team,       ///< few entries: one kernel sorts by digits of the columns
  /// The caller says that the pattern of A is symmetric and the columns of a row ascend: each value
  /// is fetched from its mirror entry. Pays where rows have up to some 20 entries and neighbouring
  /// rows have near columns; beyond 10^5 rows numbered at random it takes twice as long. Where an
  /// entry has no mirror entry, all is sorted, which takes two to five times as long as without
  /// this. Throws InputError unless A is square.
  symmetric
};

/// Threads of a block that sorts a tile of entries: 512, 1024, or as suits the matrix.
enum class TileSize : std::uint8_t { automatic, small, large };

struct TransposeOptions {
  TransposePath path = TransposePath::automatic;
  TileSize tile = TileSize::automatic;
  bool vote = false;  ///< rank entries by votes of a warp instead of counters that are checked
  bool programmatic =
      true;  ///< a kernel begins its launch while the one before runs (9.0 and newer)
};

/// Transposes matrices of one shape as often as wanted, in a workspace of the caller.
class Transposer {
 public:
  /// Reads shape and types of `a`, not its arrays. Values have 2, 4 or 8 bytes or are none; only
  /// their width matters. Throws InputError where a limit is exceeded: 2^32 - 2^26 entries, 21.2
  /// million columns, the shared memory of the device.
  explicit Transposer(const CsrInput& a, const TransposeOptions& options = {});
  ~Transposer();
  Transposer(Transposer&&) noexcept;
  Transposer& operator=(Transposer&&) noexcept;

  /// Device memory that `bind` wants.
  std::size_t workspace_bytes() const;

  /// Takes `workspace` [bytes] for all calls to come and queues its set-up on `stream`. Throws
  /// InputError where it is too small or not aligned.
  void bind(void* workspace, std::size_t bytes, Stream stream);

  /// Queues A^T on `stream`: row_ptr [cols + 1], col_idx [nnz] and values [nnz], of the types of
  /// A's arrays, and apart from them. `a` has the shape and the types of the constructor. The
  /// caller sees to it that a call follows `bind` and the call before on the device, where they
  /// are on other streams. Throws InputError, also where an array of A^T shares memory with
  /// another, and CudaError where a launch fails; the call after that sets the workspace up again.
  void operator()(const CsrInput& a, const CsrOutput& transposed, Stream stream);

  /// Names and numbers about the last call, which was on `stream`: levels, buckets, tiles. Waits
  /// for the device.
  std::vector<std::pair<std::string, double>> facts(Stream stream) const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// A^T of `a` once, in CUB's manner: where `workspace` is null, sets `bytes` to what is needed and
/// does nothing else.
void transpose(void* workspace, std::size_t& bytes, const CsrInput& a, const CsrOutput& transposed,
               Stream stream, const TransposeOptions& options = {});

}  // namespace sparserepro::device
