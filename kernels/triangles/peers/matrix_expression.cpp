// The matrix expression sum((A*A).*A)/6 as its users write it, in GNU Octave or SciPy: Algorithm 1
// of the triangle seed, whose baseline was this line in MATLAB.
// A worker process is started and given the matrix by prepare, through a socket, so no file is left
// behind. The timed region is one evaluation and the exchange of a byte and a short line
// (microseconds). Both tools multiply with one thread. A*A is formed whole: its size is bounded by
// the products, and cells beyond `most_products` or the machine's memory are refused.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "harness/machine.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"
#include "triangles/peers/child_process.hpp"
#include "triangles/peers/expression_tool.hpp"

namespace sparserepro {
namespace {

/// 2^29 products: seconds of work, and at most 8 GiB for A*A with 8-byte columns and values.
constexpr std::int64_t most_products = std::int64_t{1} << 29;
constexpr std::int64_t bytes_per_product = 16;

/// The tools are searched once per process, each when it is first asked for.
const std::optional<ExpressionTool>& tool_named(const std::string& name) {
  if (name == "octave") {
    static const std::optional<ExpressionTool> octave = find_octave();
    return octave;
  }
  static const std::optional<ExpressionTool> scipy = find_scipy();
  return scipy;
}

std::string missing(const std::string& name) {
  return name == "octave" ? "no octave-cli or octave on PATH"
                          : expression_python() + " is not there or has no SciPy";
}

const std::optional<ExpressionTool>& preferred_tool() {
  return tool_named("octave") ? tool_named("octave") : tool_named("scipy");
}

/// Entries that A*A can have at most.
std::int64_t product_entries(const TrianglesProblem& problem) {
  const double n = problem.graph().vertices;
  return n * n < static_cast<double>(problem.products()) ? static_cast<std::int64_t>(n * n)
                                                         : problem.products();
}

std::string refusal(const TrianglesProblem& problem, const Params& params) {
  if (const std::string& name = params.text("tool"); !tool_named(name)) {
    return missing(name);
  }
  if (problem.products() > most_products) {
    return "A*A takes " + std::to_string(problem.products()) + " products, the limit is " +
           std::to_string(most_products);
  }
  const std::int64_t bytes = bytes_per_product * product_entries(problem);
  if (bytes > machine_info().memory_bytes / 2) {
    return "A*A may take " + std::to_string(bytes) + " bytes, more than half of the memory";
  }
  return "";
}

/// Number after `position` in a version such as 1.16.2; moves `position` past it and its dot.
double version_part(const std::string& version, std::size_t& position) {
  int part = 0;
  const char* const begin = version.data() + std::min(position, version.size());
  const auto [end, error] = std::from_chars(begin, version.data() + version.size(), part);
  position = static_cast<std::size_t>(end - version.data()) + 1;
  return error == std::errc{} ? part : 0;
}

class MatrixExpressionTriangles final : public HostTrianglesRun {
 public:
  MatrixExpressionTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem),
        tool_(tool_named(params.text("tool")).value()),
        worker_(tool_.argv) {
    const std::int64_t size[2] = {graph_.vertices, graph_.stored()};
    worker_.send(size, sizeof size);
    worker_.send(graph_.row_ptr.data(), graph_.row_ptr.size() * sizeof(std::int64_t));
    worker_.send(graph_.col_idx.data(), graph_.col_idx.size() * sizeof(index_t));
    if (const std::string line = worker_.receive_line(); line != "ready") {
      throw std::runtime_error(tool_.title() + " answered '" + line + "' instead of 'ready'");
    }
  }

  void execute() override {
    worker_.send("\n", 1);
    const std::string line = worker_.receive_line();
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), triangles_);
    if (error != std::errc{} || end != line.data() + line.size()) {
      throw std::runtime_error(tool_.title() + " answered '" + line + "' instead of a count");
    }
  }

  /// A*A and its masked copy, at the largest that they can be.
  std::int64_t workspace_bytes() const override {
    return bytes_per_product * (product_entries(problem_) + graph_.stored());
  }

  Measures measures() const override {
    Measures all = HostTrianglesRun::measures();
    std::size_t position = 0;
    all.emplace_back("tool_version_major", version_part(tool_.version, position));
    all.emplace_back("tool_version_minor", version_part(tool_.version, position));
    all.emplace_back("tool_version_patch", version_part(tool_.version, position));
    return all;
  }

 private:
  ExpressionTool tool_;
  ChildProcess worker_;
};

}  // namespace

Algorithm<TrianglesProblem> triangles_matrix_expression() {
  const std::optional<ExpressionTool>& tool = preferred_tool();
  return {.name = "matrix_expression",
          .summary = "sum(sum((A*A).*A))/6, the product formed whole",
          .source = "triangle seed, Algorithm 1 and its MATLAB baseline; run in " +
                    (tool ? tool->title() : "GNU Octave or SciPy"),
          .backend = Backend::serial,
          .peer = true,
          .parameters = {{"tool",
                          tool ? tool->name : "octave",
                          {"octave", "scipy"},
                          "interpreter that evaluates the expression"}},
          .unavailable =
              [] {
                return preferred_tool() ? std::string()
                                        : missing("octave") + ", and " + missing("scipy");
              },
          .refusal = refusal,
          .prepare = make_run<MatrixExpressionTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
