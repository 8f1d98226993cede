#include "app/settings.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::app {

namespace {

// Whole numbers and the least that makes sense.
struct Least {
  const char* name;
  std::int64_t value;
};
constexpr Least k_least[] = {{"budget", 1},  {"max-calls", 1},    {"repairs", 0},
                             {"samples", 1}, {"trajectories", 1}, {"trajectory-steps", 1}};
constexpr const char* k_limits[] = {"context-tokens", "max-device-seconds", "max-minutes", "max-tokens",
                                    "max-usd",        "temperature"};

// The place of a mistake is where the setting came from.
Place place_of(const Setting& setting)
{
  return {setting.origin, 0, 0};
}

Result<void> check_word(const Setting& setting)
{
  const std::vector<std::string> words = words_of_setting(setting.name);
  if (words.empty() || std::ranges::find(words, setting.value) != words.end()) {
    return {};
  }
  return fail(fmt::format("there is no {} '{}'; there are: {}", setting.name, setting.value, join(words, ", ")),
              did_you_mean(setting.value, words), place_of(setting));
}

} // namespace

Result<void> Settings::check() const
{
  for (const Setting& setting : all()) {
    HONE_CHECK(check_word(setting));
  }
  for (const Least& least : k_least) {
    HONE_TRY(const std::int64_t value, integer(least.name));
    if (value < least.value) {
      return fail(fmt::format("{} must be {} or more, not {}", least.name, least.value, value), {},
                  place_of(m_settings.at(least.name)));
    }
  }
  for (const char* name : k_limits) {
    HONE_CHECK(limit(name));
  }
  HONE_CHECK(integer("threads"));
  HONE_CHECK(seed());
  return {};
}

Result<std::uint64_t> Settings::seed() const
{
  const Setting& setting = m_settings.at("seed");
  std::string_view digits = setting.value;
  const bool negative = digits.starts_with('-');
  digits.remove_prefix(negative ? 1 : 0);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  digits.remove_prefix(hexadecimal ? 2 : 0);
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || stop != end) {
    return fail(
      fmt::format("a seed is a whole number of 64 bits, such as 17 or 0xe188289c6abe5fe7, not '{}'", setting.value), {},
      place_of(setting));
  }
  return negative ? 0 - value : value;
}

} // namespace hone::app
