#include "backend/cpu/teller.h"

#include "backend/cpu/told_access.h"
#include "backend/cpu/told_assembly.h"
#include "backend/cpu/watch_hooks.h"

extern "C" {
// Read by the code below.
[[gnu::used, gnu::visibility("hidden")]] std::uint64_t hone_is_told = 0;

[[gnu::used, gnu::visibility("hidden")]] void hone_told(const hone::cpu::GeneralRegisters* registers,
                                                        const std::byte* vectors)
{
  using namespace hone::cpu;
  static InstructionReader reader;
  // Behind the registers lies where the call returns to, and then what the stack held.
  const auto* returns = reinterpret_cast<const std::uint64_t*>(registers + 1);
  const auto* instruction = reinterpret_cast<const std::byte*>(*returns) + k_told_distance;
  const std::uint64_t rsp = reinterpret_cast<std::uint64_t>(returns + 1) + k_red_zone;
  const auto thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  const auto* frame = reinterpret_cast<const void*>(rsp - k_red_zone);
  bool atomic = false;
  for (const ToldAccess& access : reader.accesses(instruction, *registers, rsp, thread, VectorState(vectors))) {
    const auto* address = reinterpret_cast<const void*>(access.address);
    if (access.moves_stack) {
      look_at_stack(address);
    }
    if (access.jump == ToldJump::there) {
      look_at_jump(address);
    } else if (access.jump == ToldJump::as_it_says) {
      look_at_jump(*static_cast<const void* const*>(address));
    }
    if (access.reads) {
      look_from(frame, address, access.bytes, Access::may_read);
    }
    if (access.writes) {
      look_from(frame, address, access.bytes, access.locked ? Access::atomic_write : Access::write);
    }
    atomic = atomic || access.locked;
  }
  if (atomic) { // when nothing of what is above is needed any more: it is others' from here on
    let_others_go_on();
  }
}
}

// Everything is saved that C++ may change: the general registers, as told_access.h declares them, and what XSAVE knows
// of the x87 unit and of vectors (mask 0xe7), in its standard format.
asm(R"(
    .text
    .globl hone_tell
    .type hone_tell, @function
hone_tell:
    pushq %rcx
    movq hone_is_told(%rip), %rcx
    jrcxz 1f
    jmp 2f
1:  popq %rcx
    ret
2:  popq %rcx
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
    subq $4096, %rsp
    xorl %eax, %eax
    movq %rax, 512(%rsp)
    movq %rax, 520(%rsp)
    movq %rax, 528(%rsp)
    movq %rax, 536(%rsp)
    movq %rax, 544(%rsp)
    movq %rax, 552(%rsp)
    movq %rax, 560(%rsp)
    movq %rax, 568(%rsp)
    movl $0xe7, %eax
    xorl %edx, %edx
    xsave64 (%rsp)
    movq %rsp, %rsi
    call hone_told
    movl $0xe7, %eax
    xorl %edx, %edx
    xrstor64 (%rsp)
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
    .size hone_tell, . - hone_tell
)");

void hone::cpu::tell_accesses(bool told)
{
  hone_is_told = told ? 1 : 0;
}
