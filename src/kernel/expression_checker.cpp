#include "kernel/expression_checker.h"

#include "kernel/expression_builder.h"
#include "kernel/expression_types.h"
#include "kernel/reserved_names.h"
#include "kernel/size_conditions.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::kernel {

namespace {

bool holds_index(const Expr& expression)
{
  return any_part(expression, [](const Expr& part) { return part.kind == ExprKind::index; });
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
      auto checked = statement(one);
      m_builder.drop_indices(0);
      if (checked) {
        out.statements.push_back(std::move(*checked));
      } else {
        m_errors.push_back(std::move(checked.error()));
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

  Result<void> check_target(const StatementSyntax& syntax)
  {
    if (!m_computed.insert(syntax.target).second) {
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

  Result<void> open_target_indices(const StatementSyntax& syntax)
  {
    const Argument* argument = find_argument(syntax.target);
    for (std::size_t i = 0; i < syntax.indices.size(); ++i) {
      const SyntaxPtr& written = syntax.indices[i];
      const auto fresh = [&](const std::string& name) {
        return !m_builder.tensors.contains(name) && !m_open.contains(name);
      };
      const auto binder = binder_from(*written, fresh);
      if (!binder) {
        return fail(fmt::format("expected a new index as subscript {} of the target '{}'", i + 1, syntax.target),
                    "targets are subscripted with plain, different indices: C[m, n]", written->place);
      }
      if (binder->lower) {
        return fail(fmt::format("index '{}' of a target runs from 0", binder->name),
                    "compute a part of the elements with a guard: ... where condition", binder->place);
      }
      HONE_CHECK(m_builder.open_index(*binder));
      m_open.insert(binder->name);
      if (argument != nullptr) {
        HONE_CHECK(m_builder.note_extent(binder->name, argument->shape[i],
                                         fmt::format("dimension {} of {}", i + 1, syntax.target), binder->place));
      }
    }
    return {};
  }

  Result<Statement> statement(const StatementSyntax& syntax)
  {
    m_open.clear();
    HONE_CHECK(check_target(syntax));
    HONE_CHECK(open_target_indices(syntax));
    Statement out;
    out.target = syntax.target;
    out.place = syntax.place;
    HONE_TRY(out.value, m_builder.build(syntax.value));
    if (syntax.where) {
      HONE_TRY(out.guard, m_builder.build_condition(syntax.where));
    }
    HONE_TRY(out.indices, m_builder.close_indices(0));
    for (const IndexRange& range : out.indices) {
      if (holds_index(*range.upper)) {
        return fail(fmt::format("the range of '{}' depends on another index; a target is rectangular", range.name),
                    "compute a part of the elements with a guard: ... where condition", range.place);
      }
    }
    HONE_CHECK(set_type(out));
    KnownTensor& tensor = m_builder.tensors[out.target];
    tensor.unreadable.clear();
    tensor.type = out.type;
    tensor.shape.clear();
    for (const IndexRange& range : out.indices) {
      tensor.shape.push_back(range.upper);
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
    if (argument == nullptr) {
      statement.type = type_of_intermediate(*statement.value);
      return {};
    }
    statement.type = argument->type;
    if ((value == DataType::boolean) != (argument->type == DataType::boolean)) {
      const bool condition = value == DataType::boolean;
      return fail(fmt::format("the value is a {}, but '{}' holds {}", condition ? "condition" : "number",
                              argument->name, name_of(argument->type)),
                  condition ? "write select(condition, 1, 0), or declare the output as bool"
                            : "compare it with something, such as x != 0",
                  statement.value->place);
    }
    if (is_float(value) && !is_float(argument->type)) {
      return fail(
        fmt::format("the value is {}, but '{}' holds {}", name_of(value), argument->name, name_of(argument->type)),
        fmt::format("declare the output with a float type, or cast: {}(...)", name_of(argument->type)),
        statement.value->place);
    }
    return {};
  }

  void check_all_computed(const std::vector<StatementSyntax>& syntax)
  {
    for (const Argument& argument : m_declarations.arguments) {
      const bool wanted = is_written(argument.role);
      if (wanted && !m_computed.contains(argument.name)) {
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
  ExpressionBuilder m_builder;
  std::set<std::string> m_computed;
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
