// Records as JSON; workflow/schemas/record.schema.json is the authority on their shape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "core/problem.hpp"

namespace sparserepro {

/// What the cells of one instance have in common.
struct RecordContext {
  std::string problem;
  std::string matrix_name, source, origin, sha256;
  Shape shape;
  Params instance;
  Model model;
  TimingOptions timing;
  std::string machine_id;
  double load_before{};
  std::vector<std::string> argv;
  std::string started_utc;
};

nlohmann::ordered_json make_record(const RecordContext& context, const CellResult& cell);

/// One entry of the catalogue that --list --json writes.
nlohmann::ordered_json describe_parameter(const Parameter& parameter);

/// Now, as 2026-01-31T12:00:00Z.
std::string utc_now();

/// Writes `text` to `path` through a temporary file in the same folder, so that readers see all of
/// it or nothing; "-" is standard output. Throws InputError when it cannot.
void write_text(const std::string& path, const std::string& text);

}  // namespace sparserepro
