#include "backend/cpu/watch/fibers.h"

#include <cstring>
#include <utility>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_stack_bytes = 8 << 20; // as the main thread has

alignas(64) std::array<std::array<std::byte, k_stack_bytes>, Fibers::k_max> g_stacks;
Fibers* g_fibers = nullptr; // for run_work, which takes no arguments

} // namespace

void Fibers::start(std::size_t fiber, std::function<void()> work)
{
  Fiber& started = m_fibers[fiber];
  started.work = std::move(work);
  started.active = true;
  getcontext(&started.context);
  started.context.uc_stack.ss_sp = g_stacks[fiber].data();
  started.context.uc_stack.ss_size = k_stack_bytes;
  started.context.uc_link = &m_outside;
  makecontext(&started.context, run_work, 0);
}

const void* Fibers::stack_end(std::size_t fiber)
{
  return g_stacks[fiber].data() + k_stack_bytes;
}

void Fibers::overwrite_stack(std::size_t fiber, int byte)
{
  constexpr std::size_t k_overwritten = 256 << 10;
  std::memset(g_stacks[fiber].data() + k_stack_bytes - k_overwritten, byte, k_overwritten);
}

void Fibers::resume(std::size_t fiber)
{
  m_current = fiber;
  g_fibers = this;
  swapcontext(&m_outside, &m_fibers[fiber].context);
}

void Fibers::yield()
{
  swapcontext(&m_fibers[m_current].context, &m_outside);
}

void Fibers::run_work()
{
  Fiber& fiber = g_fibers->m_fibers[g_fibers->m_current];
  fiber.work();
  fiber.active = false;
}

} // namespace hone::backend::cpu
