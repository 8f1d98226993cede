// CUDA C++ and HIP compiled for a device by clang 19, without the vendors' headers: CUDA to PTX with libclc's
// functions, HIP to the code of an AMD GPU with ROCm's. ptxas, where it is found, compiles the PTX further and says
// what registers it needs. (internal to the room)
#pragma once

#include "backend/backend.h"
#include "util/result.h"

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

struct DeviceTarget {
  std::string_view language; // "cuda", "hip"
  std::string_view arch;     // as the compiler calls it: "sm_90a", "gfx942"
  int registers = 0;         // of a unit that runs groups, each of 32 bits and one lane
  int local_bytes = 0;       // of such a unit
  int most_items = 0;        // that reside on it at a time
  int subgroup = 0;          // items that run together
  int warp_group = 0;        // items that run instructions of warp groups; 0: there are none
  int cluster = 0;           // groups of a cluster, at most; 0: there are none
  int register_step = 0;     // registers of an item are handed out in steps of so many
};

// sm_80, sm_90a; gfx90a, gfx942, gfx1100.
std::span<const DeviceTarget> device_targets();
// By architecture; nullptr: unknown.
const DeviceTarget* find_device_target(std::string_view arch);

// What is missing to compile the language here, and the Debian packages to install.
Result<void> check_device_compiler(std::string_view language);

// Tuning values as macros, macros.h and the device file, with line markers. Refuses other files, and inline assembly in
// HIP.
std::expected<std::string, LoadFailure> device_program_text(const BuildInput& input, std::string_view language);

// Leaves "program.ptx" (cuda) or "program.s" (hip), and "program.cubin" where ptxas is found. For HIP also what a
// runner loads: "program.co", or for the emulated device "program.ptx", where pairs of warps stand for waves of 64.
Result<CompileJob> device_compile_job(const BuildInput& input, const DeviceTarget& target, bool emulated = true);
// Files of these that a runner loads, the first that there is.
std::span<const std::string_view> device_images(std::string_view language, bool emulated);

// Of one function, as the compiler's log says.
struct KernelResources {
  std::string kernel;
  int registers = 0;     // of 32 bits, for each item
  int spilled_bytes = 0; // of each item, beyond its registers
  int local_bytes = 0;   // of each group
  bool operator==(const KernelResources&) const = default;
};
std::vector<KernelResources> resources_in(std::string_view log, const DeviceTarget& target);

// The share, 0 to 1, of the items that a unit of the device can hold, for groups of so many items.
double occupancy(const KernelResources& resources, int group_items, const DeviceTarget& target);

} // namespace hone::backend
