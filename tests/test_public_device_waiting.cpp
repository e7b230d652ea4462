// Waiting and memory of the public functions on a device, as docs/library.md's table states them:
// what is queued behind a task that has not ended returns before it ends, and takes no memory.
// Without CUDA the functions are not in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "formats/graph.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Holds a stream back until it is released, or for some seconds where it is not.
class Barrier {
 public:
  explicit Barrier(cudaStream_t stream) : stream_(stream) {
    CUDA_CHECK(cudaLaunchHostFunc(stream, wait, this));
  }
  /// Whether the calls since the constructor returned while the stream was held back.
  bool release() {
    const bool early = !ended_;
    open_ = true;
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    return early;
  }

 private:
  static void wait(void* self) {
    auto& barrier = *static_cast<Barrier*>(self);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!barrier.open_ && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    barrier.ended_ = true;
  }

  cudaStream_t stream_;
  std::atomic<bool> open_{false}, ended_{false};
};

std::size_t free_bytes() {
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return free;
}

/// Calls once to load the kernels, then once behind a barrier; no call takes device memory.
template <class Call>
void check_queues(const char* name, cudaStream_t s, const Call& call) {
  INFO(name);
  call();
  CUDA_CHECK(cudaStreamSynchronize(s));
  const std::size_t before = free_bytes();
  Barrier barrier(s);
  call();
  CHECK(barrier.release());
  CHECK(free_bytes() == before);
}

}  // namespace

TEST_CASE("public functions on the device queue their work and return", "[public][cuda]") {
  require_device();
  const Stream stream;
  const cudaStream_t s = stream.get();
  const auto a =
      csr_cast<std::int32_t, double>(generate("rmat:scale=12,edge_factor=16,symmetric=0").csr);
  const auto nnz = static_cast<std::size_t>(a.nnz());
  constexpr std::int64_t k = 8;
  DeviceBuffer<std::int32_t> row_ptr(a.row_ptr, s), t_ptr(static_cast<std::size_t>(a.cols) + 1, s);
  DeviceBuffer<index_t> col_idx(a.col_idx, s), t_idx(nnz, s);
  DeviceBuffer<double> values(a.values, s), t_values(nnz, s);
  const CsrInput in{a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()};
  const CsrOutput out{t_ptr.data(), t_idx.data(), t_values.data()};

  device::Transposer transposer(in);
  DeviceBuffer<char> of_transposer(transposer.workspace_bytes(), s);
  check_queues("Transposer::bind", s,
               [&] { transposer.bind(of_transposer.data(), of_transposer.size(), s); });
  check_queues("Transposer", s, [&] { transposer(in, out, s); });

  device::TransposePlan moves(in);
  DeviceBuffer<char> plan(moves.plan_bytes(), s);
  DeviceBuffer<char> scratch(std::max(moves.analysis_bytes(), moves.call_bytes()), s);
  check_queues("TransposePlan::analyse", s, [&] {
    moves.analyse(in, out, {}, plan.data(), plan.size(), scratch.data(), scratch.size(), s);
  });
  check_queues("TransposePlan", s,
               [&] { moves(values.data(), t_values.data(), scratch.data(), scratch.size(), s); });

  DeviceBuffer<double> x(static_cast<std::size_t>(a.rows * k), s), y(x.size(), s);
  x.fill_bytes(0, s);
  y.fill_bytes(0, s);
  for (const Operation operation : {Operation::none, Operation::transpose}) {
    INFO(to_string(operation));
    device::SpmmPlan product(in, k, {.operation = operation});
    DeviceBuffer<char> analysis(product.analysis_bytes(), s);
    product.analyse(analysis.data(), analysis.size(), s);
    const DenseInput x_columns{a.rows, k, a.rows, x.data(), DenseLayout::column_major};
    const DenseOutput y_columns{a.rows, k, a.rows, y.data(), DenseLayout::column_major};
    DeviceBuffer<char> room(product.product_bytes(x_columns, y_columns), s);
    check_queues("SpmmPlan in columns", s,
                 [&] { product(2.0, x_columns, 1.0, y_columns, room.data(), room.size(), s); });
    check_queues("SpmmPlan in rows", s, [&] {
      product(1.0, {a.rows, k, k, x.data()}, 0.0, {a.rows, k, k, y.data()}, room.data(),
              room.size(), s);
    });
    check_queues("SpmmPlan::set_values", s, [&] { product.set_values(values.data(), s); });
    device::SpmmPlan merged(in, 1, {.path = device::SpmmPath::merged, .operation = operation});
    DeviceBuffer<char> of_merged(merged.analysis_bytes(), s);
    check_queues("SpmmPlan::analyse, path merged", s,
                 [&] { merged.analyse(of_merged.data(), of_merged.size(), s); });
    // Of A^T: row pointers, columns, values and the plan of the moves; their scratch; lists of
    // rows.
    const std::size_t moved =
        operation == Operation::none
            ? 0
            : 12 * nnz + moves.plan_bytes() + std::max(moves.analysis_bytes(), moves.call_bytes());
    CHECK(product.analysis_bytes() <=
          moved + 16 * static_cast<std::size_t>(a.rows) + nnz / 2 + (std::size_t{1} << 20));
  }

  GraphCleaning cleaning;
  const Graph graph = graph_from_matrix(generate("rmat:scale=12,edge_factor=8").csr, cleaning, 2);
  DeviceBuffer<std::int64_t> g_ptr(graph.row_ptr, s);
  DeviceBuffer<index_t> g_idx(graph.col_idx, s);
  const CsrInput of_graph{graph.vertices, graph.vertices, graph.stored(),
                          g_ptr.data(),   g_idx.data(),   {}};
  DeviceBuffer<std::uint64_t> sum(std::size_t{1}, s), of_entry(g_idx.size(), s);
  DeviceBuffer<std::uint64_t> of_vertex(static_cast<std::size_t>(graph.vertices), s);
  DeviceBuffer<double> shares(of_vertex.size(), s);
  device::TriangleCounter counter(of_graph);
  DeviceBuffer<char> workspace(counter.workspace_bytes(), s);
  counter.prepare(workspace.data(), workspace.size(), s);
  check_queues("TriangleCounter::count", s,
               [&] { counter.count(sum.data(), of_vertex.data(), s); });
  check_queues("TriangleCounter::support", s, [&] { counter.support(of_entry.data(), s); });
  check_queues("local_clustering", s,
               [&] { device::local_clustering(of_graph, of_vertex.data(), shares.data(), s); });
}

#endif
