#include "kernel/expression_syntax.h"
#include "kernel/expression_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hone::kernel {

namespace {

// Deep enough for anything a person writes; shallow enough for every recursive walk.
constexpr int k_max_depth = 200;
constexpr std::size_t k_max_loops = 16;

std::string describe(const Token& token)
{
  switch (token.kind) {
  case TokenKind::end:
    return "the end of the expression";
  case TokenKind::separator:
    return "the end of the statement";
  default:
    return fmt::format("'{}'", token.text);
  }
}

class Parser {
public:
  Parser(std::vector<Token> tokens, std::vector<Error>& errors) : m_tokens(std::move(tokens)), m_errors(errors) {}

  std::vector<StatementSyntax> program()
  {
    std::vector<StatementSyntax> out;
    while (true) {
      read_statements(out);
      if (peek().kind == TokenKind::end) {
        return out;
      }
      m_errors.push_back(unexpected("a statement", "this '}' closes no loop").error());
      take();
    }
  }

  SyntaxPtr lone_expression()
  {
    auto parsed = expression();
    if (parsed && peek().kind != TokenKind::end) {
      parsed = unexpected("an operator or the end");
    }
    if (!parsed) {
      m_errors.push_back(std::move(parsed.error()));
      return nullptr;
    }
    return *parsed;
  }

private:
  const Token& peek(std::size_t ahead = 0) const { return m_tokens[std::min(m_next + ahead, m_tokens.size() - 1)]; }

  Token take()
  {
    const Token token = peek();
    m_next = std::min(m_next + 1, m_tokens.size() - 1);
    return token;
  }

  bool is_symbol(std::string_view text) const { return peek().kind == TokenKind::symbol && peek().text == text; }

  bool take_symbol(std::string_view text)
  {
    if (!is_symbol(text)) {
      return false;
    }
    take();
    return true;
  }

  void skip_separators()
  {
    while (peek().kind == TokenKind::separator) {
      take();
    }
  }

  std::unexpected<Error> unexpected(std::string_view expected, std::string hint = {}) const
  {
    return fail(fmt::format("{} was not expected here; expected {}", describe(peek()), expected), std::move(hint),
                peek().place);
  }

  Result<void> expect_symbol(std::string_view text, std::string_view context)
  {
    if (take_symbol(text)) {
      return {};
    }
    return unexpected(fmt::format("'{}' {}", text, context));
  }

  bool at_end_of_statement() const
  {
    return peek().kind == TokenKind::separator || peek().kind == TokenKind::end || is_symbol("}");
  }

  // Statements and loops up to the end or a '}', which is left.
  void read_statements(std::vector<StatementSyntax>& out)
  {
    while (true) {
      skip_separators();
      if (peek().kind == TokenKind::end || is_symbol("}")) {
        return;
      }
      const bool is_loop = peek().kind == TokenKind::name && peek().text == "for";
      Result<void> done;
      if (is_loop) {
        done = loop(out);
      } else if (auto parsed = statement()) {
        parsed->loops = m_loops;
        out.push_back(std::move(*parsed));
      } else {
        done = std::unexpected(std::move(parsed.error()));
      }
      if (!done) {
        m_errors.push_back(std::move(done.error()));
        while (!at_end_of_statement()) {
          take();
        }
      }
    }
  }

  // for t < n, i <= t { statements }
  Result<void> loop(std::vector<StatementSyntax>& out)
  {
    const std::size_t outside = m_loops.size();
    const Place place = take().place;
    if (outside >= k_max_loops) {
      return fail(fmt::format("loops are nested more than {} deep", k_max_loops), {}, place);
    }
    std::vector<LoopSyntax> opened;
    do {
      HONE_TRY(SyntaxPtr binder, expression());
      opened.push_back({++m_loop_count, std::move(binder)});
    } while (take_symbol(","));
    if (!take_symbol("{")) {
      return unexpected("'{' after the range of the loop", "a loop reads  for t < n { H[t] = ... }");
    }
    m_loops.insert(m_loops.end(), opened.begin(), opened.end());
    const std::size_t before = out.size(), mistakes = m_errors.size();
    read_statements(out);
    m_loops.resize(outside);
    HONE_CHECK(expect_symbol("}", "to close the loop"));
    if (out.size() == before && m_errors.size() == mistakes) {
      return fail("the loop holds no statement", "a loop reads  for t < n { H[t] = ... }", place);
    }
    return {};
  }

  Result<StatementSyntax> statement()
  {
    StatementSyntax out;
    if (peek().kind != TokenKind::name) {
      return unexpected("the name of a tensor", "a statement reads  TARGET[index, ...] = expression");
    }
    out.place = peek().place;
    out.target = take().text;
    if (take_symbol("[")) {
      HONE_TRY(out.indices, list("]", "after the subscripts"));
    }
    HONE_CHECK(expect_symbol("=", "after the target"));
    HONE_TRY(out.value, expression());
    HONE_TRY(out.where, optional_guard());
    if (!at_end_of_statement()) {
      return unexpected("an operator, 'where' or the end of the statement",
                        "statements are separated by ';' or a line break");
    }
    return out;
  }

  Result<SyntaxPtr> optional_guard()
  {
    if (peek().kind != TokenKind::name || peek().text != "where") {
      return SyntaxPtr();
    }
    take();
    return expression();
  }

  // Expressions up to the closing bracket, which is taken.
  Result<std::vector<SyntaxPtr>> list(std::string_view closing, std::string_view context)
  {
    std::vector<SyntaxPtr> out;
    if (take_symbol(closing)) {
      return out;
    }
    do {
      HONE_TRY(SyntaxPtr item, expression());
      out.push_back(std::move(item));
    } while (take_symbol(","));
    HONE_CHECK(expect_symbol(closing, context));
    return out;
  }

  Result<SyntaxPtr> node(Syntax&& syntax) const
  {
    for (const SyntaxPtr& arg : syntax.args) {
      syntax.depth = std::max(syntax.depth, arg->depth + 1);
      syntax.compares = syntax.compares || arg->compares;
    }
    if (syntax.depth > k_max_depth) {
      return too_deep(syntax.place);
    }
    return std::make_shared<const Syntax>(std::move(syntax));
  }

  static std::unexpected<Error> too_deep(const Place& place)
  {
    return fail(fmt::format("the expression is nested more than {} levels deep", k_max_depth),
                "split it into several statements with intermediates", place);
  }

  Result<SyntaxPtr> binary(const Token& op, SyntaxPtr left, SyntaxPtr right) const
  {
    Syntax out;
    out.kind = Syntax::Kind::binary;
    out.text = op.text;
    out.place = op.place;
    out.args = {std::move(left), std::move(right)};
    out.compares = is_comparison(out.text);
    return node(std::move(out));
  }

  Result<SyntaxPtr> expression()
  {
    if (m_depth >= k_max_depth) {
      return too_deep(peek().place);
    }
    ++m_depth;
    auto out = level(0);
    --m_depth;
    return out;
  }

  bool at_operator(int level) const
  {
    if (peek().kind != TokenKind::symbol) {
      return false;
    }
    const std::string& text = peek().text;
    switch (level) {
    case 0:
      return text == "||";
    case 1:
      return text == "&&";
    case 2:
      return is_comparison(text);
    case 3:
      return text == "+" || text == "-";
    default:
      return text == "*" || text == "/" || text == "%";
    }
  }

  // Binary operators by precedence: 0 || , 1 && , 2 comparisons, 3 + - , 4 * / %.
  Result<SyntaxPtr> level(int precedence)
  {
    if (precedence == 5) {
      return unary();
    }
    if (precedence == 2) {
      return comparison();
    }
    HONE_TRY(SyntaxPtr left, level(precedence + 1));
    while (at_operator(precedence)) {
      const Token op = take();
      HONE_TRY(SyntaxPtr right, level(precedence + 1));
      HONE_TRY(left, binary(op, std::move(left), std::move(right)));
    }
    return left;
  }

  // `a <= b < c` means  a <= b && b < c. The middle is shared by both halves, so it may not hold comparisons
  // itself: nested chains would double in size with every level.
  Result<SyntaxPtr> comparison()
  {
    HONE_TRY(SyntaxPtr left, level(3));
    SyntaxPtr chain;
    while (at_operator(2)) {
      if (chain && left->compares) {
        return fail("the middle of a chain of comparisons holds a comparison", "join the parts with &&", left->place);
      }
      const Token op = take();
      HONE_TRY(SyntaxPtr right, level(3));
      HONE_TRY(SyntaxPtr link, binary(op, left, right));
      if (chain) {
        Token both = op;
        both.text = "&&";
        HONE_TRY(chain, binary(both, chain, link));
      } else {
        chain = link;
      }
      left = right;
    }
    return chain ? chain : left;
  }

  Result<SyntaxPtr> unary()
  {
    if (!is_symbol("-") && !is_symbol("!") && !is_symbol("+")) {
      return primary();
    }
    if (m_depth >= k_max_depth) {
      return too_deep(peek().place);
    }
    const Token op = take();
    ++m_depth;
    auto operand = unary();
    --m_depth;
    if (!operand || op.text == "+") {
      return operand;
    }
    Syntax out;
    out.kind = Syntax::Kind::unary;
    out.text = op.text;
    out.place = op.place;
    out.args = {std::move(*operand)};
    return node(std::move(out));
  }

  Result<SyntaxPtr> primary()
  {
    if (take_symbol("(")) {
      HONE_TRY(SyntaxPtr inner, expression());
      HONE_CHECK(expect_symbol(")", "to close the bracket"));
      return inner;
    }
    if (peek().kind == TokenKind::number) {
      const Token token = take();
      Syntax out;
      out.text = token.text;
      out.number = token.number;
      out.integer = token.integer;
      out.place = token.place;
      return node(std::move(out));
    }
    if (peek().kind == TokenKind::name && peek().text != "where") {
      return named();
    }
    return unexpected("a number, a name or '('");
  }

  Result<SyntaxPtr> named()
  {
    const Token token = take();
    Syntax out;
    out.kind = Syntax::Kind::name;
    out.text = token.text;
    out.place = token.place;
    if (take_symbol("[")) {
      out.kind = Syntax::Kind::subscript;
      HONE_TRY(out.args, list("]", "after the subscripts"));
    } else if (take_symbol("(")) {
      out.kind = Syntax::Kind::call;
      HONE_CHECK(arguments(out));
    }
    return node(std::move(out));
  }

  Result<void> arguments(Syntax& call)
  {
    if (take_symbol(")")) {
      return {};
    }
    do {
      HONE_TRY(SyntaxPtr item, expression());
      call.args.push_back(std::move(item));
    } while (take_symbol(","));
    HONE_TRY(call.where, optional_guard());
    return expect_symbol(")", fmt::format("after the arguments of {}()", call.text));
  }

  std::vector<Token> m_tokens;
  std::vector<Error>& m_errors;
  std::size_t m_next = 0;
  int m_depth = 0;
  std::vector<LoopSyntax> m_loops; // around the place being read
  int m_loop_count = 0;
};

} // namespace

std::vector<StatementSyntax> parse_program_syntax(std::string_view text, const SourceMap& map,
                                                  std::vector<Error>& errors)
{
  return Parser(tokenize(text, map, errors), errors).program();
}

SyntaxPtr parse_expression_syntax(std::string_view text, const SourceMap& map, std::vector<Error>& errors)
{
  const std::size_t before = errors.size();
  SyntaxPtr out = Parser(tokenize(text, map, errors), errors).lone_expression();
  return errors.size() == before ? out : nullptr;
}

} // namespace hone::kernel
