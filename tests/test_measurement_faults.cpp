// Where CUDA fails within a measurement: a cell is skipped, or the measurement ends and leaks
// nothing; a driver that loses the device ends with one line, exit code 1 and no record.
#ifdef SPARSEREPRO_HAS_CUDA

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "generate/generate.hpp"
#include "io/load_matrix.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/failing_device.hpp"
#include "support/scratch.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

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
  const auto launched = [&] { return std::stoll(text_of_file(json + ".launches")); };
  const std::int64_t all = launched();
  REQUIRE(all > 50);
  int losses = 0;
  for (const std::int64_t number :
       std::set<std::int64_t>{0, 5, all / 4, all / 2, 3 * all / 4, all - 12}) {
    std::filesystem::remove(json);
    const Process lost = run_driver_apart(number, json, folder.path());
    CAPTURE(number, all, lost.errors);
    if (launched() <= number) {  // by their time, batches take fewer executions than before
      CHECK(lost.exit_code == 0);
      continue;
    }
    ++losses;
    CHECK(lost.exit_code == 1);
    CHECK(std::count(lost.errors.begin(), lost.errors.end(), '\n') == 1);
    CHECK(lost.errors.starts_with("transpose: "));
    CHECK(lost.errors.find("illegal memory access") != std::string::npos);
    CHECK(text_of_file(json).empty());
  }
  CHECK(losses >= 4);
}

#endif
