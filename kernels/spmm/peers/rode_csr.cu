// RoDe's products (Pang et al., PPoPP'24) in fp64 and fp32, and the copy of Sputnik in fp64 that
// its repository has beside it.
//
// RoDe cuts rows into segments of at most 512 entries, whose whole groups of 32 one kernel takes
// and whose rests another, on two streams. Its lists of segments are made on the host, as in its
// own benchmarks: preprocessing. Events tie the second stream to the first in every execution, as
// whoever waits for the product must; with `streams` 1 both kernels go on the first. Both kernels
// add to Y by atomics, so that Y is set to zero first: part of the product, although the benchmarks
// of its authors leave it out and let Y grow.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/research_code.hpp"

#ifdef SPARSEREPRO_HAS_RODE

#include <cuda_runtime.h>
// RoDe's header names types of CUDA, and includes nothing.
#include <RoDeSpmm.h>
#include <Sputnik_spmm.h>

#include "spmm/peers/rows_by_length.cuh"

namespace sparserepro {
namespace {

/// An event that makes a stream wait for another one; neither copyable nor movable.
class StreamOrder {
 public:
  StreamOrder() { CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~StreamOrder() { cudaEventDestroy(event_); }
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// What `later` is given from now on begins when all that `earlier` has been given has ended.
  void order(cudaStream_t earlier, cudaStream_t later) {
    CUDA_CHECK(cudaEventRecord(event_, earlier));
    CUDA_CHECK(cudaStreamWaitEvent(later, event_));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Segments of rows as RoDe's kernels want them.
struct RodeSegments {
  std::vector<int> row, begin;  ///< of each segment; `begin` ends with the number of entries
  std::vector<int> rest_row;    ///< rows with entries beyond whole groups
};

/// Row i begins at row_ptr[i]; loads begin at multiples of four entries, and entries before the row
/// count to its first segment.
RodeSegments rode_segments(const Buffer<std::int32_t>& row_ptr) {
  constexpr int longest = 512, aligned = 4, group = 32;
  RodeSegments out;
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    const int row = static_cast<int>(i);
    int begin = row_ptr[i];
    int loads_from = begin - begin % aligned;
    const int end = row_ptr[i + 1];
    for (; end - loads_from > longest; begin = loads_from) {
      out.row.push_back(row);
      out.begin.push_back(begin);
      loads_from += longest;
    }
    if (end - loads_from >= group) {
      out.row.push_back(row);
      out.begin.push_back(begin);
    }
    if ((end - loads_from) % group != 0) {
      out.rest_row.push_back(row);
    }
  }
  out.begin.push_back(row_ptr.back());
  return out;
}

template <class Value>
class RodeCsr final : public CudaCsrSpmmRun<std::int32_t, Value> {
 public:
  RodeCsr(const SpmmProblem& problem, const Params& params)
      : CudaCsrSpmmRun<std::int32_t, Value>(problem,
                                            std::get<Csr<std::int32_t, double>>(problem.matrix())),
        row_ptr_(std::get<Csr<std::int32_t, double>>(problem.matrix()).row_ptr),
        wide_(params.text("kernel") == "n128"),
        one_stream_(params.integer("streams") == 1) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    const RodeSegments segments = rode_segments(row_ptr_);
    segments_ = static_cast<int>(segments.row.size());
    rests_ = static_cast<int>(segments.rest_row.size());
    row_ = DeviceBuffer<int>(segments.row, this->stream());
    begin_ = DeviceBuffer<int>(segments.begin, this->stream());
    rest_row_ = DeviceBuffer<int>(segments.rest_row, this->stream());
    this->synchronize();
  }
  void execute() override {
    const auto a = this->a();
    this->write_zeros();
    if (!one_stream_) {
      begun_.order(this->stream(), second_.get());
    }
    const auto multiply = [&](auto kernel) {
      kernel(segments_, rests_, a.cols, static_cast<int>(this->k()), a.values, a.col_idx, a.row_ptr,
             row_.data(), rest_row_.data(), begin_.data(), this->x(), this->y(), this->stream(),
             one_stream_ ? this->stream() : second_.get());
    };
    using Kernel =
        void (*)(int, int, int, int, const Value*, const int*, const int*, const int*, const int*,
                 const int*, const Value*, Value*, cudaStream_t, cudaStream_t);
    multiply(wide_ ? static_cast<Kernel>(RoDeSpmm_n128) : static_cast<Kernel>(RoDeSpmm_n32));
    // It launches a grid of no blocks where there are no segments or no rests, which is refused.
    const cudaError_t launched = cudaGetLastError();
    if (segments_ > 0 && rests_ > 0) {
      CUDA_CHECK(launched);
    }
    if (!one_stream_) {
      ended_.order(second_.get(), this->stream());
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(row_.bytes() + begin_.bytes() + rest_row_.bytes());
  }

 private:
  const Buffer<std::int32_t>& row_ptr_;
  bool wide_, one_stream_;
  int segments_ = 0, rests_ = 0;
  DeviceBuffer<int> row_, begin_, rest_row_;
  Stream second_;
  StreamOrder begun_, ended_;
};

/// Sputnik in fp64.
class RodeSputnik final : public RowsByLengthRun<double> {
 public:
  explicit RodeSputnik(const SpmmProblem& problem) : RowsByLengthRun(problem) {}

  void execute() override {
    const auto a = this->a();
    CUDA_CHECK(SPC::SputnikSpmm(a.rows, a.cols, static_cast<int>(k()), a.nnz, order(), a.values,
                                a.row_ptr, a.col_idx, x(), y(), stream()));
  }
};

std::unique_ptr<Run<SpmmProblem>> prepare_rode(const SpmmProblem& problem, const Params& params) {
  if (params.text("kernel") == "sputnik") {
    return std::make_unique<RodeSputnik>(problem);
  }
  if (problem.value_type() == DataType::fp32) {
    return std::make_unique<RodeCsr<float>>(problem, params);
  }
  return std::make_unique<RodeCsr<double>>(problem, params);
}

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_rode_csr() {
  return {.name = "rode_csr",
          .summary = "RoDe's product of blocks and rests of rows, or its copy of Sputnik in fp64",
          .source = rode_code.title() + ", RoDeSpmm_n32 and RoDeSpmm_n128, SputnikSpmm",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {{"kernel",
                          "n32",
                          {"n32", "n128", "sputnik"},
                          "RoDe's for 32 columns or for 64 at once, or Sputnik's"},
                         {"streams",
                          std::int64_t{2},
                          {std::int64_t{2}, std::int64_t{1}},
                          "for RoDe's two kernels"}},
          .unavailable = [] { return research_code_unavailable(rode_code); },
          .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
            const std::string& kernel = params.text("kernel");
            if (kernel == "n32" && problem.k() % 32 != 0) {
              return "kernel n32 takes multiples of 32 columns";
            }
            if (kernel == "n128" && problem.k() % 64 != 0) {
              return "kernel n128 takes multiples of 64 columns";
            }
            if (kernel == "sputnik" && problem.value_type() == DataType::fp32) {
              return "sputnik_csr has Sputnik in fp32";
            }
            if (kernel == "sputnik" && params.integer("streams") == 1) {
              return "Sputnik's product is one kernel: it has no second stream";
            }
            return research_code_refusal(problem, "RoDe", true);
          },
#ifdef SPARSEREPRO_HAS_RODE
          .prepare = prepare_rode
#endif
  };
}

}  // namespace sparserepro
