// The matrices of the battery have the properties that their names state.
#include <algorithm>
#include <set>
#include <string>

#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/properties.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const NamedMatrix& member(const std::string& name) {
  const auto found = std::find_if(battery().begin(), battery().end(),
                                  [&](const NamedMatrix& named) { return named.name == name; });
  REQUIRE(found != battery().end());
  return *found;
}

}  // namespace

TEST_CASE("names are unique, matrices valid, fields filled") {
  std::set<std::string> names;
  for (const auto& [name, matrix, graph] : battery()) {
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(matrix.name == name);
    CHECK_NOTHROW(matrix.csr.validate());
    CHECK(matrix.entries_in_file == matrix.stored());
    CHECK(matrix.explicit_zeros ==
          std::count(matrix.csr.values.begin(), matrix.csr.values.end(), 0.0));
    CHECK(graph == is_simple_graph(matrix.csr));
  }
}

TEST_CASE("only members that say so are unsorted or hold duplicates") {
  for (const auto& [name, matrix, graph] : battery()) {
    INFO(name);
    const bool says_so =
        name.find("unsorted") == 0 || name.find("descending") == 0 || name.find("duplicates") == 0;
    CHECK(rows_strictly_ascend(matrix.csr) == !says_so);
  }
}

TEST_CASE("graphs have the triangles that are known") {
  const auto triangles = [](const std::string& name) {
    INFO(name);
    CHECK(member(name).graph);
    return count_triangles(member(name).matrix.csr);
  };
  CHECK(triangles("graph_with_3_triangles") == 3);
  CHECK(triangles("graph_one_triangle") == 1);
  CHECK(triangles("graph_path_without_triangle") == 0);
  CHECK(triangles("graph_isolated_vertices") == 1);
  CHECK(triangles("graph_degree_above_64") == 70 * 69 * 68 / 6);
  CHECK(triangles("graph_wheel") == 300);
  CHECK(triangles("graph_mesh_shuffled") == 2 * 39 * 30);
  CHECK_FALSE(member("graph_with_loops").graph);
  CHECK_FALSE(member("directed_graph").graph);
}

TEST_CASE("entries outside the matrix or out of order are refused") {
  CHECK_THROWS_AS(matrix_from_entries("column", 2, 2, {{0, 2, 1.0}}), FormatError);
  CHECK_THROWS_AS(matrix_from_entries("row", 2, 2, {{2, 0, 1.0}}), std::out_of_range);
  CHECK_THROWS_AS(matrix_from_entries("order", 2, 2, {{1, 0, 1.0}, {0, 0, 1.0}}), FormatError);
}
