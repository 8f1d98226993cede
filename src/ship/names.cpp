#include "ship/names.h"

#include "kernel/reserved_names.h"
#include "lower/lower.h"
#include "ship/carried.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace hone::ship {

namespace {

// Functions and words of <math.h>, <stdlib.h> and <string.h> that a kernel is likely to be called.
const std::set<std::string>& taken_by_c()
{
  static const std::set<std::string> k_taken{
    "abs",   "acos", "asin",  "atan",   "atan2", "cbrt",   "ceil",   "cos",   "cosh", "div",    "erf",    "erfc",
    "exp",   "exp2", "expm1", "fabs",   "fdim",  "floor",  "fma",    "fmax",  "fmin", "fmod",   "gamma",  "hypot",
    "index", "labs", "ldexp", "log",    "log10", "log1p",  "log2",   "main",  "modf", "pow",    "rint",   "round",
    "scalb", "sin",  "sinh",  "sqrt",   "tan",   "tanh",   "tgamma", "trunc", "y0",   "y1",     "yn",     "j0",
    "j1",    "jn",   "free",  "malloc", "rand",  "select", "sort",   "qsort", "bcmp", "memcpy", "memset", "logb"};
  return k_taken;
}

// Targets that CMake has already, and what the programs of the folder call their own.
const std::set<std::string>& taken_by_the_folder()
{
  static const std::set<std::string> k_taken{
    "all",     "clean",    "edit_cache", "help",       "install",   "package",  "rebuild_cache", "test",     "array",
    "by_size", "call",     "median",     "now",        "give_up",   "make_set", "seed",          "set",      "tell",
    "uniform", "work",     "arguments",  "cases",      "check",     "compare",  "draw",          "get",      "put",
    "state",   "value_of", "is_right",   "largest_of", "from_half", "to_half",  "random_bits",   "random_in"};
  return k_taken;
}

std::string in_capitals(std::string text)
{
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// What carries Hone's name in the code gets the kernel's.
void rename_ours(ExportContext& names, const std::set<std::string>& used)
{
  std::string between = "_";
  const auto spelled = [&](const std::string& word) {
    return word.starts_with("HONE_") ? names.macro + between + word.substr(5)
                                     : names.function + between + word.substr(5);
  };
  const auto is_ours = [](const std::string& word) { return word.starts_with("hone_") || word.starts_with("HONE_"); };
  const auto clashes = [&](const std::string& word) { return is_ours(word) && used.contains(spelled(word)); };
  while (std::ranges::any_of(used, clashes)) {
    between += "_";
  }
  for (const std::string& word : used) {
    if (is_ours(word)) {
      names.ours[word] = spelled(word);
    }
  }
}

// The candidate's own words that the functions of the header are called.
void rename_theirs(ExportContext& names, const std::set<std::string>& used)
{
  std::set<std::string> needed;
  for (const char* part :
       {"",         "_with",           "_work_bytes", "_supported", "_layout",       "_lay_out", "_check",
        "_prepare", "_prepared_bytes", "_owner",      "_lock",      "_wake",         "_process", "_workers",
        "_round",   "_busy",           "_part",       "_task",      "_group_count",  "_piece",   "_next",
        "_pause",   "_take",           "_worker",     "_pin",       "_make_threads", "_spread",  "_fence",
        "_group",   "_has_zero",       "_run_plain",  "_as_given"}) {
    needed.insert(names.function + part);
  }
  const auto rename = [&](const std::string& word, std::string fresh) {
    while (used.contains(fresh)) {
      fresh += "_";
    }
    names.theirs[word] = fresh;
  };
  for (const std::string& word : needed) {
    if (used.contains(word)) {
      rename(word, word + "_groups");
    }
  }
  for (const kernel::LaunchSpec* launch :
       all_launches(names)) { // seen by the linker: no other function may have their names
    const bool is_an_argument = names.local(launch->kernel) != launch->kernel; // where it is called from
    const bool stays = launch->kernel.starts_with(names.function + "_") && !is_an_argument;
    if (!stays && !names.theirs.contains(launch->kernel)) {
      rename(launch->kernel, names.function + "_run_" + launch->kernel);
    }
  }
}

// Where a source has vectors, assembly, atomics or types of 16 bytes, or may have: what a preprocessor puts together is
// not looked at.
bool may_ask_for_alignment(const std::string& source)
{
  static const std::set<std::string> k_hints{"f32v", "f64v",      "asm",       "vector_size", "mode",
                                             "simd", "may_alias", "_Float128", "max_align_t"};
  static const std::set<std::string> k_plain{"__restrict", "__restrict__", "__attribute__", "__cplusplus"};
  const auto hints = [](const std::string& word) {
    return word.starts_with("_mm") || (word.starts_with("__") && !k_plain.contains(word)) || k_hints.contains(word)
           || word.starts_with("atomic") || word.find("align") != std::string::npos;
  };
  const std::string joined = replace_all(source, "\\\n", "");
  const std::set<std::string> words = words_of(joined);
  // Copied in vectors within a structure. `long n, double x` is none.
  static const std::regex k_long_double(R"(\b(long|double)(\s|const|volatile|/\*[^*]*\*/)+(double|long)\b)");
  bool long_double = false;
  for (std::sregex_iterator at(joined.begin(), joined.end(), k_long_double), end; at != end; ++at) {
    long_double = long_double || (*at)[1] != (*at)[3];
  }
  return source.contains("##") || source.contains("%:%:") || long_double || std::ranges::any_of(words, hints);
}

} // namespace

std::vector<const kernel::LaunchSpec*> all_launches(const ExportContext& names)
{
  std::vector<const kernel::LaunchSpec*> out;
  for (const std::vector<kernel::LaunchSpec>* list :
       {&names.request.candidate.plan.preparation, &names.request.candidate.plan.launches}) {
    for (const kernel::LaunchSpec& launch : *list) {
      out.push_back(&launch);
    }
  }
  return out;
}

const std::string& ExportContext::entry(const std::string& launched) const
{
  const auto found = theirs.find(launched);
  return found == theirs.end() ? launched : found->second;
}

std::string ExportContext::local(std::string wanted) const
{
  const auto is_taken = [&](const std::string& name) {
    const std::vector<kernel::ScratchSpec>& scratch = request.candidate.plan.scratch;
    const std::vector<kernel::SignatureParameter>& given = kernel().signature.parameters;
    return kernel().find_argument(name) != nullptr
           || std::ranges::find(given, name, &kernel::SignatureParameter::name) != given.end()
           || std::ranges::find(kernel().symbols, name) != kernel().symbols.end()
           || std::ranges::find(scratch, name, &kernel::ScratchSpec::name) != scratch.end();
  };
  while (is_taken(wanted)) {
    wanted += "_";
  }
  return wanted;
}

std::string standalone_name(const kernel::Kernel& kernel)
{
  std::string out = kernel.name;
  std::ranges::replace_if(
    out, [](char c) { return c == '-' || c == '.'; }, '_');
  if (out[0] >= '0' && out[0] <= '9') {
    out = "kernel_" + out;
  }
  const auto is_argument = [&] {
    return kernel.find_argument(out) != nullptr || std::ranges::find(kernel.symbols, out) != kernel.symbols.end();
  };
  while (kernel::is_reserved_word(out) || taken_by_c().contains(out) || taken_by_the_folder().contains(out)
         || is_argument()) {
    out += "_";
  }
  return out;
}

bool ExportContext::needs_alignment() const
{
  const bool by_hand = request.candidate.schedule.empty();
  return by_hand && std::ranges::any_of(request.candidate.files, [&](const auto& file) {
           return file.first != "launch.toml" && may_ask_for_alignment(file.second);
         });
}

ExportContext standalone_names(const StandaloneRequest& request)
{
  ExportContext names{request, request.candidate.plan.tuning.defaults(), standalone_name(request.kernel), {}, {}, {}};
  for (const auto& [parameter, value] : request.point) {
    names.point[parameter] = value;
  }
  names.macro = in_capitals(names.function);
  std::set<std::string> used = words_of(support_text(names.is_c()));
  for (const auto& [name, text] : request.candidate.files) {
    if (name != "launch.toml") {
      used.merge(words_of(text));
    }
  }
  for (const std::string& symbol : request.kernel.symbols) {
    used.insert("HONE_SIZE_" + symbol);
  }
  rename_ours(names, used);
  rename_theirs(names, used);
  return names;
}

std::string public_type(kernel::DataType type)
{
  return type == kernel::DataType::f16 || type == kernel::DataType::bf16 ? "uint16_t" : lower::cpu_type_text(type);
}

std::string public_parameter(const kernel::Argument& argument)
{
  if (argument.role == kernel::Role::scalar) {
    return public_type(argument.type) + " " + argument.name;
  }
  return (kernel::is_written(argument.role) ? "" : "const ") + public_type(argument.type) + "* " + argument.name;
}

std::string public_parameters(const kernel::Kernel& kernel)
{
  std::vector<std::string> out;
  for (const kernel::Argument& argument : kernel.arguments) {
    out.push_back(public_parameter(argument));
  }
  for (const std::string& symbol : kernel.symbols) {
    out.push_back("int64_t " + symbol);
  }
  return join(out, ", ");
}

std::string with_parameters(const ExportContext& names)
{
  const std::string prepared = names.prepares() ? fmt::format("const void* {}, ", names.local("prepared")) : "";
  return fmt::format("{}, {}void* {}", public_parameters(names.kernel()), prepared, names.local("work"));
}

std::string prepare_parameters(const ExportContext& names)
{
  std::vector<std::string> out;
  for (const kernel::Argument& argument : names.kernel().arguments) {
    if (argument.role == kernel::Role::weight) {
      out.push_back(public_parameter(argument));
    }
  }
  for (const std::string& symbol : names.kernel().symbols) {
    out.push_back("int64_t " + symbol);
  }
  return fmt::format("{}, void* {}", join(out, ", "), names.local("prepared"));
}

std::string size_parameters(const kernel::Kernel& kernel)
{
  return kernel.symbols.empty() ? "void" : "int64_t " + join(kernel.symbols, ", int64_t ");
}

std::string size_arguments(const kernel::Kernel& kernel)
{
  return join(kernel.symbols, ", ");
}

std::string filled(std::string text, const std::map<std::string, std::string>& values)
{
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    const std::size_t close = open == std::string::npos ? open : text.find('@', open + 1);
    if (close == std::string::npos) {
      break;
    }
    const auto value = values.find(text.substr(open + 1, close - open - 1));
    const bool is_name = value != values.end();
    out += text.substr(at, open - at) + (is_name ? value->second : text.substr(open, close - open));
    at = is_name ? close + 1 : close;
  }
  return out + text.substr(at);
}

} // namespace hone::ship
