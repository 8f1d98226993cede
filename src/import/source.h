// What is read of a file, and the kernel for a device beside it. (internal to the room)
#pragma once

#include "import/import.h"
#include "import/launch.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::import {

// A kernel for a device, called as the definition calls its parameters.
struct DeviceKernel {
  const CFile* file = nullptr;
  CFunction kernel;
  KernelLaunch launch;
};

// What is read: the function as the user wrote it, or the loops of a kernel's threads, or its reference.
struct Source {
  CFile file;
  CFunction function;
  std::optional<DeviceKernel> device;
  std::vector<kernel::ExprPtr> conditions; // between sizes, as the launch has them
  std::vector<std::string> notes;
};

// Errors: no such function, no launch, threads that cannot be understood.
Result<Source> source_of(const ForeignFunction& request, const CFile& file);

} // namespace hone::import
