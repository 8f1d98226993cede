// Compiled code, parsed: functions, instructions with the lines of their source, loops. The same for x86, PTX and
// AMD's instructions.
#pragma once

#include "backend/listing.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

struct Instruction {
  std::string opcode;   // "vfmadd231ps", "ld.global.v4.f32", "v_mfma_f32_16x16x16_f16"
  std::string operands; // as written
  std::string file;     // of the source; empty: not known
  int line = 0;
  bool has_frame_pointer = false;           // %rbp points into the stack here (x86); else it is a register like others
  std::optional<std::size_t> jumps_to = {}; // a position in the same function
};

// A natural loop: what can be reached again from a jump back to its first instruction.
struct Loop {
  std::vector<std::size_t> instructions; // positions in Function::instructions, rising
  int depth = 1;                         // 1: outermost
  bool innermost = true;
};

struct Function {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<Loop> loops; // by first instruction, outer ones first
};

struct Listing {
  backend::ListingSyntax syntax = backend::ListingSyntax::x86;
  std::vector<Function> functions; // with instructions
};

Listing parse_listing(std::string_view text, backend::ListingSyntax syntax);

// The innermost loop that does most of the arithmetic, as far as the code alone says; nothing where there is no loop.
struct HotLoop {
  const Function* function = nullptr;
  const Loop* loop = nullptr;
};
HotLoop hot_loop(const Listing& listing);
// "device.cpp:31", or "device.cpp:31-38": the lines that most of a loop was made of.
std::string lines_of(const Function& function, const Loop& loop);
// The loop as assembly text, one instruction a line, without labels.
std::string text_of(const Function& function, const Loop& loop);

} // namespace hone::tools
