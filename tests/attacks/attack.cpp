#include "attack.h"

#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace hone::attacks {
namespace {

std::vector<std::string> words_of(std::string_view text, char separator)
{
  std::vector<std::string> words;
  for (const std::string& word : split(text, separator)) {
    if (!trim(word).empty()) {
      words.emplace_back(trim(word));
    }
  }
  return words;
}

std::string with_word(std::string text, const std::string& word)
{
  constexpr std::string_view k_each = "EACH";
  for (std::size_t at = text.find(k_each); at != std::string::npos; at = text.find(k_each, at + word.size())) {
    text.replace(at, k_each.size(), word);
  }
  return text;
}

Result<int> count_of(const std::string& text)
{
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    return fail(fmt::format("'{}' is no number from 1 on", text));
  }
  return value;
}

// Lines are read by shells too, so that values may stand in quotes.
std::string unquoted(std::string_view value)
{
  if (value.size() >= 2 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'')) {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

using Setter = std::function<Result<void>(Attack&, const std::string&)>;

template <class Member> Setter text(Member member)
{
  return [member](Attack& attack, const std::string& value) -> Result<void> {
    attack.*member = value;
    return {};
  };
}

template <class Member> Setter list(Member member, char separator)
{
  return [member, separator](Attack& attack, const std::string& value) -> Result<void> {
    attack.*member = words_of(value, separator);
    return {};
  };
}

template <class Member> Setter count(Member member)
{
  return [member](Attack& attack, const std::string& value) -> Result<void> {
    HONE_TRY(attack.*member, count_of(value));
    return {};
  };
}

// `yes` for the first word, `no` for the second.
template <class Member> Setter choice(Member member, std::string yes, std::string no)
{
  return [=](Attack& attack, const std::string& value) -> Result<void> {
    if (value != yes && value != no) {
      return fail(fmt::format("must be {} or {}, not '{}'", yes, no, value));
    }
    attack.*member = value == yes;
    return {};
  };
}

const std::map<std::string, Setter, std::less<>>& setters()
{
  static const std::map<std::string, Setter, std::less<>> k_setters{
    {"rows", [](Attack&, const std::string&) { return Result<void>(); }}, // for table.sh
    {"detector", list(&Attack::detectors, ',')},
    {"status", list(&Attack::statuses, ',')},
    {"reason", text(&Attack::reason)},
    {"kernel", text(&Attack::kernel)},
    {"size", list(&Attack::sizes, ',')},
    {"each", list(&Attack::each, ' ')},
    {"against", text(&Attack::against)},
    {"needs", text(&Attack::needs)},
    {"secret", text(&Attack::secret)},
    {"deadline", count(&Attack::deadline)},
    {"timing", choice(&Attack::timing, "yes", "no")},
    {"set", choice(&Attack::in_default_set, "default", "rest")},
    {"repeat", count(&Attack::repeat)},
    {"tries", count(&Attack::tries)},
    {"threads", count(&Attack::threads)},
  };
  return k_setters;
}

bool holds_one_of(const std::string& reason, const std::vector<std::string>& words)
{
  return words.empty()
         || std::ranges::any_of(words, [&](const std::string& word) { return reason.find(word) != std::string::npos; });
}

} // namespace

bool Attack::is_for_opencl() const
{
  return fs::exists(folder / "candidate" / "device.cl");
}

Result<Detectors> load_detectors(const fs::path& file)
{
  HONE_TRY(const std::string content, read_file(file));
  Detectors detectors;
  int number = 0;
  for (const std::string& line : split(content, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    std::vector<std::string> fields = split(line, '|');
    std::ranges::transform(fields, fields.begin(), [](const std::string& field) { return std::string(trim(field)); });
    if (fields.size() != 6 || fields[0].empty() || (fields[1] != "build" && fields[1] != "call")) {
      return fail("expected NAME | build or call | CHECK | WORDS | TESTS | WHAT", {}, Place{file.string(), number, 0});
    }
    detectors.emplace(fields[0], Detector{fields[0], fields[2], words_of(fields[3], ';'), fields[1] == "build"});
  }
  return detectors;
}

Result<Attack> load_attack(const fs::path& folder, const Detectors& detectors)
{
  Attack attack{.name = folder.filename().string(), .folder = folder};
  const fs::path file = folder / "expect";
  HONE_TRY(const std::string content, read_file(file));
  int number = 0;
  for (const std::string& text_line : split(content, '\n')) {
    const std::string_view line = text_line;
    ++number;
    if (trim(line).empty() || line.starts_with('#')) {
      continue;
    }
    const std::size_t equals = line.find('=');
    const auto setter = setters().find(trim(line.substr(0, equals)));
    if (equals == std::string_view::npos || setter == setters().end()) {
      return fail(fmt::format("'{}' is no line of an expect", line), "see tests/attacks/README.md",
                  Place{file.string(), number, 0});
    }
    if (auto set = setter->second(attack, unquoted(trim(line.substr(equals + 1)))); !set) {
      set.error().place = Place{file.string(), number, 0};
      return std::unexpected(std::move(set.error()));
    }
  }
  const Place place{file.string(), 0, 0};
  if (attack.statuses.empty()) {
    return fail("status= is missing", {}, place);
  }
  const bool is_honest = attack.statuses == std::vector<std::string>{"correct"} && attack.against.empty();
  if (attack.detectors.empty() && !is_honest) {
    return fail("detector= is missing", "name a line of tests/attacks/detectors", place);
  }
  for (const std::string& detector : attack.detectors) {
    if (!detectors.contains(detector)) {
      return fail(fmt::format("there is no detector '{}'", detector), "tests/attacks/detectors lists them", place);
    }
  }
  if (attack.kernel == "matmul" && attack.sizes.empty()) {
    attack.sizes = {"m=96", "n=80", "k=112"};
  }
  for (const std::string& size : attack.sizes) {
    if (size.find('=') == std::string::npos) {
      return fail(fmt::format("'{}' is no SYMBOL=SIZE", size), {}, place);
    }
  }
  return attack;
}

Result<std::vector<Attack>> load_attacks(const fs::path& folder, const Detectors& detectors)
{
  std::vector<Attack> attacks;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "expect")) {
      HONE_TRY(Attack attack, load_attack(entry.path(), detectors));
      attacks.push_back(std::move(attack));
    }
  }
  std::ranges::sort(attacks, {}, &Attack::name);
  return attacks;
}

bool ends_at_build(const Attack& attack, const Detectors& detectors)
{
  return !attack.detectors.empty() && std::ranges::all_of(attack.detectors, [&](const std::string& name) {
    return detectors.at(name).ends_at_build;
  });
}

Answer answer_of(const record::Verdict& verdict)
{
  const auto failed = std::ranges::find(verdict.checks, false, &record::CheckResult::passed);
  return {std::string(record::name_of(verdict.status)), failed == verdict.checks.end() ? "" : failed->name,
          verdict.reason};
}

std::string complaint(const Attack& attack, const Detectors& detectors, const std::string& word, const Answer& answer)
{
  if (std::ranges::find(attack.statuses, answer.status) == attack.statuses.end()) {
    return fmt::format("ends with {} instead of {}", answer.status, fmt::join(attack.statuses, " or "));
  }
  if (answer.status == record::name_of(record::Status::correct)) {
    return {};
  }
  if (const std::string wanted = with_word(attack.reason, word); answer.reason.find(wanted) == std::string::npos) {
    return fmt::format("the reason does not hold '{}'", wanted);
  }
  const bool is_found = std::ranges::any_of(attack.detectors, [&](const std::string& name) {
    const Detector& detector = detectors.at(name);
    return (detector.check.empty() || detector.check == answer.check) && holds_one_of(answer.reason, detector.words);
  });
  return is_found ? "" : fmt::format("refused at '{}', not by {}", answer.check, fmt::join(attack.detectors, " or "));
}

} // namespace hone::attacks
