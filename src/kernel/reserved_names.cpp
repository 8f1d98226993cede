#include "kernel/reserved_names.h"

#include <algorithm>
#include <array>

namespace hone::kernel {

namespace {

// C++, C and OpenCL C, in alphabetical order.
constexpr std::array k_words = std::to_array<std::string_view>({"alignas",
                                                                "alignof",
                                                                "and",
                                                                "and_eq",
                                                                "asm",
                                                                "auto",
                                                                "bitand",
                                                                "bitor",
                                                                "bool",
                                                                "break",
                                                                "case",
                                                                "catch",
                                                                "char",
                                                                "class",
                                                                "compl",
                                                                "concept",
                                                                "const",
                                                                "const_cast",
                                                                "consteval",
                                                                "constexpr",
                                                                "constinit",
                                                                "constant",
                                                                "continue",
                                                                "decltype",
                                                                "default",
                                                                "delete",
                                                                "do",
                                                                "double",
                                                                "dynamic_cast",
                                                                "else",
                                                                "enum",
                                                                "explicit",
                                                                "export",
                                                                "extern",
                                                                "false",
                                                                "float",
                                                                "for",
                                                                "friend",
                                                                "generic",
                                                                "global",
                                                                "goto",
                                                                "group",
                                                                "half",
                                                                "if",
                                                                "inline",
                                                                "int",
                                                                "int16_t",
                                                                "int32_t",
                                                                "int64_t",
                                                                "int8_t",
                                                                "kernel",
                                                                "local",
                                                                "long",
                                                                "main",
                                                                "mutable",
                                                                "namespace",
                                                                "new",
                                                                "noexcept",
                                                                "not",
                                                                "not_eq",
                                                                "nullptr",
                                                                "operator",
                                                                "or",
                                                                "or_eq",
                                                                "pipe",
                                                                "private",
                                                                "protected",
                                                                "public",
                                                                "quad",
                                                                "read_only",
                                                                "read_write",
                                                                "register",
                                                                "reinterpret_cast",
                                                                "requires",
                                                                "restrict",
                                                                "return",
                                                                "short",
                                                                "signed",
                                                                "sizeof",
                                                                "static",
                                                                "static_assert",
                                                                "static_cast",
                                                                "struct",
                                                                "switch",
                                                                "template",
                                                                "this",
                                                                "thread_local",
                                                                "throw",
                                                                "true",
                                                                "try",
                                                                "typedef",
                                                                "typeid",
                                                                "typename",
                                                                "uchar",
                                                                "uint",
                                                                "uint16_t",
                                                                "uint32_t",
                                                                "uint64_t",
                                                                "uint8_t",
                                                                "ulong",
                                                                "uniform",
                                                                "union",
                                                                "unsigned",
                                                                "ushort",
                                                                "using",
                                                                "virtual",
                                                                "void",
                                                                "volatile",
                                                                "wchar_t",
                                                                "while",
                                                                "write_only",
                                                                "xor",
                                                                "xor_eq"});

// Macros of <math.h>, <stdint.h>, <stddef.h> and <stdio.h>, which generated code includes.
constexpr std::array k_macros = std::to_array<std::string_view>(
  {"FP_INFINITE", "FP_NAN",     "FP_NORMAL",  "FP_SUBNORMAL", "FP_ZERO",   "HUGE_VAL",    "HUGE_VALF",
   "HUGE_VALL",   "INFINITY",   "INT16_MAX",  "INT16_MIN",    "INT32_MAX", "INT32_MIN",   "INT64_MAX",
   "INT64_MIN",   "INT8_MAX",   "INT8_MIN",   "NAN",          "NULL",      "PTRDIFF_MAX", "SIZE_MAX",
   "UINT16_MAX",  "UINT32_MAX", "UINT64_MAX", "UINT8_MAX",    "stderr"});

constexpr std::array k_math_constants =
  std::to_array<std::string_view>({"M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2", "M_LOG10E", "M_LOG2E",
                                   "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2"});

} // namespace

bool is_reserved_word(std::string_view name)
{
  return std::ranges::find(k_words, name) != k_words.end() || std::ranges::find(k_macros, name) != k_macros.end()
         || std::ranges::find(k_math_constants, name) != k_math_constants.end();
}

} // namespace hone::kernel
