// hone-cpu-inspector: carries a plan out, group after group, and looks at every access to memory that the compiler let
// it see: once as -fsanitize=thread does, which calls the functions below in place of atomic operations and before each
// load and store, and once as -fsanitize=kernel-address does, which tells what is copied in blocks. Of a large call it
// watches as many groups as a number of accesses is enough for. Runs in the jail, in the job's folder: device.so,
// copies.so, watch.txt, launches.txt, buffers.txt and the contents of buffers in, findings.txt out: one line each, its
// kind first; and resultN, what the buffers hold afterwards.
#include "backend/cpu/watch_order.h"
#include "backend/cpu/watched_memory.h"
#include "backend/launch_list.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using hone::ListedArgument;
using hone::ListedFill;
using hone::ListedLaunch;
using hone::cpu::Access;
using hone::cpu::BufferFacts;
using hone::cpu::WatchedMemory;
using hone::cpu::WatchOrder;

constexpr std::size_t k_most_arguments = 64;
constexpr std::int64_t k_most_groups = 1 << 24;
constexpr unsigned k_deadline_s = 20; // a group may wait for one that is not there yet

WatchedMemory* g_memory = nullptr; // while a group runs that is watched

// For the handler of signals, which ends the process: what was found so far is not lost.
WatchedMemory* g_inspected = nullptr;
std::ofstream* g_findings = nullptr;
volatile bool g_group_runs = false;
volatile bool g_looking = false; // at an access of that group
volatile bool g_expired = false; // in the middle of such a look

// As hone.h declares it.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

std::string text_of(const std::string& path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A line per buffer: bytes, bytes of an element, whether launches may write it, name. Its contents lie in bufferN.
std::vector<BufferFacts> buffers_of_job()
{
  std::vector<BufferFacts> buffers;
  std::istringstream lines(text_of("buffers.txt"));
  for (BufferFacts facts; lines >> facts.bytes >> facts.element_bytes >> facts.writable >> facts.name;) {
    buffers.push_back(facts);
  }
  return buffers;
}

template <std::size_t... Is>
void call_with(void* entry, const Group& group, const std::array<std::uint64_t, k_most_arguments>& values,
               std::index_sequence<Is...>)
{
  using Function = void (*)(const Group*, decltype(Is, std::uint64_t{})...);
  reinterpret_cast<Function>(entry)(&group, values[Is]...); // more than the callee takes is harmless
}

void carry_out(const ListedFill& fill, WatchedMemory& memory)
{
  const std::span<std::byte> bytes = memory.bytes_of(static_cast<std::size_t>(fill.buffer));
  const auto size = static_cast<std::size_t>(fill.element_bytes);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::memcpy(bytes.data() + at, &fill.pattern, size);
  }
}

struct Watch {
  std::uint64_t seed = 0;        // of the order of groups
  std::size_t most_accesses = 0; // 0: all
};

Watch watch_of_job()
{
  Watch watch;
  std::istringstream(text_of("watch.txt")) >> watch.seed >> watch.most_accesses;
  return watch;
}

// `most`: accesses that are watched. Groups that are not watched run too where something comes after them.
// Returns how many were watched.
std::int64_t carry_out(const ListedLaunch& launch, void* entry, WatchedMemory& memory, const Watch& watch,
                       std::size_t most, bool last)
{
  std::array<std::uint64_t, k_most_arguments> values{};
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ListedArgument& argument = launch.arguments[i];
    values[i] = argument.buffer
                  ? reinterpret_cast<std::uint64_t>(memory.bytes_of(static_cast<std::size_t>(argument.value)).data())
                  : static_cast<std::uint64_t>(argument.value);
  }
  memory.begin_launch(launch.kernel, launch.reduced);
  const std::span<std::byte> shared = memory.make_shared(static_cast<std::size_t>(launch.shared_bytes));
  Group group{{}, {launch.groups[0], launch.groups[1], launch.groups[2]}, shared.data(), launch.shared_bytes};
  std::int64_t watched = 0;
  WatchOrder order(launch.groups, watch.seed);
  while (const auto flat = order.next()) {
    const bool looking = most == 0 || memory.looks() < most;
    if (!looking && last) {
      break;
    }
    group.id[0] = *flat % launch.groups[0];
    group.id[1] = *flat / launch.groups[0] % launch.groups[1];
    group.id[2] = *flat / launch.groups[0] / launch.groups[1];
    memory.begin_group(*flat);
    g_memory = looking ? &memory : nullptr;
    g_group_runs = true;
    call_with(entry, group, values, std::make_index_sequence<k_most_arguments>());
    g_group_runs = false;
    g_memory = nullptr;
    watched += looking ? 1 : 0;
  }
  return watched;
}

void write_findings(const WatchedMemory& memory, std::ofstream& findings)
{
  for (const std::string& finding : memory.findings()) {
    findings << finding << '\n';
  }
}

// A group that crashes is at fault, and what it did before is known. One that waits for another may have been seen to.
// Nothing else goes on, so that the handler may do as it likes.
void end_by_signal(int signal)
{
  if (signal == SIGALRM && g_looking) {
    g_expired = true;
    return;
  }
  if (g_inspected != nullptr && g_findings != nullptr && g_group_runs && !g_looking) {
    g_group_runs = false;
    if (signal != SIGALRM) {
      *g_findings << "crash killed by " << strsignal(signal) << '\n';
    }
    write_findings(*g_inspected, *g_findings);
    g_findings->flush();
    if (signal != SIGALRM || !g_inspected->findings().empty()) {
      _exit(0);
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_signals()
{
  static std::array<std::byte, 64 << 10> stack;
  const stack_t other{stack.data(), 0, stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
}

void write_results(WatchedMemory& memory)
{
  for (std::size_t i = 0; i < memory.count(); ++i) {
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::ofstream("result" + std::to_string(i), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

// Carries the job out with one of its libraries. What is wrong with the job, or nullptr.
const char* inspect(const char* library, std::ofstream& findings)
{
  void* code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (code == nullptr) {
    return dlerror();
  }
  WatchedMemory memory(buffers_of_job());
  g_inspected = &memory;
  for (std::size_t i = 0; i < memory.count(); ++i) {
    const std::string contents = text_of("buffer" + std::to_string(i));
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::memcpy(bytes.data(), contents.data(), std::min(contents.size(), bytes.size()));
  }
  const Watch watch = watch_of_job();
  const std::vector<ListedLaunch> launches = hone::launches_from(text_of("launches.txt"));
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const ListedLaunch& launch = launches[i];
    void* entry = dlsym(code, launch.kernel.c_str());
    if (entry == nullptr || launch.arguments.size() > k_most_arguments) {
      return "a launch cannot be carried out";
    }
    for (const ListedFill& fill : launch.fills) {
      carry_out(fill, memory);
    }
    const std::int64_t groups = launch.groups[0] * launch.groups[1] * launch.groups[2];
    if (groups > k_most_groups) {
      return "a launch has too many groups";
    }
    const std::int64_t watched =
      carry_out(launch, entry, memory, watch, watch.most_accesses / launches.size(), i + 1 == launches.size());
    if (watched < groups) {
      findings << "part " << watched << " of " << groups << " groups (" << launch.kernel << ")\n";
    }
  }
  g_inspected = nullptr;
  write_findings(memory, findings);
  write_results(memory);
  return nullptr;
}

void look(const volatile void* address, std::size_t size, Access access)
{
  if (WatchedMemory* memory = g_memory) {
    g_memory = nullptr; // what the look itself touches is not the candidate's
    g_looking = true;
    memory->look(const_cast<const void*>(address), size, access);
    g_looking = false;
    g_memory = memory;
    if (g_expired) {
      std::raise(SIGALRM);
    }
  }
}

template <class T> using Cell = volatile T*;

// Every third exchange finds that another group was there first: who does not try again loses what it had to add.
template <class T> int exchange_if_equal(Cell<T> address, T* expected, T desired)
{
  static unsigned exchanges = 0;
  look(address, sizeof(T), Access::atomic_write);
  if (g_memory != nullptr && ++exchanges % 3 == 1) {
    *expected = __atomic_load_n(address, __ATOMIC_SEQ_CST);
    return 0;
  }
  return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;
}

} // namespace

// What the compiler calls: before accesses, and in place of atomic operations.
#define HONE_WATCHED(SIZE)                                                                                             \
  extern "C" void __tsan_read##SIZE(const void* address)                                                               \
  {                                                                                                                    \
    look(address, SIZE, Access::read);                                                                                 \
  }                                                                                                                    \
  extern "C" void __tsan_write##SIZE(const void* address)                                                              \
  {                                                                                                                    \
    look(address, SIZE, Access::write);                                                                                \
  }
HONE_WATCHED(1)
HONE_WATCHED(2)
HONE_WATCHED(4)
HONE_WATCHED(8)
HONE_WATCHED(16)
extern "C" void __tsan_read_range(const void* address, std::size_t size)
{
  look(address, size, Access::read);
}
extern "C" void __tsan_write_range(const void* address, std::size_t size)
{
  look(address, size, Access::write);
}

// What the other one calls: before accesses that have not been told within a few lines, atomic ones among them.
#define HONE_TOLD(SIZE)                                                                                                \
  extern "C" void __asan_load##SIZE##_noabort(const void* address)                                                     \
  {                                                                                                                    \
    look(address, SIZE, Access::may_read);                                                                             \
  }                                                                                                                    \
  extern "C" void __asan_store##SIZE##_noabort(const void* address)                                                    \
  {                                                                                                                    \
    look(address, SIZE, Access::may_write);                                                                            \
  }
HONE_TOLD(1)
HONE_TOLD(2)
HONE_TOLD(4)
HONE_TOLD(8)
HONE_TOLD(16)
extern "C" void __asan_loadN_noabort(const void* address, std::size_t size)
{
  look(address, size, Access::may_read);
}
extern "C" void __asan_storeN_noabort(const void* address, std::size_t size)
{
  look(address, size, Access::may_write);
}
extern "C" void __asan_handle_no_return() {}

#define HONE_WATCHED_CHANGE(BITS, TYPE, NAME)                                                                          \
  extern "C" TYPE __tsan_atomic##BITS##_##NAME(Cell<TYPE> address, TYPE value, int)                                    \
  {                                                                                                                    \
    look(address, sizeof(TYPE), Access::atomic_write);                                                                 \
    return __atomic_##NAME(address, value, __ATOMIC_SEQ_CST);                                                          \
  }
#define HONE_WATCHED_ATOMICS(BITS, TYPE)                                                                               \
  extern "C" TYPE __tsan_atomic##BITS##_load(Cell<TYPE> address, int)                                                  \
  {                                                                                                                    \
    look(address, sizeof(TYPE), Access::atomic_read);                                                                  \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                                 \
  }                                                                                                                    \
  extern "C" void __tsan_atomic##BITS##_store(Cell<TYPE> address, TYPE value, int)                                     \
  {                                                                                                                    \
    look(address, sizeof(TYPE), Access::write); /* over what others added since it was read */                         \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                                    \
  extern "C" TYPE __tsan_atomic##BITS##_exchange(Cell<TYPE> address, TYPE value, int)                                  \
  {                                                                                                                    \
    look(address, sizeof(TYPE), Access::atomic_write);                                                                 \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                                    \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_add)                                                                           \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_sub)                                                                           \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_and)                                                                           \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_or)                                                                            \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_xor)                                                                           \
  HONE_WATCHED_CHANGE(BITS, TYPE, fetch_nand)                                                                          \
  extern "C" int __tsan_atomic##BITS##_compare_exchange_strong(Cell<TYPE> address, TYPE* expected, TYPE desired, int,  \
                                                               int)                                                    \
  {                                                                                                                    \
    return exchange_if_equal<TYPE>(address, expected, desired);                                                        \
  }                                                                                                                    \
  extern "C" int __tsan_atomic##BITS##_compare_exchange_weak(Cell<TYPE> address, TYPE* expected, TYPE desired, int,    \
                                                             int)                                                      \
  {                                                                                                                    \
    return exchange_if_equal<TYPE>(address, expected, desired);                                                        \
  }
HONE_WATCHED_ATOMICS(8, std::uint8_t)
HONE_WATCHED_ATOMICS(16, std::uint16_t)
HONE_WATCHED_ATOMICS(32, std::uint32_t)
HONE_WATCHED_ATOMICS(64, std::uint64_t)

extern "C" void __tsan_init() {}
extern "C" void __tsan_atomic_thread_fence(int)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
extern "C" void __tsan_atomic_signal_fence(int) {}

// Calls of the C library's functions, which the linker leads here.
extern "C" void* __wrap_memmove(void* to, const void* from, std::size_t size)
{
  look(from, size, Access::read);
  look(to, size, Access::write);
  return std::memmove(to, from, size);
}
extern "C" void* __wrap_memcpy(void* to, const void* from, std::size_t size)
{
  return __wrap_memmove(to, from, size);
}
extern "C" void* __wrap_memset(void* to, int value, std::size_t size)
{
  look(to, size, Access::write);
  return std::memset(to, value, size);
}

int main()
{
  std::ofstream findings("findings.txt"); // there also when nothing is found
  g_findings = &findings;
  handle_signals();
  alarm(k_deadline_s);
  const char* trouble = inspect("./copies.so", findings);
  if (trouble == nullptr) {
    trouble = inspect("./device.so", findings); // the results are this one's
  }
  if (trouble != nullptr) {
    std::fprintf(stderr, "%s\n", trouble);
  }
  findings.flush();
  _exit(trouble == nullptr ? 0 : 1);
}
