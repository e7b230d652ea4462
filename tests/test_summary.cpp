// Tables, compared completely with those of tests/data/golden.
#include <fstream>
#include <sstream>
#include <string>

#include "common/summary.hpp"
#include "support/catch.hpp"
#include "support/made_up_results.hpp"

namespace sparserepro {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(std::string(SPARSEREPRO_TEST_DATA) + "/golden/" + name);
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string summary(const RecordContext& context, const std::vector<CellResult>& cells) {
  std::ostringstream out;
  print_summary(out, context, cells);
  return out.str();
}

}  // namespace

TEST_CASE("the table of cells with preparation, two bounds and a device", "[summary]") {
  const auto cells = {made_up::serial_cell(), made_up::cuda_cell(), made_up::skipped_cell()};
  CHECK(summary(made_up::context(), cells) == golden("summary_device.txt"));
}

TEST_CASE("the table of cells without any of them", "[summary]") {
  RecordContext context = made_up::context();
  context.instance = {};
  CellResult base = made_up::serial_cell();
  base.model.flops = 0.0;
  CellResult other = base;
  other.algorithm = "omp_csr";
  other.backend = Backend::omp;
  other.parameters = {{"threads", std::int64_t{4}}};
  other.timing.kernel_s = made_up::samples(1.25e-3);
  other.timing.kernel_s.resize(5);  // too few for an interval
  other.timing.end_to_end.clear();
  CHECK(summary(context, {base, other}) == golden("summary_host.txt"));
}

TEST_CASE("without its baseline a cell has no speedup", "[summary]") {
  const std::string text = summary(made_up::context(), {made_up::cuda_cell()});
  CHECK(text.find("speedup: of preparation") == std::string::npos);
  CHECK(text.find("never") == std::string::npos);
  CellResult skipped = made_up::skipped_cell();
  skipped.algorithm = "serial_csr";
  const std::string beside = summary(made_up::context(), {skipped, made_up::cuda_cell()});
  CHECK(beside.find("speedup: of preparation") == std::string::npos);
}

TEST_CASE("a cell that no number of calls pays for says so", "[summary]") {
  CellResult slow = made_up::cuda_cell();
  slow.timing.kernel_s = made_up::samples(5e-3);
  const std::string text = summary(made_up::context(), {made_up::serial_cell(), slow});
  CHECK(text.find("never") != std::string::npos);
}

}  // namespace sparserepro
