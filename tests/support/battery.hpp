// Small awkward matrices, each named after the bug that it catches.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "formats/matrix.hpp"

namespace sparserepro::testing {

using Entry = std::tuple<index_t, index_t, double>;  ///< (row, column, value)

struct NamedMatrix {
  std::string name;
  Matrix matrix;
  bool graph = false;  ///< square, symmetric pattern, no loop, rows strictly ascending
};

/// The whole battery; built once. Entries within a row ascend unless the name says otherwise.
const std::vector<NamedMatrix>& battery();

/// A Matrix from coordinates in row-major order, kept in the given order within each row.
Matrix matrix_from_entries(const std::string& name, index_t rows, index_t cols,
                           const std::vector<Entry>& entries);

}  // namespace sparserepro::testing
