// Records as JSON. workflow/schemas/record.schema.json defines their form.
#pragma once

#include <iosfwd>
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

/// Fields of a record that all cells of one instance share.
struct RecordContext {
  std::string problem;
  std::string matrix_name, source, origin, sha256;
  Shape shape;
  Params instance;
  TimingOptions timing;
  std::string machine_id;
  double load_before{};
  std::string run_id;  ///< one for each driver process, see new_run_id()
  int repeat{};        ///< > 0: the run repeats another one to estimate the spread between runs
  std::vector<std::string> argv;
  std::string started_utc;
  MachineInfo machine = machine_info();
  std::optional<GpuInfo> gpu = gpu_info();
  BuildInfo build = build_info();
};

/// The record of one cell.
nlohmann::ordered_json make_record(const RecordContext& context, const CellResult& cell);

/// A parameter in the catalogue that --list --json writes.
nlohmann::ordered_json describe_parameter(const Parameter& parameter);

/// Current time (UTC) and number of this process, as in 20260131T120000Z-4711.
std::string new_run_id();

/// Current time (UTC), as in 2026-01-31T12:00:00Z.
std::string utc_now();

/// The record as a line of text; bytes that are no UTF-8 become U+FFFD.
std::string line_of(const nlohmann::ordered_json& record);

/// The same on several lines.
std::string text_of(const nlohmann::ordered_json& value);

/// Throws InputError where `out` has lost output: a full disk, a closed pipe.
void require_written(std::ostream& out);

/// Throws InputError where write_text could not write to `path`. Writes nothing.
void require_writable(const std::string& path);

/// Writes `text` to `path`, or to standard output for "-". A regular file is replaced by a
/// temporary file of the same folder, so that readers never see a part of the text. A device, a
/// pipe or a symbolic link is opened and written to. Throws InputError if writing fails.
void write_text(const std::string& path, const std::string& text);

}  // namespace sparserepro
