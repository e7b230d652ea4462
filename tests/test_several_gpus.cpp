// Products and counts on several GPUs: all ranks on one device; the exchanges, on two devices,
// without which these tests are skipped.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/multi/device_group.hpp"
#include "generate/generate.hpp"
#include "spmm/cuda_multi_csr_balanced/prepare.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "triangles/cuda_multi_adaptive/prepare.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

TEST_CASE("several GPUs: cells that the devices cannot take are refused", "[several_gpus][small]") {
  CHECK(gpus_parameter().minimum == 0);
  if (visible_gpus() == 0) {
    CHECK(!gpu_group_unavailable().empty());
    SKIP(gpu_group_unavailable());
  }
  const std::int64_t more = visible_gpus() + 1;
  CHECK(gpu_group_refusal({{"gpus", more}}, 0, 0) == "gpus = " + std::to_string(more) + ": only " +
                                                         std::to_string(visible_gpus()) +
                                                         " are visible");
  CHECK(gpu_group_refusal({{"gpus", std::int64_t{1}}}, 1000, 1000) == "");
  CHECK(gpu_group_refusal({{"gpus", std::int64_t{1}}}, std::int64_t{1} << 50, 0)
            .find("matrix and operands take 1125899906842624") != std::string::npos);
  CHECK(Placement::on_devices({{"gpus", std::int64_t{0}}}).ranks == visible_gpus());
}

#ifdef SPARSEREPRO_HAS_CUDA

namespace {

constexpr Placement two_devices{.ranks = 2, .on_one_device = false};

/// Pools keep what is freed: small runs follow each other, and mapping memory for two devices takes
/// milliseconds.
void keep_freed_memory(int devices) {
  for (int device = 0; device < devices; ++device) {
    cudaMemPool_t pool{};
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
    std::uint64_t all = UINT64_MAX;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  }
}

void require_two_devices() {
  require_device();
  if (!gpu_group_unavailable().empty()) {
    SKIP(gpu_group_unavailable());
  }
  if (visible_gpus() < 2) {
    SKIP("one device");
  }
  keep_freed_memory(2);
}

/// Rounds from preprocessing to the answer; all have the same bits.
void check_product(const SpmmProblem& problem, const SpmmReference& reference,
                   const Placement& placement) {
  for (const std::string x : {"halo", "broadcast", "replicated"}) {
    for (const std::string y : {"distributed", "gathered"}) {
      CAPTURE(placement.ranks, x, y);
      const auto run = prepare_multi_csr_balanced(
          problem, {{"gpus", std::int64_t{placement.ranks}}, {"x", x}, {"y", y}}, placement);
      CHECK(run->devices().size() == static_cast<std::size_t>(placement.ranks));
      Dense first;
      for (int round = 0; round < executions(); ++round) {
        run->preprocess();
        run->poison();
        run->execute();
        run->download();
        const Dense answer = run->result();
        const CheckOutcome outcome = problem.check(answer, reference);
        CAPTURE(round, outcome.detail);
        CHECK(outcome.ok);
        CHECK((round == 0 || first.data == answer.data));
        first = answer;
      }
    }
  }
}

void check_products(const Matrix& matrix, std::int64_t k, const std::string& type,
                    std::int64_t bits, const std::vector<Placement>& placements) {
  const SpmmProblem problem(matrix, {{"k", k},
                                     {"x_range", "signed"},
                                     {"offset_bits", bits},
                                     {"op", "none"},
                                     {"value_type", type}});
  const SpmmReference reference = problem.reference();
  for (const Placement& placement : placements) {
    CAPTURE(matrix.name, k, type, bits);
    check_product(problem, reference, placement);
  }
}

void check_count(const Matrix& matrix, std::int64_t most_narrow_entries,
                 const std::vector<Placement>& placements) {
  TrianglesProblem problem(matrix, {{"strict", std::int64_t{0}}, {"output", "total"}});
  problem.set_most_narrow_entries(most_narrow_entries);
  for (const Placement& placement : placements) {
    for (const std::string path : {"auto", "prefix", "middle", "even", "oriented"}) {
      CAPTURE(matrix.name, placement.ranks, path, most_narrow_entries);
      const auto run = prepare_multi_adaptive(
          problem, {{"gpus", std::int64_t{placement.ranks}}, {"path", path}}, placement);
      for (int round = 0; round < executions(); ++round) {
        run->preprocess();
        run->poison();
        run->execute();
        run->download();
        CHECK(run->result().triangles == problem.reference().triangles);
      }
    }
  }
}

std::vector<Placement> on_one_device(std::initializer_list<int> ranks) {
  std::vector<Placement> all;
  for (const int count : ranks) {
    all.push_back({.ranks = count, .on_one_device = true});
  }
  return all;
}

const std::vector<std::string>& products() {
  static const std::vector<std::string> specs{
      "circuit:rows=90,per_row=3,spread=30,dense_rows=1,dense_cols=1,dense_length=80,seed=5",
      "uniform:rows=4001,cols=3001,nnz=60000,seed=4", "rmat:scale=11,edge_factor=8",
      "fem:stencil=27,nx=6,ny=5,nz=4,dofs=3,seed=7",
      "empty_rows:rows=5000,cols=900,nnz=3000,empty=0.9,seed=6"};
  return specs;
}

/// Beyond a chunk of the split of the paths without orientation; hubs with several segments.
const std::vector<std::string>& graphs() {
  static const std::vector<std::string> specs{"mesh:width=160,height=120",
                                              "rmat:scale=14,edge_factor=16",
                                              "uniform:rows=20000,cols=20000,nnz=400000,seed=3"};
  return specs;
}

}  // namespace

TEST_CASE("several GPUs: the split of products, all ranks on one device",
          "[several_gpus][spmm][cuda]") {
  require_device();
  for (const NamedMatrix& named : battery_part()) {
    check_products(named.matrix, 3, "fp64", 32, on_one_device({2, 5}));
  }
  check_products(generate(products()[0], 2), 33, "fp32", 64, on_one_device({1, 2}));
}

TEST_CASE("several GPUs: the split of small products, all ranks on one device",
          "[several_gpus][spmm][cuda][small]") {
  require_device();
  check_products(generate(products()[0], 2), 33, "fp32", 64, on_one_device({3}));
  check_products(generate(products()[0], 2), 12, "fp32", 64, on_one_device({4}));
  check_products(generate("empty_rows:rows=120,cols=90,nnz=300,empty=0.6,seed=6", 2), 3, "fp64", 32,
                 on_one_device({1, 2, 5}));
}

TEST_CASE("several GPUs: the split of larger products, all ranks on one device",
          "[several_gpus][spmm][cuda]") {
  require_device();
  for (const std::string& spec : products()) {
    for (const std::int64_t k : {1, 7, 64}) {
      check_products(generate(spec, 2), k, "fp64", 32, on_one_device({1, 2, 3, 8}));
    }
    check_products(generate(spec, 2), 12, "fp32", 64, on_one_device({4}));
  }
}

TEST_CASE("several GPUs: a halo has the rows of X that a block names, and no others",
          "[several_gpus][spmm][cuda][small]") {
  require_device();
  std::vector<Entry> entries;  // of three diagonals
  for (index_t i = 0; i < 100; ++i) {
    for (index_t j = std::max<index_t>(i - 1, 0); j <= std::min<index_t>(i + 1, 99); ++j) {
      entries.emplace_back(i, j, 1.0);
    }
  }
  const SpmmProblem problem(matrix_from_entries("three_diagonals", 100, 100, entries),
                            {{"k", std::int64_t{3}},
                             {"x_range", "signed"},
                             {"offset_bits", std::int64_t{32}},
                             {"op", "none"},
                             {"value_type", "fp64"}});
  for (const int ranks : {1, 2, 4}) {
    const auto run = prepare_multi_csr_balanced(
        problem, {{"gpus", std::int64_t{ranks}}, {"x", "halo"}, {"y", "distributed"}},
        {.ranks = ranks, .on_one_device = true});
    run->preprocess();
    const Measures measures = run->measures();
    const auto sent = std::find_if(measures.begin(), measures.end(), [](const auto& measure) {
      return measure.first == "exchanged_bytes";
    });
    REQUIRE(sent != measures.end());
    CHECK(sent->second == 2 * (ranks - 1) * 3 * 8);  // a row across each border, in both directions
  }
}

TEST_CASE("several GPUs: the split of counts, all ranks on one device",
          "[several_gpus][triangles][cuda]") {
  require_device();
  for (const NamedMatrix& named : battery_part()) {
    if (named.graph) {
      check_count(named.matrix, 1 << 30, on_one_device({2, 3}));
      check_count(named.matrix, 0, on_one_device({2}));
    }
  }
}

TEST_CASE("several GPUs: the split of small counts, all ranks on one device",
          "[several_gpus][triangles][cuda][small]") {
  require_device();
  check_count(generate("rmat:scale=6,edge_factor=8", 2), 1 << 30, on_one_device({1, 3}));
  check_count(generate("mesh:width=23,height=17", 2), 0, on_one_device({2}));
}

TEST_CASE("several GPUs: the split of larger counts, all ranks on one device",
          "[several_gpus][triangles][cuda]") {
  require_device();
  for (const std::string& spec : graphs()) {
    check_count(generate(spec, 2), 1 << 30, on_one_device({1, 2, 7}));
  }
}

TEST_CASE("several GPUs: products on two", "[several_gpus][spmm][cuda][two_gpus]") {
  require_two_devices();
  for (const NamedMatrix& named : battery_part()) {
    check_products(named.matrix, 3, "fp64", 32, {two_devices});
  }
  for (const std::string& spec : products()) {
    check_products(generate(spec, 2), 64, "fp64", 32, {two_devices});
    check_products(generate(spec, 2), 12, "fp32", 64, {two_devices});
  }
}

TEST_CASE("several GPUs: counts on two", "[several_gpus][triangles][cuda][two_gpus]") {
  require_two_devices();
  for (const NamedMatrix& named : battery_part()) {
    if (named.graph) {
      check_count(named.matrix, 1 << 30, {two_devices});
    }
  }
  for (const std::string& spec : graphs()) {
    check_count(generate(spec, 2), 0, {two_devices});
  }
}

#endif
