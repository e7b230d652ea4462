// cuSPARSE's product of a CSR matrix and a dense one (cusparseSpMM) with each algorithm for CSR,
// with X and Y both row-major or both column-major, with and without its analysis of A.
//
// The analysis (cusparseSpMM_preprocess) is preprocessing. By the library's documentation it
// affects only alg1 and alg3, and only alg3 gives the same bits in each run.
#include "cuda/cusparse_version.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/peers/cusparse_product.cuh"

namespace sparserepro {
namespace {

cusparseSpMMAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMM_CSR_ALG1
         : name == "alg2" ? CUSPARSE_SPMM_CSR_ALG2
         : name == "alg3" ? CUSPARSE_SPMM_CSR_ALG3
                          : CUSPARSE_SPMM_ALG_DEFAULT;
}

class CusparseCsr final : public CusparseProduct {
 public:
  CusparseCsr(const SpmmProblem& problem, const Params& params)
      : CusparseProduct(problem, params, algorithm_named(params.text("alg"))),
        analysed_(params.text("preprocess") == "yes") {
    if (!empty()) {
      set_matrix(describe_csr(a()));
    }
  }

  bool has_preprocess() const override { return analysed_; }
  void preprocess() override {
    if (analysed_) {
      analyse();
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
  return {.name = "cusparse_csr",
          .summary = "cuSPARSE's product of a CSR matrix and a dense one",
          .source = cusparse_title() + ", cusparseSpMM",
          .backend = Backend::cuda,
          .peer = true,
          .parameters =
              {{"alg", "default", {"default", "alg1", "alg2", "alg3"}, "algorithm of the library"},
               cusparse_layout(),
               {"preprocess", "no", {"no", "yes"}, "with the library's analysis of A"}},
          .unavailable = [] { return cusparse_unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
            const std::string& alg = params.text("alg");
            if (params.text("preprocess") == "yes" && alg != "alg1" && alg != "alg3") {
              return "cusparseSpMM_preprocess has no effect on " + alg;
            }
            return cusparse_refusal(problem);
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CusparseCsr, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
