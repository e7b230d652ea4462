#include "common/record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "formats/error.hpp"
#include "formats/huge_pages.hpp"
#include "formats/processor.hpp"

namespace sparserepro {
namespace {

using json = nlohmann::ordered_json;

json to_json(const ParamValue& value) {
  return std::visit([](const auto& v) { return json(v); }, value);
}

/// The number, or null for NaN and infinities, which JSON lacks.
json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json to_json(const Measures& measures) {
  json out = json::object();
  for (const auto& [name, value] : measures) {
    out[name] = number_or_null(value);
  }
  return out;
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json gpu_json(const std::optional<GpuInfo>& gpu) {
  if (!gpu) {
    return nullptr;
  }
  return {{"name", gpu->name},
          {"compute_capability", gpu->compute_capability},
          {"multiprocessors", gpu->multiprocessors},
          {"memory_bytes", gpu->memory_bytes},
          {"l2_bytes", gpu->l2_bytes},
          {"driver", gpu->driver},
          {"clock_mhz", gpu->clock_mhz}};
}

json machine_json(const RecordContext& context) {
  const MachineInfo& info = context.machine;
  static const bool huge_pages = arrays_have_huge_pages();
  return {{"id", context.machine_id.empty() ? info.id : context.machine_id},
          {"cpu", info.cpu},
          {"cores_available", info.cores_available},
          {"memory_bytes", info.memory_bytes},
          {"last_level_cache_bytes", info.last_level_cache_bytes},
          {"os", info.os},
          {"smt", info.smt ? json(*info.smt) : json(nullptr)},
          {"sockets", info.sockets ? json(*info.sockets) : json(nullptr)},
          {"numa_nodes", info.numa_nodes},
          {"governor", text_or_null(info.governor)},
          {"huge_pages", {{"mode", info.huge_page_mode}, {"operands", huge_pages}}},
          {"allocator", info.allocator},
          {"load_before", context.load_before < 0 ? json(nullptr) : json(context.load_before)},
          {"gpu", gpu_json(context.gpu)}};
}

json build_json(const BuildInfo& info) {
  return {{"version", info.version},
          {"commit", info.commit},
          {"dirty", info.dirty},
          {"compiler", info.compiler},
          {"flags", info.flags},
          {"build_type", info.build_type},
          {"cuda", text_or_null(info.cuda)},
          {"peers", text_or_null(info.peers)},
          {"instruction_sets",
           {{"own", to_string(widest_vector_extension())}, {"peers", info.vector_extension}}}};
}

json end_to_end_json(const std::vector<EndToEnd>& kinds) {
  json out = json::array();
  for (const EndToEnd& kind : kinds) {
    out.push_back({{"transfers", kind.transfers},
                   {"total_s", kind.total_s},
                   {"allocation_s", kind.allocation_s},
                   {"transfer_s", kind.transfer_s},
                   {"kernel_s", kind.kernel_s}});
  }
  return out;
}

json or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json disturbance_json(const Disturbance& found) {
  json waited = json::array();
  for (const double share : found.waited) {
    waited.push_back(number_or_null(share));
  }
  return {
      {"waited", waited},
      {"disturbed", found.disturbed},
      {"attempts", found.attempts},
      {"others", or_null(found.surroundings.others)},
      {"stolen", or_null(found.surroundings.stolen)},
      {"quota", or_null(found.surroundings.quota)},
      {"cpu_mhz", or_null(found.surroundings.cpu_mhz)},
      {"device_processes", found.device_processes ? json(*found.device_processes) : json(nullptr)}};
}

json timing_json(const Timing& timing, const TimingOptions& options) {
  json clock_mhz = json::array();
  for (const double clock : timing.clock_mhz) {
    clock_mhz.push_back(number_or_null(clock));
  }
  return {{"clock", timing.clock},
          {"cache", options.flush ? "flushed" : "warm"},
          {"warmup", options.warmup},
          {"batch", timing.batch},
          {"kernel_s", timing.kernel_s},
          {"warmup_s", timing.warmup_s},
          {"preprocess_s", timing.preprocess_s},
          {"queued", timing.queued ? json(*timing.queued) : json(nullptr)},
          {"clock_mhz", clock_mhz},
          {"throttled", timing.throttled},
          {"disturbance", disturbance_json(timing.disturbance)},
          {"end_to_end", end_to_end_json(timing.end_to_end)},
          {"stop", timing.stop},
          {"seed", options.seed}};
}

json bounds_json(const Bounds& bounds) {
  return {{"copy_s", bounds.copy_s},
          {"second", bounds.second_name.empty()
                         ? json(nullptr)
                         : json{{"name", bounds.second_name}, {"seconds", bounds.second_s}}}};
}

std::string utc(const char* format) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

}  // namespace

json make_record(const RecordContext& context, const CellResult& cell) {
  const bool ok = cell.skipped.empty();
  json parameters = json::object();
  for (const Params* params : {&context.instance, &cell.parameters}) {
    for (const auto& [name, value] : *params) {
      parameters[name] = to_json(value);
    }
  }
  json record = {{"schema", 2},
                 {"problem", context.problem},
                 {"algorithm", cell.algorithm},
                 {"backend", to_string(cell.backend)},
                 {"peer", cell.peer},
                 {"library", text_or_null(cell.library)},
                 {"run", {{"id", context.run_id}, {"repeat", context.repeat}}}};
  record["matrix"] = {{"name", context.matrix_name}, {"source", context.source},
                      {"origin", context.origin},    {"sha256", text_or_null(context.sha256)},
                      {"rows", context.shape.rows},  {"cols", context.shape.cols},
                      {"nnz", context.shape.nnz},    {"stored", context.shape.stored}};
  record["parameters"] = parameters;
  record["status"] = ok ? "ok" : "skipped";
  record["reason"] = text_or_null(cell.skipped);
  record["check"] = ok ? json{{"method", cell.check.method},
                              {"error", cell.check.error},
                              {"bound", cell.check.bound},
                              {"measures", to_json(cell.check.measures)},
                              {"verified_after", cell.verified_after}}
                       : json(nullptr);
  record["timing"] = ok ? timing_json(cell.timing, context.timing) : json(nullptr);
  record["model"] = {{"bytes", cell.model.bytes}, {"flops", cell.model.flops}};
  record["bounds"] = ok ? bounds_json(cell.bounds) : json{{"copy_s", nullptr}, {"second", nullptr}};
  record["copy_bytes_per_s"] = ok ? json(cell.copy_bytes_per_s) : json(nullptr);
  record["workspace_bytes"] = ok ? json(cell.workspace_bytes) : json(nullptr);
  record["measures"] = to_json(cell.measures);
  record["devices"] = cell.devices;
  record["machine"] = machine_json(context);
  record["build"] = build_json(context.build);
  record["argv"] = context.argv;
  record["started_utc"] = context.started_utc;
  return record;
}

json describe_parameter(const Parameter& parameter) {
  json allowed = json::array();
  for (const ParamValue& value : parameter.allowed) {
    allowed.push_back(to_json(value));
  }
  return {{"name", parameter.name},
          {"fallback", to_json(parameter.fallback)},
          {"allowed", allowed},
          {"help", parameter.help}};
}

std::string new_run_id() {
  return utc("%Y%m%dT%H%M%SZ") + "-" + std::to_string(getpid());
}

std::string utc_now() {
  return utc("%Y-%m-%dT%H:%M:%SZ");
}

std::string line_of(const json& record) {
  return record.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string text_of(const json& value) {
  return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void require_written(std::ostream& out) {
  if (!out.flush()) {
    throw InputError("cannot write to standard output; the output is incomplete");
  }
}

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") {
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string folder = fs::path(path).parent_path().string();
  const bool replaces = !fs::exists(status) || fs::is_regular_file(status);
  const bool writable = replaces ? access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0
                                 : !fs::is_directory(status) && access(path.c_str(), W_OK) == 0;
  if (!writable) {
    throw InputError("cannot write " + path);
  }
}

void write_text(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  const auto written = [&text](const std::string& to) {
    std::ofstream file(to, std::ios::binary);
    file << text;
    file.close();
    return static_cast<bool>(file);
  };
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a device, a pipe, a link
    if (!written(path)) {
      throw InputError("cannot write " + path);
    }
    return;
  }
  std::string partial = path + ".XXXXXX";
  const int descriptor = mkstemp(partial.data());
  if (descriptor < 0) {
    throw InputError("cannot write " + path);
  }
  const mode_t mask = umask(0);
  umask(mask);
  const auto mode = fs::exists(status) ? static_cast<mode_t>(status.permissions()) : 0666 & ~mask;
  const bool same_mode = fchmod(descriptor, mode) == 0;
  close(descriptor);
  if (same_mode && written(partial)) {
    fs::rename(partial, path, error);
    if (!error) {
      return;
    }
  }
  fs::remove(partial, error);
  throw InputError("cannot write " + path);
}

}  // namespace sparserepro
