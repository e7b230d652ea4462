// Transposition of values by a plan on the host: the pattern is transposed once (preprocessing),
// and each execution gathers the values by the permutation that it gave.
//
//   bytes an entry = 2 V + 4, V bytes a value, where the values of A lie in the caches or are met
//   in order; up to a cache line for each entry where they are not
//
// README.md has the layout and what was tried. Source: this project; a permutation that is kept is
// what libraries of graph networks do.
#include <optional>

#include "formats/public_views.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class OmpPlan final : public HostTransposeRun<Offset, Value> {
 public:
  OmpPlan(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a), threads_(params.threads()) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.reset();
    plan_.emplace(public_view(this->a_), public_output(this->out_),
                  host::TransposeOptions{.threads = threads_});
  }
  /// The pattern of the answer is of the preprocessing; the values alone are of an execution.
  void poison() override { this->poison_values(); }
  void execute() override {
    (*plan_)(public_view(this->a_).values, public_output(this->out_).values);
  }
  std::int64_t workspace_bytes() const override { return plan_ ? plan_->workspace_bytes() : 0; }

 private:
  int threads_;
  std::optional<host::TransposePlan> plan_;
};

}  // namespace

Algorithm<TransposeProblem> transpose_omp_plan() {
  return {.name = "omp_plan",
          .summary = "values alone, gathered by the permutation of a transposition of the pattern",
          .source = "own",
          .backend = Backend::omp,
          .applies = has_stored_values,
          .model = model_of_values,
          .prepare = prepare_host_transpose<OmpPlan>};
}

}  // namespace sparserepro
