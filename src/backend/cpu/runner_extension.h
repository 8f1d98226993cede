// What the parent and hone-runner-cpu share beyond the core contract (backend/runner_abi.h): how calls are made on a
// CPU.
//
// The extension area of a job holds an Extension and its tables. Like the rest of the job it is written by the parent
// and read-only for the runner. No other platform reads it.
#pragma once

#include "backend/runner_abi.h"

#include <cstdint>

namespace hone::backend::runner::cpu {

// What a caller's arithmetic takes for zero below the smallest normal number.
constexpr std::uint32_t k_flushes_results = 1, k_flushes_operands = 2;

// Stacks of the workers beside the main thread, where all runners have them: worker i's ends at the area's start plus
// i steps. What lies below a stack is never mapped.
constexpr std::uint64_t k_worker_stack_area = 0x5000'0000'0000;
constexpr std::uint64_t k_worker_stack_bytes = std::uint64_t{8} << 20; // and of the caller's other stack
constexpr std::uint64_t k_worker_stack_step = std::uint64_t{32} << 20;

// Groups [group_first, group_first + group_count) of one launch on one set, one by one.
constexpr Command k_run_groups = Command::extension;

struct Extension {
  // Command::run_block: how calls are made.
  std::uint32_t flushes;         // k_flushes_results, k_flushes_operands, both or neither
  std::uint32_t other_stack;     // 1: on the other stack, where there is one
  std::uint32_t keeps_registers; // 1: registers hold what the call before left; for one call that is made alone
  std::uint32_t registers_seed;  // of what registers hold before each call; 0: drawn anew
  // k_run_groups.
  std::uint32_t group_set;
  std::uint32_t group_launch;
  std::uint32_t group_descending;
  std::uint32_t group_with_fills;
  std::uint32_t group_keeps_shared; // 1: shared scratch stays as the parent left it; else every group finds random bits
  std::uint32_t reserved;
  std::int64_t group_first;
  std::int64_t group_count;
  // Where things are.
  std::uint64_t other_stack_end; // of a second stack that calls may be made on, as by a thread; 0: there is none
  std::uint64_t entry_offset;    // uint64[launch_count], from the start of the job: addresses of the functions
  std::uint64_t shared_offset;   // uint64[worker_count]: addresses of each worker's scratch for Launch::shared_bytes
};

} // namespace hone::backend::runner::cpu
