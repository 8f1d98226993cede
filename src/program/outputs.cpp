#include "program/outputs.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace hone::program {

namespace {

constexpr std::size_t k_shown_word = 60; // characters

struct Word {
  std::string_view text;
  std::size_t line = 0; // from 1
};

bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

// Words between blanks; the comma of "1.5,2" ends a word, too, and is one.
std::vector<Word> words_of(std::string_view text, std::span<const std::string> ignored)
{
  std::vector<Word> words;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (std::ranges::any_of(ignored, [&](const std::string& part) { return line.find(part) != line.npos; })) {
      continue;
    }
    std::size_t at = 0;
    const auto separates = [](char c) { return c == ',' || c == ';' || c == '=' || c == '(' || c == ')' || c == ':'; };
    while (at < line.size()) {
      const std::size_t begin = at;
      if (is_blank(line[at])) {
        ++at;
        continue;
      }
      do {
        ++at;
      } while (!separates(line[begin]) && at < line.size() && !is_blank(line[at]) && !separates(line[at]));
      words.push_back({line.substr(begin, at - begin), number});
    }
  }
  return words;
}

struct Number {
  double value = 0;
  bool real = false;     // has a point or an exponent
  std::string_view rest; // a unit behind it: "%"
};

std::optional<Number> number_in(std::string_view word)
{
  std::string_view digits = word;
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  const std::string_view unsigned_digits = digits.starts_with('-') ? digits.substr(1) : digits;
  if (unsigned_digits.empty()
      || (std::isdigit(static_cast<unsigned char>(unsigned_digits[0])) == 0 && unsigned_digits[0] != '.')) {
    return std::nullopt;
  }
  Number number;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  if (code != std::errc()) {
    return std::nullopt;
  }
  const std::string_view taken = digits.substr(0, static_cast<std::size_t>(end - digits.data()));
  number.real = taken.find_first_of(".eE") != taken.npos;
  number.rest = digits.substr(taken.size());
  return number;
}

// The error as a part of what is allowed; infinity where they do not agree at all.
double part_of_allowed(double expected, double got, const Tolerance& tolerance)
{
  if (expected == got || (std::isnan(expected) && std::isnan(got))) {
    return 0;
  }
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
  const double error = std::abs(got - expected);
  return allowed > 0 && std::isfinite(error) ? error / allowed : HUGE_VAL;
}

std::string shown(std::string_view word)
{
  return printable(std::string(word.substr(0, k_shown_word)));
}

} // namespace

Agreement compare_text(std::string_view expected, std::string_view got, const Tolerance& tolerance,
                       std::span<const std::string> ignored)
{
  const std::vector<Word> theirs = words_of(expected, ignored);
  const std::vector<Word> ours = words_of(got, ignored);
  Agreement agreement;
  const auto differ = [&](std::string text) {
    agreement.agrees = false;
    agreement.difference = std::move(text);
    return agreement;
  };
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) {
    const std::string place = fmt::format("line {}: ", theirs[i].line);
    if (theirs[i].text == ours[i].text) {
      const auto number = number_in(theirs[i].text);
      agreement.reals += number && number->real ? 1 : 0;
      continue;
    }
    const auto a = number_in(theirs[i].text);
    const auto b = number_in(ours[i].text);
    if (!a || !b || a->rest != b->rest || (!a->real && !b->real)) {
      return differ(fmt::format("{}{} instead of {}", place, shown(ours[i].text), shown(theirs[i].text)));
    }
    ++agreement.reals;
    const double part = part_of_allowed(a->value, b->value, tolerance);
    agreement.worst = std::max(agreement.worst, part);
    if (part > 1) {
      return differ(fmt::format("{}{} instead of {}: {:.3g} of the allowed error", place, shown(ours[i].text),
                                shown(theirs[i].text), part));
    }
  }
  if (theirs.size() > ours.size()) {
    return differ(
      fmt::format("line {}: the output ends before {}", theirs[ours.size()].line, shown(theirs[ours.size()].text)));
  }
  if (ours.size() > theirs.size()) {
    return differ(fmt::format("line {}: {} is too much", ours[theirs.size()].line, shown(ours[theirs.size()].text)));
  }
  return agreement;
}

Agreement compare_numbers(std::string_view expected, std::string_view got, OutputSpec::As type,
                          const Tolerance& tolerance)
{
  Agreement agreement;
  if (expected.size() != got.size()) {
    agreement.agrees = false;
    agreement.difference = fmt::format("{} bytes instead of {}", got.size(), expected.size());
    return agreement;
  }
  const std::size_t size = type == OutputSpec::As::f32 ? sizeof(float) : sizeof(double);
  const auto value_at = [&](std::string_view bytes, std::size_t i) {
    if (type == OutputSpec::As::f32) {
      float value = 0;
      std::memcpy(&value, bytes.data() + i * size, size);
      return static_cast<double>(value);
    }
    double value = 0;
    std::memcpy(&value, bytes.data() + i * size, size);
    return value;
  };
  agreement.reals = expected.size() / size;
  for (std::size_t i = 0; i < agreement.reals; ++i) {
    const double a = value_at(expected, i);
    const double b = value_at(got, i);
    const double part = part_of_allowed(a, b, tolerance);
    agreement.worst = std::max(agreement.worst, part);
    if (part > 1) {
      agreement.agrees = false;
      agreement.difference =
        fmt::format("element {}: {:.9g} instead of {:.9g}: {:.3g} of the allowed error", i, b, a, part);
      return agreement;
    }
  }
  const std::size_t whole = agreement.reals * size;
  if (expected.substr(whole) != got.substr(whole)) {
    agreement.agrees = false;
    agreement.difference = "the bytes behind the last number differ";
  }
  return agreement;
}

} // namespace hone::program
