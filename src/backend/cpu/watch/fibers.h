// Fibers: functions with a stack of their own that one thread runs in turns. They stand for work-groups that several
// workers would run at the same time, so that the schedule can be chosen. The stacks are static: one Fibers object at a
// time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <ucontext.h>

namespace hone::backend::cpu {

class Fibers {
public:
  static constexpr std::size_t k_max = 16;

  Fibers() = default;
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  void start(std::size_t fiber, std::function<void()> work);                 // runs from the first resume() on
  bool is_active(std::size_t fiber) const { return m_fibers[fiber].active; } // started and not finished
  static const void* stack_end(std::size_t fiber);
  static void overwrite_stack(std::size_t fiber, int byte); // its upper 256 KiB, while it is not active

  // From outside: runs the fiber until it yields or finishes.
  void resume(std::size_t fiber);
  // From inside: returns to the caller of resume().
  void yield();

private:
  struct Fiber {
    ucontext_t context{};
    std::function<void()> work;
    bool active = false;
  };
  static void run_work();

  std::array<Fiber, k_max> m_fibers;
  std::size_t m_current = 0;
  ucontext_t m_outside{};
};

} // namespace hone::backend::cpu
