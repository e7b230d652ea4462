// Ranks of one process on several devices, and their exchanges. NCCL does the exchanges; ranks that
// share one device, in which the split of work is tested, copy. Compiles with and without CUDA.
//
// Source: collectives of one process with one communicator a device, NCCL's user guide
// (ncclCommInitAll, group calls).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/params.hpp"

namespace sparserepro {

/// Devices that this process sees; 0 without CUDA.
int visible_gpus();

/// "" or why no algorithm of several GPUs can run: no device, or built without NCCL.
const std::string& gpu_group_unavailable();

/// The parameter `gpus` of the algorithms of several GPUs: their number, 0 for all that are
/// visible.
Parameter gpus_parameter();

/// Where the ranks of a group lie.
struct Placement {
  int ranks = 1;
  bool on_one_device = false;  ///< all on the current device: a test of the split, without NCCL

  /// One rank on each of the first params.integer("gpus") devices.
  static Placement on_devices(const Params& params);
};

/// "" or why the devices cannot take a cell: fewer are visible than params ask for, or one has less
/// memory than `first_bytes` (the first) or `other_bytes` (each other one).
std::string gpu_group_refusal(const Params& params, std::int64_t first_bytes,
                              std::int64_t other_bytes);

}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include <exception>
#include <memory>
#include <thread>

#include "cuda/check.hpp"
#include "cuda/stream.hpp"

namespace sparserepro {

/// Makes a device current for its lifetime.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    CUDA_CHECK(cudaGetDevice(&before_));
    CUDA_CHECK(cudaSetDevice(device));
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// The ranks. All work between fork() and join() is, to the stream of rank 0, one operation: no
/// rank begins before what that stream held, and what follows on it waits for all ranks. Exchanges
/// are queued on the streams of the ranks, in the order of the calls.
class DeviceGroup {
 public:
  /// Rank 0 has the current device and the stream `first`, which outlives this. Throws CudaError.
  DeviceGroup(const Placement& placement, cudaStream_t first);
  ~DeviceGroup();
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;

  int size() const { return static_cast<int>(ranks_.size()); }
  int device(int rank) const { return at(rank).device; }
  cudaStream_t stream(int rank) const { return at(rank).stream; }
  /// Names of the devices, by rank.
  std::vector<std::string> names() const;

  void fork();
  void join();

  /// A copy of `bytes` between ranks.
  struct Transfer {
    int from, to;
    const void* source;
    void* target;
    std::size_t bytes;
  };
  /// All of `transfers`, at once.
  void exchange(const std::vector<Transfer>& transfers);
  /// The same after all that the ranks have queued, but beside what they queue from now on to
  /// await_exchange(); that comes before the next exchange.
  void exchange_beside(const std::vector<Transfer>& transfers);
  void await_exchange();
  /// buffers[0] to all buffers, `bytes` each.
  void broadcast(const std::vector<void*>& buffers, std::size_t bytes);
  /// Replaces *values[r] of every rank by the sum of all.
  void all_reduce_sum(const std::vector<std::uint64_t*>& values);

  /// Calls f(rank) for one rank after the other, with its device current.
  template <class Function>
  void for_each(const Function& f) const {
    for (int rank = 0; rank < size(); ++rank) {
      const OnDevice scope(device(rank));
      f(rank);
    }
  }
  /// The same in a thread for each rank, for functions that wait for their device. Rethrows the
  /// first exception by rank. Ranks of one device, which have one stream, take turns.
  template <class Function>
  void in_parallel(const Function& f) const {
    if (size() == 1 || on_one_device_) {
      return for_each(f);
    }
    std::vector<std::exception_ptr> failed(ranks_.size());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          const OnDevice scope(device(rank));
          f(rank);
        } catch (...) {
          failed[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const std::exception_ptr& failure : failed) {
      if (failure) {
        std::rethrow_exception(failure);
      }
    }
  }

 private:
  struct Rank {
    int device = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    std::unique_ptr<Stream> own;     // of ranks other than 0
    std::unique_ptr<Stream> beside;  // of exchanges beside other work; none on one device
  };
  template <class StreamOf>
  void exchange_on(const std::vector<Transfer>& transfers, const StreamOf& stream_of);
  const Rank& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Rank> ranks_;
  bool on_one_device_;
};

}  // namespace sparserepro

#endif
