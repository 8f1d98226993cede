#include "backend/cpu/watch/fibers.h"

#include <cstring>
#include <utility>

namespace hone::cpu {
namespace {

constexpr std::size_t k_stack_bytes = 8 << 20; // as the first thread has

alignas(64) std::array<std::array<std::byte, k_stack_bytes>, Turns::k_most> g_stacks;
Turns* g_turns = nullptr; // whose turn begins

} // namespace

void Turns::begin(std::size_t turn, std::function<void()> work)
{
  Turn& begun = m_turns[turn];
  begun.work = std::move(work);
  begun.under_way = true;
  getcontext(&begun.context);
  begun.context.uc_stack.ss_sp = g_stacks[turn].data();
  begun.context.uc_stack.ss_size = k_stack_bytes;
  begun.context.uc_link = &m_outside;
  makecontext(&begun.context, carry_out, 0);
}

const void* Turns::end_of_stack(std::size_t turn)
{
  return g_stacks[turn].data() + k_stack_bytes;
}

void Turns::overwrite_stack(std::size_t turn, int byte)
{
  constexpr std::size_t k_overwritten = 256 << 10;
  std::memset(g_stacks[turn].data() + k_stack_bytes - k_overwritten, byte, k_overwritten);
}

void Turns::go_on(std::size_t turn)
{
  m_current = turn;
  g_turns = this;
  swapcontext(&m_outside, &m_turns[turn].context);
}

void Turns::make_way()
{
  swapcontext(&m_turns[m_current].context, &m_outside);
}

void Turns::carry_out()
{
  Turn& turn = g_turns->m_turns[g_turns->m_current];
  turn.work();
  turn.under_way = false;
}

} // namespace hone::cpu
