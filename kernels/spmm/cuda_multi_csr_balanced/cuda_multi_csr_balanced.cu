// Product on several devices, Y = A X, A in CSR: rank r has a block of successive rows of A and
// computes these rows of Y by the product of one device (sparserepro/device/spmm.hpp), from all of
// X. README.md beside this file is its page: picture, what is timed, bound.
//
// At the beginning A and X lie on the first device, as for an algorithm of one. preprocess() sends
// the blocks of A to their ranks, has each analysed, and puts X where parameter `x` says:
//
//   halo        rank r has an equal share of the rows of X; execute() sends those that other blocks
//               name, beside the products of the columns that a rank has
//   broadcast   the first device has X; execute() broadcasts it
//   replicated  each device has X; preprocess() broadcasts it, and execute() sends nothing of X
//
// Y remains in blocks of rows on the devices (y=distributed), or execute() gathers it on the first
// one (y=gathered). All of execute() is timed, exchanges included.
//
// Source: own; the partition of A by rows and of X by its rows is the 1D distribution of parallel
// products, as in Vastenhouw, Bisseling (SIAM Review 47, 2005), section 1.
#include <string>

#include "cuda/device_info.hpp"
#include "cuda/multi/device_group.hpp"
#include "formats/check_arrays.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cuda_multi_csr_balanced/prepare.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/cuda_multi_csr_balanced/run.cuh"

namespace sparserepro {

std::unique_ptr<Run<SpmmProblem>> prepare_multi_csr_balanced(const SpmmProblem& problem,
                                                             const Params& params,
                                                             const Placement& placement) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<SpmmProblem>> {
        using Offset = typename std::decay_t<decltype(a)>::offset_type;
        if (problem.value_type() == DataType::fp32) {
          return std::make_unique<multi::CudaMultiCsrBalanced<Offset, float>>(problem, a, params,
                                                                              placement);
        }
        return std::make_unique<multi::CudaMultiCsrBalanced<Offset, double>>(problem, a, params,
                                                                             placement);
      },
      problem.matrix());
}

}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

std::string refusal(const SpmmProblem& problem, const Params& params) {
  if (problem.k() > most_columns_of_x) {
    return std::to_string(problem.k()) + " columns; a row of X has at most " +
           std::to_string(most_columns_of_x);
  }
  const int ranks = std::max(1, Placement::on_devices(params).ranks);
  const Shape shape = problem.shape();
  const auto value = static_cast<std::int64_t>(bytes_of(problem.value_type()));
  const std::int64_t pointer = std::visit(
      [](const auto& a) { return std::int64_t{sizeof(a.row_ptr[0])}; }, problem.matrix());
  const std::int64_t x = shape.cols * problem.k() * value;
  const std::int64_t y = shape.rows * problem.k() * value;
  const std::int64_t a = shape.stored * (4 + value) + (shape.rows + 1) * pointer;
  const std::int64_t split = params.text("x") == "halo" && ranks > 1 ? a / ranks : 0;
  return gpu_group_refusal(params, a + split + x + (params.text("y") == "gathered" ? y : y / ranks),
                           x + split + (a + y) / ranks);
}

}  // namespace

Algorithm<SpmmProblem> spmm_cuda_multi_csr_balanced() {
  return {
      .name = "cuda_multi_csr_balanced",
      .summary = "blocks of rows on several GPUs, each by the product of one GPU",
      .source = "own",
      .backend = Backend::cuda,
      .parameters = {gpus_parameter(),
                     {"x",
                      "halo",
                      {"halo", "broadcast", "replicated"},
                      "where X lies when the clock starts: in equal shares on all GPUs, on the "
                      "first one, or on each; the time contains the exchange of the former two"},
                     {"y",
                      "distributed",
                      {"distributed", "gathered"},
                      "where Y lies at the end: in blocks of rows, or on the first GPU; the "
                      "time contains the gathering"}},
      .unavailable = [] { return gpu_group_unavailable(); },
      .refusal = refusal,
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare =
          [](const SpmmProblem& problem, const Params& params) {
            return prepare_multi_csr_balanced(problem, params, Placement::on_devices(params));
          }
#endif
  };
}

}  // namespace sparserepro
