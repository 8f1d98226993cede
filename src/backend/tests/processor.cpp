#include "processor.h"

#include <algorithm>
#include <cpuid.h>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using hone::backend::cpu::k_present_at;
using hone::backend::cpu::k_state_bytes;

constexpr std::size_t k_hole_bytes = 16;
constexpr std::size_t k_page = 4096;
constexpr std::size_t k_guard = 16 * k_page;
constexpr std::array k_signals{SIGILL, SIGSEGV, SIGFPE, SIGBUS, SIGTRAP};
constexpr std::size_t k_last_x87_at = 8, k_last_x87_bytes = 16; // where its last instruction and operand lay

sigjmp_buf back; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): a handler has nothing else
std::array<struct sigaction, k_signals.size()> before;
alignas(16) std::array<std::byte, 65536> handler_stack;
stack_t stack_before;

void give_up(int number)
{
  siglongjmp(back, number);
}

} // namespace

extern "C" {
// Written and read by the code below.
alignas(64) std::array<std::byte, 4096> hone_processor_state;
std::array<std::uint64_t, 16> hone_processor_registers;
std::uint64_t hone_processor_stack;
void hone_processor_run();
void hone_processor_reset(); // what a function may count on
extern std::byte hone_processor_hole[k_hole_bytes];
}

// All registers are loaded, the instruction in the hole is carried out, all registers are stored. A pop finds 77. The
// hole has a page to itself and its surroundings, as it is written to.
asm(R"(
.pushsection .text
.p2align 12
hone_processor_run:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, hone_processor_stack(%rip)
  mov $0xe7, %eax
  xor %edx, %edx
  xrstor64 hone_processor_state(%rip)
  pushq $77
  pushq 120+hone_processor_registers(%rip)
  popfq
  mov hone_processor_registers(%rip), %rax
  mov 8+hone_processor_registers(%rip), %rcx
  mov 16+hone_processor_registers(%rip), %rdx
  mov 24+hone_processor_registers(%rip), %rbx
  mov 32+hone_processor_registers(%rip), %rbp
  mov 40+hone_processor_registers(%rip), %rsi
  mov 48+hone_processor_registers(%rip), %rdi
  mov 56+hone_processor_registers(%rip), %r8
  mov 64+hone_processor_registers(%rip), %r9
  mov 72+hone_processor_registers(%rip), %r10
  mov 80+hone_processor_registers(%rip), %r11
  mov 88+hone_processor_registers(%rip), %r12
  mov 96+hone_processor_registers(%rip), %r13
  mov 104+hone_processor_registers(%rip), %r14
  mov 112+hone_processor_registers(%rip), %r15
hone_processor_hole:
  .fill 16, 1, 0x90
  mov %rax, hone_processor_registers(%rip)
  mov %rcx, 8+hone_processor_registers(%rip)
  mov %rdx, 16+hone_processor_registers(%rip)
  mov %rbx, 24+hone_processor_registers(%rip)
  mov %rbp, 32+hone_processor_registers(%rip)
  mov %rsi, 40+hone_processor_registers(%rip)
  mov %rdi, 48+hone_processor_registers(%rip)
  mov %r8, 56+hone_processor_registers(%rip)
  mov %r9, 64+hone_processor_registers(%rip)
  mov %r10, 72+hone_processor_registers(%rip)
  mov %r11, 80+hone_processor_registers(%rip)
  mov %r12, 88+hone_processor_registers(%rip)
  mov %r13, 96+hone_processor_registers(%rip)
  mov %r14, 104+hone_processor_registers(%rip)
  mov %r15, 112+hone_processor_registers(%rip)
  mov hone_processor_stack(%rip), %rsp
  pushfq
  popq 120+hone_processor_registers(%rip)
  mov $0xe7, %eax
  xor %edx, %edx
  xsave64 hone_processor_state(%rip)
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
hone_processor_reset:
  pushq $0x202
  popfq
  fninit
  vzeroall
  pushq $0x1f80
  ldmxcsr (%rsp)
  add $8, %rsp
  ret
.p2align 12
.popsection
)");

namespace hone::backend::cpu {

VectorRegisters vector_registers(const ProcessorState& state)
{
  enum Component { legacy = 1, upper_halves_of_ymm = 2, masks = 5, upper_halves_of_zmm = 6, upper_registers = 7 };
  constexpr std::size_t xmm_at = 160;
  VectorRegisters registers{};
  const auto copy = [&](int component, std::size_t bytes, const auto& to) {
    unsigned a = 0, at = 0, c = 0, d = 0;
    if (component > legacy
        && (__get_cpuid_count(0xd, static_cast<unsigned>(component), &a, &at, &c, &d) == 0 || a == 0)) {
      return;
    }
    const std::byte* from = state.vectors.data() + (component == legacy ? xmm_at : at);
    for (std::size_t i = 0; i < (component == masks ? 8U : 16U); ++i) {
      std::memcpy(to(i), from + bytes * i, bytes);
    }
  };
  copy(legacy, 16, [&](std::size_t i) { return registers.vectors[i].data(); });
  copy(upper_halves_of_ymm, 16, [&](std::size_t i) { return registers.vectors[i].data() + 16; });
  copy(upper_halves_of_zmm, 32, [&](std::size_t i) { return registers.vectors[i].data() + 32; });
  copy(upper_registers, 64, [&](std::size_t i) { return registers.vectors[16 + i].data(); });
  copy(masks, 8, [&](std::size_t i) { return &registers.masks[i]; });
  return registers;
}

Processor::Processor()
{
  if (__builtin_cpu_supports("avx") == 0) {
    m_why_not = "this processor has no AVX";
    return;
  }
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  m_components = low & 0xe7U;
  auto* const code = hone_processor_hole - reinterpret_cast<std::uintptr_t>(hone_processor_hole) % k_page;
  m_pages = static_cast<std::byte*>(
    mmap(nullptr, k_page + 2 * k_guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  if (m_pages == MAP_FAILED || mprotect(m_pages + k_guard, k_page, PROT_READ | PROT_WRITE) != 0
      || mprotect(code, k_page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    m_why_not = "this system lets nobody write code";
    return;
  }
  m_memory = m_pages + k_guard;
  const stack_t aside{.ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = handler_stack.size()};
  sigaltstack(&aside, &stack_before);
  struct sigaction action = {};
  action.sa_handler = give_up;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < k_signals.size(); ++i) {
    sigaction(k_signals[i], &action, &before[i]);
  }
}

Processor::~Processor()
{
  if (m_memory != nullptr) {
    for (std::size_t i = 0; i < k_signals.size(); ++i) {
      sigaction(k_signals[i], &before[i], nullptr);
    }
    sigaltstack(&stack_before, nullptr);
    munmap(m_pages, k_page + 2 * k_guard);
  }
}

const std::byte* Processor::place(std::span<const std::byte> instruction)
{
  std::fill_n(hone_processor_hole, k_hole_bytes, std::byte{0x90});
  std::ranges::copy(instruction, hone_processor_hole);
  return hone_processor_hole;
}

int Processor::run(const ProcessorState& begin, ProcessorState& end)
{
  hone_processor_state = {};
  std::ranges::copy(begin.vectors, hone_processor_state.begin());
  std::memcpy(hone_processor_state.data() + k_present_at, &m_components, sizeof m_components);
  std::memcpy(hone_processor_registers.data(), &begin.general, sizeof begin.general);
  if (const int number = sigsetjmp(back, 1); number != 0) {
    hone_processor_reset();
    return number;
  }
  hone_processor_run();
  std::memcpy(&end.general, hone_processor_registers.data(), sizeof end.general);
  std::memcpy(end.vectors.data(), hone_processor_state.data(), k_state_bytes);
  std::fill_n(end.vectors.begin() + k_last_x87_at, k_last_x87_bytes, std::byte{0});
  return 0;
}

} // namespace hone::backend::cpu
