#include "gate/lane_slot.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace hone {
namespace {

constexpr std::size_t k_smallest_slot = std::size_t{1} << 20;
constexpr int k_trap = 0xcc; // int3

struct Slot {
  SharedMemory memory;
  bool taken = false;
};

std::mutex g_mutex;
Slot g_slots[k_slots];

} // namespace

Result<SlotLease> SlotLease::take(int slot, std::string_view image, std::size_t offset)
{
  const std::lock_guard guard(g_mutex);
  if (slot < 0 || slot >= k_slots || g_slots[slot].taken) {
    return fail(fmt::format("code slot {} is not free", slot), "this is a mistake in Hone: please report it");
  }
  SharedMemory& memory = g_slots[slot].memory;
  if (memory.size() < offset + image.size()) {
    HONE_TRY(memory, SharedMemory::create("hone-code", std::max(k_smallest_slot, 2 * (offset + image.size())),
                                          SharedMemory::Use::code));
    HONE_CHECK(memory.seal_for_others());
  }
  std::memset(memory.data(), k_trap, memory.size());
  std::memcpy(memory.data() + offset, image.data(), image.size());
  g_slots[slot].taken = true;
  SlotLease lease;
  lease.m_slot = slot;
  return lease;
}

SlotLease::SlotLease(SlotLease&& other) noexcept : m_slot(std::exchange(other.m_slot, -1)) {}

SlotLease& SlotLease::operator=(SlotLease&& other) noexcept
{
  std::swap(m_slot, other.m_slot);
  return *this;
}

SlotLease::~SlotLease()
{
  if (m_slot >= 0) {
    const std::lock_guard guard(g_mutex);
    g_slots[m_slot].taken = false;
  }
}

int SlotLease::fd() const
{
  return g_slots[m_slot].memory.fd();
}

std::size_t SlotLease::size() const
{
  return g_slots[m_slot].memory.size();
}

} // namespace hone
