// Rows divided by length: one thread computes an element of Y in a row of fewer than `threshold`
// entries, a sub-warp of two threads an element in a longer row. Preprocessing lists the elements
// (row, column) on the host, short rows first; the number of a thread or sub-warp indexes the list.
// Source: repository of the SpMM seed, last version, CSR_Adaptive_personalizzato, threshold 53. The
// seed lists one element a thread; here the two threads of a sub-warp share one.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_sub_warp.cuh"

namespace sparserepro {
namespace {

/// One thread computes an item of [0, short_items), a pair of threads one of [short_items, items).
/// The pairs begin at a new warp. Dynamic shared memory: one double a thread.
template <class Offset>
__global__ void __launch_bounds__(1024)
    threshold_kernel(CsrRows<Offset> a, const SpmmItem* list, std::int64_t short_items,
                     std::int64_t items, RowMajorX x, double* y) {
  extern __shared__ double partial[];
  const std::int64_t t = global_thread();
  const std::int64_t first_pair = (short_items + 31) / 32 * 32;
  if (t < first_pair) {  // the whole warp
    if (t < short_items) {
      const SpmmItem at = list[t];
      PreloadedEnds::element(a, {at.row, at.col}, x, y + at.row * x.k + at.col);
    }
    return;
  }
  const std::int64_t item = short_items + (t - first_pair) / 2;
  const int lane = static_cast<int>(threadIdx.x) % 2;
  SpmmItem at{};
  double partial_sum = 0.0;
  if (item < items) {
    at = list[item];
    const Offset end = a.end(at.row);
    for (Offset p = a.begin(at.row) + lane; p < end; p += 2) {
      partial_sum += a.values[p] * x(a.col_idx[p], at.col);
    }
  }
  const double sum = sub_warp_sum<2>(partial_sum, partial);
  if (item < items && lane == 0) {
    y[at.row * x.k + at.col] = sum;
  }
}

template <class Offset>
class CsrThreshold final : public CudaCsrSpmmRun<Offset> {
 public:
  CsrThreshold(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaCsrSpmmRun<Offset>(problem, a),
        host_(a),
        block_size_(static_cast<int>(params.integer("block_size"))),
        threshold_(params.integer("threshold")),
        list_(static_cast<std::size_t>(this->rows() * this->k()), this->stream()) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    const SpmmItems items = items_by_row_length(host_, this->k(), threshold_);
    short_items_ = items.short_items;
    list_.copy_from(items.list.data(), this->stream());
    this->synchronize();  // `items` must outlive the copy
  }
  void execute() override {
    const auto items = static_cast<std::int64_t>(list_.size());
    const std::int64_t threads =
        ceil_div(short_items_, std::int64_t{32}) * 32 + 2 * (items - short_items_);
    if (items == 0) {
      return;
    }
    const auto blocks = static_cast<unsigned>(ceil_div(threads, std::int64_t{block_size_}));
    threshold_kernel<<<blocks, block_size_, block_size_ * sizeof(double), this->stream()>>>(
        rows_of(this->a()), list_.data(), short_items_, items, RowMajorX{this->x(), this->k()},
        this->y());
    CUDA_CHECK_LAUNCH();
  }
  std::int64_t workspace_bytes() const override { return static_cast<std::int64_t>(list_.bytes()); }

 private:
  const Csr<Offset, double>& host_;
  int block_size_;
  std::int64_t threshold_;
  std::int64_t short_items_ = 0;
  DeviceBuffer<SpmmItem> list_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_threshold() {
  return {.name = "cuda_csr_threshold",
          .summary = "a thread or a pair of threads an element, by the row's length",
          .source = "repository of the SpMM seed, CSR_Adaptive_personalizzato",
          .backend = Backend::cuda,
          .parameters =
              {spmm_block_size(),
               {"threshold", std::int64_t{53}, {}, "row length from which two threads sum a row"}},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrThreshold>
#endif
  };
}

}  // namespace sparserepro
