// Tables that a driver prints on the terminal.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/measurement.hpp"
#include "common/record.hpp"

namespace sparserepro {

/// Prints the table of one instance: median and interval, speedups over the baseline
/// (common/speedup.hpp), rates, percentages of the bounds, end-to-end time and error. If a cell has
/// preparation, speedups are those of 1, 10, 100 and endless calls, beside the least number of
/// calls with a speedup above 1. Lines below the table name skipped cells with their reasons, cells
/// that could not be queued, and cells with throttled samples, and tell of disturbed ones.
void print_summary(std::ostream& out, const RecordContext& context,
                   const std::vector<CellResult>& cells);

/// Prints all algorithms with backend, parameters, allowed values, and whether this machine can run
/// them.
void print_catalogue(std::ostream& out, const nlohmann::ordered_json& catalogue);

}  // namespace sparserepro
