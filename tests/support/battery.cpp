#include "support/battery.hpp"

#include <algorithm>

#include "generate/generate.hpp"
#include "io/sha256.hpp"
#include "support/properties.hpp"

namespace sparserepro::testing {
namespace {

/// Entries (row(k), col(k)) for k < count with values 1, -2, 3, -4, ... The functions must give
/// them in row-major order.
template <class Row, class Col>
std::vector<Entry> numbered(index_t count, const Row& row, const Col& col) {
  std::vector<Entry> entries;
  for (index_t k = 0; k < count; ++k) {
    entries.emplace_back(row(k), col(k), k % 2 == 0 ? k + 1.0 : -k - 1.0);
  }
  return entries;
}

index_t zero(index_t) {
  return 0;
}
index_t same(index_t k) {
  return k;
}

/// Entries (i, j) and (j, i) with value 1 for each edge, sorted.
std::vector<Entry> undirected(const std::vector<std::pair<index_t, index_t>>& edges) {
  std::vector<Entry> entries;
  for (const auto& [u, v] : edges) {
    entries.emplace_back(u, v, 1.0);
    entries.emplace_back(v, u, 1.0);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

class Collector {
 public:
  void entries(const std::string& name, index_t rows, index_t cols,
               const std::vector<Entry>& list) {
    add(name, matrix_from_entries(name, rows, cols, list));
  }
  void spec(const std::string& name, const std::string& spec) {
    Matrix matrix = generate(spec, 2);
    matrix.name = name;
    add(name, std::move(matrix));
  }
  std::vector<NamedMatrix> take() { return std::move(all_); }

 private:
  void add(const std::string& name, Matrix matrix) {
    const bool graph = is_simple_graph(matrix.csr);
    all_.push_back({name, std::move(matrix), graph});
  }
  std::vector<NamedMatrix> all_;
};

void add_degenerate_shapes(Collector& to) {
  to.entries("no_rows_no_columns", 0, 0, {});
  to.entries("no_rows", 0, 7, {});
  to.entries("no_columns", 7, 0, {});
  to.entries("no_entries", 5, 7, {});
  to.entries("one_by_one", 1, 1, {{0, 0, -2.5}});
  to.entries("one_by_one_without_entry", 1, 1, {});
  to.entries("one_row", 1, 100, numbered(50, zero, [](index_t k) { return 2 * k; }));
  to.entries("one_column", 100, 1,
             numbered(
                 50, [](index_t k) { return 2 * k + 1; }, zero));
  to.entries("only_first_entry", 40, 50, {{0, 0, 3.0}});
  to.entries("only_last_entry", 40, 50, {{39, 49, 3.0}});
  to.spec("very_wide", "uniform:rows=3,cols=20000,nnz=6000,seed=3");
  to.spec("very_tall", "uniform:rows=20000,cols=3,nnz=6000,seed=4");
  to.spec("full_matrix", "uniform:rows=37,cols=41,nnz=1517,seed=5");
}

void add_empty_rows_and_columns(Collector& to) {
  const auto rows_from = [&](const std::string& name, index_t first, index_t count, index_t gap) {
    to.entries(name, 100, 60,
               numbered(
                   3 * count, [=](index_t k) { return first + k / 3 * gap; },
                   [](index_t k) { return (k / 3 * 7) % 50 + k % 3 * 4; }));
  };
  rows_from("empty_rows_at_begin", 70, 30, 1);
  rows_from("empty_rows_at_end", 0, 30, 1);
  rows_from("empty_rows_in_between", 0, 12, 9);
  to.spec("most_rows_empty", "empty_rows:rows=3000,cols=200,nnz=900,empty=0.9");
  to.entries("empty_columns_at_both_ends", 30, 300,
             numbered(30, same, [](index_t k) { return 100 + (k * 11) % 90; }));
}

void add_dense_lines(Collector& to) {
  to.entries("one_dense_row", 200, 1500,
             numbered(
                 1500, [](index_t) { return 77; }, same));
  to.entries("one_dense_column", 1500, 200, numbered(1500, same, [](index_t) { return 77; }));
  std::vector<Entry> heavy = numbered(700, same, [](index_t k) { return (k * 13) % 5000; });
  const std::vector<Entry> row = numbered(
      4999, [](index_t) { return 351; }, same);
  heavy.erase(heavy.begin() + 351);
  heavy.insert(heavy.begin() + 351, row.begin(), row.end());
  to.entries("heavy_row_among_light_ones", 700, 5000, heavy);
  to.spec("dense_rows_and_columns",
          "circuit:rows=1200,per_row=4,spread=30,dense_rows=2,dense_cols=3,dense_length=700");
  to.spec("skewed_rows_and_columns", "powerlaw:rows=900,cols=800,max_row=400,skew=3");
}

void add_order_and_repetition(Collector& to) {
  to.entries("duplicates_in_file_order", 4, 6,
             {{0, 2, 1.0},
              {0, 2, 2.0},
              {0, 2, -3.0},
              {1, 0, 4.0},
              {1, 5, 5.0},
              {1, 5, 5.0},
              {3, 1, 6.0},
              {3, 1, 0.0},
              {3, 4, 7.0}});
  to.entries("duplicates_fill_one_cell", 3, 3,
             numbered(
                 300, [](index_t) { return 1; }, [](index_t) { return 1; }));
  to.entries("unsorted_rows", 5, 8,
             {{0, 7, 1.0},
              {0, 0, 2.0},
              {0, 3, 3.0},
              {2, 5, 4.0},
              {2, 4, 5.0},
              {2, 6, 6.0},
              {4, 1, 7.0},
              {4, 0, 8.0}});
  to.entries(
      "unsorted_duplicates", 3, 5,
      {{0, 4, 1.0}, {0, 1, 2.0}, {0, 4, 3.0}, {0, 1, 4.0}, {2, 3, 5.0}, {2, 0, 6.0}, {2, 3, 7.0}});
  to.entries("descending_long_row", 3, 600,
             numbered(
                 600, [](index_t) { return 1; }, [](index_t k) { return 599 - k; }));
  to.entries("anti_diagonal", 300, 300, numbered(300, same, [](index_t k) { return 299 - k; }));
}

void add_values(Collector& to) {
  to.entries("diagonal", 300, 300, numbered(300, same, same));
  to.entries("explicit_zeros", 4, 4,
             {{0, 0, 0.0}, {0, 3, 1.0}, {1, 1, -0.0}, {2, 0, 2.0}, {2, 2, 0.0}, {3, 3, 0.0}});
  to.entries("cancelling_values", 3, 6,
             {{0, 0, 1e16},
              {0, 1, 1.0},
              {0, 2, -1e16},
              {1, 0, -0.1},
              {1, 3, 0.1},
              {1, 5, 1e-30},
              {2, 1, 3.0},
              {2, 2, -3.0},
              {2, 4, 1e-17}});
  to.entries("wide_range_of_values", 2, 4,
             {{0, 0, 1e30}, {0, 1, -1e-30}, {0, 3, 1.0}, {1, 2, -1e30}, {1, 3, 1e-30}});
}

/// Adds matrices of sizes around powers of two: sizes of warps, blocks and tiles, and the range of
/// 16-bit counters.
void add_sizes_around_tiles(Collector& to) {
  for (const index_t n : {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025}) {
    const std::string size = std::to_string(n);
    to.spec("size_" + size,
            "uniform:rows=" + size + ",cols=" + size + ",nnz=" + std::to_string(5 * n) + ",seed=6");
    to.spec("row_of_" + size, "uniform:rows=3,cols=2000,nnz=" + size + ",seed=7");
  }
  for (const char* nnz : {"4095", "4096", "4097", "8191", "8192", "8193"}) {
    to.spec(std::string("entries_") + nnz,
            std::string("uniform:rows=300,cols=400,seed=8,nnz=") + nnz);
  }
  to.spec("more_rows_than_65535", "short_rows:rows=70001,cols=50,per_row=1");
  to.spec("more_columns_than_65535", "short_rows:rows=50,cols=70001,per_row=40");
}

void add_typical(Collector& to) {
  to.spec("rows_across_thread_borders", "uniform:rows=2000,cols=1500,nnz=20000,seed=9");
  to.spec("more_rows_than_chunks_of_16", "short_rows:rows=9973,cols=1000,per_row=3");
  to.spec("banded", "banded:rows=777,diagonals=9,half_bandwidth=40,fill=0.7");
  to.spec("blocks_of_three", "fem:stencil=27,nx=5,ny=4,nz=6,dofs=3");
}

void add_graphs(Collector& to) {
  // The example of the triangle seed, whose edge (0, 3) is misprinted as (0, 2).
  to.entries("graph_with_3_triangles", 5, 5,
             undirected({{0, 1}, {0, 3}, {1, 2}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}));
  to.entries("graph_one_triangle", 3, 3, undirected({{0, 1}, {0, 2}, {1, 2}}));
  to.entries("graph_path_without_triangle", 4, 4, undirected({{0, 1}, {1, 2}, {2, 3}}));
  to.entries("graph_isolated_vertices", 9, 9, undirected({{2, 4}, {2, 7}, {4, 7}}));
  to.entries("graph_with_loops", 3, 3,
             {{0, 0, 1.0},
              {0, 1, 1.0},
              {0, 2, 1.0},
              {1, 0, 1.0},
              {1, 2, 1.0},
              {2, 0, 1.0},
              {2, 1, 1.0},
              {2, 2, 1.0}});
  to.spec("graph_degree_above_64", "complete:vertices=70");
  to.spec("graph_wheel", "wheel:rim=300");
  to.spec("graph_friendship", "friendship:triangles=200");
  to.spec("graph_star", "star:leaves=1100");
  to.spec("graph_bipartite", "bipartite:left=30,right=45");
  to.spec("graph_mesh", "mesh:width=23,height=17");
  to.spec("graph_mesh_shuffled", "mesh:width=40,height=31,permute=1");
  to.spec("graph_road", "road:width=60,height=50");
  to.spec("graph_hubs", "rmat:scale=9,edge_factor=12");
  to.spec("directed_graph", "rmat:scale=7,edge_factor=6,symmetric=0");
}

}  // namespace

Matrix matrix_from_entries(const std::string& name, index_t rows, index_t cols,
                           const std::vector<Entry>& entries) {
  Matrix matrix;
  matrix.name = name;
  matrix.source = "battery:" + name;
  matrix.origin = "generated";
  matrix.field = "real";
  matrix.sha256 = sha256_hex(matrix.source);
  matrix.csr = Csr<std::int64_t, double>(rows, cols, static_cast<std::int64_t>(entries.size()));
  std::fill(matrix.csr.row_ptr.begin(), matrix.csr.row_ptr.end(), 0);
  for (std::size_t p = 0; p < entries.size(); ++p) {
    const auto& [row, col, value] = entries[p];
    if (p > 0 && row < std::get<0>(entries[p - 1])) {
      throw FormatError(name + ": entries are not in row-major order");
    }
    ++matrix.csr.row_ptr.at(static_cast<std::size_t>(row) + 1);
    matrix.csr.col_idx[p] = col;
    matrix.csr.values[p] = value;
    matrix.explicit_zeros += value == 0;
  }
  for (index_t i = 0; i < rows; ++i) {
    matrix.csr.row_ptr[i + 1] += matrix.csr.row_ptr[i];
  }
  matrix.csr.validate();
  matrix.entries_in_file = matrix.stored();
  return matrix;
}

const std::vector<NamedMatrix>& battery() {
  static const std::vector<NamedMatrix> all = [] {
    Collector to;
    add_degenerate_shapes(to);
    add_empty_rows_and_columns(to);
    add_dense_lines(to);
    add_order_and_repetition(to);
    add_values(to);
    add_sizes_around_tiles(to);
    add_typical(to);
    add_graphs(to);
    return to.take();
  }();
  return all;
}

}  // namespace sparserepro::testing
