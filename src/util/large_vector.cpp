#include "util/large_vector.h"

#include "util/huge_pages.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <mutex>
#include <sys/mman.h>

namespace hone {
namespace {

constexpr std::size_t k_too_roomy = 4; // times what is asked for: left to those who need it

struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
};

struct Kept {
  std::mutex mutex;
  std::list<Memory> taken, free; // the one given back last is the first
  std::size_t free_bytes = 0;
};

// Never destroyed: vectors of any age may be given back at the end of the process.
Kept& kept()
{
  static Kept& all = *new Kept;
  return all;
}

// Not from the heap, whose other blocks would lie in huge pages from then on, and be faulted in again and again.
Memory from_system(std::size_t bytes)
{
  const std::size_t room = bytes + k_huge_page;
  void* const all = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return {};
  }
  std::byte* const begin = static_cast<std::byte*>(all);
  std::byte* const data = begin + (k_huge_page - reinterpret_cast<std::uintptr_t>(all) % k_huge_page) % k_huge_page;
  if (data != begin) {
    munmap(begin, static_cast<std::size_t>(data - begin));
  }
  munmap(data + bytes, static_cast<std::size_t>(begin + room - (data + bytes)));
  madvise(data, bytes, MADV_HUGEPAGE); // a wish
  return {data, bytes};
}

} // namespace

void* take_large_memory(std::size_t bytes)
{
  const std::size_t wanted = (bytes + k_huge_page - 1) / k_huge_page * k_huge_page;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find_if(
    all.free, [wanted](const Memory& one) { return one.bytes >= wanted && one.bytes <= k_too_roomy * wanted; });
  if (found != all.free.end()) {
    all.free_bytes -= found->bytes;
    all.taken.splice(all.taken.begin(), all.free, found);
  } else if (const Memory fresh = from_system(wanted); fresh.data != nullptr) {
    all.taken.push_front(fresh);
  } else {
    return nullptr;
  }
  return all.taken.front().data;
}

void give_back_large_memory(void* memory)
{
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find(all.taken, memory, &Memory::data);
  all.free_bytes += found->bytes;
  all.free.splice(all.free.begin(), all.taken, found);
  while (all.free_bytes > k_most_large_memory_kept) {
    all.free_bytes -= all.free.back().bytes;
    munmap(all.free.back().data, all.free.back().bytes);
    all.free.pop_back();
  }
}

std::size_t large_memory_kept()
{
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  return all.free_bytes;
}

} // namespace hone
