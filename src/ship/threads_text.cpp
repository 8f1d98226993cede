#include "ship/threads_text.h"

#include "util/text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

constexpr const char* k_head = R"(#ifndef @FN@_THREADS
#define @FN@_THREADS 1 // threads that the work is spread over; with more than one, link with -pthread
#endif
#if @FN@_THREADS > 1 && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // CPUs of threads
#endif
)";

constexpr const char* k_state = R"(#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// The threads wait for launches. They are made at the first call, one less than @FN@_THREADS, as the caller works too.
// One launch at a time has them; one that comes meanwhile runs on its caller's thread alone.
static pthread_mutex_t @fn@_owner = PTHREAD_MUTEX_INITIALIZER; // held while a launch has the threads
static pthread_mutex_t @fn@_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t @fn@_wake = PTHREAD_COND_INITIALIZER;
static pid_t @fn@_process = 0; // that made them: after fork() a child has none
static int @fn@_workers = 0;
static unsigned @fn@_round = 0; // launches so far
static int @fn@_busy = 0;       // threads that are not done with this one
static void (*@fn@_part)(const void*, int64_t, int64_t, int) = NULL;
static const void* @fn@_task = NULL;
static int64_t @fn@_group_count = 0;
static int64_t @fn@_piece = 1; // groups that a thread takes at a time
static int64_t @fn@_next = 0;  // the first that nobody has taken

static void @fn@_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
)";

constexpr const char* k_work = R"(
static void @fn@_take(int worker)
{
  int64_t first;
  while ((first = __atomic_fetch_add(&@fn@_next, @fn@_piece, __ATOMIC_RELAXED)) < @fn@_group_count) {
    const int64_t end = first + @fn@_piece;
    @fn@_part(@fn@_task, first, end < @fn@_group_count ? end : @fn@_group_count, worker);
  }
}

// Spins for some ten microseconds before it sleeps: the next launch of a call follows at once.
static void* @fn@_worker(void* number)
{
  for (unsigned seen = 0;; ++seen) {
    for (int spin = 0; spin < 2000 && __atomic_load_n(&@fn@_round, __ATOMIC_ACQUIRE) == seen; ++spin) {
      @fn@_pause();
    }
    if (__atomic_load_n(&@fn@_round, __ATOMIC_ACQUIRE) == seen) {
      pthread_mutex_lock(&@fn@_lock);
      while (__atomic_load_n(&@fn@_round, __ATOMIC_ACQUIRE) == seen) {
        pthread_cond_wait(&@fn@_wake, &@fn@_lock);
      }
      pthread_mutex_unlock(&@fn@_lock);
    }
    @fn@_take((int)(intptr_t)number);
    __atomic_fetch_sub(&@fn@_busy, 1, __ATOMIC_RELEASE);
  }
  return NULL;
}
)";

constexpr const char* k_make = R"(
// Thread `number` gets a CPU of its own: the highest-numbered ones that the caller may use, without the one it is on.
static void @fn@_pin(pthread_t thread, int number)
{
#if defined(__linux__)
  cpu_set_t allowed;
  const int here = sched_getcpu();
  if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0) {
    return;
  }
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (CPU_ISSET(cpu, &allowed) && cpu != here && --number == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      pthread_setaffinity_np(thread, sizeof one, &one);
      return;
    }
  }
#else
  (void)thread;
  (void)number;
#endif
}

static void @fn@_make_threads(void)
{
  @fn@_process = getpid();
  while (@fn@_workers + 1 < @FN@_THREADS) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, @fn@_worker, (void*)(intptr_t)(@fn@_workers + 1)) != 0) {
      return; // with those that there are
    }
    @fn@_pin(thread, ++@fn@_workers);
    pthread_detach(thread);
  }
}

static void @fn@_spread(void (*part)(const void*, int64_t, int64_t, int), const void* task, int64_t groups)
{
  if (groups < 2 || pthread_mutex_trylock(&@fn@_owner) != 0) {
    part(task, 0, groups, 0);
    return;
  }
  if (@fn@_process == 0) {
    @fn@_make_threads();
  }
  if (@fn@_workers == 0 || @fn@_process != getpid()) {
    part(task, 0, groups, 0);
  } else {
    const int64_t pieces = 16 * (int64_t)(@fn@_workers + 1);
    @fn@_part = part;
    @fn@_task = task;
    @fn@_group_count = groups;
    @fn@_piece = groups < pieces ? 1 : groups / pieces;
    @fn@_next = 0;
    __atomic_store_n(&@fn@_busy, @fn@_workers, __ATOMIC_RELAXED);
    pthread_mutex_lock(&@fn@_lock);
    __atomic_fetch_add(&@fn@_round, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&@fn@_wake);
    pthread_mutex_unlock(&@fn@_lock);
    @fn@_take(0);
    for (int spin = 0; __atomic_load_n(&@fn@_busy, __ATOMIC_ACQUIRE) > 0; ++spin) {
      if (spin < 20000) {
        @fn@_pause();
      } else {
        sched_yield();
      }
    }
  }
  pthread_mutex_unlock(&@fn@_owner);
}
)";

constexpr const char* k_fence = R"(
// Stores past the caches are seen when the launch is over, and the compiler takes nothing in memory for unchanged.
static void @fn@_fence(void)
{
#if defined(__x86_64__)
  __asm__ volatile("sfence" ::: "memory");
#else
  __asm__ volatile("" ::: "memory");
#endif
}
)";

constexpr const char* k_part = R"(
struct @fn@_task_@number@ {
  hone_group group;
@members@};

static void @fn@_part_@number@(const void* given, int64_t first, int64_t end, int worker)
{
  const struct @fn@_task_@number@* const task = (const struct @fn@_task_@number@*)given;
  hone_group group = task->group;
  if (group.shared != NULL) {
    group.shared = (char*)group.shared + worker * ((group.shared_bytes + 63) / 64 * 64);
  }
  for (int64_t at = first; at < end; ++at) {
    group.id[0] = at % group.count[0];
    group.id[1] = at / group.count[0] % group.count[1];
    group.id[2] = at / group.count[0] / group.count[1];
    @entry@(@arguments@);
  }
  @fn@_fence();
}
)";

std::map<std::string, std::string> named(const ExportContext& names)
{
  return {{"fn", names.function}, {"FN", names.macro}};
}

} // namespace

std::string part_text(const ExportContext& names, const SpreadLaunch& launch)
{
  std::string members;
  std::vector<std::string> arguments{"&group"};
  for (std::size_t i = 0; i < launch.types.size(); ++i) {
    members += fmt::format("  {} argument_{};\n", launch.types[i], i);
    arguments.push_back(fmt::format("task->argument_{}", i));
  }
  std::map<std::string, std::string> values = named(names);
  values["number"] = std::to_string(launch.number);
  values["members"] = members;
  values["entry"] = launch.entry;
  values["arguments"] = join(arguments, ", ");
  return filled(k_part, values);
}

std::string spread_call(const ExportContext& names, const SpreadLaunch& launch)
{
  std::string arguments;
  for (const std::string& argument : launch.arguments) {
    arguments += ", " + argument;
  }
  return fmt::format("const struct {0}_task_{1} {3} = {{group{2}}};\n"
                     "{0}_spread({0}_part_{1}, &{3}, group.count[0] * group.count[1] * group.count[2]);\n",
                     names.function, launch.number, arguments, names.local("task"));
}

std::string pool_text(const ExportContext& names)
{
  return filled(std::string(k_state) + k_work + k_make, named(names));
}

std::string fence_text(const ExportContext& names)
{
  return filled(k_fence, named(names));
}

std::string fence_call(const ExportContext& names)
{
  return names.function + "_fence();";
}

std::string threads_head(const ExportContext& names)
{
  return filled(k_head, named(names));
}

} // namespace hone::ship
