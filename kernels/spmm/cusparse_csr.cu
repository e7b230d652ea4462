// cuSPARSE's product of a CSR matrix and a dense one (cusparseSpMM) with each algorithm for CSR,
// with X and Y both in rows or both in columns, with and without its analysis of A.
//
// Handle, descriptors and buffer are made beforehand; the buffer is the workspace. In the layout
// `column` X is given, and Y is left, in columns: the conversions from and to rows belong to
// preparation and download, since a user of that layout has none. The analysis
// (cusparseSpMM_preprocess) is preprocessing; the library documents that it serves alg1 and alg3
// and has no effect otherwise. Only alg3 promises the same bits in each run.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/cuda_dense_transpose.cuh"
#include "spmm/cuda_spmm_run.cuh"
#include "spmm/cusparse_operands.cuh"

namespace sparserepro {
namespace {

cusparseSpMMAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMM_CSR_ALG1
         : name == "alg2" ? CUSPARSE_SPMM_CSR_ALG2
         : name == "alg3" ? CUSPARSE_SPMM_CSR_ALG3
                          : CUSPARSE_SPMM_ALG_DEFAULT;
}

class CusparseCsr final : public CudaCsrSpmmRun<std::int32_t> {
 public:
  CusparseCsr(const SpmmProblem& problem, const Params& params)
      : CudaCsrSpmmRun<std::int32_t>(problem, cusparse_matrix(problem)),
        columns_(params.text("layout") == "column"),
        analysed_(params.text("preprocess") == "yes"),
        empty_(problem.shape().stored == 0 || k() == 0),
        algorithm_(algorithm_named(params.text("alg"))),
        handle_(stream()) {
    if (empty_) {  // which the library takes for an error
      return;
    }
    if (columns_) {
      x_columns_ = DeviceBuffer<double>(problem.x().data.size(), stream());
      y_columns_ = DeviceBuffer<double>(static_cast<std::size_t>(rows() * k()), stream());
      transpose_dense(x(), cols(), k(), x_columns_.data(), stream());
    }
    const cusparseOrder_t order = columns_ ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
    a_ = describe_csr(a());
    x_ = describe_dense(columns_ ? x_columns_.data() : x(), cols(), k(), order);
    y_ = describe_dense(columns_ ? y_columns_.data() : y(), rows(), k(), order);
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseSpMM_bufferSize(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero,
                                           y_.get(), CUDA_R_64F, algorithm_, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, stream());
  }

  bool has_preprocess() const override { return analysed_; }
  void preprocess() override {
    if (analysed_ && !empty_) {
      CUSPARSE_CHECK(cusparseSpMM_preprocess(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero,
                                             y_.get(), CUDA_R_64F, algorithm_, buffer_.data()));
    }
  }
  void poison() override {
    CudaCsrSpmmRun::poison();
    y_columns_.fill_bytes(0xff, stream());
  }
  void execute() override {
    if (empty_) {
      write_zeros();
      return;
    }
    CUSPARSE_CHECK(cusparseSpMM(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero, y_.get(),
                                CUDA_R_64F, algorithm_, buffer_.data()));
  }
  void download() override {
    if (columns_ && !empty_) {
      transpose_dense(y_columns_.data(), k(), rows(), y(), stream());
    }
    CudaCsrSpmmRun::download();
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 private:
  static constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr double one = 1.0;
  static constexpr double zero = 0.0;

  bool columns_, analysed_, empty_;
  cusparseSpMMAlg_t algorithm_;
  CusparseHandle handle_;
  DeviceBuffer<double> x_columns_, y_columns_;  // X and Y in columns
  CusparseDescriptor<const cusparseSpMatDescr> a_;
  CusparseDescriptor<cusparseDnMatDescr> x_, y_;
  DeviceBuffer<char> buffer_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_csr() {
#ifdef SPARSEREPRO_HAS_CUDA
  const std::string version = " " + cusparse_version();
#else
  const std::string version;
#endif
  return {.name = "cusparse_csr",
          .summary = "cuSPARSE's product of a CSR matrix and a dense one",
          .source = "cuSPARSE" + version + ", cusparseSpMM",
          .backend = Backend::cuda,
          .peer = true,
          .parameters =
              {{"alg", "default", {"default", "alg1", "alg2", "alg3"}, "algorithm of the library"},
               {"layout", "row", {"row", "column"}, "X and Y in rows or in columns"},
               {"preprocess", "no", {"no", "yes"}, "with the library's analysis of A"}},
          .unavailable = [] { return cuda_unavailable(); },
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
