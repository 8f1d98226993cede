#include "import/thread_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone::import {

namespace {

using Uniform = std::function<bool(const CNode&)>;

bool is_return(const CNode& node)
{
  return node.kind == CKind::return_
         || (node.kind == CKind::block && node.children.size() == 1 && is_return(*node.children[0]));
}

std::string turned(const std::string& op)
{
  const std::map<std::string, std::string> out{{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
  const auto found = out.find(op);
  return found == out.end() ? "" : found->second;
}

std::string negated(const std::string& op)
{
  const std::map<std::string, std::string> out{{"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}};
  const auto found = out.find(op);
  return found == out.end() ? "" : found->second;
}

// index + rest < bound
void take_bound(const CNodePtr& left, const std::string& op, const CNodePtr& right, const Uniform& uniform,
                std::vector<IndexLoop>& loops)
{
  std::vector<Addend> addends = addends_of(left);
  for (IndexLoop& loop : loops) {
    const auto index = std::ranges::find_if(addends, [&](const Addend& one) {
      return !one.negative && without_casts(*one.node).kind == CKind::name
             && without_casts(*one.node).text == loop.index;
    });
    if (index == addends.end() || turned(op).empty()) {
      continue;
    }
    std::vector<Addend> bound = addends_of(right);
    for (auto one = addends.begin(); one != addends.end(); ++one) {
      if (one != index) {
        bound.push_back({one->node, !one->negative});
      }
    }
    if (op == "<=" || op == ">") {
      bound.push_back({make_integer(1, *right), false});
    }
    if (!std::ranges::all_of(bound, [&](const Addend& one) { return uniform(*one.node); })) {
      return;
    }
    CNodePtr& end = op.starts_with("<") ? loop.upper : loop.lower;
    end = end ? end : folded_sum(bound, *right);
    return;
  }
}

// Bounds of indices that a condition says; the condition stays where it is.
void take_guard(const CNode& condition, bool holds, const Uniform& uniform, std::vector<IndexLoop>& loops)
{
  const CNode& bare = without_casts(condition);
  if (bare.kind == CKind::unary && bare.text == "!") {
    return take_guard(*bare.children[0], !holds, uniform, loops);
  }
  if (bare.kind != CKind::binary) {
    return;
  }
  if (bare.text == (holds ? "&&" : "||")) {
    take_guard(*bare.children[0], holds, uniform, loops);
    take_guard(*bare.children[1], holds, uniform, loops);
    return;
  }
  const std::string op = holds ? bare.text : negated(bare.text);
  take_bound(bare.children[0], op, bare.children[1], uniform, loops);
  take_bound(bare.children[1], turned(op), bare.children[0], uniform, loops);
}

bool changes_memory(const CNode& node)
{
  return mentions(node, [](const CNode& one) {
    return is_loop(one) || (changes_its_operand(one) && without_casts(*one.children[0]).kind != CKind::name)
           || (one.kind == CKind::call && one.text.starts_with("mem"));
  });
}

// n of n + 255 or n + 256 - 1, where the block has 256.
CNodePtr before_rounding(const CNodePtr& above, const CNode& block)
{
  std::vector<Addend> addends = addends_of(above);
  std::vector<Addend> rest;
  double number = 0;
  bool block_itself = false;
  for (const Addend& one : addends) {
    const CNode& bare = without_casts(*one.node);
    if (bare.kind == CKind::number) {
      number += one.negative ? -bare.number : bare.number;
    } else if (!one.negative && same_tree(bare, block)) {
      block_itself = true;
    } else {
      rest.push_back(one);
    }
  }
  const bool rounds = block.kind == CKind::number ? number == block.number - 1 : block_itself && number == -1;
  return rounds && !rest.empty() ? sum_of(rest, *above) : nullptr;
}

} // namespace

void take_guards(const std::vector<CNodePtr>& statements, const std::function<bool(const CNode&)>& uniform,
                 std::vector<IndexLoop>& loops)
{
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const CNode& one = *statements[i];
    if (one.kind == CKind::if_ && one.children.size() == 2) {
      if (is_return(*one.children[1])) {
        take_guard(*one.children[0], false, uniform, loops);
        continue;
      }
      const bool last = std::all_of(statements.begin() + static_cast<std::ptrdiff_t>(i) + 1, statements.end(),
                                    [](const CNodePtr& later) { return !changes_memory(*later); });
      if (last) {
        take_guard(*one.children[0], true, uniform, loops);
        const CNode& then = *one.children[1];
        take_guards(then.kind == CKind::block ? then.children : std::vector<CNodePtr>{one.children[1]}, uniform, loops);
      }
      return;
    }
    if (one.kind == CKind::block && i + 1 == statements.size()) {
      return take_guards(one.children, uniform, loops);
    }
    if (changes_memory(one)) {
      return;
    }
  }
}

Covered covered_by(const KernelLaunch& launch, std::size_t axis)
{
  const CNodePtr& grid = launch.grid[axis];
  const CNodePtr& block = launch.block[axis];
  if (is_integer_node(*block, 1)) {
    return {grid};
  }
  if (is_integer_node(*grid, 1)) {
    return {block};
  }
  if (grid->kind == CKind::number && block->kind == CKind::number) {
    return {make_integer(static_cast<std::int64_t>(grid->number * block->number), *grid)};
  }
  if (grid->kind == CKind::binary && grid->text == "/" && same_tree(*grid->children[1], *block)) {
    const CNodePtr& above = grid->children[0];
    if (const CNodePtr all = before_rounding(above, *block)) {
      return {all};
    }
    return {above, true};
  }
  // 1 + (n - 1) / 256
  const std::vector<Addend> addends = addends_of(grid);
  if (addends.size() == 2) {
    for (const std::size_t one : {0U, 1U}) {
      const CNode& quotient = without_casts(*addends[1 - one].node);
      if (is_integer_node(*addends[one].node, 1) && quotient.kind == CKind::binary && quotient.text == "/"
          && same_tree(*quotient.children[1], *block)) {
        const std::vector<Addend> above = addends_of(quotient.children[0]);
        if (above.size() == 2 && above[1].negative && is_integer_node(*above[1].node, 1)) {
          return {above[0].node};
        }
      }
    }
  }
  return {make_node(CKind::binary, "*", {grid, block}, *grid)};
}

} // namespace hone::import
