// Generators: the properties of each family of matrices.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "generate/random.hpp"
#include "support/catch.hpp"
#include "support/properties.hpp"
#include "support/statistics.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

std::int64_t row_length(const Matrix& m, index_t i) {
  return m.csr.row_ptr[i + 1] - m.csr.row_ptr[i];
}

std::vector<std::int64_t> column_lengths(const Matrix& m) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(m.csr.cols));
  for (const index_t j : m.csr.col_idx) {
    ++lengths[j];
  }
  return lengths;
}

std::vector<std::int64_t> row_lengths(const Matrix& m) {
  std::vector<std::int64_t> lengths;
  for (index_t i = 0; i < m.csr.rows; ++i) {
    lengths.push_back(row_length(m, i));
  }
  return lengths;
}

}  // namespace

TEST_CASE("uniform: exact count, bounds, even rows and columns") {
  const Matrix m = generate("uniform:rows=200,cols=300,nnz=20000,seed=3");
  CHECK(m.stored() == 20000);
  CHECK(m.csr.rows == 200);
  CHECK(m.csr.cols == 300);
  // A third of the cells is filled, so that counts have 2/3 of the variance of a Poisson variable;
  // 5 standard deviations.
  CHECK(chi_square(row_lengths(m), 100) == Approx(200 * 2 / 3.0).margin(5 * 20 * 2 / 3.0));
  CHECK(chi_square(column_lengths(m), 200 / 3.0) == Approx(200).margin(5 * 24.5 * 2 / 3));
  for (const std::int64_t nnz : {0, 1, 59999, 60000}) {
    CHECK(generate("uniform:rows=200,cols=300,nnz=" + std::to_string(nnz)).stored() == nnz);
  }
  CHECK(generate("uniform:rows=0,cols=9,nnz=0").csr.row_ptr.size() == 1);
  CHECK(generate("uniform:rows=1,cols=100000,nnz=40000").stored() == 40000);
  CHECK(generate("uniform:rows=100000,cols=1,nnz=60000").stored() == 60000);
}

TEST_CASE("uniform: every set of positions is equally likely, below and above one half") {
  for (const auto& [nnz, sets] : std::map<int, int>{{4, 126}, {6, 84}}) {
    std::map<std::vector<index_t>, int> counts;
    const int samples = 60 * sets;
    for (int seed = 0; seed < samples; ++seed) {
      const Matrix m = generate(
          "uniform:rows=3,cols=3,nnz=" + std::to_string(nnz) + ",seed=" + std::to_string(seed), 1);
      std::vector<index_t> cells;
      for (index_t i = 0; i < 3; ++i) {
        for (std::int64_t p = m.csr.row_ptr[i]; p < m.csr.row_ptr[i + 1]; ++p) {
          cells.push_back(3 * i + m.csr.col_idx[p]);
        }
      }
      ++counts[cells];
    }
    CHECK(static_cast<int>(counts.size()) == sets);
    double sum = 0;
    for (const auto& [cells, count] : counts) {
      sum += (count - 60.0) * (count - 60.0) / 60.0;
    }
    CHECK(sum == Approx(sets - 1).margin(4 * std::sqrt(2.0 * (sets - 1))));
  }
}

TEST_CASE("values lie in [-1, 1], are never 0, and average 0") {
  const Matrix m = generate("uniform:rows=1000,cols=1000,nnz=90000");
  double sum = 0, squares = 0;
  for (const double value : m.csr.values) {
    REQUIRE(std::abs(value) <= 1);
    REQUIRE(value != 0);
    sum += value;
    squares += value * value;
  }
  CHECK(sum / 90000 == Approx(0).margin(5 * std::sqrt(1 / 3.0 / 90000)));
  CHECK(squares / 90000 == Approx(1 / 3.0).margin(0.005));
  CHECK(nonzero_value(0) == 0x1p-53);
  CHECK(nonzero_value(~std::uint64_t{0}) == -1);
}

TEST_CASE("empty_rows and short_rows keep their row lengths") {
  const Matrix m = generate("empty_rows:rows=1000,cols=50,nnz=20000,empty=0.3");
  CHECK(m.stored() == 20000);
  const std::vector<std::int64_t> lengths = row_lengths(m);
  CHECK(std::count(lengths.begin(), lengths.end(), 0) == 300);  // 28 a row: none by chance
  CHECK(generate("empty_rows:rows=10,cols=5,nnz=0,empty=1").stored() == 0);
  for (const std::int64_t length : row_lengths(generate("short_rows:rows=99,cols=9,per_row=8"))) {
    CHECK(length == 8);
  }
}

TEST_CASE("banded: diagonals where they are asked for") {
  const Matrix full = generate("banded:rows=100");
  CHECK(full.stored() == 27 * 100 - 13 * 14);
  const Matrix spread = generate("banded:rows=100,diagonals=5,half_bandwidth=30");
  CHECK(spread.stored() == 100 + 2 * (85 + 70));
  CHECK(find_entry(spread.csr, 50, 65) >= 0);
  CHECK(find_entry(spread.csr, 50, 20) >= 0);
  const Matrix sparse = generate("banded:rows=10000,diagonals=11,fill=0.5");
  CHECK(static_cast<double>(sparse.stored()) == Approx(60000).epsilon(0.02));
  CHECK(find_entry(sparse.csr, 77, 77) >= 0);
  CHECK(generate("banded:rows=5,diagonals=1").stored() == 5);
  // Diagonals outside the matrix cost nothing.
  CHECK(generate("banded:rows=5,diagonals=2147483647").stored() == 25);
  CHECK(generate("banded:rows=5,diagonals=3,half_bandwidth=2147483647").stored() == 5);
  CHECK(generate("banded:rows=0,diagonals=2147483647").stored() == 0);
}

TEST_CASE("fem: entries by formula, symmetric, diagonally dominant") {
  CHECK(generate("fem:stencil=5,nx=9,ny=7,nz=1,dofs=1").stored() == 5 * 63 - 2 * (9 + 7));
  CHECK(generate("fem:stencil=9,nx=9,ny=7,nz=1,dofs=2").stored() == 25 * 19 * 4);
  const Matrix m = generate("fem:stencil=27,nx=5,ny=4,nz=3,dofs=3");
  CHECK(m.stored() == 13 * 10 * 7 * 9);
  REQUIRE(pattern_symmetric(m.csr));
  for (index_t i = 0; i < m.csr.rows; ++i) {
    double rest = 0;
    for (std::int64_t p = m.csr.row_ptr[i]; p < m.csr.row_ptr[i + 1]; ++p) {
      const index_t j = m.csr.col_idx[p];
      CHECK(m.csr.values[p] == m.csr.values[find_entry(m.csr, j, i)]);
      rest += j == i ? 0 : std::abs(m.csr.values[p]);
    }
    CHECK(m.csr.values[find_entry(m.csr, i, i)] > rest);
  }
}

TEST_CASE("rmat: a simple graph with hubs, or a directed one") {
  const Matrix m = generate("rmat:scale=10,edge_factor=16");
  CHECK(m.csr.rows == 1024);
  CHECK(is_simple_graph(m.csr));
  CHECK(m.stored() < 2 * 16 * 1024);
  CHECK(m.stored() > 16 * 1024);
  const std::vector<std::int64_t> lengths = row_lengths(m);
  CHECK(*std::max_element(lengths.begin(), lengths.end()) > 10 * m.stored() / 1024);
  const Matrix plain = generate("rmat:scale=10,edge_factor=16,permute=0");
  CHECK(plain.stored() == m.stored());
  CHECK(count_triangles(plain.csr) == count_triangles(m.csr));
  CHECK(row_length(plain, 0) == *std::max_element(lengths.begin(), lengths.end()));
  const Matrix directed = generate("rmat:scale=10,edge_factor=16,symmetric=0");
  CHECK_FALSE(pattern_symmetric(directed.csr));
  CHECK_FALSE(has_loops(directed.csr));
}

TEST_CASE("rmat: the quadrants get their shares") {
  // With one bit and no loops, only (0, 1) and (1, 0) can remain: b = 1 and c = 1 choose them.
  const Matrix upper = generate("rmat:scale=1,a=0,b=1,c=0,symmetric=0,permute=0");
  CHECK(upper.csr.row_ptr == Buffer<std::int64_t>{0, 1, 1});
  CHECK(upper.csr.col_idx == Buffer<index_t>{1});
  const Matrix lower = generate("rmat:scale=1,a=0,b=0,c=1,symmetric=0,permute=0");
  CHECK(lower.csr.row_ptr == Buffer<std::int64_t>{0, 0, 1});
  CHECK(lower.csr.col_idx == Buffer<index_t>{0});
}

TEST_CASE("mesh and road: edges and triangles of a grid") {
  for (const char* permute : {"0", "1"}) {
    const Matrix m = generate(std::string("mesh:width=31,height=17,permute=") + permute);
    CHECK(is_simple_graph(m.csr));
    CHECK(m.stored() == 2 * (30 * 17 + 31 * 16 + 30 * 16));
    CHECK(count_triangles(m.csr) == 2 * 30 * 16);
  }
  CHECK(generate("mesh:width=31,height=17").csr.col_idx !=
        generate("mesh:width=31,height=17,permute=1").csr.col_idx);
  CHECK(generate("mesh:width=1,height=9").stored() == 16);
  CHECK(generate("mesh:width=0,height=9").csr.rows == 0);
  const Matrix road = generate("road:width=300,height=200");
  CHECK(is_simple_graph(road.csr));
  CHECK(static_cast<double>(road.stored()) / 60000 == Approx(2.4).margin(0.03));
  CHECK(static_cast<double>(count_triangles(road.csr)) / 60000 == Approx(0.0174).margin(0.002));
}

TEST_CASE("circuit: dense rows and columns among short rows") {
  const Matrix m =
      generate("circuit:rows=5000,per_row=4,spread=10,dense_rows=2,dense_cols=3,dense_length=2000");
  const auto heavy = [](const std::vector<std::int64_t>& lengths) {
    return std::count_if(lengths.begin(), lengths.end(),
                         [](std::int64_t length) { return length >= 2000; });
  };
  CHECK(heavy(row_lengths(m)) == 2);
  CHECK(heavy(column_lengths(m)) == 3);
  for (index_t i = 0; i < m.csr.rows; ++i) {
    CHECK(find_entry(m.csr, i, i) >= 0);
  }
  const Matrix plain =
      generate("circuit:rows=500,spread=9,dense_rows=0,dense_cols=0,dense_length=0");
  std::int64_t bandwidth = 0;
  for (index_t i = 0; i < 500; ++i) {
    for (std::int64_t p = plain.csr.row_ptr[i]; p < plain.csr.row_ptr[i + 1]; ++p) {
      bandwidth = std::max<std::int64_t>(bandwidth, std::abs(plain.csr.col_idx[p] - i));
    }
  }
  CHECK(bandwidth == 9);
}

TEST_CASE("powerlaw: row lengths follow the law, columns are skewed") {
  const Matrix m = generate("powerlaw:rows=50000,cols=20000,max_row=1000");
  const std::vector<std::int64_t> lengths = row_lengths(m);
  CHECK(*std::min_element(lengths.begin(), lengths.end()) == 1);
  CHECK(*std::max_element(lengths.begin(), lengths.end()) <= 1000);
  CHECK(*std::max_element(lengths.begin(), lengths.end()) > 500);
  // P(1) = 1 / sum k^-2, P(2) = P(1) / 4.
  const auto share = [&](std::int64_t length) {
    return static_cast<double>(std::count(lengths.begin(), lengths.end(), length)) / 50000;
  };
  CHECK(share(1) == Approx(1 / 1.64393).margin(0.011));
  CHECK(share(2) == Approx(0.25 / 1.64393).margin(0.008));
  const std::vector<std::int64_t> columns = column_lengths(m);
  CHECK(*std::max_element(columns.begin(), columns.end()) > 50 * m.stored() / 20000);
}

TEST_CASE("closed forms: edges and triangles") {
  const auto check = [](const std::string& spec, std::int64_t edges, std::int64_t triangles) {
    INFO(spec);
    const Matrix m = generate(spec);
    CHECK(is_simple_graph(m.csr));
    CHECK(m.stored() == 2 * edges);
    CHECK(count_triangles(m.csr) == triangles);
  };
  check("complete:vertices=0", 0, 0);
  check("complete:vertices=1", 0, 0);
  check("complete:vertices=23", 23 * 22 / 2, 23 * 22 * 21 / 6);
  check("wheel:rim=3", 6, 4);
  check("wheel:rim=17", 34, 17);
  check("friendship:triangles=0", 0, 0);
  check("friendship:triangles=19", 57, 19);
  check("star:leaves=0", 0, 0);
  check("star:leaves=40", 40, 0);
  check("bipartite:left=0,right=5", 0, 0);
  check("bipartite:left=8,right=5", 40, 0);
}
