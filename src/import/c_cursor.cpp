#include "import/c_cursor.h"

#include "util/process.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::import {

namespace {

// stddef.h and its like belong to the compiler; libclang alone comes without them, g++ is always there.
std::vector<std::string> compiler_headers()
{
  ProcessRequest request;
  request.argv = {"g++", "-print-file-name=include"};
  const auto outcome = run_process(request);
  if (!outcome || !outcome->ok()) {
    return {};
  }
  return {"-idirafter", std::string(trim(outcome->out))};
}

void read_element(CXTypeKind kind, CType& out)
{
  using Kind = CType::Kind;
  switch (kind) {
  case CXType_Void:
    out.kind = Kind::nothing;
    return;
  case CXType_Bool:
    out.kind = Kind::boolean;
    out.data = kernel::DataType::boolean;
    return;
  case CXType_Float:
  case CXType_Double:
  case CXType_Float16:
  case CXType_Half:
    out.kind = Kind::floating;
    out.data = kind == CXType_Float    ? kernel::DataType::f32
               : kind == CXType_Double ? kernel::DataType::f64
                                       : kernel::DataType::f16;
    return;
  case CXType_LongDouble:
    out.kind = Kind::floating;
    return;
  case CXType_Char_S:
  case CXType_SChar:
    out.data = kernel::DataType::i8;
    break;
  case CXType_Char_U:
  case CXType_UChar:
    out.data = kernel::DataType::u8;
    out.is_unsigned = true;
    break;
  case CXType_Enum:
  case CXType_Int:
    out.data = kernel::DataType::i32;
    break;
  case CXType_Long:
  case CXType_LongLong:
    out.data = kernel::DataType::i64;
    break;
  case CXType_Short:
    out.data = kernel::DataType::i16;
    break;
  case CXType_UShort:
    out.data = kernel::DataType::u16;
    out.is_unsigned = true;
    break;
  case CXType_UInt:
    out.data = kernel::DataType::u32;
    out.is_unsigned = true;
    break;
  case CXType_ULong:
  case CXType_ULongLong:
    out.is_unsigned = true;
    break;
  default:
    return;
  }
  out.kind = Kind::integer;
}

} // namespace

Result<CUnit> CUnit::parse(const std::string& path, const std::string& text, const std::vector<std::string>& flags,
                           const std::map<std::string, std::string>& headers)
{
  CUnit out;
  HONE_TRY(out.m_clang, clang_library());
  const ClangLibrary* const clang = out.m_clang;
  out.m_path = path;
  out.m_index = Index(clang->createIndex(0, 0), clang->disposeIndex);
  std::vector<std::string> words = flags;
  const std::vector<std::string> own = compiler_headers();
  words.insert(words.end(), own.begin(), own.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  std::vector<CXUnsavedFile> files{{path.c_str(), text.data(), static_cast<unsigned long>(text.size())}};
  for (const auto& [name, header] : headers) {
    files.push_back({name.c_str(), header.data(), static_cast<unsigned long>(header.size())});
  }
  CXTranslationUnit unit = nullptr;
  const CXErrorCode code =
    clang->parseTranslationUnit2(out.m_index.get(), path.c_str(), argv.data(), static_cast<int>(argv.size()),
                                 files.data(), static_cast<unsigned>(files.size()), 0, &unit);
  if (code != CXError_Success || unit == nullptr) {
    return fail(fmt::format("libclang cannot read '{}'", path), "is it C or C++? look at the -I and -D options too",
                {path, 0, 0});
  }
  out.m_unit = Unit(unit, clang->disposeTranslationUnit);
  return out;
}

std::vector<Error> CUnit::errors() const
{
  std::vector<Error> out;
  for (unsigned i = 0; i < m_clang->getNumDiagnostics(m_unit.get()); ++i) {
    const CXDiagnostic diagnostic = m_clang->getDiagnostic(m_unit.get(), i);
    const bool error = m_clang->getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    const std::string message = m_clang->text(m_clang->getDiagnosticSpelling(diagnostic));
    CXFile file = nullptr;
    Place place;
    unsigned line = 0;
    unsigned column = 0;
    m_clang->getExpansionLocation(m_clang->getDiagnosticLocation(diagnostic), &file, &line, &column, nullptr);
    place = {file == nullptr ? m_path : m_clang->text(m_clang->getFileName(file)), static_cast<int>(line),
             static_cast<int>(column)};
    m_clang->disposeDiagnostic(diagnostic);
    if (error) {
      const bool header = message.contains("file not found");
      out.push_back(
        {message,
         header ? "say where it is: -I FOLDER" : "the file must compile; -D NAME=VALUE and -I FOLDER are passed on",
         place});
    }
  }
  return out;
}

std::vector<CXCursor> CUnit::children(CXCursor cursor) const
{
  std::vector<CXCursor> out;
  m_clang->visitChildren(
    cursor,
    [](CXCursor child, CXCursor, CXClientData list) {
      static_cast<std::vector<CXCursor>*>(list)->push_back(child);
      return CXChildVisit_Continue;
    },
    &out);
  return out;
}

std::string CUnit::kind_name(CXCursor cursor) const
{
  return m_clang->text(m_clang->getCursorKindSpelling(kind(cursor)));
}

bool CUnit::in_main_file(CXCursor cursor) const
{
  return m_clang->Location_isFromMainFile(m_clang->getCursorLocation(cursor)) != 0;
}

Place CUnit::place(CXCursor cursor) const
{
  unsigned line = 0;
  unsigned column = 0;
  CXFile file = nullptr;
  m_clang->getExpansionLocation(m_clang->getRangeStart(m_clang->getCursorExtent(cursor)), &file, &line, &column,
                                nullptr);
  return {file == nullptr ? m_path : m_clang->text(m_clang->getFileName(file)), static_cast<int>(line),
          static_cast<int>(column)};
}

std::size_t CUnit::offset(CXSourceLocation location) const
{
  unsigned bytes = 0;
  m_clang->getExpansionLocation(location, nullptr, nullptr, nullptr, &bytes);
  return bytes;
}

std::size_t CUnit::begin(CXCursor cursor) const
{
  return offset(m_clang->getRangeStart(m_clang->getCursorExtent(cursor)));
}

std::size_t CUnit::end(CXCursor cursor) const
{
  return offset(m_clang->getRangeEnd(m_clang->getCursorExtent(cursor)));
}

std::string CUnit::pretty(CXCursor cursor) const
{
  const CXPrintingPolicy policy = m_clang->getCursorPrintingPolicy(cursor);
  std::string out = m_clang->text(m_clang->getCursorPrettyPrinted(cursor, policy));
  m_clang->PrintingPolicy_dispose(policy);
  return out;
}

std::vector<CXCursor> CUnit::arguments(CXCursor call) const
{
  std::vector<CXCursor> out;
  for (int i = 0; i < m_clang->Cursor_getNumArguments(call); ++i) {
    out.push_back(m_clang->Cursor_getArgument(call, static_cast<unsigned>(i)));
  }
  return out;
}

bool CUnit::evaluate(CXCursor constant, CNode& into) const
{
  const CXEvalResult result = m_clang->Cursor_Evaluate(constant);
  if (result == nullptr) {
    return false;
  }
  const CXEvalResultKind kind = m_clang->EvalResult_getKind(result);
  into.kind = CKind::number;
  into.whole = kind == CXEval_Int;
  into.number = into.whole ? static_cast<double>(m_clang->EvalResult_getAsLongLong(result))
                           : m_clang->EvalResult_getAsDouble(result);
  m_clang->EvalResult_dispose(result);
  return kind == CXEval_Int || kind == CXEval_Float;
}

CType CUnit::type_from(CXType type) const
{
  CType out;
  out.spelling = m_clang->text(m_clang->getTypeSpelling(type));
  CXType at = m_clang->getCanonicalType(type);
  out.pointer = at.kind == CXType_Pointer;
  out.restricted = m_clang->isRestrictQualifiedType(at) != 0;
  for (;;) {
    out.constant = at.kind != CXType_Pointer && (out.constant || m_clang->isConstQualifiedType(at) != 0);
    if (at.kind == CXType_Pointer) {
      out.extents.push_back(-1);
      at = m_clang->getPointeeType(at);
    } else if (at.kind == CXType_ConstantArray) {
      out.extents.push_back(m_clang->getArraySize(at));
      at = m_clang->getArrayElementType(at);
    } else if (at.kind == CXType_VariableArray || at.kind == CXType_IncompleteArray) {
      out.extents.push_back(-1);
      at = m_clang->getArrayElementType(at);
    } else {
      break;
    }
  }
  out.element = m_clang->text(m_clang->getTypeSpelling(at));
  if (out.element.starts_with("const ")) {
    out.element.erase(0, 6);
  }
  read_element(at.kind, out);
  if (out.element == "__nv_bfloat16") { // of CUDA C++: a structure, but a number to its users
    out.kind = CType::Kind::floating;
    out.data = kernel::DataType::bf16;
  }
  return out;
}

} // namespace hone::import
