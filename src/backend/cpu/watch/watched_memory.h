// The buffers of a call, with guard space around them and shadow memory. Finds accesses out of bounds or to foreign
// memory, groups of one launch that access the same bytes with one of them writing, and reads of undefined bytes. In a
// buffer that groups reduce into, atomic accesses to the same bytes are no race. Writes that are not instrumented are
// found by comparing buffers after each group, within a limit of bytes.
#pragma once

#include "backend/cpu/watch/changed_bytes.h"
#include "backend/cpu/watch/definedness.h"
#include "backend/cpu/watch/own_memory.h"
#include "backend/cpu/watch/shadow_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hone::backend::cpu {

struct BufferFacts {
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;
  bool writable = false;
  bool empty = false; // undefined before the call: an output, or scratch
  std::string name;
};

// atomic_write: a read and a write. may_read and may_write: possibly atomic.
enum class Access { read, write, atomic_read, atomic_write, may_read, may_write };

// What the library under watch is instrumented with.
enum class Instrumentation {
  thread_sanitizer, // by the compiler: knows atomic operations; misses inline assembly and copies of structures
  assembly,         // before each instruction: sees all accesses, but cannot tell an atomic store from a plain one
  address_sanitizer // by the compiler: for redzones around variables only
};

// Wide because each kind of event of an instrumented call has a method.
class WatchedMemory {
public:
  static constexpr std::size_t k_max_groups = 16; // interleaved, one in each fiber

  WatchedMemory(const std::vector<BufferFacts>& buffers, Instrumentation instrumentation);

  Instrumentation instrumentation() const { return m_instrumentation; }
  std::size_t count() const { return m_buffers.size(); }
  std::span<std::byte> bytes_of(std::size_t buffer);

  // Launches run one after another: what one wrote, any group of the next may read. `reduced`: buffer numbers.
  void begin_launch(const std::string& kernel, std::span<const std::int64_t> reduced);
  void make_shared(std::size_t bytes); // shared scratch of the launch's groups
  std::span<std::byte> shared();       // of the current group; groups in one fiber use the same, one after another
  void begin_group(std::int64_t group);
  void end_group();
  void set_own_memory(OwnMemory own); // of groups in the current fiber; before, every access is allowed
  void switch_to(std::size_t fiber);  // what follows concerns its group; at first fiber 0
  void fill(std::size_t buffer, std::uint64_t pattern, std::size_t element_bytes); // between launches
  void check_variables_only(); // from now on, as with Instrumentation::address_sanitizer
  void stop_watching();        // the remaining groups of the launch run without instrumentation
  void end_launch();
  void end_call();

  // At most so many accesses of each group are checked, from its beginning on; 0: all.
  void limit_group(std::size_t accesses) { m_group_limit = accesses; }
  bool is_limit_reached() const { return m_group_limit > 0 && current().accesses >= m_group_limit; } // current group
  std::size_t accesses() const { return m_accesses; } // checked since the launch began

  // Checks an access of the current group, by a function whose frame lies above `frame`. Returns is_limit_reached().
  bool record_access(const void* address, std::size_t size, Access access, const void* frame);
  bool is_in_stack(const void* pointer) const; // of the current group
  bool record_stack_move(const void* pointer); // returns whether the stack pointer stays within the group's stack
  bool is_reduced(const void* address) const;
  std::uint64_t digest_of_reduced() const; // of the buffers through which groups may communicate
  void report_livelock();
  void report_overlap();              // memcpy with overlapping source and destination
  void report_torn(std::size_t size); // an atomic operation that is not aligned to its size
  void report_hidden_code();          // a jump to where no instruction begins

  // "race groups 3 and 7 both write C[5] (matmul)": one for each buffer, kind and launch. Complete after end_call().
  const std::vector<std::string>& findings() const { return m_findings; }

private:
  struct Watched {
    BufferFacts facts;
    std::byte* begin = nullptr;
    bool shared = false; // shared scratch: undefined at the beginning of each group
    bool reduced = false;
    std::vector<std::byte> before; // contents at the beginning of the launch, if reduced
    bool reported = false;         // a finding, in this launch
    ShadowMemory shadow;           // of this launch
    ChangedBytes changed;          // since the current group began; empty if not compared
    Definedness definedness;
    bool has_unseen_writes = false;          // writes that were not recorded
    bool has_unseen_writes_at_limit = false; // the same, by a group of this launch that has reached its limit
    std::string undefined_read;              // finding for the first one, if any
  };
  // One of the interleaved groups.
  struct Group {
    Watched shared;
    std::unique_ptr<std::byte[]> shared_memory;
    OwnMemory own;
    std::int32_t number = 0;
    std::size_t accesses = 0;
  };

  Group& current() { return m_groups[m_fiber]; }
  const Group& current() const { return m_groups[m_fiber]; }
  Watched* buffer_around(const std::byte* address);
  void check_access(const std::byte* begin, std::size_t size, Access access, const void* frame);
  // Not inlined, to keep the path of valid accesses short.
  [[gnu::noinline]] void check_own_memory(const void* address, std::size_t size, bool write, const void* frame);
  [[gnu::noinline]] void report_constant_write(Watched& buffer);
  [[gnu::noinline]] void report_race(Watched& buffer, const ShadowCell& cell, Access access, std::size_t offset);
  [[gnu::noinline]] void note_undefined_read(Watched& buffer, std::size_t offset);
  [[gnu::noinline]] void report_out_of_bounds(Watched& buffer, std::ptrdiff_t begin, std::ptrdiff_t end, bool write);
  void check_variables(const void* address, std::size_t size, bool write);
  void check_race(Watched& buffer, std::size_t offset, std::size_t size, Access access);
  void check_definedness(Watched& buffer, std::size_t offset, std::size_t size, Access access);
  void find_unseen_writes(Watched& buffer);
  void stop_comparing();
  void report_undefined_read(Watched& buffer);
  void check_reduced(Watched& buffer);
  bool is_other(std::int32_t group) const { return group != ShadowCell::k_no_group && group != current().number; }
  bool is_race(const ShadowCell& cell, Access access) const;
  std::string race_text(const ShadowCell& cell, Access access) const;
  void report(Watched& buffer, const std::string& finding);

  Instrumentation m_instrumentation;
  std::unique_ptr<std::byte[]> m_memory;
  std::vector<Watched> m_buffers;
  std::array<Group, k_max_groups> m_groups; // by fiber
  std::size_t m_fiber = 0;
  bool m_reported_foreign_access = false; // in this launch
  bool m_reported_hidden_code = false;
  bool m_reported_overlap = false;
  bool m_reported_torn = false;
  std::string m_kernel;
  std::size_t m_accesses = 0;
  std::size_t m_group_limit = 0;
  bool m_missed_accesses = false;            // a group of this launch has reached its limit
  std::size_t m_left_to_compare = 256 << 20; // bytes
  std::vector<std::string> m_findings;
};

} // namespace hone::backend::cpu
