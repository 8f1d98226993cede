// Buffers of a call with room around them, and who touched what of them: finds accesses out of bounds and groups of one
// launch that touch the same bytes, one of them writing. Of a buffer that groups reduce into, atomic accesses to the
// same bytes are none.
#pragma once

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
  std::string name;
};

// atomic_write: reads and writes in one. What may_read or may_write may be atomic, for all that is known.
enum class Access { read, write, atomic_read, atomic_write, may_read, may_write };

class WatchedMemory {
public:
  explicit WatchedMemory(const std::vector<BufferFacts>& buffers);

  std::size_t count() const { return m_buffers.size(); }
  std::span<std::byte> bytes_of(std::size_t buffer);

  // Launches follow one another: what one group of a launch wrote, any group of the next may read.
  void begin_launch(const std::string& kernel, std::span<const std::int64_t> reduced);
  std::span<std::byte> make_shared(std::size_t bytes); // the groups' own, of this launch
  void begin_group(std::int64_t group) { m_group = static_cast<std::int32_t>(group); }

  // An access of the current group. What lies in no buffer or near one is not looked at: stack, constants.
  void look(const void* address, std::size_t size, Access access);
  std::size_t looks() const { return m_looks; } // since the launch began

  // "race groups 3 and 7 both write C[5] (matmul)", each buffer and kind once per launch.
  const std::vector<std::string>& findings() const { return m_findings; }

private:
  struct Touch { // of a byte: groups, or one of the numbers below
    std::int32_t writer = k_nobody;
    std::int32_t reader = k_nobody;
    std::int32_t adder = k_nobody; // by atomic accesses to what is reduced
  };
  static constexpr std::size_t k_page = 4096; // bytes
  using Page = std::array<Touch, k_page>;     // made when it is touched: of a large call few are
  struct Watched {
    BufferFacts facts;
    std::byte* begin = nullptr;
    bool shared = false; // between calls of groups only
    bool reduced = false;
    bool told = false; // of this launch
    std::vector<std::unique_ptr<Page>> touches;
  };
  static constexpr std::int32_t k_nobody = -1;
  static constexpr std::int32_t k_several = -2;

  Watched* at(const std::byte* address);
  void look_inside(Watched& buffer, std::size_t offset, std::size_t size, Access access);
  bool is_other(std::int32_t group) const { return group != k_nobody && group != m_group; }
  bool clashes(const Touch& touch, Access access) const;
  std::string clash_text(const Touch& touch, Access access) const; // of one that does
  void tell(Watched& buffer, const std::string& finding);

  std::unique_ptr<std::byte[]> m_memory;
  std::vector<Watched> m_buffers;
  Watched m_shared;
  std::unique_ptr<std::byte[]> m_shared_memory;
  std::string m_kernel;
  std::int32_t m_group = 0;
  std::size_t m_looks = 0;
  std::vector<std::string> m_findings;
};

} // namespace hone::cpu
