// Long because it is all of one small program: what runs in the locked process should be read in one piece.
// hone-runner-cpu: calls work-groups of native code in a locked process. Static and small: starting it costs little,
// and nothing of use to a candidate lies in its address space.
#include "backend/cpu/runner_extension.h"
#include "backend/runner/fill.h"
#include "backend/runner/pool.h"
#include "backend/runner/runner_core.h"

#include <array>
#include <atomic>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <optional>
#include <sys/auxv.h>
#include <utility>

namespace {

using namespace hone::backend::runner;
using namespace hone::backend::runner::cpu;

// What the core knows nothing of, as it lies in the job.
const Extension& extension(const JobView& job)
{
  return job.extension<Extension>();
}

std::uint64_t entry_of(const JobView& job, std::uint32_t launch)
{
  return job.at<std::uint64_t>(extension(job).entry_offset)[launch];
}

std::uint64_t shared_of(const JobView& job, std::uint32_t worker)
{
  return job.at<std::uint64_t>(extension(job).shared_offset)[worker];
}

// Laid out as hone_group in include/hone.h, which is written for candidates and brings more than this file wants.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

// A candidate's arguments are pointers and 64-bit integers, so all travel the same way. Passing more than the callee
// takes is harmless: the caller owns registers and stack of the surplus. Reads as many values as it passes: the job's
// table is followed by other tables, so reading past a row is reading memory of ours.
//
// `stack_end`: of the stack to call on, a multiple of 16; nullptr: this one. `flags`: twice as much leaves the flags of
// arithmetic. `kept`: what the registers hold that a function must keep. Returns 0 where it kept them.
using Caller = std::uint64_t (*)(char* stack_end, std::uint64_t entry, const Group* group, const std::uint64_t* values,
                                 std::uint64_t flags, const std::uint64_t* kept);

using KeptRegisters = std::array<std::uint64_t, 6>; // rbx, rbp, r12 to r15

constexpr std::size_t k_register_values = 5; // what fits into registers beside the group

#if defined(__x86_64__)
extern "C" {
std::uint64_t hone_call_5(char*, std::uint64_t, const Group*, const std::uint64_t*, std::uint64_t,
                          const std::uint64_t*);
std::uint64_t hone_call_13(char*, std::uint64_t, const Group*, const std::uint64_t*, std::uint64_t,
                           const std::uint64_t*);
std::uint64_t hone_call_61(char*, std::uint64_t, const Group*, const std::uint64_t*, std::uint64_t,
                           const std::uint64_t*);
}
static_assert(k_most_arguments <= 61);
asm(R"(
    .text
    .macro hone_call values
    .type hone_call_\values, @function
hone_call_\values:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, %rax
    testq %rdi, %rdi
    cmovzq %rsp, %rdi
    andq $-16, %rdi
    movq %rdi, %rsp
    pushq %rax
    pushq %r9
    .set hone_left, \values - 1
    .rept \values - 5
    pushq 8*hone_left(%rcx)
    .set hone_left, hone_left - 1
    .endr
    movq (%r9), %rbx
    movq 8(%r9), %rbp
    movq 16(%r9), %r12
    movq 24(%r9), %r13
    movq 32(%r9), %r14
    movq 40(%r9), %r15
    movq %r8, %r10
    movq %rsi, %rax
    movq %rdx, %rdi
    movq 32(%rcx), %r9
    movq 24(%rcx), %r8
    movq 8(%rcx), %rdx
    movq (%rcx), %rsi
    movq 16(%rcx), %rcx
    addq %r10, %r10
    call *%rax
    leaq 8*(\values - 5)(%rsp), %rsp
    popq %rcx
    xorq (%rcx), %rbx
    xorq 8(%rcx), %rbp
    xorq 16(%rcx), %r12
    xorq 24(%rcx), %r13
    xorq 32(%rcx), %r14
    xorq 40(%rcx), %r15
    movq %rbx, %rax
    orq %rbp, %rax
    orq %r12, %rax
    orq %r13, %rax
    orq %r14, %rax
    orq %r15, %rax
    popq %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size hone_call_\values, . - hone_call_\values
    .endm
    hone_call 5
    hone_call 13
    hone_call 61
)");

Caller caller_for(std::uint32_t arguments)
{
  if (arguments <= k_register_values) {
    return hone_call_5;
  }
  return arguments <= 13 ? hone_call_13 : hone_call_61;
}
#else
std::uint64_t call_plainly(char*, std::uint64_t entry, const Group* group, const std::uint64_t* values, std::uint64_t,
                           const std::uint64_t*)
{
  const auto pass = [&]<std::size_t... Is>(std::index_sequence<Is...>)
  {
    using Function = void (*)(const Group*, decltype(Is, std::uint64_t{})...);
    reinterpret_cast<Function>(entry)(group, values[Is]...);
  };
  pass(std::make_index_sequence<k_most_arguments>());
  return 0;
}

Caller caller_for(std::uint32_t)
{
  return call_plainly;
}
#endif

// Registers that code may set without the kernel's help, where the machine allows it: a place to keep something.
bool segment_bases_can_be_set()
{
  constexpr unsigned long k_fsgsbase = 2;
  return (getauxval(AT_HWCAP2) & k_fsgsbase) != 0;
}
const bool g_segment_bases = segment_bases_can_be_set();

bool protection_keys_are_on()
{
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned k_on = 1U << 4;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & k_on) != 0;
#else
  return false;
#endif
}
const bool g_protection_keys = protection_keys_are_on();

constexpr std::uint32_t k_arithmetic_flags = 0x3f; // of MXCSR: they note what happened
// Of MXCSR: results below the smallest normal number are zeros, and so are such operands.
constexpr std::uint32_t k_flush_results = 1 << 15, k_flush_operands = 1 << 6;

// How the CPU computes for whoever calls: rounding, denormals, exceptions (but for what MXCSR notes of what
// happened), which way strings are walked and what else code may set in the flags, the segment registers, their bases
// and the rights of protection keys. A function leaves it as it found it.
struct ControlState {
  std::uint32_t vectors = 0, protection = 0;
  std::uint16_t x87 = 0;
  std::uint8_t x87_in_use = 0; // a bit for each register that is not empty
  std::uint8_t x87_top = 0;    // the number of the one that comes next
  std::uint64_t flags = 0, fs_base = 0, gs_base = 0;
  std::array<std::uint32_t, 4> segments{};
  bool operator==(const ControlState&) const = default;
};

// `whole`: with what is too slow to look at while something is timed.
ControlState control_state(bool whole)
{
  ControlState state;
#if defined(__x86_64__)
  constexpr std::uint64_t k_flags = 0x400 | 0x4000 | 0x40000 | 0x200000; // direction, nested task, alignment, ID
  asm volatile("fnstcw %0" : "=m"(state.x87));
  if (whole) {
    alignas(16) std::array<std::uint8_t, 512> area;
    asm volatile("fxsave %0" : "=m"(area));
    state.x87_in_use = area[4];
    state.x87_top = area[3] >> 3 & 7;
  }
  state.vectors = __builtin_ia32_stmxcsr() & ~k_arithmetic_flags;
  state.flags = __builtin_ia32_readeflags_u64() & k_flags;
  asm volatile("mov %%ds, %0\n\tmov %%es, %1\n\tmov %%fs, %2\n\tmov %%gs, %3"
               : "=r"(state.segments[0]), "=r"(state.segments[1]), "=r"(state.segments[2]), "=r"(state.segments[3]));
  if (g_segment_bases) {
    asm volatile("rdfsbase %0\n\trdgsbase %1" : "=r"(state.fs_base), "=r"(state.gs_base));
  }
  if (g_protection_keys) {
    asm volatile("rdpkru" : "=a"(state.protection) : "c"(0) : "rdx");
  }
#endif
  return state;
}

// What arithmetic of either unit has noted for whoever asks; a function adds to it.
std::uint32_t arithmetic_flags()
{
#if defined(__x86_64__)
  std::uint16_t old_unit = 0;
  asm volatile("fnstsw %0" : "=m"(old_unit));
  return (__builtin_ia32_stmxcsr() & k_arithmetic_flags) | (old_unit & k_arithmetic_flags) << 8;
#else
  return 0;
#endif
}

#if defined(__x86_64__)
const bool g_avx = __builtin_cpu_supports("avx") != 0;
const bool g_avx512 = __builtin_cpu_supports("avx512bw") != 0;
#endif

// Stores past the caches are seen by whoever learns that the groups are done. Candidates need no fences of their own,
// and gain nothing by leaving them out.
void fence()
{
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

// What a call leaves in registers must not reach the next one, nor what it noted in the status of its arithmetic.
void clear_registers()
{
#if defined(__x86_64__)
  asm volatile("pxor %%mm0, %%mm0\n\tmovq %%mm0, %%mm1\n\tmovq %%mm0, %%mm2\n\tmovq %%mm0, %%mm3\n\t"
               "movq %%mm0, %%mm4\n\tmovq %%mm0, %%mm5\n\tmovq %%mm0, %%mm6\n\tmovq %%mm0, %%mm7\n\tfninit" ::
                 : "memory");
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~k_arithmetic_flags);
  if (g_avx512) {
    asm volatile(
      ".irp register, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "vpxord %%zmm\\register, %%zmm\\register, %%zmm\\register\n\t.endr\n\t"
      ".irp register, 0, 1, 2, 3, 4, 5, 6, 7\n\tkxorq %%k\\register, %%k\\register, %%k\\register\n\t.endr" ::
        : "memory");
  }
  if (g_avx) {
    asm volatile("vzeroall" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15");
  }
  asm volatile("xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\txor %%edx, %%edx\n\txor %%r8d, %%r8d\n\t"
               "xor %%r9d, %%r9d\n\txor %%r10d, %%r10d\n\txor %%r11d, %%r11d" ::
                 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc");
#endif
}

// Random bits (in MXCSR's notes, too), of the lower registers in their lower half only: full ones slow down code of
// older instruction sets.
void scramble_registers()
{
#if defined(__x86_64__)
  const std::uint64_t bits = next_bits(__builtin_ia32_rdtsc());
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | (static_cast<std::uint32_t>(bits >> 32) & k_arithmetic_flags));
  if (g_avx512) {
    asm volatile(".irp register, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
                 "vpbroadcastq %0, %%zmm\\register\n\t.endr\n\t"
                 ".irp register, 0, 1, 2, 3, 4, 5, 6, 7\n\tkmovq %0, %%k\\register\n\t.endr" ::"r"(bits)
                 : "memory");
  }
  if (g_avx) {
    asm volatile("vmovq %0, %%xmm0\n\t"
                 ".irp register, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0\n\t"
                 "vpunpcklqdq %%xmm0, %%xmm0, %%xmm\\register\n\t.endr" ::"r"(bits)
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                   "xmm12", "xmm13", "xmm14", "xmm15", "memory");
  }
  asm volatile(".irp register, 0, 1, 2, 3, 4, 5, 6, 7\n\tmovq %0, %%mm\\register\n\t.endr\n\temms" ::"r"(bits)
               : "memory");
  asm volatile("mov %0, %%rax\n\tmov %0, %%rcx\n\tmov %0, %%rdx\n\tmov %0, %%r8\n\tmov %0, %%r9\n\t"
               "mov %0, %%r10\n\tmov %0, %%r11" ::"b"(bits)
               : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11");
#endif
}

// What compiled code leaves in a vector register: a number, with zeros above it, or a vector.
struct alignas(16) LeftInRegister {
  std::uint64_t low = 0, high = 0;
};

[[maybe_unused]] LeftInRegister left_by_code(std::uint64_t bits)
{
  constexpr double k_steps = 1 << 12; // numbers of few digits and of many
  const auto small = static_cast<double>(bits >> 40) / k_steps;
  switch (bits >> 32 & 3) {
  case 0:
    return {__builtin_bit_cast(std::uint32_t, static_cast<float>(small)), 0};
  case 1:
    return {__builtin_bit_cast(std::uint64_t, small / 3), 0};
  case 2:
    return {bits >> 52, 0};
  default:
    return {bits, next_bits(bits)};
  }
}

// What other code has left; each call finds another part of it. Made once for all calls of a block.
struct LeftByOthers {
  static constexpr std::size_t k_parts = 8;
  std::array<LeftInRegister, 16 + k_parts> vectors;
  std::array<double, 8 + k_parts> numbers;

  void make(std::uint64_t seed)
  {
    for (LeftInRegister& vector : vectors) {
      seed = next_bits(seed);
      vector = left_by_code(seed);
    }
    for (double& number : numbers) {
      seed = next_bits(seed);
      number = static_cast<double>(seed >> 40) / 3;
    }
  }
};
LeftByOthers g_left_by_others;

// Registers as they are after other code has run: scalars, masks of some length, counts and addresses, and in the old
// unit's the digits of numbers, all of them empty, after a sum that was not exact.
void leave_registers_as_code_does()
{
#if defined(__x86_64__)
  const std::uint64_t bits = next_bits(__builtin_ia32_rdtsc());
  const std::uint64_t part = bits >> 32 & (LeftByOthers::k_parts - 1);
  const LeftInRegister* const vectors = g_left_by_others.vectors.data() + part;
  const double* const numbers = g_left_by_others.numbers.data() + part;
  asm volatile("fninit\n\tfld1\n\tfldpi\n\tfaddp\n\tfstp %%st(0)\n\t"
               ".irp number, 0, 8, 16, 24, 32, 40, 48, 56\n\tfldl \\number(%0)\n\t.endr\n\temms" ::"r"(numbers)
               : "memory");
  if (g_avx512) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (bits >> 58), other = mask & bits >> 32;
    asm volatile(".irp register, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
                 "vmovdqu64 (\\register - 16) * 16(%0), %%xmm\\register\n\t.endr\n\t"
                 ".irp register, 1, 3, 5, 7\n\tkmovq %1, %%k\\register\n\t.endr\n\t"
                 ".irp register, 0, 2, 4, 6\n\tkmovq %2, %%k\\register\n\t.endr" ::"r"(vectors),
                 "r"(mask), "r"(other)
                 : "memory");
  }
  if (g_avx) {
    asm volatile(".irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
                 "vmovdqu \\register * 16(%0), %%xmm\\register\n\t.endr" ::"r"(vectors)
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                   "xmm12", "xmm13", "xmm14", "xmm15", "memory");
  }
  asm volatile("mov %0, %%rax\n\tmov %1, %%rcx\n\tmov %0, %%rdx\n\tmov %1, %%r8\n\txor %%r9d, %%r9d\n\t"
               "mov %0, %%r10\n\tmov %1, %%r11" ::"b"(bits >> 52),
               "S"(vectors)
               : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc");
#endif
}

// What a function finds in the registers that it may overwrite: zeros, anything, what other code may have left, or what
// the call before did.
enum class Registers { zero, random, used, left };

void set_registers(Registers registers)
{
  if (registers != Registers::left) {
    clear_registers();
  }
  if (registers == Registers::random) {
    scramble_registers();
  } else if (registers == Registers::used) {
    leave_registers_as_code_does();
  }
}

[[maybe_unused]] Registers drawn_registers(std::uint64_t seed, bool alone)
{
  // Alone mostly what is there: who keeps something there must find it before it is of no use any more. Where calls are
  // timed together, whoever is slow after what it did not leave itself is so in most of them.
  constexpr std::array k_ways{Registers::zero, Registers::random, Registers::random, Registers::used,
                              Registers::left, Registers::left,   Registers::left,   Registers::left};
  constexpr std::array k_timed_ways{Registers::zero, Registers::used, Registers::random, Registers::left,
                                    Registers::used, Registers::left, Registers::random, Registers::used};
  return (alone ? k_ways : k_timed_ways)[next_bits(seed) >> 61];
}

void scramble(std::uint64_t address, std::int64_t bytes, std::uint64_t seed)
{
  auto* words = reinterpret_cast<std::uint32_t*>(address);
  for (std::int64_t i = 0; i < bytes / 4; ++i) {
    seed = next_bits(seed);
    words[i] = static_cast<std::uint32_t>(seed >> 32);
  }
}

char* g_other_stack_end = nullptr;

// nullptr, or what went wrong.
const char* map_other_stack(std::uint64_t end)
{
  if (end == 0) {
    return nullptr;
  }
  if (map_stack(end) == nullptr) {
    return "no memory for another stack";
  }
  g_other_stack_end = reinterpret_cast<char*>(end);
  return nullptr;
}

// A caller whose arithmetic flushes to zero, which bounds leave room for, or whose stack lies elsewhere: where threads
// have theirs, and near tensors, which may be what its functions declare. `own_segment`: some keep a block of their own
// where the segment register gs begins.
class OtherCaller {
public:
  OtherCaller(std::uint32_t flushes, bool other_stack, bool own_segment) : m_flushes(control_bits(flushes))
  {
#if defined(__x86_64__)
    if (own_segment && g_segment_bases) {
      const std::uint64_t bits = next_bits(__builtin_ia32_rdtsc());
      constexpr int k_above_addresses = 17; // programs have 47 bits
      if (bits >> 63 != 0) {
        asm volatile("rdgsbase %0" : "=r"(m_former_segment.emplace()));
        asm volatile("wrgsbase %0" ::"r"(bits >> k_above_addresses));
      }
    }
    if (other_stack && g_other_stack_end != nullptr) {
      const std::uint64_t bits = next_bits(__builtin_ia32_rdtsc());
      m_top = g_other_stack_end - (bits >> 32 & 0xff0);
      scramble_words(reinterpret_cast<std::uint64_t*>(m_top - k_near_stack_bytes),
                     k_near_stack_bytes / sizeof(std::uint64_t), bits);
    }
    if (m_flushes != 0) {
      __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | m_flushes);
    }
#endif
  }
  OtherCaller(const OtherCaller&) = delete;
  OtherCaller& operator=(const OtherCaller&) = delete;
  ~OtherCaller()
  {
#if defined(__x86_64__)
    if (m_flushes != 0) {
      __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~m_flushes);
    }
    if (m_former_segment) {
      asm volatile("wrgsbase %0" ::"r"(*m_former_segment));
    }
#endif
  }

  // nullptr: that of whoever asks.
  char* stack_end() const
  {
    return m_top;
  }

private:
  static std::uint32_t control_bits(std::uint32_t flushes)
  {
    return ((flushes & k_flushes_results) != 0 ? k_flush_results : 0)
           | ((flushes & k_flushes_operands) != 0 ? k_flush_operands : 0);
  }

  char* m_top = nullptr;
  std::uint32_t m_flushes;
  std::optional<std::uint64_t> m_former_segment; // where it began for this caller's own caller, if that was changed
};

// By a group, on any worker.
std::atomic<bool> g_control_changed = false;
std::atomic<bool> g_kept_registers_changed = false;

const char* what_was_changed()
{
  if (g_kept_registers_changed) {
    return "left registers changed that a function must keep (rbx, rbp, r12 to r15)";
  }
  return g_control_changed ? "left the CPU's control state changed (MXCSR and what it had noted, x87 control word, x87 "
                             "and MMX registers in use, flags, segment registers and their bases, protection keys)"
                           : nullptr;
}

// Not one of several that are timed together, where nothing slow may come between.
bool is_made_alone(const JobView& job)
{
  return job.head().command != Command::run_block || job.head().block_calls == 1;
}

// One launch on one set, ready to be called for any of its groups.
struct LaunchCall {
  const JobView& job;
  const Launch& launch;
  const std::uint64_t* values;
  std::uint64_t entry;
  Caller caller;
  std::uint32_t number; // among those of its block

  LaunchCall(const JobView& view, std::uint32_t set, std::uint32_t index, std::uint32_t call = 0)
    : job(view), launch(view.launch(index)), values(view.values(launch, set)), entry(entry_of(view, index)),
      caller(caller_for(launch.argument_count)), number(call * view.launches() + index)
  {
  }
  std::int64_t groups() const { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

  // What a caller has in them: a loop over groups keeps its arguments there; or anything.
  KeptRegisters kept_registers(std::uint64_t bits) const
  {
    KeptRegisters kept;
    const bool arguments = launch.argument_count > 0 && bits >> 63 != 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = arguments ? values[((bits >> 32 & 0xff) + i) % launch.argument_count] : bits + i;
    }
    return kept;
  }

  void run(std::uint32_t worker, std::int64_t first, std::int64_t count, Registers registers, std::uint32_t flushes,
           bool other_stack) const
  {
    Group group = {};
    for (int i = 0; i < 3; ++i) {
      group.count[i] = launch.grid[i];
    }
    group.shared = reinterpret_cast<void*>(shared_of(job, worker));
    group.shared_bytes = launch.shared_bytes;
    const bool whole = is_made_alone(job);
    const OtherCaller by(flushes, other_stack && worker == 0, whole);
    const ControlState control = control_state(whole);
    std::uint64_t bits = next_bits(control.flags ^ reinterpret_cast<std::uint64_t>(values));
    const KeptRegisters kept = kept_registers(bits);
    std::uint64_t changed = 0;
    set_registers(registers);
    const std::uint32_t noted = whole ? arithmetic_flags() : 0; // registers are set: where several are timed, nothing
    for (std::int64_t flat = first; flat < first + count; ++flat) {
      group.id[0] = flat % launch.grid[0];
      group.id[1] = flat / launch.grid[0] % launch.grid[1];
      group.id[2] = flat / launch.grid[0] / launch.grid[1];
      changed |= caller(by.stack_end(), entry, &group, values, bits, kept.data());
      bits = next_bits(bits);
    }
    fence();
    if (changed != 0) {
      g_kept_registers_changed = true;
    }
    if (control_state(whole) != control || (whole && (noted & ~arithmetic_flags()) != 0)) {
      g_control_changed = true;
    }
  }
};

Registers registers_for(const LaunchCall& launched)
{
#if defined(__x86_64__)
  const Extension& asked = extension(launched.job);
  if (asked.keeps_registers != 0) {
    return Registers::left;
  }
  const std::uint64_t seed =
    asked.registers_seed != 0 ? asked.registers_seed + launched.number : __builtin_ia32_rdtsc();
  return drawn_registers(seed, is_made_alone(launched.job));
#else
  return Registers::zero;
#endif
}

std::uint32_t flushes(const JobView& job)
{
  return extension(job).flushes;
}

bool on_other_stack(const JobView& job)
{
  return extension(job).other_stack != 0;
}

const char* call(const JobView& job, std::uint32_t set, std::uint32_t index)
{
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      const Fill& fill = job.fill(launch.first_fill + k);
      fill_buffer(job.buffer(set, fill.buffer), fill);
    }
    const LaunchCall launched(job, set, i, index);
    launched.run(0, 0, launched.groups(), registers_for(launched), flushes(job), on_other_stack(job));
  }
  return what_was_changed();
}

struct FillCall {
  const Buffer& buffer;
  const Fill& fill;
};

// Below this, handing a fill out costs more than it gains.
constexpr std::uint64_t k_shared_fill_bytes = 64 << 10;

void fill_on_pool(const FillCall& call)
{
  if (call.fill.elements * call.fill.element_bytes < k_shared_fill_bytes) {
    fill_buffer(call.buffer, call.fill);
    return;
  }
  run_on_pool(
    [](const void* context, std::uint32_t, std::int64_t first, std::int64_t count) {
      const auto& own = *static_cast<const FillCall*>(context);
      fill_elements(own.buffer, own.fill, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
    },
    &call, static_cast<std::int64_t>(call.fill.elements));
}

// Fills and launches one after another, each on all workers: the next starts when all are done.
const char* call_on_pool(const JobView& job, std::uint32_t set, std::uint32_t index)
{
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      const Fill& fill = job.fill(launch.first_fill + k);
      fill_on_pool({job.buffer(set, fill.buffer), fill});
    }
    const LaunchCall launched(job, set, i, index);
    run_on_pool(
      [](const void* context, std::uint32_t worker, std::int64_t first, std::int64_t count) {
        const auto& own = *static_cast<const LaunchCall*>(context);
        own.run(worker, first, count, registers_for(own), flushes(own.job), on_other_stack(own.job));
      },
      &launched, launched.groups());
  }
  return what_was_changed();
}

bool g_has_pool = false;

const char* prepare(const JobView& job)
{
  if (const char* failure = map_other_stack(extension(job).other_stack_end)) {
    return failure;
  }
  g_has_pool = job.workers() > 1;
  return g_has_pool ? start_pool(job) : nullptr;
}

const char* call_either_way(const JobView& job, std::uint32_t set, std::uint32_t index)
{
#if defined(__x86_64__)
  if (index == 0) {
    g_left_by_others.make(__builtin_ia32_rdtsc());
  }
#endif
  return g_has_pool ? call_on_pool(job, set, index) : call(job, set, index);
}

// Where many groups are run, all of the near stack is scrambled before the first of them, and before one in 32 after
// that: it takes ten times as long as a small group. What one group leaves close to its frame no other one finds.
constexpr std::int64_t k_groups_with_other_stack = 512;
constexpr std::uint64_t k_later_ones_in = 32;
constexpr std::size_t k_nearest_stack_bytes = 8 << 10;

// What another launch left there is no buffer of the plan; the same launch has left something only where it ran before.
void scramble_deep_stack(const JobView& job)
{
  const Extension& asked = extension(job);
  const bool deep = job.launches() > 1 || job.head().command_sequence % k_deep_one_in == 0;
  if (asked.group_keeps_shared == 0 && asked.group_count > 1 && deep) {
    scramble_stack(job.head().command_sequence, k_deep_stack_bytes);
  }
}

// One by one. What one group leaves in shared scratch, or below its stack, is there for the next only where that is
// asked for: another worker may run it.
const char* run_groups(const JobView& job)
{
  const Extension& asked = extension(job);
  const LaunchCall launched(job, asked.group_set, asked.group_launch);
  g_left_by_others.make(job.head().command_sequence);
  for (std::int64_t i = 0; i < asked.group_count; ++i) {
    const std::int64_t group = asked.group_first + (asked.group_descending != 0 ? asked.group_count - 1 - i : i);
    Registers found = Registers::left;
    bool other_stack = false;
    if (asked.group_keeps_shared == 0) {
      const std::uint64_t seed = std::uint64_t{job.head().command_sequence} << 40 ^ static_cast<std::uint64_t>(group);
      scramble(shared_of(job, 0), launched.launch.shared_bytes, seed);
      const std::uint64_t bits = next_bits(seed) >> 32;
      const bool all = i < k_groups_with_other_stack || bits % k_later_ones_in == 0;
      scramble_stack(seed, all ? k_near_stack_bytes : k_nearest_stack_bytes);
      found = (bits >> 8 & 1) != 0 ? Registers::random : Registers::used;
      other_stack = (group & 1) != 0;
    }
    launched.run(0, group, 1, found, false, other_stack);
  }
  return what_was_changed();
}

const char* execute_extension(const JobView& job, Command command)
{
  if (command != k_run_groups) {
    return "was given a command that it does not know";
  }
  const Extension& asked = extension(job);
  if (asked.group_with_fills != 0) {
    const Launch& launch = job.launch(asked.group_launch);
    for (std::uint32_t i = 0; i < launch.fill_count; ++i) {
      const Fill& fill = job.fill(launch.first_fill + i);
      fill_buffer(job.buffer(asked.group_set, fill.buffer), fill);
    }
  }
  scramble_deep_stack(job);
  return run_groups(job);
}

} // namespace

int main()
{
  Platform platform;
  platform.prepare = prepare;
  platform.call = call_either_way;
  platform.wake = wake_pool;
  platform.rest = rest_pool;
  platform.extension = execute_extension;
  return hone::backend::runner::run(platform);
}
