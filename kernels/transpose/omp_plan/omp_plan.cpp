// Transposition of values by a plan on the host: the pattern is transposed once (preprocessing),
// and each execution moves the values alone: in two passes over tiles where many of them are
// scattered, else by a gather with the permutation.
//
//   bytes an entry = 4 V + 4, V bytes a value, in two passes; 2 V + 4 of a gather where the values
//   of A lie in the caches or are met in order
//
// README.md has the layout and what was tried. Source: this project; a permutation that is kept is
// what libraries of graph networks do.
#include <optional>

#include "formats/public_views.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"
#include "transpose/omp_plan/policy.hpp"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class OmpPlan final : public HostTransposeRun<Offset, Value> {
 public:
  OmpPlan(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a),
        threads_(params.threads()),
        path_(params.text("path") == "gather"       ? host::PlanPath::gather
              : params.text("path") == "two_passes" ? host::PlanPath::two_passes
                                                    : host::PlanPath::automatic) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.reset();
    plan_.emplace(public_view(this->a_), public_output(this->out_),
                  host::TransposeOptions{.threads = threads_}, path_);
  }
  /// The pattern of the answer is of the preprocessing; the values alone are of an execution.
  void poison() override { this->poison_values(); }
  void execute() override {
    (*plan_)(public_view(this->a_).values, public_output(this->out_).values);
  }
  std::int64_t workspace_bytes() const override { return plan_ ? plan_->workspace_bytes() : 0; }

 private:
  int threads_;
  host::PlanPath path_;
  std::optional<host::TransposePlan> plan_;
};

}  // namespace

Algorithm<TransposeProblem> transpose_omp_plan() {
  return {.name = "omp_plan",
          .summary = "values alone, by a plan of the pattern: permutations of tiles, or a gather",
          .source = "own",
          .backend = Backend::omp,
          .parameters = {{"path",
                          "auto",
                          {"auto", "gather", "two_passes"},
                          "passes over the values; auto: two if many entries are scattered"}},
          .applies = has_stored_values,
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            return params.text("path") != "two_passes" ||
                           problem.shape().stored <= HostPlanPolicy::most_entries
                       ? ""
                       : std::to_string(problem.shape().stored) +
                             " entries; two passes take at most " +
                             std::to_string(HostPlanPolicy::most_entries);
          },
          .model = model_of_values,
          .prepare = prepare_transpose<OmpPlan>};
}

}  // namespace sparserepro
