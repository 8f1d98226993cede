// The worker pool: threads that run the groups of a launch side by side, each on a CPU of its own.
//
// Made and pinned before the lock, which then forbids new threads. Workers spin while a block runs, so that handing
// out a launch costs a cache line and not a system call, and sleep otherwise, so that the other runner of a pair has
// the CPUs for itself.
#pragma once

#include "backend/runner/runner_core.h"

#include <cstdint>

namespace hone::backend::runner {

// Starts the workers beside the main thread. nullptr, or what went wrong. With one worker there is no pool.
const char* start_pool(const JobView& job);

// Memory of cpu::k_worker_stack_bytes for a stack that ends at an address; nullptr where it cannot lie there.
void* map_stack(std::uint64_t end);

void wake_pool(); // all workers spin when this returns; no-op when they do
void rest_pool();

// `count` items from `first` on, to be done by `worker`.
using PoolTask = void (*)(const void* context, std::uint32_t worker, std::int64_t first, std::int64_t count);

// Does `items` items, 0 first, on all workers; they are done on return. Must be awake.
// Each worker owns one contiguous part, as OpenMP's static schedule would cut it, so that neighbouring groups share
// their operands in one cache and worker and data stay together from call to call. It takes its part in small pieces,
// from the front; whoever is done with its own helps the others, so that uneven groups do not leave workers idle.
void run_on_pool(PoolTask task, const void* context, std::int64_t items);

} // namespace hone::backend::runner
