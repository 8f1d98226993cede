#include "backend/cpu/watch/access_callback.h"

#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/memory_access.h"
#include "backend/cpu/watch/sanitizer_hooks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace {

// Saves the x87 state, which the callback does not save and other groups may change.
[[gnu::noinline]] void yield_with_x87_saved()
{
  alignas(16) std::array<std::byte, 512> unit{};
  asm volatile("fxsave64 %0" : "=m"(unit));
  hone::backend::cpu::yield_to_other_groups();
  asm volatile("fxrstor64 %0"
               :
               : "m"(unit)
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15");
}

// Overwrites the stack that the instruction frees, as a signal would: no group may rely on what is below the red zone.
// `rsp`: the stack pointer before the instruction; the callback's own frame lies below it.
void overwrite_freed_stack(std::uint64_t rsp, std::uint64_t moved_to)
{
  constexpr std::uint64_t k_most = 256 << 10;
  const std::uint64_t end = moved_to - hone::backend::cpu::k_red_zone;
  if (rsp < end && end < moved_to) {
    const std::uint64_t begin = std::max(rsp, end - std::min(end, k_most));
    std::memset(reinterpret_cast<void*>(begin), 0xff, end - begin);
  }
}

// By first and second byte (see hone_begins_locked). xchg with memory is atomic without a lock prefix.
constexpr std::array<std::uint8_t, 512> begins_locked()
{
  constexpr std::uint8_t k_yes = 1, k_second_decides = 2;
  constexpr std::size_t k_lock = 0xf0, k_exchange = 0x86, k_16_bits = 0x66, k_extended = 0x40, k_second = 256;
  std::array<std::uint8_t, 512> table{};
  for (const std::size_t byte : {k_lock, k_exchange, k_exchange + 1}) {
    table[byte] = k_yes;
    table[k_second + byte] = k_yes;
  }
  for (std::size_t byte = k_extended; byte < k_extended + 16; ++byte) {
    table[byte] = k_second_decides;
  }
  table[k_16_bits] = k_second_decides;
  return table;
}

} // namespace

extern "C" {
// Read by the code below.
[[gnu::used]] std::uint64_t hone_callback_mode = 0;
[[gnu::used, gnu::visibility("hidden")]] std::uint32_t hone_has_wide_vectors = 0, hone_has_vectors = 0;

// Whether an instruction may be atomic, by its first byte (entries 0 to 255; 2: the second byte decides) or second byte
// (from 256 on).
[[gnu::used, gnu::visibility("hidden")]] extern const std::array<std::uint8_t, 512> hone_begins_locked =
  begins_locked();

[[gnu::used, gnu::visibility("hidden")]] void
hone_record_accesses(const hone::backend::cpu::GeneralRegisters* registers,
                     const hone::backend::cpu::VectorRegisters* vectors)
{
  using namespace hone::backend::cpu;
  static AccessDecoder decoder;
  const auto [instruction, rsp, fs_base] = callback_place(registers);
  const auto* frame = reinterpret_cast<const void*>(rsp - k_red_zone);
  bool may_meet_others = false;
  for (const MemoryAccess& access : decoder.decode_accesses(instruction, *registers, rsp, fs_base, *vectors)) {
    const auto* address = reinterpret_cast<const void*>(access.address);
    if (access.moves_stack) {
      const void* const moved_to = access.stack_is_stored ? stack_stored_at(address) : address;
      if (record_stack_move(moved_to)) {
        overwrite_freed_stack(rsp, reinterpret_cast<std::uint64_t>(moved_to));
      }
    }
    if (access.jump == JumpTarget::address) {
      record_jump(address);
    } else if (access.jump == JumpTarget::stored_at_address) {
      record_jump(*static_cast<const void* const*>(address));
    }
    if (access.reads) {
      record_access_from(frame, address, access.bytes, Access::may_read);
    }
    if (access.writes) {
      record_access_from(frame, address, access.bytes, access.locked ? Access::atomic_write : Access::write);
    }
    may_meet_others = may_meet_others || access.locked || (access.reads && may_be_atomic_read(address));
  }
  if (may_meet_others || is_yield_due()) { // last: other groups overwrite the decoder's vector
    yield_with_x87_saved();
  }
}
}

void (*hone_access_recorder)(const hone::backend::cpu::GeneralRegisters*,
                             const hone::backend::cpu::VectorRegisters*) = hone_record_accesses;

namespace hone::backend::cpu {

// As the code below stores them.
static_assert(offsetof(VectorRegisters, masks) == 2048 && sizeof(VectorRegisters) == 2112);

} // namespace hone::backend::cpu

// Saves what C++ code may change: general registers, vectors and masks (memory_access.h), then MXCSR. Moves take a
// third of the time of XSAVE and XRSTOR. vzeroupper: the code that is called has no AVX, and on Intel processors each
// change with dirty upper halves would cost more than all the rest.
asm(R"(
    .text
    .globl hone_access_callback
    .type hone_access_callback, @function
hone_access_callback:
    pushq %rcx
    movq hone_callback_mode(%rip), %rcx
    jrcxz 1f
    jmp 2f
1:  popq %rcx
    ret
2:  leaq -2(%rcx), %rcx
    jrcxz 8f
    pushq %rax
    pushq %rdx
    movq 24(%rsp), %rdx
    leaq hone_begins_locked(%rip), %rax
    movzbl 8(%rdx), %ecx
    movzbl (%rax,%rcx), %ecx
    leaq -2(%rcx), %rcx
    jrcxz 6f
    leaq 2(%rcx), %rcx
    jmp 7f
6:  movzbl 9(%rdx), %ecx
    movzbl 256(%rax,%rcx), %ecx
7:  popq %rdx
    popq %rax
    jrcxz 1b
8:  popq %rcx
    pushfq
    pushq %r15
    pushq %r14
    pushq %r13
    pushq %r12
    pushq %r11
    pushq %r10
    pushq %r9
    pushq %r8
    pushq %rdi
    pushq %rsi
    pushq %rbp
    pushq %rbx
    pushq %rdx
    pushq %rcx
    pushq %rax
    cld
    movq %rsp, %rdi
    movq %rsp, %rbx
    andq $-64, %rsp
    subq $2176, %rsp
    movq %rsp, %rsi
    stmxcsr 2112(%rsp)
    cmpl $0, hone_has_wide_vectors(%rip)
    je 3f
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqa64 %zmm\n, 64*\n(%rsp)
    .endr
    .irp n,0,1,2,3,4,5,6,7
    kmovq %k\n, 2048+8*\n(%rsp)
    .endr
    vzeroupper
    call *hone_access_recorder(%rip)
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqa64 64*\n(%rsp), %zmm\n
    .endr
    .irp n,0,1,2,3,4,5,6,7
    kmovq 2048+8*\n(%rsp), %k\n
    .endr
    jmp 5f
3:  cmpl $0, hone_has_vectors(%rip)
    je 4f
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqa %ymm\n, 64*\n(%rsp)
    .endr
    vzeroupper
    call *hone_access_recorder(%rip)
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqa 64*\n(%rsp), %ymm\n
    .endr
    jmp 5f
4:  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movdqa %xmm\n, 64*\n(%rsp)
    .endr
    call *hone_access_recorder(%rip)
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movdqa 64*\n(%rsp), %xmm\n
    .endr
5:  ldmxcsr 2112(%rsp)
    movq %rbx, %rsp
    popq %rax
    popq %rcx
    popq %rdx
    popq %rbx
    popq %rbp
    popq %rsi
    popq %rdi
    popq %r8
    popq %r9
    popq %r10
    popq %r11
    popq %r12
    popq %r13
    popq %r14
    popq %r15
    popfq
    ret
    .size hone_access_callback, . - hone_access_callback
)");

void hone::backend::cpu::set_callback_mode(CallbackMode what)
{
  static_assert(static_cast<int>(CallbackMode::off) == 0 && static_cast<int>(CallbackMode::all) == 2
                && k_callback_distance == 8);
  hone_has_wide_vectors = __builtin_cpu_supports("avx512bw") != 0 ? 1 : 0;
  hone_has_vectors = __builtin_cpu_supports("avx") != 0 ? 1 : 0;
  hone_callback_mode = static_cast<std::uint64_t>(what);
}
