#include "import/thread_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

void collect_addends(const CNodePtr& node, bool negative, std::vector<Addend>& out)
{
  const CNode& bare = without_casts(*node);
  if (bare.kind == CKind::binary && (bare.text == "+" || bare.text == "-")) {
    collect_addends(bare.children[0], negative, out);
    collect_addends(bare.children[1], negative != (bare.text == "-"), out);
  } else {
    out.push_back({node, negative});
  }
}

void collect_factors(const CNodePtr& node, std::vector<CNodePtr>& out)
{
  const CNode& bare = without_casts(*node);
  if (bare.kind == CKind::binary && bare.text == "*") {
    collect_factors(bare.children[0], out);
    collect_factors(bare.children[1], out);
  } else {
    out.push_back(node);
  }
}

} // namespace

std::string built_in(Span span, std::size_t axis)
{
  const std::string_view base = span == Span::all ? "hone" : span == Span::block ? "threadIdx" : "blockIdx";
  return fmt::format("{}.{}", base, k_axes[axis]);
}

bool is_built_in(const CNode& node, std::string_view base, std::size_t axis)
{
  const CNode& bare = without_casts(node);
  return bare.kind == CKind::name && bare.text == fmt::format("{}.{}", base, k_axes[axis]);
}

bool is_index(const CNode& node, Span span, std::size_t axis)
{
  const CNode& bare = without_casts(node);
  return bare.kind == CKind::name && bare.text == built_in(span, axis);
}

bool is_any_built_in(const CNode& node)
{
  for (const std::string_view base : {"threadIdx.", "blockIdx.", "blockDim.", "gridDim.", "hone."}) {
    if (node.kind == CKind::name && node.text.starts_with(base)) {
      return true;
    }
  }
  return false;
}

bool mentions(const CNode& node, const std::function<bool(const CNode&)>& wanted)
{
  bool out = false;
  visit_nodes(node, [&](const CNode& one) { out = out || wanted(one); });
  return out;
}

bool mentions_built_in(const CNode& node)
{
  return mentions(node, is_any_built_in);
}

CNodePtr cloned(const CNodePtr& node)
{
  auto out = std::make_shared<CNode>(*node);
  for (CNodePtr& child : out->children) {
    child = cloned(child);
  }
  for (CNodePtr& extent : out->extents) {
    extent = extent ? cloned(extent) : nullptr;
  }
  return out;
}

CNodePtr standing_at(const CNode& there, const CNodePtr& node)
{
  CNodePtr out = cloned(node);
  const auto place = [&](const auto& self, CNode& one) -> void {
    one.place = there.place;
    for (const CNodePtr& child : one.children) {
      self(self, *child);
    }
  };
  place(place, *out);
  return out;
}

CNodePtr replaced(const CNodePtr& node, const std::function<CNodePtr(const CNodePtr&)>& change)
{
  for (CNodePtr& child : node->children) {
    child = replaced(child, change);
  }
  const CNodePtr other = change(node);
  return other ? other : node;
}

CNodePtr index_node(Span span, std::size_t axis, const CNode& like)
{
  CNodePtr out = make_node(CKind::name, built_in(span, axis), {}, like);
  out->declaration = out->text;
  return out;
}

CNodePtr sum_of(const std::vector<Addend>& addends, const CNode& like)
{
  CNodePtr out;
  for (const bool negative : {false, true}) {
    for (const Addend& one : addends) {
      if (one.negative == negative) {
        out = !out && !negative
                ? one.node
                : make_node(CKind::binary, negative ? "-" : "+", {out ? out : make_integer(0, like), one.node}, like);
      }
    }
  }
  return out ? out : make_integer(0, like);
}

std::vector<Addend> addends_of(const CNodePtr& node)
{
  std::vector<Addend> out;
  collect_addends(node, false, out);
  return out;
}

CNodePtr folded_sum(const std::vector<Addend>& addends, const CNode& like)
{
  std::vector<Addend> rest;
  double number = 0;
  for (const Addend& one : addends) {
    const CNode& bare = without_casts(*one.node);
    if (bare.kind == CKind::number) {
      number += one.negative ? -bare.number : bare.number;
    } else {
      rest.push_back(one);
    }
  }
  if (number != 0 || rest.empty()) {
    rest.push_back({make_integer(static_cast<std::int64_t>(number < 0 ? -number : number), like), number < 0});
  }
  return sum_of(rest, like);
}

std::vector<CNodePtr> factors_of(const CNodePtr& node)
{
  std::vector<CNodePtr> out;
  collect_factors(node, out);
  return out;
}

bool is_loop(const CNode& node)
{
  return node.kind == CKind::for_ || node.kind == CKind::while_ || node.kind == CKind::do_;
}

} // namespace hone::import
