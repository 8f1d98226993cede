#include "kernel/signature.h"

#include "kernel/expression_checker.h"
#include "kernel/expression_types.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace hone::kernel {

namespace {

constexpr const char* k_signature_hint =
  "parameters = [ { name = \"n\", type = \"int\" }, { name = \"x\", type = \"const float *\" } ]";

struct CType {
  std::string base;  // "unsigned int", without qualifiers
  int pointers = 0;  // stars and brackets
  bool known = true; // no other characters
};

CType parsed_type(std::string_view text)
{
  CType out;
  std::string spaced;
  bool in_brackets = false; // an extent says nothing about the element
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ' ';
    out.known = out.known && (is_word || c == '*' || c == '(' || c == ')' || c == '[' || c == ']');
    out.pointers += c == '*' || c == '[' ? 1 : 0;
    in_brackets = c == '[' || (in_brackets && c != ']');
    spaced += is_word && !in_brackets ? c : ' ';
  }
  for (const std::string& word : split(spaced, ' ')) {
    const bool qualifies = word.empty() || word == "const" || word == "restrict" || word == "__restrict"
                           || word == "__restrict__" || word == "volatile";
    out.base += qualifies ? "" : (out.base.empty() ? "" : " ") + word;
  }
  return out;
}

// Element types that a type of C has on x86-64 Linux. Halves are passed as their bits.
const std::vector<DataType>* element_types(const std::string& base)
{
  using enum DataType;
  static const std::map<std::string, std::vector<DataType>> k_types{
    {"double", {f64}},
    {"float", {f32}},
    {"_Float16", {f16}},
    {"uint16_t", {f16, bf16, u16}},
    {"unsigned short", {f16, bf16, u16}},
    {"int64_t", {i64}},
    {"long", {i64}},
    {"long int", {i64}},
    {"long long", {i64}},
    {"long long int", {i64}},
    {"ptrdiff_t", {i64}},
    {"ssize_t", {i64}},
    {"int", {i32}},
    {"int32_t", {i32}},
    {"signed", {i32}},
    {"signed int", {i32}},
    {"unsigned", {u32}},
    {"unsigned int", {u32}},
    {"uint32_t", {u32}},
    {"int16_t", {i16}},
    {"short", {i16}},
    {"short int", {i16}},
    {"unsigned short int", {f16, bf16, u16}},
    {"int8_t", {i8}},
    {"signed char", {i8}},
    {"char", {i8}},
    {"uint8_t", {u8, boolean}},
    {"unsigned char", {u8, boolean}},
    {"bool", {boolean}},
    {"_Bool", {boolean}},
  };
  const auto found = k_types.find(base);
  return found == k_types.end() ? nullptr : &found->second;
}

// Sizes and other numbers that are no argument may have the unsigned types, too.
bool is_integer_type(const std::string& base)
{
  static const std::array<std::string_view, 4> k_more{"size_t", "uint64_t", "unsigned long", "unsigned long long"};
  const std::vector<DataType>* types = element_types(base);
  return std::ranges::find(k_more, base) != k_more.end()
         || (types != nullptr && std::ranges::any_of(*types, [](DataType type) { return is_integer(type); }));
}

class SignatureReader {
public:
  SignatureReader(TomlDocument& document, Kernel& kernel) : m_document(document), m_kernel(kernel) {}

  void run(const toml::table& table)
  {
    constexpr std::array<std::string_view, 3> keys{"parameters", "returns", "result"};
    m_document.expect_keys(table, keys, "[signature]");
    m_kernel.signature.returns = m_document.string(table, "returns").value_or("");
    m_kernel.signature.result = m_document.string(table, "result").value_or("");
    const toml::array* parameters = m_document.array(table, "parameters");
    if (parameters == nullptr || parameters->empty()) {
      m_document.report("[signature] has no parameters", k_signature_hint, m_document.place_of(table));
      return;
    }
    for (const toml::node& entry : *parameters) {
      read_parameter(entry);
    }
    check_result(table);
    check_complete(table);
  }

private:
  void read_parameter(const toml::node& entry)
  {
    const toml::table* table = entry.as_table();
    const Place place = m_document.place_of(entry);
    if (table == nullptr) {
      m_document.report("a parameter of [signature] is a table", k_signature_hint, place);
      return;
    }
    constexpr std::array<std::string_view, 4> keys{"name", "type", "equals", "unused"};
    m_document.expect_keys(*table, keys, "a parameter of [signature]");
    SignatureParameter parameter;
    parameter.name = m_document.string(*table, "name").value_or("");
    parameter.type = m_document.string(*table, "type").value_or("");
    parameter.unused = m_document.boolean(*table, "unused").value_or(false);
    parameter.place = place;
    if (parameter.name.empty() || parameter.type.empty()) {
      m_document.report("a parameter of [signature] has a name and a type", k_signature_hint, place);
      return;
    }
    if (std::ranges::find(m_kernel.signature.parameters, parameter.name, &SignatureParameter::name)
        != m_kernel.signature.parameters.end()) {
      m_document.report(fmt::format("[signature] has the parameter '{}' twice", parameter.name), "name it once", place);
      return;
    }
    if (!read_equals(*table, parameter)) {
      return;
    }
    check_type(parameter);
    m_kernel.signature.parameters.push_back(std::move(parameter));
  }

  // False where it is there and cannot be read.
  bool read_equals(const toml::table& table, SignatureParameter& parameter)
  {
    const toml::node* node = table.get("equals");
    if (node == nullptr || !m_document.string(table, "equals")) {
      return node == nullptr;
    }
    if (const SyntaxPtr syntax =
          parse_expression_syntax(node->as_string()->get(), m_document.map_of(*node), m_document.errors())) {
      parameter.equals = check_shape_entry(syntax, m_kernel.symbols, m_document.errors());
    }
    if (parameter.equals && any_part(*parameter.equals, [](const Expr& part) { return part.kind == ExprKind::call; })) {
      m_document.report("what a parameter equals is stated with + - * / and % over sizes", "equals = \"2 * n\"",
                        m_document.place_of(*node));
      return false;
    }
    return parameter.equals != nullptr;
  }

  bool is_size(const std::string& name) const
  {
    return std::ranges::find(m_kernel.symbols, name) != m_kernel.symbols.end();
  }

  void check_type(const SignatureParameter& parameter)
  {
    const CType type = parsed_type(parameter.type);
    const Argument* argument = m_kernel.find_argument(parameter.name);
    const bool extra = parameter.equals || parameter.unused;
    if (argument == nullptr && !is_size(parameter.name) && !extra) {
      m_document.report(fmt::format("[signature] names '{}', which is neither an argument nor a size", parameter.name),
                        "name an argument or a size, or say what it equals (equals = \"k\") or that it is unused "
                        "(unused = true)",
                        parameter.place);
    } else if (extra && (argument != nullptr || is_size(parameter.name))) {
      m_document.report(
        fmt::format("'{}' is an argument or a size: it is neither unused nor equal to another", parameter.name),
        "leave out 'equals' and 'unused'", parameter.place);
    } else if (!type.known || !fits(type, argument, parameter)) {
      m_document.report(fmt::format("a parameter '{}' of the type '{}' cannot stand for {}", parameter.name,
                                    parameter.type, wanted(argument, parameter)),
                        "write the type as in C, without typedefs of your own: \"const double *\", \"int\"",
                        parameter.place);
    }
  }

  static bool fits(const CType& type, const Argument* argument, const SignatureParameter& parameter)
  {
    if (argument == nullptr) {
      return parameter.unused || (type.pointers == 0 && is_integer_type(type.base));
    }
    const std::vector<DataType>* types = element_types(type.base);
    const bool same = types != nullptr && std::ranges::find(*types, argument->type) != types->end();
    const bool scalar = argument->role == Role::scalar;
    return same && (scalar ? type.pointers <= 1 : type.pointers >= 1);
  }

  static std::string wanted(const Argument* argument, const SignatureParameter& parameter)
  {
    if (argument == nullptr) {
      return parameter.equals ? "a number of sizes" : "a size";
    }
    return fmt::format("{} of {}", argument->role == Role::scalar ? "a scalar" : "an array", name_of(argument->type));
  }

  void check_result(const toml::table& table)
  {
    const Signature& signature = m_kernel.signature;
    if (signature.returns.empty() && signature.result.empty()) {
      return;
    }
    const Argument* argument = m_kernel.find_argument(signature.result);
    const CType type = parsed_type(signature.returns);
    const std::vector<DataType>* types = element_types(type.base);
    const bool right = argument != nullptr && argument->role == Role::output && type.pointers == 0 && types != nullptr
                       && std::ranges::find(*types, argument->type) != types->end();
    const bool single = argument != nullptr && std::ranges::all_of(argument->shape, [](const ExprPtr& extent) {
                          return extent->kind == ExprKind::number && extent->number == 1;
                        });
    if (!right || !single) {
      m_document.report("what a function returns is an output of one element, of the same type",
                        "returns = \"float\" and result = \"total\"", m_document.place_of(table));
    }
  }

  void check_complete(const toml::table& table)
  {
    const auto is_named = [&](const std::string& name) {
      return name == m_kernel.signature.result
             || std::ranges::find(m_kernel.signature.parameters, name, &SignatureParameter::name)
                  != m_kernel.signature.parameters.end();
    };
    std::vector<std::string> names = m_kernel.symbols;
    for (const Argument& argument : m_kernel.arguments) {
      names.push_back(argument.name);
    }
    for (const std::string& name : names) {
      if (!is_named(name)) {
        m_document.report(fmt::format("[signature] has no parameter '{}'", name),
                          "a signature names every argument and every size", m_document.place_of(table));
      }
    }
  }

  TomlDocument& m_document;
  Kernel& m_kernel;
};

} // namespace

void read_signature(TomlDocument& document, const toml::table& table, Kernel& kernel)
{
  SignatureReader(document, kernel).run(table);
}

} // namespace hone::kernel
