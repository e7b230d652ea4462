// Base of all transpositions on the host: it owns the output and poisons it.
#pragma once

#include <algorithm>
#include <cstring>

#include "transpose/prepare.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro {

/// A run on the host for one storage type. `execute` of the derived class writes `out_`, A^T in
/// CSR, from `a_`.
template <class Offset, class Value>
class HostTransposeRun : public Run<TransposeProblem> {
 public:
  explicit HostTransposeRun(const Csr<Offset, Value>& a) : a_(a), out_(a.cols, a.rows, a.nnz()) {}

  void poison() override {
    std::fill(out_.row_ptr.begin(), out_.row_ptr.end(), Offset{-1});
    std::fill(out_.col_idx.begin(), out_.col_idx.end(), index_t{-1});
    poison_values();
  }
  AnyCsr result() override { return out_; }

 protected:
  void poison_values() {
    if (!out_.values.empty()) {
      std::memset(static_cast<void*>(out_.values.data()), 0xff, out_.values.size() * sizeof(Value));
    }
  }

  const Csr<Offset, Value>& a_;
  Csr<Offset, Value> out_;
};

}  // namespace sparserepro
