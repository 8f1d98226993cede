#include "ship/c_math.h"

#include "ship/carried.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;

// "static inline float hone_keep(f32v value, int64_t count, float otherwise)", read as far as it matters here.
struct Signature {
  std::size_t name_at = 0;             // the token
  std::string name;                    // "" for what is no function
  std::vector<std::string> parameters; // their names
  std::string vector;                  // type of the first parameter that is a vector of numbers, or points to them
  std::size_t chooses = 0;             // which one that is
  bool points = false;                 // that one is an address, and there is no vector
};

Signature signature_of(const std::vector<SourceToken>& tokens)
{
  Signature out;
  std::size_t at = 0;
  while (at + 1 < tokens.size() && !(tokens[at].text.starts_with("hone_") && tokens[at + 1].text == "(")) {
    if (tokens[at].text == "{" || tokens[at].text == "#") {
      return out;
    }
    ++at;
  }
  if (at + 1 >= tokens.size()) {
    return out;
  }
  out.name_at = at;
  out.name = tokens[at].text;
  std::string last;
  for (at += 2; at < tokens.size(); ++at) {
    const std::string& text = tokens[at].text;
    if (text == "," || text == ")") {
      out.parameters.push_back(last);
      if (text == ")") {
        break;
      }
    } else if (tokens[at].kind == Kind::word) {
      const bool vector = text == "f32v" || text == "f64v";
      const bool points = (text == "float" || text == "double") && at + 1 < tokens.size() && tokens[at + 1].text == "*";
      if ((vector && (out.vector.empty() || out.points)) || (points && out.vector.empty())) {
        out.vector = vector ? text : text == "float" ? "f32v" : "f64v";
        out.chooses = out.parameters.size();
        out.points = points;
      }
      last = text;
    }
  }
  return out;
}

std::string choice(const Signature& function)
{
  const std::string all = join(function.parameters, ", ");
  const std::string& chooses = function.parameters[function.chooses];
  if (function.points) {
    return fmt::format("#define {0}({1}) _Generic(*({2}), float: {0}_f32v, double: {0}_f64v)({1})\n", function.name,
                       all, chooses);
  }
  return fmt::format("#define {0}({1}) _Generic(({2}), f32v: {0}_f32v, f64v: {0}_f64v)({1})\n", function.name, all,
                     chooses);
}

} // namespace

std::string c_overloads(std::string_view text)
{
  const std::vector<std::string> paragraphs = paragraph_texts(text);
  std::map<std::string, int> left;
  for (const std::string& paragraph : paragraphs) {
    const Signature function = signature_of(source_tokens(paragraph));
    left[function.vector.empty() ? "" : function.name] += 1;
  }
  std::map<std::string, bool> is_overloaded;
  for (const auto& [name, count] : left) {
    is_overloaded[name] = !name.empty() && count == 2;
  }
  std::string out;
  for (const std::string& paragraph : paragraphs) {
    std::vector<SourceToken> tokens = source_tokens(paragraph);
    const Signature function = signature_of(tokens);
    const bool renamed = !function.vector.empty() && is_overloaded[function.name];
    if (renamed) {
      tokens[function.name_at].text += "_" + function.vector;
    }
    out += text_of(tokens) + "\n";
    if (renamed && --left[function.name] == 0) {
      out += choice(function) + "\n";
    }
  }
  return out;
}

} // namespace hone::ship
