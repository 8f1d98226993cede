// Long because one parser reads all forms of a module; each is a method of a few lines.
#include "emulate/ptx/text.h"

#include "emulate/ptx/tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>

namespace hone::emulate::ptx {

namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : m_tokens(tokens_of(text)) {}

  Result<Module> parse_module()
  {
    while (!at_end()) {
      HONE_CHECK(top_level());
    }
    return std::move(m_module);
  }

private:
  bool at_end() const { return m_at >= m_tokens.size(); }
  std::string_view peek(std::size_t ahead = 0) const
  {
    return m_at + ahead < m_tokens.size() ? m_tokens[m_at + ahead].text : std::string_view();
  }
  std::string_view next() { return at_end() ? std::string_view() : m_tokens[m_at++].text; }
  bool take(std::string_view text)
  {
    const bool found = peek() == text;
    m_at += found ? 1 : 0;
    return found;
  }
  int line() const { return m_tokens.empty() ? 0 : m_tokens[std::min(m_at, m_tokens.size() - 1)].line; }
  std::unexpected<Error> wrong(const std::string& what) const
  {
    return fail(fmt::format("PTX line {}: {}", line(), what));
  }
  Result<void> expect(std::string_view text)
  {
    return take(text) ? Result<void>() : Result<void>(wrong(fmt::format("'{}' where '{}' was expected", peek(), text)));
  }
  void skip_to(std::string_view text)
  {
    while (!at_end() && !take(text)) {
      ++m_at;
    }
  }
  void skip_block()
  {
    for (int depth = 0; !at_end();) {
      const std::string_view token = next();
      depth += token == "{" ? 1 : token == "}" ? -1 : 0;
      if (depth == 0 && token == "}") {
        return;
      }
    }
  }

  Result<void> top_level()
  {
    const std::string_view word = peek();
    if (word == ".version") {
      next();
      m_module.version = next();
      return {};
    }
    if (word == ".target") {
      next();
      m_module.target = next();
      while (take(",")) {
        next();
      }
      return {};
    }
    if (word == ".address_size") {
      m_at += 2;
      return {};
    }
    if (word == ".file") {
      return file();
    }
    if (word == ".section") {
      m_at += 2;
      skip_block();
      return {};
    }
    if (word == ".pragma" || word == ".alias") {
      skip_to(";");
      return {};
    }
    bool external = false;
    while (peek() == ".extern" || peek() == ".visible" || peek() == ".weak" || peek() == ".common") {
      external |= next() == ".extern";
    }
    if (peek() == ".entry" || peek() == ".func") {
      return function(external);
    }
    if (peek() == ".global" || peek() == ".const" || peek() == ".shared") {
      HONE_TRY(Variable one, variable(external));
      m_module.variables.push_back(std::move(one));
      return {};
    }
    return wrong(fmt::format("'{}' is not known here", peek()));
  }

  Result<void> file()
  {
    next();
    HONE_TRY(const std::int64_t number, integer());
    std::string name(next());
    name = name.size() >= 2 ? name.substr(1, name.size() - 2) : name;
    name = name.substr(name.rfind('/') + 1); // the folder is where it was compiled
    if (number >= 0 && number < 4096) {
      m_module.files.resize(std::max(m_module.files.size(), static_cast<std::size_t>(number) + 1));
      m_module.files[static_cast<std::size_t>(number)] = name;
    }
    while (take(",")) {
      next();
    }
    return {};
  }

  static bool is_type(std::string_view word)
  {
    return word.size() > 1 && word[0] == '.' && (word == ".pred" || bytes_of_type(word.substr(1)) > 0);
  }

  // ".global .align 4 .b8 name[16] = {1, 2};", after linkage words.
  Result<Variable> variable(bool external)
  {
    Variable out;
    out.external = external;
    const std::string_view space = next();
    out.space = space == ".reg"      ? Space::reg
                : space == ".param"  ? Space::param
                : space == ".shared" ? Space::shared
                : space == ".local"  ? Space::local
                : space == ".const"  ? Space::constant
                                     : Space::global;
    int lanes = 1;
    while (peek().starts_with('.')) {
      const std::string_view word = next();
      if (word == ".align") {
        HONE_TRY(const std::int64_t bytes, integer());
        out.alignment = static_cast<std::uint64_t>(bytes);
      } else if (word == ".v2" || word == ".v4") {
        lanes = word[2] - '0';
      } else if (word == ".ptr") {
        while (peek() == ".global" || peek() == ".shared" || peek() == ".const" || peek() == ".local") {
          next();
        }
      } else if (is_type(word)) {
        out.type = word.substr(1);
      } else if (word != ".attribute") {
        return wrong(fmt::format("'{}' in a declaration is not known", word));
      } else {
        skip_to(")");
      }
    }
    out.name = next();
    const auto size = static_cast<std::uint64_t>(bytes_of_type(out.type)) * static_cast<std::uint64_t>(lanes);
    out.bytes = size;
    out.alignment = std::max<std::uint64_t>(out.alignment, size);
    if (take("<")) {
      HONE_TRY(const std::int64_t count, integer());
      out.count = static_cast<int>(count);
      HONE_CHECK(expect(">"));
    }
    while (take("[")) {
      if (take("]")) {
        out.bytes = 0;
        continue;
      }
      HONE_TRY(const std::int64_t count, integer());
      out.bytes *= static_cast<std::uint64_t>(count);
      HONE_CHECK(expect("]"));
    }
    if (take("=")) {
      HONE_CHECK(content(out, size));
    }
    take(";");
    return out;
  }

  Result<void> content(Variable& out, std::uint64_t size)
  {
    out.content.assign(out.bytes, 0);
    std::size_t at = 0;
    int depth = 0;
    do {
      if (take("{")) {
        ++depth;
        continue;
      }
      HONE_TRY(const Operand value, operand());
      if (value.kind == Operand::Kind::name) {
        return wrong("a variable whose value is an address is not supported");
      }
      std::uint64_t bits = value.bits;
      if (out.type == "f32" && value.kind == Operand::Kind::real) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
      }
      if (at + size <= out.content.size()) {
        std::memcpy(out.content.data() + at, &bits, size);
      }
      at += size;
      while (take("}")) {
        --depth;
      }
    } while (take(",") || (depth > 0 && !at_end() && peek() != ";"));
    return {};
  }

  Result<std::vector<Variable>> parameter_list()
  {
    std::vector<Variable> out;
    if (!take("(")) {
      return out;
    }
    while (!take(")")) {
      HONE_TRY(Variable one, variable(false));
      out.push_back(std::move(one));
      take(",");
      if (at_end()) {
        return wrong("a list of parameters has no end");
      }
    }
    return out;
  }

  Result<void> function(bool)
  {
    Function out;
    out.entry = next() == ".entry";
    if (!out.entry) {
      HONE_TRY(out.results, parameter_list());
    }
    out.name = next();
    HONE_TRY(out.parameters, parameter_list());
    while (!at_end() && peek() != "{" && peek() != ";") {
      const std::string_view word = next();
      std::vector<int> numbers;
      while (!peek().empty() && (std::isdigit(static_cast<unsigned char>(peek()[0])) != 0 || peek() == ",")) {
        if (!take(",")) {
          HONE_TRY(const std::int64_t one, integer());
          numbers.push_back(static_cast<int>(one));
        }
      }
      if (word == ".maxntid") {
        out.most_items = 1;
        for (const int one : numbers) {
          out.most_items *= one;
        }
      } else if (word == ".reqntid") {
        out.required_items = numbers;
      } else if (word == ".reqnctapercluster") {
        out.cluster = numbers;
      }
    }
    if (take(";")) {
      return {}; // declared only
    }
    HONE_CHECK(expect("{"));
    HONE_CHECK(body(out));
    m_module.functions.push_back(std::move(out));
    return {};
  }

  Result<void> body(Function& out)
  {
    for (int depth = 1; depth > 0;) {
      if (at_end()) {
        return wrong(fmt::format("the body of {} has no end", out.name));
      }
      if (take("}")) {
        --depth;
      } else if (take("{")) {
        ++depth;
      } else {
        HONE_CHECK(statement(out));
      }
    }
    return {};
  }

  Result<void> statement(Function& out)
  {
    const std::string_view word = peek();
    if (word == ".loc") {
      return location();
    }
    if (word == ".pragma") {
      skip_to(";");
      return {};
    }
    if (word == ".reg" || word == ".shared" || word == ".local" || word == ".param") {
      HONE_TRY(Variable first, variable(false));
      Variable further = first;
      out.variables.push_back(std::move(first));
      while (take(",")) { // .reg .b32 a, b;
        further.name = next();
        out.variables.push_back(further);
        take(";");
      }
      take(";");
      return {};
    }
    if (peek(1) == ":" && !word.starts_with('.')) {
      Statement label;
      label.label = word;
      label.place = m_place;
      m_at += 2;
      if (peek() == ".branchtargets" || peek() == ".callprototype") {
        return branch_targets(out, std::move(label));
      }
      out.body.push_back(std::move(label));
      return {};
    }
    return instruction(out);
  }

  // ts: .branchtargets a, b;
  Result<void> branch_targets(Function& out, Statement label)
  {
    label.opcode = {std::string(next().substr(1))};
    while (!at_end() && peek() != ";") {
      const std::string_view word = next();
      if (word != ",") {
        Operand target;
        target.text = word;
        label.operands.push_back(std::move(target));
      }
    }
    take(";");
    out.body.push_back(std::move(label));
    return {};
  }

  Result<void> location()
  {
    next();
    HONE_TRY(const std::int64_t file, integer());
    HONE_TRY(const std::int64_t source_line, integer());
    HONE_TRY(const std::int64_t column, integer());
    (void)column;
    m_place.file = static_cast<int>(file);
    m_place.line = static_cast<int>(source_line);
    while (take(",")) { // function_name $sym[+n], inlined_at file line column
      if (next() == "function_name") {
        next();
        if (take("+")) {
          next();
        }
      } else {
        m_at += 3;
      }
    }
    return {};
  }

  Result<void> instruction(Function& out)
  {
    Statement one;
    one.place = m_place;
    one.place.ptx_line = line();
    if (take("@")) {
      one.guard_negated = take("!");
      one.guard = next();
    }
    const std::string_view word = next();
    if (word.empty() || std::isalpha(static_cast<unsigned char>(word[0])) == 0) {
      return wrong(fmt::format("'{}' is no instruction", word));
    }
    one.opcode = split(std::string(word), '.');
    while (!at_end() && !take(";")) {
      HONE_TRY(Operand operand_here, operand());
      one.operands.push_back(std::move(operand_here));
      take(",");
    }
    out.body.push_back(std::move(one));
    return {};
  }

  Result<std::int64_t> integer()
  {
    const bool negative = take("-");
    HONE_TRY(const Operand value, number());
    const auto bits = static_cast<std::int64_t>(value.bits);
    return negative ? -bits : bits;
  }

  Result<Operand> number()
  {
    std::string_view word = next();
    Operand out;
    const auto parse_bits = [&](std::string_view digits, int base) {
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out.bits, base);
      return end.ec == std::errc() && end.ptr == digits.data() + digits.size();
    };
    bool fine = false;
    if (word.starts_with("0f") || word.starts_with("0F")) {
      out.kind = Operand::Kind::single;
      fine = parse_bits(word.substr(2), 16);
    } else if (word.starts_with("0d") || word.starts_with("0D")) {
      out.kind = Operand::Kind::real;
      fine = parse_bits(word.substr(2), 16);
    } else {
      out.kind = Operand::Kind::integer;
      while (word.ends_with('U') || word.ends_with('u')) {
        word.remove_suffix(1);
      }
      if (word.starts_with("0x") || word.starts_with("0X")) {
        fine = parse_bits(word.substr(2), 16);
      } else if (word.starts_with("0b") || word.starts_with("0B")) {
        fine = parse_bits(word.substr(2), 2);
      } else if (word.find('.') != std::string_view::npos) {
        out.kind = Operand::Kind::real;
        double value = 0;
        const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
        fine = end.ec == std::errc();
        out.bits = std::bit_cast<std::uint64_t>(value);
      } else {
        fine = parse_bits(word, word.size() > 1 && word[0] == '0' ? 8 : 10);
      }
    }
    return fine ? Result<Operand>(std::move(out)) : Result<Operand>(wrong(fmt::format("'{}' is no number", word)));
  }

  Result<Operand> operand()
  {
    if (take("[")) {
      return address();
    }
    if (peek() == "{" || peek() == "(") {
      const std::string_view end = next() == "{" ? "}" : ")";
      Operand out;
      out.kind = Operand::Kind::list;
      while (!take(end)) {
        HONE_TRY(Operand item, operand());
        out.items.push_back(std::move(item));
        take(",");
        if (at_end()) {
          return wrong("a list has no end");
        }
      }
      return out;
    }
    if (take("_")) {
      Operand out;
      out.kind = Operand::Kind::sink;
      if (take("|")) { // _|%p
        out.second = next();
      }
      return out;
    }
    if (take("!")) {
      HONE_TRY(Operand out, operand());
      out.negated = true;
      return out;
    }
    if (take("-")) {
      HONE_TRY(Operand out, number());
      if (out.kind == Operand::Kind::integer) {
        out.bits = 0 - out.bits;
      } else {
        out.bits ^= out.kind == Operand::Kind::single ? 1ull << 31 : 1ull << 63;
      }
      return out;
    }
    if (!peek().empty() && std::isdigit(static_cast<unsigned char>(peek()[0])) != 0) {
      return number();
    }
    Operand out;
    out.text = next();
    if (out.text.empty()) {
      return wrong("an operand is missing");
    }
    if (take("|")) {
      out.second = next();
    }
    if (take("+")) { // the address of a symbol plus a number
      HONE_TRY(out.offset, integer());
    }
    return out;
  }

  // [reg], [reg+4], [symbol+4], [4], [reg, {x, y}]
  Result<Operand> address()
  {
    Operand out;
    out.kind = Operand::Kind::address;
    if (!peek().empty() && std::isdigit(static_cast<unsigned char>(peek()[0])) != 0) {
      HONE_TRY(const Operand value, number());
      out.bits = value.bits;
    } else {
      out.text = next();
    }
    if (take("+")) {
      HONE_TRY(out.offset, integer());
    } else if (take("-")) {
      HONE_TRY(const std::int64_t back, integer());
      out.offset = -back;
    }
    while (take(",")) {
      HONE_TRY(Operand item, operand());
      out.items.push_back(std::move(item));
    }
    HONE_CHECK(expect("]"));
    return out;
  }

  std::vector<Token> m_tokens;
  std::size_t m_at = 0;
  Module m_module;
  Place m_place;
};

} // namespace

Result<Module> parse(std::string_view text)
{
  return Parser(text).parse_module();
}

int bytes_of_type(std::string_view type)
{
  if (type == "pred") {
    return 0;
  }
  if (type == "f16x2" || type == "bf16x2") {
    return 4;
  }
  if (type == "bf16") {
    return 2;
  }
  if (type == "tf32") {
    return 4;
  }
  const bool known = type.size() >= 2 && (type[0] == 'b' || type[0] == 'u' || type[0] == 's' || type[0] == 'f');
  int bits = 0;
  for (const char c : type.substr(1)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      return 0;
    }
    bits = bits * 10 + (c - '0');
  }
  return known && (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128) ? bits / 8 : 0;
}

} // namespace hone::emulate::ptx
