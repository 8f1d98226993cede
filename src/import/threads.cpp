#include "import/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hone::import {

namespace {

// An index that threads differ by: of the launch, of the block, of the grid.
enum class Span { all, block, grid };

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

// A copy that stands where another node does: its places are told to people.
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

// The same tree with some nodes replaced, the innermost first.
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

// a + b - c as its parts.
struct Addend {
  CNodePtr node;
  bool negative = false;
};

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

bool is_return(const CNode& node)
{
  return node.kind == CKind::return_
         || (node.kind == CKind::block && node.children.size() == 1 && is_return(*node.children[0]));
}

bool is_loop(const CNode& node)
{
  return node.kind == CKind::for_ || node.kind == CKind::while_ || node.kind == CKind::do_;
}

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

class Threads {
public:
  Threads(const CFile& file, const CFunction& kernel, const KernelLaunch& launch)
    : m_file(file), m_kernel(kernel), m_launch(launch)
  {
  }

  Result<ThreadLoops> run()
  {
    HONE_CHECK(refuse_cooperation(*m_kernel.body));
    CNodePtr body = cloned(m_kernel.body);
    HONE_TRY(body, with_helpers_inlined(body));
    body = replaced(body, [](const CNodePtr& node) { return plain_call(node); });
    note_changed(*body);
    take_aliases(*body);
    body = replaced(body, [&](const CNodePtr& node) { return matched(node); });
    rename_aliases(*body);
    stride_loops(*body);
    HONE_CHECK(check_strides(*body));
    HONE_TRY(const CNodePtr loops, around(body));
    ThreadLoops out;
    out.function = m_kernel;
    out.function.body = make_node(CKind::block, "", {loops}, *m_kernel.body);
    out.function.parameters.insert(out.function.parameters.end(), m_launch.further.begin(), m_launch.further.end());
    out.function.global = false;
    out.divides = m_divides;
    if (adds_floats(*m_kernel.body)) {
      out.notes.emplace_back(
        "atomicAdd adds floats in an order that changes from call to call: the last bits change, and "
        "the gate refuses a candidate whose results do");
    }
    return out;
  }

private:
  Result<void> refuse_cooperation(const CNode& body) const
  {
    const CNode* first = nullptr;
    visit_nodes(body,
                [&](const CNode& node) { first = first == nullptr && !cooperation(node).empty() ? &node : first; });
    if (first == nullptr) {
      return {};
    }
    return fail(
      fmt::format("'{}' uses {}: what its threads compute together is not derived", m_kernel.name, cooperation(*first)),
      "write what it computes as a plain function in C with the same arguments, and say --reference FILE.c",
      first->place);
  }

  static bool adds_floats(const CNode& body)
  {
    return mentions(body, [](const CNode& one) {
      return one.kind == CKind::call && (one.text == "atomicAdd" || one.text == "atomicSub")
             && one.type.kind == CType::Kind::floating;
    });
  }

  // A helper that reads the indices of its thread has to be a single expression.
  Result<CNodePtr> with_helpers_inlined(CNodePtr body)
  {
    std::optional<Error> error;
    for (int round = 0; round < 8; ++round) {
      bool any = false;
      body = replaced(body, [&](const CNodePtr& node) -> CNodePtr {
        const CFunction* const helper = node->kind == CKind::call ? m_file.find(node->declaration) : nullptr;
        if (helper == nullptr || !helper->body) {
          return nullptr;
        }
        if (auto shared = refuse_cooperation(*helper->body); !shared && !error) {
          error = shared.error();
        }
        if (!mentions_built_in(*helper->body)) {
          return nullptr;
        }
        const std::vector<CNodePtr>& statements = helper->body->children;
        if (statements.size() != 1 || statements[0]->kind != CKind::return_ || statements[0]->children.empty()
            || helper->parameters.size() != node->children.size()) {
          error =
            error
              ? error
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
  static CNodePtr plain_call(const CNodePtr& node)
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
      return typed(make_node(
        CKind::binary, name == "atomicAdd" ? "+=" : "-=", {element(node->children[0]), node->children[1]}, *node));
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

  void note_changed(const CNode& body)
  {
    visit_nodes(body, [&](const CNode& node) {
      if (changes_its_operand(node) && without_casts(*node.children[0]).kind == CKind::name) {
        m_changed.insert(without_casts(*node.children[0]).declaration);
      }
    });
  }

  bool is_block(const CNode& node, std::size_t axis) const
  {
    return is_built_in(node, "blockDim", axis) || same_tree(node, *m_launch.block[axis]);
  }
  bool is_grid(const CNode& node, std::size_t axis) const
  {
    return is_built_in(node, "gridDim", axis) || same_tree(node, *m_launch.grid[axis]);
  }

  // Variables that hold what the indices make, until the indices of the launch are seen in them.
  void take_aliases(CNode& node)
  {
    for (CNodePtr& child : node.children) {
      child = replaced(child, [&](const CNodePtr& inner) -> CNodePtr {
        const auto alias = m_aliases.find(inner->declaration);
        return inner->kind == CKind::name && alias != m_aliases.end() ? standing_at(*inner, alias->second) : nullptr;
      });
      take_aliases(*child);
      const bool whole = child->kind == CKind::variable && child->children.size() == 1 && child->type.extents.empty()
                         && child->type.kind == CType::Kind::integer && !m_changed.contains(child->declaration);
      if (whole && mentions_built_in(*child->children[0])) {
        const CNodePtr value = replaced(cloned(child->children[0]), [&](const CNodePtr& one) { return matched(one); });
        note_name(*value, child->text);
        // What only needs the index of the launch stays as it is written.
        const bool bare =
          mentions(*value, [](const CNode& one) { return is_any_built_in(one) && !one.text.starts_with("hone."); });
        if (bare || without_casts(*value).kind == CKind::name) {
          m_aliases[child->declaration] = value;
          child = make_node(CKind::empty, "", {}, *child);
        }
      }
    }
    std::erase_if(node.children, [&](const CNodePtr& child) {
      return node.kind == CKind::declaration && child->kind == CKind::empty;
    });
  }

  void note_name(const CNode& value, const std::string& name)
  {
    const CNode& bare = without_casts(value);
    if (bare.kind == CKind::name && is_any_built_in(bare)) {
      m_names.try_emplace(bare.text, name);
    }
  }

  static void rename_aliases(CNode& node)
  {
    std::erase_if(node.children,
                  [](const CNodePtr& child) { return child->kind == CKind::declaration && child->children.empty(); });
    for (const CNodePtr& child : node.children) {
      rename_aliases(*child);
    }
  }

  // blockIdx.x * blockDim.x + threadIdx.x -> the index of the launch.
  CNodePtr matched(const CNodePtr& node) const
  {
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      const bool one_block = is_integer_node(*m_launch.grid[axis], 1);
      const bool one_thread = is_integer_node(*m_launch.block[axis], 1);
      if (node->kind == CKind::name && is_index(*node, Span::block, axis) && (one_thread || one_block)) {
        return one_thread ? make_integer(0, *node) : index_node(Span::all, axis, *node);
      }
      if (node->kind == CKind::name && is_index(*node, Span::grid, axis) && (one_thread || one_block)) {
        return one_block ? make_integer(0, *node) : index_node(Span::all, axis, *node);
      }
    }
    if (node->kind == CKind::binary && node->text == "*") {
      const bool nothing = is_integer_node(*node->children[0], 0) || is_integer_node(*node->children[1], 0);
      return nothing && mentions_built_in(*node) ? make_integer(0, *node) : nullptr;
    }
    if (node->kind != CKind::binary || node->text != "+") {
      return nullptr;
    }
    std::vector<Addend> addends;
    collect_addends(node, false, addends);
    bool any = false;
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      const auto thread = std::ranges::find_if(
        addends, [&](const Addend& one) { return !one.negative && is_index(*one.node, Span::block, axis); });
      const auto block = std::ranges::find_if(addends, [&](const Addend& one) {
        std::vector<CNodePtr> factors;
        collect_factors(one.node, factors);
        return !one.negative && factors.size() == 2
               && ((is_index(*factors[0], Span::grid, axis) && is_block(*factors[1], axis))
                   || (is_index(*factors[1], Span::grid, axis) && is_block(*factors[0], axis)));
      });
      if (thread != addends.end() && block != addends.end()) {
        thread->node = index_node(Span::all, axis, *node);
        addends.erase(block);
        any = true;
      }
    }
    const std::size_t all = addends.size();
    std::erase_if(addends, [](const Addend& one) { return is_integer_node(*one.node, 0); });
    return any || addends.size() < all ? sum_of(addends, *node) : nullptr;
  }

  // By how much a loop steps: by all threads of the launch or the block, or by all blocks.
  std::optional<std::pair<Span, std::size_t>> stride_of(const CNode& step) const
  {
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      std::vector<CNodePtr> factors;
      collect_factors(std::make_shared<CNode>(step), factors);
      const bool both = factors.size() == 2
                        && ((is_block(*factors[0], axis) && is_grid(*factors[1], axis))
                            || (is_grid(*factors[0], axis) && is_block(*factors[1], axis)));
      const CNode& block = *m_launch.block[axis];
      const CNode& grid = *m_launch.grid[axis];
      const bool number = block.kind == CKind::number && grid.kind == CKind::number
                          && is_integer_node(step, static_cast<std::int64_t>(block.number * grid.number));
      if (both || (number && grid.number > 1 && block.number > 1)) {
        return std::pair{Span::all, axis};
      }
      if (is_block(step, axis) && !is_integer_node(step, 1)) {
        return std::pair{is_integer_node(grid, 1) ? Span::all : Span::block, axis};
      }
      if (is_grid(step, axis) && !is_integer_node(step, 1)) {
        return std::pair{is_integer_node(block, 1) ? Span::all : Span::grid, axis};
      }
    }
    return std::nullopt;
  }

  // `i += step` or `i = i + step`: the variable and the step.
  static std::optional<std::pair<CNodePtr, CNodePtr>> step_by(const CNode& node)
  {
    if (node.kind != CKind::binary || node.children.size() != 2) {
      return std::nullopt;
    }
    if (node.text == "+=") {
      return std::pair{node.children[0], node.children[1]};
    }
    const CNode& right = without_casts(*node.children[1]);
    if (node.text == "=" && right.kind == CKind::binary && right.text == "+") {
      for (const std::size_t side : {0U, 1U}) {
        if (same_tree(*node.children[0], *right.children[side])) {
          return std::pair{node.children[0], right.children[1 - side]};
        }
      }
    }
    return std::nullopt;
  }

  // The value that a loop's variable begins with: in the loop's head, or in the statements before.
  static CNodePtr* beginning(CNode& loop, CNode& block, std::size_t at, const std::string& declaration)
  {
    const auto in = [&](CNode& part) -> CNodePtr* {
      if (part.kind == CKind::declaration) {
        for (const CNodePtr& variable : part.children) {
          if (variable->declaration == declaration && variable->children.size() == 1) {
            return &variable->children[0];
          }
        }
      }
      const bool assigns =
        part.kind == CKind::binary && part.text == "=" && without_casts(*part.children[0]).declaration == declaration;
      return assigns ? &part.children[1] : nullptr;
    };
    if (loop.kind == CKind::for_) {
      if (CNodePtr* const found = in(*loop.children[0])) {
        return found;
      }
    }
    for (std::size_t i = at; i > 0; --i) {
      if (CNodePtr* const found = in(*block.children[i - 1])) {
        return found;
      }
    }
    return nullptr;
  }

  void stride_loops(CNode& node)
  {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      stride_loops(*node.children[i]);
      CNode& loop = *node.children[i];
      CNode* step = nullptr;
      if (loop.kind == CKind::for_ && loop.children.size() >= 3) {
        step = loop.children[loop.children.size() - 2].get();
      } else if (loop.kind == CKind::while_ && loop.children.size() == 2 && loop.children[1]->kind == CKind::block
                 && !loop.children[1]->children.empty()) {
        step = loop.children[1]->children.back().get();
      }
      const auto stepped = step == nullptr ? std::nullopt : step_by(*step);
      const auto stride = stepped ? stride_of(*stepped->second) : std::nullopt;
      if (!stride) {
        continue;
      }
      CNodePtr* const begin = beginning(loop, node, i, without_casts(*stepped->first).declaration);
      std::vector<Addend> addends;
      if (begin != nullptr) {
        collect_addends(*begin, false, addends);
      }
      const auto index = std::ranges::find_if(addends, [&](const Addend& one) {
        return !one.negative && is_index(*one.node, stride->first, stride->second);
      });
      if (index == addends.end()) {
        continue;
      }
      m_strided[built_in(stride->first, stride->second)] = loop.place;
      addends.erase(index);
      *begin = sum_of(addends, loop);
      CNode counted = *make_node(CKind::unary, "post++", {stepped->first}, loop);
      counted.type = step->type;
      *step = counted;
    }
  }

  // An index that a loop strides over stands nowhere else: the other statements would run for each thread.
  Result<void> check_strides(const CNode& body) const
  {
    for (const auto& [name, place] : m_strided) {
      const CNode* other = nullptr;
      visit_nodes(body, [&](const CNode& node) {
        other = other == nullptr && node.kind == CKind::name && node.text == name ? &node : other;
      });
      if (other != nullptr) {
        return fail(fmt::format("the threads share the loop in line {}, and each does more here: what they compute "
                                "together is not derived",
                                place.line),
                    "write what it computes as a plain function in C with the same arguments, and say --reference "
                    "FILE.c",
                    other->place);
      }
    }
    return {};
  }

  struct Loop {
    std::string index;
    CNodePtr lower, upper;
  };

  CNodePtr extent_of(const std::string& index) const
  {
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      if (index == built_in(Span::block, axis)) {
        return m_launch.block[axis];
      }
      if (index == built_in(Span::grid, axis)) {
        return m_launch.grid[axis];
      }
    }
    return nullptr;
  }

  // What the launch covers along an axis: n where it has (n + 255) / 256 blocks of 256 threads.
  CNodePtr covered(std::size_t axis)
  {
    const CNodePtr& grid = m_launch.grid[axis];
    const CNodePtr& block = m_launch.block[axis];
    if (is_integer_node(*block, 1)) {
      return grid;
    }
    if (is_integer_node(*grid, 1)) {
      return block;
    }
    if (grid->kind == CKind::number && block->kind == CKind::number) {
      return make_integer(static_cast<std::int64_t>(grid->number * block->number), *grid);
    }
    if (grid->kind == CKind::binary && grid->text == "/" && same_tree(*grid->children[1], *block)) {
      const CNodePtr& above = grid->children[0];
      if (const CNodePtr all = before_rounding(above, *block)) {
        return all;
      }
      m_divides.push_back(above);
      m_divides.push_back(block);
      return above;
    }
    // 1 + (n - 1) / 256
    std::vector<Addend> addends;
    collect_addends(grid, false, addends);
    if (addends.size() == 2) {
      for (const std::size_t one : {0U, 1U}) {
        const CNode& quotient = without_casts(*addends[1 - one].node);
        if (is_integer_node(*addends[one].node, 1) && quotient.kind == CKind::binary && quotient.text == "/"
            && same_tree(*quotient.children[1], *block)) {
          std::vector<Addend> above;
          collect_addends(quotient.children[0], false, above);
          if (above.size() == 2 && above[1].negative && is_integer_node(*above[1].node, 1)) {
            return above[0].node;
          }
        }
      }
    }
    return make_node(CKind::binary, "*", {grid, block}, *grid);
  }

  // n of n + 255 or n + 256 - 1, where the block has 256.
  static CNodePtr before_rounding(const CNodePtr& above, const CNode& block)
  {
    std::vector<Addend> addends;
    collect_addends(above, false, addends);
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

  // Whether an expression is the same for all threads at the kernel's beginning.
  bool is_uniform(const CNode& node) const
  {
    return !mentions(node, [&](const CNode& one) {
      const bool parameter = one.kind == CKind::name
                             && (std::ranges::find(m_kernel.parameters, one.declaration, &CParameter::declaration)
                                   != m_kernel.parameters.end()
                                 || one.text.starts_with("blockDim.") || one.text.starts_with("gridDim."));
      const bool plain = one.kind == CKind::number || one.kind == CKind::cast || one.kind == CKind::binary || parameter;
      return !plain || m_changed.contains(one.declaration);
    });
  }

  static std::string turned(const std::string& op)
  {
    const std::map<std::string, std::string> out{{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
    const auto found = out.find(op);
    return found == out.end() ? "" : found->second;
  }

  static std::string negated(const std::string& op)
  {
    const std::map<std::string, std::string> out{{"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}};
    const auto found = out.find(op);
    return found == out.end() ? "" : found->second;
  }

  // Bounds of indices that a condition says; the condition stays where it is.
  void take_guard(const CNode& condition, bool holds, std::vector<Loop>& loops) const
  {
    const CNode& bare = without_casts(condition);
    if (bare.kind == CKind::unary && bare.text == "!") {
      return take_guard(*bare.children[0], !holds, loops);
    }
    if (bare.kind != CKind::binary) {
      return;
    }
    if (bare.text == (holds ? "&&" : "||")) {
      take_guard(*bare.children[0], holds, loops);
      take_guard(*bare.children[1], holds, loops);
      return;
    }
    const std::string op = holds ? bare.text : negated(bare.text);
    take_bound(bare.children[0], op, bare.children[1], loops);
    take_bound(bare.children[1], turned(op), bare.children[0], loops);
  }

  // index + rest < bound
  void take_bound(const CNodePtr& left, const std::string& op, const CNodePtr& right, std::vector<Loop>& loops) const
  {
    std::vector<Addend> addends;
    collect_addends(left, false, addends);
    for (Loop& loop : loops) {
      const auto index = std::ranges::find_if(addends, [&](const Addend& one) {
        return !one.negative && without_casts(*one.node).kind == CKind::name
               && without_casts(*one.node).text == loop.index;
      });
      if (index == addends.end() || turned(op).empty()) {
        continue;
      }
      std::vector<Addend> bound;
      collect_addends(right, false, bound);
      for (auto one = addends.begin(); one != addends.end(); ++one) {
        if (one != index) {
          bound.push_back({one->node, !one->negative});
        }
      }
      if (op == "<=" || op == ">") {
        bound.push_back({make_integer(1, *right), false});
      }
      if (!std::ranges::all_of(bound, [&](const Addend& one) { return is_uniform(*one.node); })) {
        return;
      }
      CNodePtr& end = op.starts_with("<") ? loop.upper : loop.lower;
      end = end ? end : folded(bound, *right);
      return;
    }
  }

  static CNodePtr folded(const std::vector<Addend>& addends, const CNode& like)
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

  static bool changes_memory(const CNode& node)
  {
    return mentions(node, [](const CNode& one) {
      return is_loop(one) || (changes_its_operand(one) && without_casts(*one.children[0]).kind != CKind::name)
             || (one.kind == CKind::call && one.text.starts_with("mem"));
    });
  }

  // Guards around everything that the statements do.
  void take_guards(const std::vector<CNodePtr>& statements, std::vector<Loop>& loops) const
  {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const CNode& one = *statements[i];
      if (one.kind == CKind::if_ && one.children.size() == 2) {
        if (is_return(*one.children[1])) {
          take_guard(*one.children[0], false, loops);
          continue;
        }
        const bool last = std::all_of(statements.begin() + static_cast<std::ptrdiff_t>(i) + 1, statements.end(),
                                      [](const CNodePtr& later) { return !changes_memory(*later); });
        if (last) {
          take_guard(*one.children[0], true, loops);
          const CNode& then = *one.children[1];
          take_guards(then.kind == CKind::block ? then.children : std::vector<CNodePtr>{one.children[1]}, loops);
        }
        return;
      }
      if (one.kind == CKind::block && i + 1 == statements.size()) {
        return take_guards(one.children, loops);
      }
      if (changes_memory(one)) {
        return;
      }
    }
  }

  Result<void> refuse_inner_returns(CNode& node, bool in_loop) const
  {
    for (const CNodePtr& child : node.children) {
      if (child->kind == CKind::return_) {
        if (in_loop) {
          return fail("a thread returns from inside a loop", "let the loop's condition end it", child->place);
        }
        child->kind = CKind::continue_;
      }
      HONE_CHECK(refuse_inner_returns(*child, in_loop || is_loop(*child)));
    }
    return {};
  }

  std::string name_of(const std::string& index, std::set<std::string>& taken) const
  {
    const auto own = m_names.find(index);
    std::string out = own != m_names.end() ? own->second : "";
    if (out.empty()) {
      constexpr std::array<std::string_view, 3> k_plain{"i", "j", "k"};
      const auto axis = static_cast<std::size_t>(index.back() - 'x');
      const std::string base = index.starts_with("blockIdx") ? "block" : "thread";
      out = index.starts_with("hone.") ? std::string(k_plain[axis])
            : axis == 0                ? base
                                       : fmt::format("{}_{}", base, k_axes[axis]);
    }
    const std::string wish = out;
    for (int number = 2; !taken.insert(out).second; ++number) {
      out = fmt::format("{}{}", wish, number);
    }
    return out;
  }

  // The loops over all indices that the body names, x innermost.
  Result<CNodePtr> around(CNodePtr body)
  {
    std::set<std::string> used;
    visit_nodes(*body, [&](const CNode& node) {
      if (is_any_built_in(node)) {
        used.insert(node.text);
      }
    });
    std::vector<Loop> loops;
    for (std::size_t axis = k_axes.size(); axis-- > 0;) {
      const std::string all = built_in(Span::all, axis);
      const std::string grid = built_in(Span::grid, axis);
      const std::string block = built_in(Span::block, axis);
      if (used.contains(all) && (used.contains(grid) || used.contains(block))) {
        body = replaced(body, [&](const CNodePtr& node) -> CNodePtr {
          if (node->kind != CKind::name || node->text != all) {
            return nullptr;
          }
          return make_node(
            CKind::binary, "+",
            {make_node(CKind::binary, "*", {index_node(Span::grid, axis, *node), m_launch.block[axis]}, *node),
             index_node(Span::block, axis, *node)},
            *node);
        });
        used.insert({grid, block});
        used.erase(all);
      }
      for (const std::string& index : {all, grid, block}) {
        if (used.contains(index)) {
          loops.push_back({index, nullptr, nullptr});
        }
      }
    }
    take_guards(body->children, loops);
    HONE_CHECK(refuse_inner_returns(*body, false));
    std::set<std::string> taken;
    for (const CParameter& parameter : m_kernel.parameters) {
      taken.insert(parameter.name);
    }
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      CNodePtr upper = loop->upper;
      if (!upper) {
        upper = extent_of(loop->index);
        upper = upper ? upper : covered(static_cast<std::size_t>(loop->index.back() - 'x'));
      }
      body = loop_over(*loop, upper, body, name_of(loop->index, taken));
    }
    return with_extents(body);
  }

  CNodePtr loop_over(const Loop& loop, const CNodePtr& upper, const CNodePtr& body, const std::string& name) const
  {
    const CNode& like = *m_kernel.body;
    const auto index = [&] {
      CNodePtr out = make_node(CKind::name, name, {}, like);
      out->declaration = loop.index;
      return out;
    };
    const CNodePtr inside = replaced(body, [&](const CNodePtr& node) -> CNodePtr {
      if (node->kind != CKind::name || node->text != loop.index) {
        return nullptr;
      }
      CNodePtr out = index();
      out->place = node->place;
      return out;
    });
    CNodePtr variable = make_node(CKind::variable, name, {loop.lower ? loop.lower : make_integer(0, like)}, like);
    variable->declaration = loop.index;
    return make_node(CKind::for_, "",
                     {make_node(CKind::declaration, "", {variable}, like),
                      make_node(CKind::binary, "<", {index(), upper}, like),
                      make_node(CKind::unary, "post++", {index()}, like), inside},
                     like);
  }

  // blockDim.x and gridDim.x where they are left are what the launch says.
  CNodePtr with_extents(const CNodePtr& body) const
  {
    return replaced(body, [&](const CNodePtr& node) -> CNodePtr {
      for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
        if (node->kind == CKind::name
            && (is_built_in(*node, "blockDim", axis) || is_built_in(*node, "gridDim", axis))) {
          return cloned(is_built_in(*node, "blockDim", axis) ? m_launch.block[axis] : m_launch.grid[axis]);
        }
      }
      return nullptr;
    });
  }

  const CFile& m_file;
  const CFunction& m_kernel;
  const KernelLaunch& m_launch;
  std::set<std::string> m_changed;            // variables, by declaration
  std::map<std::string, CNodePtr> m_aliases;  // by declaration
  std::map<std::string, std::string> m_names; // of indices, as the code calls them
  std::map<std::string, Place> m_strided;     // indices that loops stride over
  std::vector<CNodePtr> m_divides;
};

} // namespace

Result<ThreadLoops> loops_of_threads(const CFile& file, const CFunction& kernel, const KernelLaunch& launch)
{
  return Threads(file, kernel, launch).run();
}

} // namespace hone::import
