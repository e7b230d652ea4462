// cuSPARSE's product of a CSR matrix and a dense one (cusparseSpMM) with each algorithm for CSR,
// with X and Y both row-major or both column-major, with and without its analysis of A.
//
// The analysis (cusparseSpMM_preprocess) is preprocessing. By the library's documentation it
// affects only alg1 and alg3, and only alg3 gives the same bits in each run. With op = transpose
// the library is called with CUSPARSE_OPERATION_TRANSPOSE, whose bits may differ from run to run.
//
// alg3 of 12.9.4 with its analysis does not wait for the grid before it, where rows have some
// hundred entries: executions are separated (cuda/measure/queued_timer.hpp).
#include "cuda/peers/cusparse_version.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/peers/cusparse_product.cuh"

namespace sparserepro {
namespace {

template <class Value>
class CusparseCsr final : public TypedCusparseProduct<Value> {
 public:
  CusparseCsr(const SpmmProblem& problem, const Params& params)
      : TypedCusparseProduct<Value>(problem, params, cusparse_csr_algorithm(params.text("alg")),
                                    problem.op() == Operation::none
                                        ? CUSPARSE_OPERATION_NON_TRANSPOSE
                                        : CUSPARSE_OPERATION_TRANSPOSE),
        analysed_(params.text("preprocess") == "yes") {
    if (!this->empty()) {
      this->set_matrix(describe_csr(this->a()));
    }
  }

  bool has_preprocess() const override { return analysed_; }
  void preprocess() override {
    if (analysed_) {
      this->analyse();
    }
  }

 private:
  bool analysed_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_csr() {
  return {
      .name = "cusparse_csr",
      .summary = "cuSPARSE's product of a CSR matrix and a dense one",
      .source = cusparse_title() + ", cusparseSpMM",
      .backend = Backend::cuda,
      .peer = true,
      .parameters = {{"alg",
                      "default",
                      {"default", "alg1", "alg2", "alg3"},
                      "algorithm that the library uses"},
                     cusparse_layout(),
                     {"preprocess", "no", {"no", "yes"}, "whether the library analyses A first"}},
      .unavailable = [] { return cusparse_unavailable(); },
      .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
        const std::string& alg = params.text("alg");
        if (params.text("preprocess") == "yes" && alg != "alg1" && alg != "alg3") {
          return "cusparseSpMM_preprocess has no effect on " + alg;
        }
        if (alg == "alg3" && problem.op() == Operation::transpose) {
          return "alg3 of cusparseSpMM takes A alone, not A^T";
        }
        return cusparse_refusal(problem);
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_typed_cusparse<CusparseCsr>
#endif
  };
}

}  // namespace sparserepro
