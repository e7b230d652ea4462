// cuda_partition on matrices that the caller says to be structurally symmetric, and on some that
// are not.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/public_views.hpp"
#include "sparserepro/device/transpose.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "support/transpose_check.hpp"

#ifdef SPARSEREPRO_HAS_CUDA
#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#endif

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Compares every storage type (in a brief run one) and both tiles with the reference, and checks
/// that the pattern was found to be symmetric or not.
void check_symmetric(const Matrix& matrix, bool symmetric) {
  const auto& algorithm = transposition("cuda_partition");
  for (const char* value_type : {"fp64", "fp32", "pattern"}) {
    for (const std::int64_t bits : {32, 64}) {
      if (brief() && (bits == 64 || std::string(value_type) == "pattern")) {
        continue;
      }
      const TransposeProblem problem(matrix, storage(value_type, bits));
      const AnyCsr reference = problem.reference();
      for (const char* tile : {"small", "large"}) {
        if (!next_cell_in_part()) {
          continue;
        }
        Params params = cells(algorithm).front();
        params.set("path", "symmetric");
        params.set("tile", tile);
        CAPTURE(matrix.name, value_type, bits, tile);
        REQUIRE(algorithm.refusal(problem, params).empty());
        const auto run = algorithm.prepare(problem, params);
        check_executions(*run, problem, reference);
        const Measures measures = run->measures();
        const Measures::value_type expected{"symmetric", symmetric ? 1.0 : 0.0};
        CHECK(std::count(measures.begin(), measures.end(), expected) == 1);
      }
    }
  }
}

void check_symmetric_spec(const std::string& spec, bool symmetric) {
  Matrix matrix = generate(spec, 2);
  matrix.name = spec;
  check_symmetric(matrix, symmetric);
}

/// Entries of a square matrix with a symmetric pattern: row i has i - far, i - 1, i, i + 1, i +
/// far.
std::vector<Entry> lattice(index_t rows, index_t far) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (const index_t j : {i - far, i - 1, i, i + 1, i + far}) {
      if (j >= 0 && j < rows) {
        entries.emplace_back(i, j, 1.0 + i - 2.0 * j);
      }
    }
  }
  return entries;
}

Matrix square(const std::string& name, index_t rows, const std::vector<Entry>& entries) {
  return matrix_from_entries(name, rows, rows, entries);
}

}  // namespace

TEST_CASE("CUDA transposition: symmetric patterns", "[transpose][cuda][battery]") {
  require_device();
  check_symmetric_spec("fem:stencil=5,nx=90,ny=70,nz=1,dofs=1", true);
  check_symmetric_spec("fem:stencil=9,nx=40,ny=30,nz=1,dofs=3", true);
  check_symmetric_spec("fem:stencil=27,nx=9,ny=11,nz=10,dofs=2", true);
  check_symmetric_spec("mesh:width=60,height=70", true);
  check_symmetric_spec("road:width=90,height=100", true);
  check_symmetric_spec("banded:rows=3000,diagonals=27,half_bandwidth=0,fill=1", true);
  check_symmetric_spec("rmat:scale=10,edge_factor=8,seed=3", true);  // rows of hundreds
  check_symmetric_spec("star:leaves=3000", true);
  check_symmetric_spec("complete:vertices=300", true);
}

TEST_CASE("CUDA transposition: a small symmetric pattern", "[transpose][cuda][small]") {
  require_device();
  check_symmetric(square("small_lattice", 700, lattice(700, 26)), true);
}

TEST_CASE("CUDA transposition: symmetric patterns of all numbers of entries, and empty rows",
          "[transpose][cuda][battery]") {
  require_device();
  for (const index_t rows : {1, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025}) {
    std::vector<Entry> diagonal, sparse;
    for (index_t i = 0; i < rows; ++i) {
      diagonal.emplace_back(i, i, 1.0 + i);
      sparse.emplace_back(90 * i + 80, 90 * i + 80, 1.0 - i);
    }
    check_symmetric(square("diagonal_" + std::to_string(rows), rows, diagonal), true);
    check_symmetric(square("spread_diagonal_" + std::to_string(rows), 90 * rows, sparse), true);
  }
}

TEST_CASE("CUDA transposition: nearly symmetric patterns", "[transpose][cuda][battery]") {
  require_device();
  const index_t rows = 9000;
  const auto all = lattice(rows, 95);
  for (std::size_t at : {std::size_t{1}, all.size() / 2, all.size() - 2}) {
    while (std::get<0>(all[at]) == std::get<1>(all[at])) {
      ++at;
    }
    const auto [i, j, value] = all[at];
    auto without = all, moved = all, twice = all, swapped = all;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(at));
    check_symmetric(square("one_is_missing_" + std::to_string(at), rows, without), false);
    std::get<1>(moved[at]) = std::get<1>(moved[at - 1]) + 1 == j ? j + 1 : j - 1;
    check_symmetric(square("one_has_moved_" + std::to_string(at), rows, moved), false);
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(at), {i, j, value + 0.5});
    check_symmetric(square("one_is_twice_" + std::to_string(at), rows, twice), false);
    if (std::get<0>(all[at - 1]) == i) {  // columns of a row that do not ascend
      std::swap(swapped[at - 1], swapped[at]);
      check_symmetric(square("two_are_swapped_" + std::to_string(at), rows, swapped), false);
    }
  }
  std::vector<Entry> all_twice;
  for (const auto& [i, j, value] : lattice(4000, 60)) {
    all_twice.emplace_back(i, j, value);
    all_twice.emplace_back(i, j, value + 0.5);
  }
  check_symmetric(square("all_are_twice", 4000, all_twice), false);
}

TEST_CASE("CUDA transposition: patterns that are not symmetric", "[transpose][cuda][battery]") {
  require_device();
  check_symmetric_spec("uniform:rows=6000,cols=6000,nnz=90000", false);
  check_symmetric_spec(
      "circuit:rows=9000,per_row=5,spread=100,dense_rows=2,dense_cols=2,"
      "dense_length=3000,seed=1",
      false);
  check_symmetric_spec("uniform:rows=3000000,cols=3000000,nnz=100000", false);  // rows in groups
  std::vector<Entry> column;  // a bucket of several chunks
  for (index_t i = 0; i < 60000; ++i) {
    column.emplace_back(i, 4000, 1.0 + i);
    column.emplace_back(i, 4001 + i % 500, -1.0 - i);
  }
  check_symmetric(square("a_column", 60000, column), false);
}

#ifdef SPARSEREPRO_HAS_CUDA

TEST_CASE("CUDA transposition: what one call finds does not bind the next",
          "[transpose][cuda][battery]") {
  require_device();
  const index_t rows = 20000;
  auto entries = lattice(rows, 140);
  const Matrix like = square("like", rows, entries);
  std::get<1>(entries[entries.size() / 3]) -= 7;
  const Matrix unlike = square("unlike", rows, entries);
  const Stream stream;
  const cudaStream_t s = stream.get();
  const auto first = csr_cast<std::int32_t, double>(like.csr);
  device::Transposer transposer(public_view(first), {.path = device::TransposePath::symmetric});
  DeviceBuffer<char> workspace(transposer.workspace_bytes(), s);
  transposer.bind(workspace.data(), workspace.size(), s);
  for (const bool symmetric : {true, false, false, true, true, false, true}) {
    const auto a = csr_cast<std::int32_t, double>((symmetric ? like : unlike).csr);
    const auto right = transpose_reference(a);
    DeviceBuffer<std::int32_t> row_ptr(a.row_ptr, s), out_ptr(right.row_ptr.size(), s);
    DeviceBuffer<index_t> col_idx(a.col_idx, s), out_idx(a.col_idx.size(), s);
    DeviceBuffer<double> values(a.values, s), out_values(a.values.size(), s);
    transposer({a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()},
               {out_ptr.data(), out_idx.data(), out_values.data()}, s);
    Csr<std::int32_t, double> got(right.rows, right.cols, right.nnz());
    out_ptr.copy_to(got.row_ptr.data(), s);
    out_idx.copy_to(got.col_idx.data(), s);
    out_values.copy_to(got.values.data(), s);
    stream.synchronize();
    CHECK(got.row_ptr == right.row_ptr);
    CHECK(got.col_idx == right.col_idx);
    CHECK(got.values == right.values);
    const auto facts = transposer.facts(s);
    const std::pair<std::string, double> expected{"symmetric", symmetric ? 1.0 : 0.0};
    CHECK(std::count(facts.begin(), facts.end(), expected) == 1);
  }
}

#endif
