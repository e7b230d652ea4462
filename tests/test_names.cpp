// Each algorithm has exactly one source file of its name in the folder of its problem.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "convert/algorithms.hpp"
#include "primitives/algorithms.hpp"
#include "spmm/algorithms.hpp"
#include "support/catch.hpp"
#include "transpose/algorithms.hpp"
#include "triangles/algorithms.hpp"

namespace sparserepro {
namespace {

/// Stems of the .cpp and .cu files in kernels/<problem> and below.
std::vector<std::string> stems(const std::string& problem) {
  const auto root = std::filesystem::path(SPARSEREPRO_TEST_DATA).parent_path().parent_path();
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(root / "kernels" / problem)) {
    const auto& path = entry.path();
    if (path.extension() == ".cpp" || path.extension() == ".cu") {
      found.push_back(path.stem().string());
    }
  }
  return found;
}

template <class Algorithms>
void check_names(const std::string& problem, const Algorithms& algorithms) {
  const std::vector<std::string> files = stems(problem);
  std::vector<std::string> names;
  for (const auto& algorithm : algorithms) {
    CAPTURE(problem, algorithm.name);
    CHECK(std::count(files.begin(), files.end(), algorithm.name) == 1);
    CHECK(std::count(names.begin(), names.end(), algorithm.name) == 0);
    names.push_back(algorithm.name);
  }
  CHECK(!names.empty());
}

TEST_CASE("an algorithm is named like its file, and only once", "[names]") {
  check_names("primitives", primitives_algorithms());
  check_names("transpose", transpose_algorithms());
  check_names("convert", convert_algorithms());
  check_names("spmm", spmm_algorithms());
  check_names("triangles", triangles_algorithms());
}

}  // namespace
}  // namespace sparserepro
