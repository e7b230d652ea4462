// The public product on a device in every type, operation, layout and with scalars, against exact
// answers, in workspaces of exactly the size asked for; new values; the same bits in every run.
// Without CUDA the functions are not in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/guarded.hpp"
#include "support/product_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

using Pattern64 = Csr<std::int64_t, double>;
using device::SpmmPath;

/// A pattern on the device with pointers and columns of these types.
template <class Offset, class Index>
class OnDevice {
 public:
  OnDevice(const Pattern64& a, cudaStream_t stream)
      : rows_(a.rows),
        cols_(a.cols),
        row_ptr_(Buffer<Offset>(a.row_ptr.begin(), a.row_ptr.end()), stream),
        col_idx_(Buffer<Index>(a.col_idx.begin(), a.col_idx.end()), stream) {}
  template <class Element>
  CsrInput with(const DeviceBuffer<Element>& values) const {
    return {rows_,           cols_,           static_cast<std::int64_t>(col_idx_.size()),
            row_ptr_.data(), col_idx_.data(), {values.data(), data_type_of<Element>()}};
  }

 private:
  std::int64_t rows_, cols_;
  DeviceBuffer<Offset> row_ptr_;
  DeviceBuffer<Index> col_idx_;
};

/// Memory that is freed stays with the process: a case allocates and frees thousands of times.
void keep_freed_memory() {
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  cudaMemPool_t pool{};
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
}

/// The integers of a product, and of one with other values.
struct Integers {
  Integers(const Pattern64& a, std::int64_t k, Operation operation)
      : first(a, k, operation), second(a, k, operation, 1) {}
  IntegerProduct first, second;
};

/// One product in a workspace of the size asked for.
template <class Element>
void check_product(const device::SpmmPlan& plan, const ExactProduct<Element>& wanted,
                   const DeviceBuffer<Element>& x, const ProductForm& form, cudaStream_t s) {
  DeviceBuffer<Element> y(wanted.y, s);
  const DenseInput x_view = wanted.x_at(x.data());
  const DenseOutput y_view = wanted.y_at(y.data());
  Guarded workspace(plan.product_bytes(x_view, y_view), s);
  plan(form.alpha, x_view, form.beta, y_view, workspace.data(), workspace.size(), s);
  std::vector<Element> got(wanted.y.size());
  y.copy_to(got.data(), s);
  CHECK(workspace.intact(s));
  CHECK(wanted.is_right(got.data()));
}

/// A plan for each path, which gives the products of all forms, and those with other values. The
/// forms have the operation of the integers.
template <class Element, class Offset, class Index>
void check_forms(const Pattern64& a, const Integers& integers,
                 const std::vector<ProductForm>& forms,
                 const std::vector<SpmmPath>& paths = {SpmmPath::automatic}) {
  const Stream stream;
  const cudaStream_t s = stream.get();
  const std::int64_t k = integers.first.k;
  const Operation operation = integers.first.operation;
  const OnDevice<Offset, Index> pattern(a, s);
  std::vector<ExactProduct<Element>> wanted, others;
  std::vector<DeviceBuffer<Element>> x;
  for (const ProductForm& form : forms) {
    wanted.emplace_back(integers.first, form);
    others.emplace_back(integers.second, form);
    x.emplace_back(wanted.back().x, s);
  }
  const DeviceBuffer<Element> values(wanted[0].values, s), other_values(others[0].values, s);
  for (const SpmmPath path : paths) {
    device::SpmmPlan plan(pattern.with(values), k, {.path = path, .operation = operation});
    Guarded analysis(plan.analysis_bytes(), s);
    plan.analyse(analysis.data(), analysis.size(), s);
    CAPTURE(to_string(data_type_of<Element>()), k, to_string(path), to_string(plan.path()));
    for (std::size_t f = 0; f < forms.size(); ++f) {
      CAPTURE(to_string(forms[f]));
      check_product(plan, wanted[f], x[f], forms[f], s);
    }
    plan.set_values({other_values.data(), data_type_of<Element>()}, s);
    for (std::size_t f = 0; f < forms.size(); ++f) {
      CAPTURE(to_string(forms[f]));
      check_product(plan, others[f], x[f], forms[f], s);
    }
    CHECK(analysis.intact(s));
  }
}

/// Every type with the paths that take K columns.
void check_paths(const Pattern64& a, std::int64_t k, Operation operation) {
  std::vector<SpmmPath> paths{SpmmPath::automatic, SpmmPath::natural, SpmmPath::binned,
                              SpmmPath::grouped,   SpmmPath::blocks,  SpmmPath::uncut,
                              SpmmPath::short_rows};
  if (order_refusal(SpmmPath::packed, 0, k).empty()) {  // all columns at once
    paths.insert(paths.end(), {SpmmPath::packed, SpmmPath::staged});
  }
  if (k == 1) {
    paths.push_back(SpmmPath::merged);
  }
  const Integers integers(a, k, operation);
  const ProductForm form{.operation = operation, .alpha = 2, .beta = 1};
  check_forms<double, std::int32_t, std::int32_t>(a, integers, {form}, paths);
  check_forms<float, std::int64_t, std::int32_t>(a, integers, {form}, paths);
  check_forms<Half, std::int32_t, std::int32_t>(a, integers, {form}, paths);
  check_forms<Bfloat, std::int32_t, std::int32_t>(a, integers, {form}, paths);
}

}  // namespace

TEST_CASE("public product on the device: every type, operation, layout and scalar",
          "[public][cuda][spmm]") {
  require_device();
  keep_freed_memory();
  for (const auto& [name, matrix, graph] : battery()) {
    CAPTURE(name);
    for (const Operation operation : {Operation::none, Operation::transpose}) {
      const std::vector<ProductForm> forms = product_forms(operation);
      for (const std::int64_t k : {1, 6, 8}) {
        const Integers integers(matrix.csr, k, operation);
        check_forms<double, std::int64_t, std::int32_t>(matrix.csr, integers, forms);
        check_forms<float, std::int32_t, std::int64_t>(matrix.csr, integers, forms);
        check_forms<Half, std::int32_t, std::int32_t>(matrix.csr, integers, forms);
        check_forms<Bfloat, std::int64_t, std::int64_t>(matrix.csr, integers, forms);
      }
    }
  }
}

TEST_CASE("public product on the device: every type and path on larger matrices",
          "[public][cuda][spmm]") {
  require_device();
  keep_freed_memory();
  for (const char* const spec :
       {"uniform:rows=9000,cols=8000,nnz=200000", "rmat:scale=13,edge_factor=16",
        "fem:nx=17,ny=16,nz=15,dofs=3", "star:leaves=20000", "mesh:width=150,height=140"}) {
    CAPTURE(spec);
    const Matrix matrix = generate(spec);
    for (const std::int64_t k : {1, 2, 7, 12, 33, 47, 55, 63, 64, 130}) {
      check_paths(matrix.csr, k, Operation::none);
      check_paths(matrix.csr, k, Operation::transpose);
    }
  }
}

TEST_CASE("public product on the device: every number of columns up to two blocks and beyond",
          "[public][cuda][spmm]") {
  require_device();
  keep_freed_memory();
  const auto a =
      generate("circuit:rows=400,per_row=5,spread=40,dense_rows=2,dense_cols=2,dense_length=300")
          .csr;
  for (std::int64_t k = 1; k <= 2 * std::int64_t{BalancedPolicy::near_block} + 9; ++k) {
    const Integers integers(a, k, Operation::none);
    const std::vector<ProductForm> forms{{.alpha = 2, .beta = 1}};
    check_forms<double, std::int32_t, std::int32_t>(a, integers, forms);
    check_forms<float, std::int32_t, std::int32_t>(a, integers, forms);
    check_forms<Half, std::int32_t, std::int32_t>(a, integers, forms);
    check_forms<Bfloat, std::int64_t, std::int32_t>(a, integers, forms);
  }
}

TEST_CASE("public product on the device: every path on small matrices",
          "[public][cuda][spmm][small]") {
  require_device();
  keep_freed_memory();
  // Rows in groups, and rows that are cut into segments.
  for (const char* const spec : {"fem:nx=3,ny=3,nz=2,dofs=3", "star:leaves=3000"}) {
    CAPTURE(spec);
    const Matrix matrix = generate(spec);
    check_paths(matrix.csr, 1, Operation::none);
    check_paths(matrix.csr, 7, Operation::none);
    check_paths(matrix.csr, 33, Operation::transpose);
    const ProductForm form{.x = DenseLayout::column_major, .y = DenseLayout::column_major};
    check_forms<double, std::int32_t, std::int64_t>(
        matrix.csr, Integers(matrix.csr, 6, Operation::none), {form});
    check_forms<double, std::int32_t, std::int32_t>(
        matrix.csr, Integers(matrix.csr, 1, Operation::none), {{}}, {SpmmPath::flat});
  }
}

TEST_CASE("public product on the device: path flat by A^T, in every type", "[public][cuda][spmm]") {
  require_device();
  const Matrix matrix = generate("rmat:scale=13,edge_factor=16");
  for (const Operation operation : {Operation::none, Operation::transpose}) {
    const ProductForm form{.operation = operation, .alpha = -1, .beta = 2};
    const Integers integers(matrix.csr, 1, operation);
    check_forms<double, std::int32_t, std::int32_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
    check_forms<float, std::int64_t, std::int32_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
  }
  for (const std::int64_t k : {2, 3, 6, 8, 20, 32}) {
    const ProductForm form{.alpha = -1, .beta = 2};
    const Integers integers(matrix.csr, k, Operation::none);
    check_forms<double, std::int64_t, std::int64_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
    check_forms<float, std::int32_t, std::int32_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
    check_forms<Half, std::int32_t, std::int32_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
    check_forms<Bfloat, std::int64_t, std::int32_t>(matrix.csr, integers, {form}, {SpmmPath::flat});
  }
}

namespace {

/// The same bits by several plans and products, and by columns; values are no integers.
template <class Element>
void check_bits(const Matrix& matrix, Operation operation) {
  const auto& a = matrix.csr;
  const std::int64_t k = 24;
  const bool none = operation == Operation::none;
  const std::int64_t rows = none ? a.rows : a.cols, cols = none ? a.cols : a.rows;
  const Stream stream;
  const cudaStream_t s = stream.get();
  const OnDevice<std::int32_t, std::int32_t> pattern(a, s);
  const auto fractions = [](std::int64_t count, std::uint64_t seed) {
    std::vector<Element> all(static_cast<std::size_t>(count));
    for (std::size_t e = 0; e < all.size(); ++e) {
      const auto mixed = static_cast<std::uint32_t>((e + seed) * 2654435761u);
      all[e] = element_of<Element>(static_cast<double>(mixed) * 0x1p-31 - 1);
    }
    return all;
  };
  const std::vector<Element> x_rows = fractions(cols * k, 3);
  std::vector<Element> x_columns(x_rows.size());
  copy_dense(x_rows.data(), {k, 1}, x_columns.data(), {1, cols}, cols, k, 1);
  const DeviceBuffer<Element> values(fractions(a.nnz(), 1), s), x(x_rows, s), xt(x_columns, s);
  constexpr DataType type = data_type_of<Element>();
  std::vector<Element> first;
  for (int run = 0; run < 4; ++run) {
    const bool by_columns = run % 2 == 1;
    device::SpmmPlan plan(pattern.with(values), k, {.operation = operation});
    DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
    plan.analyse(analysis.data(), analysis.size(), s);
    DeviceBuffer<Element> y(static_cast<std::size_t>(rows * k), s);
    const DenseLayout layout = by_columns ? DenseLayout::column_major : DenseLayout::row_major;
    const DenseInput in{
        cols, k, by_columns ? cols : k, {by_columns ? xt.data() : x.data(), type}, layout};
    const DenseOutput out{rows, k, by_columns ? rows : k, {y.data(), type}, layout};
    DeviceBuffer<char> workspace(plan.product_bytes(in, out), s);
    plan(1.0, in, 0.0, out, workspace.data(), workspace.size(), s);
    std::vector<Element> got(y.size()), got_rows(y.size());
    y.copy_to(got.data(), s);
    stream.synchronize();
    copy_dense(got.data(), by_columns ? Steps{1, rows} : Steps{k, 1}, got_rows.data(), {k, 1}, rows,
               k, 1);
    if (first.empty()) {
      first = got_rows;
    }
    CHECK(std::memcmp(first.data(), got_rows.data(), first.size() * sizeof(Element)) == 0);
  }
}

}  // namespace

TEST_CASE("public product on the device: the same bits in every run and layout",
          "[public][cuda][spmm]") {
  require_device();
  for (const char* const spec :
       {"uniform:rows=9000,cols=8000,nnz=200000", "rmat:scale=13,edge_factor=16",
        "fem:nx=17,ny=16,nz=15,dofs=3", "star:leaves=20000"}) {
    const Matrix matrix = generate(spec);
    for (const Operation operation : {Operation::none, Operation::transpose}) {
      CAPTURE(spec, to_string(operation));
      check_bits<double>(matrix, operation);
      check_bits<float>(matrix, operation);
      check_bits<Half>(matrix, operation);
      check_bits<Bfloat>(matrix, operation);
    }
  }
}

#endif
