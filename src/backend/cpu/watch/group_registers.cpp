#include "backend/cpu/watch/group_registers.h"

#include <array>
#include <cpuid.h>
#include <cstddef>
#include <cstring>

namespace {

// As XSAVE stores them, in the standard format: x87 state, xmm registers, a header, the rest.
constexpr std::size_t k_state_bytes = 4096;
constexpr std::size_t k_control_at = 0, k_mxcsr_at = 24, k_registers_at = 32, k_header_at = 512, k_rest_at = 576;
constexpr std::uint16_t k_control = 0x37f;
constexpr std::uint32_t k_mxcsr = 0x1f80;
constexpr std::uint64_t k_components = 0xe7; // x87, SSE, AVX, masks and the two of AVX-512

// The components that the operating system saves; 0: none.
std::uint32_t saved_components()
{
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) {
    return 0;
  }
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d) == 0) {
    return 0;
  }
  return static_cast<std::uint32_t>(low & k_components);
}

} // namespace

extern "C" {
// Read and written by the code below.
struct HoneGroupState {
  alignas(64) std::array<std::byte, k_state_bytes> state;
  std::uint64_t rax, r10, r11;
};
[[gnu::used, gnu::visibility("hidden")]] HoneGroupState hone_group_state{};
[[gnu::used, gnu::visibility("hidden")]] void* hone_group_entry = nullptr;
[[gnu::used, gnu::visibility("hidden")]] std::uint64_t hone_group_returns = 0, hone_group_rdx = 0;
[[gnu::used, gnu::visibility("hidden")]] std::uint32_t hone_group_components = saved_components();
void hone_enter_group();
}

// Stack arguments stay where the group expects them: its return address replaces ours.
asm(R"(
    .text
    .globl hone_enter_group
    .hidden hone_enter_group
    .type hone_enter_group, @function
hone_enter_group:
    popq hone_group_returns(%rip)
    movq %rdx, hone_group_rdx(%rip)
    movl hone_group_components(%rip), %eax
    xorl %edx, %edx
    xrstor64 hone_group_state(%rip)
    movq hone_group_rdx(%rip), %rdx
    movq 4096+hone_group_state(%rip), %rax
    movq 4104+hone_group_state(%rip), %r10
    movq 4112+hone_group_state(%rip), %r11
    call *hone_group_entry(%rip)
    movq %rax, 4096+hone_group_state(%rip)
    movq %r10, 4104+hone_group_state(%rip)
    movq %r11, 4112+hone_group_state(%rip)
    movl hone_group_components(%rip), %eax
    xorl %edx, %edx
    xsave64 hone_group_state(%rip)
    pushq hone_group_returns(%rip)
    ret
    .size hone_enter_group, . - hone_enter_group
)");

namespace hone::backend::cpu {
namespace {

template <class T> void put(std::size_t at, T value)
{
  std::memcpy(hone_group_state.state.data() + at, &value, sizeof value);
}

// No exception is pending, and the x87 registers are tagged empty, whatever they hold.
void make_state_valid()
{
  std::memset(hone_group_state.state.data(), 0, k_registers_at);
  put(k_control_at, k_control);
  put(k_mxcsr_at, k_mxcsr);
  std::memset(hone_group_state.state.data() + k_header_at, 0, k_rest_at - k_header_at);
  put(k_header_at, static_cast<std::uint64_t>(hone_group_components));
}

void randomize_state(Random& random)
{
  for (std::size_t at = 0; at < k_state_bytes; at += sizeof(std::uint64_t)) {
    put(at, random.next());
  }
  make_state_valid();
  hone_group_state.rax = random.next();
  hone_group_state.r10 = random.next();
  hone_group_state.r11 = random.next();
}

} // namespace

void* entry_with_registers(void* entry, GroupRegisters registers, Random& random)
{
  if (hone_group_components == 0) {
    return entry;
  }
  if (registers == GroupRegisters::randomized) {
    randomize_state(random);
  }
  hone_group_entry = entry;
  return reinterpret_cast<void*>(&hone_enter_group);
}

void clear_registers()
{
  static_assert(offsetof(HoneGroupState, rax) == 4096 && offsetof(HoneGroupState, r11) == 4112);
  hone_group_state = {};
  make_state_valid();
}

} // namespace hone::backend::cpu
