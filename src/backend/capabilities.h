// What a platform can do, as data: how runners are driven and which checks mean something there follow from it.
#pragma once

#include <chrono>
#include <string_view>

namespace hone::backend {

// Which clock says how long a block took. The parent's wall clock is always taken, too: what a device claims beyond it
// is impossible and refused.
enum class DeviceClock {
  wall,          // the parent's, around the block
  device_events, // the device's own, around the calls of the block
};
std::string_view name_of(DeviceClock clock); // in records: "the parent's wall clock", ...

struct Capabilities {
  bool shared_memory = true;      // runners compute in memory that the parent maps; else push, pull and the like
  bool guard_pages = true;        // buffers can end at memory that nobody can reach
  bool groups_one_by_one = false; // the parent can have single work-groups run, in any order
  bool caller_state = false;      // calls have a caller whose arithmetic, registers and stack can be chosen
  bool shared_scratch = false;    // the parent sees what work-groups leave in their shared memory
  bool watched_accesses = false;  // a tool watches a candidate's accesses to memory: Backend::inspector()
  bool compared_numbers = false;  // compiled code shows what it compares sizes with: Backend::compared_numbers()
  bool code_placement = false;    // the parent chooses where code lies
  bool host_ceilings = true;      // its kernels run on the CPU that this program runs on, whose ceilings are theirs
  bool rebinds = false;           // a runner takes another job: for platforms on which starting one is dear
  bool cancels = false;           // a block ends between calls when it is asked to
  std::chrono::milliseconds first_call{0}; // what a driver may take to make machine code in the first call of a job
  // Of all loops of a work-item together, after which the driver ends them without an error; 0: as many as there are.
  double most_rounds = 0;
  DeviceClock clock = DeviceClock::wall;
  bool times = true;    // how long calls take says something; an emulated device only computes and checks
  double most_work = 0; // operations and bytes of a call that is not too long for a check; 0: any
};

} // namespace hone::backend
