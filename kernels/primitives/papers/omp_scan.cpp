// Exclusive scan in two passes over the input: each thread adds up its block; after a barrier it
// scans the block from the sum of the blocks before it. Source: transposition seed IV-A, which
// scans by blocks and recursively over the block sums; one block a thread leaves one level.
#include <omp.h>

#include <numeric>

#include "formats/partition.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

class OmpScan final : public HostPrimitiveRun {
 public:
  OmpScan(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem),
        threads_(params.threads()),
        block_sum_(static_cast<std::size_t>(threads_)) {}

  void execute() override {
    const index_t* const values = problem_.values().data();
    std::int64_t* const sums = out_.sums.data();
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      const std::int64_t begin = part_begin(problem_.length(), p, t);
      const std::int64_t end = part_begin(problem_.length(), p, t + 1);
      // No block follows the last one, so its sum is not needed.
      if (t + 1 < p) {
        block_sum_[t] = std::accumulate(values + begin, values + end, std::int64_t{0});
      }
#pragma omp barrier
      std::int64_t sum =
          std::accumulate(block_sum_.begin(), block_sum_.begin() + t, std::int64_t{0});
      for (std::int64_t i = begin; i < end; ++i) {
        sums[i] = sum;
        sum += values[i];
      }
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(block_sum_.size() * sizeof(std::int64_t));
  }

 private:
  int threads_;
  Buffer<std::int64_t> block_sum_;  // [threads]
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_scan() {
  return {.name = "omp_scan",
          .summary = "block sums, their scan, scans of the blocks",
          .source = "transposition seed IV-A",
          .backend = Backend::omp,
          .applies = solves(Procedure::scan),
          .prepare = make_run<OmpScan, PrimitivesProblem>};
}

}  // namespace sparserepro
