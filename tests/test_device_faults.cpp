// Where CUDA fails: an allocation of device or pinned memory, a launch, the device itself. Each
// failure is an exception or a skipped cell; nothing leaks, the next call gives the right answer,
// and a driver ends with one line, exit code 1 and no record.
#ifdef SPARSEREPRO_HAS_CUDA

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/driver.hpp"
#include "io/load_matrix.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/device_work.hpp"
#include "support/failing_device.hpp"
#include "support/scratch.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

enum class Ended { well, without_memory, with_error };

/// `call` with one call of `fuse`, number `number` from 0, failing.
Ended with_failing(Fuse& fuse, std::int64_t number, const std::function<void()>& call) {
  Ended ended = Ended::well;
  fuse.left = number;
  try {
    call();
  } catch (const std::bad_alloc&) {
    ended = Ended::without_memory;
  } catch (const DeviceMemoryError&) {
    ended = Ended::without_memory;
  } catch (const CudaError&) {
    ended = Ended::with_error;
  }
  return ended;
}

/// Whether a call of that number was reached; from now on none fails.
bool reached(Fuse& fuse) {
  return fuse.left.exchange(-1) < 0;
}

Wanted small_wanted() {
  return Wanted("uniform:rows=3000,cols=2000,nnz=50000,seed=8", "rmat:scale=8");
}

/// Cells of own transpositions on the device, and of one on the host.
struct Cells {
  Cells()
      : matrix(generate("uniform:rows=900,cols=700,nnz=9000,seed=4")),
        problem(matrix, {{"value_type", std::string("fp64")}, {"offset_bits", std::int64_t{32}}}),
        table(with_threads(transpose_algorithms())) {
    CommandLine line;
    line.algorithms = {"serial", "cuda_scantrans", "cuda_mergetrans", "cuda_mergetrans_mergepath",
                       "cuda_partition"};
    cells = make_cells(table, line, problem);
  }
  void measure_all() {
    Progress progress(true);
    results.clear();
    results = measure(problem, cells,
                      {.warmup = 1,
                       .repetitions = 2,
                       .min_repetitions = 2,
                       .max_repetitions = 2,
                       .time_cap_s = 1e-3,
                       .end_to_end = 1},
                      progress);
  }
  /// Whether each cell has its samples or says that there is too little memory.
  bool right() const {
    return results.size() == cells.size() &&
           std::all_of(results.begin(), results.end(), [](const CellResult& cell) {
             return cell.skipped.empty() ? cell.timing.kernel_s.size() == 2 && cell.verified_after
                                         : cell.skipped.starts_with("not enough memory") &&
                                               cell.timing.kernel_s.empty();
           });
  }
  std::int64_t skipped() const {
    return std::count_if(results.begin(), results.end(),
                         [](const CellResult& cell) { return !cell.skipped.empty(); });
  }

  Matrix matrix;
  TransposeProblem problem;
  std::vector<Algorithm<TransposeProblem>> table;
  std::vector<Cell<TransposeProblem>> cells;
  std::vector<CellResult> results;
};

/// Lets each call of `fuse` within a measurement fail in turn; returns how many cells were skipped.
std::int64_t fail_measurements(Fuse& fuse, Ended allowed, std::int64_t step) {
  Cells cells;
  cells.measure_all();  // what stays allocated from the first one on
  cells.measure_all();
  REQUIRE(cells.right());
  REQUIRE(cells.skipped() == 0);
  std::int64_t skipped = 0;
  for (std::int64_t number = 0;; number += 1 + number / step) {
    const std::int64_t before = live_allocations;
    const Ended ended = with_failing(fuse, number, [&] { cells.measure_all(); });
    const bool failed = reached(fuse);
    CAPTURE(number, static_cast<int>(ended));
    REQUIRE(live_allocations == before);
    if (ended == Ended::well) {
      REQUIRE(cells.right());
      skipped += cells.skipped();
    } else {
      REQUIRE(ended == allowed);
    }
    if (!failed) {
      REQUIRE(ended == Ended::well);
      REQUIRE(number > 0);
      break;
    }
  }
  cells.measure_all();
  CHECK(cells.right());
  CHECK(cells.skipped() == 0);
  return skipped;
}

/// Reads memory that there is not, as a kernel of wrong pointers does: the device is lost to the
/// process.
void lose_device(cudaStream_t stream) {
  auto* const nowhere = reinterpret_cast<std::int64_t*>(256);
  device::local_clustering({1, 1, 0, nowhere, static_cast<index_t*>(nullptr), {}},
                           reinterpret_cast<std::uint64_t*>(nowhere),
                           reinterpret_cast<double*>(nowhere), stream);
}

struct Process {
  int exit_code;  ///< -1: ended by a signal
  std::string errors;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs the driver of the hidden test case below in a process of its own, in which the device is
/// lost at launch `number`; below 0: never.
Process run_driver_apart(std::int64_t number, const std::string& json, const std::string& folder) {
  char self[4096] = {};
  REQUIRE(::readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const std::string errors = folder + "/errors";
  const std::string command = "SPARSEREPRO_TEST_LOST=" + std::to_string(number) +
                              " SPARSEREPRO_TEST_JSON=" + json + " SPARSEREPRO_RESTART=no" +
                              " SPARSEREPRO_LOCK=" + folder + "/lock '" + self +
                              "' '[lost-device]' > /dev/null 2> " + errors;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of_file(errors)};
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

TEST_CASE("a failing launch ends a public call with CudaError; the next one is right",
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

TEST_CASE("a failing launch of a transposition, by each path; the next one is right",
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
    for (const TransposePath path :
         {TransposePath::automatic, TransposePath::one_level, TransposePath::team}) {
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

TEST_CASE("a failing allocation skips a cell of a measurement, or ends it", "[cuda][faults]") {
  require_device();
  CHECK(fail_measurements(device_memory, Ended::without_memory, 6) > 5);
  fail_measurements(pinned_memory, Ended::without_memory, 6);
}

TEST_CASE("a failing launch ends a measurement with CudaError", "[cuda][faults]") {
  require_device();
  CHECK(fail_measurements(launches, Ended::with_error, 4) == 0);
}

TEST_CASE("[hidden] a driver loses the device", "[.][lost-device]") {
  const char* const number = std::getenv("SPARSEREPRO_TEST_LOST");
  const char* const json = std::getenv("SPARSEREPRO_TEST_JSON");
  REQUIRE(number != nullptr);
  REQUIRE(json != nullptr);
  launches.left = std::atoll(number);
  instead_of_failing = lose_device;
  std::vector<std::string> words{"transpose",     "uniform:rows=900,cols=700,nnz=9000",
                                 "--algorithm",   "serial,cuda_scantrans,cuda_partition",
                                 "--repetitions", "3",
                                 "--time-cap",    "0.01",
                                 "--json",        json};
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const int code = run_driver<TransposeProblem>(static_cast<int>(words.size()), arguments.data(),
                                                {.description = "a driver that loses the device",
                                                 .source_help = "spec",
                                                 .default_source = "",
                                                 .table = transpose_algorithms(),
                                                 .load = load_matrix});
  std::ofstream(std::string(json) + ".launches") << launches.calls.load();
  std::exit(code);
}

TEST_CASE("a driver that loses the device ends with one line, exit code 1 and no record",
          "[cuda][faults]") {
  require_device();
  const ScratchFolder folder;
  const std::string json = folder.path() + "/records.jsonl";
  const Process sound = run_driver_apart(-1, json, folder.path());
  CAPTURE(sound.errors);
  REQUIRE(sound.exit_code == 0);
  const std::string records = text_of_file(json);
  CHECK(std::count(records.begin(), records.end(), '\n') == 3);
  const std::int64_t all = std::stoll(text_of_file(json + ".launches"));
  REQUIRE(all > 50);
  for (const std::int64_t number :
       std::set<std::int64_t>{0, 5, all / 4, all / 2, 3 * all / 4, all - 12}) {
    std::filesystem::remove(json);
    const Process lost = run_driver_apart(number, json, folder.path());
    CAPTURE(number, all, lost.errors);
    CHECK(lost.exit_code == 1);
    CHECK(std::count(lost.errors.begin(), lost.errors.end(), '\n') == 1);
    CHECK(lost.errors.starts_with("transpose: "));
    CHECK(lost.errors.find("illegal memory access") != std::string::npos);
    CHECK(text_of_file(json).empty());
  }
}

#endif
