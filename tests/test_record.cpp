// Records, compared completely with those of tests/data/golden.
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "common/record.hpp"
#include "support/catch.hpp"
#include "support/made_up_results.hpp"

namespace sparserepro {
namespace {

using json = nlohmann::json;

/// Checks that a record equals that of the file; machine and build may have further fields.
void check_against(const std::string& name, const CellResult& cell) {
  std::ifstream file(std::string(SPARSEREPRO_TEST_DATA) + "/golden/" + name);
  REQUIRE(file);
  json golden = json::parse(file);
  json record = json::parse(make_record(made_up::context(), cell).dump());
  for (const char* facts : {"machine", "build"}) {
    for (const auto& [key, value] : golden[facts].items()) {
      CAPTURE(facts, key);
      CHECK(record[facts][key] == value);
    }
    golden.erase(facts);
    record.erase(facts);
  }
  CHECK(record.dump(1) == golden.dump(1));
}

}  // namespace

TEST_CASE("the record of a measured cell on the host", "[record]") {
  check_against("record_host.json", made_up::serial_cell());
}

TEST_CASE("the record of a measured cell on a device", "[record]") {
  check_against("record_device.json", made_up::cuda_cell());
}

TEST_CASE("the record of a skipped cell", "[record]") {
  check_against("record_skipped.json", made_up::skipped_cell());
}

TEST_CASE("what the machine does not tell is null", "[record]") {
  RecordContext context = made_up::context();
  context.load_before = -1;
  context.gpu.reset();
  context.build.cuda.clear();
  context.sha256.clear();
  context.machine_id.clear();
  const auto record = make_record(context, made_up::serial_cell());
  CHECK(record["machine"]["load_before"].is_null());
  CHECK(record["machine"]["gpu"].is_null());
  CHECK(record["machine"]["id"] == "slug-16c");
  CHECK(record["build"]["cuda"].is_null());
  CHECK(record["matrix"]["sha256"].is_null());
}

TEST_CASE("a run's id holds the time and the process", "[record]") {
  CHECK(std::regex_match(new_run_id(), std::regex("[0-9]{8}T[0-9]{6}Z-[0-9]+")));
}

}  // namespace sparserepro
