// CSR by bundles of rows of like length (row_bundles.hpp), the sums of a tile of columns in
// registers:
//
//   y_i[j..j+63] = sum over p of a_p x_col(p)[j..j+63],   p = row_ptr[i], ..., row_ptr[i+1] - 1
//
// README.md tells the method.
//
// Source: this project; register tiles over K as in JITSPMM (CGO'24).
#include <optional>
#include <string>

#include "formats/check_arrays.hpp"
#include "formats/public_views.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/omp_csr_blocked/path_refusal.hpp"
#include "spmm/typed_run.hpp"

namespace sparserepro {
namespace {

using host::SpmmPath;

SpmmPath path_named(const std::string& name) {
  for (const SpmmPath path :
       {SpmmPath::rows, SpmmPath::lanes, SpmmPath::jagged, SpmmPath::shifted, SpmmPath::band,
        SpmmPath::csr, SpmmPath::diagonals, SpmmPath::padded}) {
    if (name == to_string(path)) {
      return path;
    }
  }
  return SpmmPath::automatic;
}

template <class Offset, class Value>
class OmpCsrBlocked final : public TypedSpmmRun<Value> {
 public:
  OmpCsrBlocked(const SpmmProblem& problem, const CsrView<Offset, Value>& a, const Params& params)
      : TypedSpmmRun<Value>(problem, params),
        a_(public_view(a)),
        options_{.threads = this->threads_,
                 .path = path_named(params.text("path")),
                 .operation = problem.op(),
                 .calls = params.integer("calls")} {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.reset();
    plan_.emplace(a_, this->k(), options_);
  }
  void execute() override {
    (*plan_)(1.0, {this->x_rows(), this->k(), this->k(), this->x()}, 0.0,
             {this->y_rows(), this->k(), this->k(), this->y()});
  }
  std::int64_t workspace_bytes() const override { return plan_ ? plan_->workspace_bytes() : 0; }

 private:
  CsrInput a_;
  host::SpmmOptions options_;
  std::optional<host::SpmmPlan> plan_;
};

std::string refusal_of(const SpmmProblem& problem, const Params& params) {
  if (problem.k() > most_columns_of_x) {
    return std::to_string(problem.k()) + " columns; a row of X has at most " +
           std::to_string(most_columns_of_x);
  }
  const SpmmPath path = path_named(params.text("path"));
  return problem.value_type() == DataType::fp32 ? path_refusal<float>(path, problem.k())
                                                : path_refusal<double>(path, problem.k());
}

}  // namespace

Algorithm<SpmmProblem> spmm_omp_csr_blocked() {
  return {
      .name = "omp_csr_blocked",
      .summary = "a copy of A by bundles of rows of like length, a tile of columns in registers",
      .source = "this project",
      .backend = Backend::omp,
      .parameters =
          {{"path",
            "auto",
            {"auto", "rows", "lanes", "jagged", "shifted", "band", "csr", "diagonals", "padded"},
            "last layout that the plan may choose, of rows, lanes, jagged, shifted and band in "
            "this order; csr: A without a copy; auto: any, or csr where few calls follow"},
           {"calls", std::int64_t{0}, {}, "products that will follow the preparation; 0: many", 0}},
      .refusal = refusal_of,
      .prepare = prepare_typed_spmm<OmpCsrBlocked>};
}

}  // namespace sparserepro
