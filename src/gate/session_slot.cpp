#include "gate/session_slot.h"

#include <cstring>

namespace hone::gate {
namespace {

constexpr int k_trap = 0xcc; // int3

} // namespace

struct CodeMemory {
  SharedMemory memory;
  std::shared_ptr<const std::string> loaded; // the image that lies there now, by identity
  std::size_t used = 0;                      // bytes from the start that are no trap
};

Result<CodePages> make_code_pages(std::size_t bytes)
{
  auto pages = std::make_shared<CodeMemory>();
  HONE_TRY(pages->memory, SharedMemory::create("hone-code", bytes + 1, SharedMemory::Use::code));
  HONE_CHECK(pages->memory.seal_for_others());
  std::memset(pages->memory.data(), k_trap, pages->memory.size());
  return pages;
}

Result<CodeSlot> CodeSlot::share(CodePages pages, std::string image, std::size_t offset)
{
  if (offset + image.size() > pages->memory.size()) {
    return fail("the pages for code are too few", "this is a mistake in Hone: please report it");
  }
  CodeSlot slot;
  slot.m_pages = std::move(pages);
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

const SharedMemory& CodeSlot::memory() const
{
  return m_pages->memory;
}

std::size_t CodeSlot::size() const
{
  return m_pages->memory.size();
}

std::span<const std::byte> CodeSlot::bytes() const
{
  return {m_pages->memory.data(), m_pages->memory.size()};
}

} // namespace hone::gate
