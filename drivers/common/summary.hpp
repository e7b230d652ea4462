// What a driver prints for people.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/measurement.hpp"
#include "common/record.hpp"

namespace sparserepro {

/// One table per instance: median and interval, speedups over the baseline (common/speedup.hpp),
/// rates, shares of the bounds, end-to-end time and error; below it skipped cells with their
/// reasons, cells that could not be queued and cells with throttled samples. Where a cell has
/// preparation, speedups are for 1, 10, 100 and endless calls, with the call from which it pays.
void print_summary(std::ostream& out, const RecordContext& context,
                   const std::vector<CellResult>& cells);

/// The algorithms with backend, parameters, allowed values and whether this machine can run them.
void print_catalogue(std::ostream& out, const nlohmann::ordered_json& catalogue);

}  // namespace sparserepro
