#include "import/threads.h"

#include "import/thread_bounds.h"
#include "import/thread_calls.h"
#include "import/thread_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hone::import {

namespace {

class Threads {
public:
  Threads(const CFile& file, const CFunction& kernel, const KernelLaunch& launch)
    : m_file(file), m_kernel(kernel), m_launch(launch)
  {
  }

  Result<ThreadLoops> run()
  {
    HONE_TRY(CNodePtr body, with_plain_calls(m_file, m_kernel, cloned(m_kernel.body)));
    note_changed(*body);
    take_aliases(*body);
    body = replaced(body, [&](const CNodePtr& node) { return matched(node); });
    drop_empty_declarations(*body);
    stride_loops(*body);
    HONE_CHECK(check_strides(*body));
    HONE_TRY(const CNodePtr loops, around(body));
    ThreadLoops out;
    out.function = m_kernel;
    out.function.body = make_node(CKind::block, "", {loops}, *m_kernel.body);
    out.function.parameters.insert(out.function.parameters.end(), m_launch.further.begin(), m_launch.further.end());
    out.function.global = false;
    out.divides = m_divides;
    if (adds_floats_atomically(*m_kernel.body)) {
      out.notes.emplace_back(
        "atomicAdd adds floats in an order that changes from call to call: the last bits change, and "
        "the gate refuses a candidate whose results do");
    }
    return out;
  }

private:
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

  static void drop_empty_declarations(CNode& node)
  {
    std::erase_if(node.children,
                  [](const CNodePtr& child) { return child->kind == CKind::declaration && child->children.empty(); });
    for (const CNodePtr& child : node.children) {
      drop_empty_declarations(*child);
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
    std::vector<Addend> addends = addends_of(node);
    bool any = false;
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      const auto thread = std::ranges::find_if(
        addends, [&](const Addend& one) { return !one.negative && is_index(*one.node, Span::block, axis); });
      const auto block = std::ranges::find_if(addends, [&](const Addend& one) {
        const std::vector<CNodePtr> factors = factors_of(one.node);
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
      const std::vector<CNodePtr> factors = factors_of(std::make_shared<CNode>(step));
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
      std::vector<Addend> addends = begin == nullptr ? std::vector<Addend>() : addends_of(*begin);
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

  // All that the launch covers, and what that needs.
  CNodePtr whole(std::size_t axis)
  {
    const Covered covered = covered_by(m_launch, axis);
    if (covered.divides) {
      m_divides.push_back(covered.extent);
      m_divides.push_back(m_launch.block[axis]);
    }
    return covered.extent;
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
    std::vector<IndexLoop> loops;
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
    take_guards(
      body->children, [&](const CNode& node) { return is_uniform(node); }, loops);
    if (!loops.empty()) {
      HONE_CHECK(refuse_inner_returns(*body, false));
    }
    std::set<std::string> taken;
    for (const CParameter& parameter : m_kernel.parameters) {
      taken.insert(parameter.name);
    }
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      CNodePtr upper = loop->upper;
      if (!upper) {
        upper = extent_of(loop->index);
        upper = upper ? upper : whole(static_cast<std::size_t>(loop->index.back() - 'x'));
      }
      body = loop_over(*loop, upper, body, name_of(loop->index, taken));
    }
    return with_extents(body);
  }

  CNodePtr loop_over(const IndexLoop& loop, const CNodePtr& upper, const CNodePtr& body, const std::string& name) const
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
