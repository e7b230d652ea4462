// The public plan on a device (include/sparserepro/device/transpose_plan.hpp). The analysis
// transposes the numbers 0, 1, ... as values: what becomes of them is the permutation.
#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "transpose/cuda_plan/analysis.cuh"
#include "transpose/cuda_plan/gather.cuh"
#include "transpose/cuda_plan/local.cuh"
#include "transpose/cuda_plan/move.cuh"

namespace sparserepro::device {

class TransposePlan::Method {
 public:
  Method(const CsrInput& a, PlanPath path)
      : shape_(numbered(a)),
        width_(a.values.type == DataType::none ? 8 : bytes_of(a.values.type)),
        tile_(static_cast<unsigned>(plan_tile(a.nnz, width_, device_limits().multiprocessors))),
        tiles_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz, tile_))),
        local_tile_(static_cast<unsigned>(plan_local_tile(width_))),
        local_tiles_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz, local_tile_))),
        stretch_(std::min(static_cast<unsigned>(a.nnz), ValuePlanPolicy::stretch)),
        samples_(std::min(ceil_div(static_cast<unsigned>(a.nnz), ValuePlanPolicy::stretch),
                          ValuePlanPolicy::samples)),
        most_window_(path == PlanPath::automatic ? static_cast<unsigned>(plan_window(width_)) : 0U),
        most_sectors_(path == PlanPath::gather ? ~0U
                      : path == PlanPath::automatic && a.nnz >= ValuePlanPolicy::least_gather
                          ? samples_ * stretch_ * ValuePlanPolicy::sector_percent / 100
                          : 0U),
        transposer_(shape_) {
    DeviceMemory plan, analysis;
    place(plan);
    plan_bytes_ = plan.bytes();
    scratch(analysis);
    analysis_bytes_ = analysis.bytes();
    allow_all_shared(value_plan::count_kernel);
    allow_all_shared(value_plan::place_kernel);
    with_type([&](auto value) {
      using Value = decltype(value);
      allow_all_shared(value_plan::split_kernel<Value, 16>);
      allow_all_shared(value_plan::split_kernel<Value, 32>);
      allow_all_shared(value_plan::order_kernel<Value>);
      allow_all_shared(value_plan::local_kernel<Value>);
    });
  }

  std::size_t plan_bytes() const { return plan_bytes_; }
  std::size_t analysis_bytes() const { return analysis_bytes_; }
  std::size_t call_bytes() const { return static_cast<std::size_t>(shape_.nnz) * width_; }
  /// As for the transposition of the numbers of the entries.
  const CsrInput& shape() const { return shape_; }

  void analyse(const CsrInput& a, const CsrOutput& transposed, unsigned* permutation,
               DeviceMemory plan, DeviceMemory workspace, cudaStream_t stream) {
    analysed_ = false;  // nor is it after an exception
    place(plan);
    queue_analysis(a, transposed, permutation, scratch(workspace), stream);
    analysed_ = true;
  }

  void move(const void* values, void* transposed, void* between, cudaStream_t stream) const {
    if (!analysed_) {
      throw InputError("no plan: call analyse before the first values");
    }
    if (shape_.nnz == 0) {
      return;
    }
    with_type([&](auto value) {
      using Value = decltype(value);
      const auto nnz = static_cast<unsigned>(shape_.nnz);
      const value_plan::Move<Value> split{static_cast<const Value*>(values),
                                          static_cast<Value*>(between),
                                          to_run(),
                                          runs_.data(),
                                          nnz,
                                          tile_,
                                          tiles_,
                                          way()};
      value_plan::Move<Value> order = split;
      order.from = static_cast<const Value*>(between);
      order.to = static_cast<Value*>(transposed);
      order.places = to_entry();
      const bool long_runs = tile_ >= ValuePlanPolicy::long_run * tiles_;
      constexpr unsigned threads = ValuePlanPolicy::threads;
      // One of the ways that are left: the kernels of the others end at once.
      const auto resident = static_cast<unsigned>(2 * device_limits().multiprocessors);
      value_plan::local_kernel<Value>
          <<<std::min(local_tiles_, resident), threads, window_bytes(), stream>>>(
              static_cast<const Value*>(values), static_cast<Value*>(transposed), nnz, windows());
      CUDA_CHECK_LAUNCH();
      if (may_gather()) {
        queue_kernel(Begins::early, value_plan::gather_kernel<Value>,
                     std::min(ceil_div(nnz, ValuePlanPolicy::stretch), resident), threads, stream,
                     {split.from, order.to, kept(), nnz, way()});
      }
      queue_kernel(
          Begins::early,
          long_runs ? value_plan::split_kernel<Value, 32> : value_plan::split_kernel<Value, 16>,
          tiles_, threads, stream, split, tile_bytes());
      queue_kernel(Begins::early, value_plan::order_kernel<Value>, tiles_, threads, stream, order,
                   tile_bytes());
    });
  }

 private:
  struct Scratch {
    DeviceArray<unsigned> numbers, source;
    DeviceArray<std::uint16_t> starts;
    DeviceArray<char> transposer;
  };

  void queue_analysis(const CsrInput& a, const CsrOutput& transposed, unsigned* permutation,
                      const Scratch& room, cudaStream_t stream) {
    unsigned* const source = permutation != nullptr ? permutation : room.source.data();
    const auto nnz = static_cast<unsigned>(shape_.nnz);
    transposer_.bind(room.transposer.data(), room.transposer.size(), stream);
    CsrInput numbers = a;
    numbers.values = {room.numbers.data(), DataType::int32};
    CsrOutput sorted = transposed;
    sorted.values = {source, DataType::int32};
    if (nnz > 0) {
      value_plan::iota_kernel<<<std::min(ceil_div(nnz, 1024U), 4096U), 256, 0, stream>>>(
          room.numbers.data(), nnz);
      CUDA_CHECK_LAUNCH();
    }
    transposer_(numbers, sorted, stream);
    if (nnz == 0) {
      return;
    }
    way_.fill_bytes(0, stream);
    if (may_gather()) {
      value_plan::sector_kernel<<<samples_, ValuePlanPolicy::threads, 0, stream>>>(
          source, nnz, stretch_, ValuePlanPolicy::sector_bytes / static_cast<unsigned>(width_),
          way().sectors);
      CUDA_CHECK_LAUNCH();
    }
    constexpr int window_threads = value_plan::window_threads;
    value_plan::window_kernel<<<local_tiles_, window_threads, 0, stream>>>(source, nnz, windows());
    CUDA_CHECK_LAUNCH();
    value_plan::pick_kernel<<<local_tiles_, window_threads, 0, stream>>>(source, nnz, windows());
    CUDA_CHECK_LAUNCH();
    if (may_gather()) {
      value_plan::keep_kernel<<<std::min(ceil_div(nnz, 1024U), 4096U), 256, 0, stream>>>(
          source, nnz, kept(), way());
      CUDA_CHECK_LAUNCH();
    }
    const value_plan::Analysis in{.source = source,
                                  .nnz = nnz,
                                  .tile = tile_,
                                  .tiles = tiles_,
                                  .starts = room.starts.data(),
                                  .runs = runs_.data(),
                                  .to_run = to_run(),
                                  .to_entry = to_entry(),
                                  .way = way()};
    constexpr int threads = value_plan::analysis_threads;
    value_plan::count_kernel<<<tiles_, threads, counters_bytes(), stream>>>(in);
    CUDA_CHECK_LAUNCH();
    value_plan::scan_kernel<<<ceil_div(tiles_, 32U), dim3(32, 32), 0, stream>>>(in);
    CUDA_CHECK_LAUNCH();
    value_plan::place_kernel<<<tiles_, threads, counters_bytes(), stream>>>(in);
    CUDA_CHECK_LAUNCH();
  }

  /// `a` with 4 bytes of values.
  static CsrInput numbered(CsrInput a) {
    a.values = {nullptr, DataType::int32};
    return a;
  }
  template <class Call>
  void with_type(const Call& call) const {
    width_ == 2   ? call(std::uint16_t{})
    : width_ == 4 ? call(std::uint32_t{})
                  : call(std::uint64_t{});
  }
  std::size_t tile_bytes() const { return tile_ * width_; }
  std::size_t window_bytes() const {
    return static_cast<std::size_t>(plan_window(width_)) * width_;
  }
  value_plan::Way way() const {
    return {way_.data(), most_window_, way_.data() + 1, most_sectors_};
  }
  bool may_gather() const { return most_sectors_ > 0; }
  std::uint16_t* to_run() const { return places_.data(); }
  std::uint16_t* to_entry() const { return places_.data() + places_.size() / 2; }
  /// The permutation for the gather, in place of both.
  unsigned* kept() const { return reinterpret_cast<unsigned*>(places_.data()); }
  /// The places for one pass lie where those of the second of two would.
  value_plan::Windows windows() const {
    return {local_tile_, local_tiles_, begins_.data(), to_entry(), way()};
  }
  std::size_t counters_bytes() const { return tiles_ * sizeof(unsigned); }

  void place(DeviceMemory& memory) {
    const auto nnz = static_cast<std::size_t>(shape_.nnz);
    places_ = DeviceArray<std::uint16_t>(2 * ceil_div(nnz, std::size_t{128}) * 128, memory);
    runs_ = DeviceArray<unsigned>(std::size_t{tiles_} * tiles_, memory);
    begins_ = DeviceArray<unsigned>(std::size_t{local_tiles_}, memory);
    way_ = DeviceArray<unsigned>(std::size_t{2}, memory);
  }
  Scratch scratch(DeviceMemory& memory) const {
    const auto nnz = static_cast<std::size_t>(shape_.nnz);
    Scratch room;
    room.numbers = DeviceArray<unsigned>(nnz, memory);
    room.source = DeviceArray<unsigned>(nnz, memory);
    room.starts = DeviceArray<std::uint16_t>(std::size_t{tiles_} * tiles_, memory);
    room.transposer = DeviceArray<char>(transposer_.workspace_bytes(), memory);
    return room;
  }

  CsrInput shape_;
  std::size_t width_;                  // of a value
  unsigned tile_, tiles_;              // of A and of A^T
  unsigned local_tile_, local_tiles_;  // of A^T, for one pass
  unsigned stretch_, samples_;         // of A^T, for the choice of the gather
  unsigned most_window_, most_sectors_;
  Transposer transposer_;
  std::size_t plan_bytes_ = 0, analysis_bytes_ = 0;
  bool analysed_ = false;
  DeviceArray<std::uint16_t> places_;   // to_run and to_entry, [nnz] each and aligned
  DeviceArray<unsigned> runs_;          // [tiles_][tiles_]
  DeviceArray<unsigned> begins_, way_;  // [local_tiles_], [2] widest window, sectors
};

TransposePlan::TransposePlan(const CsrInput& a, const TransposePlanOptions& options) {
  check_range("nnz of a plan", a.nnz, ValuePlanPolicy::most_entries);
  method_ = std::make_unique<Method>(a, options.path);
}

TransposePlan::~TransposePlan() = default;
TransposePlan::TransposePlan(TransposePlan&&) noexcept = default;
TransposePlan& TransposePlan::operator=(TransposePlan&&) noexcept = default;

std::size_t TransposePlan::plan_bytes() const {
  return method_->plan_bytes();
}
std::size_t TransposePlan::analysis_bytes() const {
  return method_->analysis_bytes();
}
std::size_t TransposePlan::call_bytes() const {
  return method_->call_bytes();
}

void TransposePlan::analyse(const CsrInput& a, const CsrOutput& transposed,
                            const Array& permutation, void* plan, std::size_t plan_size,
                            void* workspace, std::size_t workspace_size, Stream stream) {
  CsrInput pattern = a;
  pattern.values = method_->shape().values;
  check_same_shape(method_->shape(), pattern);
  if (permutation.type != DataType::none && permutation.type != DataType::int32) {
    throw InputError(std::string("permutation is of ") + to_string(permutation.type) +
                     "; it must be of int32");
  }
  check_aligned("the permutation", permutation.data);
  check_apart(
      place_of("permutation", permutation.data, permutation.type, a.nnz), pattern_of(a),
      {place_of("row_ptr of the answer", transposed.row_ptr.data, transposed.row_ptr.type,
                a.cols + 1),
       place_of("col_idx of the answer", transposed.col_idx.data, transposed.col_idx.type, a.nnz)});
  method_->analyse(pattern, transposed, static_cast<unsigned*>(permutation.data),
                   device_workspace(plan, plan_size, method_->plan_bytes()),
                   device_workspace(workspace, workspace_size, method_->analysis_bytes()), stream);
}

void TransposePlan::operator()(const ConstArray& values, const Array& transposed, void* workspace,
                               std::size_t bytes, Stream stream) const {
  const std::size_t nnz = static_cast<std::size_t>(method_->shape().nnz);
  const std::size_t width = nnz == 0 ? 0 : method_->call_bytes() / nnz;
  if (nnz > 0 && (bytes_of(values.type) != width || bytes_of(transposed.type) != width)) {
    throw InputError("values are of " + std::string(to_string(values.type)) + " and " +
                     to_string(transposed.type) + "; the plan is for " + std::to_string(width) +
                     " bytes a value");
  }
  check_present("values", values.data, static_cast<std::int64_t>(nnz));
  check_present("values of the answer", transposed.data, static_cast<std::int64_t>(nnz));
  check_aligned("values", values.data, transposed.data);
  check_apart(
      place_of("values of the answer", transposed.data, transposed.type, method_->shape().nnz),
      {place_of("values of A", values.data, values.type, method_->shape().nnz)});
  static_cast<void>(device_workspace(workspace, bytes, method_->call_bytes()));
  method_->move(values.data, transposed.data, workspace, stream);
}

}  // namespace sparserepro::device
