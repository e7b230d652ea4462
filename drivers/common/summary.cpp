#include "common/summary.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "common/table.hpp"
#include "core/statistics.hpp"

namespace sparserepro {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double median(const std::vector<double>& samples) {
  return samples.empty() ? none : median_interval(samples).median;
}

/// The measured cell of the algorithm that `cell`'s speedup is against.
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

/// Preprocessing and kernel together: what the first answer costs.
double total(const CellResult& cell) {
  const double preprocess = median(cell.timing.preprocess_s);
  return median(cell.timing.kernel_s) + (std::isnan(preprocess) ? 0.0 : preprocess);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
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
  std::set<std::string> bases;
  const bool flops = context.model.flops > 0;
  std::vector<std::string> header{"algorithm", "parameters", "median ms", "interval"};
  header.push_back("speedup");
  header.push_back(flops ? "GFLOP/s" : "ns/entry");
  for (const char* title : {"% of copy", "prepare ms", "end to end ms", "error", "samples"}) {
    header.emplace_back(title);
  }
  TextTable table(header, 2);
  for (const CellResult& cell : cells) {
    if (!cell.skipped.empty()) {
      continue;
    }
    const MedianInterval kernel = median_interval(cell.timing.kernel_s);
    const CellResult* const base = baseline(cell, cells);
    if (base != nullptr) {
      bases.insert(base->algorithm);
    }
    const double rate =
        flops ? context.model.flops / kernel.median * 1e-9
              : kernel.median / std::max<double>(1.0, static_cast<double>(context.shape.stored)) *
                    1e9;
    table.add({cell.algorithm, to_string(cell.parameters), significant(kernel.median * 1e3),
               percent_interval(kernel),
               base == nullptr ? "-" : significant(total(*base) / total(cell), 3),
               significant(rate, 3),
               significant(100 * context.model.bytes / kernel.median / cell.copy_bytes_per_s, 3),
               significant(median(cell.timing.preprocess_s) * 1e3),
               significant(median(cell.timing.end_to_end_s) * 1e3), scientific(cell.check.error),
               std::to_string(cell.timing.kernel_s.size())});
  }
  table.print(out);
  for (const std::string& base : bases) {
    out << (base == *bases.begin() ? "speedup: of preprocessing plus kernel, against " : ", ")
        << base;
  }
  out << (bases.empty() ? "" : "\n");
  for (const CellResult& cell : cells) {
    if (!cell.skipped.empty()) {
      out << "skipped: " << cell.algorithm << ' ' << to_string(cell.parameters)
          << (cell.parameters.empty() ? "" : " ") << "- " << cell.skipped << '\n';
    }
  }
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
