// Transposition by partition: tiles of entries are sorted by bucket of consecutive columns, stably
// and in place; then each bucket, gathered from the tiles, is sorted by column in shared memory.
//
//   bytes an entry = (4 + V) + 2 (4 + V) + (4 + V), V bytes a value; the least is half of that
//
// README.md has the layout, the paths and their thresholds, the kernels and their invariants.
#include <type_traits>
#include <variant>

#include "cuda/device_info.hpp"
#include "sparserepro/device/transpose.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_partition/limits.hpp"
#include "transpose/tile_parameter.hpp"

namespace sparserepro {
namespace {

partition::Options options_of(const Params& params) {
  using partition::Path, partition::TileSize;
  const std::string &path = params.text("path"), &tile = params.text("tile");
  return {.path = path == "one_level"   ? Path::one_level
                  : path == "team"      ? Path::team
                  : path == "symmetric" ? Path::symmetric
                                        : Path::automatic,
          .tile = tile == "small"   ? TileSize::small
                  : tile == "large" ? TileSize::large
                                    : TileSize::automatic,
          .vote = params.text("ranks") == "vote",
          .programmatic = params.text("launches") == "programmatic"};
}

}  // namespace
}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaPartition final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaPartition(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        transposer_(public_view(this->a()), options_of(params)),
        workspace_(transposer_.workspace_bytes(), this->stream()) {
    transposer_.bind(workspace_.data(), workspace_.size(), this->stream());
  }

  void execute() override { transposer_(public_view(this->a()), this->out(), this->stream()); }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(workspace_.bytes());
  }
  Measures measures() const override { return transposer_.facts(this->stream()); }

 private:
  device::Transposer transposer_;
  DeviceBuffer<char> workspace_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cuda_partition() {
  return {.name = "cuda_partition",
          .summary =
              "split into buckets of columns, and counting sort of each in shared memory; narrow "
              "bands in one pass, few entries by digits in one kernel",
          .source = "own",
          .backend = Backend::cuda,
          .parameters =
              {tile_parameter(),
               {"ranks",
                "addition",
                {"addition", "vote"},
                "how entries are ranked; addition: by atomic additions in shared memory, whose "
                "order is checked afterwards; vote: by votes within a warp, which keep the order"},
               {"path",
                "auto",
                {"auto", "one_level", "team", "symmetric"},
                "one_level: one split into buckets of columns; team: one kernel sorts by digits, "
                "for few entries; auto: either, or one pass for a narrow band; symmetric: the "
                "caller says that the pattern is symmetric, values are fetched from their mirror "
                "entries, and sorted if it is not"},
               {"launches",
                "programmatic",
                {"programmatic", "plain"},
                "programmatic: a kernel may launch before the previous one ends, from compute "
                "capability 9.0 on; plain: it waits"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            const std::size_t bytes = std::visit(
                [](const auto& a) {
                  return value_bytes<typename std::decay_t<decltype(a)>::value_type>;
                },
                problem.matrix());
            return gpu_info() ? partition::limit_refusal(
                                    problem.shape().rows, problem.shape().cols,
                                    problem.shape().stored, bytes, options_of(params),
                                    gpu_info()->multiprocessors, gpu_info()->shared_bytes_per_block)
                              : "";
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_transpose<CudaPartition>
#endif
  };
}

}  // namespace sparserepro
