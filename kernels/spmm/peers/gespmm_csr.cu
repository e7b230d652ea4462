// GE-SpMM's products in fp32 (dgSPARSE-Library, Huang et al., SC'20 and arXiv:2106.16064) with a
// warp or a part of one for each row: sums in sequence or in parallel, A through shared memory or
// not. Its kernels run on the default stream, which is that of the thread here, and the run with
// them.
//
// The kernels with equal numbers of entries for each warp are left out: on some matrices they
// answer wrong in the last row or touch memory that is not theirs.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/research_code.hpp"

#ifdef SPARSEREPRO_HAS_GESPMM

#include <gespmm.h>

#include "spmm/cuda_run.cuh"

namespace sparserepro {
namespace {

gespmmAlg_t gespmm_algorithm(const std::string& name) {
  return name == "row_sequential" ? GESPMM_ALG_SEQREDUCE_ROWBALANCE
         : name == "row_parallel" ? GESPMM_ALG_PARREDUCE_ROWBALANCE
         : name == "row_cached"   ? GESPMM_ALG_ROWCACHING_ROWBALANCE
                                  : GESPMM_ALG_DEFAULT;
}

class GespmmCsr final : public CudaCsrSpmmRun<std::int32_t, float> {
 public:
  GespmmCsr(const SpmmProblem& problem, const Params& params)
      : CudaCsrSpmmRun(problem, std::get<Csr<std::int32_t, double>>(problem.matrix()),
                       cudaStreamPerThread),
        algorithm_(gespmm_algorithm(params.text("alg"))) {}

  void execute() override {
    const auto a = this->a();
    const SpMatCsrDescr_t matrix{a.rows,
                                 a.cols,
                                 a.nnz,
                                 const_cast<int*>(a.row_ptr),
                                 const_cast<int*>(a.col_idx),
                                 const_cast<float*>(a.values)};
    gespmmCsrSpMM(matrix, const_cast<float*>(x()), static_cast<int>(k()), y(), true, algorithm_);
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  gespmmAlg_t algorithm_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_gespmm_csr() {
  return {.name = "gespmm_csr",
          .summary = "GE-SpMM's product in fp32",
          .source = gespmm_code.title() + ", gespmmCsrSpMM of dgSPARSE-Library",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {{"alg",
                          "default",
                          {"default", "row_sequential", "row_parallel", "row_cached"},
                          "kernel of the code"}},
          .unavailable = [] { return research_code_unavailable(gespmm_code); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            if (problem.value_type() != DataType::fp32) {
              return "GE-SpMM has fp32 alone";
            }
            if (problem.shape().rows < 8) {
              return "GE-SpMM launches no blocks for fewer than eight rows";
            }
            return research_code_refusal(problem, "GE-SpMM", false);
          },
#ifdef SPARSEREPRO_HAS_GESPMM
          .prepare = [](const SpmmProblem& problem,
                        const Params& params) -> std::unique_ptr<Run<SpmmProblem>> {
            return std::make_unique<GespmmCsr>(problem, params);
          }
#endif
  };
}

}  // namespace sparserepro
