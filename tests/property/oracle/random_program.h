// Random programs of the catalogue's instructions, as text and as the oracle executes them.
#pragma once

#include "catalogue.h"

#include <set>

namespace hone::oracle {

constexpr int k_most_threads = 64;

struct Register {
  RegisterClass held = RegisterClass::b32;
  Slack slack;
  bool shared = false;                                // anybody may read it, and write what is compared bit for bit
  std::array<std::uint64_t, k_most_threads> values{}; // at the start
};

struct Operand {
  int number = -1; // of a register; -1: a literal
  std::uint64_t literal = 0;
};

struct Step {
  const Operation* operation = nullptr;
  std::vector<int> outputs;
  std::vector<Operand> inputs;
  int guard = -1; // a predicate's register
  bool negated = false;
  int skipped = 0; // steps that come after this one, which its guard jumps over; it is nothing but a jump then
};

struct Drawn {
  int threads = 32;
  std::vector<Register> registers;
  std::vector<Step> steps;
};

std::string name_of(const Drawn& program, int number); // of a register
std::string text_of(const Drawn& program, const Step& step);
// Each thread's registers lie one after the other, 8 bytes each: as they begin at f_0, as they end at f_1.
std::string text_of(const Drawn& program);

using Values = std::vector<std::array<std::uint64_t, k_most_threads>>; // of registers
Values expected(const Drawn& program, std::size_t steps);              // after so many of them

// The step alone, from what the oracle says it finds.
Drawn only(const Drawn& program, std::size_t step);
// Without the steps of these names; what jumps over one of them goes, too.
Drawn without(const Drawn& program, const std::set<std::string>& names);

class Drawer {
public:
  Drawer(const Operations& operations, std::uint64_t seed);
  Drawn program();
  Drawn program_of(const Operation& operation);

private:
  bool one_in(std::uint64_t count) { return m_random.below(count) == 0; }
  const Operation& next(); // each of m_order once, in random order, and then again
  int new_register(RegisterClass held, const Draw& draw);
  int known_register(RegisterClass held); // one that anybody may use; -1: there is none
  int predicate();
  Operand input(const Input& input, bool all_drawn);
  int output(const Output& output, const Step& step);
  void add_step(const Operation& operation);
  void add_jumps(); // over steps that no warp must execute together

  const Operations& m_operations;
  Random m_random;
  std::vector<std::size_t> m_order;
  std::size_t m_next = 0;
  Drawn m_program;
};

} // namespace hone::oracle
