#include "backend/runner/device_buffers.h"

#include "backend/runner/device_words.h"
#include "backend/runner/fill.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace hone::backend::runner {
namespace {

constexpr std::size_t k_chunk_words = 8192;
constexpr std::uint64_t k_chunk_bytes = k_chunk_words * sizeof(std::uint64_t);

std::byte byte_of(std::uint64_t key, std::uint64_t position)
{
  return static_cast<std::byte>(poison_word(key, position / 8) >> (position % 8 * 8));
}

} // namespace

const char* DeviceBuffers::make(const JobView& job)
{
  release();
  m_buffers = job.buffers();
  m_chunk.resize(k_chunk_words);
  std::map<std::uint64_t, std::uint32_t> known; // by address
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < m_buffers; ++i) {
      const Buffer& buffer = job.buffer(set, i);
      if (buffer.bytes == 0) {
        m_blocks.push_back(k_none);
        continue;
      }
      const auto [found, is_new] = known.try_emplace(buffer.address, m_made);
      if (is_new) {
        if (const char* failure = m_memory->make(m_made, job.head().guard_bytes, buffer.bytes, buffer.writable != 0)) {
          return failure;
        }
        ++m_made;
      }
      m_blocks.push_back(found->second);
    }
  }
  return nullptr;
}

void DeviceBuffers::release()
{
  m_memory->release();
  m_blocks.clear();
  m_made = 0;
}

const char* DeviceBuffers::execute(const JobView& job, Reply& reply)
{
  const std::uint32_t count = std::min(job.head().memory_request_count, k_most_memory_requests);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t result = 0;
    if (const char* failure = execute(job, job.memory_requests()[i], result)) {
      return failure;
    }
    reply.memory_results[i] = result;
  }
  return nullptr;
}

const char* DeviceBuffers::execute(const JobView& job, const MemoryRequest& request, std::uint64_t& result)
{
  if (request.set >= job.sets() || request.buffer >= m_buffers) {
    return "a memory request names a buffer that is not there";
  }
  const Buffer& buffer = job.buffer(request.set, request.buffer);
  const std::uint32_t block = block_of(request.set, request.buffer);
  if (block == k_none) {
    return nullptr;
  }
  const std::uint64_t band = job.head().guard_bytes;
  const Range bytes{block, band, buffer.bytes}, front{block, 0, band}, back{block, band + buffer.bytes, band};
  switch (request.operation) {
  case MemoryOperation::push:
    return m_memory->write(block, band, m_memory->staging(buffer.address), buffer.bytes);
  case MemoryOperation::pull:
    return m_memory->read(block, band, m_memory->staging(buffer.address), buffer.bytes);
  case MemoryOperation::fill:
    return write_pattern(bytes, request.key, request.element_bytes);
  case MemoryOperation::poison:
    return write_words(bytes, request.key);
  case MemoryOperation::digest:
    return digest(bytes, result);
  case MemoryOperation::write_guard: {
    const char* failure = write_words(front, request.key);
    return failure != nullptr ? failure : write_words(back, back_key(request.key));
  }
  case MemoryOperation::check_guard:
    return check_guard(front, back, request.key, result);
  }
  return "a memory request asks for something unknown";
}

const char* DeviceBuffers::write_words(const Range& range, std::uint64_t key)
{
  for (std::uint64_t done = 0; done < range.bytes; done += k_chunk_bytes) {
    for (std::size_t i = 0; i < k_chunk_words; ++i) {
      m_chunk[i] = poison_word(key, done / sizeof(std::uint64_t) + i);
    }
    const std::uint64_t size = std::min(k_chunk_bytes, range.bytes - done);
    if (const char* failure = m_memory->write(range.block, range.offset + done, m_chunk.data(), size)) {
      return failure;
    }
  }
  return nullptr;
}

const char* DeviceBuffers::write_pattern(const Range& range, std::uint64_t pattern, std::uint32_t element_bytes)
{
  const Fill fill{k_chunk_bytes / std::max(element_bytes, 1U), pattern, 0, element_bytes};
  fill_elements(m_chunk.data(), fill, 0, fill.elements);
  for (std::uint64_t done = 0; done < range.bytes; done += k_chunk_bytes) {
    const std::uint64_t size = std::min(k_chunk_bytes, range.bytes - done);
    if (const char* failure = m_memory->write(range.block, range.offset + done, m_chunk.data(), size)) {
      return failure;
    }
  }
  return nullptr;
}

const char* DeviceBuffers::digest(const Range& range, std::uint64_t& result)
{
  std::uint64_t sum = range.bytes;
  for (std::uint64_t done = 0; done < range.bytes; done += k_chunk_bytes) {
    const std::uint64_t size = std::min(k_chunk_bytes, range.bytes - done);
    const std::uint64_t words = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    m_chunk[words - 1] = 0; // the last one may be read in part
    if (const char* failure = m_memory->read(range.block, range.offset + done, m_chunk.data(), size)) {
      return failure;
    }
    for (std::uint64_t i = 0; i < words; ++i) {
      sum += digest_term(m_chunk[i], done / sizeof(std::uint64_t) + i);
    }
  }
  result = sum;
  return nullptr;
}

// Bands are whole words.
const char* DeviceBuffers::damage(const Range& range, std::uint64_t key, bool last, std::uint64_t& position)
{
  position = range.bytes;
  for (std::uint64_t done = 0; done < range.bytes; done += k_chunk_bytes) {
    const std::uint64_t size = std::min(k_chunk_bytes, range.bytes - done);
    if (const char* failure = m_memory->read(range.block, range.offset + done, m_chunk.data(), size)) {
      return failure;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(m_chunk.data());
    for (std::uint64_t word = 0; word < size; word += sizeof(std::uint64_t)) {
      if (m_chunk[word / sizeof(std::uint64_t)] == poison_word(key, (done + word) / sizeof(std::uint64_t))) {
        continue;
      }
      for (std::uint64_t i = word; i < std::min(word + sizeof(std::uint64_t), size); ++i) {
        if (bytes[i] != byte_of(key, done + i)) {
          position = done + i;
          if (!last) {
            return nullptr;
          }
        }
      }
    }
  }
  return nullptr;
}

const char* DeviceBuffers::check_guard(const Range& front, const Range& back, std::uint64_t key, std::uint64_t& result)
{
  std::uint64_t position = 0;
  if (const char* failure = damage(back, back_key(key), false, position)) {
    return failure;
  }
  if (position < back.bytes) {
    result = damage_of({true, position});
    return nullptr;
  }
  if (const char* failure = damage(front, key, true, position)) {
    return failure;
  }
  result = position < front.bytes ? damage_of({false, front.bytes - position}) : 0;
  return nullptr;
}

} // namespace hone::backend::runner
