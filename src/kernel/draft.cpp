// kernel.toml from one expression.
#include "kernel/binder.h"
#include "kernel/definition.h"
#include "kernel/expression_syntax.h"
#include "kernel/kernel_class.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace hone::kernel {

namespace {

struct DraftArgument {
  std::string name;
  std::vector<std::string> shape; // entries as written in kernel.toml, without quotes
  Place place;
};

// Finds out what an expression implies: arguments, their shapes, which targets are outputs. Sizes take the names of
// the indices that run over them.
class Drafter {
public:
  Result<void> run(const std::vector<StatementSyntax>& statements)
  {
    for (const StatementSyntax& statement : statements) {
      m_targets[statement.target] = {statement.target, {}, statement.place};
    }
    for (const StatementSyntax& statement : statements) {
      HONE_CHECK(read(statement));
    }
    for (const StatementSyntax& statement : statements) {
      if (!m_read.contains(statement.target)) {
        outputs.push_back(m_targets.at(statement.target));
      }
    }
    return {};
  }

  std::vector<DraftArgument> inputs;
  std::vector<DraftArgument> outputs;
  std::vector<std::string> sizes; // in order of first appearance
  std::set<std::string> integers; // inputs that are read as subscripts

private:
  bool is_target(const std::string& name) const { return m_targets.contains(name); }

  void add_size(const std::string& name)
  {
    if (std::ranges::find(sizes, name) == sizes.end()) {
      sizes.push_back(name);
    }
  }

  // What an index runs over, as a shape entry: the index's own name, an explicit constant, or the range of another
  // index that bounds it.
  Result<std::string> range_text(const Binder& binder)
  {
    if (!binder.upper) {
      return binder.name;
    }
    const Syntax& upper = *binder.upper;
    if (upper.kind == Syntax::Kind::number && upper.integer) {
      return fmt::format("{}", static_cast<std::int64_t>(upper.number) + (binder.upper_closed ? 1 : 0));
    }
    if (upper.kind == Syntax::Kind::name) {
      const auto outer = m_ranges.find(upper.text);
      return outer == m_ranges.end() ? upper.text : outer->second;
    }
    return fail(fmt::format("no shape can be drafted from the range of '{}'", binder.name),
                "bound it by a number or a name, or write kernel.toml by hand", binder.place);
  }

  Result<void> open(const Binder& binder)
  {
    HONE_TRY(m_ranges[binder.name], range_text(binder));
    return {};
  }

  Result<void> read(const StatementSyntax& statement)
  {
    m_ranges.clear();
    const auto any = [](const std::string&) { return true; };
    std::vector<std::string> indices;
    for (const SyntaxPtr& written : statement.indices) {
      const auto binder = binder_from(*written, any);
      if (!binder) {
        return fail(fmt::format("expected a new index as a subscript of the target '{}'", statement.target), {},
                    written->place);
      }
      HONE_CHECK(open(*binder));
      indices.push_back(binder->name);
    }
    HONE_CHECK(visit(*statement.value));
    if (statement.where) {
      HONE_CHECK(visit(*statement.where));
    }
    std::vector<std::string> shape;
    for (const std::string& index : indices) {
      shape.push_back(m_ranges[index]);
      note_size(shape.back());
    }
    m_targets.at(statement.target).shape = std::move(shape);
    return {};
  }

  void note_size(const std::string& entry)
  {
    if (!entry.empty() && (entry[0] < '0' || entry[0] > '9')) {
      add_size(entry);
    }
  }

  Result<void> visit(const Syntax& syntax)
  {
    switch (syntax.kind) {
    case Syntax::Kind::number:
      return {};
    case Syntax::Kind::name:
      return m_ranges.contains(syntax.text) || m_bounds.contains(syntax.text) ? Result<void>() : load(syntax);
    case Syntax::Kind::subscript:
      return load(syntax);
    case Syntax::Kind::call:
      if (is_reduction(syntax)) {
        return visit_reduction(syntax);
      }
      break;
    default:
      break;
    }
    for (const SyntaxPtr& arg : syntax.args) {
      HONE_CHECK(visit(*arg));
    }
    return {};
  }

  bool is_reduction(const Syntax& call) const
  {
    constexpr std::array<std::string_view, 4> always{"sum", "prod", "argmax", "argmin"};
    if (std::ranges::find(always, call.text) != always.end()) {
      return call.args.size() >= 2;
    }
    const auto fresh = [&](const std::string& name) { return !m_ranges.contains(name) && !is_target(name); };
    return (call.text == "max" || call.text == "min") && call.args.size() >= 2
           && std::all_of(call.args.begin(), call.args.end() - 1,
                          [&](const SyntaxPtr& arg) { return binder_from(*arg, fresh).has_value(); });
  }

  Result<void> visit_reduction(const Syntax& call)
  {
    std::vector<std::string> opened;
    const auto fresh = [&](const std::string& name) { return !m_ranges.contains(name); };
    for (std::size_t i = 0; i + 1 < call.args.size(); ++i) {
      const auto binder = binder_from(*call.args[i], fresh);
      if (!binder) {
        return fail(fmt::format("expected a new index of {}() here, such as k or k < n", call.text), {},
                    call.args[i]->place);
      }
      HONE_CHECK(open(*binder));
      opened.push_back(binder->name);
      note_size(m_ranges[binder->name]);
      m_bounds.insert(m_ranges[binder->name]);
    }
    HONE_CHECK(visit(*call.args.back()));
    if (call.where) {
      HONE_CHECK(visit(*call.where));
    }
    for (const std::string& index : opened) {
      m_ranges.erase(index);
    }
    return {};
  }

  Result<void> load(const Syntax& syntax)
  {
    if (is_target(syntax.text)) {
      m_read.insert(syntax.text);
      take_extents_of(m_targets.at(syntax.text).shape, syntax);
      for (const SyntaxPtr& arg : syntax.args) {
        HONE_CHECK(visit(*arg));
      }
      return {};
    }
    DraftArgument argument{syntax.text, {}, syntax.place};
    for (const SyntaxPtr& subscript : syntax.args) {
      HONE_TRY(std::string extent, extent_under(*subscript, syntax.text));
      argument.shape.push_back(std::move(extent));
    }
    const auto found = std::ranges::find(inputs, syntax.text, &DraftArgument::name);
    if (found == inputs.end()) {
      inputs.push_back(std::move(argument));
    } else if (!take_as_one(found->shape, argument.shape)) {
      return fail(fmt::format("'{}' is read with different indices, so its shape is not clear", syntax.text),
                  "write kernel.toml by hand, with the shape that is meant", syntax.place);
    }
    return {};
  }

  // A tensor that is read with two indices (X[k,i] * X[k,j]) has one extent for both: the later size becomes the
  // earlier.
  bool take_as_one(const std::vector<std::string>& known, const std::vector<std::string>& here)
  {
    if (known.size() != here.size()) {
      return false;
    }
    for (std::size_t axis = 0; axis < known.size(); ++axis) {
      const std::string earlier = known[axis], later = here[axis];
      const bool has_own_size = m_ranges.contains(later) && m_ranges[later] == later;
      if (earlier != later && (!has_own_size || is_number(earlier) || earlier.find(' ') != std::string::npos)) {
        return false;
      }
      if (earlier != later) {
        rename_size(later, earlier);
      }
    }
    return true;
  }

  void rename_size(const std::string& from, const std::string& to)
  {
    std::erase(sizes, from);
    m_bounds.erase(from);
    for (auto& [index, range] : m_ranges) {
      range = range == from ? to : range;
    }
    for (DraftArgument& input : inputs) {
      std::ranges::replace(input.shape, from, to);
    }
    for (auto& [name, target] : m_targets) {
      std::ranges::replace(target.shape, from, to);
    }
  }

  // An index that was thought to have a size of its own, and reads what an earlier statement computed, runs over that.
  void take_extents_of(const std::vector<std::string>& shape, const Syntax& load)
  {
    for (std::size_t axis = 0; axis < std::min(shape.size(), load.args.size()); ++axis) {
      const std::string& index = load.args[axis]->text;
      const bool has_own_size = range_of(*load.args[axis]) != nullptr && m_ranges[index] == index;
      const bool is_shaped = std::ranges::any_of(
        inputs, [&](const DraftArgument& input) { return std::ranges::find(input.shape, index) != input.shape.end(); });
      if (has_own_size && !is_shaped && shape[axis] != index) {
        std::erase(sizes, index);
        m_bounds.erase(index);
        m_ranges[index] = shape[axis];
      }
    }
  }

  // The extent that a subscript of `tensor` needs: that of its index; of a window's start and reach together; a size of
  // its own where it is read from another tensor.
  Result<std::string> extent_under(const Syntax& subscript, const std::string& tensor)
  {
    if (const std::string* range = range_of(subscript)) {
      note_size(*range);
      return *range;
    }
    if (subscript.kind == Syntax::Kind::binary && subscript.text == "+") {
      const std::string* start = range_of(*subscript.args[0]);
      const std::string* reach = range_of(*subscript.args[1]);
      if (start != nullptr && reach != nullptr && is_number(*start)) {
        std::swap(start, reach);
      }
      if (start != nullptr && reach != nullptr && !is_number(*start) && is_number(*reach)) {
        note_size(*start);
        return fmt::format("{} + {}", *start, std::stoll(*reach) - 1);
      }
    }
    if (subscript.kind == Syntax::Kind::subscript && !is_target(subscript.text)) {
      HONE_CHECK(load(subscript));
      integers.insert(subscript.text);
      const std::string rows = to_lower(tensor) + "_rows";
      add_size(rows);
      return rows;
    }
    return fail(
      fmt::format("the shape of '{}' does not follow from this subscript", tensor),
      "a draft knows plain indices, windows (y + r with r < 3) and gathers (I[i]); write kernel.toml by hand for "
      "the rest",
      subscript.place);
  }

  const std::string* range_of(const Syntax& subscript) const
  {
    const auto range = m_ranges.find(subscript.text);
    return subscript.kind == Syntax::Kind::name && range != m_ranges.end() ? &range->second : nullptr;
  }

  static bool is_number(const std::string& entry) { return !entry.empty() && entry[0] >= '0' && entry[0] <= '9'; }

  static std::string to_lower(std::string text)
  {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
  }

  std::map<std::string, DraftArgument> m_targets;
  std::set<std::string> m_read;
  std::map<std::string, std::string> m_ranges; // of the indices in scope
  std::set<std::string> m_bounds;              // sizes that bound an index by name
};

std::string toml_string(std::string_view text)
{
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

std::string expression_entry(const std::string& expression)
{
  if (expression.find('\n') == std::string::npos) {
    return toml_string(expression);
  }
  return "\"\"\"\n" + replace_all(expression, "\\", "\\\\") + (expression.ends_with('\n') ? "" : "\n") + "\"\"\"";
}

std::string argument_line(const DraftArgument& argument, const NewKernel& request, bool output, bool integer)
{
  std::string shape;
  for (const std::string& entry : argument.shape) {
    const bool number = entry[0] >= '0' && entry[0] <= '9';
    shape += (shape.empty() ? "" : ", ") + (number ? entry : toml_string(entry));
  }
  const auto type = request.types.find(argument.name);
  return fmt::format("{} = {{ type = {}, shape = [{}]{} }}\n", argument.name,
                     toml_string(type != request.types.end() ? type->second
                                 : integer                   ? "i32"
                                                             : "f32"),
                     shape,
                     output                   ? ", role = \"output\""
                     : argument.shape.empty() ? ", role = \"scalar\""
                                              : "");
}

std::string print_draft(const NewKernel& request, const Drafter& draft, const Sizes& sizes)
{
  std::string out =
    fmt::format("[kernel]\nname = {}\nsummary = {}\n\n[compute]\nexpr = {}\n\n[arguments]\n", toml_string(request.name),
                toml_string(replace_all(request.expression, "\n", " ")), expression_entry(request.expression));
  for (const DraftArgument& argument : draft.inputs) {
    out += argument_line(argument, request, false, draft.integers.contains(argument.name));
  }
  for (const DraftArgument& argument : draft.outputs) {
    out += argument_line(argument, request, true, false);
  }
  std::string timed;
  for (const std::string& size : draft.sizes) {
    timed += fmt::format("{}{} = {}", timed.empty() ? "" : ", ", size, sizes.at(size));
  }
  const bool doubles = std::ranges::any_of(request.types, [](const auto& entry) { return entry.second == "f64"; });
  return out
         + fmt::format("\n[sizes]\ntimed = [ {{ {} }} ]\nalso = \"any\"\n\n[accuracy]\naccumulate = \"{}\"\n", timed,
                       doubles ? "f64" : "f32");
}

Result<void> check_names(const NewKernel& request, const Drafter& draft)
{
  std::vector<std::string> arguments;
  for (const std::vector<DraftArgument>* list : {&draft.inputs, &draft.outputs}) {
    for (const DraftArgument& argument : *list) {
      arguments.push_back(argument.name);
    }
  }
  const auto check = [](const std::string& name, const std::vector<std::string>& known,
                        std::string_view what) -> Result<void> {
    if (std::ranges::find(known, name) != known.end()) {
      return {};
    }
    return fail(fmt::format("the expression has no {} '{}'; it has {}", what, name, join(known, ", ")),
                did_you_mean(name, known));
  };
  for (const auto& [name, type] : request.types) {
    HONE_CHECK(check(name, arguments, "argument"));
  }
  for (const auto& [name, value] : request.sizes) {
    HONE_CHECK(check(name, draft.sizes, "size"));
  }
  return {};
}

// Sizes that keep a naive first candidate within about a second: matrices of a few hundred rows, few batches.
Sizes default_sizes(const Kernel& kernel, const std::vector<std::string>& names)
{
  constexpr double k_most_flops = 1.2e9;
  constexpr double k_most_traffic = 1 << 28;
  constexpr std::int64_t k_batch = 4;
  constexpr std::int64_t k_least = 16;
  std::set<std::string> batch;
  const auto contraction = as_contraction(kernel);
  for (const IndexRange& range : contraction ? contraction->batch : std::vector<IndexRange>()) {
    batch.insert(to_text(*range.upper));
  }
  Sizes out;
  const std::size_t axes = names.size() - batch.size();
  for (const std::string& name : names) {
    out[name] = batch.contains(name) ? k_batch : axes <= 1 ? 1 << 20 : axes == 2 ? 1024 : 512;
  }
  for (int round = 0; round < 32; ++round) {
    const auto work = work_of(kernel, out);
    const auto largest = std::ranges::max_element(out, {}, [](const auto& entry) { return entry.second; });
    const bool fits = work && work->plain_flops <= k_most_flops && work->compulsory_bytes <= k_most_traffic;
    if (fits || largest == out.end() || largest->second <= k_least) { // no work: a tensor is too large to be counted
      break;
    }
    const std::int64_t halved = largest->second / 2;
    for (auto& [name, value] : out) {
      value = std::min(value, halved);
    }
  }
  return out;
}

} // namespace

Sizes default_sizes(const Kernel& kernel)
{
  return default_sizes(kernel, kernel.symbols);
}

Result<std::string> draft_kernel_toml(const NewKernel& request)
{
  const std::string origin = "expression";
  const SourceMap map = SourceMap::of_text(request.expression, origin);
  std::vector<Error> errors;
  const std::vector<StatementSyntax> statements = parse_program_syntax(request.expression, map, errors);
  if (!errors.empty()) {
    return std::unexpected(errors.front());
  }
  if (statements.empty()) {
    return fail("the expression holds no statement", "C[m,n] = sum(k, A[m,k] * B[k,n])", {origin, 1, 1});
  }
  Drafter draft;
  HONE_CHECK(draft.run(statements));
  HONE_CHECK(check_names(request, draft));
  // A first reading with small sizes shows which axes are batches and how the work grows.
  Sizes sizes;
  for (const std::string& name : draft.sizes) {
    sizes[name] = 16;
  }
  HONE_TRY(const Kernel small, parse_kernel(print_draft(request, draft, sizes), "draft kernel.toml"));
  sizes = default_sizes(small, draft.sizes);
  for (const auto& [name, value] : request.sizes) {
    sizes[name] = value;
  }
  std::string out = print_draft(request, draft, sizes);
  HONE_TRY([[maybe_unused]] const Kernel checked, parse_kernel(out, "draft kernel.toml"));
  return out;
}

} // namespace hone::kernel
