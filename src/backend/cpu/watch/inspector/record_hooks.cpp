// What access_callback.cpp and sanitizer_hooks.cpp call: checks each access of the current group in its watched memory.
#include "backend/cpu/watch/access_callback.h"
#include "backend/cpu/watch/inspector/counted_call.h"
#include "backend/cpu/watch/inspector/inspector_state.h"
#include "backend/cpu/watch/inspector/launch_execution.h"
#include "backend/cpu/watch/sanitizer_hooks.h"

#include <csignal>

namespace hone::backend::cpu {

void record_access(const volatile void* address, std::size_t size, Access access)
{
  record_access_from(__builtin_frame_address(0), const_cast<const void*>(address), size, access);
}

void record_access_from(const void* frame, const void* address, std::size_t size, Access access)
{
  if (are_callbacks_off()) { // the group has reached its limit and waits for no other
    return;
  }
  InspectorState& state = g_inspector;
  if (WatchedMemory* memory = state.watched) {
    state.watched = nullptr; // accesses of the check itself are not the candidate's
    state.is_recording = true;
    const bool is_limit_reached = memory->record_access(address, size, access, frame);
    if (is_limit_reached && !state.is_yield_due) {
      set_callback_mode(state.launch->mode_after_limit()); // until the next yield is due
    }
    state.is_recording = false;
    state.watched = memory;
    if (state.is_expired) {
      std::raise(SIGALRM);
    }
    if (is_limit_reached) {
      state.launch->leave_group_if_guarded();
    }
    if (state.is_yield_due && !state.launch->yields_after_instruction()) {
      state.launch->yield_if_drawn();
    }
  } else if (state.counted != nullptr) {
    state.counted->count_by_library(frame, address, size, access);
  }
}

void record_jump(const void* target)
{
  if (WatchedMemory* memory = g_inspector.watched;
      memory != nullptr && !g_inspector.code.may_jump_to(reinterpret_cast<std::uintptr_t>(target))) {
    memory->report_hidden_code();
  }
}

bool record_stack_move(const void* pointer)
{
  WatchedMemory* const memory = g_inspector.watched;
  return memory != nullptr && memory->record_stack_move(pointer) && !g_inspector.keeps_stack;
}

const void* stack_stored_at(const void* place)
{
  const WatchedMemory* const memory = g_inspector.watched;
  const bool own = memory != nullptr && memory->is_in_stack(place)
                   && memory->is_in_stack(static_cast<const std::byte*>(place) + sizeof(void*));
  return own ? *static_cast<const void* const*>(place) : nullptr;
}

void report_overlap()
{
  if (WatchedMemory* memory = g_inspector.watched) {
    memory->report_overlap();
  }
}

void report_torn(std::size_t size)
{
  if (WatchedMemory* memory = g_inspector.watched) {
    memory->report_torn(size);
  }
}

bool may_be_atomic_read(const void* address)
{
  const WatchedMemory* const memory = g_inspector.watched;
  return memory != nullptr && memory->is_reduced(address);
}

bool is_yield_due()
{
  return g_inspector.is_yield_due;
}

bool is_watching()
{
  return g_inspector.watched != nullptr;
}

void yield_to_other_groups()
{
  if (g_inspector.watched != nullptr) {
    g_inspector.launch->yield_if_drawn();
  }
}

std::uint64_t draw_below(std::uint64_t limit)
{
  return g_inspector.launch->draw_below(limit);
}

} // namespace hone::backend::cpu
