#include "program/refusals.h"

#include "program/source_mask.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace hone::program {

namespace {

// Words that mean one thing only.
constexpr auto k_words = std::to_array<std::string_view>({"asm",
                                                          "__asm",
                                                          "__asm__",
                                                          "_Pragma",
                                                          "__pragma",
                                                          "extern",
                                                          "fopen",
                                                          "freopen",
                                                          "fdopen",
                                                          "openat",
                                                          "creat",
                                                          "pread",
                                                          "pwrite",
                                                          "readv",
                                                          "writev",
                                                          "mmap",
                                                          "munmap",
                                                          "fread",
                                                          "fwrite",
                                                          "fscanf",
                                                          "fgets",
                                                          "fgetc",
                                                          "getc",
                                                          "printf",
                                                          "fprintf",
                                                          "vprintf",
                                                          "vfprintf",
                                                          "dprintf",
                                                          "puts",
                                                          "fputs",
                                                          "putchar",
                                                          "putc",
                                                          "fputc",
                                                          "perror",
                                                          "cout",
                                                          "cerr",
                                                          "clog",
                                                          "cin",
                                                          "ofstream",
                                                          "ifstream",
                                                          "fstream",
                                                          "filebuf",
                                                          "FILE",
                                                          "stdout",
                                                          "stderr",
                                                          "stdin",
                                                          "dup",
                                                          "dup2",
                                                          "fclose",
                                                          "fflush",
                                                          "_exit",
                                                          "_Exit",
                                                          "quick_exit",
                                                          "longjmp",
                                                          "setjmp",
                                                          "sigsetjmp",
                                                          "atexit",
                                                          "at_quick_exit",
                                                          "on_exit",
                                                          "fork",
                                                          "vfork",
                                                          "execv",
                                                          "execve",
                                                          "execvp",
                                                          "execl",
                                                          "execlp",
                                                          "posix_spawn",
                                                          "popen",
                                                          "dlopen",
                                                          "dlsym",
                                                          "syscall",
                                                          "getenv",
                                                          "setenv",
                                                          "putenv",
                                                          "environ",
                                                          "sigaction",
                                                          "setitimer",
                                                          "ptrace",
                                                          "clock_gettime",
                                                          "gettimeofday",
                                                          "timespec_get",
                                                          "__rdtsc",
                                                          "_rdtsc",
                                                          "__rdtscp",
                                                          "__builtin_ia32_rdtsc",
                                                          "__builtin_ia32_rdtscp",
                                                          "__builtin_readcyclecounter",
                                                          "chrono",
                                                          "steady_clock",
                                                          "system_clock",
                                                          "high_resolution_clock",
                                                          "jthread",
                                                          "pthread_create",
                                                          "thrd_create",
                                                          "sched_setaffinity",
                                                          "setpriority",
                                                          "socket",
                                                          "unlink",
                                                          "rmdir",
                                                          "constructor",
                                                          "destructor",
                                                          "init_priority",
                                                          "ifunc",
                                                          "__builtin_trap",
                                                          "__builtin_exit",
                                                          "set_terminate",
                                                          "source_location",
                                                          "embed",
                                                          "filesystem"});

// Words that also name variables: refused where they are called.
constexpr auto k_calls = std::to_array<std::string_view>(
  {"open",   "read",      "write",  "close", "remove", "rename",  "exit", "abort", "terminate",
   "system", "signal",    "raise",  "kill",  "alarm",  "clock",   "time", "main",  "thread",
   "async",  "section",   "alias",  "weak",  "pipe",   "connect", "send", "recv",  "sleep",
   "usleep", "nanosleep", "getpid", "ioctl", "fcntl",  "lseek",   "stat"});

constexpr auto k_headers = std::to_array<std::string_view>(
  {"algorithm",     "array",       "bit",         "bitset",      "cassert",     "cfloat",
   "climits",       "cmath",       "complex",     "complex.h",   "concepts",    "cstddef",
   "cstdint",       "cstdlib",     "cstring",     "deque",       "execution",   "float.h",
   "functional",    "immintrin.h", "emmintrin.h", "xmmintrin.h", "pmmintrin.h", "tmmintrin.h",
   "smmintrin.h",   "nmmintrin.h", "x86intrin.h", "arm_neon.h",  "arm_sve.h",   "initializer_list",
   "inttypes.h",    "iterator",    "limits",      "limits.h",    "map",         "math.h",
   "memory",        "new",         "numbers",     "numeric",     "omp.h",       "optional",
   "queue",         "ranges",      "span",        "stdalign.h",  "stdbool.h",   "stddef.h",
   "stdint.h",      "stdlib.h",    "string.h",    "tgmath.h",    "tuple",       "type_traits",
   "unordered_map", "utility",     "valarray",    "variant",     "vector",      "version"});

constexpr auto k_pragmas =
  std::to_array<std::string_view>({"omp ", "GCC ivdep", "GCC unroll", "GCC novector", "clang loop", "ivdep", "unroll"});

bool is_word_part(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

template <class Words> bool holds(const Words& words, std::string_view word)
{
  return std::ranges::find(words, word) != words.end();
}

struct CodeWord {
  std::string_view text;
  int line = 0;
  char next = 0; // character behind it that is no blank
};

std::vector<CodeWord> code_words(std::string_view code)
{
  std::vector<CodeWord> words;
  int line = 1;
  for (std::size_t at = 0; at < code.size();) {
    if (!is_word_part(code[at])) {
      line += code[at] == '\n' ? 1 : 0;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < code.size() && is_word_part(code[at])) {
      ++at;
    }
    const std::size_t next = code.find_first_not_of(" \t\r\n", at);
    words.push_back({code.substr(begin, at - begin), line, next == code.npos ? '\0' : code[next]});
  }
  return words;
}

// What is wrong with a preprocessor line; "" where it may stand. `depth`: of open #if.
std::string wrong_with_directive(std::string_view line, int& depth)
{
  const std::string_view rest = trim(line.substr(1));
  const auto begins = [&](std::string_view word) {
    return rest.starts_with(word) && (rest.size() == word.size() || !is_word_part(rest[word.size()]));
  };
  if (begins("if") || begins("ifdef") || begins("ifndef")) {
    ++depth;
    return "";
  }
  if (begins("else") || begins("elif") || begins("endif")) {
    depth -= begins("endif") ? 1 : 0;
    return depth < 0 || (depth == 0 && !begins("endif")) ? "belongs to no #if of the region" : "";
  }
  if (begins("pragma")) {
    const std::string_view said = trim(rest.substr(std::string_view("pragma").size()));
    const bool known = std::ranges::any_of(k_pragmas, [&](std::string_view words) { return said.starts_with(words); });
    return known ? "" : "reaches beyond the region: only omp, GCC ivdep and GCC unroll may be said";
  }
  if (begins("include")) {
    const std::string_view header = trim(rest.substr(std::string_view("include").size()));
    const bool known =
      header.starts_with('<') && header.ends_with('>') && holds(k_headers, header.substr(1, header.size() - 2));
    return known ? "" : "only standard headers that compute may be included";
  }
  return "would change text outside the region";
}

void refuse_directives(const std::string& text, std::vector<Refusal>& refusals)
{
  int depth = 0;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string_view words = trim(line);
    if (words.starts_with('#')) {
      if (const std::string wrong = wrong_with_directive(words, depth); !wrong.empty()) {
        refusals.push_back({number, fmt::format("'{}' {}", printable(std::string(words.substr(0, 60))), wrong)});
      }
    }
  }
  if (depth > 0) {
    refusals.push_back({number, "an #if is not ended"});
  }
}

void refuse_unbalanced(std::string_view code, std::vector<Refusal>& refusals)
{
  int depth = 0, line = 1;
  for (const char c : code) {
    line += c == '\n' ? 1 : 0;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) {
      refusals.push_back({line, "this brace closes what was opened outside the region"});
      return;
    }
  }
  if (depth > 0) {
    refusals.push_back({line, "a brace is not closed in the region"});
  }
}

} // namespace

std::vector<Refusal> refusals_in(std::string_view replacement, std::string_view original)
{
  std::vector<Refusal> refusals;
  const std::string text = without_comments(replacement);
  const std::string code = code_only(replacement);
  refuse_directives(text, refusals);
  const std::string theirs = code_only(original);
  std::set<std::string_view> used;
  for (const CodeWord& word : code_words(theirs)) {
    used.insert(word.text);
  }
  std::string_view before;
  for (const CodeWord& word : code_words(code)) {
    const bool refused = holds(k_words, word.text) || (holds(k_calls, word.text) && word.next == '(')
                         || (before == "operator" && (word.text == "new" || word.text == "delete"))
                         || word.text.find("hone_") != word.text.npos;
    if (refused && used.insert(word.text).second) { // each word once
      refusals.push_back(
        {word.line, fmt::format("'{}' is not for a region that computes, and the original does not use "
                                "it",
                                word.text)});
    }
    before = word.text;
  }
  int line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    line += code[i] == '\n' ? 1 : 0;
    if (code[i] == '\\' || code.compare(i, 2, "%:") == 0 || code.compare(i, 2, "??") == 0) {
      refusals.push_back({line, "another spelling of a character could hide a word"});
      break;
    }
  }
  refuse_unbalanced(code, refusals);
  std::ranges::stable_sort(refusals, {}, &Refusal::line);
  return refusals;
}

} // namespace hone::program
