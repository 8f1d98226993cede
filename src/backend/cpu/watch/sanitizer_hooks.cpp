#include "backend/cpu/watch/sanitizer_hooks.h"

#include "backend/cpu/watch/guarded_variables.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

using hone::backend::cpu::Access;
using hone::backend::cpu::guarded_variables;
using hone::backend::cpu::record_access;
using hone::backend::cpu::yield_to_other_groups;

namespace {

template <class T> using Cell = volatile T*;

// Whether a compare-exchange fails as if another group had changed the value first. Failures come in runs of varying
// length, rarely up to a million: a candidate that gives up after some attempts loses what it had to add.
bool draw_exchange_failure()
{
  constexpr std::array k_times{0, 1, 0, 2, 0, 0, 5, 1, 0, 64};
  constexpr std::uint64_t k_long_rounds = 4; // rounds of k_times; about one run in each is long
  constexpr std::uint64_t k_most_bits = 20;
  static std::size_t round = 0;
  static std::uint64_t left = k_times[0];
  if (!hone::backend::cpu::is_watching()) {
    return false;
  }
  if (left > 0) {
    --left;
    return true;
  }
  left = k_times[++round % k_times.size()];
  if (round <= k_long_rounds * k_times.size() && hone::backend::cpu::draw_below(k_times.size()) == 0) {
    left = std::uint64_t{1} << hone::backend::cpu::draw_below(k_most_bits + 1);
  }
  return false;
}

// An atomic operation across two cache lines may be seen half done.
template <class T> void record_atomic(Cell<T> address, Access access)
{
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) {
    hone::backend::cpu::report_torn(sizeof(T));
  }
  record_access(address, sizeof(T), access);
}

template <class T> int exchange_if_equal(Cell<T> address, T* expected, T desired)
{
  record_atomic<T>(address, Access::atomic_write);
  yield_to_other_groups();
  if (draw_exchange_failure()) {
    *expected = __atomic_load_n(address, __ATOMIC_SEQ_CST);
    return 0;
  }
  return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;
}

// A result that is not stored stays undefined.
template <class T> void record_result_write(T* result, bool stored)
{
  if (stored) {
    record_access(result, sizeof *result, Access::write);
  }
}

} // namespace

// ThreadSanitizer: called before accesses, and in place of atomic operations.
#define HONE_WATCHED(SIZE)                                                                                             \
  extern "C" void __tsan_read##SIZE(const void* address)                                                               \
  {                                                                                                                    \
    record_access(address, SIZE, Access::read);                                                                        \
  }                                                                                                                    \
  extern "C" void __tsan_write##SIZE(const void* address)                                                              \
  {                                                                                                                    \
    record_access(address, SIZE, Access::write);                                                                       \
  }
HONE_WATCHED(1)
HONE_WATCHED(2)
HONE_WATCHED(4)
HONE_WATCHED(8)
HONE_WATCHED(16)
extern "C" void __tsan_read_range(const void* address, std::size_t size)
{
  record_access(address, size, Access::read);
}
extern "C" void __tsan_write_range(const void* address, std::size_t size)
{
  record_access(address, size, Access::write);
}

// AddressSanitizer: called before accesses, atomic ones among them, unless a check nearby covers them.
#define HONE_CHECKED(SIZE)                                                                                             \
  extern "C" void __asan_load##SIZE##_noabort(const void* address)                                                     \
  {                                                                                                                    \
    record_access(address, SIZE, Access::may_read);                                                                    \
  }                                                                                                                    \
  extern "C" void __asan_store##SIZE##_noabort(const void* address)                                                    \
  {                                                                                                                    \
    record_access(address, SIZE, Access::may_write);                                                                   \
  }
HONE_CHECKED(1)
HONE_CHECKED(2)
HONE_CHECKED(4)
HONE_CHECKED(8)
HONE_CHECKED(16)
extern "C" void __asan_loadN_noabort(const void* address, std::size_t size)
{
  record_access(address, size, Access::may_read);
}
extern "C" void __asan_storeN_noabort(const void* address, std::size_t size)
{
  record_access(address, size, Access::may_write);
}
extern "C" void __asan_handle_no_return() {}
// As GCC's libsanitizer declares it.
struct GuardedConstant {
  const void* begin;
  std::size_t bytes;
  std::size_t bytes_with_redzone;
  const char* name;
  const char* file;
  std::size_t has_dynamic_initializer;
  const void* location;
  std::size_t indicator;
};

extern "C" void __asan_register_globals(const GuardedConstant* constants, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    guarded_variables().add_constant(constants[i].begin, constants[i].bytes, constants[i].bytes_with_redzone,
                                     constants[i].name);
  }
}
extern "C" void __asan_unregister_globals(const GuardedConstant*, std::size_t) {}
extern "C" void __asan_alloca_poison(std::uintptr_t begin, std::size_t bytes)
{
  guarded_variables().add_block(begin, bytes);
}
extern "C" void __asan_allocas_unpoison(std::uintptr_t begin, std::uintptr_t end)
{
  guarded_variables().clear(begin, end);
}
extern "C" void __asan_poison_stack_memory(std::uintptr_t begin, std::size_t bytes)
{
  guarded_variables().end_lifetime(begin, bytes);
}
extern "C" void __asan_unpoison_stack_memory(std::uintptr_t begin, std::size_t bytes)
{
  guarded_variables().begin_lifetime(begin, bytes);
}

#define HONE_WATCHED_CHANGE(BITS, TYPE, NAME)                                                                          \
  extern "C" TYPE __tsan_atomic##BITS##_##NAME(Cell<TYPE> address, TYPE value, int)                                    \
  {                                                                                                                    \
    record_atomic<TYPE>(address, Access::atomic_write);                                                                \
    yield_to_other_groups();                                                                                           \
    return __atomic_##NAME(address, value, __ATOMIC_SEQ_CST);                                                          \
  }
#define HONE_WATCHED_ATOMICS(BITS, TYPE)                                                                               \
  extern "C" TYPE __tsan_atomic##BITS##_load(Cell<TYPE> address, int)                                                  \
  {                                                                                                                    \
    record_atomic<TYPE>(address, Access::atomic_read);                                                                 \
    yield_to_other_groups();                                                                                           \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                                 \
  }                                                                                                                    \
  extern "C" void __tsan_atomic##BITS##_store(Cell<TYPE> address, TYPE value, int)                                     \
  {                                                                                                                    \
    record_atomic<TYPE>(address, Access::write); /* it overwrites what others have added */                            \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                                    \
  extern "C" TYPE __tsan_atomic##BITS##_exchange(Cell<TYPE> address, TYPE value, int)                                  \
  {                                                                                                                    \
    record_atomic<TYPE>(address, Access::atomic_write);                                                                \
    yield_to_other_groups();                                                                                           \
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

// Wrappers of C library functions (k_wrap_option).
extern "C" void* __wrap_memmove(void* to, const void* from, std::size_t size)
{
  record_access(from, size, Access::read);
  record_access(to, size, Access::write);
  return std::memmove(to, from, size);
}
extern "C" void* __wrap_memcpy(void* to, const void* from, std::size_t size)
{
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  if (target != source && target < source + size
      && source < target + size) { // self-assignment of a structure is allowed
    hone::backend::cpu::report_overlap();
  }
  return __wrap_memmove(to, from, size);
}
extern "C" void* __wrap_memset(void* to, int value, std::size_t size)
{
  record_access(to, size, Access::write);
  return std::memset(to, value, size);
}
extern "C" int __wrap_memcmp(const void* left, const void* right, std::size_t size)
{
  record_access(left, size, Access::read);
  record_access(right, size, Access::read);
  return std::memcmp(left, right, size);
}

// Mathematical functions that store a second result; for NaN and infinity some store none.
#define HONE_WRAPPED_MATH(T, SUFFIX)                                                                                   \
  extern "C" T __wrap_modf##SUFFIX(T x, T* whole)                                                                      \
  {                                                                                                                    \
    record_result_write(whole, isfinite(x));                                                                           \
    return modf##SUFFIX(x, whole);                                                                                     \
  }                                                                                                                    \
  extern "C" T __wrap_frexp##SUFFIX(T x, int* exponent)                                                                \
  {                                                                                                                    \
    record_result_write(exponent, isfinite(x));                                                                        \
    return frexp##SUFFIX(x, exponent);                                                                                 \
  }                                                                                                                    \
  extern "C" void __wrap_sincos##SUFFIX(T x, T* sine, T* cosine)                                                       \
  {                                                                                                                    \
    record_result_write(sine, isfinite(x));                                                                            \
    record_result_write(cosine, isfinite(x));                                                                          \
    sincos##SUFFIX(x, sine, cosine);                                                                                   \
  }                                                                                                                    \
  extern "C" T __wrap_remquo##SUFFIX(T x, T y, int* quotient)                                                          \
  {                                                                                                                    \
    record_result_write(quotient, isfinite(x) && !isnan(y) && y != 0);                                                 \
    return remquo##SUFFIX(x, y, quotient);                                                                             \
  }                                                                                                                    \
  extern "C" T __wrap_lgamma##SUFFIX##_r(T x, int* sign)                                                               \
  {                                                                                                                    \
    record_result_write(sign, isfinite(x));                                                                            \
    return lgamma##SUFFIX##_r(x, sign);                                                                                \
  }
using std::isfinite;
using std::isnan;
HONE_WRAPPED_MATH(double, )
HONE_WRAPPED_MATH(float, f)
HONE_WRAPPED_MATH(long double, l)
