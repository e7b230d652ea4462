// Base of all primitives on the host: it owns the output and poisons it.
#pragma once

#include <algorithm>
#include <functional>

#include "primitives/primitives.hpp"

namespace sparserepro {

/// A run on the host. `execute` of the derived class writes the arrays of `out_` that belong to
/// the procedure; the constructor has given them their length.
class HostPrimitiveRun : public Run<PrimitivesProblem> {
 public:
  explicit HostPrimitiveRun(const PrimitivesProblem& problem) : problem_(problem) {
    const auto length = static_cast<std::size_t>(problem.length());
    switch (problem.procedure()) {
      case Procedure::scan:
        out_.sums.resize(length);
        break;
      case Procedure::segmented_sort:
      case Procedure::merge:
        out_.keys.resize(length);
        out_.payload.resize(length);
        break;
      case Procedure::index_to_pointers:
        out_.pointers.resize(static_cast<std::size_t>(problem.bins()) + 1);
        break;
      case Procedure::pointers_to_index:
        out_.index.resize(length);
        break;
    }
  }

  /// Sets every element to -1. No answer holds a negative number.
  void poison() override {
    std::fill(out_.sums.begin(), out_.sums.end(), std::int64_t{-1});
    for (Buffer<index_t>* array : {&out_.keys, &out_.payload, &out_.pointers, &out_.index}) {
      std::fill(array->begin(), array->end(), index_t{-1});
    }
  }
  PrimitivesResult result() override { return out_; }
  std::int64_t workspace_bytes() const override { return 0; }

 protected:
  const PrimitivesProblem& problem_;
  PrimitivesResult out_;
};

/// `Algorithm::applies` of an algorithm that solves one procedure.
inline std::function<bool(const PrimitivesProblem&)> solves(Procedure procedure) {
  return [procedure](const PrimitivesProblem& problem) { return problem.procedure() == procedure; };
}

}  // namespace sparserepro
