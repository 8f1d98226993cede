// Reads kernel.toml. Long because one class reads all sections: they share the document, its errors and the kernel that
// is being built.
#include "kernel/candidate.h"
#include "kernel/definition.h"
#include "kernel/definition_text.h"
#include "kernel/domain_inference.h"
#include "kernel/expression_checker.h"
#include "kernel/expression_types.h"
#include "kernel/range_check.h"
#include "kernel/reserved_names.h"
#include "kernel/signature.h"
#include "kernel/size_conditions.h"
#include "kernel/toml_document.h"
#include "util/did_you_mean.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace hone::kernel {

namespace {

constexpr std::array<std::string_view, 3> k_accumulate_names{"f64", "f32", "f16"};
constexpr std::array<std::string_view, 5> k_role_names{"input", "output", "inout", "scalar", "weight"};
constexpr const char* k_name_hint = "letters, digits and _, not beginning with a digit or hone_, and no word of C++ or "
                                    "OpenCL C and no macro of C headers";
constexpr std::int64_t k_largest_size = std::int64_t{1} << 31;

bool is_name(std::string_view text)
{
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) && !is_reserved_word(text) && text.substr(0, 5) != "hone_"
         && std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

class KernelReader {
public:
  explicit KernelReader(TomlDocument document) : m_document(std::move(document)) {}

  Kernel read()
  {
    constexpr std::array<std::string_view, 6> sections{"kernel", "compute",  "arguments",
                                                       "sizes",  "accuracy", "signature"};
    m_document.expect_keys(root(), sections, "a kernel.toml");
    read_head();
    read_statements();
    read_sizes();
    read_arguments();
    read_conditions();
    check_weights();
    read_accuracy();
    check_names();
    if (const toml::table* signature = section("signature", false)) {
      read_signature(m_document, *signature, m_kernel);
    }
    if (m_kernel.reference != ReferenceKind::expression) {
      check_without_expression();
    } else if (m_document.errors().empty()) {
      const Declarations declarations{m_kernel.arguments, m_kernel.symbols, m_kernel.accumulate};
      m_kernel.program = check_program(m_syntax, declarations, m_document.errors());
      check_all_read();
      infer_domains(m_kernel);
    }
    if (m_document.errors().empty()) {
      check_timed();
    }
    if (m_document.errors().empty()) {
      m_kernel.hash = sha256(canonical_text(m_kernel));
    }
    return std::move(m_kernel);
  }

  std::vector<Error>& errors() { return m_document.errors(); }

private:
  const toml::table& root() const { return m_document.root(); }

  const toml::table* section(std::string_view name, bool required)
  {
    if (required && root().get(name) == nullptr) {
      m_document.report(fmt::format("the section [{}] is missing", name),
                        "docs/expressions.md shows a whole kernel.toml; `hone new` writes one",
                        {m_document.origin(), 1, 1});
    }
    return m_document.table(root(), name);
  }

  void read_head()
  {
    const toml::table* head = section("kernel", true);
    if (head == nullptr) {
      return;
    }
    constexpr std::array<std::string_view, 2> keys{"name", "summary"};
    m_document.expect_keys(*head, keys, "[kernel]");
    m_kernel.name = m_document.string(*head, "name").value_or("");
    m_kernel.summary = m_document.string(*head, "summary").value_or("");
    const std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (m_kernel.name.empty() || m_kernel.name.find_first_not_of(allowed) != std::string::npos) {
      m_document.report("[kernel] needs a name of letters, digits, '-', '_' and '.'", "name = \"matmul\"",
                        m_document.place_of(*head));
    }
  }

  void read_statements()
  {
    const toml::table* compute = section("compute", true);
    if (compute == nullptr) {
      return;
    }
    constexpr std::array<std::string_view, 2> keys{"expr", "reference"};
    m_document.expect_keys(*compute, keys, "[compute]");
    if ((compute->get("expr") == nullptr) == (compute->get("reference") == nullptr)) {
      m_document.report("[compute] needs either an expr or a reference",
                        "expr = \"C[m,n] = sum(k, A[m,k] * B[k,n])\", or reference = \"reference.cpp\"",
                        m_document.place_of(*compute));
      return;
    }
    if (compute->get("reference") != nullptr) {
      read_reference(*compute);
      return;
    }
    const auto text = m_document.string(*compute, "expr");
    if (!text) {
      return;
    }
    m_kernel.expression_text = *text;
    const toml::node& node = *compute->get("expr");
    m_syntax = parse_program_syntax(*text, m_document.map_of(node), m_document.errors());
    if (m_syntax.empty() && m_document.errors().empty()) {
      m_document.report("expr holds no statement", "C[m,n] = sum(k, A[m,k] * B[k,n])", m_document.place_of(node));
    }
    for (const StatementSyntax& statement : m_syntax) {
      m_targets.insert(statement.target);
    }
  }

  // The text of reference.cpp is read by whoever knows the folder.
  void read_reference(const toml::table& compute)
  {
    constexpr std::array<std::string_view, 2> words{"reference.cpp", "start"};
    if (const auto word = m_document.word(compute, "reference", words)) {
      m_kernel.reference = *word == 0 ? ReferenceKind::code : ReferenceKind::start;
    }
  }

  void read_sizes()
  {
    const toml::table* sizes = section("sizes", true);
    if (sizes == nullptr) {
      return;
    }
    constexpr std::array<std::string_view, 4> keys{"timed", "weights", "also", "where"};
    m_document.expect_keys(*sizes, keys, "[sizes]");
    constexpr std::array<std::string_view, 2> also{"any", "timed"};
    if (const auto word = m_document.word(*sizes, "also", also)) {
      m_kernel.also = *word == 0 ? AlsoSizes::any : AlsoSizes::timed;
    }
    const toml::array* timed = m_document.array(*sizes, "timed");
    if (timed == nullptr || timed->empty()) {
      m_document.report("[sizes] needs at least one set of timed sizes", "timed = [ { m = 1024, n = 1024 } ]",
                        m_document.place_of(*sizes));
      return;
    }
    for (const toml::node& entry : *timed) {
      read_timed(entry);
    }
    read_weights(*sizes, timed->size());
  }

  void read_weights(const toml::table& sizes, std::size_t count)
  {
    const toml::array* weights = m_document.array(sizes, "weights");
    if (weights == nullptr) {
      return;
    }
    for (const toml::node& entry : *weights) {
      const auto weight = entry.value<double>();
      if (!weight || !(*weight > 0) || std::isinf(*weight)) {
        m_document.report("a weight is a number above 0", "weights = [2, 1]", m_document.place_of(entry));
        return;
      }
      m_kernel.weights.push_back(*weight);
    }
    if (m_kernel.weights.size() != count) {
      m_document.report(fmt::format("{} weights for {} timed sizes", m_kernel.weights.size(), count),
                        "one for each set of timed sizes, in their order", m_document.place_of(*weights));
    }
  }

  void read_timed(const toml::node& entry)
  {
    const toml::table* table = entry.as_table();
    if (table == nullptr) {
      m_document.report("a set of timed sizes is a table", "timed = [ { m = 1024, n = 1024 } ]",
                        m_document.place_of(entry));
      return;
    }
    Sizes sizes;
    for (const TomlDocument::Member& member : m_document.members(*table)) {
      const auto value = member.value->value_exact<std::int64_t>();
      if (!value || *value < 1 || *value > k_largest_size) {
        m_document.report(fmt::format("the size '{}' must be an integer from 1 to 2^31", member.name), "",
                          m_document.place_of(*member.value));
      }
      sizes[member.name] = value.value_or(1); // the name stands, so that its other uses are no mistakes too
      if (m_kernel.timed.empty()) {
        m_size_names.push_back(member);
      } else if (!m_kernel.timed.front().contains(member.name)) {
        report_stray_size(member, "is not among the sizes of the first set");
      }
    }
    if (!m_kernel.timed.empty() && sizes.size() < m_kernel.timed.front().size()) {
      m_document.report(
        fmt::format("a set of timed sizes is not complete; expected {}", to_text(m_kernel.timed.front())),
        "every set gives every size", m_document.place_of(entry));
    }
    m_kernel.timed.push_back(std::move(sizes));
    m_timed_places.push_back(m_document.place_of(entry));
  }

  // [sizes] where: after the arguments, as symbols take their order from shapes.
  void read_conditions()
  {
    const toml::table* sizes = section("sizes", false);
    const toml::array* where = sizes == nullptr ? nullptr : m_document.array(*sizes, "where");
    if (where == nullptr) {
      return;
    }
    for (const toml::node& entry : *where) {
      const ExprPtr condition = entry.is_string() ? read_size_expression(entry, SizeExpression::condition) : nullptr;
      if (condition) {
        m_kernel.size_conditions.push_back(condition);
      } else if (!entry.is_string()) {
        m_document.report("a condition on sizes is a comparison in quotes", "where = [\"n <= ldc\"]",
                          m_document.place_of(entry));
      }
    }
  }

  void report_stray_size(const TomlDocument::Member& member, std::string_view what, std::string_view way_out = {})
  {
    std::vector<std::string> known = m_kernel.symbols;
    if (known.empty() && !m_kernel.timed.empty()) {
      for (const auto& [name, value] : m_kernel.timed.front()) {
        known.push_back(name);
      }
    }
    m_document.report(
      fmt::format("the size '{}' {}", member.name, what),
      did_you_mean(member.name, known,
                   way_out.empty() ? fmt::format("sizes: {}", join(known, ", ")) : std::string(way_out)),
      member.place);
  }

  void read_arguments()
  {
    const toml::table* arguments = section("arguments", true);
    if (arguments == nullptr) {
      return;
    }
    for (const TomlDocument::Member& member : m_document.members(*arguments)) {
      const toml::table* table = member.value->as_table();
      if (table == nullptr) {
        m_document.report(fmt::format("the argument '{}' must be a table", member.name),
                          fmt::format("{} = {{ type = \"f32\", shape = [\"m\", \"n\"] }}", member.name),
                          m_document.place_of(*member.value));
        continue;
      }
      read_argument(member, *table);
    }
    // Sizes that no shape names come last, in the order of the first timed set.
    for (const TomlDocument::Member& member : m_size_names) {
      add_symbol(member.name);
    }
  }

  void read_argument(const TomlDocument::Member& member, const toml::table& table)
  {
    constexpr std::array<std::string_view, 6> keys{"type", "shape", "role", "domain", "order", "matrix"};
    m_document.expect_keys(table, keys, fmt::format("the argument '{}'", member.name));
    Argument argument;
    argument.name = member.name;
    argument.place = member.place;
    if (!is_name(member.name)) {
      m_document.report(fmt::format("'{}' cannot name an argument", member.name), k_name_hint, member.place);
    }
    if (table.get("type") == nullptr) {
      m_document.report(fmt::format("the argument '{}' has no type", member.name), "type = \"f32\"", member.place);
    } else if (const auto type = m_document.word(table, "type", k_type_names)) {
      argument.type = *data_type_from(k_type_names[*type]);
    }
    read_shape(table, argument);
    read_role(table, argument);
    read_domain(table, argument);
    read_order(table, argument);
    read_matrix(table, argument);
    m_kernel.arguments.push_back(std::move(argument));
  }

  void read_shape(const toml::table& table, Argument& argument)
  {
    const toml::array* shape = m_document.array(table, "shape");
    if (shape == nullptr) {
      return;
    }
    for (const toml::node& entry : *shape) {
      if (const auto extent = entry.value_exact<std::int64_t>()) {
        argument.shape.push_back(make_number(static_cast<double>(*extent), true));
      } else if (entry.is_string()) {
        add_shape_entry(entry, argument);
      } else {
        m_document.report("an entry of a shape is a size, an expression over sizes or an integer",
                          "shape = [\"m\", \"2 * n\", 3]", m_document.place_of(entry));
      }
    }
  }

  void add_shape_entry(const toml::node& entry, Argument& argument)
  {
    if (const ExprPtr extent = read_size_expression(entry)) {
      collect_symbols(*extent);
      argument.shape.push_back(extent);
    }
  }

  enum class SizeExpression { integer, condition };

  // A string that holds an expression over sizes; null after an error.
  ExprPtr read_size_expression(const toml::node& entry, SizeExpression kind = SizeExpression::integer)
  {
    const SourceMap map = m_document.map_of(entry);
    const SyntaxPtr syntax = parse_expression_syntax(entry.as_string()->get(), map, m_document.errors());
    if (!syntax) {
      return nullptr;
    }
    std::vector<std::string> known;
    for (const TomlDocument::Member& member : m_size_names) {
      known.push_back(member.name);
    }
    return kind == SizeExpression::condition ? check_size_condition(syntax, known, m_document.errors())
                                             : check_shape_entry(syntax, known, m_document.errors());
  }

  void collect_symbols(const Expr& expression)
  {
    if (expression.kind == ExprKind::extent) {
      add_symbol(expression.name);
    }
    for (const ExprPtr& arg : expression.args) {
      collect_symbols(*arg);
    }
  }

  void add_symbol(const std::string& name)
  {
    if (std::ranges::find(m_kernel.symbols, name) == m_kernel.symbols.end()) {
      m_kernel.symbols.push_back(name);
    }
  }

  void read_role(const toml::table& table, Argument& argument)
  {
    const bool computed = m_targets.contains(argument.name);
    argument.role = computed ? Role::output : argument.shape.empty() ? Role::scalar : Role::input;
    if (const auto role = m_document.word(table, "role", k_role_names)) {
      argument.role = static_cast<Role>(*role);
      if (argument.role == Role::scalar && !argument.shape.empty()) {
        m_document.report(fmt::format("the scalar '{}' has a shape", argument.name),
                          "leave the shape out, or set role = \"input\"", m_document.place_of(*table.get("role")));
      }
    }
  }

  void read_domain(const toml::table& table, Argument& argument)
  {
    const toml::array* domain = m_document.array(table, "domain");
    if (domain == nullptr) {
      return;
    }
    argument.domain_given = true;
    if (domain->size() != 2) {
      report_domain(*domain);
      return;
    }
    read_domain_end(*domain->get(0), argument.domain.low, argument.lowest, *domain);
    read_domain_end(*domain->get(1), argument.domain.high, argument.highest, *domain);
    if (!argument.lowest && !argument.highest && !(argument.domain.low <= argument.domain.high)) {
      report_domain(*domain);
    }
  }

  void report_domain(const toml::array& domain)
  {
    m_document.report("a domain is a pair [low, high] of numbers, or of integers over sizes, low <= high",
                      "domain = [0.0, inf], or domain = [0, \"n - 1\"]", m_document.place_of(domain));
  }

  void read_domain_end(const toml::node& node, double& number, ExprPtr& expression, const toml::array& domain)
  {
    if (const auto value = node.value<double>(); value && !node.is_string()) {
      if (std::isnan(*value)) {
        report_domain(domain);
      }
      number = std::clamp(*value, number < 0 ? number : -1e300, number > 0 ? number : 1e300);
    } else if (node.is_string()) {
      expression = read_size_expression(node);
    } else {
      report_domain(domain);
    }
  }

  // Such as row pointers: both ends are needed, as the rows must fill all between them.
  void read_order(const toml::table& table, Argument& argument)
  {
    constexpr std::array<std::string_view, 1> words{"rising"};
    if (!m_document.word(table, "order", words)) {
      return;
    }
    const auto is_given = [](double number, const ExprPtr& end) { return end || std::fabs(number) < 1e300; };
    const bool bounded =
      is_given(argument.domain.low, argument.lowest) && is_given(argument.domain.high, argument.highest);
    const bool fits = is_integer(argument.type) && !argument.shape.empty() && bounded;
    if (!fits || is_written(argument.role)) {
      m_document.report(
        fmt::format("'{}' cannot be in rising order: only an input of integers with a shape and a domain can",
                    argument.name),
        "ptr = { type = \"i32\", shape = [\"m + 1\"], domain = [0, \"nnz\"], order = \"rising\" }",
        m_document.place_of(*table.get("order")));
    }
    argument.rising = true;
  }

  void read_matrix(const toml::table& table, Argument& argument)
  {
    constexpr std::array<std::string_view, 2> words{"dominant", "positive definite"};
    const auto word = m_document.word(table, "matrix", words);
    if (!word) {
      return;
    }
    const std::size_t rank = argument.shape.size();
    const bool square = rank >= 2 && to_text(*argument.shape[rank - 1]) == to_text(*argument.shape[rank - 2]);
    if (!square || !is_float(argument.type) || argument.role == Role::output) {
      m_document.report(fmt::format("'{}' cannot have a matrix form: only an input of floats can whose last two "
                                    "extents are the same",
                                    argument.name),
                        "A = { type = \"f64\", shape = [\"n\", \"n\"], matrix = \"dominant\" }",
                        m_document.place_of(*table.get("matrix")));
    }
    argument.matrix = static_cast<MatrixForm>(*word + 1);
  }

  void read_accuracy()
  {
    const bool doubles =
      std::ranges::any_of(m_kernel.arguments, [](const Argument& argument) { return argument.type == DataType::f64; });
    m_kernel.accumulate = doubles ? DataType::f64 : DataType::f32;
    const toml::table* accuracy = section("accuracy", false);
    if (accuracy == nullptr) {
      return;
    }
    constexpr std::array<std::string_view, 6> keys{"accumulate", "class", "relative", "absolute", "overflow", "nan"};
    m_document.expect_keys(*accuracy, keys, "[accuracy]");
    read_tolerance(*accuracy, "relative", m_kernel.accuracy.tolerance.relative);
    read_tolerance(*accuracy, "absolute", m_kernel.accuracy.tolerance.absolute);
    constexpr std::array<std::string_view, 2> classes{"elementwise", "normwise"};
    if (const auto word = m_document.word(*accuracy, "class", classes)) {
      m_kernel.accuracy.bounds = *word == 0 ? BoundClass::elementwise : BoundClass::normwise;
    }
    constexpr std::array<std::string_view, 2> overflow{"checked", "unchecked"};
    if (const auto word = m_document.word(*accuracy, "overflow", overflow)) {
      m_kernel.accuracy.checks_overflow = *word == 0;
    }
    constexpr std::array<std::string_view, 2> nan{"propagate", "undefined"};
    if (const auto word = m_document.word(*accuracy, "nan", nan)) {
      m_kernel.accuracy.checks_nonfinite = *word == 0;
    }
    if (!m_kernel.accuracy.checks_overflow && m_kernel.reference != ReferenceKind::expression) {
      m_document.report(
        "'overflow' has no meaning here: without an expression nothing tells what is computed on the way",
        "leave it out, or give the inputs a domain", m_document.place_of(*accuracy->get("overflow")));
    }
    if (const auto word = m_document.word(*accuracy, "accumulate", k_accumulate_names)) {
      m_kernel.accumulate = *data_type_from(k_accumulate_names[*word]);
    }
  }

  void read_tolerance(const toml::table& accuracy, std::string_view key, double& value)
  {
    const toml::node* node = accuracy.get(key);
    if (node == nullptr) {
      return;
    }
    const auto number = node->value<double>();
    if (!number || !(*number >= 0) || std::isinf(*number)) {
      m_document.report(fmt::format("'{}' is a number from 0", key), fmt::format("{} = 1e-5", key),
                        m_document.place_of(*node));
    } else if (key == "relative" && *number >= 1) {
      m_document.report("'relative' of 1 or more lets an output of zeros pass", "relative = 1e-3, say",
                        m_document.place_of(*node));
    } else {
      value = *number;
    }
  }

  // Everything could be prepared ahead of the calls then, and nothing would be left to time.
  void check_weights()
  {
    const std::vector<std::size_t> inputs = m_kernel.inputs();
    const bool weights_only = !inputs.empty() && std::ranges::all_of(inputs, [this](std::size_t position) {
      return m_kernel.arguments[position].role == Role::weight;
    });
    if (weights_only) {
      m_document.report("every input is a weight", "a weight stays the same over many calls; let one be an input",
                        m_kernel.arguments[inputs.front()].place);
    }
  }

  // What an expression would have said must be written.
  void check_without_expression()
  {
    const bool computes = !m_kernel.outputs().empty();
    if (!computes) {
      m_document.report("no argument is an output", "give one role = \"output\" in [arguments]",
                        {m_document.origin(), 1, 1});
    }
    if (!m_kernel.accuracy.tolerance.is_given()) {
      m_document.report("[accuracy] does not say how far an output may be off",
                        "relative = 1e-5 and absolute = 1e-6, say: without an expression no bound can be derived",
                        {m_document.origin(), 1, 1});
    }
  }

  void check_names()
  {
    for (const TomlDocument::Member& member : m_size_names) {
      if (!is_name(member.name) || data_type_from(member.name)) {
        m_document.report(fmt::format("'{}' cannot name a size", member.name), k_name_hint, member.place);
      }
      if (m_kernel.find_argument(member.name) != nullptr) {
        m_document.report(fmt::format("'{}' names both a size and an argument", member.name), "rename one of them",
                          member.place);
      }
    }
  }

  // A size or an input that nothing uses is a slip of the pen more often than not.
  void check_all_read()
  {
    std::set<std::string> used;
    for (const Statement& statement : m_kernel.program.statements) {
      for (const SerialLoop& loop : statement.loops) {
        collect_bounds(loop.range, used);
      }
      for (const IndexRange& range : statement.indices) {
        collect_bounds(range, used);
      }
      for (const ExprPtr& subscript : statement.subscripts) {
        collect_names(*subscript, used);
      }
      collect_names(*statement.value, used);
      if (statement.guard) {
        collect_names(*statement.guard, used);
      }
    }
    if (!m_document.errors().empty()) {
      return;
    }
    for (const Argument& argument : m_kernel.arguments) {
      for (const ExprPtr& entry : argument.shape) {
        collect_names(*entry, used);
      }
      for (const ExprPtr& end : {argument.lowest, argument.highest}) {
        if (end) {
          collect_names(*end, used);
        }
      }
      const bool computed = is_written(argument.role);
      if (!computed && !used.contains(argument.name)) {
        m_document.report(
          fmt::format("the {} '{}' is not used in [compute] expr", name_of(argument.role), argument.name),
          "use it or remove it", argument.place);
      }
    }
    for (const TomlDocument::Member& member : m_size_names) {
      if (!used.contains(member.name)) {
        report_stray_size(member, "is used by no shape and no expression", "remove it, or use it");
      }
    }
  }

  static void collect_bounds(const IndexRange& range, std::set<std::string>& names)
  {
    if (range.lower) {
      collect_names(*range.lower, names);
    }
    collect_names(*range.upper, names);
  }

  static void collect_names(const Expr& expression, std::set<std::string>& names)
  {
    if (expression.kind == ExprKind::load || expression.kind == ExprKind::extent) {
      names.insert(expression.name);
    }
    for (const IndexRange& range : expression.ranges) {
      collect_bounds(range, names);
    }
    for (const ExprPtr& arg : expression.args) {
      collect_names(*arg, names);
    }
  }

  void check_timed()
  {
    for (std::size_t i = 0; i < m_kernel.timed.size(); ++i) {
      const Sizes& sizes = m_kernel.timed[i];
      if (auto met = check_size_conditions(m_kernel, sizes); !met) {
        met.error().place = m_timed_places[i];
        m_document.errors().push_back(std::move(met.error()));
        return;
      }
      for (Error& error : check_ranges(m_kernel.arguments, m_kernel.program, sizes)) {
        m_document.errors().push_back(std::move(error));
      }
      if (!m_document.errors().empty()) {
        return; // further sizes would repeat the same mistakes
      }
    }
  }

  TomlDocument m_document;
  Kernel m_kernel;
  std::vector<StatementSyntax> m_syntax;
  std::set<std::string> m_targets;
  std::vector<TomlDocument::Member> m_size_names; // of the first timed set, as written
  std::vector<Place> m_timed_places;
};

struct Reading {
  Kernel kernel;
  std::vector<Error> errors; // in the order of their places
};

Reading read_kernel(std::string_view text, const std::string& origin)
{
  auto document = TomlDocument::parse(text, origin);
  if (!document) {
    return {{}, {std::move(document.error())}};
  }
  KernelReader reader(std::move(*document));
  Reading out{reader.read(), {}};
  out.errors = std::move(reader.errors());
  std::ranges::stable_sort(out.errors, [](const Error& a, const Error& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return out;
}

fs::path kernel_file(const fs::path& path)
{
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path / "kernel.toml" : path;
}

} // namespace

Result<Kernel> parse_kernel(std::string_view toml, const std::string& origin)
{
  Reading reading = read_kernel(toml, origin);
  if (!reading.errors.empty()) {
    return std::unexpected(std::move(reading.errors.front()));
  }
  return std::move(reading.kernel);
}

Result<Kernel> load_kernel(const fs::path& path)
{
  const fs::path file = kernel_file(path);
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(Kernel kernel, parse_kernel(text, file.string()));
  kernel.folder = file.parent_path();
  if (kernel.reference == ReferenceKind::code) {
    HONE_TRY(kernel.reference_code, read_file(kernel.folder / "reference.cpp"));
    kernel.hash = sha256(canonical_text(kernel)); // now with the text
  }
  if (kernel.reference == ReferenceKind::start) { // pinned by its content, like a text of our own
    HONE_TRY(const Candidate start, load_candidate(kernel, start_folder(kernel.folder, "cpu")));
    kernel.reference_code = start.hash();
    kernel.hash = sha256(canonical_text(kernel));
  }
  return kernel;
}

std::vector<Error> check_kernel(const fs::path& path)
{
  const fs::path file = kernel_file(path);
  const auto text = read_file(file);
  if (!text) {
    return {text.error()};
  }
  return read_kernel(*text, file.string()).errors;
}

} // namespace hone::kernel
