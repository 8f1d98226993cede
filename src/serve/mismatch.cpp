#include "serve/mismatch.h"

#include "util/text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <regex>

namespace hone::serve {

namespace {

double number_in(const std::ssub_match& text)
{
  return std::strtod(text.str().c_str(), nullptr); // takes nan and inf, too
}

Json number_json(double number)
{
  return std::isfinite(number) ? Json(number) : Json(fmt::format("{}", number));
}

} // namespace

std::optional<Mismatch> mismatch_in(std::string_view text)
{
  static const std::regex pattern(
    R"(([A-Za-z_][A-Za-z0-9_]*)(?:\[([0-9, ]*)\])?: got ([^ ,]+), expected ([^ ,]+) \+- ([^ ,;]+))");
  const std::string owned(text);
  std::smatch found;
  if (!std::regex_search(owned, found, pattern)) {
    return std::nullopt;
  }
  Mismatch mismatch;
  mismatch.argument = found[1];
  for (const std::string& part : split(found[2].str(), ',')) {
    if (const std::string_view digits = trim(part); !digits.empty()) {
      mismatch.index.push_back(std::strtoll(std::string(digits).c_str(), nullptr, 10));
    }
  }
  mismatch.got = number_in(found[3]);
  mismatch.expected = number_in(found[4]);
  mismatch.tolerance = number_in(found[5]);
  return mismatch;
}

Json mismatch_json(const record::Verdict& verdict)
{
  // The reason names the first wrong element; the figures, the worst one.
  std::optional<Mismatch> mismatch = mismatch_in(verdict.reason);
  if (!mismatch) {
    mismatch = mismatch_in(verdict.errors.worst_where);
  }
  Json json{{"where", verdict.reason}};
  if (mismatch) {
    json["argument"] = mismatch->argument;
    json["index"] = mismatch->index;
    json["got"] = number_json(mismatch->got);
    json["expected"] = number_json(mismatch->expected);
    json["tolerance"] = number_json(mismatch->tolerance);
  }
  return json;
}

} // namespace hone::serve
