// Problem `primitives`: its inputs, the exact check and the traffic model.
#include <algorithm>
#include <limits>
#include <numeric>

#include "formats/error.hpp"
#include "primitives/primitives.hpp"
#include "primitives/reference.hpp"

namespace sparserepro {
namespace {

constexpr Procedure procedures[] = {Procedure::scan, Procedure::segmented_sort, Procedure::merge,
                                    Procedure::index_to_pointers, Procedure::pointers_to_index};

constexpr index_t max_index = std::numeric_limits<index_t>::max();

Procedure procedure_named(const std::string& name) {
  for (const Procedure procedure : procedures) {
    if (name == to_string(procedure)) {
      return procedure;
    }
  }
  throw InputError("no procedure is named '" + name + "'");
}

/// The value of a parameter. Throws InputError if it does not fit 32-bit positions and pointers.
std::int64_t fitting(const Params& instance, const std::string& name) {
  const std::int64_t value = instance.integer(name);
  if (value > max_index) {
    throw InputError(name + " = " + std::to_string(value) + " is more than " +
                     std::to_string(max_index));
  }
  return value;
}

template <class T>
std::string first_difference(const char* array, const Buffer<T>& got, const Buffer<T>& want) {
  if (got.size() != want.size()) {
    return std::string(array) + " has " + std::to_string(got.size()) + " elements, expected " +
           std::to_string(want.size());
  }
  const auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
  return g == got.end() ? ""
                        : std::string(array) + "[" + std::to_string(g - got.begin()) + "] is " +
                              std::to_string(*g) + ", expected " + std::to_string(*w);
}

}  // namespace

const char* to_string(Procedure procedure) {
  switch (procedure) {
    case Procedure::scan:
      return "scan";
    case Procedure::segmented_sort:
      return "segmented_sort";
    case Procedure::merge:
      return "merge";
    case Procedure::index_to_pointers:
      return "index_to_pointers";
    case Procedure::pointers_to_index:
      return "pointers_to_index";
  }
  return "";
}

std::vector<Parameter> PrimitivesProblem::instance_parameters() {
  std::vector<ParamValue> names;
  for (const Procedure procedure : procedures) {
    names.emplace_back(to_string(procedure));
  }
  return {
      {"procedure", "scan", names, "procedure to run"},
      {"length", std::int64_t{1000000}, {}, "number of elements of the array", 0},
      {"segment", std::int64_t{128}, {}, "elements per segment (segmented_sort, merge)"},
      // 20 elements a bin at the default length, as the seed's default matrix has per column.
      {"bins", std::int64_t{50000}, {}, "number of bins (index_to_pointers, pointers_to_index)"},
  };
}

PrimitivesProblem::PrimitivesProblem(const ArrayInput& input, const Params& instance)
    : procedure_(procedure_named(instance.text("procedure"))),
      length_(fitting(instance, "length")) {
  if (has_bins(procedure_)) {
    bins_ = static_cast<index_t>(fitting(instance, "bins"));
  }
  values_ = input.elements(length_, has_bins(procedure_) ? bins_ : max_index);
  if (has_segments(procedure_)) {
    segment_ = fitting(instance, "segment");
    if (procedure_ == Procedure::merge) {
      sort_segments(segment_, values_, nullptr);
    }
    payload_.resize(values_.size());
    std::iota(payload_.begin(), payload_.end(), index_t{0});
  }
  if (procedure_ == Procedure::pointers_to_index) {
    pointers_ = pointers_of(values_, bins_);
    values_ = {};
  }
}

Params PrimitivesProblem::parameters() const {
  Params used{{"procedure", to_string(procedure_)}, {"length", length_}};
  if (has_segments(procedure_)) {
    used.set("segment", segment_);
  }
  if (has_bins(procedure_)) {
    used.set("bins", std::int64_t{bins_});
  }
  return used;
}

CheckOutcome PrimitivesProblem::check(const Result& result, const Result& reference) const {
  std::string difference = first_difference("sums", result.sums, reference.sums);
  const auto compare = [&](const char* array, Buffer<index_t> Result::*member) {
    if (difference.empty()) {
      difference = first_difference(array, result.*member, reference.*member);
    }
  };
  compare("keys", &Result::keys);
  compare("payload", &Result::payload);
  compare("pointers", &Result::pointers);
  compare("index", &Result::index);
  return {difference.empty(), "exact", difference.empty() ? 0.0 : 1.0, 0.0, difference, {}};
}

Model PrimitivesProblem::model() const {
  const auto elements = static_cast<double>(length_);
  if (procedure_ == Procedure::scan) {
    return {elements * (sizeof(index_t) + sizeof(std::int64_t)), 0.0};
  }
  if (has_segments(procedure_)) {
    return {elements * 4 * sizeof(index_t), 0.0};
  }
  return {(elements + bins_ + 1) * sizeof(index_t), 0.0};
}

}  // namespace sparserepro
