// The public counts on the host (include/sparserepro/triangles.hpp): AdaptiveCounter and
// SupportCounter behind types at run time. Row pointers of 32 bits are copied to 64, column numbers
// of 64 bits to 32.
#include <optional>
#include <utility>

#include "formats/asked_threads.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "formats/convert.hpp"
#include "sparserepro/triangles.hpp"
#include "triangles/local_clustering.hpp"
#include "triangles/omp_adaptive/counter.hpp"
#include "triangles/omp_adaptive/support.hpp"

namespace sparserepro::host {

class TriangleCounter::Method {
 public:
  Method(const CsrInput& graph, int threads, TrianglePath path)
      : given(pattern_of(graph)),
        threads_(threads),
        view_(view(graph)),
        counter_(view_, threads, path) {}

  const CsrInput given;  ///< without values

  AdaptiveCounter& counter() { return counter_; }
  std::uint64_t count(const TriangleCounts& counts) {
    if (!support_) {
      support_.emplace(view_, threads_);
    }
    return support_->count(counts);
  }
  std::int64_t workspace_bytes() const {
    return counter_.workspace_bytes() + (support_ ? support_->bytes() : 0) +
           static_cast<std::int64_t>(row_ptr_.size() * sizeof(std::int64_t) +
                                     col_idx_.size() * sizeof(index_t));
  }

 private:
  template <class From, class To>
  const To* converted(const From* from, std::int64_t count, Buffer<To>& to) const {
    if constexpr (std::is_same_v<From, To>) {
      return from;
    } else {
      to.resize(static_cast<std::size_t>(count));
      convert(from, to.size(), to.data(), threads_);
      return to.data();
    }
  }

  GraphView view(const CsrInput& graph) {
    const auto in = [](const ConstArray& array, auto type) {
      return static_cast<const decltype(type)*>(array.data);
    };
    GraphView view{.vertices = static_cast<index_t>(graph.rows)};
    view.row_ptr = graph.row_ptr.type == DataType::int64
                       ? converted(in(graph.row_ptr, std::int64_t{}), graph.rows + 1, row_ptr_)
                       : converted(in(graph.row_ptr, std::int32_t{}), graph.rows + 1, row_ptr_);
    view.col_idx = graph.col_idx.type == DataType::int64
                       ? converted(in(graph.col_idx, std::int64_t{}), graph.nnz, col_idx_)
                       : converted(in(graph.col_idx, std::int32_t{}), graph.nnz, col_idx_);
    return view;
  }

  int threads_;
  Buffer<std::int64_t> row_ptr_;  // [vertices + 1] where the caller's have 32 bits
  Buffer<index_t> col_idx_;       // [nnz] where the caller's have 64 bits
  GraphView view_;
  AdaptiveCounter counter_;
  std::optional<SupportCounter> support_;  // once counts at vertices or edges were asked for
};

namespace {

void check_graph(const CsrInput& graph) {
  check_host_csr(graph);
  if (graph.rows != graph.cols) {
    throw InputError("a graph's matrix is square, not " + std::to_string(graph.rows) + " x " +
                     std::to_string(graph.cols));
  }
}

}  // namespace

TriangleCounter::TriangleCounter(const CsrInput& graph, const TriangleOptions& options) {
  check_graph(graph);
  method_ = std::make_unique<Method>(graph, asked_threads(options.threads), options.path);
}

TriangleCounter::~TriangleCounter() = default;
TriangleCounter::TriangleCounter(TriangleCounter&&) noexcept = default;
TriangleCounter& TriangleCounter::operator=(TriangleCounter&&) noexcept = default;

void TriangleCounter::prepare() {
  method_->counter().prepare();
}

std::uint64_t TriangleCounter::count() {
  return method_->counter().count();
}

std::uint64_t TriangleCounter::count(const TriangleCounts& counts) {
  if (counts.of_vertex == nullptr && counts.of_entry == nullptr) {
    return count();
  }
  const CsrInput& graph = method_->given;
  const Place of_vertex = place_of("of_vertex", counts.of_vertex, graph.rows);
  check_apart(of_vertex, graph, {});
  check_apart(place_of("of_entry", counts.of_entry, graph.nnz), graph, {of_vertex});
  return method_->count(counts);
}

std::int64_t TriangleCounter::workspace_bytes() const {
  return method_->workspace_bytes();
}

TrianglePath TriangleCounter::path() const {
  return method_->counter().path();
}

std::uint64_t triangle_count(const CsrInput& graph, const TriangleOptions& options) {
  TriangleCounter counter(graph, options);
  counter.prepare();
  return counter.count();
}

void local_clustering(const CsrInput& graph, const std::uint64_t* of_vertex, double* coefficients,
                      const TriangleOptions& options) {
  check_graph(graph);
  check_present("of_vertex", of_vertex, graph.rows);
  check_present("coefficients", coefficients, graph.rows);
  check_apart(place_of("coefficients", coefficients, graph.rows), pattern_of(graph),
              {place_of("of_vertex", of_vertex, graph.rows)});
  const int threads = asked_threads(options.threads);
  const auto fill = [&](const auto* row_ptr) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t v = 0; v < graph.rows; ++v) {
      coefficients[v] = sparserepro::local_clustering(of_vertex[v], row_ptr[v + 1] - row_ptr[v]);
    }
  };
  if (graph.row_ptr.type == DataType::int64) {
    fill(static_cast<const std::int64_t*>(graph.row_ptr.data));
  } else {
    fill(static_cast<const std::int32_t*>(graph.row_ptr.data));
  }
}

}  // namespace sparserepro::host
