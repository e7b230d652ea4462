// sparserepro._host: the public functions on the host, on arrays of the caller. The functions in
// sparserepro/kernels/ allocate the answers and say what the arguments are.
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <stdexcept>

#include "arrays.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"

namespace sparserepro::python::host_module {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

void transpose(const Input& row_ptr, const Input& col_idx, const Input& values, std::int64_t cols,
               const Output& out_row_ptr, const Output& out_col_idx, const Output& out_values,
               std::int64_t threads) {
  host::transpose(csr(row_ptr, col_idx, values, cols),
                  csr_output(out_row_ptr, out_col_idx, out_values), {.threads = threads});
}

void validate(const Input& row_ptr, const Input& col_idx, std::int64_t cols) {
  host::validate(csr(row_ptr, col_idx, {}, cols));
}

class TransposePlan {
 public:
  TransposePlan(const Input& row_ptr, const Input& col_idx, std::int64_t cols,
                const Output& out_row_ptr, const Output& out_col_idx, std::int64_t threads,
                bool once)
      : entries_(size_of(col_idx)),
        once_(once),
        plan_(csr(row_ptr, col_idx, {}, cols), csr_output(out_row_ptr, out_col_idx, {}),
              {.threads = threads}, once ? host::PlanPath::gather : host::PlanPath::automatic) {}

  void move(const Input& values, const Output& transposed) const {
    plan_(view(values), view(transposed));
  }
  std::int64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  /// In place, by DLPack; `self` lives as long as the array. Read-only where later calls follow it.
  static nb::object permutation(nb::object self) {
    const auto& plan = nb::cast<const TransposePlan&>(self);
    if (plan.once_) {
      return nb::cast(plan.permutation_in_place<nb::ndarray<nb::array_api>>(self));
    }
    return nb::cast(plan.permutation_in_place<nb::ndarray<nb::ro, nb::array_api>>(self));
  }

 private:
  template <class Exported>
  Exported permutation_in_place(const nb::object& self) const {
    const ConstArray array = plan_.permutation();
    return Exported(
        const_cast<void*>(array.data), {static_cast<std::size_t>(entries_)}, self, {},
        array.type == DataType::int64 ? nb::dtype<std::int64_t>() : nb::dtype<std::int32_t>());
  }

  std::int64_t entries_;
  bool once_;
  host::TransposePlan plan_;
};

/// Holds an object for one call: others wait. A child of a fork inherits what a thread of the
/// parent held, and has no such thread: there the call throws std::runtime_error.
class Held {
 public:
  explicit Held(std::atomic<pid_t>& holder) : holder_(holder) {
    const pid_t own = getpid();
    for (pid_t found = 0; !holder_.compare_exchange_strong(found, own); found = 0) {
      if (found != own) {
        throw std::runtime_error(
            "another thread called this plan when the process forked: make a new plan");
      }
      holder_.wait(found);
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    holder_.store(0);
    holder_.notify_one();
  }

 private:
  std::atomic<pid_t>& holder_;  // the process of the thread that holds the object, or 0
};

/// Keeps the arrays of A alive. The library's plan serves one call at a time: others wait.
class SpmmPlan {
 public:
  SpmmPlan(Input row_ptr, Input col_idx, Input values, std::int64_t cols, std::int64_t k,
           bool transpose, std::int64_t threads)
      : row_ptr_(std::move(row_ptr)),
        col_idx_(std::move(col_idx)),
        values_(std::move(values)),
        plan_(
            csr(row_ptr_, col_idx_, values_, cols), k,
            {.threads = threads, .operation = transpose ? Operation::transpose : Operation::none}) {
  }

  void set_values(Input values) {
    const Held held(holder_);
    plan_.set_values(view(values));
    values_ = std::move(values);
  }
  void multiply(double alpha, const Input& x, double beta, const Output& y) {
    const Held held(holder_);
    plan_(alpha, dense<DenseInput>(x), beta, dense<DenseOutput>(y));
  }
  std::int64_t workspace_bytes() const { return plan_.workspace_bytes(); }

 private:
  Input row_ptr_, col_idx_, values_;
  host::SpmmPlan plan_;
  std::atomic<pid_t> holder_{0};
};

/// `of_vertex` [vertices] and `of_entry` [entries] of int64, or none.
std::uint64_t triangle_count(const Input& row_ptr, const Input& col_idx, const Output& of_vertex,
                             const Output& of_entry, std::int64_t threads) {
  host::TriangleCounter counter(csr(row_ptr, col_idx, {}, size_of(row_ptr) - 1),
                                {.threads = threads});
  counter.prepare();
  return counter.count(
      {.of_vertex = counters_or_null(of_vertex), .of_entry = counters_or_null(of_entry)});
}

/// Uninitialised memory, aligned as JAX wants it to take it in place.
nb::ndarray<nb::array_api> empty(const std::vector<std::size_t>& shape, int kind, int bits, int) {
  constexpr std::align_val_t alignment{64};
  void* const memory = ::operator new(bytes_of(shape, bits), alignment);
  const nb::capsule owner(memory,
                          [](void* pointer) noexcept { ::operator delete(pointer, alignment); });
  return owned(owner, memory, shape, kind, bits, -1);
}

/// Ends the threads that OpenMP keeps for the calling thread; its next region makes new ones. GNU's
/// runtime knows nothing of forks: a child would wait for threads that it does not have.
void end_threads() {
  omp_pause_resource_all(omp_pause_soft);
}

}  // namespace

NB_MODULE(_host, module) {
  translate_errors();
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("before") =
                                                          nb::cpp_function(&end_threads));
  module.def("transpose", &transpose, nb::arg("indptr"), nb::arg("indices"), nb::arg("data").none(),
             nb::arg("cols"), nb::arg("out_indptr"), nb::arg("out_indices"),
             nb::arg("out_data").none(), nb::arg("threads"), Unlocked());
  module.def("empty", &empty, nb::arg("shape"), nb::arg("kind"), nb::arg("bits"),
             nb::arg("device"));
  module.def("in_rows", &in_rows, nb::arg("array"));
  module.def("validate", &validate, nb::arg("indptr"), nb::arg("indices"), nb::arg("cols"),
             Unlocked());
  nb::class_<TransposePlan>(module, "TransposePlan")
      .def(nb::init<const Input&, const Input&, std::int64_t, const Output&, const Output&,
                    std::int64_t, bool>(),
           nb::arg("indptr"), nb::arg("indices"), nb::arg("cols"), nb::arg("out_indptr"),
           nb::arg("out_indices"), nb::arg("threads"), nb::arg("once"), Unlocked())
      .def("__call__", &TransposePlan::move, nb::arg("data"), nb::arg("out"), Unlocked())
      .def_prop_ro("permutation", &TransposePlan::permutation)
      .def_prop_ro("workspace_bytes", &TransposePlan::workspace_bytes);
  nb::class_<SpmmPlan>(module, "SpmmPlan")
      .def(nb::init<Input, Input, Input, std::int64_t, std::int64_t, bool, std::int64_t>(),
           nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("cols"), nb::arg("k"),
           nb::arg("transpose"), nb::arg("threads"), Unlocked())
      .def("set_values", &SpmmPlan::set_values, nb::arg("data"), Unlocked())
      .def("__call__", &SpmmPlan::multiply, nb::arg("alpha"), nb::arg("x"), nb::arg("beta"),
           nb::arg("y"), Unlocked())
      .def_prop_ro("workspace_bytes", &SpmmPlan::workspace_bytes);
  module.def("triangle_count", &triangle_count, nb::arg("indptr"), nb::arg("indices"),
             nb::arg("of_vertex").none(), nb::arg("of_entry").none(), nb::arg("threads"),
             Unlocked());
}

}  // namespace sparserepro::python::host_module
