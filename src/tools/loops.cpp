#include "tools/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace hone::tools {
namespace {

// Basic blocks, numbered in the order of the code; an edge list each way.
struct Graph {
  std::vector<std::size_t> begins; // first instruction of each block; behind the last one the number of instructions
  std::vector<std::vector<std::size_t>> to, from;

  explicit Graph(const std::vector<Successors>& successors);
  std::size_t size() const { return to.size(); }
  std::size_t block_of(std::size_t instruction) const
  {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins, instruction) - begins.begin()) - 1;
  }
};

Graph::Graph(const std::vector<Successors>& successors)
{
  std::set<std::size_t> leaders{0, successors.size()};
  for (std::size_t i = 0; i < successors.size(); ++i) {
    if (successors[i].jumps_to) {
      leaders.insert(*successors[i].jumps_to);
    }
    if (successors[i].jumps_to || !successors[i].falls_through) {
      leaders.insert(i + 1);
    }
  }
  begins.assign(leaders.begin(), leaders.end());
  to.resize(begins.size() - 1);
  from.resize(to.size());
  for (std::size_t block = 0; block < to.size(); ++block) {
    const Successors& last = successors[begins[block + 1] - 1];
    if (last.jumps_to && *last.jumps_to < successors.size()) {
      to[block].push_back(block_of(*last.jumps_to));
    }
    if (last.falls_through && block + 1 < to.size()) {
      to[block].push_back(block + 1);
    }
    for (const std::size_t next : to[block]) {
      from[next].push_back(block);
    }
  }
}

std::vector<std::size_t> in_reverse_postorder(const Graph& graph)
{
  std::vector<std::size_t> order;
  std::vector<bool> seen(graph.size());
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}}; // block, next edge
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge == graph.to[block].size()) {
      order.push_back(block);
      stack.pop_back();
    } else if (const std::size_t next = graph.to[block][edge++]; !seen[next]) {
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

// Each block's immediate dominator, as Cooper, Harvey and Kennedy compute it; the block itself for the first one and
// for those that are never reached.
std::vector<std::size_t> dominators(const Graph& graph)
{
  const std::vector<std::size_t> order = in_reverse_postorder(graph);
  constexpr std::size_t k_none = ~std::size_t{0};
  std::vector<std::size_t> place(graph.size(), k_none), dominator(graph.size(), k_none);
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
  }
  dominator[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t block : order) {
      std::size_t found = block == 0 ? 0 : k_none;
      for (const std::size_t before : graph.from[block]) {
        if (block == 0 || dominator[before] == k_none) {
          continue;
        }
        std::size_t a = before;
        for (std::size_t b = found; b != k_none && a != b;) {
          (place[a] > place[b] ? a : b) = dominator[place[a] > place[b] ? a : b];
        }
        found = a;
      }
      changed = changed || dominator[block] != found;
      dominator[block] = found;
    }
  }
  for (std::size_t block = 0; block < graph.size(); ++block) {
    dominator[block] = dominator[block] == k_none ? block : dominator[block];
  }
  return dominator;
}

bool dominates(const std::vector<std::size_t>& dominator, std::size_t above, std::size_t below)
{
  while (below != above && dominator[below] != below) {
    below = dominator[below];
  }
  return below == above;
}

} // namespace

std::vector<Loop> natural_loops(const std::vector<Successors>& successors)
{
  if (successors.empty()) {
    return {};
  }
  const Graph graph(successors);
  const std::vector<std::size_t> dominator = dominators(graph);
  std::map<std::size_t, std::set<std::size_t>> bodies; // by header
  for (std::size_t block = 0; block < graph.size(); ++block) {
    for (const std::size_t header : graph.to[block]) {
      if (!dominates(dominator, header, block)) {
        continue;
      }
      std::set<std::size_t>& body = bodies[header];
      body.insert(header);
      std::vector<std::size_t> left{block};
      while (!left.empty()) {
        const std::size_t one = left.back();
        left.pop_back();
        if (body.insert(one).second) {
          left.insert(left.end(), graph.from[one].begin(), graph.from[one].end());
        }
      }
    }
  }
  std::vector<Loop> loops;
  for (const auto& [header, body] : bodies) {
    Loop& loop = loops.emplace_back();
    loop.depth = 0;
    for (const auto& [other, outer] : bodies) {
      loop.depth += static_cast<int>(outer.contains(header));
      loop.innermost = loop.innermost && (other == header || !body.contains(other));
    }
    for (const std::size_t block : body) {
      for (std::size_t i = graph.begins[block]; i < graph.begins[block + 1]; ++i) {
        loop.instructions.push_back(i);
      }
    }
  }
  return loops;
}

} // namespace hone::tools
