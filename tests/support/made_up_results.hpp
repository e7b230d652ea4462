// A made-up instance and its measured cells. Nearly all numbers differ, so that tests find swapped
// fields.
#pragma once

#include <cmath>
#include <vector>

#include "common/measurement.hpp"
#include "common/record.hpp"

namespace sparserepro::made_up {

inline RecordContext context() {
  RecordContext made;
  made.problem = "spmm";
  made.matrix_name = "chosen";
  made.source = "chosen.mtx";
  made.origin = "file";
  made.sha256 = std::string(64, 'a');
  made.shape = {.rows = 100, .cols = 200, .nnz = 990, .stored = 1000};
  made.instance = {{"k", std::int64_t{8}}};
  made.timing.warmup = 3;
  made.timing.flush = true;
  made.timing.seed = 17;
  made.machine_id = "chosen-machine";
  made.load_before = 0.75;
  made.run_id = "20260131T120000Z-4711";
  made.repeat = 2;
  made.argv = {"spmm", "chosen.mtx", "--k", "8"};
  made.started_utc = "2026-01-31T12:00:00Z";
  made.machine = {.id = "slug-16c",
                  .cpu = "Made-up CPU",
                  .cores_available = 16,
                  .memory_bytes = 64'000'000'000,
                  .last_level_cache_bytes = 32'000'000,
                  .os = "Linux 6.1 x86_64"};
  made.gpu = GpuInfo{.name = "Made-up GPU",
                     .compute_capability = "9.0",
                     .multiprocessors = 132,
                     .memory_bytes = 140'000'000'000,
                     .l2_bytes = 60'000'000,
                     .shared_bytes_per_block = 232'448,
                     .driver = "13.0",
                     .clock_mhz = 1980};
  made.build = {.version = "0.1.0",
                .commit = std::string(40, 'c'),
                .dirty = true,
                .compiler = "GNU 12.2",
                .flags = "-O3",
                .build_type = "Release",
                .cuda = "12.6",
                .peers = "Eigen 3.4.0",
                .vector_extension = "avx2"};
  return made;
}

/// Ten samples with their median 5.5 % above `seconds` and their interval from 2 to 9 % above it.
inline std::vector<double> samples(double seconds) {
  std::vector<double> made;
  for (int i = 1; i <= 10; ++i) {
    made.push_back(seconds * (1 + 0.01 * i));
  }
  return made;
}

/// Traffic and work of all made-up cells.
inline Model model() {
  return {.bytes = 4e6, .flops = 16e6, .second = {}};
}

/// The baseline: a cell without preparation, on the host.
inline CellResult serial_cell() {
  CellResult cell;
  cell.model = model();
  cell.algorithm = "serial_csr";
  cell.baseline = "serial_csr";
  cell.backend = Backend::serial;
  cell.check = {.ok = true,
                .method = "componentwise_bound",
                .error = 0.25,
                .bound = 1.0,
                .detail = "",
                .measures = {{"max_relative_error", 1e-15}}};
  cell.verified_after = true;
  cell.timing.clock = "steady_clock";
  cell.timing.kernel_s = samples(4e-3);
  cell.timing.warmup_s = {5e-3};
  cell.timing.end_to_end = {{.transfers = "none",
                             .total_s = {9e-3, 8e-3, 7e-3},
                             .allocation_s = {4e-3, 3e-3, 2e-3},
                             .transfer_s = {0, 0, 0},
                             .kernel_s = {5e-3, 5e-3, 5e-3}}};
  cell.timing.stop = "precision";
  cell.timing.disturbance = {
      .waited = {0, 0, 0.25, 0, 0, std::nan(""), 0, 0, 0, 0.5},
      .disturbed = 2,
      .attempts = {0.75, 0.25},
      .surroundings = {.others = 0.125, .stolen = 0.0, .quota = {}, .cpu_mhz = 2500.0},
      .device_processes = {}};
  cell.workspace_bytes = 0;
  cell.copy_bytes_per_s = 1e10;
  cell.bounds = {.copy_s = 4e-4, .second_name = "", .second_s = 0.0};
  return cell;
}

/// A cell of a peer on a device, with preparation.
inline CellResult cuda_cell() {
  CellResult cell;
  cell.model = model();
  cell.algorithm = "cusparse_csr";
  cell.library = "cuSPARSE 12.9.4";
  cell.baseline = "serial_csr";
  cell.backend = Backend::cuda;
  cell.peer = true;
  cell.parameters = {{"alg", std::string("alg3")}};
  cell.check = {.ok = true,
                .method = "componentwise_bound",
                .error = 0.5,
                .bound = 1.5,
                .detail = "",
                .measures = {{"max_relative_error", std::nan("")}}};
  cell.verified_after = true;
  cell.devices = {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"};
  cell.timing.clock = "cuda_event";
  cell.timing.batch = 4;
  cell.timing.kernel_s = samples(1e-3);
  cell.timing.warmup_s = {2e-3, 1.5e-3, 1.25e-3};
  cell.timing.preprocess_s = {20e-3, 22e-3, 24e-3};
  cell.timing.queued = false;
  cell.timing.clock_mhz = {1970, 1960, std::nan(""), 1950, 1940, 1930, 1920, 1910, 1900, 1890};
  cell.timing.throttled = 2;
  cell.timing.disturbance = {
      .waited = {}, .disturbed = 0, .attempts = {0.0}, .surroundings = {}, .device_processes = 1};
  cell.timing.end_to_end = {{.transfers = "pageable",
                             .total_s = {60e-3},
                             .allocation_s = {10e-3},
                             .transfer_s = {25e-3},
                             .kernel_s = {25.5e-3}},
                            {.transfers = "pinned",
                             .total_s = {40e-3},
                             .allocation_s = {11e-3},
                             .transfer_s = {5e-3},
                             .kernel_s = {24e-3}}};
  cell.timing.stop = "time_cap";
  cell.workspace_bytes = 4096;
  cell.measures = {{"padding_factor", 1.125}, {"unknown", std::nan("")}};
  cell.copy_bytes_per_s = 2e10;
  cell.bounds = {.copy_s = 2e-4, .second_name = "gather", .second_s = 7e-4};
  return cell;
}

inline CellResult skipped_cell() {
  CellResult cell;
  cell.model = model();
  cell.algorithm = "omp_ellpack";
  cell.baseline = "serial_csr";
  cell.backend = Backend::omp;
  cell.parameters = {{"threads", std::int64_t{4}}};
  cell.skipped = "padded ELLPACK is too large";
  return cell;
}

}  // namespace sparserepro::made_up
