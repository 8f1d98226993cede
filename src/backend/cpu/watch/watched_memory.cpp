#include "backend/cpu/watch/watched_memory.h"

#include "backend/cpu/watch/guarded_variables.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

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

WatchedMemory::WatchedMemory(const std::vector<BufferFacts>& buffers, Told told) : m_told(told)
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
    if (facts.empty) {
      buffer.written = WrittenBytes({buffer.begin, facts.bytes});
    }
  }
}

std::span<std::byte> WatchedMemory::bytes_of(std::size_t buffer)
{
  return {m_buffers.at(buffer).begin, m_buffers.at(buffer).facts.bytes};
}

void WatchedMemory::begin_launch(const std::string& kernel, std::span<const std::int64_t> reduced)
{
  m_kernel = kernel;
  m_told_of_others = false;
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    Watched& buffer = m_buffers[i];
    buffer.reduced = std::ranges::find(reduced, static_cast<std::int64_t>(i)) != reduced.end();
    buffer.told = false;
    buffer.before.assign(buffer.begin,
                         buffer.begin + (buffer.reduced && m_told == Told::apart ? buffer.facts.bytes : 0));
    const bool watched = buffer.facts.writable && m_told != Told::guarded;
    buffer.touches = watched ? Touches(buffer.facts.bytes, buffer.facts.element_bytes) : Touches();
    const bool compared = watched && !buffer.reduced && buffer.facts.bytes <= m_left_to_compare;
    buffer.changed = compared ? ChangedBytes(bytes_of(i)) : ChangedBytes();
  }
  m_looks = 0;
  m_looked_away = false;
}

void WatchedMemory::make_shared(std::size_t bytes)
{
  for (UnderWay& group : m_under_way) {
    Watched& shared = group.shared;
    judge_unwritten(shared);
    group.shared_memory = std::make_unique<std::byte[]>(place(bytes) + k_line);
    shared = {};
    shared.facts = {bytes, 1, true, true, "shared scratch"};
    shared.shared = true;
    shared.begin = aligned(group.shared_memory.get()) + k_room;
    shared.written = WrittenBytes({shared.begin, bytes});
  }
}

std::span<std::byte> WatchedMemory::shared()
{
  return {current().shared.begin, current().shared.facts.bytes};
}

void WatchedMemory::begin_group(std::int64_t group)
{
  current().group = static_cast<std::int32_t>(group);
  current().looks = 0;
  current().shared.written.forget();
}

void WatchedMemory::end_group()
{
  std::size_t bytes = 0;
  for (const Watched& buffer : m_buffers) {
    bytes += buffer.changed.size();
  }
  if (bytes > m_left_to_compare) {
    return stop_comparing();
  }
  m_left_to_compare -= bytes;
  std::ranges::for_each(m_buffers, [this](Watched& buffer) { look_for_untold(buffer); });
}

void WatchedMemory::limit_to(OwnMemory own)
{
  current().own = std::move(own);
}

void WatchedMemory::change_to(std::size_t turn)
{
  if (turn != m_turn) {
    end_group(); // what it has changed so far is not the other one's
    m_turn = turn;
  }
}

void WatchedMemory::fill(std::size_t buffer, std::uint64_t pattern, std::size_t element_bytes)
{
  const std::span<std::byte> bytes = bytes_of(buffer);
  for (std::size_t at = 0; at + element_bytes <= bytes.size(); at += element_bytes) {
    std::memcpy(bytes.data() + at, &pattern, element_bytes);
  }
  m_buffers[buffer].written.write_all();
}

void WatchedMemory::look_at_variables_only()
{
  m_told = Told::guarded;
  m_turn = 0;
  m_findings.clear();
}

void WatchedMemory::look_away()
{
  end_launch();
  end_call();
  stop_comparing();
  for (Watched& buffer : m_buffers) {
    buffer.written.write_all();
  }
}

void WatchedMemory::end_launch()
{
  for (Watched& buffer : m_buffers) {
    judge_reduced(buffer);
    if (std::exchange(buffer.unseen_later, false)) {
      judge_unwritten(buffer);
      buffer.unseen = true;
    }
  }
}

void WatchedMemory::end_call()
{
  std::ranges::for_each(m_buffers, [this](Watched& buffer) { judge_unwritten(buffer); });
  std::ranges::for_each(m_under_way, [this](UnderWay& group) { judge_unwritten(group.shared); });
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
  Watched& shared = current().shared;
  return shared.begin != nullptr && near(shared) ? &shared : nullptr;
}

bool WatchedMemory::look_at_stack(const void* pointer)
{
  const bool own = current().own.is_in_stack(pointer);
  if (!m_told_of_others && !own) {
    m_told_of_others = true;
    m_findings.push_back("read through a stack pointer that it moves elsewhere (" + m_kernel + ")");
  }
  return own;
}

bool WatchedMemory::is_reduced(const void* address) const
{
  const auto* const at = static_cast<const std::byte*>(address);
  return std::ranges::any_of(m_buffers, [at](const Watched& buffer) {
    return buffer.reduced && at >= buffer.begin && at < buffer.begin + buffer.facts.bytes;
  });
}

std::uint64_t WatchedMemory::digest_of_reduced() const
{
  std::uint64_t digest = 0;
  for (const Watched& buffer : m_buffers) {
    if (buffer.reduced) {
      const std::string_view bytes(reinterpret_cast<const char*>(buffer.begin), buffer.facts.bytes);
      digest = 31 * digest + std::hash<std::string_view>{}(bytes);
    }
  }
  return digest;
}

void WatchedMemory::find_standstill()
{
  m_findings.push_back("race groups wait for each other, and none goes on (" + m_kernel + ")");
}

void WatchedMemory::find_overlap()
{
  if (!std::exchange(m_told_of_overlap, true)) {
    m_findings.push_back("write into what it copies by memcpy at the same time (" + m_kernel + ")");
  }
}

void WatchedMemory::find_torn(std::size_t size)
{
  if (!std::exchange(m_told_of_torn, true)) {
    m_findings.push_back("race an atomic operation on " + std::to_string(size)
                         + " bytes that do not begin at a multiple of " + std::to_string(size) + " (" + m_kernel + ")");
  }
}

void WatchedMemory::find_hidden_code()
{
  if (!std::exchange(m_told_of_hidden_code, true)) {
    m_findings.push_back("hidden jumps to where no instruction begins (" + m_kernel + ")");
  }
}

bool WatchedMemory::look(const void* address, std::size_t size, Access access, const void* frame)
{
  if (has_seen_enough()) {
    return true;
  }
  ++m_looks;
  ++current().looks;
  look_at(static_cast<const std::byte*>(address), size, access, frame);
  const bool enough = has_seen_enough();
  if (enough) { // what is written from here on is not seen: it must not excuse what was read before
    m_looked_away = true;
    end_call();
  }
  return enough;
}

void WatchedMemory::look_at(const std::byte* begin, std::size_t size, Access access, const void* frame)
{
  if (m_told == Told::guarded) {
    return look_beside_variables(begin, size, is_write(access));
  }
  Watched* buffer = size == 0 ? nullptr : at(begin);
  const bool write = is_write(access);
  if (buffer == nullptr) {
    if (size > 0 && !m_told_of_others) {
      look_elsewhere(begin, size, write, frame);
    }
    return;
  }
  const std::ptrdiff_t offset = begin - buffer->begin;
  const auto bytes = static_cast<std::ptrdiff_t>(buffer->facts.bytes);
  const auto end = offset + static_cast<std::ptrdiff_t>(size);
  if (offset < 0 || end > bytes) {
    tell_of_bounds(*buffer, offset, end, write);
  } else if (write && !buffer->facts.writable) {
    tell_of_constant(*buffer);
  } else if (buffer->facts.writable) {
    look_for_unwritten(*buffer, static_cast<std::size_t>(offset), size, access);
    if (buffer->shared) {
      return;
    }
    if (buffer->reduced && may_be_atomic(access)) {
      return;
    }
    if (!buffer->reduced) { // there, groups must not meet at all
      access = write ? Access::write : Access::read;
    }
    look_inside(*buffer, static_cast<std::size_t>(offset), size, access);
  }
}

void WatchedMemory::look_elsewhere(const void* address, std::size_t size, bool write, const void* frame)
{
  const std::string trouble = current().own.trouble(address, size, frame, write);
  if (!trouble.empty()) {
    m_told_of_others = true;
    m_findings.push_back(std::string(write ? "write " : "read ") + std::to_string(size) + " bytes " + trouble + " ("
                         + m_kernel + ")");
  }
}

void WatchedMemory::tell_of_bounds(Watched& buffer, std::ptrdiff_t begin, std::ptrdiff_t end, bool write)
{
  const auto bytes = static_cast<std::ptrdiff_t>(buffer.facts.bytes);
  const std::string where = begin < 0 ? std::to_string(-begin) + " bytes before the start of "
                                      : std::to_string(end - bytes) + " bytes past the end of ";
  tell(buffer, std::string(write ? "write " : "read ") + where + buffer.facts.name);
}

void WatchedMemory::tell_of_constant(Watched& buffer)
{
  tell(buffer, "write into " + buffer.facts.name + ", which is read only");
}

void WatchedMemory::look_beside_variables(const void* address, std::size_t size, bool write)
{
  const std::string trouble = m_told_of_others ? "" : guarded_variables().trouble(address, size);
  if (!trouble.empty()) {
    m_told_of_others = true;
    m_findings.push_back((write ? "write " : "read ") + trouble + " (" + m_kernel + ")");
  }
}

// A byte that was read is taken for known from then on: a write to it may not be told any more.
void WatchedMemory::look_for_unwritten(Watched& buffer, std::size_t offset, std::size_t size, Access access)
{
  const bool reads = access != Access::write && access != Access::may_write;
  if (const auto unwritten = reads ? buffer.written.first_unwritten(offset, size) : std::nullopt) {
    if (!buffer.written.holds_noise(offset, size)) {
      buffer.unseen = true;
    } else if (buffer.unwritten.empty()) {
      note_unwritten(buffer, *unwritten);
    }
  }
  buffer.written.write(offset, size);
}

void WatchedMemory::note_unwritten(Watched& buffer, std::size_t offset)
{
  buffer.unwritten = "unwritten group " + std::to_string(current().group) + " reads " + buffer.facts.name + "["
                     + std::to_string(offset / buffer.facts.element_bytes) + "], which nothing has written (" + m_kernel
                     + ")";
}

// Of bytes that the current group changed those that it was not seen to write. What it wrote after enough of it was
// seen is nothing that other groups of this launch may rely on.
void WatchedMemory::look_for_untold(Watched& buffer)
{
  buffer.changed.take([&](std::size_t offset) {
    const Touch* const touch = buffer.touches.find(offset);
    if (touch == nullptr || (touch->writer != current().group && touch->writer != Touch::k_several)) {
      if (has_seen_enough()) {
        buffer.unseen_later = true;
        buffer.written.write(offset, 1);
      } else {
        buffer.unseen = true;
      }
      look_inside(buffer, offset, 1, Access::write);
    }
  });
}

void WatchedMemory::stop_comparing()
{
  std::ranges::for_each(m_buffers, [](Watched& buffer) { buffer.changed = {}; });
}

void WatchedMemory::judge_unwritten(Watched& buffer)
{
  if (!buffer.unwritten.empty() && !buffer.unseen && !buffer.written.was_written_unseen()) {
    m_findings.push_back(buffer.unwritten);
  }
  buffer.unwritten.clear();
}

// Inline assembly, and intrinsics that the compiler knows nothing of, may add in several steps.
void WatchedMemory::judge_reduced(Watched& buffer)
{
  for (std::size_t i = 0; i < buffer.before.size(); ++i) {
    const Touch* const touch = buffer.touches.find(i);
    const bool told = touch != nullptr && touch->changed;
    if (!told && !m_looked_away && buffer.begin[i] != buffer.before[i]) {
      tell(buffer, "race " + buffer.facts.name + "[" + std::to_string(i / buffer.facts.element_bytes)
                     + "] is changed by something that is not seen to be an atomic operation");
      break;
    }
  }
  buffer.before.clear();
}

bool WatchedMemory::clashes(const Touch& touch, Access access) const
{
  return is_other(touch.writer) || (access != Access::read && is_other(touch.reader))
         || (!is_atomic(access) && is_other(touch.adder));
}

std::string WatchedMemory::clash_text(const Touch& touch, Access access) const
{
  const auto name = [](std::int32_t group) {
    return group == Touch::k_several ? std::string("another group") : "group " + std::to_string(group);
  };
  const auto verb = [](Access way) {
    return is_atomic(way) ? " adds to" : way == Access::write ? " writes" : " reads";
  };
  const bool of_writer = is_other(touch.writer);
  const bool of_reader = !of_writer && access != Access::read && is_other(touch.reader);
  const Access others = of_writer ? Access::write : of_reader ? Access::read : Access::atomic_write;
  const std::int32_t other = of_writer ? touch.writer : of_reader ? touch.reader : touch.adder;
  return name(other) + verb(others) + " and " + name(current().group) + verb(access);
}

void WatchedMemory::tell_of_race(Watched& buffer, const Touch& touch, Access access, std::size_t offset)
{
  tell(buffer, "race " + clash_text(touch, access) + " " + buffer.facts.name + "["
                 + std::to_string(offset / buffer.facts.element_bytes) + "]");
}

void WatchedMemory::look_inside(Watched& buffer, std::size_t offset, std::size_t size, Access access)
{
  buffer.touches.each(offset, size, [&](Touch& touch, std::size_t at) {
    if (clashes(touch, access)) {
      tell_of_race(buffer, touch, access, at);
      return false;
    }
    std::int32_t& mark = access == Access::write ? touch.writer : access == Access::read ? touch.reader : touch.adder;
    mark = is_other(mark) ? Touch::k_several : current().group;
    touch.changed = touch.changed || is_write(access);
    return true;
  });
}

void WatchedMemory::tell(Watched& buffer, const std::string& finding)
{
  if (!buffer.told) {
    buffer.told = true;
    m_findings.push_back(finding + " (" + m_kernel + ")");
  }
}

} // namespace hone::cpu
