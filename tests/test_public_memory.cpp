// Memory of the public functions on the host, as docs/library.md's table states it: what an object
// holds is what it says, within the bytes of the table, and calls after the first allocate nothing.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"
#include "support/catch.hpp"

namespace {

std::atomic<std::int64_t> live_bytes{0}, peak_bytes{0}, allocations{0};

/// Every block has its size in front of it, in as many bytes as it is aligned to.
void* take(std::size_t size, std::size_t alignment) {
  const std::size_t front = alignment < 16 ? 16 : alignment;
  const std::size_t whole = (size + front + front - 1) / front * front;
  void* const memory = std::aligned_alloc(front, whole);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  *static_cast<std::size_t*>(memory) = size;
  const std::int64_t live = live_bytes += static_cast<std::int64_t>(size);
  for (std::int64_t peak = peak_bytes;
       live > peak && !peak_bytes.compare_exchange_weak(peak, live);) {
  }
  ++allocations;
  return static_cast<char*>(memory) + front;
}
void give(void* pointer, std::size_t alignment) noexcept {
  if (pointer != nullptr) {
    void* const memory = static_cast<char*>(pointer) - (alignment < 16 ? 16 : alignment);
    live_bytes -= static_cast<std::int64_t>(*static_cast<std::size_t*>(memory));
    std::free(memory);
  }
}

}  // namespace

void* operator new(std::size_t size) {
  return take(size, 16);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept {
  give(pointer, 16);
}
void operator delete(void* pointer, std::size_t) noexcept {
  give(pointer, 16);
}
void operator delete(void* pointer, std::align_val_t alignment) noexcept {
  give(pointer, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer, std::size_t, std::align_val_t alignment) noexcept {
  give(pointer, static_cast<std::size_t>(alignment));
}

using namespace sparserepro;

namespace {

/// Bytes that `make` leaves allocated.
template <class Make>
std::int64_t held_by(const Make& make) {
  const std::int64_t before = live_bytes;
  make();
  return live_bytes - before;
}
/// Allocations in `call`.
template <class Call>
std::int64_t allocations_of(const Call& call) {
  const std::int64_t before = allocations;
  call();
  return allocations - before;
}

/// Whether an object that holds `held` bytes says so, but for a few bytes of its own.
bool says_so(std::int64_t said, std::int64_t held) {
  return said <= held + 4096 && held <= said + said / 16 + 16384;
}

Csr<std::int32_t, double> matrix_of(const std::string& spec) {
  return csr_cast<std::int32_t, double>(generate(spec).csr);
}

}  // namespace

TEST_CASE("memory of products: what plans hold, and no allocation in later calls",
          "[public][memory]") {
  // Entries of long rows, which a plan in fp64 holds twice, are few here.
  for (const char* const spec :
       {"uniform:rows=30000,cols=20000,nnz=600000,seed=4", "fem:nx=15,ny=14,nz=13,dofs=3"}) {
    const auto a = matrix_of(spec);
    const auto nnz = static_cast<double>(a.nnz());
    constexpr std::int64_t k = 8;
    const Buffer<float> floats(a.values.begin(), a.values.end());
    struct Form {
      DataType type;
      Operation operation;
      double bytes_an_entry;
    };
    for (const Form form :
         {Form{DataType::fp64, Operation::none, 12}, Form{DataType::fp64, Operation::transpose, 16},
          Form{DataType::fp32, Operation::none, 8},
          Form{DataType::fp32, Operation::transpose, 12}}) {
      const bool none = form.operation == Operation::none, wide = form.type == DataType::fp64;
      CAPTURE(spec, to_string(form.type), to_string(form.operation));
      CsrInput in = public_view(a);
      if (!wide) {
        in.values = floats.data();
      }
      const std::int64_t rows = none ? a.rows : a.cols, cols = none ? a.cols : a.rows;
      const std::size_t size = wide ? 8 : 4;
      std::vector<double> x(static_cast<std::size_t>(cols * k), 0.0), y(x.size() + 300000);
      std::unique_ptr<host::SpmmPlan> plan;
      const std::int64_t held = held_by([&] {
        plan = std::make_unique<host::SpmmPlan>(
            in, k, host::SpmmOptions{.threads = 2, .operation = form.operation});
      });
      CHECK(says_so(plan->workspace_bytes(), held));
      const double lists = 8.0 * static_cast<double>(a.rows + a.cols) + 65536;
      CHECK(static_cast<double>(held) <= 1.02 * form.bytes_an_entry * nnz + lists);
      const DenseInput x_view{cols, k, k, {x.data(), form.type}};
      const DenseOutput y_view{rows, k, k, {y.data(), form.type}};
      CHECK(allocations_of([&] { (*plan)(1.0, x_view, 0.0, y_view); }) == 0);
      CHECK(allocations_of([&] { plan->set_values(in.values); }) == 0);
      // Scalars take a window of Y for each thread, other layouts X and Y once more, at the first
      // call.
      const std::int64_t y_bytes = rows * k * static_cast<std::int64_t>(size);
      const std::int64_t x_bytes = cols * k * static_cast<std::int64_t>(size);
      const std::int64_t windows = held_by([&] { (*plan)(2.0, x_view, 1.0, y_view); });
      CHECK(windows > 0);
      CHECK(windows < y_bytes / 4);
      const DenseInput x_columns{cols, k, cols, {x.data(), form.type}, DenseLayout::column_major};
      const DenseOutput y_columns{rows, k, rows, {y.data(), form.type}, DenseLayout::column_major};
      CHECK(held_by([&] { (*plan)(2.0, x_columns, 1.0, y_columns); }) == x_bytes + y_bytes);
      CHECK(allocations_of([&] {
              (*plan)(2.0, x_view, 1.0, y_view);
              (*plan)(2.0, x_columns, 1.0, y_columns);
            }) == 0);
      CHECK(says_so(plan->workspace_bytes(), held + windows + x_bytes + y_bytes));
    }
  }
}

TEST_CASE("memory of transpositions and of their plans", "[public][memory]") {
  const auto a = matrix_of("uniform:rows=60000,cols=50000,nnz=2200000,seed=4");
  Csr<std::int32_t, double> out(a.cols, a.rows, a.nnz());
  std::unique_ptr<host::Transposer> transposer;
  const std::int64_t held = held_by([&] {
    transposer =
        std::make_unique<host::Transposer>(public_view(a), host::TransposeOptions{.threads = 2});
  });
  CHECK(says_so(transposer->workspace_bytes(), held));
  (*transposer)(public_output(out));
  CHECK(allocations_of([&] { (*transposer)(public_output(out)); }) <= 8);
  const std::int64_t nnz{a.nnz()};
  struct Held {
    host::PlanPath path;
    std::int64_t bytes_an_entry, of_first_call;
  };
  for (const Held wanted :
       {Held{host::PlanPath::gather, 4, 0}, Held{host::PlanPath::two_passes, 8, 8 * nnz},
        Held{host::PlanPath::automatic, 8, 8 * nnz}}) {
    CAPTURE(static_cast<int>(wanted.path));
    std::unique_ptr<host::TransposePlan> plan;
    const std::int64_t of_plan = held_by([&] {
      plan = std::make_unique<host::TransposePlan>(
          public_view(a), public_output(out), host::TransposeOptions{.threads = 2}, wanted.path);
    });
    CHECK(says_so(plan->workspace_bytes(), of_plan));
    CHECK(of_plan >= wanted.bytes_an_entry * nnz);
    CHECK(of_plan <= wanted.bytes_an_entry * nnz + nnz / 16);
    CHECK(held_by([&] { (*plan)(a.values.data(), out.values.data()); }) == wanted.of_first_call);
    CHECK(says_so(plan->workspace_bytes(), of_plan + wanted.of_first_call));
    CHECK(allocations_of([&] { (*plan)(a.values.data(), out.values.data()); }) == 0);
  }
}

TEST_CASE("memory of counts of triangles", "[public][memory]") {
  GraphCleaning cleaning;
  const Graph graph = graph_from_matrix(generate("rmat:scale=14,edge_factor=16").csr, cleaning, 2);
  const std::int64_t stored = graph.stored(), vertices = graph.vertices;
  constexpr std::int64_t threads = 2;
  std::unique_ptr<host::TriangleCounter> counter;
  const std::int64_t held = held_by([&] {
    counter = std::make_unique<host::TriangleCounter>(public_view(graph),
                                                      host::TriangleOptions{.threads = threads});
    counter->prepare();
  });
  CHECK(says_so(counter->workspace_bytes(), held));
  CHECK(held <= 4 * stored + 16 * vertices + threads * vertices / 8 + (1 << 20));
  CHECK(allocations_of([&] { counter->count(); }) == 0);
  std::vector<std::uint64_t> of_vertex(static_cast<std::size_t>(vertices));
  std::vector<std::uint64_t> of_entry(static_cast<std::size_t>(stored));
  const std::int64_t more = held_by([&] { counter->count({of_vertex.data(), of_entry.data()}); });
  CHECK(more <= 6 * stored + 8 * vertices + threads * 4 * vertices + 4096);
  CHECK(says_so(counter->workspace_bytes(), held + more));
  CHECK(allocations_of([&] { counter->count({of_vertex.data(), of_entry.data()}); }) == 0);
}
