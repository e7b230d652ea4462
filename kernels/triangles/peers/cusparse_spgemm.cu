// Triangles T by cuSPARSE's product of sparse matrices, whose result is masked:
//
//   form   T =                    products
//   AA_A   sum((A A) o A) / 6     sum over j of d(j)^2
//   AA_L   sum((A A) o L) / 3     the same
//   LL_L   sum((L L) o L)         sum over (i, j) in L of the length of row j of L
//
// Source: Algorithms 1, 2 and 3 of the triangle seed and their program. Corrected: the divisor of
// LL_L is 1, not 2; the sum is a 64-bit integer, where the program adds floats, whose sum cannot
// exceed 2^24. The library no longer has the seed's csrgemm2 and its formats. Its generic
// interface, used here, has no mask and takes values, here ones in fp32, and 32-bit row pointers.
//
// The full product of a large graph exceeds the memory of a device. The left factor X is therefore
// divided into blocks of rows with at most `most_products` products each; if library or device lack
// memory, the limit is halved. The product of a block is masked and added before the next is
// computed. preprocess() extracts L and counts the products before each row.
#include "cuda/peers/cusparse_version.hpp"
#include "triangles/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_scan.cuh>

#include "triangles/cuda_run.cuh"
#include "triangles/peers/cusparse_spgemm_call.hpp"
#include "triangles/peers/cusparse_spgemm_kernels.cuh"

namespace sparserepro {
namespace {

using spgemm::Operand;
using spgemm::RowBlock;

/// First limit of the products of a block. The library counts products with 32 bits.
constexpr std::int64_t most_products = std::int64_t{1} << 29;

cusparseSpGEMMAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPGEMM_ALG1
         : name == "alg2" ? CUSPARSE_SPGEMM_ALG2
                          : CUSPARSE_SPGEMM_ALG3;
}

class CusparseSpgemm final : public CudaTrianglesRun<std::int32_t> {
 public:
  CusparseSpgemm(const TrianglesProblem& problem, const Params& params)
      : CudaTrianglesRun(problem, params.text("form") == "AA_A"   ? 6
                                  : params.text("form") == "AA_L" ? 3
                                                                  : 1),
        of_lower_(params.text("form") == "LL_L"),
        masked_by_lower_(params.text("form") != "AA_A"),
        multiply_(stream(), algorithm_named(params.text("alg"))),
        before_(pointers(), stream()),
        block_(std::size_t{1}, stream()) {
    if (of_lower_) {
      lower_row_ptr_ = DeviceBuffer<std::int32_t>(pointers(), stream());
      lower_col_idx_ =
          DeviceBuffer<index_t>(static_cast<std::size_t>(problem.graph().edges()), stream());
    }
    ones_ = DeviceBuffer<float>(static_cast<std::size_t>(operand().nnz), stream());
    std::size_t bytes = 0, of_lower_bytes = 0;
    scan(before_, nullptr, bytes);
    scan(lower_row_ptr_, nullptr, of_lower_bytes);
    scan_storage_ = DeviceBuffer<char>(std::max(bytes, of_lower_bytes), stream());
  }

  bool has_preprocess() const override { return true; }

  void preprocess() override {
    using namespace spgemm;
    const auto a = graph();
    const std::int64_t rows = a.vertices;
    std::size_t bytes = scan_storage_.bytes();
    if (of_lower_) {
      lower_lengths<<<blocks_for(rows + 1), threads, 0, stream()>>>(a, lower_row_ptr_.data());
      CUDA_CHECK_LAUNCH();
      scan(lower_row_ptr_, scan_storage_.data(), bytes);
      copy_lower<<<blocks_for(32 * (rows + 1)), threads, 0, stream()>>>(a, lower_row_ptr_.data(),
                                                                        lower_col_idx_.data());
      CUDA_CHECK_LAUNCH();
    }
    const Operand x = operand();
    fill_ones<<<blocks_for(std::int64_t{x.nnz} + 1), threads, 0, stream()>>>(ones_.data(), x.nnz);
    CUDA_CHECK_LAUNCH();
    count_products<<<blocks_for(32 * (rows + 1)), threads, 0, stream()>>>(x, x.row_ptr,
                                                                          before_.data());
    CUDA_CHECK_LAUNCH();
    scan(before_, scan_storage_.data(), bytes);
  }

  void execute() override {
    clear_sum();
    products_ = blocks_ = 0;
    const Operand x = operand();
    for (index_t first = 0; first < x.rows;) {
      const RowBlock block = next_block(x, first);
      if (block.products > 0) {
        if (!multiply_(rows_of(x, first, block), x, ones_.data())) {
          halve(block, first);
          continue;
        }
        const auto& c = multiply_.product();
        const std::int64_t warps = ceil_div(c.nnz, spgemm::entries_per_warp);
        spgemm::add_masked<<<blocks_for(32 * warps), spgemm::threads, 0, stream()>>>(
            c, graph(), first, masked_by_lower_, sum());
        CUDA_CHECK_LAUNCH();
        ++blocks_;
        products_ += block.products;
      }
      first = block.last;
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(
        multiply_.bytes() + lower_row_ptr_.bytes() + lower_col_idx_.bytes() + ones_.bytes() +
        before_.bytes() + scan_storage_.bytes() + block_row_ptr_.bytes() + block_col_idx_.bytes());
  }

  Measures measures() const override {
    Measures all = CudaTrianglesRun::measures();
    all.emplace_back("spgemm_products", static_cast<double>(products_));
    all.emplace_back("spgemm_blocks", static_cast<double>(blocks_));
    all.emplace_back("spgemm_peak_bytes", static_cast<double>(workspace_bytes()));
    return all;
  }

 private:
  std::size_t pointers() const { return static_cast<std::size_t>(graph().vertices) + 1; }
  static unsigned blocks_for(std::int64_t threads) {
    return static_cast<unsigned>(ceil_div<std::int64_t>(threads, spgemm::threads));
  }

  /// The matrix that is both factors, X and Y: A or L.
  Operand operand() const {
    const auto a = graph();
    if (of_lower_) {
      return {a.vertices, a.vertices, a.stored / 2, lower_row_ptr_.data(), lower_col_idx_.data()};
    }
    return {a.vertices, a.vertices, a.stored, a.row_ptr, a.col_idx};
  }

  /// Exclusive scan in place; with null `storage`, sets `bytes` to the size of the storage.
  template <class T>
  void scan(DeviceBuffer<T>& numbers, void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, numbers.data(), numbers.data(),
                                             static_cast<std::int64_t>(numbers.size()), stream()));
  }

  RowBlock next_block(const Operand& x, index_t first) {
    spgemm::find_block<<<1, 1, 0, stream()>>>(x, before_.data(), first, budget_, block_.data());
    CUDA_CHECK_LAUNCH();
    RowBlock block;
    block_.copy_to(&block, stream());
    synchronize();
    return block;
  }

  /// Rows [first, block.last) as a matrix, copied since the library requires aligned arrays.
  Operand rows_of(const Operand& x, index_t first, const RowBlock& block) {
    const index_t rows = block.last - first;
    if (rows == x.rows) {
      return x;
    }
    const std::int64_t pointers = std::int64_t{rows} + 1;
    const auto entries = static_cast<std::size_t>(block.end - block.begin);
    if (block_row_ptr_.size() < static_cast<std::size_t>(pointers)) {
      block_row_ptr_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(pointers), stream());
    }
    if (block_col_idx_.size() < entries) {
      block_col_idx_ = DeviceBuffer<index_t>(entries, stream());
    }
    spgemm::rebase<<<blocks_for(pointers), spgemm::threads, 0, stream()>>>(
        x.row_ptr + first, pointers, block_row_ptr_.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(block_col_idx_.data(), x.col_idx + block.begin,
                               entries * sizeof(index_t), cudaMemcpyDeviceToDevice, stream()));
    return {rows, x.cols, block.end - block.begin, block_row_ptr_.data(), block_col_idx_.data()};
  }

  /// Halves the limit of products after a block has lacked memory. Throws CudaError if the block
  /// has one row.
  void halve(const RowBlock& block, index_t first) {
    if (block.last - first == 1) {
      throw CudaError("cuSPARSE lacks memory for row " + std::to_string(first) + " with " +
                      std::to_string(block.products) + " products");
    }
    budget_ = std::max<std::int64_t>(std::min(budget_, block.products) / 2, 1);
  }

  bool of_lower_, masked_by_lower_;
  std::int64_t budget_ = most_products;
  std::int64_t products_ = 0, blocks_ = 0;  // of the last execution
  spgemm::Multiplication multiply_;
  DeviceBuffer<std::int32_t> lower_row_ptr_;
  DeviceBuffer<index_t> lower_col_idx_;
  DeviceBuffer<float> ones_;
  DeviceBuffer<std::int64_t> before_;  // [vertices+1] products before each row
  DeviceBuffer<char> scan_storage_;
  DeviceBuffer<RowBlock> block_;
  DeviceBuffer<std::int32_t> block_row_ptr_;
  DeviceBuffer<index_t> block_col_idx_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_cusparse_spgemm() {
  return {
      .name = "cusparse_spgemm",
      .summary = "cuSPARSE's product in blocks of rows, masked afterwards",
      .source = cusparse_title() + ", cusparseSpGEMM; triangle seed, Algorithms 1 to 3 (corrected)",
      .backend = Backend::cuda,
      .peer = true,
      .parameters =
          {{"form",
            "LL_L",
            {"AA_A", "AA_L", "LL_L"},
            "AA_A: A A masked by A; AA_L: A A masked by L; LL_L: L L masked by L; L is the "
            "lower triangle of A"},
           {"alg", "alg1", {"alg1", "alg2", "alg3"}, "algorithm that the library uses"}},
      .unavailable = [] { return cusparse_unavailable(); },
      .refusal = [](const TrianglesProblem& problem, const Params&) -> std::string {
        if (problem.graph().stored() > problem.most_narrow_entries()) {
          return "cuSPARSE's SpGEMM takes 32-bit row pointers only";
        }
        if (problem.max_degree() > std::int64_t{1} << 24) {
          return "fp32 counts common neighbours up to 2^24 exactly; a vertex has " +
                 std::to_string(problem.max_degree());
        }
        return "";
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = make_run<CusparseSpgemm, TrianglesProblem>
#endif
  };
}

}  // namespace sparserepro
