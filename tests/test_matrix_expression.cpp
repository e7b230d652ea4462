// The matrix expression in GNU Octave and SciPy, and the worker process behind it.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "triangles/peers/child_process.hpp"
#include "triangles/peers/expression_tool.hpp"
#include "triangles/triangles.hpp"

namespace sparserepro {
namespace {

const Params any_graph{{"strict", std::int64_t{0}}};

const Algorithm<TrianglesProblem>& expression() {
  const auto& table = triangles_algorithms();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& a) { return a.name == "matrix_expression"; });
}

/// True when no child of this process is left, running or dead.
bool no_children() {
  return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

TEST_CASE("the expression agrees with the oracle wherever a tool is installed") {
  for (const std::string tool : {"octave", "scipy"}) {
    const Params params{{"tool", tool}};
    for (const auto& [name, matrix, is_graph] : testing::battery()) {
      if (matrix.csr.rows != matrix.csr.cols || (!is_graph && matrix.csr.rows > 3)) {
        continue;  // a process for each: the graphs, and the smallest of the others
      }
      INFO(tool << ", " << name);
      const TrianglesProblem problem(matrix, any_graph);
      if (const std::string reason = expression().refusal(problem, params); !reason.empty()) {
        std::cerr << tool << " skipped: " << reason << '\n';
        break;
      }
      const auto run = expression().prepare(problem, params);
      for (int execution = 0; execution < 3; ++execution) {
        run->poison();
        run->execute();
        CHECK(run->result().triangles == problem.reference().triangles);
      }
    }
  }
  CHECK(no_children());
}

TEST_CASE("the expression counts a graph that does not fit one message, and says its version") {
  const TrianglesProblem problem(generate("rmat:scale=13,edge_factor=4"), any_graph);
  for (const std::string tool : {"octave", "scipy"}) {
    const Params params{{"tool", tool}};
    if (expression().refusal(problem, params).empty()) {
      const auto run = expression().prepare(problem, params);
      run->execute();
      CHECK(run->result().triangles == problem.reference().triangles);
      double version = 0;
      for (const auto& [name, value] : run->measures()) {
        version += name.starts_with("tool_version") ? value : 0;
      }
      CHECK(version > 0);
      CHECK(run->workspace_bytes() > 0);
    }
  }
}

TEST_CASE("the catalogue names the tool, or the reason why there is none") {
  const std::string tool = std::get<std::string>(expression().parameters.at(0).fallback);
  const auto found = tool == "octave" ? find_octave() : find_scipy();

  CHECK(expression().unavailable().empty() == found.has_value());
  if (found) {
    CHECK(expression().source.ends_with(found->title()));
  }
}

TEST_CASE("a graph whose product would fill the memory is refused with the number") {
  const TrianglesProblem problem(generate("star:leaves=25000"), any_graph);
  const std::string tool = std::get<std::string>(expression().parameters.at(0).fallback);
  if (!expression().unavailable().empty()) {
    std::cerr << "skipped: " << expression().unavailable() << '\n';
    return;
  }

  CHECK(expression().refusal(problem, {{"tool", tool}}) ==
        "A*A takes 625025000 products, the limit is 536870912");
}

TEST_CASE("a Python without SciPy is no tool") {
  setenv("SPARSEREPRO_PYTHON", "/nonexistent/python", 1);
  CHECK(expression_python() == "/nonexistent/python");
  CHECK_FALSE(find_scipy().has_value());
  setenv("SPARSEREPRO_PYTHON", "false", 1);
  CHECK_FALSE(find_scipy().has_value());
  unsetenv("SPARSEREPRO_PYTHON");
  CHECK(expression_python() == "python3");
}

TEST_CASE("a child answers lines, however they arrive") {
  ChildProcess echo({"cat"});
  echo.send("one\ntwo\nth", 10);
  CHECK(echo.receive_line() == "one");
  CHECK(echo.receive_line() == "two");
  echo.send("ree\n", 4);
  CHECK(echo.receive_line() == "three");
}

TEST_CASE("a program that is not there is an error with its name") {
  CHECK_THROWS_WITH(ChildProcess({"no-such-program"}),
                    "cannot start no-such-program: No such file or directory");
  CHECK(no_children());
}

TEST_CASE("the death of a child is an error that says how it ended and its last words") {
  ChildProcess leaves({"sh", "-c", "echo first >&2; echo out of memory >&2; exit 3"});
  CHECK_THROWS_WITH(leaves.receive_line(), "sh ended with status 3: out of memory");

  ChildProcess killed({"cat"});
  kill(killed.pid(), SIGKILL);
  CHECK_THROWS_WITH(killed.receive_line(), "cat was killed by signal 9");
}

TEST_CASE("sending to a dead child is an error, not a signal") {
  ChildProcess child({"true"});
  const std::string much(1 << 20, 'x');
  CHECK_THROWS_WITH(child.send(much.data(), much.size()), "true ended with status 0");
}

TEST_CASE("a child that sleeps or ignores its input is ended and reaped") {
  { ChildProcess sleeps({"sleep", "1000"}); }
  { ChildProcess first({"cat"}), second({"cat"}); }
  CHECK(no_children());
}

}  // namespace
}  // namespace sparserepro
