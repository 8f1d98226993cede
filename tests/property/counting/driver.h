// What a program needs to call a candidate as hone-cpu-inspector --count does, with its buffers at the same places:
// for cachegrind to look at. Included by the text that counted_accesses writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

struct hone_group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

class CallMemory {
public:
  explicit CallMemory(std::string folder) : m_folder(std::move(folder)) {}

  // A page lies between one and the next.
  char* place(std::size_t bytes)
  {
    constexpr std::size_t k_page = 4096;
    char* const begin = m_next;
    const std::size_t length = (bytes + k_page - 1) / k_page * k_page + k_page;
    if (mmap(begin, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != begin) {
      _exit(3);
    }
    m_next += length;
    return begin;
  }

  // With the file's contents, if there is one. Cachegrind does not see what the kernel writes: the caches stay empty.
  char* buffer(const char* file, std::size_t bytes)
  {
    char* const begin = place(bytes);
    const int from = open((m_folder + "/" + file).c_str(), O_RDONLY);
    for (std::size_t at = 0; from >= 0 && at < bytes;) {
      const ssize_t got = read(from, begin + at, bytes - at);
      if (got <= 0) {
        break;
      }
      at += static_cast<std::size_t>(got);
    }
    return begin;
  }

private:
  std::string m_folder;
  char* m_next = reinterpret_cast<char*>(std::uintptr_t{1} << 32); // at the beginning of every cache
};

template <class... Arguments>
void launch(void* function, hone_group& group, const std::int64_t (&groups)[3], char* shared, std::int64_t shared_bytes,
            Arguments... arguments)
{
  const std::int64_t x = groups[0], y = groups[1], z = groups[2];
  for (std::int64_t i = 0; i < x * y * z; ++i) {
    group = {{i % x, i / x % y, i / x / y}, {x, y, z}, shared, shared_bytes};
    reinterpret_cast<void (*)(const hone_group*, Arguments...)>(function)(&group, arguments...);
  }
}
