#include "backend/runner/runner_core.h"

#include "backend/runner/commands.h"
#include "backend/runner/faults.h"
#include "backend/runner/lock.h"
#include "backend/runner/system.h"
#include "util/huge_pages.h"

#include <algorithm>
#include <alloca.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::backend::runner {
namespace {

Reply* g_reply = nullptr;

void* map_whole(int fd, int protection)
{
  struct stat facts = {};
  if (fstat(fd, &facts) != 0 || facts.st_size <= 0) {
    return nullptr;
  }
  void* memory = mmap(nullptr, static_cast<std::size_t>(facts.st_size), protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Death with the parent: a runner never outlives the process that reads it.
const char* tie_to_parent(const Job& job)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == job.parent_pid ? nullptr : "the parent is gone";
}

const char* drop_user(const Job& job)
{
  if (job.drop_uid == 0 || geteuid() != 0) {
    return nullptr;
  }
  const uid_t id = job.drop_uid;
  if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0) {
    return "could not become an unprivileged user";
  }
  return nullptr;
}

// Where the job's memory lies; filled only where another job may take its place.
Mapping* g_mapped = nullptr;
std::uint32_t g_mapped_count = 0;

const char* map_all(const JobView& job, bool remembers)
{
  if (remembers) {
    std::free(g_mapped);
    g_mapped = static_cast<Mapping*>(std::calloc(job.mappings() + 1, sizeof(Mapping)));
    g_mapped_count = 0;
    if (g_mapped == nullptr) {
      return "no memory to remember where memory was mapped";
    }
  }
  for (std::uint32_t i = 0; i < job.mappings(); ++i) {
    const Mapping& wanted = job.mapping(i);
    void* const place = reinterpret_cast<void*>(wanted.address);
    const void* mapped =
      mmap(place, wanted.length, static_cast<int>(wanted.protection), MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE,
           k_first_mapping_fd + static_cast<int>(wanted.fd), static_cast<off_t>(wanted.file_offset));
    if (mapped != place) {
      return "could not map memory at its address";
    }
    if (remembers) {
      g_mapped[g_mapped_count++] = wanted;
    }
  }
  return nullptr;
}

const char* map_another(const JobView& job)
{
  for (std::uint32_t i = 0; i < g_mapped_count; ++i) {
    munmap(reinterpret_cast<void*>(g_mapped[i].address), g_mapped[i].length);
  }
  return map_all(job, true);
}

// `rebinds`: the descriptors of its memory stay open. What a runner must not write is sealed.
const char* set_up(const Job& job, bool rebinds)
{
  if (const char* failure = drop_user(job)) {
    return failure;
  }
  if (const char* failure = tie_to_parent(job)) { // after drop_user, which would undo it
    return failure;
  }
  if (const char* failure = map_all(JobView(&job), rebinds)) {
    return failure;
  }
  close_range(k_job_fd, rebinds ? static_cast<unsigned>(k_reply_fd) : ~0U, 0);
  // Not before: the runners of a pair are pinned to one CPU, and map their memory side by side on two.
  return pin_this_thread(JobView(&job).worker(0).cpu);
}

bool begins_deep(const Job& job)
{
  return job.stack_offset / k_stack_step % k_deep_one_in == 0;
}

// All of the stack comes into being with its lowest byte; as huge pages it costs a fraction of as many faults. While
// the system can still be asked.
[[gnu::noinline]] void ask_for_deep_stack()
{
  volatile char* const lowest = static_cast<char*>(alloca(k_deep_stack_bytes));
  lowest[0] = 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(lowest);
  ask_for_huge_pages(begin, begin + k_deep_stack_bytes);
}

void require(const char* failure, RefusalKind kind)
{
  if (failure != nullptr) {
    refuse(kind, failure);
  }
}

int serve(const Platform& platform, const JobView& job)
{
  const std::uint32_t* const word = &job.head().command_sequence;
  std::uint32_t done = 1; // loading counts as the first command
  for (;;) {
    publish(&g_reply->sequence, done);
    while (read_word(word) == done) {
      wait_while(word, done);
    }
    done = read_word(word);
    if (job.head().command == Command::run_block && job.head().block_calls == 1) {
      // Blocks of several are too short for that to be free.
      scramble_stack(static_cast<std::uint64_t>(now_ns()), k_near_stack_bytes);
    }
    const CommandOutcome outcome = execute_command(platform, job, *g_reply, map_another);
    if (outcome.ends) {
      return k_exit_done;
    }
    require(outcome.failure, outcome.kind);
  }
}

} // namespace

// Random bits, and some that are no number as floats.
void scramble_words(std::uint64_t* begin, std::size_t words, std::uint64_t seed)
{
  constexpr std::size_t k_period = k_scramble_period;
  for (std::size_t i = 0; i < k_period; ++i) {
    seed = next_bits(seed);
    begin[i] = i % 8 == 0 ? ~std::uint64_t{0} : seed;
  }
  for (std::size_t i = k_period; i < words; i += k_period) {
    std::memcpy(begin + i, begin, k_period * sizeof(std::uint64_t));
  }
  asm volatile("" : : "r"(begin) : "memory");
}

void scramble_stack(std::uint64_t seed, std::size_t bytes)
{
  const std::size_t words = bytes / sizeof(std::uint64_t) / k_scramble_period * k_scramble_period;
  scramble_words(static_cast<std::uint64_t*>(alloca(words * sizeof(std::uint64_t))), words, seed);
}

void refuse(RefusalKind kind, std::string_view text)
{
  const std::size_t size = std::min<std::size_t>(text.size(), k_reply_text_bytes);
  std::memcpy(g_reply->text, text.data(), size);
  g_reply->text_bytes = static_cast<std::uint32_t>(size);
  g_reply->refusal = kind;
  g_reply->state = State::refused;
  publish(&g_reply->sequence, k_sequence_ended);
  exit_now(k_exit_refused);
}

int run(const Platform& platform)
{
  g_reply = static_cast<Reply*>(map_whole(k_reply_fd, PROT_READ | PROT_WRITE));
  const auto* head = static_cast<const Job*>(map_whole(k_job_fd, PROT_READ));
  if (g_reply == nullptr || head == nullptr || head->magic != k_abi_magic || head->version != k_abi_version) {
    return k_exit_refused; // started by something other than Hone
  }
  require(set_up(*head, platform.unload != nullptr), RefusalKind::setup);
  install_fault_handlers(g_reply);
  if (begins_deep(*head)) {
    ask_for_deep_stack();
  }

  const JobView job(head);
  const auto load = [&] { require(platform.load == nullptr ? nullptr : platform.load(job), RefusalKind::compile); };
  require(platform.prepare == nullptr ? nullptr : platform.prepare(job), RefusalKind::setup);
  if (platform.load_before_lock) {
    load();
  }
  require(lock_down(platform), RefusalKind::setup);
  if (!platform.load_before_lock) {
    load();
  }
  g_reply->state = State::ready;

  if (begins_deep(*head)) { // it takes a while
    scramble_stack(static_cast<std::uint64_t>(now_ns()), k_deep_stack_bytes);
  }
  // The calls start at a drawn depth of the stack: its address is part of the layout that both arms share.
  volatile char* depth = static_cast<char*>(alloca(head->stack_offset + 1));
  depth[0] = 0;
  return serve(platform, job);
}

} // namespace hone::backend::runner
