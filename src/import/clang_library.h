// libclang's stable C interface, loaded when it is needed: Hone builds with its headers and runs without it. (internal)
#pragma once

#include "util/result.h"

#include <clang-c/Index.h>

namespace hone::import {

#define HONE_CLANG_FUNCTIONS(X)                                                                                        \
  X(createIndex)                                                                                                       \
  X(disposeIndex)                                                                                                      \
  X(parseTranslationUnit2)                                                                                             \
  X(disposeTranslationUnit)                                                                                            \
  X(getTranslationUnitCursor)                                                                                          \
  X(getNumDiagnostics)                                                                                                 \
  X(getDiagnostic)                                                                                                     \
  X(getDiagnosticSeverity)                                                                                             \
  X(getDiagnosticSpelling)                                                                                             \
  X(getDiagnosticLocation)                                                                                             \
  X(disposeDiagnostic)                                                                                                 \
  X(visitChildren)                                                                                                     \
  X(getCursorKind)                                                                                                     \
  X(getCursorKindSpelling)                                                                                             \
  X(getCursorSpelling)                                                                                                 \
  X(getCursorType)                                                                                                     \
  X(getCursorResultType)                                                                                               \
  X(getCursorLocation)                                                                                                 \
  X(getCursorExtent)                                                                                                   \
  X(getCursorReferenced)                                                                                               \
  X(getCursorUSR)                                                                                                      \
  X(getCursorPrintingPolicy)                                                                                           \
  X(PrintingPolicy_dispose)                                                                                            \
  X(getCursorPrettyPrinted)                                                                                            \
  X(isCursorDefinition)                                                                                                \
  X(isExpression)                                                                                                      \
  X(Cursor_isNull)                                                                                                     \
  X(Cursor_getNumArguments)                                                                                            \
  X(Cursor_getArgument)                                                                                                \
  X(Cursor_getVarDeclInitializer)                                                                                      \
  X(Cursor_Evaluate)                                                                                                   \
  X(EvalResult_getKind)                                                                                                \
  X(EvalResult_getAsLongLong)                                                                                          \
  X(EvalResult_getAsDouble)                                                                                            \
  X(EvalResult_dispose)                                                                                                \
  X(Location_isFromMainFile)                                                                                           \
  X(getExpansionLocation)                                                                                              \
  X(getFileName)                                                                                                       \
  X(getRangeStart)                                                                                                     \
  X(getRangeEnd)                                                                                                       \
  X(getCanonicalType)                                                                                                  \
  X(getTypeSpelling)                                                                                                   \
  X(getPointeeType)                                                                                                    \
  X(getArrayElementType)                                                                                               \
  X(getArraySize)                                                                                                      \
  X(isConstQualifiedType)                                                                                              \
  X(isRestrictQualifiedType)                                                                                           \
  X(getCString)                                                                                                        \
  X(disposeString)

struct ClangLibrary {
#define HONE_CLANG_MEMBER(name) decltype(&::clang_##name) name = nullptr;
  HONE_CLANG_FUNCTIONS(HONE_CLANG_MEMBER)
#undef HONE_CLANG_MEMBER

  std::string text(CXString string) const; // and frees it
};

// Loaded once. The error names the package to install.
Result<const ClangLibrary*> clang_library();

} // namespace hone::import
