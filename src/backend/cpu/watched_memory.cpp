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

bool is_atomic(Access access)
{
  return access == Access::atomic_read || access == Access::atomic_write;
}

bool is_write(Access access)
{
  return access == Access::write || access == Access::atomic_write || access == Access::may_write;
}

bool may_be_atomic(Access access)
{
  return access == Access::may_read || access == Access::may_write;
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
    buffer.touches.clear();
    buffer.touches.resize(buffer.facts.writable ? buffer.facts.bytes / k_page + 1 : 0);
  }
  m_looks = 0;
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

void WatchedMemory::look(const void* address, std::size_t size, Access access)
{
  const auto* begin = static_cast<const std::byte*>(address);
  ++m_looks;
  Watched* buffer = size == 0 ? nullptr : at(begin);
  if (buffer == nullptr) {
    return;
  }
  const bool write = is_write(access);
  const std::ptrdiff_t offset = begin - buffer->begin;
  const auto bytes = static_cast<std::ptrdiff_t>(buffer->facts.bytes);
  const auto end = offset + static_cast<std::ptrdiff_t>(size);
  if (offset < 0 || end > bytes) {
    const std::string where = offset < 0 ? std::to_string(-offset) + " bytes before the start of "
                                         : std::to_string(end - bytes) + " bytes past the end of ";
    tell(*buffer, std::string(write ? "write " : "read ") + where + buffer->facts.name);
  } else if (write && !buffer->facts.writable) {
    tell(*buffer, "write into " + buffer->facts.name + ", which is read only");
  } else if (!buffer->shared && buffer->facts.writable) {
    if (buffer->reduced && may_be_atomic(access)) {
      return;
    }
    if (!buffer->reduced) { // there, groups must not meet at all
      access = write ? Access::write : Access::read;
    }
    look_inside(*buffer, static_cast<std::size_t>(offset), size, access);
  }
}

bool WatchedMemory::clashes(const Touch& touch, Access access) const
{
  return is_other(touch.writer) || (access != Access::read && is_other(touch.reader))
         || (!is_atomic(access) && is_other(touch.adder));
}

std::string WatchedMemory::clash_text(const Touch& touch, Access access) const
{
  const auto name = [](std::int32_t group) {
    return group == k_several ? std::string("another group") : "group " + std::to_string(group);
  };
  const auto verb = [](Access way) {
    return is_atomic(way) ? " adds to" : way == Access::write ? " writes" : " reads";
  };
  const bool of_writer = is_other(touch.writer);
  const bool of_reader = !of_writer && access != Access::read && is_other(touch.reader);
  const Access others = of_writer ? Access::write : of_reader ? Access::read : Access::atomic_write;
  const std::int32_t other = of_writer ? touch.writer : of_reader ? touch.reader : touch.adder;
  return name(other) + verb(others) + " and " + name(m_group) + verb(access);
}

void WatchedMemory::look_inside(Watched& buffer, std::size_t offset, std::size_t size, Access access)
{
  for (std::size_t i = offset; i < offset + size; ++i) {
    std::unique_ptr<Page>& page = buffer.touches[i / k_page];
    if (!page) {
      page = std::make_unique<Page>();
    }
    Touch& touch = (*page)[i % k_page];
    if (clashes(touch, access)) {
      return tell(buffer, "race " + clash_text(touch, access) + " " + buffer.facts.name + "["
                            + std::to_string(i / buffer.facts.element_bytes) + "]");
    }
    std::int32_t& mark = access == Access::write ? touch.writer : access == Access::read ? touch.reader : touch.adder;
    mark = is_other(mark) ? k_several : m_group;
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
