// What the requests of Command::memory do, on memory that is a few vectors.
#include "backend/runner/device_buffers.h"
#include "backend/runner/device_words.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace hone::backend::runner {
namespace {

class Blocks : public DeviceMemory {
public:
  const char* make(std::uint32_t, std::uint64_t band, std::uint64_t bytes, bool) override
  {
    blocks.emplace_back(2 * band + bytes);
    return nullptr;
  }
  const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) override
  {
    std::memcpy(blocks[block].data() + offset, from, bytes);
    return nullptr;
  }
  const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) override
  {
    std::memcpy(to, blocks[block].data() + offset, bytes);
    return nullptr;
  }
  void release() override { blocks.clear(); }

  std::vector<std::vector<std::uint8_t>> blocks;
};

constexpr std::uint64_t k_band = 4096;

// Two sets of two buffers; the first one is the same in both sets, and no whole number of words long.
struct SmallJob {
  Job head = {};
  Buffer buffers[4] = {};
  MemoryRequest requests[k_most_memory_requests] = {};
};

class DeviceBuffersTest : public testing::Test {
protected:
  DeviceBuffersTest()
  {
    std::iota(m_input.begin(), m_input.end(), std::uint8_t{1});
    m_job->head.set_count = 2;
    m_job->head.buffer_count = 2;
    m_job->head.guard_bytes = k_band;
    m_job->head.buffer_offset = offsetof(SmallJob, buffers);
    m_job->head.memory_request_offset = offsetof(SmallJob, requests);
    const auto address = [](std::vector<std::uint8_t>& bytes) { return reinterpret_cast<std::uint64_t>(bytes.data()); };
    for (std::size_t set = 0; set < 2; ++set) {
      m_job->buffers[2 * set] = {address(m_input), m_input.size(), 0, 1};
      m_job->buffers[2 * set + 1] = {address(m_outputs[set]), m_outputs[set].size(), 1, 4};
    }
    EXPECT_EQ(m_buffers.make(JobView(&m_job->head)), nullptr);
  }

  std::uint64_t execute(MemoryRequest request)
  {
    m_job->requests[0] = request;
    m_job->head.memory_request_count = 1;
    EXPECT_EQ(m_buffers.execute(JobView(&m_job->head), *m_reply), nullptr);
    return m_reply->memory_results[0];
  }

  std::vector<std::uint8_t> m_input = std::vector<std::uint8_t>(100'003); // beyond one piece, and odd
  std::vector<std::uint8_t> m_outputs[2] = {std::vector<std::uint8_t>(64), std::vector<std::uint8_t>(64)};
  std::unique_ptr<SmallJob> m_job = std::make_unique<SmallJob>();
  std::unique_ptr<Reply> m_reply = std::make_unique<Reply>();
  Blocks m_memory;
  DeviceBuffers m_buffers{m_memory};
};

TEST_F(DeviceBuffersTest, one_block_holds_what_sets_share)
{
  EXPECT_EQ(m_memory.blocks.size(), 3U);
  EXPECT_EQ(m_buffers.block_of(0, 0), m_buffers.block_of(1, 0));
  EXPECT_NE(m_buffers.block_of(0, 1), m_buffers.block_of(1, 1));
}

TEST_F(DeviceBuffersTest, bytes_go_there_and_back)
{
  execute({MemoryOperation::push, 0, 0, 0, 0});
  const std::vector<std::uint8_t> sent = std::exchange(m_input, std::vector<std::uint8_t>(m_input.size()));
  m_job->buffers[0].address = reinterpret_cast<std::uint64_t>(m_input.data());
  execute({MemoryOperation::pull, 0, 0, 0, 0});
  EXPECT_EQ(m_input, sent);
}

TEST_F(DeviceBuffersTest, fills_repeat_an_element)
{
  execute({MemoryOperation::fill, 1, 1, 4, 0x01020304});
  execute({MemoryOperation::pull, 1, 1, 0, 0});
  for (std::size_t i = 0; i < m_outputs[1].size(); ++i) {
    ASSERT_EQ(m_outputs[1][i], 4 - i % 4);
  }
  EXPECT_EQ(m_outputs[0], std::vector<std::uint8_t>(64)) << "another set's";
}

TEST_F(DeviceBuffersTest, poison_follows_from_its_key)
{
  execute({MemoryOperation::poison, 0, 1, 0, 7});
  execute({MemoryOperation::pull, 0, 1, 0, 0});
  std::uint64_t word = 0;
  std::memcpy(&word, m_outputs[0].data() + 8, sizeof word);
  EXPECT_EQ(word, poison_word(7, 1));
  EXPECT_NE(poison_word(7, 1), poison_word(8, 1));
}

// A change anywhere shows: also two words that change places, and the bytes behind the last whole word.
TEST_F(DeviceBuffersTest, digests_tell_contents_apart)
{
  const auto digest_of = [&] {
    execute({MemoryOperation::push, 0, 0, 0, 0});
    return execute({MemoryOperation::digest, 0, 0, 0, 0});
  };
  const std::uint64_t first = digest_of();
  EXPECT_EQ(digest_of(), first);
  m_input.back() ^= 1;
  EXPECT_NE(digest_of(), first);
  m_input.back() ^= 1;
  std::swap_ranges(m_input.begin(), m_input.begin() + 8, m_input.begin() + 72'000);
  EXPECT_NE(digest_of(), first);
}

TEST_F(DeviceBuffersTest, guards_say_where_they_are_damaged)
{
  const MemoryRequest write{MemoryOperation::write_guard, 0, 0, 0, 3}, check{MemoryOperation::check_guard, 0, 0, 0, 3};
  execute(write);
  EXPECT_EQ(execute(check), 0U);
  std::vector<std::uint8_t>& block = m_memory.blocks[m_buffers.block_of(0, 0)];
  struct Case {
    std::uint64_t at;
    bool behind;
    std::uint64_t distance;
  };
  const std::uint64_t end = k_band + m_input.size();
  for (const auto& [at, behind, distance] : {Case{end, true, 0},
                                             {end + 5, true, 5},
                                             {block.size() - 1, true, k_band - 1},
                                             {k_band - 1, false, 1},
                                             {0, false, k_band}}) {
    block[at] ^= 1;
    const std::uint64_t result = execute(check);
    ASSERT_NE(result, 0U) << at;
    EXPECT_EQ(guard_damage(result).behind, behind) << at;
    EXPECT_EQ(guard_damage(result).distance, distance) << at;
    execute(write);
    EXPECT_EQ(execute(check), 0U);
  }
}

TEST_F(DeviceBuffersTest, requests_for_what_is_not_there_are_refused)
{
  m_job->requests[0] = {MemoryOperation::pull, 2, 0, 0, 0};
  m_job->head.memory_request_count = 1;
  EXPECT_NE(m_buffers.execute(JobView(&m_job->head), *m_reply), nullptr);
}

} // namespace
} // namespace hone::backend::runner
