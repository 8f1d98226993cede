// With how many threads a file launches a __global__ function. (internal to the room)
#pragma once

#include "import/c_syntax.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::import {

inline constexpr std::array<std::string_view, 3> k_axes{"x", "y", "z"};

struct KernelLaunch {
  // x, y, z, over the kernel's parameters and `further`.
  std::array<CNodePtr, 3> grid, block;
  CNodePtr shared;                 // bytes; null: none
  std::vector<CParameter> further; // sizes that the host function takes and the kernel does not
  std::vector<std::string> units;  // names that stand for the device's number of multiprocessors
  Place place;
};

// The first launch of the kernel in the file. Errors: there is none; its extents are not known.
Result<KernelLaunch> launch_of(const CFile& file, const CFunction& kernel);

// Nodes of trees.
CNodePtr make_node(CKind kind, std::string text, std::vector<CNodePtr> children, const CNode& like);
CNodePtr make_integer(std::int64_t value, const CNode& like);
bool is_integer_node(const CNode& node, std::int64_t value);
// Equal but for casts.
bool same_tree(const CNode& a, const CNode& b);
// Calls `visit` for the node and all that it holds.
template <typename Visit> void visit_nodes(const CNode& node, const Visit& visit)
{
  visit(node);
  for (const CNodePtr& child : node.children) {
    visit_nodes(*child, visit);
  }
}

} // namespace hone::import
