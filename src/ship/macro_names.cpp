#include "ship/macro_names.h"

#include "ship/source_tokens.h"

#include <algorithm>
#include <set>
#include <vector>

namespace hone::ship {

namespace {

// Macros without parameters of the headers of C11, of POSIX where glibc has them, and of the compilers on Linux.
const std::set<std::string>& macro_words()
{
  static const std::set<std::string> k_words{"BUFSIZ",
                                             "CHAR_BIT",
                                             "CHAR_MAX",
                                             "CHAR_MIN",
                                             "CLOCKS_PER_SEC",
                                             "DBL_EPSILON",
                                             "DBL_MAX",
                                             "DBL_MIN",
                                             "DOMAIN",
                                             "EDOM",
                                             "EOF",
                                             "ERANGE",
                                             "EXIT_FAILURE",
                                             "EXIT_SUCCESS",
                                             "FE_ALL_EXCEPT",
                                             "FILENAME_MAX",
                                             "FLT_EPSILON",
                                             "FLT_MAX",
                                             "FLT_MIN",
                                             "FLT_RADIX",
                                             "FOPEN_MAX",
                                             "FP_INFINITE",
                                             "FP_NAN",
                                             "FP_NORMAL",
                                             "FP_SUBNORMAL",
                                             "FP_ZERO",
                                             "HUGE",
                                             "HUGE_VAL",
                                             "HUGE_VALF",
                                             "HUGE_VALL",
                                             "I",
                                             "INFINITY",
                                             "INT16_MAX",
                                             "INT16_MIN",
                                             "INT32_MAX",
                                             "INT32_MIN",
                                             "INT64_MAX",
                                             "INT64_MIN",
                                             "INT8_MAX",
                                             "INT8_MIN",
                                             "INT_MAX",
                                             "INT_MIN",
                                             "LONG_MAX",
                                             "LONG_MIN",
                                             "L_tmpnam",
                                             "MB_CUR_MAX",
                                             "MB_LEN_MAX",
                                             "M_1_PI",
                                             "M_2_PI",
                                             "M_2_SQRTPI",
                                             "M_E",
                                             "M_LN10",
                                             "M_LN2",
                                             "M_LOG10E",
                                             "M_LOG2E",
                                             "M_PI",
                                             "M_PI_2",
                                             "M_PI_4",
                                             "M_SQRT1_2",
                                             "M_SQRT2",
                                             "NAN",
                                             "NULL",
                                             "OVERFLOW",
                                             "PATH_MAX",
                                             "PIPE_BUF",
                                             "PLOSS",
                                             "PTRDIFF_MAX",
                                             "PTRDIFF_MIN",
                                             "RAND_MAX",
                                             "SCHAR_MAX",
                                             "SCHAR_MIN",
                                             "SEEK_CUR",
                                             "SEEK_END",
                                             "SEEK_SET",
                                             "SHRT_MAX",
                                             "SHRT_MIN",
                                             "SIGABRT",
                                             "SIGINT",
                                             "SING",
                                             "SIZE_MAX",
                                             "SSIZE_MAX",
                                             "TIME_UTC",
                                             "TLOSS",
                                             "TMP_MAX",
                                             "UCHAR_MAX",
                                             "UINT16_MAX",
                                             "UINT32_MAX",
                                             "UINT64_MAX",
                                             "UINT8_MAX",
                                             "UINT_MAX",
                                             "ULONG_MAX",
                                             "UNDERFLOW",
                                             "USHRT_MAX",
                                             "WCHAR_MAX",
                                             "_Complex_I",
                                             "_Imaginary_I",
                                             "alignas",
                                             "alignof",
                                             "assert",
                                             "complex",
                                             "errno",
                                             "i386",
                                             "imaginary",
                                             "isfinite",
                                             "isinf",
                                             "isnan",
                                             "isnormal",
                                             "linux",
                                             "major",
                                             "makedev",
                                             "minor",
                                             "noreturn",
                                             "offsetof",
                                             "setjmp",
                                             "signbit",
                                             "static_assert",
                                             "stderr",
                                             "stdin",
                                             "stdout",
                                             "thread_local",
                                             "unix",
                                             "va_arg",
                                             "va_end",
                                             "va_start"};
  return k_words;
}

} // namespace

void rename_macros(const kernel::Kernel& kernel, std::map<std::string, std::string>& files)
{
  std::vector<std::string> names = kernel.symbols;
  std::ranges::transform(kernel.arguments, std::back_inserter(names), &kernel::Argument::name);
  std::ranges::transform(kernel.signature.parameters, std::back_inserter(names), &kernel::SignatureParameter::name);
  std::erase_if(names, [](const std::string& name) { return !macro_words().contains(name); });
  if (names.empty()) {
    return;
  }
  std::set<std::string> used;
  for (const auto& [file, text] : files) {
    used.merge(words_of(text));
  }
  std::map<std::string, std::string> fresh;
  for (const std::string& name : names) {
    fresh[name] = name + "_";
    while (used.contains(fresh[name])) {
      fresh[name] += "_";
    }
  }
  for (auto& [file, text] : files) {
    if (file.ends_with(".h") || file.ends_with(".c") || file.ends_with(".cpp")) {
      text = with_words(text, fresh);
    }
  }
}

} // namespace hone::ship
