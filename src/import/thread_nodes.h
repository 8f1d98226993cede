// Trees of kernels that threads run: their indices, sums, products and copies. (internal to the room)
#pragma once

#include "import/launch.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::import {

// An index that threads differ by: of the launch, of the block, of the grid. That of the launch has no name in CUDA;
// here it is called hone.x.
enum class Span { all, block, grid };

std::string built_in(Span span, std::size_t axis);
bool is_built_in(const CNode& node, std::string_view base, std::size_t axis); // "blockDim", 0: blockDim.x
bool is_index(const CNode& node, Span span, std::size_t axis);
bool is_any_built_in(const CNode& node);
CNodePtr index_node(Span span, std::size_t axis, const CNode& like);

bool mentions(const CNode& node, const std::function<bool(const CNode&)>& wanted);
bool mentions_built_in(const CNode& node);
bool is_loop(const CNode& node);

CNodePtr cloned(const CNodePtr& node);
// A copy that stands where another node does: its places are told to people.
CNodePtr standing_at(const CNode& there, const CNodePtr& node);
// The tree with some of its nodes replaced, the innermost first; `change` returns null for those that stay. Changes the
// tree itself.
CNodePtr replaced(const CNodePtr& node, const std::function<CNodePtr(const CNodePtr&)>& change);

// a + b - c as its parts.
struct Addend {
  CNodePtr node;
  bool negative = false;
};
std::vector<Addend> addends_of(const CNodePtr& node);
CNodePtr sum_of(const std::vector<Addend>& addends, const CNode& like);
// The same with its numbers added up.
CNodePtr folded_sum(const std::vector<Addend>& addends, const CNode& like);
std::vector<CNodePtr> factors_of(const CNodePtr& node);

} // namespace hone::import
