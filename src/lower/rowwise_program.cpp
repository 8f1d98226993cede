#include "lower/rowwise_program.h"

#include "lower/expression_text.h"
#include "lower/rowwise_rewriter.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

// u8(...) of a number: what is computed stays one, until it is stored.
bool is_byte_of_number(const kernel::Statement& statement)
{
  const bool byte = statement.type == kernel::DataType::u8 || statement.type == kernel::DataType::i8;
  return byte && statement.value->kind == kernel::ExprKind::cast && kernel::is_float(statement.value->args[0]->type);
}

bool reads(const kernel::Expr& expression, const std::string& tensor)
{
  return kernel::any_part(expression, [&](const kernel::Expr& part) {
    return (part.kind == kernel::ExprKind::load && part.name == tensor)
           || std::ranges::any_of(part.ranges, [&](const kernel::IndexRange& range) {
                return (range.lower && reads(*range.lower, tensor)) || (range.upper && reads(*range.upper, tensor));
              });
  });
}

// All that the expression reads of the statement's target is the element that it writes, or the columns of other rows
// would be read after they are written. Inside a reduction an index may have another meaning.
bool reads_own_element_only(const kernel::Expr& expression, const kernel::Statement& statement)
{
  if (expression.kind == kernel::ExprKind::reduce) {
    return !reads(expression, statement.target);
  }
  const bool here =
    expression.kind != kernel::ExprKind::load || expression.name != statement.target
    || std::ranges::equal(expression.args, statement.indices,
                          [](const kernel::ExprPtr& subscript, const kernel::IndexRange& index) {
                            return subscript->kind == kernel::ExprKind::index && subscript->name == index.name;
                          });
  return here && std::ranges::all_of(expression.args, [&](const kernel::ExprPtr& part) {
           return !part || reads_own_element_only(*part, statement);
         });
}

bool names_value(const kernel::Expr& expression, const std::string& target)
{
  return kernel::any_part(expression, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index && part.name == value_name(target);
  });
}

// Builds a program statement by statement.
class Builder {
public:
  Builder(const kernel::Kernel& kernel, RowProgram program)
    : m_kernel(kernel), m_program(std::move(program)), m_rewriter(kernel, m_program)
  {
  }

  Result<RowProgram> build()
  {
    HONE_CHECK(check_statements());
    for (const kernel::Statement* statement : m_program.statements) {
      HONE_CHECK(add(*statement));
    }
    choose_buffers();
    if (m_program.passes() == 0) {
      return fail("nothing of it runs along the columns of a row");
    }
    return std::move(m_program);
  }

private:
  Result<void> check_statements()
  {
    for (const kernel::Statement* statement : m_program.statements) {
      HONE_CHECK(check_shape(*statement));
      const bool outside = std::ranges::any_of(m_kernel.program.statements, [&](const kernel::Statement& other) {
        const bool here = std::ranges::find(m_program.statements, &other) != m_program.statements.end();
        return !here
               && (reads(*other.value, statement->target) || (other.guard && reads(*other.guard, statement->target)));
      });
      if (!statement->intermediate || outside) {
        m_program.stored.insert(statement->target);
      }
      HONE_CHECK(check_old_contents(*statement));
    }
    return {};
  }

  Result<void> check_shape(const kernel::Statement& statement)
  {
    const std::string& name = statement.target;
    const std::size_t rank = statement.indices.size();
    if (statement.guard) {
      return fail(fmt::format("{} has a condition (where)", name));
    }
    if (rank != m_program.prefix && rank != m_program.prefix + 1) {
      return fail(fmt::format("{} has other rows than {}", name, m_program.statements.front()->target));
    }
    for (std::size_t d = 0; d < rank; ++d) {
      const kernel::IndexRange& range = statement.indices[d];
      const bool plain = !range.lower && !kernel::any_part(*range.upper, [](const kernel::Expr& part) {
        return part.kind == kernel::ExprKind::index || part.kind == kernel::ExprKind::load;
      });
      if (!plain) {
        return fail(fmt::format("{} does not run over whole dimensions", name));
      }
      if (d < m_program.prefix && kernel::to_text(*range.upper) != kernel::to_text(*m_program.extents[d])) {
        return fail(fmt::format("{} has other rows than {}", name, m_program.statements.front()->target));
      }
    }
    if (kernel::is_float(statement.type) && compute_type(m_kernel, statement) != m_program.compute) {
      return fail(fmt::format("{} is computed in another type than {}", name, m_program.statements.front()->target));
    }
    return {};
  }

  // If a tensor is overwritten, no statement before may read its old contents, and its own only where it writes.
  Result<void> check_old_contents(const kernel::Statement& statement)
  {
    const kernel::Argument* argument = m_kernel.find_argument(statement.target);
    if (argument == nullptr || argument->role != kernel::Role::inout) {
      return {};
    }
    const auto here = std::ranges::find(m_program.statements, &statement);
    const bool shared = std::any_of(m_program.statements.begin(), here, [&](const kernel::Statement* other) {
      return reads(*other->value, statement.target);
    });
    return shared || !reads_own_element_only(*statement.value, statement)
             ? fail(fmt::format("{} is read and overwritten", statement.target))
             : Result<void>();
  }

  Result<void> add(const kernel::Statement& statement)
  {
    const bool element = statement.indices.size() > m_program.prefix;
    RowScope scope;
    for (std::size_t d = 0; d < m_program.prefix; ++d) {
      scope.names[statement.indices[d].name] = row_index(d);
    }
    if (element) {
      scope.names[statement.indices.back().name] = k_column;
      scope.upper = kernel::to_text(*statement.indices.back().upper);
    }
    scope.preferred = element ? "" : statement.target;
    const bool position = statement.value->kind == kernel::ExprKind::reduce && kernel::is_position(statement.value->op);
    if (!kernel::is_float(statement.type) && !is_byte_of_number(statement) && (element || !position)) {
      return fail(fmt::format("{} is of type {}", statement.target, kernel::name_of(statement.type)));
    }
    m_rewriter.allow_old_values(statement.target);
    HONE_TRY(kernel::ExprPtr value, m_rewriter.rewrite(statement.value, scope));
    grow(scope.level);
    if (element) {
      return add_element(statement, value, scope);
    }
    const bool stored = m_program.stored.contains(statement.target);
    const bool known = value->kind == kernel::ExprKind::index && value->name.starts_with("local ");
    const std::string local = known ? value->name.substr(6) : m_rewriter.fresh_local(statement.target);
    if (stored || !known) {
      m_program.levels[scope.level].before.push_back({local, known ? nullptr : value, stored ? statement.target : ""});
    }
    m_rewriter.know_value(statement, local, scope.level);
    return {};
  }

  Result<void> add_element(const kernel::Statement& statement, const kernel::ExprPtr& value, RowScope& scope)
  {
    const std::size_t level = scope.level;
    const bool stored = m_program.stored.contains(statement.target);
    if (!scope.running_before.empty() || !scope.running_after.empty()) {
      return add_running_element(statement, value, scope);
    }
    m_program.targets[statement.target] = {&statement, value, level, stored ? statement.target : ""};
    RowTask task;
    task.body = value;
    task.target = statement.target;
    m_rewriter.add_task(level, {}, nullptr, statement.indices.back().upper, std::move(task));
    m_rewriter.know_element(statement, level);
    return {};
  }

  // Elements that read a reduction on its way: both belong to one pass, and cannot be computed again in another.
  Result<void> add_running_element(const kernel::Statement& statement, const kernel::ExprPtr& value, RowScope& scope)
  {
    const std::string& name = statement.target;
    if (!m_program.stored.contains(name)) {
      return fail(fmt::format("{} reads a running reduction and is not kept in memory", name));
    }
    const kernel::ExprPtr& columns = statement.indices.back().upper;
    m_program.targets[name] = {&statement, value, scope.level, name};
    RowTask element;
    element.body = value;
    element.target = name;
    scope.running_before.push_back(std::move(element));
    std::ranges::move(scope.running_after, std::back_inserter(scope.running_before));
    for (RowTask& task : scope.running_before) {
      m_rewriter.add_task(scope.level, {}, nullptr, columns, std::move(task));
    }
    m_rewriter.know_element(statement, scope.level + 1);
    return {};
  }

  void grow(std::size_t level)
  {
    if (m_program.levels.size() <= level) {
      m_program.levels.resize(level + 1);
    }
  }

  // The last level that reads a target's values, where those that are computed again count with what they read.
  std::size_t last_use(const std::string& target) const
  {
    std::size_t last = 0;
    for (std::size_t level = 0; level < m_program.levels.size(); ++level) {
      for (const RowPass& pass : m_program.levels[level].passes) {
        for (const RowTask& task : pass.tasks) {
          if (names_value(*task.body, target) || (task.guard && names_value(*task.guard, target))) {
            last = std::max(last, level);
          }
        }
      }
    }
    for (const auto& [name, other] : m_program.targets) {
      if (other.buffer.empty() && name != target && names_value(*other.value, target)) {
        last = std::max(last, last_use(name));
      }
    }
    return last;
  }

  // Values that are read again in a later pass wait in the row of an output that is written no earlier than that.
  void choose_buffers()
  {
    std::set<std::string> claimed;
    for (auto statement = m_program.statements.rbegin(); statement != m_program.statements.rend(); ++statement) {
      const auto found = m_program.targets.find((*statement)->target);
      if (found == m_program.targets.end() || !found->second.buffer.empty()) {
        continue;
      }
      RowTarget& target = found->second;
      const std::size_t last = last_use(found->first);
      if (last <= target.level) {
        continue;
      }
      for (const auto& [name, other] : m_program.targets) {
        const kernel::Argument* argument = m_kernel.find_argument(name);
        const bool fits = argument != nullptr && argument->role == kernel::Role::output && other.level >= last
                          && other.statement->type == target.statement->type
                          && kernel::to_text(*other.statement->indices.back().upper)
                               == kernel::to_text(*target.statement->indices.back().upper);
        if (fits && claimed.insert(name).second) {
          target.buffer = name;
          break;
        }
      }
    }
  }

  const kernel::Kernel& m_kernel;
  RowProgram m_program;
  RowRewriter m_rewriter;
};

} // namespace

std::string row_index(std::size_t position)
{
  return fmt::format("row {}", position);
}

std::string outer_index(std::size_t position)
{
  return fmt::format("outer {}", position);
}

std::string local_name(const std::string& name)
{
  return "local " + name;
}

std::string value_name(const std::string& target)
{
  return "value " + target;
}

std::string running_name(const std::string& local)
{
  return "running " + local;
}

std::size_t RowProgram::passes() const
{
  std::size_t count = 0;
  for (const RowLevel& level : levels) {
    count += level.passes.size();
  }
  return count;
}

bool RowProgram::reduces() const
{
  return std::ranges::any_of(levels, [](const RowLevel& level) {
    return std::ranges::any_of(level.passes, [](const RowPass& pass) {
      return std::ranges::any_of(pass.tasks, [](const RowTask& task) { return task.kind == RowTask::Kind::reduce; });
    });
  });
}

Result<RowProgram> row_program(const kernel::Kernel& kernel, const std::vector<const kernel::Statement*>& statements,
                               std::size_t prefix, bool running)
{
  const kernel::Statement& first = *statements.front();
  if (prefix > first.indices.size()) {
    return fail(fmt::format("{} has fewer indices than its rows", first.target));
  }
  RowProgram program;
  program.statements = statements;
  program.prefix = prefix;
  program.running = running;
  program.compute = compute_type(kernel, first);
  for (std::size_t d = 0; d < prefix; ++d) {
    program.extents.push_back(first.indices[d].upper);
  }
  return Builder(kernel, std::move(program)).build();
}

} // namespace hone::lower
