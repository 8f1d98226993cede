#include "gate/lane_slot.h"

#include <algorithm>
#include <cstring>

namespace hone {
namespace {

constexpr std::size_t k_smallest_slot = std::size_t{1} << 20;
constexpr int k_trap = 0xcc; // int3

} // namespace

struct CodeSlot::Pages {
  SharedMemory memory;
  std::shared_ptr<const std::string> loaded; // the image that lies there now, by identity
  std::size_t used = 0;                      // bytes from the start that are no trap
};

Result<CodeSlot> CodeSlot::share(std::string image, std::size_t offset, std::size_t room)
{
  thread_local std::shared_ptr<Pages> t_pages;
  room = std::max(room, offset + image.size());
  if (t_pages == nullptr || t_pages->memory.size() < room) {
    auto pages = std::make_shared<Pages>(); // lanes that hold the smaller one keep it
    HONE_TRY(pages->memory,
             SharedMemory::create("hone-code", std::max(k_smallest_slot, 2 * room), SharedMemory::Use::code));
    HONE_CHECK(pages->memory.seal_for_others());
    std::memset(pages->memory.data(), k_trap, pages->memory.size());
    t_pages = std::move(pages);
  }
  CodeSlot slot;
  slot.m_pages = t_pages;
  slot.m_image = std::make_shared<const std::string>(std::move(image));
  slot.m_offset = offset;
  return slot;
}

void CodeSlot::load()
{
  if (m_pages->loaded == m_image) {
    return;
  }
  std::byte* const code = m_pages->memory.data();
  std::memset(code, k_trap, m_pages->used);
  std::memcpy(code + m_offset, m_image->data(), m_image->size());
  m_pages->used = m_offset + m_image->size();
  m_pages->loaded = m_image;
}

int CodeSlot::fd() const
{
  return m_pages->memory.fd();
}

std::size_t CodeSlot::size() const
{
  return m_pages->memory.size();
}

} // namespace hone
