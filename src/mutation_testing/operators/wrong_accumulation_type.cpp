// A sum is kept in a narrower type: bf16 in place of f32, f32 in place of f64, 16 bits in place of an integer.
#include "mutation_testing/operator.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::mutation_testing {

namespace {

// Overloads: the sum may be a number or a vector, and its type may have a name in macros.h.
constexpr const char* k_for_cpu = R"(
static inline float mutant_narrowed(float value) { return hone_to_float(hone_to_bf16(value)); }
static inline double mutant_narrowed(double value) { return (double)(float)value; }
static inline int64_t mutant_narrowed(int64_t value) { return (int16_t)value; }
static inline f32v mutant_narrowed(f32v value)
{
  for (int session = 0; session < f32v_lanes; ++session) { value[session] = mutant_narrowed((float)value[session]); }
  return value;
}
static inline f64v mutant_narrowed(f64v value)
{
  for (int session = 0; session < f64v_lanes; ++session) { value[session] = mutant_narrowed((double)value[session]); }
  return value;
}
)";

std::string for_opencl(const std::string& type)
{
  const std::string body = type == "float"    ? "as_float(as_uint(value) & 0xffff0000u)"
                           : type == "double" ? "(double)(float)value"
                                              : "(long)(short)value";
  return fmt::format("\nstatic {0} mutant_narrowed({0} value) {{ return {1}; }}\n", type, body);
}

// In OpenCL C each type needs a function by its own name.
bool can_be_narrowed(const CodeSubject& subject, const std::string& type)
{
  return !subject.work_items || type == "float" || type == "double" || type == "long";
}

bool sums_integers(const kernel::Kernel& kernel)
{
  return std::ranges::any_of(kernel.outputs(),
                             [&](std::size_t output) { return !kernel::is_float(kernel.arguments[output].type); });
}

// The type of what a statement adds to, "" where that is no sum: a counter, an address.
std::string sum_type(const CodeSubject& subject, TokenRange statement, std::size_t plus)
{
  const SourceCode& code = subject.code;
  const std::string& name = code[statement.first].text;
  const bool element = code.is(statement.first + 1, "[");
  if (!(plus == statement.first + 1 || element) || (code.pointers().contains(name) && !element)) {
    return {};
  }
  const std::string type = code.type_of(name);
  const bool integer = (type == "int64_t" || type == "long") && sums_integers(subject.kernel);
  return is_float_type(type) || integer ? type : std::string();
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  const SourceCode& code = subject.code;
  std::vector<TextMutation> out;
  for (const TokenRange& statement : code.statements()) {
    const std::size_t plus = code.find(statement, "+=");
    const std::string type = plus < statement.last ? sum_type(subject, statement, plus) : "";
    if (type.empty() || !can_be_narrowed(subject, type)) {
      continue;
    }
    const std::string target = code.words({statement.first, plus});
    const std::string value = code.words({plus + 1, statement.last});
    const std::string narrowed = fmt::format("{0} = mutant_narrowed({0} + ({1}))", target, value);
    const std::size_t front = code.behind_includes();
    out.push_back({fmt::format("{} -> {}", code.words(statement), narrowed),
                   {{front, front, subject.work_items ? for_opencl(type) : k_for_cpu},
                    {code[statement.first].begin, code[statement.last - 1].end, narrowed}}});
  }
  return out;
}

} // namespace

MutationOperator wrong_accumulation_type()
{
  return {"wrong-accumulation-type", "a sum is kept in a narrower type", in_code};
}

} // namespace hone::mutation_testing
