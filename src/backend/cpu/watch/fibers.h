// Functions that go on in turns, each on a stack of its own, in one thread: what several workers may do at the same
// time, in an order that somebody chooses. The stacks are the program's: one object of this class at a time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <ucontext.h>

namespace hone::cpu {

class Turns {
public:
  static constexpr std::size_t k_most = 16;

  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void begin(std::size_t turn, std::function<void()> work);
  bool is_under_way(std::size_t turn) const { return m_turns[turn].under_way; }
  static const void* end_of_stack(std::size_t turn);
  static void overwrite_stack(std::size_t turn, int byte); // 256 KiB at its end, while it is not under way

  // From outside: carries it on until it makes way or is over.
  void go_on(std::size_t turn);
  // From inside: back to whoever said go on.
  void make_way();

private:
  struct Turn {
    ucontext_t context{};
    std::function<void()> work;
    bool under_way = false;
  };
  static void carry_out();

  std::array<Turn, k_most> m_turns;
  std::size_t m_current = 0;
  ucontext_t m_outside{};
};

} // namespace hone::cpu
