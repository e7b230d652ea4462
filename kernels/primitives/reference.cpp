// Reference answers of the primitives: algorithms of the standard library, one thread.
#include "primitives/reference.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "primitives/primitives.hpp"

namespace sparserepro {
namespace {

using Element = std::pair<index_t, index_t>;  // key, payload

bool key_less(const Element& a, const Element& b) {
  return a.first < b.first;
}

std::vector<Element> zip(const Buffer<index_t>& keys, const Buffer<index_t>& payload) {
  std::vector<Element> out;
  out.reserve(keys.size());
  std::transform(keys.begin(), keys.end(), payload.begin(), std::back_inserter(out),
                 [](index_t key, index_t carried) {
                   return Element{key, carried};
                 });
  return out;
}

void unzip(const std::vector<Element>& elements, Buffer<index_t>& keys, Buffer<index_t>& payload) {
  keys.clear();
  payload.clear();
  for (const auto& [key, carried] : elements) {
    keys.push_back(key);
    payload.push_back(carried);
  }
}

void merge_segments(std::int64_t segment, Buffer<index_t>& keys, Buffer<index_t>& payload) {
  const std::vector<Element> elements = zip(keys, payload);
  const auto length = static_cast<std::int64_t>(elements.size());
  std::vector<Element> merged;
  merged.reserve(elements.size());
  for (std::int64_t begin = 0; begin < length; begin += 2 * segment) {
    const auto left = elements.begin() + begin;
    const auto right = elements.begin() + std::min(length, begin + segment);
    const auto end = elements.begin() + std::min(length, begin + 2 * segment);
    std::merge(left, right, right, end, std::back_inserter(merged), key_less);
  }
  unzip(merged, keys, payload);
}

}  // namespace

void sort_segments(std::int64_t segment, Buffer<index_t>& keys, Buffer<index_t>* payload) {
  const auto length = static_cast<std::int64_t>(keys.size());
  const auto each_segment = [&](auto& elements, auto less) {
    for (std::int64_t begin = 0; begin < length; begin += segment) {
      std::stable_sort(elements.begin() + begin,
                       elements.begin() + std::min(length, begin + segment), less);
    }
  };
  if (payload == nullptr) {
    each_segment(keys, std::less<>());
    return;
  }
  std::vector<Element> elements = zip(keys, *payload);
  each_segment(elements, key_less);
  unzip(elements, keys, *payload);
}

Buffer<index_t> pointers_of(const Buffer<index_t>& index, index_t bins) {
  Buffer<index_t> pointers(static_cast<std::size_t>(bins) + 1, index_t{0});
  for (const index_t bin : index) {
    ++pointers[static_cast<std::size_t>(bin) + 1];
  }
  std::partial_sum(pointers.begin(), pointers.end(), pointers.begin());
  return pointers;
}

PrimitivesResult PrimitivesProblem::reference() const {
  Result out;
  switch (procedure_) {
    case Procedure::scan:
      out.sums.resize(values_.size());
      std::exclusive_scan(values_.begin(), values_.end(), out.sums.begin(), std::int64_t{0});
      break;
    case Procedure::segmented_sort:
    case Procedure::merge:
      out.keys = values_;
      out.payload = payload_;
      if (procedure_ == Procedure::merge) {
        merge_segments(segment_, out.keys, out.payload);
      } else {
        sort_segments(segment_, out.keys, &out.payload);
      }
      break;
    case Procedure::index_to_pointers:
      out.pointers = pointers_of(values_, bins_);
      break;
    case Procedure::pointers_to_index:
      out.index.resize(static_cast<std::size_t>(length_));
      for (index_t b = 0; b < bins_; ++b) {
        std::fill(out.index.begin() + pointers_[b], out.index.begin() + pointers_[b + 1], b);
      }
      break;
  }
  return out;
}

}  // namespace sparserepro
