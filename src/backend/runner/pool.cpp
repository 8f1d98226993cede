#include "backend/runner/pool.h"

#include "backend/cpu/runner_extension.h"
#include "backend/runner/faults.h"
#include "backend/runner/landlock.h"
#include "backend/runner/system.h"

#include <algorithm>
#include <alloca.h>
#include <immintrin.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>

namespace hone::backend::runner {
namespace {

// Pieces that a worker's part is taken in: what can be left to wait for at the end is one of them.
constexpr std::int64_t k_pieces = 32;
constexpr std::size_t k_line = 64;

struct alignas(k_line) Part {
  std::int64_t next;
  std::int64_t end;
};

// What is being done, written before `round` counts on.
struct Round {
  PoolTask task = nullptr;
  const void* context = nullptr;
  std::int64_t piece = 1;
};

struct Pool {
  std::uint32_t workers = 1;
  std::uint32_t stack_offset = 0;
  const char* failure = nullptr;
  Round current;
  alignas(k_line) std::uint32_t awake = 0;    // futex word
  alignas(k_line) std::uint32_t round = 0;    // counts rounds
  alignas(k_line) std::uint32_t finished = 0; // workers beside the main thread that are done with this round
  Part parts[k_most_workers];
};

Pool g_pool;

// Before the thread starts: whose it is.
struct Start {
  std::uint32_t index;
  std::int32_t cpu;
};
Start g_starts[k_most_workers];

void take_part(std::uint32_t worker)
{
  const Round& round = g_pool.current;
  for (std::uint32_t i = 0; i < g_pool.workers; ++i) {
    Part& part = g_pool.parts[(worker + i) % g_pool.workers];
    while (__atomic_load_n(&part.next, __ATOMIC_RELAXED) < part.end) {
      const std::int64_t first = __atomic_fetch_add(&part.next, round.piece, __ATOMIC_RELAXED);
      if (first < part.end) {
        round.task(round.context, worker, first, std::min(round.piece, part.end - first));
      }
    }
  }
}

void finish_round()
{
  __atomic_fetch_add(&g_pool.finished, 1, __ATOMIC_RELEASE);
}

[[noreturn]] void work(std::uint32_t worker)
{
  std::uint32_t seen = 0;
  for (;;) {
    const std::uint32_t round = read_word(&g_pool.round);
    if (round != seen) {
      seen = round;
      take_part(worker);
      finish_round();
    } else if (read_word(&g_pool.awake) == 0) {
      wait_while(&g_pool.awake, 0);
    } else {
      _mm_pause();
    }
  }
}

// Landlock and the alternate stack belong to a thread; the seccomp filter will reach all.
const char* set_up_thread(const Start& start)
{
  set_fault_stack(static_cast<char*>(
    mmap(nullptr, k_fault_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return "prctl failed while locking a worker down";
  }
  if (const char* failure = restrict_files(nullptr, nullptr)) {
    return failure;
  }
  return pin_this_thread(start.cpu);
}

void* run_worker(void* argument)
{
  const Start& start = *static_cast<const Start*>(argument);
  if (const char* failure = set_up_thread(start)) {
    __atomic_store_n(&g_pool.failure, failure, __ATOMIC_RELEASE);
  }
  finish_round();
  volatile char* depth = static_cast<char*>(alloca(g_pool.stack_offset + 1)); // as the main thread's calls do
  depth[0] = 0;
  work(start.index);
}

const char* start_worker(std::uint32_t index)
{
  void* const place = map_stack(cpu::k_worker_stack_area + index * cpu::k_worker_stack_step);
  if (place == nullptr) {
    return "no memory for a worker's stack";
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, place, cpu::k_worker_stack_bytes);
  pthread_t thread = {};
  const int failed = pthread_create(&thread, &attributes, run_worker, &g_starts[index]);
  pthread_attr_destroy(&attributes);
  return failed == 0 ? nullptr : "could not start a worker thread";
}

void wait_for_workers()
{
  while (read_word(&g_pool.finished) + 1 < g_pool.workers) {
    _mm_pause();
  }
}

void nothing(const void*, std::uint32_t, std::int64_t, std::int64_t) {}

} // namespace

void* map_stack(std::uint64_t end)
{
  void* const place = reinterpret_cast<void*>(end - cpu::k_worker_stack_bytes);
  const void* mapped = mmap(place, cpu::k_worker_stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return mapped == place ? place : nullptr;
}

const char* start_pool(const JobView& job)
{
  g_pool.workers = job.workers();
  g_pool.stack_offset = job.head().stack_offset;
  for (std::uint32_t i = 1; i < job.workers(); ++i) {
    g_starts[i] = {i, job.worker(i).cpu};
    if (const char* failure = start_worker(i)) {
      return failure;
    }
  }
  wait_for_workers();
  return g_pool.failure;
}

void wake_pool()
{
  if (g_pool.workers > 1 && g_pool.awake == 0) {
    publish_to_all(&g_pool.awake, 1);
    run_on_pool(nothing, nullptr, 0); // comes back once all are there
  }
}

void rest_pool()
{
  __atomic_store_n(&g_pool.awake, 0, __ATOMIC_RELEASE);
}

void run_on_pool(PoolTask task, const void* context, std::int64_t items)
{
  const std::int64_t workers = g_pool.workers;
  const auto begin_of = [&](std::int64_t worker) {
    return items / workers * worker + std::min(items % workers, worker);
  };
  for (std::int64_t w = 0; w < workers; ++w) {
    g_pool.parts[w] = {begin_of(w), begin_of(w + 1)};
  }
  g_pool.current = {task, context, std::max<std::int64_t>(items / workers / k_pieces, 1)};
  __atomic_store_n(&g_pool.finished, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&g_pool.round, g_pool.round + 1, __ATOMIC_RELEASE);
  take_part(0);
  wait_for_workers();
}

} // namespace hone::backend::runner
