#include "backend/runner/commands.h"

#include "backend/runner/system.h"

namespace hone::backend::runner {
namespace {

template <bool cancellable> const char* run_calls(const Platform& platform, const JobView& job, Reply& reply)
{
  const std::uint32_t calls = job.head().block_calls;
  const std::uint32_t* sets = job.set_list();
  const std::uint32_t* const cancelled = &job.head().cancelled_sequence;
  const std::uint32_t sequence = job.head().command_sequence;
  const char* failure = nullptr;
  std::uint32_t i = 0;
  reply.stamp_begin_ns = now_ns();
  for (; i < calls && failure == nullptr; ++i) {
    if constexpr (cancellable) {
      if (read_word(cancelled) == sequence) {
        break;
      }
    }
    failure = platform.call(job, sets[i], i);
  }
  if (platform.synchronise != nullptr && failure == nullptr) {
    failure = platform.synchronise();
  }
  reply.stamp_end_ns = now_ns();
  reply.calls_done = i;
  return failure;
}

const char* run_block(const Platform& platform, const JobView& job, Reply& reply)
{
  if (platform.wake != nullptr) {
    platform.wake();
  }
  const char* const failure =
    platform.cancellable ? run_calls<true>(platform, job, reply) : run_calls<false>(platform, job, reply);
  if (platform.device_ns != nullptr && failure == nullptr) {
    reply.device_ns = platform.device_ns();
  }
  if (platform.rest != nullptr) {
    platform.rest();
  }
  return failure;
}

CommandOutcome rebind(const Platform& platform, const JobView& job, Remap remap)
{
  const char* failure = platform.unload();
  if (failure == nullptr) {
    failure = remap(job);
  }
  if (failure != nullptr) {
    return {failure, RefusalKind::setup};
  }
  return {platform.load == nullptr ? nullptr : platform.load(job), RefusalKind::compile};
}

} // namespace

CommandOutcome execute_command(const Platform& platform, const JobView& job, Reply& reply, Remap remap)
{
  const Command command = job.head().command;
  switch (command) {
  case Command::run_block:
    return {run_block(platform, job, reply)};
  case Command::stand_by:
    platform.wake != nullptr ? platform.wake() : void();
    return {};
  case Command::memory:
    return platform.memory != nullptr ? CommandOutcome{platform.memory(job, reply)} : CommandOutcome{.ends = true};
  case Command::rebind:
    return platform.unload != nullptr ? rebind(platform, job, remap) : CommandOutcome{.ends = true};
  default:
    return command >= Command::extension && platform.extension != nullptr
             ? CommandOutcome{platform.extension(job, command)}
             : CommandOutcome{.ends = true};
  }
}

} // namespace hone::backend::runner
