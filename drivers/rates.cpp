// Measures the rates from which lower bounds are computed: streams and gathers, on the host and on
// the device. docs/bounds.md defines them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/affinity.hpp"
#include "common/lists.hpp"
#include "common/lock.hpp"
#include "common/record.hpp"
#include "common/restart.hpp"
#include "common/table.hpp"
#include "cuda/device_info.hpp"
#include "cuda/measure/device_bandwidth.hpp"
#include "formats/error.hpp"
#include "generate/memory_guard.hpp"
#include "harness/bandwidth.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/stream_kernels.hpp"

namespace {

using namespace sparserepro;
using json = nlohmann::ordered_json;

struct GatherRate {
  std::int64_t row_bytes, table_bytes;
  double bytes_per_s;
};

/// Rates of a number of threads of the host, or of the device.
struct Place {
  std::string name;
  int threads;  ///< 0: the device
  std::int64_t last_level_cache_bytes;
  double copy_bytes_per_s;
  std::vector<StreamRate> streams;
  std::vector<GatherRate> gathers;
};

struct Sizes {
  std::vector<std::int64_t> row_bytes, table_bytes;
};

template <class Rate>
std::vector<GatherRate> gathers(const Sizes& sizes, const Rate& rate) {
  std::vector<GatherRate> rates;
  for (const std::int64_t table : sizes.table_bytes) {
    for (const std::int64_t row : sizes.row_bytes) {
      rates.push_back({row, table, rate(row, table)});
    }
  }
  return rates;
}

Place host_place(int threads, const Sizes& sizes) {
  return {std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
          threads,
          machine_info().last_level_cache_bytes,
          copy_bandwidth(threads),
          stream_rates(threads),
          gathers(sizes, [&](std::int64_t row, std::int64_t table) {
            return gather_bandwidth(threads, row, table);
          })};
}

Place device_place(const Sizes& sizes) {
  return {gpu_info()->name,
          0,
          gpu_info()->l2_bytes,
          device_copy_bandwidth(),
          device_stream_rates(),
          gathers(sizes, [](std::int64_t row, std::int64_t table) {
            return device_gather_bandwidth(row, table);
          })};
}

json to_json(const std::vector<Place>& places) {
  json out = {{"schema", 1},
              {"machine", machine_info().id},
              {"instructions", stream_kernels().front().instructions},
              {"places", json::array()}};
  for (const Place& place : places) {
    json streams = json::array(), gathers = json::array();
    for (const StreamRate& rate : place.streams) {
      streams.push_back({{"name", rate.name}, {"bytes_per_s", rate.bytes_per_s}});
    }
    for (const GatherRate& rate : place.gathers) {
      gathers.push_back({{"row_bytes", rate.row_bytes},
                         {"table_bytes", rate.table_bytes},
                         {"bytes_per_s", rate.bytes_per_s}});
    }
    out["places"].push_back({{"name", place.name},
                             {"threads", place.threads},
                             {"last_level_cache_bytes", place.last_level_cache_bytes},
                             {"copy_bytes_per_s", place.copy_bytes_per_s},
                             {"streams", streams},
                             {"gathers", gathers}});
  }
  return out;
}

std::string gigabytes(double bytes_per_s) {
  return significant(bytes_per_s / 1e9, 4);
}

std::string binary_size(std::int64_t bytes) {
  const bool mebi = bytes >= 1 << 20;
  return significant(static_cast<double>(bytes) / (mebi ? 1 << 20 : 1 << 10)) +
         (mebi ? " MiB" : " KiB");
}

void print_readable(std::ostream& out, const Place& place) {
  out << place.name << ", last-level cache of " << binary_size(place.last_level_cache_bytes)
      << "\n\n";
  TextTable streams({"in order", "GB/s"}, 1);
  for (const StreamRate& rate : place.streams) {
    streams.add({rate.name, gigabytes(rate.bytes_per_s)});
  }
  streams.add({"the highest: copy_bytes_per_s", gigabytes(place.copy_bytes_per_s)});
  streams.print(out);
  out << '\n';
  TextTable gathers({"gathers from", "row bytes", "useful GB/s"}, 1);
  for (const GatherRate& rate : place.gathers) {
    gathers.add({binary_size(rate.table_bytes), std::to_string(rate.row_bytes),
                 gigabytes(rate.bytes_per_s)});
  }
  gathers.print(out);
  out << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  restart_with_settings(argv);
  if (!cuda_unavailable().empty()) {  // CUDA reserves addresses, which the limit may count
    guard_memory();
  }
  for (const std::string& refusal : {processor_refusal(), runtimes_refusal()}) {
    if (!refusal.empty()) {
      std::cerr << "rates: " << refusal << '\n';
      return 1;
    }
  }
  const int cores = default_threads();
  std::vector<std::string> threads{cores > 1 ? "1," + std::to_string(cores) : "1"};
  std::vector<std::string> row_bytes{"8,64,512"}, table_bytes{"1048576,33554432,536870912"};
  std::string json_path;
  CLI::App app{
      "Measures the memory rates of this machine, from which lower bounds are computed: reads and "
      "writes in order (streams) and reads of random rows (gathers).",
      "rates"};
  app.set_version_flag("--version", build_info().version + " (" + build_info().commit + ")");
  app.add_option("--threads", threads, "Numbers of host threads to measure with [1 and all cores]");
  app.add_option("--row-bytes", row_bytes, "Bytes of a gathered row, multiples of 8 [8,64,512]");
  app.add_option("--table-bytes", table_bytes,
                 "Bytes of the table from which rows are gathered [1 MiB, 32 MiB, 512 MiB]");
  app.add_option("--json", json_path,
                 "Write the rates as JSON to this file; - means standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "rates: " << error.what() << " (--help shows all options)\n";
    return 1;
  }
  try {
    const std::vector<std::int64_t> counts = integers_of("--threads", threads, 1, cores);
    const Sizes sizes{integers_of("--row-bytes", row_bytes, 8, 1 << 20),
                      integers_of("--table-bytes", table_bytes, 1, std::int64_t{1} << 40)};
    for (const std::int64_t bytes : sizes.row_bytes) {
      if (bytes % 8 != 0) {
        throw InputError("--row-bytes: " + std::to_string(bytes) + " is not a multiple of 8");
      }
    }
    require_writable(json_path);
    const MeasurementLock lock(false);
    std::vector<Place> places;
    for (const std::int64_t count : counts) {
      places.push_back(host_place(static_cast<int>(count), sizes));
    }
    if (cuda_unavailable().empty()) {
      places.push_back(device_place(sizes));
    }
    if (!json_path.empty()) {
      write_text(json_path, text_of(to_json(places)));
      require_written(std::cout);
      return 0;
    }
    for (const Place& place : places) {
      print_readable(std::cout, place);
    }
    if (!cuda_unavailable().empty()) {
      std::cout << "no device: " << cuda_unavailable() << '\n';
    }
    require_written(std::cout);
    return 0;
  } catch (const std::bad_alloc& error) {
    std::cerr << "rates: not enough memory" << memory_words(error) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "rates: " << error.what() << '\n';
  }
  return 1;
}
