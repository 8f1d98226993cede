#include "ship/check_text.h"

#include "kernel/reference_source.h"
#include "ship/cases.h"
#include "ship/check_template.h"
#include "ship/signature_text.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

std::string numbers(const std::vector<std::int64_t>& values)
{
  std::vector<std::string> out;
  for (const std::int64_t value : values) {
    out.push_back(std::to_string(value));
  }
  return "{" + (out.empty() ? "0" : join(out, ", ")) + "}";
}

// Where inputs are drawn from: all of a bounded domain, and otherwise numbers of everyday size.
std::pair<double, double> drawn_from(const kernel::Argument& argument, const kernel::Domain& domain)
{
  double low = std::max(domain.low, kernel::is_float(argument.type)      ? -1.0
                                    : kernel::is_unsigned(argument.type) ? 0.0
                                                                         : -100.0);
  double high = std::min(domain.high, kernel::is_float(argument.type) ? 1.0 : 100.0);
  if (domain.is_finite()) {
    low = domain.low;
    high = domain.high;
  }
  if (argument.type == kernel::DataType::boolean) {
    low = 0;
    high = 1;
  }
  return low <= high ? std::pair(low, high) : std::pair(domain.low, std::min(domain.high, domain.low + 1));
}

std::string case_text(const ExportContext& names, const CheckCase& one)
{
  std::vector<std::int64_t> sizes;
  for (const std::string& symbol : names.kernel().symbols) {
    sizes.push_back(one.sizes.at(symbol));
  }
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < one.domains.size(); ++i) {
    const auto [low, high] = drawn_from(names.kernel().arguments[i], one.domains[i]);
    ranges.push_back(fmt::format("{{{}, {}}}", low, high));
  }
  return fmt::format("  {{\"{}\", {}, {}, {}, {}, {{{}}}, {}}},\n", kernel::to_text(one.sizes), numbers(sizes),
                     numbers(one.elements), numbers(one.rows), numbers(one.statements), join(ranges, ", "),
                     one.is_sampled ? "true" : "false");
}

std::string argument_text(const kernel::Kernel& kernel, const kernel::Argument& argument)
{
  std::int64_t statement = -1;
  if (kernel::is_written(argument.role)) {
    statement = static_cast<std::int64_t>(kernel::home_of(kernel.program, argument.name));
  }
  return fmt::format("  {{\"{}\", Type::{}, {}, {}, {}, {}, {}}},\n", argument.name,
                     argument.type == kernel::DataType::boolean ? "boolean" : kernel::name_of(argument.type),
                     kernel::size_of(argument.type), argument.role != kernel::Role::output ? "true" : "false",
                     statement, argument.rising, static_cast<int>(argument.matrix));
}

// fn(static_cast<const float*>(data[0]), ..., sizes[0], ...)
std::string call_text(const ExportContext& names)
{
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.kernel().arguments.size(); ++i) {
    out.push_back(typed_argument(names.kernel().arguments[i], fmt::format("data[{}]", i)));
  }
  for (std::size_t i = 0; i < names.kernel().symbols.size(); ++i) {
    out.push_back(fmt::format("one.sizes[{}]", i));
  }
  return fmt::format("{}{}({})", names.function, has_signature(names) ? "_as_given" : "", join(out, ", "));
}

} // namespace

std::string typed_argument(const kernel::Argument& argument, const std::string& bytes)
{
  const std::string type = public_type(argument.type);
  return argument.role == kernel::Role::scalar ? fmt::format("*(const {}*){}", type, bytes)
                                               : fmt::format("({}*){}", type, bytes);
}

Result<std::string> check_text(const ExportContext& names)
{
  const kernel::Kernel& kernel = names.kernel();
  HONE_TRY(const std::vector<CheckCase> cases, check_cases(names));
  HONE_TRY(const std::string adapter, adapter_text(names));
  std::string case_lines;
  for (const CheckCase& one : cases) {
    case_lines += case_text(names, one);
  }
  std::string argument_lines;
  for (const kernel::Argument& argument : kernel.arguments) {
    argument_lines += argument_text(kernel, argument);
  }
  return filled(check_template(), {{"fn", names.function},
                                   {"elements aside", names.needs_alignment() ? "0" : "1"}, // none is asked for
                                   {"cases", case_lines},
                                   {"arguments", argument_lines},
                                   {"argument count", std::to_string(kernel.arguments.size())},
                                   {"size count", std::to_string(std::max<std::size_t>(1, kernel.symbols.size()))},
                                   {"statement count", std::to_string(kernel.program.statements.size())},
                                   {"adapter", adapter.empty() ? "" : adapter + "\n"},
                                   {"call", call_text(names)}});
}

std::string reference_text(const ExportContext& names)
{
  const std::string prefix = names.function + "_reference_";
  return with_words(kernel::reference_source(names.kernel(), std::nullopt), {{"hone_all", prefix + "all"},
                                                                             {"hone_one", prefix + "one"},
                                                                             {"hone_accept", prefix + "accept"},
                                                                             {"hone_watch", prefix + "watch"}});
}

} // namespace hone::ship
