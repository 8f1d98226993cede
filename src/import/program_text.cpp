#include "import/program_text.h"

#include "import/namer.h"
#include "import/signature_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

bool is_load_of(const kernel::Expr& node, const std::string& tensor)
{
  return node.kind == kernel::ExprKind::load && node.name == tensor;
}

int loads_of(const kernel::Expr& expression, const std::string& tensor)
{
  int out = 0;
  any_node(expression, [&](const kernel::Expr& node) {
    out += is_load_of(node, tensor) ? 1 : 0;
    return false;
  });
  return out;
}

int loads_of(const DraftStatement& statement, const std::string& tensor)
{
  return loads_of(*statement.value, tensor) + (statement.guard ? loads_of(*statement.guard, tensor) : 0);
}

// Loads of a tensor outside reductions, subscripted with nothing but plain indices.
void collect_plain_loads(const kernel::ExprPtr& node, const std::string& tensor, std::vector<kernel::ExprPtr>& out)
{
  if (node->kind == kernel::ExprKind::reduce) {
    return;
  }
  if (is_load_of(*node, tensor) && std::ranges::all_of(node->args, [](const kernel::ExprPtr& arg) {
        return arg->kind == kernel::ExprKind::index;
      })) {
    out.push_back(node);
  }
  for (const kernel::ExprPtr& arg : node->args) {
    collect_plain_loads(arg, tensor, out);
  }
}

// The definition of an intermediate for the subscripts of a load.
kernel::ExprPtr defined(const DraftStatement& of, const kernel::ExprPtr& load)
{
  std::map<std::string, kernel::ExprPtr> values;
  for (std::size_t i = 0; i < of.indices.size(); ++i) {
    values[of.indices[i].name] = load->args[i];
  }
  return with_indices(of.value, values);
}

// An intermediate used once, beside indices as many as its own, may stand where it is used.
bool inline_single_use(std::vector<DraftStatement>& statements)
{
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const DraftStatement one = statements[i];
    if (!one.intermediate || one.guard) {
      continue;
    }
    int uses = 0;
    DraftStatement* user = nullptr;
    for (DraftStatement& other : statements) {
      const int here = loads_of(other, one.target);
      uses += here;
      user = here > 0 ? &other : user;
    }
    std::vector<kernel::ExprPtr> plain;
    if (user != nullptr) {
      collect_plain_loads(user->value, one.target, plain);
    }
    if (uses != 1 || plain.size() != 1 || plain[0]->args.size() != user->indices.size()) {
      continue;
    }
    user->value = rewritten(user->value, [&](const kernel::ExprPtr& node) -> kernel::ExprPtr {
      return is_load_of(*node, one.target) ? defined(one, node) : nullptr;
    });
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

// Y[i, j] = T[i, j]: T is Y.
bool merge_copy(Semantics& semantics, const Survey& survey)
{
  std::vector<DraftStatement>& statements = semantics.statements;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const DraftStatement copy = statements[k];
    const bool plain = !copy.intermediate && !copy.guard && copy.value->kind == kernel::ExprKind::load
                       && !semantics.inout.contains(copy.target) && copy.value->args.size() == copy.indices.size();
    const auto made = std::ranges::find(statements, copy.value->name, &DraftStatement::target);
    if (!plain || made == statements.end() || !made->intermediate || made->guard
        || made->indices.size() != copy.indices.size()) {
      continue;
    }
    bool same_order = true;
    const auto array = survey.arrays.find(copy.target);
    for (std::size_t i = 0; i < copy.indices.size(); ++i) {
      same_order = same_order && copy.value->args[i]->kind == kernel::ExprKind::index
                   && copy.value->args[i]->name == copy.indices[i].name
                   && same(normal(made->indices[i].upper), normal(array->second.shape[i]));
    }
    if (!same_order) {
      continue;
    }
    const std::string old = made->target;
    made->target = copy.target;
    made->intermediate = false;
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(k));
    for (DraftStatement& one : statements) {
      const auto rename = [&](const kernel::ExprPtr& node) -> kernel::ExprPtr {
        return is_load_of(*node, old) ? make_load(copy.target, node->args, node->type) : nullptr;
      };
      one.value = rewritten(one.value, rename);
      one.guard = rewritten(one.guard, rename);
    }
    return true;
  }
  return false;
}

void drop_unused(std::vector<DraftStatement>& statements)
{
  for (std::size_t i = statements.size(); i-- > 0;) {
    const bool used = !statements[i].intermediate || std::ranges::any_of(statements, [&](const DraftStatement& other) {
      return loads_of(other, statements[i].target) > 0;
    });
    if (!used) {
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

std::string quoted(const std::string& text)
{
  return "\"" + replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\"") + "\"";
}

std::string shape_entry(const kernel::Expr& extent)
{
  const std::string text = kernel::to_text(extent);
  return extent.kind == kernel::ExprKind::number ? text : quoted(text);
}

// A number as it is, an expression over sizes in quotes.
std::string domain_end(const std::string& text)
{
  const bool number = text == "inf" || text == "-inf" || text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  return number ? text : quoted(text);
}

std::string argument_line(const std::string& name, kernel::DataType type, const std::vector<kernel::ExprPtr>& shape,
                          bool array, const Semantics& semantics, const KernelText& text)
{
  std::string extents;
  for (const kernel::ExprPtr& extent : shape) {
    extents += (extents.empty() ? "" : ", ") + shape_entry(*extent);
  }
  std::string out = fmt::format("{} = {{ type = \"{}\"", name, kernel::name_of(type));
  if (array) {
    const std::string role = semantics.inout.contains(name)     ? "inout"
                             : semantics.written.contains(name) ? "output"
                                                                : "input";
    out += fmt::format(", shape = [{}], role = \"{}\"", extents, role);
  } else {
    out += ", role = \"scalar\"";
  }
  if (const auto form = text.matrices.find(name); form != text.matrices.end()) {
    out += fmt::format(", matrix = \"{}\"", form->second);
  }
  const auto domain = text.domains.find(name);
  if (domain != text.domains.end()) {
    out += fmt::format(", domain = [{}, {}]", domain_end(domain->second.low), domain_end(domain->second.high));
  }
  return out + " }\n";
}

// Lines of a comment, broken between words.
std::string comment(const std::string& text)
{
  constexpr std::size_t k_width = 110;
  std::string out = "#  ";
  std::size_t column = 3;
  for (const std::string& word : split(text, ' ')) {
    if (column + word.size() > k_width) {
      out += "\n#   ";
      column = 4;
    }
    out += " " + word;
    column += word.size() + 1;
  }
  return out + "\n";
}

void note_names(const kernel::Expr& expression, std::set<std::string>& out)
{
  any_node(expression, [&](const kernel::Expr& node) {
    if (node.kind == kernel::ExprKind::extent || node.kind == kernel::ExprKind::load) {
      out.insert(node.name);
    }
    return false;
  });
}

void note_range(const kernel::IndexRange& range, std::set<std::string>& out)
{
  note_names(*range.upper, out);
  if (range.lower) {
    note_names(*range.lower, out);
  }
}

std::set<std::string> used_names(const Semantics& semantics, const Survey& survey)
{
  std::set<std::string> out;
  for (const DraftStatement& statement : semantics.statements) {
    out.insert(statement.target);
    note_names(*statement.value, out);
    if (statement.guard) {
      note_names(*statement.guard, out);
    }
    for (const kernel::IndexRange& range : statement.indices) {
      note_range(range, out);
    }
    for (const kernel::SerialLoop& loop : statement.loops) {
      note_range(loop.range, out);
    }
    for (const kernel::ExprPtr& subscript : statement.subscripts) {
      note_names(*subscript, out);
    }
  }
  for (const auto& [name, array] : survey.arrays) {
    for (const kernel::ExprPtr& extent : out.contains(name) ? array.shape : std::vector<kernel::ExprPtr>()) {
      note_names(*extent, out);
    }
  }
  return out;
}

} // namespace

void simplify(Semantics& semantics, const Survey& survey)
{
  drop_unused(semantics.statements);
  while (merge_copy(semantics, survey) || inline_single_use(semantics.statements)) {
  }
}

std::string program_text(const Semantics& semantics, const Survey& survey)
{
  const Namer namer(semantics, survey);
  return join(namer.print(semantics.statements), "\n");
}

KernelNames names_of(const CFunction& function, const Semantics& semantics, const Survey& survey)
{
  const std::set<std::string> used = used_names(semantics, survey);
  KernelNames out;
  for (const CParameter& parameter : function.parameters) {
    if (used.contains(parameter.name)) {
      const bool size = is_integer(parameter) && !survey.integers.contains(parameter.name);
      (size ? out.sizes : out.arguments).push_back(parameter.name);
    }
  }
  if (!semantics.result.empty()) {
    out.arguments.push_back(semantics.result);
    out.result = semantics.result;
  }
  const std::vector<std::string> further = further_sizes(function, semantics, survey);
  out.sizes.insert(out.sizes.end(), further.begin(), further.end());
  return out;
}

std::vector<std::string> further_sizes(const CFunction& function, const Semantics& semantics, const Survey& survey)
{
  const std::set<std::string> used = used_names(semantics, survey);
  std::set<std::string> extents;
  for (const auto& [name, array] : survey.arrays) {
    for (const kernel::ExprPtr& extent : used.contains(name) ? array.shape : std::vector<kernel::ExprPtr>()) {
      collect_sizes(*extent, extents);
    }
  }
  for (const CParameter& parameter : function.parameters) {
    extents.erase(parameter.name);
  }
  return {extents.begin(), extents.end()};
}

kernel::DataType accumulation_type(const Semantics& semantics, const Survey& survey)
{
  const bool doubles = std::ranges::any_of(survey.arrays, [](const auto& entry) {
    return entry.second.argument && entry.second.type.data == kernel::DataType::f64;
  });
  return !semantics.narrow && (semantics.wide || doubles) ? kernel::DataType::f64 : kernel::DataType::f32;
}

std::string tolerance_text(const kernel::Tolerance& tolerance)
{
  return (tolerance.relative > 0 ? fmt::format("relative = {:e}\n", tolerance.relative) : "")
         + (tolerance.absolute > 0 ? fmt::format("absolute = {:e}\n", tolerance.absolute) : "");
}

std::string kernel_toml(const ForeignFunction& request, const CFunction& function, const Semantics& semantics,
                        const Survey& survey, const KernelText& text, const kernel::Sizes& sizes)
{
  const std::string origin = fmt::format("{}() of {}", function.name, request.file.filename().string());
  std::string out = fmt::format("# Made by `hone new --from`. Taken for granted:\n");
  for (const std::string& note : text.notes) {
    out += comment("* " + note);
  }
  const std::string program = program_text(semantics, survey);
  const bool one_line = !program.contains('\n');
  out += fmt::format("[kernel]\nname = {}\nsummary = {}\n\n[compute]\nexpr = {}\n\n[arguments]\n", quoted(request.name),
                     quoted(origin), one_line ? quoted(program) : "\"\"\"\n" + program + "\n\"\"\"");
  const KernelNames names = names_of(function, semantics, survey);
  for (const CParameter& parameter : function.parameters) {
    if (std::ranges::find(names.arguments, parameter.name) != names.arguments.end()) {
      const auto array = survey.arrays.find(parameter.name);
      const bool is_array = array != survey.arrays.end();
      out += argument_line(parameter.name, scalar_type(parameter.type),
                           is_array ? array->second.shape : std::vector<kernel::ExprPtr>(), is_array, semantics, text);
    }
  }
  if (!semantics.result.empty()) {
    out += argument_line(semantics.result, *function.result.data, {}, true, semantics, text);
  }
  std::vector<std::string> timed;
  for (const std::string& size : names.sizes) {
    timed.push_back(fmt::format("{} = {}", size, sizes.contains(size) ? sizes.at(size) : 16));
  }
  std::vector<std::string> conditions;
  for (const kernel::ExprPtr& condition : text.conditions) {
    conditions.push_back(quoted(kernel::to_text(*condition)));
  }
  const std::string where = conditions.empty() ? "" : fmt::format("where = [{}]\n", join(conditions, ", "));
  return out
         + fmt::format("\n[sizes]\ntimed = [ {{ {} }} ]\nalso = \"any\"\n{}\n[accuracy]\naccumulate = \"{}\"\n{}",
                       join(timed, ", "), where, kernel::name_of(accumulation_type(semantics, survey)),
                       tolerance_text(request.tolerance))
         + signature_text(function, names, text.equal);
}

} // namespace hone::import
