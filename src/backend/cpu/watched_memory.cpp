#include "backend/cpu/watched_memory.h"

#include <algorithm>

namespace hone::cpu {
namespace {

constexpr std::size_t k_room = 8192; // on both sides of a buffer: this far away is still meant for it
constexpr std::size_t k_line = 64;

std::size_t place(std::size_t bytes)
{
  return (bytes + 2 * k_room + k_line - 1) / k_line * k_line;
}

std::byte* aligned(std::byte* memory)
{
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (k_line - address % k_line) % k_line;
}

} // namespace

WatchedMemory::WatchedMemory(const std::vector<BufferFacts>& buffers)
{
  std::size_t total = k_line;
  for (const BufferFacts& facts : buffers) {
    total += place(facts.bytes);
  }
  m_memory = std::make_unique<std::byte[]>(total);
  std::byte* next = aligned(m_memory.get());
  for (const BufferFacts& facts : buffers) {
    Watched& buffer = m_buffers.emplace_back();
    buffer.facts = facts;
    buffer.begin = next + k_room;
    next += place(facts.bytes);
  }
}

std::span<std::byte> WatchedMemory::bytes_of(std::size_t buffer)
{
  return {m_buffers.at(buffer).begin, m_buffers.at(buffer).facts.bytes};
}

void WatchedMemory::begin_launch(const std::string& kernel, std::span<const std::int64_t> reduced)
{
  m_kernel = kernel;
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    Watched& buffer = m_buffers[i];
    buffer.reduced = std::ranges::find(reduced, static_cast<std::int64_t>(i)) != reduced.end();
    buffer.told = false;
    buffer.touches.assign(buffer.facts.writable ? buffer.facts.bytes : 0, {});
  }
}

std::span<std::byte> WatchedMemory::make_shared(std::size_t bytes)
{
  m_shared_memory = std::make_unique<std::byte[]>(place(bytes) + k_line);
  m_shared = {};
  m_shared.facts = {bytes, 1, true, "shared scratch"};
  m_shared.shared = true;
  m_shared.begin = aligned(m_shared_memory.get()) + k_room;
  return {m_shared.begin, bytes};
}

WatchedMemory::Watched* WatchedMemory::at(const std::byte* address)
{
  const auto near = [&](const Watched& buffer) {
    return address >= buffer.begin - k_room && address < buffer.begin + buffer.facts.bytes + k_room;
  };
  const auto found = std::ranges::find_if(m_buffers, near);
  if (found != m_buffers.end()) {
    return &*found;
  }
  return m_shared.begin != nullptr && near(m_shared) ? &m_shared : nullptr;
}

void WatchedMemory::look(const void* address, std::size_t size, bool write)
{
  const auto* begin = static_cast<const std::byte*>(address);
  Watched* buffer = size == 0 ? nullptr : at(begin);
  if (buffer == nullptr) {
    return;
  }
  const std::ptrdiff_t offset = begin - buffer->begin;
  const auto bytes = static_cast<std::ptrdiff_t>(buffer->facts.bytes);
  const auto end = offset + static_cast<std::ptrdiff_t>(size);
  if (offset < 0 || end > bytes) {
    const std::string where = offset < 0 ? std::to_string(-offset) + " bytes before the start of "
                                         : std::to_string(end - bytes) + " bytes past the end of ";
    tell(*buffer, std::string(write ? "write " : "read ") + where + buffer->facts.name);
  } else if (write && !buffer->facts.writable) {
    tell(*buffer, "write into " + buffer->facts.name + ", which is read only");
  } else {
    look_inside(*buffer, static_cast<std::size_t>(offset), size, write);
  }
}

void WatchedMemory::look_inside(Watched& buffer, std::size_t offset, std::size_t size, bool write)
{
  if (buffer.shared || buffer.reduced || !buffer.facts.writable) {
    return;
  }
  for (std::size_t i = offset; i < offset + size; ++i) {
    Touch& touch = buffer.touches[i];
    const auto element = [&] { return buffer.facts.name + "[" + std::to_string(i / buffer.facts.element_bytes) + "]"; };
    const bool written_by_other = touch.writer != k_nobody && touch.writer != m_group;
    const bool read_by_other = touch.reader != k_nobody && touch.reader != m_group;
    if (write && written_by_other) {
      return tell(buffer, "race groups " + std::to_string(touch.writer) + " and " + std::to_string(m_group)
                            + " both write " + element());
    }
    if (written_by_other || (write && read_by_other)) {
      const std::string other = written_by_other            ? std::to_string(touch.writer)
                                : touch.reader == k_several ? "another group"
                                                            : std::to_string(touch.reader);
      return tell(buffer, "race group " + (write ? std::to_string(m_group) : other) + " writes " + element()
                            + ", which group " + (write ? other : std::to_string(m_group)) + " reads");
    }
    if (write) {
      touch.writer = m_group;
    } else {
      touch.reader = read_by_other ? k_several : m_group;
    }
  }
}

void WatchedMemory::tell(Watched& buffer, const std::string& finding)
{
  if (!buffer.told) {
    buffer.told = true;
    m_findings.push_back(finding + " (" + m_kernel + ")");
  }
}

} // namespace hone::cpu
