// Where CUDA fails within a public call: an allocation of device memory, a launch, a setting of a
// kernel. Each failure is an exception; nothing leaks, and the next call gives the right answer.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/device_work.hpp"
#include "support/failing_device.hpp"
#include "support/public_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

Wanted small_wanted() {
  return Wanted("uniform:rows=3000,cols=2000,nnz=50000,seed=8", "rmat:scale=8");
}

}  // namespace

TEST_CASE("a failing allocation of device memory ends a public call's owner, and leaks nothing",
          "[cuda][faults]") {
  require_device();
  const Wanted wanted = small_wanted();
  { Work first(wanted, 0); }
  std::int64_t number = 0;
  for (;; ++number) {
    const std::int64_t before = live_allocations;
    const Ended ended = with_failing(device_memory, number, [&] { Work work(wanted, 0); });
    const bool failed = reached(device_memory);
    CAPTURE(number);
    REQUIRE(live_allocations == before);
    REQUIRE(ended == (failed ? Ended::without_memory : Ended::well));
    if (!failed) {
      break;
    }
  }
  CHECK(number > 20);
  const std::int64_t before = device_memory.calls;
  Work work(wanted, 0);
  CHECK(device_memory.calls > before);
  const std::int64_t made = device_memory.calls;
  work.queue();
  CHECK(work.wrong() == "");
  CHECK(device_memory.calls == made);  // calls allocate nothing
}

TEST_CASE("a failing launch ends a public call with CudaError, and the next one is right",
          "[cuda][faults]") {
  require_device();
  const Wanted wanted = small_wanted();
  Work work(wanted, 0);
  work.queue();
  REQUIRE(work.wrong() == "");
  std::int64_t number = 0;
  for (;; ++number) {
    const Ended ended = with_failing(launches, number, [&] { work.queue(); });
    const bool failed = reached(launches);
    CAPTURE(number);
    REQUIRE(ended == (failed ? Ended::with_error : Ended::well));
    work.queue();
    REQUIRE(work.wrong() == "");
    if (!failed) {
      break;
    }
  }
  CHECK(number >= 5);
  for (number = 0;; ++number) {  // and within bind, analyse and prepare
    const std::int64_t before = live_allocations;
    const Ended ended = with_failing(launches, number, [&] { Work made(wanted, 0); });
    const bool failed = reached(launches);
    CAPTURE(number);
    REQUIRE(live_allocations == before);
    REQUIRE(ended == (failed ? Ended::with_error : Ended::well));
    if (!failed) {
      break;
    }
  }
  CHECK(number >= 8);
}

TEST_CASE("a failing launch of a transposition, by each path, and the next one is right",
          "[cuda][faults]") {
  require_device();
  using device::TransposePath;
  const Stream stream;
  const cudaStream_t s = stream.get();
  for (const std::string spec : {"uniform:rows=3000,cols=2000,nnz=50000",
                                 "banded:rows=30011,diagonals=9,half_bandwidth=60,fill=0.7"}) {
    const auto a = csr_cast<std::int32_t, double>(generate(spec).csr);
    const auto right = transpose_reference(a);
    DeviceBuffer<std::int32_t> row_ptr(a.row_ptr, s), out_ptr(right.row_ptr.size(), s);
    DeviceBuffer<index_t> col_idx(a.col_idx, s), out_idx(a.col_idx.size(), s);
    DeviceBuffer<double> values(a.values, s), out_values(a.values.size(), s);
    const CsrInput in{a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()};
    for (const TransposePath path : {TransposePath::automatic, TransposePath::one_level,
                                     TransposePath::team, TransposePath::symmetric}) {
      if (path == TransposePath::symmetric && a.rows != a.cols) {
        continue;
      }
      device::Transposer transposer(in, {.path = path, .tile = device::TileSize::large});
      DeviceBuffer<char> workspace(transposer.workspace_bytes(), s);
      transposer.bind(workspace.data(), workspace.size(), s);
      const auto call = [&] {
        transposer(in, {out_ptr.data(), out_idx.data(), out_values.data()}, s);
      };
      for (std::int64_t number = 0;; ++number) {
        const Ended ended = with_failing(launches, number, call);
        const bool failed = reached(launches);
        out_ptr.fill_bytes(0xff, s);
        out_idx.fill_bytes(0xff, s);
        out_values.fill_bytes(0xff, s);
        call();
        Csr<std::int32_t, double> got(right.rows, right.cols, right.nnz());
        out_ptr.copy_to(got.row_ptr.data(), s);
        out_idx.copy_to(got.col_idx.data(), s);
        out_values.copy_to(got.values.data(), s);
        stream.synchronize();
        CAPTURE(spec, static_cast<int>(path), number);
        REQUIRE(ended == (failed ? Ended::with_error : Ended::well));
        REQUIRE(got.row_ptr == right.row_ptr);
        REQUIRE(got.col_idx == right.col_idx);
        REQUIRE(got.values == right.values);
        if (!failed) {
          CHECK(number >= 1);
          break;
        }
      }
    }
  }
}

TEST_CASE("a failing launch of a transposition leaves nothing for the next matrix to be judged by",
          "[cuda][faults]") {
  require_device();
  constexpr index_t n = 30000, each = 5;
  std::vector<std::int32_t> pointers(std::size_t{n} + 1);
  std::vector<index_t> near(std::size_t{n} * each), far(near.size());  // the one a narrow band
  for (index_t i = 0; i < n; ++i) {
    pointers[static_cast<std::size_t>(i) + 1] = (i + 1) * each;
    for (index_t e = 0; e < each; ++e) {
      const auto at = static_cast<std::size_t>(i * each + e);
      near[at] = std::min(i, n - each) + e;
      far[at] = e * (n / each) + i % (n / each);
    }
  }
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int32_t> row_ptr(pointers, s), out_ptr(pointers.size(), s);
  DeviceBuffer<index_t> band(near, s), scattered(far, s), out_idx(near.size(), s);
  DeviceBuffer<double> values(near.size(), s), out_values(near.size(), s);
  const auto matrix = [&](const DeviceBuffer<index_t>& columns) {
    return CsrInput{n, n, std::int64_t{n} * each, row_ptr.data(), columns.data(), values.data()};
  };
  device::Transposer transposer(matrix(band), {.tile = device::TileSize::large});
  DeviceBuffer<char> workspace(transposer.workspace_bytes(), s);
  transposer.bind(workspace.data(), workspace.size(), s);
  const auto call = [&](const DeviceBuffer<index_t>& columns) {
    transposer(matrix(columns), {out_ptr.data(), out_idx.data(), out_values.data()}, s);
  };
  const auto found_band = [&] {
    const auto facts = transposer.facts(s);
    return std::find(facts.begin(), facts.end(), std::pair{std::string("band"), 1.0}) !=
           facts.end();
  };
  call(scattered);
  CHECK_FALSE(found_band());
  std::int64_t number = 0;
  for (bool failed = true; failed; ++number) {
    with_failing(launches, number, [&] { call(scattered); });
    failed = reached(launches);
    call(band);
    CAPTURE(number);
    REQUIRE(found_band());
  }
  CHECK(number > 4);
}

TEST_CASE("an analysis that failed is none: calls are refused until one has ended well",
          "[cuda][faults]") {
  require_device();
  struct Step {
    void (Work::*prepare)();
    void (Work::*use)();
    std::string words;
  };
  const Step steps[] = {
      {&Work::analyse_plan, &Work::move_values, "no plan: call analyse before the first values"},
      {&Work::analyse_product, &Work::multiply,
       "no analysis: call analyse before the first product"},
      {&Work::prepare_count, &Work::count, "not prepared: call prepare before the first count"}};
  const Wanted wanted = small_wanted();
  for (const Step& step : steps) {
    Work work(wanted, 0);
    std::int64_t number = 0;
    for (bool failed = true; failed; number += failed ? 1 : 0) {
      const Ended ended = with_failing(launches, number, [&] { (work.*step.prepare)(); });
      failed = reached(launches);
      CAPTURE(step.words, number);
      REQUIRE(ended == (failed ? Ended::with_error : Ended::well));
      REQUIRE(refusal([&] { (work.*step.use)(); }) == (failed ? step.words : ""));
    }
    CHECK(number >= 1);
    work.queue();
    CHECK(work.wrong() == "");
  }
}

TEST_CASE("a preparation that fails while its kernel waits or runs ends after the kernel",
          "[cuda][faults]") {
  require_device();
  const Wanted wanted = small_wanted();
  const Graph& graph = wanted.graph;
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int64_t> row_ptr(graph.row_ptr, s);
  DeviceBuffer<index_t> col_idx(graph.col_idx, s);
  DeviceBuffer<std::uint64_t> count(std::size_t{1}, s);
  device::TriangleCounter counter(
      {graph.vertices, graph.vertices, graph.stored(), row_ptr.data(), col_idx.data(), {}});
  DeviceBuffer<char> workspace(counter.workspace_bytes(), s);
  std::int64_t number = 0;
  for (bool failed = true; failed; ++number) {
    const auto prepare = [&] { counter.prepare(workspace.data(), workspace.size(), s); };
    const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    CUDA_CHECK(cudaLaunchHostFunc(s, sleep, nullptr));
    const Ended ended = with_failing(kernel_settings, number, prepare);
    const cudaError_t state = cudaStreamQuery(s);
    failed = reached(kernel_settings);
    CAPTURE(number);
    REQUIRE(ended == (failed ? Ended::with_error : Ended::well));
    REQUIRE(state == cudaSuccess);  // else the kernel answers to words that others may have
    prepare();
    counter.count(count.data(), nullptr, s);
    std::uint64_t triangles = 0;
    count.copy_to(&triangles, s);
    stream.synchronize();
    REQUIRE(triangles == wanted.triangles.all);
  }
  CHECK(number > 1);
}

#endif
