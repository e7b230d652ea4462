// The battery: small matrices of awkward shapes, each named after the bug that it reveals.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "formats/matrix.hpp"

namespace sparserepro::testing {

using Entry = std::tuple<index_t, index_t, double>;  ///< (row, column, value)

/// A matrix of the battery.
struct NamedMatrix {
  std::string name;
  Matrix matrix;
  bool graph = false;  ///< square, symmetric pattern, no loop, rows strictly ascending
};

/// All matrices of the battery. Columns ascend in each row unless the name says otherwise.
const std::vector<NamedMatrix>& battery();

/// A matrix from `entries`, whose rows must ascend; entries of a row keep their order. Throws for
/// entries outside the matrix.
Matrix matrix_from_entries(const std::string& name, index_t rows, index_t cols,
                           const std::vector<Entry>& entries);

}  // namespace sparserepro::testing
