// libclang's cursors as C++ values. (internal to the room)
#pragma once

#include "import/c_syntax.h"
#include "import/clang_library.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hone::import {

// A parsed file, and what its cursors are asked.
// Wide because nothing else calls libclang: one method for each question.
class CUnit {
public:
  // `headers`: further files, by path, that need not exist. Error: libclang cannot begin.
  static Result<CUnit> parse(const std::string& path, const std::string& text, const std::vector<std::string>& flags,
                             const std::map<std::string, std::string>& headers = {});

  std::vector<Error> errors() const; // of the front end, in the order of the text

  CXCursor root() const { return m_clang->getTranslationUnitCursor(m_unit.get()); }
  std::vector<CXCursor> children(CXCursor cursor) const;
  CXCursorKind kind(CXCursor cursor) const { return m_clang->getCursorKind(cursor); }
  std::string name(CXCursor cursor) const { return m_clang->text(m_clang->getCursorSpelling(cursor)); }
  std::string kind_name(CXCursor cursor) const;
  std::string declaration(CXCursor cursor) const { return m_clang->text(m_clang->getCursorUSR(cursor)); }
  CXCursor referenced(CXCursor cursor) const { return m_clang->getCursorReferenced(cursor); }
  bool is_expression(CXCursor cursor) const { return m_clang->isExpression(kind(cursor)) != 0; }
  bool in_main_file(CXCursor cursor) const;
  bool is_definition(CXCursor cursor) const { return m_clang->isCursorDefinition(cursor) != 0; }
  Place place(CXCursor cursor) const;
  std::size_t begin(CXCursor cursor) const; // bytes in the file, where a macro is used if it comes from one
  std::size_t end(CXCursor cursor) const;
  CType type(CXCursor cursor) const { return type_from(m_clang->getCursorType(cursor)); }
  CType result_type(CXCursor cursor) const { return type_from(m_clang->getCursorResultType(cursor)); }
  std::string pretty(CXCursor cursor) const; // a definition printed with its macros expanded
  CXCursor initial_value(CXCursor variable) const { return m_clang->Cursor_getVarDeclInitializer(variable); }
  bool is_null(CXCursor cursor) const { return m_clang->Cursor_isNull(cursor) != 0; }
  std::vector<CXCursor> arguments(CXCursor call) const;
  bool evaluate(CXCursor constant, CNode& into) const; // false: not a constant

private:
  using Index = std::shared_ptr<void>;
  using Unit = std::shared_ptr<std::remove_pointer_t<CXTranslationUnit>>;

  CType type_from(CXType type) const;
  std::size_t offset(CXSourceLocation location) const;

  const ClangLibrary* m_clang = nullptr;
  Index m_index;
  Unit m_unit;
  std::string m_path;
};

} // namespace hone::import
