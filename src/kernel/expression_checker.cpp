#include "kernel/expression_checker.h"

#include "kernel/expression_builder.h"
#include "kernel/expression_types.h"
#include "kernel/reserved_names.h"
#include "kernel/size_conditions.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace hone::kernel {

namespace {

bool holds_index(const Expr& expression)
{
  return any_part(expression, [](const Expr& part) { return part.kind == ExprKind::index; });
}

bool holds_load(const Expr& expression)
{
  return any_part(expression, [](const Expr& part) { return part.kind == ExprKind::load; });
}

bool names_one_of(const SyntaxPtr& syntax, const std::set<std::string>& names)
{
  return syntax != nullptr
         && (names.contains(syntax->text) || names_one_of(syntax->where, names)
             || std::ranges::any_of(syntax->args, [&](const SyntaxPtr& part) { return names_one_of(part, names); }));
}

class ProgramChecker {
public:
  ProgramChecker(const Declarations& declarations, std::vector<Error>& errors)
    : m_declarations(declarations), m_errors(errors), m_builder(declarations.symbols, declarations.accumulate, errors)
  {
  }

  Program run(const std::vector<StatementSyntax>& syntax)
  {
    declare(syntax);
    Program out;
    for (const StatementSyntax& one : syntax) {
      if (!enter_loops(one, syntax)) {
        continue; // the loop's mistake is told already
      }
      if (names_one_of(one.value, m_mistaken) || names_one_of(one.where, m_mistaken)) {
        m_mistaken.insert(one.target); // what is wrong with its operand is told already
        continue;
      }
      auto checked = statement(one);
      m_builder.drop_indices(m_loops.size());
      if (checked) {
        out.statements.push_back(std::move(*checked));
      } else {
        m_errors.push_back(std::move(checked.error()));
        m_mistaken.insert(one.target);
      }
    }
    check_all_computed(syntax);
    return out;
  }

private:
  const Argument* find_argument(std::string_view name) const
  {
    const auto found = std::ranges::find(m_declarations.arguments, name, &Argument::name);
    return found == m_declarations.arguments.end() ? nullptr : &*found;
  }

  void declare(const std::vector<StatementSyntax>& syntax)
  {
    for (const Argument& argument : m_declarations.arguments) {
      const bool computed = argument.role == Role::output;
      m_builder.tensors[argument.name] = {argument.shape, argument.type,
                                          computed ? "it is an output that no statement above computes" : ""};
    }
    for (const StatementSyntax& one : syntax) {
      if (find_argument(one.target) == nullptr) {
        m_builder.tensors[one.target] = {{}, DataType::f32, "it is computed by this statement or a later one"};
      }
    }
  }

  // Leaves the loops that the statement is not in and opens those that begin with it. False: one of them is mistaken.
  bool enter_loops(const StatementSyntax& syntax, const std::vector<StatementSyntax>& all)
  {
    std::size_t shared = 0;
    while (shared < std::min(m_loops.size(), syntax.loops.size())
           && m_loops[shared].number == syntax.loops[shared].number) {
      ++shared;
    }
    m_loops.resize(shared);
    m_builder.drop_indices(shared);
    for (std::size_t i = shared; i < syntax.loops.size(); ++i) {
      const LoopSyntax& loop = syntax.loops[i];
      if (m_mistaken_loops.contains(loop.number)) {
        return false;
      }
      if (auto opened = open_loop(*loop.binder); !opened) {
        m_mistaken_loops.insert(loop.number);
        m_errors.push_back(std::move(opened.error()));
        return false;
      }
      m_loops.push_back({loop.number, m_builder.innermost_index()});
      if (i == 0) {
        begin_block(loop.number, all);
      }
    }
    return true;
  }

  Result<void> open_loop(const Syntax& syntax)
  {
    const auto fresh = [&](const std::string& name) {
      return !m_builder.tensors.contains(name) && !m_builder.is_open(name);
    };
    const auto binder = binder_from(syntax, fresh);
    if (!binder || !binder->upper) {
      return fail("expected a new index and where it runs, such as t < n or 1 <= t < n",
                  "a loop reads  for t < n { H[t] = ... }", syntax.place);
    }
    return m_builder.open_index(*binder);
  }

  // What a loop computes may be read anywhere in it: the rounds before have computed some of it. Outputs begin as 0.
  void begin_block(int number, const std::vector<StatementSyntax>& all)
  {
    for (const StatementSyntax& one : all) {
      const bool inside = !one.loops.empty() && one.loops.front().number == number;
      if (inside && find_argument(one.target) != nullptr) {
        m_builder.tensors[one.target].unreadable.clear();
      } else if (inside && !m_computed.contains(one.target)) {
        m_builder.tensors[one.target].unreadable =
          "no statement above computes it; give it the values that it begins with in a statement before the loop";
      }
    }
  }

  Result<void> check_target(const StatementSyntax& syntax)
  {
    const bool again = !m_computed.insert(syntax.target).second;
    if (again && syntax.loops.empty()) {
      return fail(fmt::format("'{}' is computed twice", syntax.target),
                  "each target stands on the left once: use another name for the intermediate", syntax.place);
    }
    const Argument* argument = find_argument(syntax.target);
    if (argument == nullptr) {
      const bool reserved = data_type_from(syntax.target) || syntax.target == "where" || is_reserved_word(syntax.target)
                            || std::ranges::find(m_declarations.symbols, syntax.target) != m_declarations.symbols.end();
      if (reserved) {
        return fail(fmt::format("'{}' is a size or a reserved word and cannot be a target", syntax.target),
                    "choose another name", syntax.place);
      }
      return {};
    }
    if (argument->role != Role::output && argument->role != Role::inout) {
      return fail(fmt::format("'{}' is computed here, but its role is {}", syntax.target, name_of(argument->role)),
                  "set role = \"output\" (or \"inout\") in [arguments]", syntax.place);
    }
    if (argument->shape.size() != syntax.indices.size()) {
      return fail(
        fmt::format("'{}' has {} dimension(s); {} given", syntax.target, argument->shape.size(), syntax.indices.size()),
        {}, syntax.place);
    }
    return {};
  }

  Result<void> open_target_indices(const StatementSyntax& syntax, Statement& out)
  {
    const bool ordered = !syntax.loops.empty();
    const std::vector<ExprPtr>* shape = known_shape(syntax.target);
    if (shape != nullptr && shape->size() != syntax.indices.size()) {
      return fail(
        fmt::format("'{}' has {} dimension(s); {} given", syntax.target, shape->size(), syntax.indices.size()), {},
        syntax.place);
    }
    for (std::size_t i = 0; i < syntax.indices.size(); ++i) {
      const SyntaxPtr& written = syntax.indices[i];
      const auto fresh = [&](const std::string& name) {
        return !m_builder.tensors.contains(name) && !m_open.contains(name) && !m_builder.is_open(name);
      };
      const auto binder = binder_from(*written, fresh);
      if (!binder && ordered) {
        HONE_CHECK(fix_subscript(written, out));
        continue;
      }
      if (!binder) {
        return fail(fmt::format("expected a new index as subscript {} of the target '{}'", i + 1, syntax.target),
                    "targets are subscripted with plain, different indices: C[m, n]", written->place);
      }
      if (binder->lower && !ordered) {
        return fail(fmt::format("index '{}' of a target runs from 0", binder->name),
                    "compute a part of the elements with a guard: ... where condition", binder->place);
      }
      HONE_CHECK(m_builder.open_index(*binder));
      m_open.insert(binder->name);
      out.subscripts.push_back(make_index(binder->name));
      if (shape != nullptr) {
        HONE_CHECK(m_builder.note_extent(binder->name, (*shape)[i],
                                         fmt::format("dimension {} of {}", i + 1, syntax.target), binder->place));
      }
    }
    return {};
  }

  // A subscript that the loops decide.
  Result<void> fix_subscript(const SyntaxPtr& written, Statement& out)
  {
    HONE_TRY(ExprPtr subscript, m_builder.build(written));
    const bool moves = any_part(*subscript, [&](const Expr& part) {
      return part.kind == ExprKind::reduce || (part.kind == ExprKind::index && m_open.contains(part.name));
    });
    if (!is_integer(subscript->type) || moves) {
      return fail("a subscript of a target is a new index, or an integer that the loops around it decide",
                  "H[t + 1, j] inside `for t < n`", written->place);
    }
    out.subscripts.push_back(std::move(subscript));
    return {};
  }

  // Null for an intermediate that no statement has computed yet.
  const std::vector<ExprPtr>* known_shape(const std::string& target) const
  {
    const Argument* argument = find_argument(target);
    const auto found = m_shapes.find(target);
    return argument != nullptr ? &argument->shape : found != m_shapes.end() ? &found->second : nullptr;
  }

  // The shape of the target, which its first statement decides.
  Result<void> set_extents(const StatementSyntax& syntax, Statement& out)
  {
    if (const std::vector<ExprPtr>* known = known_shape(out.target)) {
      out.extents = *known;
      return {};
    }
    for (std::size_t i = 0; i < out.subscripts.size(); ++i) {
      const ExprPtr extent = reach_of(*out.subscripts[i], out);
      if (!extent || holds_index(*extent) || holds_load(*extent)) {
        return fail(fmt::format("the extent of dimension {} of '{}' is not clear", i + 1, out.target),
                    fmt::format("compute all of '{}' in a statement before the loop", out.target),
                    syntax.indices[i]->place);
      }
      out.extents.push_back(extent);
    }
    m_shapes[out.target] = out.extents;
    return {};
  }

  // The end of the range of an index by itself; else null.
  ExprPtr reach_of(const Expr& subscript, const Statement& statement) const
  {
    if (subscript.kind != ExprKind::index) {
      return nullptr;
    }
    for (const IndexRange& range : statement.indices) {
      if (range.name == subscript.name) {
        return range.upper;
      }
    }
    for (const SerialLoop& loop : m_loops) {
      if (loop.range.name == subscript.name) {
        return loop.range.upper;
      }
    }
    return nullptr;
  }

  Result<Statement> statement(const StatementSyntax& syntax)
  {
    m_open.clear();
    HONE_CHECK(check_target(syntax));
    Statement out;
    out.target = syntax.target;
    out.place = syntax.place;
    out.loops = m_loops;
    HONE_CHECK(open_target_indices(syntax, out));
    HONE_TRY(out.value, m_builder.build(syntax.value));
    if (syntax.where) {
      HONE_TRY(out.guard, m_builder.build_condition(syntax.where));
    }
    HONE_TRY(out.indices, m_builder.close_indices(m_loops.size()));
    for (const IndexRange& range : out.indices) {
      if (m_loops.empty() && holds_index(*range.upper)) {
        return fail(fmt::format("the range of '{}' depends on another index; a target is rectangular", range.name),
                    "compute a part of the elements with a guard: ... where condition", range.place);
      }
    }
    HONE_CHECK(set_extents(syntax, out));
    HONE_CHECK(set_type(out));
    KnownTensor& tensor = m_builder.tensors[out.target];
    tensor.unreadable.clear();
    tensor.type = out.type;
    tensor.shape = out.extents;
    m_types.emplace(out.target, out.type);
    if (m_loops.empty()) { // of a plain statement the indices say it all
      out.subscripts.clear();
      out.extents.clear();
    }
    return out;
  }

  // Integers are computed in 64 bits; an intermediate keeps them all.
  DataType type_of_intermediate(const Expr& value) const
  {
    if (is_integer(value.type)) {
      return DataType::i64;
    }
    return is_weak(value) && value.type != DataType::boolean ? m_declarations.accumulate : value.type;
  }

  Result<void> set_type(Statement& statement)
  {
    const Argument* argument = find_argument(statement.target);
    const DataType value = statement.value->type;
    statement.intermediate = argument == nullptr;
    const auto earlier = m_types.find(statement.target);
    if (argument == nullptr && earlier == m_types.end()) {
      statement.type = type_of_intermediate(*statement.value);
      return {};
    }
    statement.type = argument != nullptr ? argument->type : earlier->second;
    if ((value == DataType::boolean) != (statement.type == DataType::boolean)) {
      const bool condition = value == DataType::boolean;
      return fail(fmt::format("the value is a {}, but '{}' holds {}", condition ? "condition" : "number",
                              statement.target, name_of(statement.type)),
                  condition ? "write select(condition, 1, 0), or declare the output as bool"
                            : "compare it with something, such as x != 0",
                  statement.value->place);
    }
    if (is_float(value) && !is_float(statement.type)) {
      return fail(
        fmt::format("the value is {}, but '{}' holds {}", name_of(value), statement.target, name_of(statement.type)),
        argument == nullptr
          ? fmt::format("begin '{}' with a float, such as 0.0, or cast: {}(...)", statement.target,
                        name_of(statement.type))
          : fmt::format("declare the output with a float type, or cast: {}(...)", name_of(statement.type)),
        statement.value->place);
    }
    return {};
  }

  void check_all_computed(const std::vector<StatementSyntax>& syntax)
  {
    for (const Argument& argument : m_declarations.arguments) {
      const bool wanted = is_written(argument.role);
      if (wanted && !m_computed.contains(argument.name) && !m_mistaken.contains(argument.name)) {
        std::vector<std::string> targets;
        for (const StatementSyntax& one : syntax) {
          targets.push_back(one.target);
        }
        const std::string nearest = nearest_name(argument.name, targets);
        m_errors.push_back({fmt::format("no statement computes the {} '{}'", name_of(argument.role), argument.name),
                            nearest.empty() ? "add a statement to [compute] expr"
                                            : fmt::format("did you mean '{}' in [compute] expr?", nearest),
                            argument.place});
      }
    }
  }

  const Declarations& m_declarations;
  std::vector<Error>& m_errors;
  std::set<std::string> m_mistaken; // targets of statements that could not be read
  ExpressionBuilder m_builder;
  std::set<std::string> m_computed;
  std::map<std::string, std::vector<ExprPtr>> m_shapes; // of the intermediates so far
  std::map<std::string, DataType> m_types;              // of the targets so far
  std::vector<SerialLoop> m_loops;                      // around the statement being read
  std::set<int> m_mistaken_loops;
  std::set<std::string> m_open; // indices of the target being read
};

} // namespace

Program check_program(const std::vector<StatementSyntax>& syntax, const Declarations& declarations,
                      std::vector<Error>& errors)
{
  return ProgramChecker(declarations, errors).run(syntax);
}

ExprPtr check_shape_entry(const SyntaxPtr& syntax, std::span<const std::string> symbols, std::vector<Error>& errors)
{
  ExpressionBuilder builder(symbols, DataType::f32, errors);
  auto built = builder.build(syntax);
  if (built && !is_integer((*built)->type)) {
    built = fail("an extent must be an integer", {}, syntax->place);
  }
  if (!built) {
    errors.push_back(std::move(built.error()));
    return nullptr;
  }
  return *built;
}

ExprPtr check_size_condition(const SyntaxPtr& syntax, std::span<const std::string> symbols, std::vector<Error>& errors)
{
  ExpressionBuilder builder(symbols, DataType::f32, errors);
  auto built = builder.build(syntax);
  if (built && !is_size_condition(**built)) {
    built =
      fail("a condition on sizes compares integer expressions over sizes", "where = [\"n <= ldc\"]", syntax->place);
  }
  if (!built) {
    errors.push_back(std::move(built.error()));
    return nullptr;
  }
  return *built;
}

} // namespace hone::kernel
