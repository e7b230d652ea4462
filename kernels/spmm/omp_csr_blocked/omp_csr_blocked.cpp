// CSR by bundles of rows of equal length (row_bundles.hpp), the sums of a tile of columns in
// registers:
//
//   y_i[j..j+63] = sum over p of a_p x_col(p)[j..j+63],   p = row_ptr[i], ..., row_ptr[i+1] - 1
//
// README.md tells the method. The answer is the same bits for any number of threads.
//
// Source: this project; register tiles over K as in JITSPMM (CGO'24).
#include <optional>
#include <string>

#include "formats/public_views.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"
#include "spmm/omp_csr_blocked/blocked.hpp"

namespace sparserepro {
namespace {

using host::SpmmPath;

SpmmPath path_named(const std::string& name) {
  for (const SpmmPath path : {SpmmPath::rows, SpmmPath::lanes, SpmmPath::shifted, SpmmPath::band}) {
    if (name == to_string(path)) {
      return path;
    }
  }
  return SpmmPath::automatic;
}

template <class Offset>
class OmpCsrBlocked final : public HostSpmmRun {
 public:
  OmpCsrBlocked(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : HostSpmmRun(problem, params), a_(public_view(a)), path_(path_named(params.text("path"))) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.reset();
    plan_.emplace(a_, x_.cols, host::SpmmOptions{.threads = threads_, .path = path_});
  }
  void execute() override { (*plan_)(1.0, public_view(x_), 0.0, public_output(y_)); }
  std::int64_t workspace_bytes() const override { return plan_ ? plan_->workspace_bytes() : 0; }

 private:
  CsrInput a_;
  SpmmPath path_;
  std::optional<host::SpmmPlan> plan_;
};

std::string refusal_of(const SpmmProblem& problem, const Params& params) {
  return path_refusal(path_named(params.text("path")), problem.k());
}

}  // namespace

Algorithm<SpmmProblem> spmm_omp_csr_blocked() {
  return {
      .name = "omp_csr_blocked",
      .summary = "a copy of A by bundles of rows of equal length, a tile of columns in registers",
      .source = "this project",
      .backend = Backend::omp,
      .parameters = {{"path",
                      "auto",
                      {"auto", "rows", "lanes", "shifted", "band"},
                      "layouts of omp_csr_blocked up to this one; auto: all"}},
      .refusal = refusal_of,
      .prepare = prepare_csr_spmm<OmpCsrBlocked>};
}

}  // namespace sparserepro
