// The inputs of the fuzzing targets (tests/fuzz/seeds), replayed without libFuzzer.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.hpp"
#include "support/catch.hpp"

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a target on every file of a folder, and returns how many there are.
int replay(const std::string& name, const fs::path& folder) {
  const auto target = sparserepro::fuzz::target_of(name);
  REQUIRE(target != nullptr);
  int files = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    INFO(file.path().string());
    CHECK_NOTHROW(target(bytes_of(file.path())));
    ++files;
  }
  return files;
}

}  // namespace

TEST_CASE("every target of fuzzing takes its seeds, whole and cut short", "[fuzz]") {
  const fs::path data = SPARSEREPRO_TEST_DATA;
  const fs::path seeds = data.parent_path() / "fuzz/seeds";
  for (const char* name : {"matrix_market", "matrix_file", "generator", "command_line"}) {
    CAPTURE(name);
    CHECK(replay(name, seeds / name) >= 5);
    for (const auto& file : fs::directory_iterator(seeds / name)) {
      const std::string bytes = bytes_of(file.path());
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        INFO(file.path().string() << ", first " << length << " bytes");
        CHECK_NOTHROW(sparserepro::fuzz::target_of(name)(bytes.substr(0, length)));
      }
    }
  }
  for (const char* folder : {"valid", "invalid"}) {
    CHECK(replay("matrix_market", data / folder) > 25);
    CHECK(replay("matrix_file", data / folder) > 25);
  }
}
