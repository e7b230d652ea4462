// Records as JSON; workflow/schemas/record.schema.json is the authority on their shape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "cuda/device_info.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/problem.hpp"

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
  std::string run_id;  ///< one per driver process, see new_run_id()
  int repeat{};        ///< above 0: made to estimate the spread between runs
  std::vector<std::string> argv;
  std::string started_utc;
  MachineInfo machine = machine_info();
  std::optional<GpuInfo> gpu = gpu_info();
  BuildInfo build = build_info();
};

nlohmann::ordered_json make_record(const RecordContext& context, const CellResult& cell);

/// One entry of the catalogue that --list --json writes.
nlohmann::ordered_json describe_parameter(const Parameter& parameter);

/// Start of this process's measurement and its process number, as 20260131T120000Z-4711.
std::string new_run_id();

/// Now, as 2026-01-31T12:00:00Z.
std::string utc_now();

/// Writes `text` to `path` through a temporary file in the same folder, so that readers see all of
/// it or nothing; "-" is standard output. A device, a pipe or a link is written into, and stays.
/// Throws InputError when it cannot.
void write_text(const std::string& path, const std::string& text);

}  // namespace sparserepro
