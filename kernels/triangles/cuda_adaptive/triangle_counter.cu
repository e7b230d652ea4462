// The public count on a device (include/sparserepro/device/triangles.hpp): types at run time in,
// adaptive::Counter of one storage type behind. Column numbers of 64 bits are copied to 32 by
// prepare().
#include <limits>
#include <utility>

#include "cuda/convert.cuh"
#include "cuda/device_memory.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "sparserepro/device/triangles.hpp"
#include "triangles/cuda_adaptive/counter.cuh"
#include "triangles/cuda_adaptive/limits.hpp"

namespace sparserepro::device {

/// Counts as TriangleCounter does; arrays and workspace are checked.
class TriangleCounter::Method {
 public:
  explicit Method(const CsrInput& a) : graph(pattern_of(a)) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual std::size_t workspace_bytes() const = 0;
  virtual void prepare(DeviceMemory memory, cudaStream_t stream) = 0;
  virtual void count(std::uint64_t* sum, std::uint64_t* of_vertex, cudaStream_t stream) = 0;
  virtual void support(std::uint64_t* of_entry, cudaStream_t stream) const = 0;
  virtual TrianglePath path() const = 0;

  virtual std::vector<std::pair<std::string, double>> facts() const = 0;

  const CsrInput graph;  ///< without values
};

namespace {

template <class Offset>
class TypedMethod final : public TriangleCounter::Method {
 public:
  TypedMethod(const CsrInput& a, const TriangleOptions& options)
      : Method(a), choice_(options.path), share_{options.part, options.parts} {
    DeviceMemory count;
    static_cast<void>(place(count));
    bytes_ = count.bytes();
  }

  std::size_t workspace_bytes() const override { return bytes_; }
  void prepare(DeviceMemory memory, cudaStream_t stream) override {
    counter_.reset();  // none either after an exception
    std::unique_ptr<Counter> counter = place(memory);
    if (wide()) {
      convert_on_device(static_cast<const std::int64_t*>(graph.col_idx.data), columns_.data(),
                        columns_.size(), stream);
    }
    counter->prepare(stream);
    counter_ = std::move(counter);
  }
  void count(std::uint64_t* sum, std::uint64_t* of_vertex, cudaStream_t stream) override {
    prepared().count(sum, of_vertex, stream);
  }
  void support(std::uint64_t* of_entry, cudaStream_t stream) const override {
    prepared().support(of_entry, stream);
  }
  TrianglePath path() const override { return prepared().path(); }
  std::vector<std::pair<std::string, double>> facts() const override {
    const auto is = [&](TrianglePath path) { return prepared().path() == path ? 1.0 : 0.0; };
    std::vector<std::pair<std::string, double>> all{{"path_prefix", is(TrianglePath::prefix)},
                                                    {"path_middle", is(TrianglePath::middle)},
                                                    {"path_even", is(TrianglePath::even)},
                                                    {"path_oriented", is(TrianglePath::oriented)}};
    if (prepared().path() == TrianglePath::oriented) {
      all.emplace_back("table_tasks", prepared().tasks().table);
      all.emplace_back("bitmap_tasks", prepared().tasks().bitmap);
    }
    return all;
  }

 private:
  using Counter = adaptive::Counter<Offset>;

  bool wide() const { return graph.col_idx.type == DataType::int64; }
  std::unique_ptr<Counter> place(DeviceMemory& memory) {
    columns_ = DeviceArray<index_t>(wide() ? static_cast<std::size_t>(graph.nnz) : 0, memory);
    const DeviceGraph<Offset> view{
        static_cast<index_t>(graph.rows), static_cast<Offset>(graph.nnz),
        static_cast<const Offset*>(graph.row_ptr.data),
        wide() ? columns_.data() : static_cast<const index_t*>(graph.col_idx.data)};
    return std::make_unique<Counter>(view, choice_, share_, memory);
  }
  Counter& prepared() const {
    if (!counter_) {
      throw InputError("not prepared: call prepare before the first count");
    }
    return *counter_;
  }

  TrianglePath choice_;
  adaptive::Share share_;
  std::size_t bytes_ = 0;
  DeviceArray<index_t> columns_;      // [nnz] where column numbers have 64 bits
  std::unique_ptr<Counter> counter_;  // once it is prepared
};

}  // namespace

namespace {

void check_graph(const CsrInput& graph) {
  check_csr(graph);
  if (graph.rows != graph.cols) {
    throw InputError("a graph's matrix is square, not " + std::to_string(graph.rows) + " x " +
                     std::to_string(graph.cols));
  }
}

}  // namespace

TriangleCounter::TriangleCounter(const CsrInput& graph, const TriangleOptions& options) {
  check_graph(graph);
  check_aligned("A", graph.row_ptr.data, graph.col_idx.data);
  if (const std::string reason = adaptive::limit_refusal(graph.rows, graph.nnz); !reason.empty()) {
    throw InputError(reason);
  }
  if (options.part >= options.parts) {
    throw InputError("part " + std::to_string(options.part) + " of " +
                     std::to_string(options.parts) + " parts");
  }
  if (graph.row_ptr.type == DataType::int32) {
    method_ = std::make_unique<TypedMethod<std::int32_t>>(graph, options);
  } else {
    method_ = std::make_unique<TypedMethod<std::int64_t>>(graph, options);
  }
}

TriangleCounter::~TriangleCounter() = default;
TriangleCounter::TriangleCounter(TriangleCounter&&) noexcept = default;
TriangleCounter& TriangleCounter::operator=(TriangleCounter&&) noexcept = default;

std::size_t TriangleCounter::workspace_bytes() const {
  return method_->workspace_bytes();
}

void TriangleCounter::prepare(void* workspace, std::size_t bytes, Stream stream) {
  method_->prepare(device_workspace(workspace, bytes, method_->workspace_bytes()), stream);
}

void TriangleCounter::count(std::uint64_t* triangles, std::uint64_t* of_vertex, Stream stream) {
  check_present("triangles", triangles, 1);
  const Place number = place_of("triangles", triangles, 1);
  check_apart(number, method_->graph, {});
  check_apart(place_of("of_vertex", of_vertex, method_->graph.rows), method_->graph, {number});
  method_->count(triangles, of_vertex, stream);
}

void TriangleCounter::support(std::uint64_t* of_entry, Stream stream) {
  check_present("of_entry", of_entry, method_->graph.nnz);
  check_apart(place_of("of_entry", of_entry, method_->graph.nnz), method_->graph, {});
  method_->support(of_entry, stream);
}

TrianglePath TriangleCounter::path() const {
  return method_->path();
}

std::vector<std::pair<std::string, double>> TriangleCounter::facts() const {
  return method_->facts();
}

void local_clustering(const CsrInput& graph, const std::uint64_t* of_vertex, double* coefficients,
                      Stream stream) {
  check_graph(graph);
  check_present("of_vertex", of_vertex, graph.rows);
  check_present("coefficients", coefficients, graph.rows);
  check_apart(place_of("coefficients", coefficients, graph.rows), pattern_of(graph),
              {place_of("of_vertex", of_vertex, graph.rows)});
  const auto vertices = static_cast<index_t>(graph.rows);
  if (vertices == 0) {
    return;
  }
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>(ceil_div<std::int64_t>(vertices, threads));
  const auto queue = [&](const auto* row_ptr) {
    adaptive::clustering_kernel<<<blocks, threads, 0, stream>>>(row_ptr, vertices, of_vertex,
                                                                coefficients);
    CUDA_CHECK_LAUNCH();
  };
  graph.row_ptr.type == DataType::int64
      ? queue(static_cast<const std::int64_t*>(graph.row_ptr.data))
      : queue(static_cast<const std::int32_t*>(graph.row_ptr.data));
}

}  // namespace sparserepro::device
