// Prints the statistics of one matrix, as text or JSON, and writes its graph as a Matrix Market
// file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "common/reading.hpp"
#include "common/record.hpp"
#include "common/table.hpp"
#include "formats/available_cores.hpp"
#include "formats/error.hpp"
#include "formats/graph.hpp"
#include "formats/matrix.hpp"
#include "formats/statistics/matrix_stats.hpp"
#include "formats/statistics/spy.hpp"
#include "generate/generate.hpp"
#include "generate/memory_guard.hpp"
#include "harness/build_info.hpp"
#include "io/load_matrix.hpp"

namespace {

using namespace sparserepro;
using json = nlohmann::ordered_json;

json to_json(const LengthSummary& lengths) {
  json out = {{"min", lengths.min},       {"q1", lengths.q1},      {"median", lengths.median},
              {"mean", lengths.mean},     {"q3", lengths.q3},      {"max", lengths.max},
              {"stddev", lengths.stddev}, {"empty", lengths.empty}};
  out["histogram"] = json::array();
  for (const LengthBin& bin : lengths.histogram) {
    out["histogram"].push_back({{"from", bin.from}, {"to", bin.to}, {"count", bin.count}});
  }
  return out;
}

/// Name of the file without its folder, which differs between machines; else the generator spec.
std::string portable_source(const Matrix& matrix) {
  return matrix.origin == "file" ? std::filesystem::path(matrix.source).filename().string()
                                 : matrix.source;
}

json to_json(const Matrix& matrix, const MatrixStats& stats) {
  return {{"schema", 1},
          {"name", matrix.name},
          {"source", portable_source(matrix)},
          {"origin", matrix.origin},
          {"sha256", matrix.sha256},
          {"field", matrix.field},
          {"symmetry", matrix.symmetry},
          {"rows", matrix.csr.rows},
          {"cols", matrix.csr.cols},
          {"stored", matrix.stored()},
          {"nnz", matrix.stored() - matrix.explicit_zeros},
          {"explicit_zeros", matrix.explicit_zeros},
          {"duplicates", stats.duplicates},
          {"entries_in_file", matrix.entries_in_file},
          {"row_length", to_json(stats.row_length)},
          {"col_length", to_json(stats.col_length)},
          {"bandwidth", stats.bandwidth},
          {"padding_factor", stats.padding_factor},
          {"pattern_symmetric", stats.pattern_symmetric},
          {"spy", spy(matrix.csr)},
          {"read_seconds", matrix.read_seconds}};
}

void print_histogram(std::ostream& out, const LengthSummary& rows) {
  constexpr double widest = 40;
  std::int64_t most = 1;
  for (const LengthBin& bin : rows.histogram) {
    most = std::max(most, bin.count);
  }
  out << std::setw(24) << std::left << "entries per row" << std::setw(12) << std::right << "rows"
      << '\n'
      << std::string(36, '-') << '\n';
  for (const LengthBin& bin : rows.histogram) {
    std::string range = std::to_string(bin.from);
    if (bin.to > bin.from) {
      range += " to " + std::to_string(bin.to);
    }
    out << std::setw(24) << std::left << range << std::setw(12) << std::right << bin.count;
    if (bin.count > 0) {
      const double share = static_cast<double>(bin.count) / static_cast<double>(most);
      out << "  " << std::string(static_cast<std::size_t>(std::ceil(widest * share)), '#');
    }
    out << '\n';
  }
}

void print_readable(std::ostream& out, const Matrix& matrix, const MatrixStats& stats) {
  const auto line = [&](std::string label, const std::string& value) {
    label.resize(16, ' ');
    out << label << value << '\n';
  };
  line("matrix", matrix.name);
  line("source", matrix.source);
  line("sha256", matrix.sha256);
  line("kind", matrix.field + " " + matrix.symmetry + ", " + matrix.origin);
  line("size", std::to_string(matrix.csr.rows) + " x " + std::to_string(matrix.csr.cols));
  line("stored entries", std::to_string(matrix.stored()) + " (" +
                             std::to_string(matrix.explicit_zeros) + " explicit zeros, " +
                             std::to_string(stats.duplicates) + " duplicates)");
  if (matrix.origin == "file") {
    line("in the file", std::to_string(matrix.entries_in_file) + " entries");
  }
  line("bandwidth", std::to_string(stats.bandwidth));
  line("padding factor", significant(stats.padding_factor));
  line("pattern", stats.pattern_symmetric ? "symmetric" : "not symmetric");
  line(matrix.origin == "file" ? "read in" : "generated in", reading_time(matrix));
  out << '\n';

  TextTable lengths({"entries per", "min", "q1", "median", "mean", "q3", "max", "stddev", "empty"},
                    1);
  const auto add = [&](const std::string& label, const LengthSummary& summary) {
    lengths.add({label, std::to_string(summary.min), significant(summary.q1),
                 significant(summary.median), significant(summary.mean), significant(summary.q3),
                 std::to_string(summary.max), significant(summary.stddev),
                 std::to_string(summary.empty)});
  };
  add("row", stats.row_length);
  add("column", stats.col_length);
  lengths.print(out);
  out << '\n';
  print_histogram(out, stats.row_length);
}

/// Writes the graph of the matrix as problem `triangles` defines it: a symmetric pattern, with each
/// edge {i, j}, i > j, once in row i; to standard output for "-". Throws InputError if the matrix
/// is not square or the file cannot be written.
void write_graph(const std::string& path, const Matrix& matrix) {
  GraphCleaning cleaning;
  const Graph graph = graph_from_matrix(matrix.csr, cleaning, available_cores());
  std::ofstream opened;
  if (path != "-") {
    opened.open(path, std::ios::binary);
  }
  std::ostream& file = path == "-" ? std::cout : opened;
  file << "%%MatrixMarket matrix coordinate pattern symmetric\n"
       << graph.vertices << ' ' << graph.vertices << ' ' << graph.edges() << '\n';
  for (index_t i = 0; i < graph.vertices; ++i) {
    for (const index_t* j = graph.begin(i); j != graph.end(i) && *j < i; ++j) {
      file << i + 1 << ' ' << *j + 1 << '\n';
    }
  }
  if (path == "-") {
    return require_written(std::cout);
  }
  opened.close();
  if (!opened) {
    throw InputError("cannot write " + path);
  }
}

std::string generator_names() {
  std::string names;
  for (const GeneratorInfo& generator : generators()) {
    names += (names.empty() ? "" : ", ") + generator.name;
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  guard_memory();
  std::string source, name, json_path, graph_path;
  CLI::App app{
      "Prints the statistics of a sparse matrix: size, entries, lengths of rows and "
      "columns, bandwidth, padding and symmetry of the pattern.",
      "matrix_info"};
  app.set_version_flag("--version", build_info().version + " (" + build_info().commit + ")");
  app.footer(
      "The spec of a generator is NAME or NAME:KEY=VALUE,..., as in "
      "uniform:rows=1000,cols=1000,nnz=5000.\n"
      "Generators: " +
      generator_names() + "\n" + cache_help);
  app.add_option("source", source, "Matrix Market file (.mtx or .mtx.gz) or generator spec")
      ->required();
  app.add_option("--matrix-name", name,
                 "Name of the matrix in the output [name of the file or of the generator]");
  app.add_option("--json", json_path,
                 "Write the statistics as JSON to this file; - means standard output");
  app.add_option("--graph", graph_path,
                 "Write the graph of a square matrix, the pattern of A + A^T without its diagonal, "
                 "to this file (Matrix Market); - means standard output, with the statistics in "
                 "the file of --json alone");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "matrix_info: " << error.what() << " (--help shows all options)\n";
    return 1;
  }
  try {
    require_writable(json_path);
    require_writable(graph_path);
    require_apart(source, json_path);
    require_apart(source, graph_path);
    require_two_outputs(graph_path, json_path);
    Matrix matrix = load_matrix(source);
    for (const std::string& note : matrix.notes) {
      std::cerr << "matrix_info: " << note << '\n';
    }
    if (!name.empty()) {
      matrix.name = name;
    }
    if (!graph_path.empty()) {
      write_graph(graph_path, matrix);
    }
    if (!json_path.empty()) {
      write_text(json_path, text_of(to_json(matrix, matrix_stats(matrix.csr))));
    } else if (graph_path != "-") {
      print_readable(std::cout, matrix, matrix_stats(matrix.csr));
    }
    require_written(std::cout);
    return 0;
  } catch (const std::bad_alloc& error) {
    std::cerr << "matrix_info: not enough memory for " << source << memory_words(error) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "matrix_info: " << error.what() << '\n';
  }
  return 1;
}
