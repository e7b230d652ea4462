// Base of all primitives on the device: it uploads the input, owns the output, poisons it and
// copies it back to the host.
#pragma once

#include <functional>
#include <string>

#include "cuda/cuda_run.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "primitives/primitives.hpp"

namespace sparserepro {

/// A run on the device. `execute` of the derived class writes the output arrays of the procedure;
/// their shapes are those of PrimitivesResult.
class CudaPrimitiveRun : public CudaRun<PrimitivesProblem> {
 public:
  explicit CudaPrimitiveRun(const PrimitivesProblem& problem)
      : length_(problem.length()),
        segment_(problem.segment()),
        bins_(problem.bins()),
        values_(problem.values(), stream()),
        payload_(problem.payload(), stream()),
        pointers_(problem.pointers(), stream()) {
    const auto length = static_cast<std::size_t>(problem.length());
    switch (problem.procedure()) {
      case Procedure::scan:
        out_sums_ = DeviceBuffer<std::int64_t>(length, stream());
        break;
      case Procedure::segmented_sort:
      case Procedure::merge:
        out_keys_ = DeviceBuffer<index_t>(length, stream());
        out_payload_ = DeviceBuffer<index_t>(length, stream());
        break;
      case Procedure::index_to_pointers:
        out_pointers_ = DeviceBuffer<index_t>(static_cast<std::size_t>(bins_) + 1, stream());
        break;
      case Procedure::pointers_to_index:
        out_index_ = DeviceBuffer<index_t>(length, stream());
        break;
    }
  }

  /// Sets every element to -1 (all bits set). No answer holds a negative number.
  void poison() override {
    out_sums_.fill_bytes(0xff, stream());
    for (DeviceBuffer<index_t>* array : {&out_keys_, &out_payload_, &out_pointers_, &out_index_}) {
      array->fill_bytes(0xff, stream());
    }
  }
  void download() override {
    host_.sums.resize(out_sums_.size());
    out_sums_.copy_to(host_.sums.data(), stream());
    fetch(out_keys_, host_.keys);
    fetch(out_payload_, host_.payload);
    fetch(out_pointers_, host_.pointers);
    fetch(out_index_, host_.index);
    synchronize();
  }
  PrimitivesResult result() override { return host_; }

 protected:
  std::int64_t length() const { return length_; }
  std::int64_t segment() const { return segment_; }
  index_t bins() const { return bins_; }
  const index_t* values() const { return values_.data(); }
  const std::uint32_t* payload() const { return as_unsigned(payload_.data()); }
  const index_t* pointers() const { return pointers_.data(); }
  std::int64_t* out_sums() { return out_sums_.data(); }
  index_t* out_keys() { return out_keys_.data(); }
  std::uint32_t* out_payload() { return reinterpret_cast<std::uint32_t*>(out_payload_.data()); }
  std::uint32_t* out_pointers() { return reinterpret_cast<std::uint32_t*>(out_pointers_.data()); }
  index_t* out_index() { return out_index_.data(); }

  static const std::uint32_t* as_unsigned(const index_t* array) {
    return reinterpret_cast<const std::uint32_t*>(array);
  }

 private:
  void fetch(const DeviceBuffer<index_t>& from, Buffer<index_t>& to) {
    to.resize(from.size());
    from.copy_to(to.data(), stream());
  }

  std::int64_t length_, segment_;
  index_t bins_;
  DeviceBuffer<index_t> values_, payload_, pointers_;
  DeviceBuffer<std::int64_t> out_sums_;
  DeviceBuffer<index_t> out_keys_, out_payload_, out_pointers_, out_index_;
  PrimitivesResult host_;
};

}  // namespace sparserepro
