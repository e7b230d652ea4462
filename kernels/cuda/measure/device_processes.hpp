// Other programs on the device.
#pragma once

#include <optional>

namespace sparserepro {

/// How many other processes compute on the device of this one, by the driver's management library
/// (NVML); nothing without a device or where the library does not tell. This process counts as one
/// of those that NVML lists, whatever number it has there, since a container may have numbers of
/// its own.
std::optional<int> other_device_processes();

}  // namespace sparserepro
