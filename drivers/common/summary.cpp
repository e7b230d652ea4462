#include "common/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "common/speedup.hpp"
#include "common/table.hpp"
#include "harness/statistics.hpp"

namespace sparserepro {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double median(const std::vector<double>& samples) {
  return samples.empty() ? none : median_interval(samples).median;
}

/// The first measured cell of the baseline of `cell`; null if there is none.
const CellResult* baseline(const CellResult& cell, const std::vector<CellResult>& cells) {
  for (const CellResult& other : cells) {
    if (other.skipped.empty() && other.algorithm == cell.baseline) {
      return &other;
    }
  }
  return nullptr;
}

std::string percent_interval(const MedianInterval& interval) {
  return interval.valid
             ? "+-" + significant(50 * (interval.high - interval.low) / interval.median, 2) + " %"
             : "-";
}

CallCost call_cost(const CellResult& cell) {
  const double preparation = median(cell.timing.preprocess_s);
  return {std::isnan(preparation) ? 0.0 : preparation, median(cell.timing.kernel_s)};
}

/// Median seconds of the end-to-end cycles with transfers of one of `kinds`; NaN if there are none.
double end_to_end(const CellResult& cell, const std::set<std::string>& kinds) {
  for (const EndToEnd& kind : cell.timing.end_to_end) {
    if (kinds.contains(kind.transfers)) {
      return median(kind.total_s);
    }
  }
  return none;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// Optional columns of a table.
struct Columns {
  bool flops, preparation;
  std::string second;  ///< title of the column of the second bound; "": no cell has one
  bool pinned;
};

/// Title of the column of the second bound. "two_passes" is a lower bound. "gather" is the time of
/// a product without reuse of X; a product that reuses X can exceed 100 % of it.
std::string title_of_second(const std::vector<CellResult>& cells) {
  for (const CellResult& cell : cells) {
    if (!cell.bounds.second_name.empty()) {
      return cell.bounds.second_name == "gather" ? "% of gathers" : "% of two passes";
    }
  }
  return "";
}

Columns columns_for(const std::vector<CellResult>& cells) {
  const auto any = [&](const auto& has) { return std::any_of(cells.begin(), cells.end(), has); };
  return {
      .flops = any([](const CellResult& c) { return c.model.flops > 0; }),
      .preparation = any([](const CellResult& c) { return !c.timing.preprocess_s.empty(); }),
      .second = title_of_second(cells),
      .pinned = any([](const CellResult& c) { return !std::isnan(end_to_end(c, {"pinned"})); })};
}

std::vector<std::string> header_of(const Columns& columns) {
  std::vector<std::string> header{"algorithm", "parameters", "median ms", "interval"};
  const auto add = [&](bool wanted, std::initializer_list<const char*> titles) {
    if (wanted) {
      header.insert(header.end(), titles.begin(), titles.end());
    }
  };
  add(!columns.preparation, {"speedup"});
  add(columns.preparation,
      {"speedup: 1 call", "10", "100", "endless", "pays from call", "prepare ms"});
  header.emplace_back(columns.flops ? "GFLOP/s" : "ns/entry");
  header.emplace_back("% of copy");
  if (!columns.second.empty()) {
    header.push_back(columns.second);
  }
  header.emplace_back("end to end ms");
  add(columns.pinned, {"pinned ms"});
  header.emplace_back("error");
  header.emplace_back("samples");
  return header;
}

/// Adds the speedups and, in tables with preparation, the least number of calls with a speedup
/// above 1 and the time of the preparation.
void add_speedups(std::vector<std::string>& row, const Columns& columns, const CellResult& cell,
                  const CellResult* base) {
  const auto add = [&](double calls) {
    row.push_back(
        base == nullptr ? "-" : significant(speedup(call_cost(*base), call_cost(cell), calls), 3));
  };
  if (!columns.preparation) {
    add(1.0);
    return;
  }
  for (const double calls : {1.0, 10.0, 100.0, endless_calls}) {
    add(calls);
  }
  if (base == nullptr || cell.timing.preprocess_s.empty()) {
    row.emplace_back("-");
  } else {
    const auto calls = break_even_calls(call_cost(*base), call_cost(cell));
    row.push_back(!calls         ? "never"
                  : *calls < 1e9 ? std::to_string(static_cast<std::int64_t>(*calls))
                                 : scientific(*calls));
  }
  row.push_back(significant(median(cell.timing.preprocess_s) * 1e3));
}

std::vector<std::string> row_of(const RecordContext& context, const Columns& columns,
                                const CellResult& cell, const CellResult* base) {
  const MedianInterval kernel = median_interval(cell.timing.kernel_s);
  std::vector<std::string> row{cell.algorithm, to_string(cell.parameters),
                               significant(kernel.median * 1e3), percent_interval(kernel)};
  add_speedups(row, columns, cell, base);
  const double entries = std::max<double>(1.0, static_cast<double>(context.shape.stored));
  row.push_back(significant(
      columns.flops ? cell.model.flops / kernel.median * 1e-9 : kernel.median / entries * 1e9, 3));
  row.push_back(significant(100 * cell.bounds.copy_s / kernel.median, 3));
  if (!columns.second.empty()) {
    row.push_back(cell.bounds.second_name.empty()
                      ? "-"
                      : significant(100 * cell.bounds.second_s / kernel.median, 3));
  }
  row.push_back(significant(end_to_end(cell, {"none", "pageable"}) * 1e3));
  if (columns.pinned) {
    row.push_back(significant(end_to_end(cell, {"pinned"}) * 1e3));
  }
  row.push_back(scientific(cell.check.error));
  row.push_back(std::to_string(cell.timing.kernel_s.size()));
  return row;
}

/// Prints a line for a cell that was skipped, whose samples contain launch latency, or whose
/// samples were throttled.
void print_notes(std::ostream& out, const CellResult& cell) {
  const std::string name =
      cell.algorithm + (cell.parameters.empty() ? "" : " " + to_string(cell.parameters));
  if (!cell.skipped.empty()) {
    out << "skipped: " << name << " - " << cell.skipped << '\n';
  }
  if (cell.timing.queued == false) {
    out << "not queued: " << name << " waits for the device, so its times hold launch latency\n";
  }
  if (cell.timing.throttled > 0) {
    out << "throttled: " << name << " - " << cell.timing.throttled
        << " samples dropped, the last kept one at " << significant(cell.timing.clock_mhz.back())
        << " MHz\n";
  }
}

/// Prints a line if samples on the host were disturbed, or other programs use the device.
void print_disturbance(std::ostream& out, const std::vector<CellResult>& cells) {
  std::size_t disturbed = 0, samples = 0, attempts = 0;
  int processes = 0;
  for (const CellResult& cell : cells) {
    const Disturbance& found = cell.timing.disturbance;
    disturbed += static_cast<std::size_t>(found.disturbed);
    samples += found.waited.size();
    attempts = std::max(attempts, found.attempts.size());
    processes = std::max(processes, found.device_processes.value_or(0));
  }
  if (disturbed > 0) {
    out << "disturbed: " << disturbed << " of " << samples
        << " samples; a thread waited for a processor, which other programs use"
        << (attempts > 1 ? "; the calmer of two attempts" : "") << '\n';
  }
  if (processes > 0) {
    out << "disturbed: other processes compute on the device: " << processes << '\n';
  }
}

}  // namespace

void print_summary(std::ostream& out, const RecordContext& context,
                   const std::vector<CellResult>& cells) {
  out << context.problem << "  " << context.matrix_name << "  " << context.shape.rows << " x "
      << context.shape.cols << ", " << context.shape.stored << " entries";
  if (!context.instance.empty()) {
    out << "  (" << to_string(context.instance) << ")";
  }
  out << '\n';
  const Columns columns = columns_for(cells);
  std::set<std::string> bases;
  TextTable table(header_of(columns), 2);
  for (const CellResult& cell : cells) {
    if (!cell.skipped.empty()) {
      continue;
    }
    const CellResult* const base = baseline(cell, cells);
    if (base != nullptr) {
      bases.insert(base->algorithm);
    }
    table.add(row_of(context, columns, cell, base));
  }
  table.print(out);
  for (const std::string& base : bases) {
    out << (base != *bases.begin() ? ", "
            : columns.preparation
                ? "speedup: of preparation plus 1, 10, 100 or endless calls, over "
                : "speedup: over ")
        << base;
  }
  out << (bases.empty() ? "" : "\n");
  for (const CellResult& cell : cells) {
    print_notes(out, cell);
  }
  print_disturbance(out, cells);
  out << '\n';
}

void print_catalogue(std::ostream& out, const nlohmann::ordered_json& catalogue) {
  TextTable table({"algorithm", "backend", "summary", "parameters", "runs here"}, 5);
  const auto text = [](const nlohmann::ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& entry : catalogue["algorithms"]) {
    std::string parameters;
    for (const auto& parameter : entry["parameters"]) {
      parameters += (parameters.empty() ? "" : "; ") + text(parameter["name"]) + "=" +
                    text(parameter["fallback"]);
      std::string allowed;
      for (const auto& value : parameter["allowed"]) {
        allowed += (allowed.empty() ? "" : ",") + text(value);
      }
      parameters += allowed.empty() ? "" : " {" + allowed + "}";
    }
    table.add({text(entry["name"]),
               text(entry["backend"]) + (entry["peer"].get<bool>() ? " (peer)" : ""),
               text(entry["summary"]), parameters.empty() ? "-" : parameters,
               entry["unavailable"].is_null() ? "yes" : "no: " + text(entry["unavailable"])});
  }
  table.print(out);
}

}  // namespace sparserepro
