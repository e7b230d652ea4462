#include "cuda/measure/device_bandwidth.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "cuda/device_buffer.hpp"
#include "cuda/device_info.hpp"
#include "cuda/launch.hpp"
#include "cuda/measure/memory_probes.cuh"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/stream.hpp"

namespace sparserepro {
namespace {

constexpr int passes = 8;

/// The shortest of a few executions of `queue`, in seconds, timed as the samples of cells are.
template <class Queue>
double shortest(const Stream& stream, const Queue& queue) {
  QueuedTimer timer(stream.get());
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes;) {
    timer.start();
    queue(pass);
    const double seconds = timer.stop();
    if (!timer.facts().lost) {
      best = std::min(best, seconds);
      ++pass;
    }
  }
  return best;
}

std::vector<StreamRate> measure_streams() {
  using namespace memory_probes;
  const std::size_t most =
      std::min<std::size_t>(std::size_t{1} << 30, gpu_info()->memory_bytes / 8);
  const std::size_t bytes = most / block_bytes * block_bytes;
  const auto blocks = static_cast<unsigned>(bytes / block_bytes);
  const Stream stream;
  const cudaStream_t queue = stream.get();
  DeviceBuffer<int4> from(bytes / sizeof(int4), queue), to(bytes / sizeof(int4), queue);
  from.fill_bytes(1, queue);
  to.fill_bytes(1, queue);
  std::vector<StreamRate> rates;
  const auto add = [&](const char* name, int moved, auto run) {
    const double seconds = shortest(stream, [&](int) { run(); });
    rates.push_back({name, stream_rate(moved, static_cast<double>(bytes), seconds)});
  };
  const auto add_kernel = [&](const char* name, int moved, auto kernel) {
    add(name, moved, [&] {
      kernel<<<blocks, block_threads, 0, queue>>>(from.data(), to.data());
      CUDA_CHECK_LAUNCH();
    });
  };
  add("copy, cudaMemcpyAsync", 2, [&] {
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, queue));
  });
  add_kernel("copy", 2, stream_through<Use::copy>);
  add_kernel("copy, streaming loads and stores", 2, stream_through<Use::copy_streamed>);
  add_kernel("read", 1, stream_through<Use::read>);
  add_kernel("read, streaming loads", 1, stream_through<Use::read_streamed>);
  add("write, cudaMemsetAsync", 1, [&] { to.fill_bytes(2, queue); });
  return rates;
}

double measure_gather(std::int64_t row_bytes, std::int64_t table_bytes) {
  using namespace memory_probes;
  constexpr std::int64_t most_bytes = std::int64_t{1} << 32, most_rows = std::int64_t{1} << 26;
  const std::int64_t rows = std::max<std::int64_t>(1, table_bytes / row_bytes);
  const Stream stream;
  DeviceBuffer<int4> table(static_cast<std::size_t>(ceil_div<std::int64_t>(rows * row_bytes, 16)),
                           stream.get());
  table.fill_bytes(1, stream.get());
  const Gather gather = gather_of(rows, row_bytes, std::min(most_bytes / row_bytes, most_rows));
  const double seconds = shortest(stream, [&](int pass) {
    launch(gather, table.data(), static_cast<unsigned>(pass), stream.get());
  });
  return static_cast<double>(gather.reads) * static_cast<double>(row_bytes) / seconds;
}

}  // namespace

const std::vector<StreamRate>& device_stream_rates() {
  static const std::vector<StreamRate> rates = measure_streams();
  return rates;
}

double device_copy_bandwidth() {
  double best = 0.0;
  for (const StreamRate& rate : device_stream_rates()) {
    best = std::max(best, rate.bytes_per_s);
  }
  return best;
}

double device_gather_bandwidth(std::int64_t row_bytes, std::int64_t table_bytes) {
  static std::map<std::pair<std::int64_t, std::int64_t>, double> measured;
  const std::pair key{std::min(row_bytes, memory_probes::max_row_bytes),
                      std::min(table_bytes, gpu_info()->memory_bytes / 8)};
  const auto found = measured.find(key);
  return found != measured.end()
             ? found->second
             : measured.emplace(key, measure_gather(key.first, key.second)).first->second;
}

}  // namespace sparserepro

#else

#include <stdexcept>

namespace sparserepro {

const std::vector<StreamRate>& device_stream_rates() {
  throw std::logic_error("built without CUDA");
}

double device_copy_bandwidth() {
  throw std::logic_error("built without CUDA");
}

double device_gather_bandwidth(std::int64_t, std::int64_t) {
  throw std::logic_error("built without CUDA");
}

}  // namespace sparserepro

#endif
