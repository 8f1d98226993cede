// Runs single instructions on the processor: the truth that a test compares decoded instructions with.
#pragma once

#include "backend/cpu/watch/memory_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::backend::cpu {

constexpr std::size_t k_state_bytes = 2752; // of all components up to the upper vector registers
constexpr std::size_t k_present_at = 512;   // in it: which of them are there

// What an instruction begins or ends with, but for the stack pointer.
struct ProcessorState {
  GeneralRegisters general{};
  alignas(64) std::array<std::byte, k_state_bytes> vectors{}; // XSAVE, standard format
};

// Its vectors and masks, as AccessDecoder takes them.
VectorRegisters vector_registers(const ProcessorState& state);

// One at a time: signals are the process's.
class Processor {
public:
  static constexpr std::size_t k_memory_bytes = 2048;

  Processor();
  ~Processor();
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  // Empty, or why this machine cannot do it.
  const char* why_not() const { return m_why_not; }
  // Components of the state that this processor has.
  std::uint64_t components() const { return m_components; }
  // Below 4 GiB, between inaccessible pages.
  std::byte* memory() { return m_memory; }

  // Copies the instruction to where run() executes it.
  const std::byte* place(std::span<const std::byte> instruction);
  // From `begin` to `end`; the number of the signal that ended it before, or 0.
  int run(const ProcessorState& begin, ProcessorState& end);

private:
  const char* m_why_not = "";
  std::uint64_t m_components = 0;
  std::byte* m_memory = nullptr;
  std::byte* m_pages = nullptr;
};

} // namespace hone::backend::cpu
