// GE-SpMM's products in fp32 (dgSPARSE-Library, Huang et al., SC'20 and arXiv:2106.16064): rows or
// equal numbers of entries for each warp, sums in sequence or in parallel, rows of A through shared
// memory or not. Its kernels run on the legacy default stream, to which events tie the run's own.
//
// Kernels that balance entries add to Y by atomics, so that Y is set to zero first: part of the
// product, since the library leaves it to its callers.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/research_code.hpp"

#ifdef SPARSEREPRO_HAS_GESPMM

#include <gespmm.h>

#include "spmm/cuda_run.cuh"
#include "spmm/peers/stream_order.hpp"

namespace sparserepro {
namespace {

gespmmAlg_t gespmm_algorithm(const std::string& name) {
  return name == "row_sequential"     ? GESPMM_ALG_SEQREDUCE_ROWBALANCE
         : name == "row_parallel"     ? GESPMM_ALG_PARREDUCE_ROWBALANCE
         : name == "entry_sequential" ? GESPMM_ALG_SEQREDUCE_NNZBALANCE
         : name == "entry_parallel"   ? GESPMM_ALG_PARREDUCE_NNZBALANCE
         : name == "row_cached"       ? GESPMM_ALG_ROWCACHING_ROWBALANCE
         : name == "entry_cached"     ? GESPMM_ALG_ROWCACHING_NNZBALANCE
                                      : GESPMM_ALG_DEFAULT;
}

class GespmmCsr final : public CudaCsrSpmmRun<std::int32_t, float> {
 public:
  GespmmCsr(const SpmmProblem& problem, const Params& params)
      : CudaCsrSpmmRun(problem, std::get<Csr<std::int32_t, double>>(problem.matrix())),
        algorithm_(gespmm_algorithm(params.text("alg"))),
        adds_(params.text("alg").starts_with("entry")) {}

  void execute() override {
    if (adds_) {
      write_zeros();
    }
    const auto a = this->a();
    const SpMatCsrDescr_t matrix{a.rows,
                                 a.cols,
                                 a.nnz,
                                 const_cast<int*>(a.row_ptr),
                                 const_cast<int*>(a.col_idx),
                                 const_cast<float*>(a.values)};
    begun_.order(stream(), cudaStreamLegacy);
    gespmmCsrSpMM(matrix, const_cast<float*>(x()), static_cast<int>(k()), y(), true, algorithm_);
    CUDA_CHECK(cudaGetLastError());
    ended_.order(cudaStreamLegacy, stream());
  }

 private:
  gespmmAlg_t algorithm_;
  bool adds_;
  StreamOrder begun_, ended_;
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
                          {"default", "row_sequential", "row_parallel", "row_cached",
                           "entry_sequential", "entry_parallel", "entry_cached"},
                          "kernel of the code"}},
          .unavailable = [] { return gespmm_code.unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            if (problem.value_type() != DataType::fp32) {
              return "GE-SpMM has fp32 alone";
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
