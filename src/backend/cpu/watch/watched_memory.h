// Buffers of a call with room around them, and who touched what of them: finds accesses out of bounds or to memory of
// others, groups of one launch that touch the same bytes, one of them writing, and reads of what nothing has written in
// this call. Of a buffer that groups reduce into, atomic accesses to the same bytes are no clash. Writes that are not
// told are found, too, as long as a number of bytes is enough to compare buffers after each group.
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

namespace hone::cpu {

struct BufferFacts {
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;
  bool writable = false;
  bool empty = false; // before the call: a result, or scratch
  std::string name;
};

// atomic_write: reads and writes in one. What may_read or may_write may be atomic, for all that is known.
enum class Access { read, write, atomic_read, atomic_write, may_read, may_write };

// What is told of writes: of atomic operations that they are, but not what is copied; or all, without the difference.
// Or accesses are told for the sake of guarded variables alone.
enum class Told { apart, plainly, guarded };

class WatchedMemory {
public:
  static constexpr std::size_t k_most_under_way = 16; // groups at the same time

  WatchedMemory(const std::vector<BufferFacts>& buffers, Told told);

  Told told() const { return m_told; }
  std::size_t count() const { return m_buffers.size(); }
  std::span<std::byte> bytes_of(std::size_t buffer);

  // Launches follow one another: what one group of a launch wrote, any group of the next may read.
  void begin_launch(const std::string& kernel, std::span<const std::int64_t> reduced);
  void make_shared(std::size_t bytes); // the groups' own, of this launch
  std::span<std::byte> shared();       // that of the current group; groups in one turn follow one another in it
  void begin_group(std::int64_t group);
  void end_group();
  void limit_to(OwnMemory own);     // groups of this turn, beside the buffers; else everything is allowed
  void change_to(std::size_t turn); // where several groups are under way: what follows is that one's, at first turn 0
  void fill(std::size_t buffer, std::uint64_t pattern, std::size_t element_bytes);                   // between launches
  bool has_seen_enough() const { return m_most_of_group > 0 && current().looks >= m_most_of_group; } // of this group
  void look_at_variables_only();                                                                     // from now on
  void look_away(); // other groups of the launch follow, whose accesses are not told
  void end_launch();
  void end_call();

  // An access of the current group, from a function whose frame lies above `frame`. Whether it has seen enough now.
  bool look(const void* address, std::size_t size, Access access, const void* frame);
  bool look_at_stack(const void* pointer); // where the stack pointer moves: whether it stays within the group's own
  bool is_reduced(const void* address) const;
  std::uint64_t digest_of_reduced() const;      // of what groups of this launch may hand on to each other
  void find_standstill();                       // groups wait for each other, and nothing changes
  void find_overlap();                          // of what memcpy reads and writes
  void find_torn(std::size_t size);             // an atomic operation where processors make two of it
  void find_hidden_code();                      // a jump into the middle of an instruction
  std::size_t looks() const { return m_looks; } // since the launch began
  void limit_group(std::size_t most) { m_most_of_group = most; } // looks from its beginning on; 0: all

  // "race groups 3 and 7 both write C[5] (matmul)", each buffer and kind once per launch; after `end_call`.
  const std::vector<std::string>& findings() const { return m_findings; }

private:
  struct Watched {
    BufferFacts facts;
    std::byte* begin = nullptr;
    bool shared = false; // between calls of groups only
    bool reduced = false;
    std::vector<std::byte> before; // the launch, of what is reduced
    bool told = false;             // of this launch
    Touches touches;               // in this launch
    ChangedBytes changed;          // by the current group; of nothing where it is not compared
    WrittenBytes written;
    bool unseen = false;       // something was written that was not told
    bool unseen_later = false; // the same, but by a group of this launch of which enough was seen
    std::string unwritten;     // the first read of what nothing has written, if there was one
  };
  // What is known of a group while it is under way.
  struct UnderWay {
    Watched shared;
    std::unique_ptr<std::byte[]> shared_memory;
    OwnMemory own;
    std::int32_t group = 0;
    std::size_t looks = 0;
  };

  UnderWay& current() { return m_under_way[m_turn]; }
  const UnderWay& current() const { return m_under_way[m_turn]; }
  Watched* at(const std::byte* address);
  void look_at(const std::byte* begin, std::size_t size, Access access, const void* frame);
  // Apart from what every access goes through: texts are rare.
  [[gnu::noinline]] void look_elsewhere(const void* address, std::size_t size, bool write, const void* frame);
  [[gnu::noinline]] void tell_of_constant(Watched& buffer); // written into
  [[gnu::noinline]] void tell_of_race(Watched& buffer, const Touch& touch, Access access, std::size_t offset);
  [[gnu::noinline]] void note_unwritten(Watched& buffer, std::size_t offset);
  [[gnu::noinline]] void tell_of_bounds(Watched& buffer, std::ptrdiff_t begin, std::ptrdiff_t end, bool write);
  void look_beside_variables(const void* address, std::size_t size, bool write);
  void look_inside(Watched& buffer, std::size_t offset, std::size_t size, Access access);
  void look_for_unwritten(Watched& buffer, std::size_t offset, std::size_t size, Access access);
  void look_for_untold(Watched& buffer);
  void stop_comparing();
  void judge_unwritten(Watched& buffer);
  void judge_reduced(Watched& buffer);
  bool is_other(std::int32_t group) const { return group != Touch::k_nobody && group != current().group; }
  bool clashes(const Touch& touch, Access access) const;
  std::string clash_text(const Touch& touch, Access access) const; // of one that does
  void tell(Watched& buffer, const std::string& finding);

  Told m_told;
  std::unique_ptr<std::byte[]> m_memory;
  std::vector<Watched> m_buffers;
  std::array<UnderWay, k_most_under_way> m_under_way; // by their turns
  std::size_t m_turn = 0;
  bool m_told_of_others = false; // in this launch
  bool m_told_of_hidden_code = false;
  bool m_told_of_overlap = false;
  bool m_told_of_torn = false;
  std::string m_kernel;
  std::size_t m_looks = 0;
  std::size_t m_most_of_group = 0;
  bool m_looked_away = false;                // from the end of a group of this launch
  std::size_t m_left_to_compare = 256 << 20; // bytes
  std::vector<std::string> m_findings;
};

} // namespace hone::cpu
