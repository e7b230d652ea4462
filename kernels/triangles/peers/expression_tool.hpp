// The interpreters that can evaluate sum((A*A).*A)/6, and the programs that they run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sparserepro {

struct ExpressionTool {
  std::string name;               ///< "octave" or "scipy"
  std::string version;            ///< "7.3.0"
  std::vector<std::string> argv;  ///< command line of a worker

  std::string title() const { return (name == "octave" ? "GNU Octave " : "SciPy ") + version; }
};

/// GNU Octave: octave-cli, else octave, on PATH. SciPy: of $SPARSEREPRO_PYTHON, else of python3 on
/// PATH. Nothing when it is not there or does not work. Starts the program (0.1 to 1 s).
std::optional<ExpressionTool> find_octave();
std::optional<ExpressionTool> find_scipy();

/// Python that find_scipy asks.
std::string expression_python();

}  // namespace sparserepro
