// hone-cpu-inspector: carries a plan out, group after group, and looks at every access to memory that the compiler let
// it see as -fsanitize=thread does, which calls the functions of watch_hooks.cpp in place of atomic operations and
// before each load and store; and, as far as a smaller number of accesses goes, at those that the instructions make
// that are timed, whatever they come from (told_assembly.h). Of a large call it watches as many groups as a number of
// accesses is enough for. `--tell FROM TO` prepares assembly text for that, `--check TOLD PLAIN` compares what was
// assembled from both (told_object.h). Runs in the jail, in the job's folder:
// device.so, told.so, watch.txt, launches.txt, buffers.txt and the contents of buffers in, findings.txt out: one line
// each, its kind first; and toldN and resultN, what buffer N holds after told.so and device.so, where watch.txt asks.
// `--each PREFIX...`: one job after the other, all but the libraries under names with these before them.
#include "backend/cpu/watch/access_callback.h"
#include "backend/cpu/watch/code_map.h"
#include "backend/cpu/watch/fibers.h"
#include "backend/cpu/watch/group_order.h"
#include "backend/cpu/watch/group_registers.h"
#include "backend/cpu/watch/guarded_variables.h"
#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/instrumented_library.h"
#include "backend/cpu/watch/interleaving.h"
#include "backend/cpu/watch/livelock.h"
#include "backend/cpu/watch/sanitizer_hooks.h"
#include "backend/cpu/watch/verify_instrumentation.h"
#include "backend/cpu/watch/watched_memory.h"
#include "backend/launch_list.h"
#include "util/huge_pages.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using hone::ListedArgument;
using hone::ListedFill;
using hone::ListedLaunch;
using hone::cpu::Access;
using hone::cpu::BufferFacts;
using hone::cpu::CodeMap;
using hone::cpu::GroupRegisters;
using hone::cpu::guarded_variables;
using hone::cpu::OwnMemory;
using hone::cpu::Standstill;
using hone::cpu::Tell;
using hone::cpu::tell_accesses;
using hone::cpu::Told;
using hone::cpu::TurnOrder;
using hone::cpu::Turns;
using hone::cpu::WatchedMemory;
using hone::cpu::WatchOrder;

constexpr std::size_t k_most_arguments = 64;
constexpr int k_most_heap = 512 << 20; // bytes
// Of a number of accesses: so many groups are watched at least, if there are so many, if not to their ends.
constexpr std::size_t k_shares = 4;
constexpr std::size_t k_most_told = 1'000'000;   // of a whole call; each costs as much as ten of the others
constexpr std::size_t k_told_share = 15;         // of a part: one for so many of the others
constexpr std::size_t k_guarded_share = 8;       // the same of accesses beside variables
constexpr std::size_t k_most_compared = 100'000; // of a whole call, between what registers may hold
constexpr std::size_t k_group = 16; // accesses that a group costs by itself: to find it, and to see what it changed
constexpr std::int64_t k_most_groups = 1 << 24;
constexpr std::size_t k_line = 64;
constexpr std::uint64_t k_lines_between = 1024; // the ends of the stacks that two launches run on, at most
constexpr const char* k_end = "end\n";          // of what was found: where a candidate leaves by itself it is missing
constexpr long k_longest_turn_us = 5000;
constexpr std::int64_t k_turns_to_a_look = 64; // for a standstill
constexpr unsigned k_deadline_s = 20;          // a group may wait for one that is not there yet

WatchedMemory* g_memory = nullptr; // while a group runs that is watched

// For the handler of signals, which ends the process: what was found so far is not lost.
WatchedMemory* g_inspected = nullptr;
std::ofstream* g_findings = nullptr;
volatile bool g_group_runs = false;
volatile bool g_looking = false;    // at an access of that group
volatile bool g_expired = false;    // in the middle of such a look
bool g_stack_is_left = false;       // what groups leave below their frames stays there
volatile bool g_way_is_due = false; // a group of which enough was seen may wait for others: they are to go on

// As hone.h declares it.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

// Of the groups of a launch, by their turns, in other places in each launch; not on the stack, which is the
// candidate's.
std::array<Group, 16 * Turns::k_most> g_groups{};

void write_findings(const WatchedMemory& memory, std::ofstream& findings)
{
  for (const std::string& finding : memory.findings()) {
    findings << finding << '\n';
  }
}

// Where a call cannot be carried on.
[[noreturn]] void end_with_findings()
{
  write_findings(*g_inspected, *g_findings);
  *g_findings << k_end << std::flush;
  _exit(0);
}

double cpu_seconds()
{
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Groups that nobody asks whether others may go on, as they wait in plain loads, or were watched enough, are stopped.
void make_way_due_every(long us)
{
  const itimerval timer{{0, us}, {0, us}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  g_way_is_due = false;
}

void note_that_way_is_due(int)
{
  if (g_group_runs && !g_looking) {
    g_way_is_due = true;
    tell_accesses(Tell::all);
  }
}

std::string g_prefix; // of the names of a job's files, where several lie in one folder

std::string in_job(const std::string& name)
{
  return g_prefix + name;
}

std::string text_of(const std::string& path)
{
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

// A line per buffer: bytes, bytes of an element, whether launches may write it, whether it holds nothing before the
// call, name. Its contents lie in bufferN.
std::vector<BufferFacts> buffers_of_job()
{
  std::vector<BufferFacts> buffers;
  std::istringstream lines(text_of(in_job("buffers.txt")));
  for (BufferFacts facts; lines >> facts.bytes >> facts.element_bytes >> facts.writable >> facts.empty >> facts.name;) {
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

struct Watch {
  std::uint64_t seed = 0;           // of the order of groups
  std::size_t most_accesses = 0;    // 0: all
  std::size_t arguments = 0;        // so many buffers are the call's arguments, the others scratch
  std::vector<std::size_t> results; // buffers whose contents afterwards are asked for
};

Watch watch_of_job()
{
  Watch watch;
  std::istringstream words(text_of(in_job("watch.txt")));
  words >> watch.seed >> watch.most_accesses >> watch.arguments;
  watch.results.assign(std::istream_iterator<std::size_t>(words), {});
  return watch;
}

std::int64_t groups_of(const ListedLaunch& launch)
{
  return launch.groups[0] * launch.groups[1] * launch.groups[2];
}

// 0: all.
std::size_t most_accesses(const Watch& watch, Told told)
{
  const bool all = watch.most_accesses == 0;
  switch (told) {
  case Told::plainly:
    return all ? k_most_told : watch.most_accesses / k_told_share;
  case Told::guarded:
    return watch.most_accesses / k_guarded_share;
  default:
    return watch.most_accesses;
  }
}

// A launch, group after group; where groups may meet in what they reduce, several of them in turns.
class LaunchAtHand {
public:
  LaunchAtHand(const ListedLaunch& launch, std::size_t number, void* entry, WatchedMemory& memory, std::uint64_t seed,
               bool whole)
    : m_launch(launch), m_entry(entry), m_memory(memory), m_whole(whole), m_order(launch.groups, seed),
      m_random(seed + number), m_first_place(m_random.below(g_groups.size())), m_turn_order(m_random)
  {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const ListedArgument& argument = launch.arguments[i];
      m_values[i] = argument.buffer ? address_of(static_cast<std::size_t>(argument.value))
                                    : static_cast<std::uint64_t>(argument.value);
    }
    memory.begin_launch(launch.kernel, launch.reduced);
    memory.make_shared(static_cast<std::size_t>(launch.shared_bytes));
  }

  // `most`: accesses that are watched; 0: all. Groups that are not watched run too, unless nobody asks for what they
  // do. Returns how many were watched.
  std::int64_t run(std::size_t most, bool is_all)
  {
    const auto [x, y, z] = m_launch.groups;
    m_memory.limit_group(most / std::min(k_shares, static_cast<std::size_t>(x * y * z)));
    if (!m_launch.reduced.empty() && m_memory.told() != Told::guarded) {
      run_in_turns(most);
    }
    // Groups are called from frames below this one, elsewhere in each launch: what an earlier one had there is not
    // theirs.
    m_top = __builtin_alloca(k_line * (1 + m_random.below(k_lines_between)));
    limit_to_stack(m_top, 0);
    while (const auto flat = m_order.next()) {
      if (has_had(most)) {
        m_memory.look_away();
        if (!is_all) {
          run_unwatched(*flat);
        }
        break;
      }
      run_watched(*flat);
    }
    m_memory.end_launch();
    return m_watched;
  }

  // Group after group as they are numbered, from a drawn one on and round, up to so many accesses. Returns how many
  // each has made. Where registers are drawn nothing is left on the stack either.
  std::vector<std::size_t> count_accesses(GroupRegisters registers, std::size_t most)
  {
    const auto [x, y, z] = m_launch.groups;
    std::vector<std::size_t> counts;
    m_memory.limit_group(0);
    limit_to_stack(Turns::end_of_stack(0), 0); // nothing else runs there
    g_stack_is_left = registers == GroupRegisters::as_left;
    const std::int64_t groups = x * y * z;
    const auto first = static_cast<std::int64_t>(m_random.below(static_cast<std::uint64_t>(groups)));
    for (std::int64_t i = 0; i < groups && m_memory.looks() < most; ++i) {
      const std::size_t before = m_memory.looks();
      prepare_group(0, (first + i) % groups);
      if (registers == GroupRegisters::drawn) {
        Turns::overwrite_stack(0, static_cast<int>(m_random.below(256)));
      }
      m_turns.begin(0, [&] { call_group(hone::cpu::with_registers(m_entry, registers, m_random)); });
      look_while([&] { m_turns.go_on(0); });
      end_group();
      counts.push_back(m_memory.looks() - before);
    }
    g_stack_is_left = false;
    m_memory.end_launch();
    return counts;
  }

  // In the middle of a group, now and then, or where it is due: others go on.
  void make_way()
  {
    if (m_in_turns && (g_way_is_due || m_turn_order.makes_way())) {
      g_way_is_due = false;
      m_turns.make_way();
    }
  }

  // Of a group of which enough was seen: whether it waits for others.
  Tell told_to_the_end() const { return m_in_turns ? Tell::locked : Tell::nothing; }

  // And makes way once all of an instruction was told.
  bool tells_plainly() const { return m_memory.told() == Told::plainly; }

  // In the middle of a group of which enough was seen: what the rest of it does is known already where variables are
  // guarded.
  void leave_early()
  {
    if (m_memory.told() == Told::guarded) {
      guarded_variables().forget(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                                 reinterpret_cast<std::uintptr_t>(m_top));
      longjmp(m_before_group, 1);
    }
  }

  std::uint64_t draw(std::uint64_t below) { return m_random.below(below); }

private:
  bool has_had(std::size_t most) const
  {
    return most > 0 && m_memory.looks() + k_group * static_cast<std::size_t>(m_watched) >= most;
  }

  Group& group_of(std::size_t turn) { return g_groups[(m_first_place + turn) % g_groups.size()]; }

  void limit_to_stack(const void* end, std::size_t turn)
  {
    OwnMemory own(m_entry, end);
    own.allow_reading(&group_of(turn), sizeof(Group));
    m_memory.limit_to(std::move(own));
  }

  // All groups, or as many as so many accesses are enough for: those that have begun are carried on to their ends.
  void run_in_turns(std::size_t most)
  {
    static_assert(Turns::k_most == WatchedMemory::k_most_under_way);
    for (std::size_t turn = 0; turn < Turns::k_most; ++turn) {
      m_memory.change_to(turn);
      limit_to_stack(Turns::end_of_stack(turn), turn);
    }
    m_in_turns = true;
    make_way_due_every(k_longest_turn_us);
    Standstill standstill;
    std::int64_t begun = 0, turns = 0;
    while (const auto turn = next_turn(most)) {
      go_on(*turn);
      if (m_watched != begun || !m_turns.is_under_way(*turn)) {
        standstill = {};
      } else if (m_whole && ++turns % k_turns_to_a_look == 0 // the clock is a system call
                 && standstill.lasts(cpu_seconds(), [this] { return m_memory.digest_of_reduced(); })) {
        m_memory.find_standstill();
        end_with_findings();
      }
      begun = m_watched;
    }
    make_way_due_every(0);
    m_in_turns = false;
    m_memory.change_to(0);
  }

  // One that has begun, or a new one; nothing where all are over.
  std::optional<std::size_t> next_turn(std::size_t most)
  {
    TurnOrder::UnderWay under_way;
    for (std::size_t turn = 0; turn < Turns::k_most; ++turn) {
      under_way[turn] = m_turns.is_under_way(turn);
    }
    const auto turn = m_turn_order.next(under_way, m_watched < groups_of(m_launch) && !has_had(most));
    if (turn && !under_way[*turn]) {
      begin_in_turn(*turn, *m_order.next());
    }
    return turn;
  }

  void begin_in_turn(std::size_t turn, std::int64_t flat)
  {
    m_memory.change_to(turn);
    prepare_group(turn, flat);
    m_turns.begin(turn, [this, turn] {
      call_with(m_entry, group_of(turn), m_values, std::make_index_sequence<k_most_arguments>());
    });
    ++m_watched;
  }

  void go_on(std::size_t turn)
  {
    m_memory.change_to(turn);
    look_while([&] { m_turns.go_on(turn); });
    if (!m_turns.is_under_way(turn)) {
      end_group();
    }
  }

  void prepare_group(std::size_t turn, std::int64_t flat)
  {
    const auto [x, y, z] = m_launch.groups;
    group_of(turn) = {
      {flat % x, flat / x % y, flat / x / y}, {x, y, z}, m_memory.shared().data(), m_launch.shared_bytes};
    m_memory.begin_group(flat);
  }

  template <class Run> void look_while(Run run)
  {
    g_memory = &m_memory;
    g_group_runs = true;
    tell_accesses(m_memory.has_seen_enough() ? told_to_the_end() : Tell::all);
    run();
    tell_accesses(Tell::nothing);
    g_group_runs = false;
    g_memory = nullptr;
  }

  void end_group()
  {
    g_looking = true;
    m_memory.end_group();
    g_looking = false;
  }

  std::uint64_t address_of(std::size_t buffer)
  {
    return reinterpret_cast<std::uint64_t>(m_memory.bytes_of(buffer).data());
  }

  [[gnu::noinline]] void run_watched(std::int64_t flat)
  {
    prepare_group(0, flat);
    look_while([this] {
      if (setjmp(m_before_group) == 0) {
        call_group(m_entry);
      }
    });
    end_group();
    ++m_watched;
  }

  // A group and all that are left.
  [[gnu::noinline]] void run_unwatched(std::int64_t flat)
  {
    g_group_runs = true;
    for (std::optional left(flat); left; left = m_order.next_of_rest()) {
      prepare_group(0, *left);
      call_group(m_entry);
    }
    g_group_runs = false;
  }

  void call_group(void* entry)
  {
    call_with(entry, group_of(0), m_values, std::make_index_sequence<k_most_arguments>());
  }

  const ListedLaunch& m_launch;
  void* m_entry;
  WatchedMemory& m_memory;
  bool m_whole; // the call is one of which all accesses are watched: a small one
  WatchOrder m_order;
  hone::Random m_random;
  std::array<std::uint64_t, k_most_arguments> m_values{};
  std::size_t m_first_place; // in g_groups
  TurnOrder m_turn_order;
  const void* m_top = nullptr; // of the stack that groups run on
  std::jmp_buf m_before_group{};
  Turns m_turns;
  bool m_in_turns = false;
  std::int64_t m_watched = 0;
};

LaunchAtHand* g_launch = nullptr;
CodeMap g_code;

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
    if (signal != SIGALRM || !g_inspected->findings().empty()) {
      end_with_findings();
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
  action.sa_handler = note_that_way_is_due;
  sigaction(SIGVTALRM, &action, nullptr);
}

std::string result_name(Told told, std::size_t buffer)
{
  return in_job((told == Told::plainly ? "told" : "result") + std::to_string(buffer));
}

void write_results(WatchedMemory& memory, const Watch& watch, Told told)
{
  for (const std::size_t i : watch.results) {
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::ofstream(result_name(told, i), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

void load_contents(WatchedMemory& memory)
{
  for (std::size_t i = 0; i < memory.count(); ++i) {
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::ifstream(in_job("buffer" + std::to_string(i)), std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

void fill_before(const ListedLaunch& launch, WatchedMemory& memory)
{
  for (const ListedFill& fill : launch.fills) {
    memory.fill(static_cast<std::size_t>(fill.buffer), fill.pattern, static_cast<std::size_t>(fill.element_bytes));
  }
}

// Carries the job out with one of its libraries. What is wrong with the job, or nothing.
std::string inspect(const char* library, WatchedMemory& memory, std::ofstream& findings)
{
  const Told told = memory.told();
  if (std::string why = hone::cpu::why_unwatchable(library); !why.empty()) {
    return why;
  }
  void* code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (code == nullptr) {
    return dlerror();
  }
  link_map* loaded = nullptr;
  if (told == Told::plainly && dlinfo(code, RTLD_DI_LINKMAP, &loaded) == 0) {
    g_code = CodeMap(text_of(library), loaded->l_addr);
  }
  g_inspected = &memory;
  load_contents(memory);
  const Watch watch = watch_of_job();
  const std::size_t most = most_accesses(watch, told);
  const std::vector<ListedLaunch> launches = hone::launches_from(text_of(in_job("launches.txt")));
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const ListedLaunch& launch = launches[i];
    void* entry = dlsym(code, launch.kernel.c_str());
    if (entry == nullptr || launch.arguments.size() > k_most_arguments) {
      return "a launch cannot be carried out";
    }
    fill_before(launch, memory);
    const std::int64_t groups = groups_of(launch);
    if (groups > k_most_groups) {
      return "a launch has too many groups";
    }
    LaunchAtHand at_hand(launch, i, entry, memory, watch.seed, watch.most_accesses == 0);
    g_launch = &at_hand;
    const bool nobody_asks = told == Told::guarded || (i + 1 == launches.size() && watch.results.empty());
    const std::int64_t watched = at_hand.run(most / launches.size(), nobody_asks);
    g_launch = nullptr;
    if (watched < groups && told == Told::apart) {
      findings << "part " << watched << " of " << groups << " groups (" << launch.kernel << ")\n";
    }
  }
  g_inspected = nullptr;
  memory.end_call();
  write_findings(memory, findings);
  if (told != Told::guarded) {
    write_results(memory, watch, told);
  }
  return {};
}

// What a call does, as far as it is the same each time: the number of accesses of each group, by launches, and the
// results.
struct CallOutcome {
  std::vector<std::vector<std::size_t>> accesses;
  std::vector<std::vector<std::byte>> results;
};

// A call that is watched whole, of a library that has been inspected, again and again in the same memory.
class RepeatedCall {
public:
  explicit RepeatedCall(void* code)
    : m_code(code), m_watch(watch_of_job()), m_launches(hone::launches_from(text_of(in_job("launches.txt")))),
      m_memory(buffers_of_job(), Told::plainly)
  {
  }

  // `elsewhere`: each value lies in another place of its argument.
  CallOutcome carry_out(GroupRegisters registers, bool elsewhere)
  {
    CallOutcome outcome;
    load(elsewhere);
    g_inspected = &m_memory;
    for (const ListedLaunch& launch : m_launches) {
      fill_before(launch, m_memory);
      LaunchAtHand at_hand(launch, outcome.accesses.size(), dlsym(m_code, launch.kernel.c_str()), m_memory,
                           m_watch.seed, true);
      g_launch = &at_hand;
      outcome.accesses.push_back(at_hand.count_accesses(registers, k_most_compared / m_launches.size()));
      g_launch = nullptr;
      if (static_cast<std::int64_t>(outcome.accesses.back().size()) < groups_of(launch)) {
        break; // what follows would find what nobody has written
      }
    }
    g_inspected = nullptr;
    for (const std::size_t result : m_watch.results) {
      const std::span<std::byte> bytes = m_memory.bytes_of(result);
      outcome.results.emplace_back(bytes.begin(), bytes.end());
    }
    return outcome;
  }

  const std::string& kernel_of(std::size_t launch) const { return m_launches[launch].kernel; }

private:
  void load(bool elsewhere)
  {
    const std::vector<BufferFacts> facts = buffers_of_job();
    for (std::size_t i = 0; i < m_memory.count(); ++i) {
      std::ranges::fill(m_memory.bytes_of(i), std::byte{0xff});
    }
    load_contents(m_memory);
    for (std::size_t i = 0; elsewhere && i < m_watch.arguments; ++i) { // what was laid out ahead may be no array
      const std::span<std::byte> bytes = m_memory.bytes_of(i);
      const std::size_t elements = bytes.size() / facts[i].element_bytes;
      std::ranges::rotate(bytes, bytes.begin() + static_cast<std::ptrdiff_t>(elements / 3 * facts[i].element_bytes));
    }
  }

  void* m_code;
  Watch m_watch;
  std::vector<ListedLaunch> m_launches;
  WatchedMemory m_memory;
};

// Whoever keeps something in registers, or on the stack, for the groups to come spares them accesses, or takes what was
// left for what is. After `inspect`, of a call that is watched whole: it is carried out where nobody leaves anything,
// and where each group finds what the one before it left, the first what the last of a call on other values did.
void compare_what_is_left(const char* library, std::ofstream& findings)
{
  void* code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (watch_of_job().most_accesses != 0 || code == nullptr) {
    return;
  }
  RepeatedCall call(code);
  const CallOutcome nothing_left = call.carry_out(GroupRegisters::drawn, false);
  hone::cpu::forget_registers();
  call.carry_out(GroupRegisters::as_left, true);
  const CallOutcome left = call.carry_out(GroupRegisters::as_left, false);
  for (std::size_t i = 0; i < left.accesses.size(); ++i) {
    const auto [one, other] = std::ranges::mismatch(nothing_left.accesses[i], left.accesses[i]);
    if (one != nothing_left.accesses[i].end() && other != left.accesses[i].end()) {
      findings << "unwritten the " << one - nothing_left.accesses[i].begin() + 1 << ". group makes " << *other
               << " accesses or " << *one << ", after what lies in registers and on its stack when it begins ("
               << call.kernel_of(i) << ")\n";
      return;
    }
  }
  if (nothing_left.results != left.results) {
    findings << "unwritten results depend on what lies in registers and on the stack when groups begin\n";
  }
}

// Where variables are guarded, launches find what the second way left: what groups read that are not run.
std::string inspect_in_three_ways(std::ofstream& findings)
{
  constexpr std::size_t k_depth = 32 << 20;
  const auto* const top = static_cast<const std::byte*>(__builtin_frame_address(0));
  if (!guarded_variables().add_stack(top - k_depth, top)) {
    return "variables cannot be guarded here";
  }
  {
    WatchedMemory memory(buffers_of_job(), Told::plainly);
    if (std::string trouble = inspect("./told.so", memory, findings); !trouble.empty()) {
      return trouble;
    }
  }
  compare_what_is_left("./told.so", findings);
  WatchedMemory memory(buffers_of_job(), Told::apart);
  if (std::string trouble = inspect("./device.so", memory, findings); !trouble.empty()) {
    return trouble;
  }
  memory.look_at_variables_only();
  return inspect("./guarded.so", memory, findings);
}

} // namespace

void hone::cpu::look(const volatile void* address, std::size_t size, Access access)
{
  look_from(__builtin_frame_address(0), const_cast<const void*>(address), size, access);
}

void hone::cpu::look_from(const void* frame, const void* address, std::size_t size, Access access)
{
  if (is_nothing_told()) { // enough of the group was seen, and it waits for nobody
    return;
  }
  if (WatchedMemory* memory = g_memory) {
    g_memory = nullptr; // what the look itself touches is not the candidate's
    g_looking = true;
    const bool enough = memory->look(address, size, access, frame);
    if (enough && !g_way_is_due) {
      tell_accesses(g_launch->told_to_the_end()); // or until others are to go on
    }
    g_looking = false;
    g_memory = memory;
    if (g_expired) {
      std::raise(SIGALRM);
    }
    if (enough) {
      g_launch->leave_early();
    }
    if (g_way_is_due && !g_launch->tells_plainly()) {
      g_launch->make_way();
    }
  }
}

void hone::cpu::look_at_jump(const void* target)
{
  if (WatchedMemory* memory = g_memory;
      memory != nullptr && !g_code.may_jump_to(reinterpret_cast<std::uintptr_t>(target))) {
    memory->find_hidden_code();
  }
}

bool hone::cpu::look_at_stack(const void* pointer)
{
  WatchedMemory* const memory = g_memory;
  return memory != nullptr && memory->look_at_stack(pointer) && !g_stack_is_left;
}

void hone::cpu::find_overlap()
{
  if (WatchedMemory* memory = g_memory) {
    memory->find_overlap();
  }
}

void hone::cpu::find_torn(std::size_t size)
{
  if (WatchedMemory* memory = g_memory) {
    memory->find_torn(size);
  }
}

bool hone::cpu::may_be_atomic_read(const void* address)
{
  const WatchedMemory* const memory = g_memory;
  return memory != nullptr && memory->is_reduced(address);
}

bool hone::cpu::is_way_due()
{
  return g_way_is_due;
}

bool hone::cpu::is_watching()
{
  return g_memory != nullptr;
}

void hone::cpu::let_others_go_on()
{
  if (g_memory != nullptr) {
    g_launch->make_way();
  }
}

std::uint64_t hone::cpu::draw_below(std::uint64_t limit)
{
  return g_launch->draw(limit);
}

namespace {

[[noreturn]] void carry_out_job()
{
  hone::keep_heap_in_huge_pages(k_most_heap);     // what is noted of large tensors takes many pages
  std::ofstream findings(in_job("findings.txt")); // there also when nothing is found
  g_findings = &findings;
  for (const std::size_t i : watch_of_job().results) {
    for (const Told told : {Told::plainly, Told::apart}) {
      std::ofstream(result_name(told, i)); // there also where a crash leaves none
    }
  }
  handle_signals();
  alarm(k_deadline_s);
  std::string trouble = inspect_in_three_ways(findings);
  if (!trouble.empty()) {
    std::fprintf(stderr, "%s\n", trouble.c_str());
  }
  findings << k_end << std::flush;
  _exit(trouble.empty() ? 0 : 1);
}

// Jobs that lie in one folder, the names of their files with these before them: each in a process of its own, as
// nothing of one must be there for the next.
int carry_out_each(std::span<char* const> prefixes)
{
  for (const char* prefix : prefixes) {
    const pid_t child = fork();
    if (child == 0) {
      g_prefix = prefix;
      carry_out_job();
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return 1; // which one it was, and why, is seen when it is carried out alone
    }
  }
  return 0;
}

} // namespace

int main(int count, char** words)
{
  if (count == 4 && std::string_view(words[1]) == "--tell") {
    std::ofstream(words[3], std::ios::binary) << hone::cpu::with_accesses_told(text_of(words[2]));
    return 0;
  }
  if (count == 4 && std::string_view(words[1]) == "--check") {
    const std::string trouble = hone::cpu::why_not_told(text_of(words[2]), text_of(words[3]));
    if (!trouble.empty()) {
      std::fprintf(stderr, "error: %s\n", trouble.c_str());
    }
    return trouble.empty() ? 0 : 1;
  }
  if (count > 2 && std::string_view(words[1]) == "--each") {
    return carry_out_each(std::span(words, static_cast<std::size_t>(count)).subspan(2));
  }
  carry_out_job();
}
