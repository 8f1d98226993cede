#include "import/c_tree.h"

#include "import/launch_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace hone::import {

namespace {

bool is_operator(std::string_view text)
{
  constexpr std::array<std::string_view, 33> all{
    "+",  "-", "*",  "/",  "%",  "<",  "<=", ">", ">=", "==", "!=", "&&", "||",  "&",   "|",  "^", "<<",
    ">>", "=", "+=", "-=", "*=", "/=", "%=", "!", "~",  "++", "--", ",",  "<<=", ">>=", "&=", "|="};
  return std::ranges::find(all, text) != all.end();
}

// The operator in what stands between two operands: comments and blanks go.
std::string operator_in(std::string_view text)
{
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size() - 2) + 1;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (!std::isspace(static_cast<unsigned char>(text[i])) && text[i] != '\\') {
      out += text[i];
    }
  }
  return is_operator(out) ? out : "";
}

class Reader {
public:
  Reader(const CUnit& unit, std::string_view text, bool device) : m_unit(unit), m_text(text), m_device(device) {}

  CFunction function(CXCursor cursor)
  {
    CFunction out;
    out.name = m_unit.name(cursor);
    out.declaration = m_unit.declaration(cursor);
    out.result = m_unit.result_type(cursor);
    out.begin = m_unit.begin(cursor);
    out.end = m_unit.end(cursor);
    out.in_main_file = m_unit.in_main_file(cursor);
    out.place = m_unit.place(cursor);
    for (const CXCursor parameter : m_unit.arguments(cursor)) {
      out.parameters.push_back(this->parameter(parameter));
    }
    for (const CXCursor child : m_unit.children(cursor)) {
      out.global = out.global || is_marked(child, "hone:global");
      out.device = out.device || out.global || is_marked(child, "hone:device");
      if (m_unit.kind(child) == CXCursor_CompoundStmt) {
        out.body_begin = m_unit.begin(child);
        out.body = node(child);
      }
    }
    out.uses = {m_uses.begin(), m_uses.end()};
    return out;
  }

  CTopLevel other(CXCursor cursor)
  {
    CTopLevel out;
    out.declaration = m_unit.declaration(cursor);
    out.begin = m_unit.begin(cursor);
    out.end = m_unit.end(cursor);
    out.variable = node(cursor);
    out.uses = {m_uses.begin(), m_uses.end()};
    return out;
  }

  bool saw_macro_operator() const { return m_macro_operator; }

private:
  CParameter parameter(CXCursor cursor)
  {
    CParameter out;
    out.name = m_unit.name(cursor);
    out.declaration = m_unit.declaration(cursor);
    out.type = m_unit.type(cursor);
    out.begin = m_unit.begin(cursor);
    out.end = m_unit.end(cursor);
    out.place = m_unit.place(cursor);
    const std::size_t dimensions = out.type.extents.size();
    out.extents.resize(dimensions);
    out.extent_texts.resize(dimensions);
    std::vector<CXCursor> written = expressions(m_unit.children(cursor)); // the innermost first
    if (written.size() > dimensions) {
      written.clear();
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      const CXCursor extent = written[i];
      out.extents[dimensions - 1 - i] = node(extent);
      out.extent_texts[dimensions - 1 - i] =
        m_text.substr(m_unit.begin(extent), m_unit.end(extent) - m_unit.begin(extent));
    }
    return out;
  }

  std::vector<CXCursor> expressions(std::vector<CXCursor> cursors) const
  {
    std::erase_if(cursors, [&](CXCursor cursor) { return !m_unit.is_expression(cursor); });
    return cursors;
  }

  bool is_marked(CXCursor cursor, const char* mark) const
  {
    return m_unit.kind(cursor) == CXCursor_AnnotateAttr && m_unit.name(cursor) == mark;
  }

  // __constant__, with a value that the host does not change.
  bool is_constant(CXCursor variable) const
  {
    const std::vector<CXCursor> children = m_device ? m_unit.children(variable) : std::vector<CXCursor>();
    return std::ranges::any_of(children, [&](CXCursor child) { return is_marked(child, "hone:constant"); })
           && !m_text.contains("MemcpyToSymbol");
  }

  CNodePtr node(CXCursor cursor)
  {
    auto out = std::make_shared<CNode>();
    out->place = m_unit.place(cursor);
    out->begin = m_unit.begin(cursor);
    out->end = m_unit.end(cursor);
    out->type = m_unit.type(cursor);
    out->text = m_unit.kind_name(cursor);
    read(cursor, *out);
    return out;
  }

  void read(CXCursor cursor, CNode& out)
  {
    switch (m_unit.kind(cursor)) {
    case CXCursor_CompoundStmt:
      return with_children(cursor, CKind::block, out);
    case CXCursor_DeclStmt:
      return with_children(cursor, CKind::declaration, out);
    case CXCursor_VarDecl:
      return variable(cursor, out);
    case CXCursor_IfStmt:
      return with_children(cursor, CKind::if_, out);
    case CXCursor_ForStmt:
      return with_children(cursor, CKind::for_, out);
    case CXCursor_WhileStmt:
      return with_children(cursor, CKind::while_, out);
    case CXCursor_DoStmt:
      return with_children(cursor, CKind::do_, out);
    case CXCursor_ReturnStmt:
      return with_children(cursor, CKind::return_, out);
    case CXCursor_ContinueStmt:
      return with_children(cursor, CKind::continue_, out);
    case CXCursor_BreakStmt:
      return with_children(cursor, CKind::break_, out);
    case CXCursor_NullStmt:
      return with_children(cursor, CKind::empty, out);
    default:
      return expression(cursor, out);
    }
  }

  void expression(CXCursor cursor, CNode& out)
  {
    switch (m_unit.kind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CharacterLiteral:
      m_unit.evaluate(cursor, out);
      return;
    case CXCursor_DeclRefExpr:
      return name(cursor, out);
    case CXCursor_MemberRefExpr:
      return member(cursor, out);
    case CXCursor_ArraySubscriptExpr:
      return with_children(cursor, CKind::subscript, out);
    case CXCursor_ConditionalOperator:
      return with_children(cursor, CKind::conditional, out);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
      return binary(cursor, out);
    case CXCursor_UnaryOperator:
      return unary(cursor, out);
    case CXCursor_CallExpr:
      return call(cursor, out);
    case CXCursor_InitListExpr:
      return with_children(cursor, CKind::list, out);
    case CXCursor_UnaryExpr: // sizeof
      if (!m_unit.evaluate(cursor, out)) {
        with_children(cursor, CKind::other, out);
      }
      return;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
      return cast(cursor, out);
    default:
      return with_children(cursor, CKind::other, out);
    }
  }

  void with_children(CXCursor cursor, CKind kind, CNode& out)
  {
    out.kind = kind;
    for (const CXCursor child : m_unit.children(cursor)) {
      const CXCursorKind of = m_unit.kind(child);
      if (of != CXCursor_TypeRef && of != CXCursor_NamespaceRef && of != CXCursor_TemplateRef) {
        out.children.push_back(node(child));
      }
    }
  }

  void variable(CXCursor cursor, CNode& out)
  {
    out.kind = CKind::variable;
    out.text = m_unit.name(cursor);
    out.declaration = m_unit.declaration(cursor);
    const CXCursor initial = m_unit.initial_value(cursor);
    const std::vector<CXCursor> children = m_unit.children(cursor);
    out.shared = std::ranges::any_of(children, [&](CXCursor child) { return is_marked(child, "hone:shared"); });
    out.type.constant = out.type.constant || is_constant(cursor);
    std::vector<CXCursor> extents = expressions(children);
    if (!m_unit.is_null(initial)) {
      out.children.push_back(node(initial));
      if (!extents.empty()) {
        extents.pop_back();
      }
    }
    for (const CXCursor extent : extents) {
      out.extents.insert(out.extents.begin(), node(extent));
    }
  }

  void name(CXCursor cursor, CNode& out)
  {
    const CXCursor meant = m_unit.referenced(cursor);
    out.kind = CKind::name;
    out.text = m_unit.name(cursor);
    out.declaration = m_unit.declaration(meant);
    const CXCursorKind kind = m_unit.kind(meant);
    const bool constant =
      kind == CXCursor_EnumConstantDecl || (kind == CXCursor_VarDecl && (out.type.constant || is_constant(meant)));
    if (kind != CXCursor_ParmDecl) {
      m_uses.insert(out.declaration);
    }
    if (constant && out.type.extents.empty() && !m_unit.evaluate(cursor, out) && kind == CXCursor_VarDecl) {
      const CXCursor initial = m_unit.initial_value(meant);
      if (m_unit.is_null(initial) || !m_unit.evaluate(initial, out)) {
        out.kind = CKind::name;
      }
    }
    if (constant && out.kind == CKind::number && kind == CXCursor_EnumConstantDecl) {
      out.whole = true;
    }
  }

  // blockIdx.x: a variable of its own.
  void member(CXCursor cursor, CNode& out)
  {
    with_children(cursor, CKind::other, out);
    constexpr std::array<std::string_view, 3> k_of_the_toolkit{"dim3", "uint3", "cudaDeviceProp"};
    const bool plain = m_device && out.children.size() == 1 && out.children[0]->kind == CKind::name;
    if (plain && std::ranges::find(k_of_the_toolkit, out.children[0]->type.element) != k_of_the_toolkit.end()) {
      out.kind = CKind::name;
      out.text = fmt::format("{}.{}", out.children[0]->text, m_unit.name(cursor));
      out.declaration = fmt::format("{}.{}", out.children[0]->declaration, m_unit.name(cursor));
      out.children.clear();
    }
  }

  void binary(CXCursor cursor, CNode& out)
  {
    const std::vector<CXCursor> sides = expressions(m_unit.children(cursor));
    with_children(cursor, CKind::binary, out);
    const std::size_t from = sides.size() == 2 ? m_unit.end(sides[0]) : 0;
    const std::size_t to = sides.size() == 2 ? m_unit.begin(sides[1]) : 0;
    out.text = from < to && to <= m_text.size() ? operator_in(m_text.substr(from, to - from)) : "";
    m_macro_operator = m_macro_operator || out.text.empty();
  }

  void unary(CXCursor cursor, CNode& out)
  {
    const std::vector<CXCursor> operands = expressions(m_unit.children(cursor));
    with_children(cursor, CKind::unary, out);
    out.text.clear();
    if (operands.size() == 1) {
      const std::size_t begin = m_unit.begin(cursor);
      const std::size_t end = m_unit.end(cursor);
      const std::size_t from = m_unit.begin(operands[0]);
      const std::size_t to = m_unit.end(operands[0]);
      if (begin < from && from <= m_text.size()) {
        out.text = operator_in(m_text.substr(begin, from - begin));
      } else if (to < end && end <= m_text.size()) {
        const std::string op = operator_in(m_text.substr(to, end - to));
        out.text = op.empty() ? "" : "post" + op;
      }
    }
    m_macro_operator = m_macro_operator || out.text.empty();
  }

  void call(CXCursor cursor, CNode& out)
  {
    const CXCursor meant = m_unit.referenced(cursor);
    out.kind = CKind::call;
    out.text = m_unit.name(cursor);
    if (!m_unit.is_null(meant)) {
      out.declaration = m_unit.declaration(meant);
      m_uses.insert(out.declaration);
    }
    for (const CXCursor argument : m_unit.arguments(cursor)) {
      out.children.push_back(node(argument));
    }
    if (m_device && out.text.empty()) {
      take_launch(cursor, out);
    }
  }

  // (hone_launch(grid, block), kernel)(arguments)
  void take_launch(CXCursor cursor, CNode& out)
  {
    const std::vector<CXCursor> children = m_unit.children(cursor);
    const CNodePtr called = children.empty() ? nullptr : node(children[0]);
    const CNode* const pair = called ? &without_casts(*called) : nullptr;
    if (pair != nullptr && pair->kind == CKind::binary && pair->children.size() == 2
        && pair->children[0]->text == k_launch_function) {
      const CNode& kernel = without_casts(*pair->children[1]);
      out.text = kernel.text;
      out.declaration = kernel.declaration;
      out.launch = pair->children[0];
    }
  }

  void cast(CXCursor cursor, CNode& out)
  {
    const std::vector<CXCursor> operands = expressions(m_unit.children(cursor));
    if (operands.size() != 1) {
      with_children(cursor, CKind::other, out);
      return;
    }
    out.kind = CKind::cast;
    out.text = m_unit.kind(cursor) == CXCursor_CStyleCastExpr ? "explicit" : "";
    out.children.push_back(node(operands[0]));
  }

  const CUnit& m_unit;
  std::string_view m_text;
  bool m_device;
  std::set<std::string> m_uses;
  bool m_macro_operator = false;
};

} // namespace

CFunction function_of(const CUnit& unit, const CFile& file, CXCursor cursor, bool& macro_operator)
{
  Reader reader(unit, file.text, !file.device_language.empty());
  CFunction out = reader.function(cursor);
  macro_operator = macro_operator || reader.saw_macro_operator();
  return out;
}

CTopLevel top_level_of(const CUnit& unit, const CFile& file, CXCursor cursor)
{
  return Reader(unit, file.text, !file.device_language.empty()).other(cursor);
}

} // namespace hone::import
