// Transposition of values by a plan: the pattern is transposed and analysed once (preprocessing),
// then each execution moves the values alone, in two passes over tiles of equal size, or in one
// or by a gather where the matrix is local.
//
//   bytes an entry = 4 V + 4, 2 V + 2 or 2 V + 4, V bytes a value; the least is 2 V
//
// README.md has the layout, the kernels and their invariants. Source: this project.
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_plan/policy.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "formats/public_views.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaPlan final : public CudaTransposeRun<Offset, Value> {
  using Base = CudaTransposeRun<Offset, Value>;

 public:
  CudaPlan(const Csr<Offset, Value>& a, const Params& params)
      : Base(a),
        plan_(public_view(this->a()),
              {.path = params.text("path") == "two_passes" ? device::PlanPath::two_passes
                       : params.text("path") == "gather"   ? device::PlanPath::gather
                                                           : device::PlanPath::automatic}),
        plan_memory_(plan_.plan_bytes(), this->stream()),
        workspace_(std::max(plan_.analysis_bytes(), plan_.call_bytes()), this->stream()) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.analyse(public_view(this->a()), this->out(), {}, plan_memory_.data(), plan_memory_.size(),
                  workspace_.data(), workspace_.size(), this->stream());
  }
  /// The pattern of the answer is of the preprocessing; the values alone are of an execution.
  void poison() override { this->poison_values(); }
  void execute() override {
    plan_(public_view(this->a()).values, this->out().values, workspace_.data(), workspace_.size(),
          this->stream());
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(plan_memory_.bytes() + workspace_.bytes());
  }

 private:
  device::TransposePlan plan_;
  DeviceBuffer<char> plan_memory_, workspace_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cuda_plan() {
  return {
      .name = "cuda_plan",
      .summary = "values alone, by a plan of the pattern: permutations of tiles",
      .source = "own",
      .backend = Backend::cuda,
      .parameters = {{"path",
                      "auto",
                      {"auto", "gather", "two_passes"},
                      "how values are moved; auto: one pass if each stretch of A^T comes from a "
                      "short window of A, a gather if neighbours share sectors, else two passes"}},
      .applies = has_stored_values,
      .unavailable = [] { return cuda_unavailable(); },
      .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
        return problem.shape().stored <= ValuePlanPolicy::most_entries
                   ? ""
                   : std::to_string(problem.shape().stored) + " entries; a plan takes at most " +
                         std::to_string(ValuePlanPolicy::most_entries);
      },
      .model = model_of_values,
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_transpose<CudaPlan>
#endif
  };
}

}  // namespace sparserepro
