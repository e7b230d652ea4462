// What a driver prints for people.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/measurement.hpp"
#include "common/record.hpp"

namespace sparserepro {

/// One table per instance: median and interval, speedup against the serial algorithm, rates,
/// preprocessing, end-to-end time and error; skipped cells with their reasons below.
void print_summary(std::ostream& out, const RecordContext& context,
                   const std::vector<CellResult>& cells);

/// The algorithms with backend, parameters, allowed values and whether this machine can run them.
void print_catalogue(std::ostream& out, const nlohmann::ordered_json& catalogue);

}  // namespace sparserepro
