// hone-cpu-inspector: carries a plan out once, group after group, and looks at every access to memory that the compiler
// let it see (-fsanitize=kernel-address calls the functions below before each load and store).
// Runs in the jail, in the job's folder: device.so, launches.txt, buffers.txt and the contents of buffers in,
// findings.txt out: one line each, its kind first.
#include "backend/cpu/watched_memory.h"
#include "backend/launch_list.h"

#include <algorithm>
#include <array>
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
using hone::cpu::BufferFacts;
using hone::cpu::WatchedMemory;

constexpr std::size_t k_most_arguments = 64;
constexpr unsigned k_deadline_s = 20; // a group may wait for one that is not there yet

WatchedMemory* g_memory = nullptr; // while a group runs

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

void carry_out(const ListedLaunch& launch, void* entry, WatchedMemory& memory)
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
  const std::int64_t groups = launch.groups[0] * launch.groups[1] * launch.groups[2];
  for (std::int64_t flat = 0; flat < groups; ++flat) {
    group.id[0] = flat % launch.groups[0];
    group.id[1] = flat / launch.groups[0] % launch.groups[1];
    group.id[2] = flat / launch.groups[0] / launch.groups[1];
    memory.begin_group(flat);
    g_memory = &memory;
    call_with(entry, group, values, std::make_index_sequence<k_most_arguments>());
    g_memory = nullptr;
  }
}

// What is wrong with the job, or nullptr.
const char* inspect(std::ofstream& findings)
{
  void* code = dlopen("./device.so", RTLD_NOW | RTLD_LOCAL);
  if (code == nullptr) {
    return dlerror();
  }
  WatchedMemory memory(buffers_of_job());
  for (std::size_t i = 0; i < memory.count(); ++i) {
    const std::string contents = text_of("buffer" + std::to_string(i));
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::memcpy(bytes.data(), contents.data(), std::min(contents.size(), bytes.size()));
  }
  alarm(k_deadline_s);
  for (const ListedLaunch& launch : hone::launches_from(text_of("launches.txt"))) {
    void* entry = dlsym(code, launch.kernel.c_str());
    if (entry == nullptr || launch.arguments.size() > k_most_arguments) {
      return "a launch cannot be carried out";
    }
    for (const ListedFill& fill : launch.fills) {
      carry_out(fill, memory);
    }
    carry_out(launch, entry, memory);
  }
  for (const std::string& finding : memory.findings()) {
    findings << finding << '\n';
  }
  return nullptr;
}

void look(const void* address, std::size_t size, bool write)
{
  if (WatchedMemory* memory = g_memory) {
    g_memory = nullptr; // what the look itself touches is not the candidate's
    memory->look(address, size, write);
    g_memory = memory;
  }
}

} // namespace

// What the compiler calls, and the functions that it makes of loops and assignments.
#define HONE_WATCHED(SIZE)                                                                                             \
  extern "C" void __asan_load##SIZE##_noabort(const void* address)                                                     \
  {                                                                                                                    \
    look(address, SIZE, false);                                                                                        \
  }                                                                                                                    \
  extern "C" void __asan_store##SIZE##_noabort(const void* address)                                                    \
  {                                                                                                                    \
    look(address, SIZE, true);                                                                                         \
  }
HONE_WATCHED(1)
HONE_WATCHED(2)
HONE_WATCHED(4)
HONE_WATCHED(8)
HONE_WATCHED(16)
extern "C" void __asan_loadN_noabort(const void* address, std::size_t size)
{
  look(address, size, false);
}
extern "C" void __asan_storeN_noabort(const void* address, std::size_t size)
{
  look(address, size, true);
}
extern "C" void __asan_handle_no_return() {}

// Calls of the C library's, which the linker leads here.
extern "C" void* __wrap_memmove(void* to, const void* from, std::size_t size)
{
  look(from, size, false);
  look(to, size, true);
  return std::memmove(to, from, size);
}
extern "C" void* __wrap_memcpy(void* to, const void* from, std::size_t size)
{
  return __wrap_memmove(to, from, size);
}
extern "C" void* __wrap_memset(void* to, int value, std::size_t size)
{
  look(to, size, true);
  return std::memset(to, value, size);
}

int main()
{
  std::ofstream findings("findings.txt"); // there also when nothing is found
  const char* trouble = inspect(findings);
  if (trouble != nullptr) {
    std::fprintf(stderr, "%s\n", trouble);
  }
  findings.flush();
  _exit(trouble == nullptr ? 0 : 1);
}
