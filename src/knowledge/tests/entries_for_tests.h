// Entries as tests need them.
#pragma once

#include "knowledge/knowledge.h"
#include "util/util.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace hone::knowledge::tests {

inline Signature signature(const std::string& bottleneck = "strided access", const std::string& device = "one")
{
  return {"contraction", "cpu", device, "Machine " + device, "f32", "large square", bottleneck, {{bottleneck, 3}}};
}

inline Base base_in_memory()
{
  auto base = Base::in_memory();
  EXPECT_TRUE(base) << (base ? "" : base.error().text());
  return std::move(*base);
}

inline std::string known_state(Base& base, const Signature& of = signature())
{
  const auto match = base.match(of);
  EXPECT_TRUE(match) << (match ? "" : match.error().text());
  return match ? match->state.id : "";
}

// A try that was `ratio` times as fast; `number` tells tries apart.
inline Evidence tried(const std::string& state, const std::string& technique, double ratio, int number = 0)
{
  Evidence evidence;
  evidence.state = state;
  evidence.technique = technique;
  evidence.kernel = "matmul";
  evidence.kernel_hash = "h";
  evidence.record = fmt::format("record {}", number);
  evidence.time_utc = "2026-01-01T00:00:00Z";
  evidence.gain = Gain{std::log(ratio), {std::log(ratio) - 0.01, std::log(ratio) + 0.01}};
  evidence.comparison = ratio > 1 ? "FAST" : "SLOW";
  evidence.seconds = 2;
  return evidence;
}

inline Evidence failed(const std::string& state, const std::string& technique, const std::string& kind, int number = 0)
{
  Evidence evidence = tried(state, technique, 1, number);
  evidence.gain.reset();
  evidence.comparison = "";
  evidence.failure = kind;
  evidence.detail = "C[1, 2]: got 3";
  return evidence;
}

template <class Value> void expect_ok(const Result<Value>& result)
{
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
}

inline std::int64_t at(const std::string& time)
{
  return seconds_of(time);
}

inline Answer ranked(const Base& base, const Signature& of, const std::string& state, std::vector<Option> options = {},
                     const std::string& now = "2026-01-01T00:00:00Z")
{
  Question question;
  question.signature = of;
  question.state = state;
  question.options = std::move(options);
  question.now = at(now);
  const auto answer = rank(base, question);
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().text());
  return answer ? *answer : Answer{};
}

inline std::string exported(const Base& base, const Filter& filter = {})
{
  std::string text;
  expect_ok(export_lines(base, filter, [&](std::string_view line) -> Result<void> {
    text += line;
    return {};
  }));
  return text;
}

inline Result<Brought> imported(Base& base, const std::string& text, bool again = false)
{
  std::istringstream lines(text);
  return import_lines(base, lines, "lines", again);
}

} // namespace hone::knowledge::tests
