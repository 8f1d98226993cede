#include "import/thread_calls.h"

#include "import/thread_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace hone::import {

namespace {

// Calls and declarations through which threads work together or leave the language.
std::string_view cooperation(const CNode& node)
{
  if (node.kind == CKind::variable && node.shared) {
    return "shared memory";
  }
  if (node.kind != CKind::call) {
    return "";
  }
  if (node.launch) {
    return "a launch from a kernel";
  }
  const std::string& name = node.text;
  if (name.starts_with("__syncthreads") || name.starts_with("__syncwarp")) {
    return "a barrier";
  }
  if (name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__activemask")) {
    return "an exchange within a warp";
  }
  if (name.starts_with("atomicCAS") || name.starts_with("atomicExch") || name.starts_with("__threadfence")) {
    return "memory that threads hand to each other";
  }
  return name.starts_with("tex1D") || name.starts_with("tex2D") || name.starts_with("tex3D") ? "a texture" : "";
}

Result<void> refuse_cooperation(const CNode& body, const std::string& kernel)
{
  const CNode* first = nullptr;
  visit_nodes(body, [&](const CNode& node) { first = first == nullptr && !cooperation(node).empty() ? &node : first; });
  if (first == nullptr) {
    return {};
  }
  return fail(
    fmt::format("'{}' uses {}: what its threads compute together is not derived", kernel, cooperation(*first)),
    "write what it computes as a plain function in C with the same arguments, and say --reference FILE.c",
    first->place);
}

// A helper that reads the indices of its thread has to be a single expression.
Result<CNodePtr> with_helpers_inlined(const CFile& file, const CFunction& kernel, CNodePtr body)
{
  std::optional<Error> error;
  for (int round = 0; round < 8; ++round) {
    bool any = false;
    body = replaced(body, [&](const CNodePtr& node) -> CNodePtr {
      const CFunction* const helper = node->kind == CKind::call ? file.find(node->declaration) : nullptr;
      if (helper == nullptr || !helper->body) {
        return nullptr;
      }
      if (auto shared = refuse_cooperation(*helper->body, kernel.name); !shared && !error) {
        error = shared.error();
      }
      if (!mentions_built_in(*helper->body)) {
        return nullptr;
      }
      const std::vector<CNodePtr>& statements = helper->body->children;
      if (statements.size() != 1 || statements[0]->kind != CKind::return_ || statements[0]->children.empty()
          || helper->parameters.size() != node->children.size()) {
        error =
          error ? error
                : Error{fmt::format("'{}' uses the index of its thread, and is more than one expression", helper->name),
                        "pass the index to it as an argument", node->place};
        return nullptr;
      }
      any = true;
      std::map<std::string, CNodePtr> arguments;
      for (std::size_t i = 0; i < helper->parameters.size(); ++i) {
        arguments[helper->parameters[i].declaration] = node->children[i];
      }
      return replaced(cloned(statements[0]->children[0]), [&](const CNodePtr& inner) -> CNodePtr {
        const auto found = arguments.find(inner->declaration);
        return inner->kind == CKind::name && found != arguments.end() ? cloned(found->second) : nullptr;
      });
    });
    if (!any) {
      break;
    }
  }
  if (error) {
    return std::unexpected(*error);
  }
  return body;
}

// Functions of the toolkit as C has them.
CNodePtr plain_call(const CNodePtr& node)
{
  if (node->kind != CKind::call) {
    return nullptr;
  }
  const std::string& name = node->text;
  const auto element = [&](const CNodePtr& address) -> CNodePtr { // &y[i], y + i, y
    const CNode& bare = without_casts(*address);
    if (bare.kind == CKind::unary && bare.text == "&") {
      return bare.children[0];
    }
    const bool moved = bare.kind == CKind::binary && bare.text == "+";
    CNodePtr out = make_node(CKind::subscript, "",
                             moved ? bare.children : std::vector<CNodePtr>{address, make_integer(0, *node)}, *node);
    out->type = node->type;
    return out;
  };
  const auto typed = [&](CNodePtr out) {
    out->type = node->type;
    return out;
  };
  const std::size_t count = node->children.size();
  if (name == "__ldg" && count == 1) {
    return element(node->children[0]);
  }
  if ((name == "atomicAdd" || name == "atomicSub") && count == 2) {
    return typed(make_node(CKind::binary,
                           name == "atomicAdd" ? "+=" : "-=", {element(node->children[0]), node->children[1]}, *node));
  }
  if ((name == "atomicMax" || name == "atomicMin") && count == 2) {
    const CNodePtr place = element(node->children[0]);
    const CNodePtr value =
      typed(make_node(CKind::call, name == "atomicMax" ? "max" : "min", {cloned(place), node->children[1]}, *node));
    return typed(make_node(CKind::binary, "=", {place, value}, *node));
  }
  constexpr std::array<std::string_view, 5> k_conversions{"__half2float", "__float2half", "__float2half_rn",
                                                          "__bfloat162float", "__float2bfloat16"};
  if (count == 1 && std::ranges::find(k_conversions, name) != k_conversions.end()) {
    return typed(make_node(CKind::cast, "explicit", node->children, *node));
  }
  if (count == 2 && (name == "__fdividef" || (name.starts_with("__h") && name.size() == 6))) {
    const std::map<std::string, std::string> operators{
      {"__hadd", "+"}, {"__hsub", "-"}, {"__hmul", "*"}, {"__hdiv", "/"}, {"__fdividef", "/"}};
    if (const auto found = operators.find(name); found != operators.end()) {
      return typed(make_node(CKind::binary, found->second, node->children, *node));
    }
  }
  const std::map<std::string, std::string> names{{"__expf", "expf"}, {"__logf", "logf"},  {"__sinf", "sinf"},
                                                 {"__cosf", "cosf"}, {"__powf", "powf"},  {"__fmaf_rn", "fmaf"},
                                                 {"rsqrt", "rsqrt"}, {"rsqrtf", "rsqrtf"}};
  const auto found = names.find(name);
  if (found != names.end() && found->second.starts_with("rsqrt") && count == 1) {
    CNodePtr root = typed(make_node(CKind::call, name == "rsqrtf" ? "sqrtf" : "sqrt", node->children, *node));
    CNodePtr one = typed(make_node(CKind::number, "1", {}, *node));
    one->number = 1;
    return typed(make_node(CKind::binary, "/", {one, root}, *node));
  }
  if (found != names.end()) {
    CNodePtr out = cloned(node);
    out->text = found->second;
    return out;
  }
  return nullptr;
}

} // namespace

Result<CNodePtr> with_plain_calls(const CFile& file, const CFunction& kernel, CNodePtr body)
{
  HONE_CHECK(refuse_cooperation(*body, kernel.name));
  HONE_TRY(body, with_helpers_inlined(file, kernel, body));
  return replaced(body, plain_call);
}

bool adds_floats_atomically(const CNode& body)
{
  return mentions(body, [](const CNode& one) {
    return one.kind == CKind::call && (one.text == "atomicAdd" || one.text == "atomicSub")
           && one.type.kind == CType::Kind::floating;
  });
}

} // namespace hone::import
