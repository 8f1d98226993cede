#include "program/parameters.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::program {

namespace {

template <class T> bool parse_whole_text(std::string_view text, T& value)
{
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool is_name(std::string_view text)
{
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Calls `found(name, begin, end)` for each {name}; other braces are text.
template <class Found> void for_each_name(std::string_view text, Found found)
{
  std::size_t at = 0;
  while ((at = text.find('{', at)) != std::string_view::npos) {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) {
      return;
    }
    if (const std::string_view name = text.substr(at + 1, end - at - 1); is_name(name)) {
      found(name, at, end + 1);
      at = end + 1;
    } else {
      ++at;
    }
  }
}

} // namespace

Result<Parameter> parameter_from(std::string_view text)
{
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return Choices{std::string(text)};
  }
  const std::string_view low = trim(text.substr(0, dots));
  const std::string_view high = trim(text.substr(dots + 2));
  WholeRange whole;
  if (parse_whole_text(low, whole.low) && parse_whole_text(high, whole.high)) {
    if (whole.low > whole.high) {
      return fail(fmt::format("the range '{}' is empty", text), "write the lower end first");
    }
    return whole;
  }
  RealRange real;
  if (parse_whole_text(low, real.low) && parse_whole_text(high, real.high)) {
    if (!(real.low <= real.high)) {
      return fail(fmt::format("the range '{}' is empty", text), "write the lower end first");
    }
    return real;
  }
  return fail(fmt::format("'{}' is no range", text), "write 64..512, or 0.1..0.5");
}

Values draw(const Parameters& parameters, Random& random)
{
  Values values;
  for (const auto& [name, parameter] : parameters) {
    if (const auto* choices = std::get_if<Choices>(&parameter)) {
      values[name] = choices->at(random.below(choices->size()));
    } else if (const auto* whole = std::get_if<WholeRange>(&parameter)) {
      const auto extent = static_cast<std::uint64_t>(whole->high) - static_cast<std::uint64_t>(whole->low) + 1;
      const std::uint64_t step = extent == 0 ? random.next() : random.below(extent);
      values[name] = std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(whole->low) + step));
    } else {
      const auto& real = std::get<RealRange>(parameter);
      values[name] = fmt::format("{:.12g}", real.low + (real.high - real.low) * random.uniform());
    }
  }
  return values;
}

double count_of(const Parameters& parameters)
{
  constexpr double k_many = 0x1p62;
  double count = 1;
  for (const auto& [name, parameter] : parameters) {
    if (const auto* choices = std::get_if<Choices>(&parameter)) {
      count *= static_cast<double>(choices->size());
    } else if (const auto* whole = std::get_if<WholeRange>(&parameter)) {
      count *= static_cast<double>(whole->high) - static_cast<double>(whole->low) + 1;
    } else {
      const auto& real = std::get<RealRange>(parameter);
      count *= real.low < real.high ? k_many : 1;
    }
  }
  return std::min(count, k_many);
}

Result<std::string> filled(std::string_view text, const Values& values)
{
  std::string result, missing;
  std::size_t copied = 0;
  for_each_name(text, [&](std::string_view name, std::size_t begin, std::size_t end) {
    const auto value = values.find(std::string(name));
    if (value == values.end()) {
      missing = name;
      return;
    }
    result.append(text.substr(copied, begin - copied)).append(value->second);
    copied = end;
  });
  if (!missing.empty()) {
    return fail(fmt::format("the parameter '{}' has no value", missing));
  }
  return result.append(text.substr(copied));
}

std::vector<std::string> names_in(std::string_view text)
{
  std::vector<std::string> names;
  for_each_name(text, [&](std::string_view name, std::size_t, std::size_t) { names.emplace_back(name); });
  return names;
}

std::string to_text(const Values& values)
{
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

} // namespace hone::program
