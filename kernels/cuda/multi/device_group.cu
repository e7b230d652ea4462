#include "cuda/device_info.hpp"
#include "cuda/multi/communicators.hpp"
#include "cuda/multi/device_group.hpp"

namespace sparserepro {

Parameter gpus_parameter() {
  return {.name = "gpus",
          .fallback = std::int64_t{0},
          .allowed = {},
          .help = "GPUs of this host, the first ones that are visible; 0: all",
          .minimum = 0};
}

Placement Placement::on_devices(const Params& params) {
  const auto asked = static_cast<int>(params.integer("gpus"));
  return {.ranks = asked == 0 ? visible_gpus() : asked, .on_one_device = false};
}

const std::string& gpu_group_unavailable() {
#ifdef SPARSEREPRO_HAS_NCCL
  return cuda_unavailable();
#else
  static const std::string reason =
      cuda_unavailable().empty() ? "built without NCCL" : cuda_unavailable();
  return reason;
#endif
}

}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

namespace sparserepro {
namespace {

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return properties;
}

/// Adds values of ranks on one device.
__global__ void add_to(std::uint64_t* sum, const std::uint64_t* value) {
  *sum += *value;
}

}  // namespace

int visible_gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string gpu_group_refusal(const Params& params, std::int64_t first_bytes,
                              std::int64_t other_bytes) {
  const std::int64_t gpus = params.integer("gpus");
  if (gpus > visible_gpus()) {
    return "gpus = " + std::to_string(gpus) + ": only " + std::to_string(visible_gpus()) +
           " are visible";
  }
  const int ranks = Placement::on_devices(params).ranks;
  for (int device = 0; device < ranks; ++device) {
    const std::int64_t needed = device == 0 ? first_bytes : other_bytes;
    const auto there = static_cast<std::int64_t>(properties_of(device).totalGlobalMem);
    if (needed > there) {
      return "GPU " + std::to_string(device) + " has " + std::to_string(there) +
             " bytes of memory; matrix and operands take " + std::to_string(needed);
    }
  }
  return "";
}

DeviceGroup::DeviceGroup(const Placement& placement, cudaStream_t first)
    : ranks_(static_cast<std::size_t>(placement.ranks)), on_one_device_(placement.on_one_device) {
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  if (!on_one_device_ && size() > 1) {
#ifdef SPARSEREPRO_HAS_NCCL
    if (current != 0) {
      throw CudaError("the first rank of a group is on device 0");
    }
    communicators(size());
#else
    throw CudaError("several devices need NCCL, and this build has none");
#endif
  }
  for (int rank = 0; rank < size(); ++rank) {
    Rank& made = ranks_[static_cast<std::size_t>(rank)];
    made.device = on_one_device_ ? current : current + rank;
    made.stream = first;
    const OnDevice scope(made.device);
    if (rank > 0 && !on_one_device_) {
      made.own = std::make_unique<Stream>();
      made.stream = made.own->get();
    }
    if (size() > 1 && !on_one_device_) {
      int least = 0, greatest = 0;
      CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      made.beside = std::make_unique<Stream>(greatest);
    }
    CUDA_CHECK(cudaEventCreateWithFlags(&made.event, cudaEventDisableTiming));
  }
}

DeviceGroup::~DeviceGroup() {
  for (const Rank& rank : ranks_) {
    cudaStreamSynchronize(rank.stream);
    cudaEventDestroy(rank.event);
  }
}

std::vector<std::string> DeviceGroup::names() const {
  std::vector<std::string> all;
  for (const Rank& rank : ranks_) {
    all.emplace_back(properties_of(rank.device).name);
  }
  return all;
}

void DeviceGroup::fork() {
  CUDA_CHECK(cudaEventRecord(at(0).event, stream(0)));
  for (int rank = 1; rank < size(); ++rank) {
    CUDA_CHECK(cudaStreamWaitEvent(stream(rank), at(0).event, 0));
  }
}

void DeviceGroup::join() {
  for (int rank = 1; rank < size(); ++rank) {
    CUDA_CHECK(cudaEventRecord(at(rank).event, stream(rank)));
    CUDA_CHECK(cudaStreamWaitEvent(stream(0), at(rank).event, 0));
  }
}

template <class StreamOf>
void DeviceGroup::exchange_on(const std::vector<Transfer>& transfers, const StreamOf& stream_of) {
  if (on_one_device_ || size() == 1) {
    for (const Transfer& t : transfers) {
      if (t.bytes > 0 && t.source != t.target) {
        CUDA_CHECK(cudaMemcpyAsync(t.target, t.source, t.bytes, cudaMemcpyDeviceToDevice,
                                   stream_of(t.to)));
      }
    }
    return;
  }
#ifdef SPARSEREPRO_HAS_NCCL
  grouped(size(), [&](int rank, ncclComm_t communicator) {
    for (const Transfer& t : transfers) {
      if (t.bytes > 0 && t.from == rank) {
        NCCL_CHECK(ncclSend(t.source, t.bytes, ncclUint8, t.to, communicator, stream_of(rank)));
      }
      if (t.bytes > 0 && t.to == rank) {
        NCCL_CHECK(ncclRecv(t.target, t.bytes, ncclUint8, t.from, communicator, stream_of(rank)));
      }
    }
  });
#endif
}

void DeviceGroup::exchange(const std::vector<Transfer>& transfers) {
  exchange_on(transfers, [&](int rank) { return stream(rank); });
}

void DeviceGroup::exchange_beside(const std::vector<Transfer>& transfers) {
  for (const Rank& rank : ranks_) {
    if (rank.beside) {
      CUDA_CHECK(cudaEventRecord(rank.event, rank.stream));
      CUDA_CHECK(cudaStreamWaitEvent(rank.beside->get(), rank.event, 0));
    }
  }
  exchange_on(transfers,
              [&](int rank) { return at(rank).beside ? at(rank).beside->get() : stream(rank); });
}

void DeviceGroup::await_exchange() {
  for (const Rank& rank : ranks_) {
    if (rank.beside) {
      CUDA_CHECK(cudaEventRecord(rank.event, rank.beside->get()));
      CUDA_CHECK(cudaStreamWaitEvent(rank.stream, rank.event, 0));
    }
  }
}

void DeviceGroup::broadcast(const std::vector<void*>& buffers, std::size_t bytes) {
  if (on_one_device_ || size() == 1) {
    std::vector<Transfer> transfers;
    for (int rank = 1; rank < size(); ++rank) {
      transfers.push_back({0, rank, buffers[0], buffers[static_cast<std::size_t>(rank)], bytes});
    }
    return exchange(transfers);
  }
#ifdef SPARSEREPRO_HAS_NCCL
  grouped(size(), [&](int rank, ncclComm_t communicator) {
    void* const buffer = buffers[static_cast<std::size_t>(rank)];
    NCCL_CHECK(ncclBroadcast(buffer, buffer, bytes, ncclUint8, 0, communicator, stream(rank)));
  });
#endif
}

void DeviceGroup::all_reduce_sum(const std::vector<std::uint64_t*>& values) {
  if (on_one_device_ || size() == 1) {
    std::vector<Transfer> transfers;
    for (int rank = 1; rank < size(); ++rank) {
      std::uint64_t* const value = values[static_cast<std::size_t>(rank)];
      add_to<<<1, 1, 0, stream(0)>>>(values[0], value);
      CUDA_CHECK_LAUNCH();
      transfers.push_back({0, rank, values[0], value, sizeof *value});
    }
    return exchange(transfers);
  }
#ifdef SPARSEREPRO_HAS_NCCL
  grouped(size(), [&](int rank, ncclComm_t communicator) {
    std::uint64_t* const value = values[static_cast<std::size_t>(rank)];
    NCCL_CHECK(ncclAllReduce(value, value, 1, ncclUint64, ncclSum, communicator, stream(rank)));
  });
#endif
}

}  // namespace sparserepro

#else

namespace sparserepro {

int visible_gpus() {
  return 0;
}

std::string gpu_group_refusal(const Params&, std::int64_t, std::int64_t) {
  return "";  // an unavailable algorithm is asked nothing more
}

}  // namespace sparserepro

#endif
