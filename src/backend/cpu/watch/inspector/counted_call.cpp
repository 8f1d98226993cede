#include "backend/cpu/watch/inspector/counted_call.h"

#include "backend/cpu/watch/access_callback.h"
#include "backend/cpu/watch/fibers.h"
#include "backend/cpu/watch/inspector/inspection_job.h"
#include "backend/cpu/watch/inspector/inspector_state.h"
#include "backend/cpu/watch/instrumented_library.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <new>
#include <sstream>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

namespace hone::backend::cpu {
namespace {

constexpr const char* k_counted_library = "./counted.so";
constexpr std::size_t k_page_bytes = 4096;
constexpr std::uint64_t k_stack_depth = 8 << 20;
constexpr long k_longest_s = 15; // CPU time of a run that makes few accesses, or waits for a group that comes later

// Where the caches see memory. The same in each run, so that counts are; pages stay pages.
constexpr std::uint64_t k_buffers_seen_at = std::uint64_t{1} << 32;
constexpr std::uint64_t k_library_seen_at = std::uint64_t{1} << 44;
constexpr std::uint64_t k_stack_seen_at = std::uint64_t{1} << 45;

std::uint64_t as_number(const void* address)
{
  return reinterpret_cast<std::uint64_t>(address);
}

[[noreturn]] void give_up(const std::string& why)
{
  std::fprintf(stderr, "error: %s\n", why.c_str());
  _exit(1);
}

void count_instruction(const GeneralRegisters* registers, const VectorRegisters* vectors)
{
  if (CountedCall* const call = g_inspector.counted) {
    call->count(*registers, *vectors);
  }
}

// Nothing else runs in this process: between accesses the handler may do anything.
void end_by_timer(int)
{
  if (CountedCall* const call = g_inspector.counted) {
    if (!g_inspector.is_recording) {
      call->finish(false);
    }
    call->expire();
  }
}

} // namespace

CountedCall::CountedCall(const std::vector<CacheLevel>& levels, std::uint64_t most_accesses, std::int64_t threads,
                         std::vector<ListedLaunch> launches, const std::vector<BufferFacts>& buffers)
  : m_recorder(levels), m_most_accesses(most_accesses), m_threads(threads), m_launches(std::move(launches))
{
  std::size_t shared_bytes = 0;
  for (const ListedLaunch& launch : m_launches) {
    shared_bytes = std::max(shared_bytes, static_cast<std::size_t>(launch.shared_bytes));
    m_groups += groups_of(launch);
  }
  // Each begins with a page, with a page between it and the next.
  std::size_t end = 0;
  const auto place = [&](std::size_t bytes) {
    m_offsets.push_back(end);
    end += (bytes + k_page_bytes - 1) / k_page_bytes * k_page_bytes + k_page_bytes;
  };
  for (const BufferFacts& facts : buffers) {
    place(facts.bytes);
    m_sizes.push_back(facts.bytes);
  }
  place(shared_bytes);
  place(sizeof(GroupDescription));
  void* const memory = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    give_up("there is no memory for the call's buffers");
  }
  m_memory = static_cast<std::byte*>(memory);
  const auto add = [&](std::size_t number, std::size_t bytes, MemoryKind kind, const std::string& name) {
    const std::uint64_t begin = as_number(m_memory + m_offsets[number]);
    m_recorder.add_memory({begin, begin + bytes, k_buffers_seen_at + m_offsets[number], kind, name});
  };
  add(buffers.size() + 1, sizeof(GroupDescription), MemoryKind::other, "");
  add(buffers.size(), shared_bytes, MemoryKind::shared, "");
  const std::uint64_t stack_end = as_number(Fibers::stack_end(0));
  m_recorder.add_memory({stack_end - k_stack_depth, stack_end, k_stack_seen_at - k_stack_depth, MemoryKind::stack, ""});
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    add(i, buffers[i].bytes, MemoryKind::buffer, buffers[i].name);
    if (!buffers[i].empty) {
      std::ifstream("buffer" + std::to_string(i), std::ios::binary)
        .read(reinterpret_cast<char*>(buffer(static_cast<std::int64_t>(i))),
              static_cast<std::streamsize>(buffers[i].bytes));
    }
  }
}

std::string CountedCall::prepare(void* library)
{
  for (const ListedLaunch& launch : m_launches) {
    m_entries.push_back(dlsym(library, launch.kernel.c_str()));
    if (m_entries.back() == nullptr || launch.arguments.size() > k_max_launch_arguments) {
      return "a launch names a missing kernel, or has too many arguments";
    }
  }
  if (m_entries.empty()) {
    return "the call has no launches";
  }
  add_library(m_entries.front());
  return {};
}

// The library around an address: its code and its constants.
void CountedCall::add_library(const void* code)
{
  struct Search {
    std::uint64_t code = 0, base = 0, end = 0;
  } search{as_number(code)};
  const auto visit = [](dl_phdr_info* library, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    std::uint64_t end = library->dlpi_addr;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      if (const auto& header = library->dlpi_phdr[i]; header.p_type == PT_LOAD) {
        end = std::max(end, library->dlpi_addr + header.p_vaddr + header.p_memsz);
      }
    }
    const bool found = wanted.code >= library->dlpi_addr && wanted.code < end;
    if (found) {
      wanted.base = library->dlpi_addr;
      wanted.end = end;
    }
    return found ? 1 : 0;
  };
  dl_iterate_phdr(visit, &search);
  m_library = search.base;
  m_library_end = search.end;
  m_recorder.add_memory({search.base, search.end, k_library_seen_at, MemoryKind::constants, ""});
}

void CountedCall::run()
{
  for (std::size_t i = 0; i < m_launches.size(); ++i) {
    const ListedLaunch& launch = m_launches[i];
    apply_fills(launch);
    GroupArguments values{};
    for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
      const ListedArgument& argument = launch.arguments[a];
      values[a] = argument.buffer ? as_number(buffer(argument.value)) : static_cast<std::uint64_t>(argument.value);
    }
    const auto shared = static_cast<std::int64_t>(m_offsets.size()) - 2;
    auto& description = *new (buffer(shared + 1)) GroupDescription;
    for (std::int64_t group = 0; group < groups_of(launch); ++group) {
      description = description_of(launch, group, buffer(shared));
      m_recorder.set_thread(static_cast<std::uint32_t>(group * m_threads / groups_of(launch)));
      g_inspector.counted = this;
      set_callback_mode(CallbackMode::all);
      call_group_function(m_entries[i], description, values);
      set_callback_mode(CallbackMode::off);
      g_inspector.counted = nullptr;
      ++m_groups_run;
    }
  }
}

void CountedCall::apply_fills(const ListedLaunch& launch)
{
  for (const ListedFill& fill : launch.fills) {
    const auto bytes = static_cast<std::size_t>(fill.element_bytes);
    std::byte* const begin = buffer(fill.buffer);
    const std::size_t end = m_sizes.at(static_cast<std::size_t>(fill.buffer));
    for (std::size_t at = 0; at + bytes <= end; at += bytes) {
      std::memcpy(begin + at, &fill.pattern, bytes);
    }
  }
}

void CountedCall::count(const GeneralRegisters& registers, const VectorRegisters& vectors)
{
  g_inspector.is_recording = true;
  const auto [instruction, rsp, fs_base] = callback_place(&registers);
  for (const MemoryAccess& access : m_decoder.decode_accesses(instruction, registers, rsp, fs_base, vectors)) {
    if (access.reads || access.writes) {
      m_recorder.record({as_number(instruction) - m_library, access.address, access.bytes, access.reads, access.writes,
                         access.non_temporal});
    }
  }
  stop_if_spent();
  g_inspector.is_recording = false;
}

void CountedCall::count_by_library(const void* frame, const void* address, std::size_t bytes, Access access)
{
  g_inspector.is_recording = true;
  // The first return address into the candidate's code: that of the call of the library's function.
  const auto* word = static_cast<const std::uint64_t*>(frame);
  const auto* const end = static_cast<const std::uint64_t*>(Fibers::stack_end(0));
  word = std::find_if(word, end, [&](std::uint64_t value) { return value > m_library && value < m_library_end; });
  const bool reads = access == Access::read || access == Access::atomic_read || access == Access::may_read;
  m_recorder.record({word == end ? 0 : *word - 1 - m_library, as_number(address), bytes, reads, !reads, false});
  stop_if_spent();
  g_inspector.is_recording = false;
}

void CountedCall::stop_if_spent()
{
  if (m_is_expired || (m_most_accesses > 0 && m_recorder.accesses() >= m_most_accesses)) {
    finish(false);
  }
}

void CountedCall::finish(bool whole)
{
  g_inspector.counted = nullptr;
  CallCounts counts = m_recorder.counts();
  counts.groups_run = m_groups_run;
  counts.groups = m_groups;
  counts.whole = whole;
  std::ofstream addresses("addresses.txt");
  for (const InstructionCounts& each : counts.instructions) {
    addresses << "0x" << std::hex << each.offset << '\n';
  }
  std::ofstream("counts.txt") << to_text(counts) << std::flush;
  addresses << std::flush;
  _exit(0);
}

void count_call()
{
  const InspectionJob job("");
  std::istringstream words(file_contents("count.txt"));
  std::uint64_t most_accesses = 0;
  std::int64_t threads = 1;
  words >> most_accesses >> threads;
  std::vector<CacheLevel> levels;
  for (CacheLevel level; words >> level.name >> level.bytes >> level.line_bytes >> level.ways;) {
    levels.push_back(level);
  }
  if (levels.empty()) {
    give_up("count.txt names no cache");
  }
  if (const std::string why = why_unwatchable(k_counted_library); !why.empty()) {
    give_up(why);
  }
  void* const library = dlopen(k_counted_library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    give_up(dlerror());
  }
  static CountedCall call(levels, most_accesses, threads, job.launches(), job.buffers());
  if (const std::string why = call.prepare(library); !why.empty()) {
    give_up(why);
  }
  hone_access_recorder = count_instruction;
  std::signal(SIGPROF, end_by_timer);
  const itimerval timer{{0, 0}, {k_longest_s, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  static Fibers fibers; // the call's stack: nothing else lies in it
  fibers.start(0, [] { call.run(); });
  fibers.resume(0);
  call.finish(true);
}

} // namespace hone::backend::cpu
