#include "emulate/execute/flow.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace hone::emulate::execute {

namespace {

// Stretches of operations that are executed from their beginning to their end.
struct FlowBlock {
  std::uint32_t begin = 0, end = 0;
  std::vector<std::uint32_t> next;
};

bool ends_flow(const Code& code, const Op& op)
{
  const std::string_view text = code.texts[op.place];
  return op.guard_kind == 0 && (text.starts_with("ret") || text.starts_with("exit") || text.starts_with("trap"));
}

std::vector<FlowBlock> blocks_of(const Code& code, std::uint32_t begin, const std::vector<std::uint32_t>& branches)
{
  const auto end = static_cast<std::uint32_t>(code.ops.size());
  std::vector<bool> jumps(end - begin), leads(end - begin + 1);
  leads[0] = true;
  for (const std::uint32_t at : branches) {
    jumps[at - begin] = leads[at + 1 - begin] = true;
    leads[code.ops[at].target - begin] = true;
  }
  for (std::uint32_t at = begin; at < end; ++at) {
    leads[at + 1 - begin] = leads[at + 1 - begin] || ends_flow(code, code.ops[at]);
  }
  std::vector<FlowBlock> out;
  std::vector<std::uint32_t> block_of(end - begin);
  for (std::uint32_t at = begin; at < end; ++at) {
    if (leads[at - begin]) {
      out.push_back({at, at, {}});
    }
    out.back().end = at + 1;
    block_of[at - begin] = static_cast<std::uint32_t>(out.size() - 1);
  }
  for (FlowBlock& block : out) {
    const std::uint32_t last = block.end - 1;
    const Op& op = code.ops[last];
    if (jumps[last - begin]) {
      block.next.push_back(block_of[op.target - begin]);
    }
    const bool goes_on = jumps[last - begin] ? op.guard_kind != 0 : !ends_flow(code, op);
    if (goes_on && block.end < end) {
      block.next.push_back(block_of[block.end - begin]);
    }
  }
  return out;
}

// A weak topological order: F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993, figure 4.
class WeakOrder {
public:
  explicit WeakOrder(const std::vector<FlowBlock>& blocks) : m_blocks(blocks), m_number(blocks.size()) {}

  // Blocks that can be reached from the first, and then the others.
  std::vector<std::uint32_t> order()
  {
    visit(0);
    std::ranges::reverse(m_out);
    for (std::uint32_t block = 0; block < m_number.size(); ++block) {
      if (m_number[block] == 0) {
        m_out.push_back(block);
      }
    }
    return std::move(m_out);
  }

private:
  static constexpr std::uint32_t k_done = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t visit(std::uint32_t block)
  {
    m_stack.push_back(block);
    std::uint32_t head = m_number[block] = ++m_count;
    bool loop = false;
    for (const std::uint32_t next : m_blocks[block].next) {
      const std::uint32_t least = m_number[next] == 0 ? visit(next) : m_number[next];
      if (least <= head) {
        head = least;
        loop = true;
      }
    }
    if (head == m_number[block]) {
      m_number[block] = k_done;
      for (std::uint32_t other = pop(); other != block; other = pop()) {
        m_number[other] = 0; // of the loop: visited again without its first block
      }
      for (std::size_t i = 0; loop && i < m_blocks[block].next.size(); ++i) {
        if (m_number[m_blocks[block].next[i]] == 0) {
          visit(m_blocks[block].next[i]);
        }
      }
      m_out.push_back(block);
    }
    return head;
  }

  std::uint32_t pop()
  {
    const std::uint32_t out = m_stack.back();
    m_stack.pop_back();
    return out;
  }

  const std::vector<FlowBlock>& m_blocks;
  std::vector<std::uint32_t> m_number; // 0: not met
  std::vector<std::uint32_t> m_stack, m_out;
  std::uint32_t m_count = 0;
};

} // namespace

void number_by_flow(Code& code, std::uint32_t begin, const std::vector<std::uint32_t>& branches)
{
  code.flow.resize(code.ops.size());
  if (begin == code.ops.size()) {
    return;
  }
  const std::vector<FlowBlock> blocks = blocks_of(code, begin, branches);
  std::uint32_t number = begin;
  for (const std::uint32_t block : WeakOrder(blocks).order()) {
    for (std::uint32_t at = blocks[block].begin; at < blocks[block].end; ++at) {
      code.flow[at] = number++;
    }
  }
}

} // namespace hone::emulate::execute
