// Memory that the parent owns and runners map: an anonymous file, mapped here for reading and writing.
// (internal to the gate)
#pragma once

#include "util/result.h"

#include <cstddef>
#include <cstdint>

namespace hone::gate {

inline constexpr std::size_t k_page = 4096;

class SharedMemory {
public:
  enum class Use { data, code }; // code may be mapped executable

  SharedMemory() = default;
  // Whole pages of zeros. The size can never change.
  static Result<SharedMemory> create(const char* name, std::size_t bytes, Use use = Use::data);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  // Another descriptor of the same memory, through which nobody can get a writable view.
  Result<void> open_read_only();
  // From now on nobody can get a writable view, however the descriptor is passed on; the one here stays.
  Result<void> seal_for_others();

  std::byte* data() const { return m_data; }
  std::size_t size() const { return m_size; }
  int fd() const { return m_fd; }
  int read_only_fd() const { return m_read_only_fd; } // after open_read_only()
  std::uint64_t serial() const { return m_serial; }   // of this memory, and of no other of this program

private:
  void release();

  int m_fd = -1;
  int m_read_only_fd = -1;
  std::uint64_t m_serial = 0;
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

constexpr std::size_t round_up(std::size_t value, std::size_t step)
{
  return (value + step - 1) / step * step;
}

} // namespace hone::gate
