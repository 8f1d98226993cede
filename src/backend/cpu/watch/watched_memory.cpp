#include "backend/cpu/watch/watched_memory.h"

#include "backend/cpu/watch/guarded_variables.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_guard = 8192; // bytes on both sides of a buffer: an access there counts as out of its bounds
constexpr std::size_t k_line = 64;

std::size_t place(std::size_t bytes)
{
  return (bytes + 2 * k_guard + k_line - 1) / k_line * k_line;
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

WatchedMemory::WatchedMemory(const std::vector<BufferFacts>& buffers, Instrumentation instrumentation)
  : m_instrumentation(instrumentation)
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
    buffer.begin = next + k_guard;
    next += place(facts.bytes);
    if (facts.empty) {
      buffer.definedness = Definedness({buffer.begin, facts.bytes});
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
  m_reported_foreign_access = false;
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    Watched& buffer = m_buffers[i];
    buffer.reduced = std::ranges::find(reduced, static_cast<std::int64_t>(i)) != reduced.end();
    buffer.reported = false;
    buffer.before.assign(
      buffer.begin,
      buffer.begin
        + (buffer.reduced && m_instrumentation == Instrumentation::thread_sanitizer ? buffer.facts.bytes : 0));
    const bool watched = buffer.facts.writable && m_instrumentation != Instrumentation::address_sanitizer;
    buffer.shadow = watched ? ShadowMemory(buffer.facts.bytes, buffer.facts.element_bytes) : ShadowMemory();
    const bool compared = watched && !buffer.reduced && buffer.facts.bytes <= m_left_to_compare;
    buffer.changed = compared ? ChangedBytes(bytes_of(i)) : ChangedBytes();
  }
  m_accesses = 0;
  m_missed_accesses = false;
}

void WatchedMemory::make_shared(std::size_t bytes)
{
  for (Group& group : m_groups) {
    Watched& shared = group.shared;
    report_undefined_read(shared);
    group.shared_memory = std::make_unique<std::byte[]>(place(bytes) + k_line);
    shared = {};
    shared.facts = {bytes, 1, true, true, "shared scratch"};
    shared.shared = true;
    shared.begin = aligned(group.shared_memory.get()) + k_guard;
    shared.definedness = Definedness({shared.begin, bytes});
  }
}

std::span<std::byte> WatchedMemory::shared()
{
  return {current().shared.begin, current().shared.facts.bytes};
}

void WatchedMemory::begin_group(std::int64_t group)
{
  current().number = static_cast<std::int32_t>(group);
  current().accesses = 0;
  current().shared.definedness.reset();
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
  std::ranges::for_each(m_buffers, [this](Watched& buffer) { find_unseen_writes(buffer); });
}

void WatchedMemory::set_own_memory(OwnMemory own)
{
  current().own = std::move(own);
}

void WatchedMemory::switch_to(std::size_t fiber)
{
  if (fiber != m_fiber) {
    end_group(); // its unseen writes so far must not count for the other group
    m_fiber = fiber;
  }
}

void WatchedMemory::fill(std::size_t buffer, std::uint64_t pattern, std::size_t element_bytes)
{
  const std::span<std::byte> bytes = bytes_of(buffer);
  for (std::size_t at = 0; at + element_bytes <= bytes.size(); at += element_bytes) {
    std::memcpy(bytes.data() + at, &pattern, element_bytes);
  }
  m_buffers[buffer].definedness.mark_all_defined();
}

void WatchedMemory::check_variables_only()
{
  m_instrumentation = Instrumentation::address_sanitizer;
  m_fiber = 0;
  m_findings.clear();
}

void WatchedMemory::stop_watching()
{
  end_launch();
  end_call();
  stop_comparing();
  for (Watched& buffer : m_buffers) {
    buffer.definedness.mark_all_defined();
  }
}

void WatchedMemory::end_launch()
{
  for (Watched& buffer : m_buffers) {
    check_reduced(buffer);
    if (std::exchange(buffer.has_unseen_writes_at_limit, false)) {
      report_undefined_read(buffer);
      buffer.has_unseen_writes = true;
    }
  }
}

void WatchedMemory::end_call()
{
  std::ranges::for_each(m_buffers, [this](Watched& buffer) { report_undefined_read(buffer); });
  std::ranges::for_each(m_groups, [this](Group& group) { report_undefined_read(group.shared); });
}

WatchedMemory::Watched* WatchedMemory::buffer_around(const std::byte* address)
{
  const auto near = [&](const Watched& buffer) {
    return address >= buffer.begin - k_guard && address < buffer.begin + buffer.facts.bytes + k_guard;
  };
  const auto found = std::ranges::find_if(m_buffers, near);
  if (found != m_buffers.end()) {
    return &*found;
  }
  Watched& shared = current().shared;
  return shared.begin != nullptr && near(shared) ? &shared : nullptr;
}

bool WatchedMemory::is_in_stack(const void* pointer) const
{
  return current().own.is_in_stack(pointer);
}

bool WatchedMemory::record_stack_move(const void* pointer)
{
  const bool own = is_in_stack(pointer);
  if (!m_reported_foreign_access && !own) {
    m_reported_foreign_access = true;
    m_findings.push_back("read through a stack pointer that points outside its stack (" + m_kernel + ")");
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

void WatchedMemory::report_livelock()
{
  m_findings.push_back("race groups wait for each other and none makes progress (" + m_kernel + ")");
}

void WatchedMemory::report_overlap()
{
  if (!std::exchange(m_reported_overlap, true)) {
    m_findings.push_back("write by memcpy into the bytes that it copies (" + m_kernel + ")");
  }
}

void WatchedMemory::report_torn(std::size_t size)
{
  if (!std::exchange(m_reported_torn, true)) {
    m_findings.push_back("race an atomic operation on " + std::to_string(size)
                         + " bytes that do not begin at a multiple of " + std::to_string(size) + " (" + m_kernel + ")");
  }
}

void WatchedMemory::report_hidden_code()
{
  if (!std::exchange(m_reported_hidden_code, true)) {
    m_findings.push_back("hidden jumps to an address where no instruction begins (" + m_kernel + ")");
  }
}

bool WatchedMemory::record_access(const void* address, std::size_t size, Access access, const void* frame)
{
  if (is_limit_reached()) {
    return true;
  }
  ++m_accesses;
  ++current().accesses;
  check_access(static_cast<const std::byte*>(address), size, access, frame);
  const bool enough = is_limit_reached();
  if (enough) { // later writes are not seen: they must not excuse earlier reads
    m_missed_accesses = true;
    end_call();
  }
  return enough;
}

void WatchedMemory::check_access(const std::byte* begin, std::size_t size, Access access, const void* frame)
{
  if (m_instrumentation == Instrumentation::address_sanitizer) {
    return check_variables(begin, size, is_write(access));
  }
  Watched* buffer = size == 0 ? nullptr : buffer_around(begin);
  const bool write = is_write(access);
  if (buffer == nullptr) {
    if (size > 0 && !m_reported_foreign_access) {
      check_own_memory(begin, size, write, frame);
    }
    return;
  }
  const std::ptrdiff_t offset = begin - buffer->begin;
  const auto bytes = static_cast<std::ptrdiff_t>(buffer->facts.bytes);
  const auto end = offset + static_cast<std::ptrdiff_t>(size);
  if (offset < 0 || end > bytes) {
    report_out_of_bounds(*buffer, offset, end, write);
  } else if (write && !buffer->facts.writable) {
    report_constant_write(*buffer);
  } else if (buffer->facts.writable) {
    check_definedness(*buffer, static_cast<std::size_t>(offset), size, access);
    if (buffer->shared) {
      return;
    }
    if (buffer->reduced && may_be_atomic(access)) {
      return;
    }
    if (!buffer->reduced) { // atomic accesses to it are races, too
      access = write ? Access::write : Access::read;
    }
    check_race(*buffer, static_cast<std::size_t>(offset), size, access);
  }
}

void WatchedMemory::check_own_memory(const void* address, std::size_t size, bool write, const void* frame)
{
  const std::string violation = current().own.violation(address, size, frame, write);
  if (!violation.empty()) {
    m_reported_foreign_access = true;
    m_findings.push_back(std::string(write ? "write " : "read ") + std::to_string(size) + " bytes " + violation + " ("
                         + m_kernel + ")");
  }
}

void WatchedMemory::report_out_of_bounds(Watched& buffer, std::ptrdiff_t begin, std::ptrdiff_t end, bool write)
{
  const auto bytes = static_cast<std::ptrdiff_t>(buffer.facts.bytes);
  const std::string where = begin < 0 ? std::to_string(-begin) + " bytes before the start of "
                                      : std::to_string(end - bytes) + " bytes past the end of ";
  report(buffer, std::string(write ? "write " : "read ") + where + buffer.facts.name);
}

void WatchedMemory::report_constant_write(Watched& buffer)
{
  report(buffer, "write into " + buffer.facts.name + ", which is read only");
}

void WatchedMemory::check_variables(const void* address, std::size_t size, bool write)
{
  const std::string violation = m_reported_foreign_access ? "" : guarded_variables().violation(address, size);
  if (!violation.empty()) {
    m_reported_foreign_access = true;
    m_findings.push_back((write ? "write " : "read ") + violation + " (" + m_kernel + ")");
  }
}

// A byte counts as defined after a read as well: each is reported once.
void WatchedMemory::check_definedness(Watched& buffer, std::size_t offset, std::size_t size, Access access)
{
  const bool reads = access != Access::write && access != Access::may_write;
  if (const auto undefined = reads ? buffer.definedness.first_undefined(offset, size) : std::nullopt) {
    if (!buffer.definedness.is_poisoned(offset, size)) {
      buffer.has_unseen_writes = true;
    } else if (buffer.undefined_read.empty()) {
      note_undefined_read(buffer, *undefined);
    }
  }
  buffer.definedness.mark_defined(offset, size);
}

void WatchedMemory::note_undefined_read(Watched& buffer, std::size_t offset)
{
  buffer.undefined_read = "unwritten group " + std::to_string(current().number) + " reads " + buffer.facts.name + "["
                          + std::to_string(offset / buffer.facts.element_bytes) + "], which nothing has written ("
                          + m_kernel + ")";
}

// Records bytes that the current group changed without a recorded write. Writes after its limit was reached are
// expected; other groups of this launch may not rely on them.
void WatchedMemory::find_unseen_writes(Watched& buffer)
{
  buffer.changed.take_changes([&](std::size_t offset) {
    const ShadowCell* const cell = buffer.shadow.find(offset);
    if (cell == nullptr || (cell->writer != current().number && cell->writer != ShadowCell::k_several_groups)) {
      if (is_limit_reached()) {
        buffer.has_unseen_writes_at_limit = true;
        buffer.definedness.mark_defined(offset, 1);
      } else {
        buffer.has_unseen_writes = true;
      }
      check_race(buffer, offset, 1, Access::write);
    }
  });
}

void WatchedMemory::stop_comparing()
{
  std::ranges::for_each(m_buffers, [](Watched& buffer) { buffer.changed = {}; });
}

void WatchedMemory::report_undefined_read(Watched& buffer)
{
  if (!buffer.undefined_read.empty() && !buffer.has_unseen_writes && !buffer.definedness.has_unseen_writes()) {
    m_findings.push_back(buffer.undefined_read);
  }
  buffer.undefined_read.clear();
}

// Inline assembly and unknown intrinsics may add non-atomically, without an access that is recorded.
void WatchedMemory::check_reduced(Watched& buffer)
{
  for (std::size_t i = 0; i < buffer.before.size(); ++i) {
    const ShadowCell* const cell = buffer.shadow.find(i);
    const bool recorded = cell != nullptr && cell->changed;
    if (!recorded && !m_missed_accesses && buffer.begin[i] != buffer.before[i]) {
      report(buffer, "race " + buffer.facts.name + "[" + std::to_string(i / buffer.facts.element_bytes)
                       + "] is changed by something that is not seen to be an atomic operation");
      break;
    }
  }
  buffer.before.clear();
}

bool WatchedMemory::is_race(const ShadowCell& cell, Access access) const
{
  return is_other(cell.writer) || (access != Access::read && is_other(cell.reader))
         || (!is_atomic(access) && is_other(cell.adder));
}

std::string WatchedMemory::race_text(const ShadowCell& cell, Access access) const
{
  const auto name = [](std::int32_t group) {
    return group == ShadowCell::k_several_groups ? std::string("another group") : "group " + std::to_string(group);
  };
  const auto verb = [](Access kind) {
    return is_atomic(kind) ? " adds to" : kind == Access::write ? " writes" : " reads";
  };
  const bool with_writer = is_other(cell.writer);
  const bool with_reader = !with_writer && access != Access::read && is_other(cell.reader);
  const Access others = with_writer ? Access::write : with_reader ? Access::read : Access::atomic_write;
  const std::int32_t other = with_writer ? cell.writer : with_reader ? cell.reader : cell.adder;
  return name(other) + verb(others) + " and " + name(current().number) + verb(access);
}

void WatchedMemory::report_race(Watched& buffer, const ShadowCell& cell, Access access, std::size_t offset)
{
  report(buffer, "race " + race_text(cell, access) + " " + buffer.facts.name + "["
                   + std::to_string(offset / buffer.facts.element_bytes) + "]");
}

void WatchedMemory::check_race(Watched& buffer, std::size_t offset, std::size_t size, Access access)
{
  buffer.shadow.for_each(offset, size, [&](ShadowCell& cell, std::size_t at) {
    if (is_race(cell, access)) {
      report_race(buffer, cell, access, at);
      return false;
    }
    std::int32_t& mark = access == Access::write ? cell.writer : access == Access::read ? cell.reader : cell.adder;
    mark = is_other(mark) ? ShadowCell::k_several_groups : current().number;
    cell.changed = cell.changed || is_write(access);
    return true;
  });
}

void WatchedMemory::report(Watched& buffer, const std::string& finding)
{
  if (!buffer.reported) {
    buffer.reported = true;
    m_findings.push_back(finding + " (" + m_kernel + ")");
  }
}

} // namespace hone::backend::cpu
