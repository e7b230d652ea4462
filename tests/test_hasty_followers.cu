// A kernel of somebody else that may launch early and does not wait sees whole answers of ours:
// only kernels of ours that wait follow a kernel that lets the next one launch. Needs a GPU.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/grid_dependency.cuh"
#include "cuda/launch.hpp"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/stream.hpp"
#include "formats/csr.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

struct Copy {
  const double* from;
  double* to;
  unsigned count;
};

/// Copies what is there now.
__global__ void copy_kernel(const __grid_constant__ Copy in) {
  for (unsigned i = threadIdx.x; i < in.count; i += blockDim.x) {
    in.to[i] = *static_cast<const volatile double*>(in.from + i);
  }
}

/// Elements at the end of `out` that a hasty kernel sees otherwise than they are when all is done.
/// `queue` queues the work that writes `out` on a stream.
template <class Queue>
std::int64_t seen_too_early(DeviceBuffer<double>& out, const Stream& stream, const Queue& queue) {
  const std::size_t count = std::min<std::size_t>(out.size(), 8192);
  const std::size_t first = out.size() - count;
  DeviceBuffer<double> seen(count, stream.get());
  QueuedTimer timer(stream.get());
  bool held = false;
  for (int attempt = 0; attempt < 3 && !held; ++attempt) {  // a kernel's first launch loads it,
    out.fill_bytes(0xff, stream.get());                     // which waits for the device
    timer.start();
    queue();
    queue_kernel(Begins::early, copy_kernel, 1, 256, stream.get(),
                 {out.data() + first, seen.data(), static_cast<unsigned>(count)});
    held = timer.stop() > 0.0;
  }
  CHECK(held);
  const std::vector<double> then = on_host(seen, stream), now = on_host(out, stream);
  std::int64_t early = 0;
  for (std::size_t i = 0; i < count; ++i) {
    early += then[i] == now[first + i] ? 0 : 1;
  }
  return early;
}

struct Arrays {
  Arrays(const Csr<std::int32_t, double>& a, cudaStream_t stream)
      : row_ptr(a.row_ptr, stream),
        col_idx(a.col_idx, stream),
        values(std::vector<double>(a.col_idx.size(), 1.5), stream),
        input{a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()} {}

  DeviceBuffer<std::int32_t> row_ptr;
  DeviceBuffer<index_t> col_idx;
  DeviceBuffer<double> values;
  CsrInput input;
};

}  // namespace

TEST_CASE("a hasty kernel sees the whole product", "[cuda][spmm]") {
  require_device();
  using device::SpmmPath;
  const Stream stream;
  const auto spec = GENERATE(as<std::string>{}, "uniform:rows=400000,cols=400000,nnz=3200000",
                             "powerlaw:rows=200000,cols=200000,exponent=2.2,max_row=9000");
  const auto a = csr_cast<std::int32_t, double>(generate(spec).csr);
  const Arrays arrays(a, stream.get());
  for (const std::int64_t k : {1, 8, 64}) {
    const DeviceBuffer<double> x(std::vector<double>(static_cast<std::size_t>(a.cols * k), 1.0),
                                 stream.get());
    DeviceBuffer<double> y(static_cast<std::size_t>(a.rows * k), stream.get());
    for (const SpmmPath path :
         {SpmmPath::automatic, SpmmPath::natural, SpmmPath::binned, SpmmPath::grouped,
          SpmmPath::packed, SpmmPath::staged, SpmmPath::blocks, SpmmPath::flat, SpmmPath::merged,
          SpmmPath::uncut, SpmmPath::short_rows}) {
      if (path == SpmmPath::merged && k > 1) {
        continue;
      }
      CAPTURE(spec, k, to_string(path));
      device::SpmmPlan plan(arrays.input, k, {.path = path});
      DeviceBuffer<char> analysis(plan.analysis_bytes(), stream.get());
      plan.analyse(analysis.data(), analysis.size(), stream.get());
      DeviceBuffer<char> workspace(plan.product_bytes(), stream.get());
      CHECK(seen_too_early(y, stream, [&] {
              plan(1.0, {a.cols, k, k, x.data()}, 0.0, {a.rows, k, k, y.data()}, workspace.data(),
                   workspace.size(), stream.get());
            }) == 0);
    }
  }
}

TEST_CASE("a hasty kernel sees the whole transposed matrix", "[cuda][transpose]") {
  require_device();
  const Stream stream;
  const auto spec = GENERATE(as<std::string>{}, "uniform:rows=30000,cols=30000,nnz=200000",
                             "uniform:rows=400000,cols=400000,nnz=4000000", "banded:rows=400000");
  const bool vote = GENERATE(false, true);
  const auto a = csr_cast<std::int32_t, double>(generate(spec).csr);
  const Arrays arrays(a, stream.get());
  device::Transposer transposer(arrays.input, {.vote = vote});
  DeviceBuffer<char> workspace(transposer.workspace_bytes(), stream.get());
  transposer.bind(workspace.data(), workspace.size(), stream.get());
  DeviceBuffer<std::int32_t> row_ptr(static_cast<std::size_t>(a.cols) + 1, stream.get());
  DeviceBuffer<index_t> col_idx(a.col_idx.size(), stream.get());
  DeviceBuffer<double> values(a.col_idx.size(), stream.get());
  CAPTURE(spec, vote);
  CHECK(seen_too_early(values, stream, [&] {
          transposer(arrays.input, {row_ptr.data(), col_idx.data(), values.data()}, stream.get());
        }) == 0);
}
