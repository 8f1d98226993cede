#include "options.h"

#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

namespace {

double parse_number(const std::string& name, const std::string& text)
{
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !std::isfinite(value)) {
    throw std::invalid_argument(name + ": '" + text + "' is no number");
  }
  return value;
}

int parse_count(const std::string& name, const std::string& text, int least)
{
  const double value = parse_number(name, text);
  if (value != std::floor(value) || value < least || value > 1e9) {
    throw std::invalid_argument(name + ": '" + text + "' is no count");
  }
  return static_cast<int>(value);
}

} // namespace

const char* usage_text()
{
  return "usage: sparse [--cells N] [--layers N] [--contrast X] [--anisotropy X] [--seed N] [--wells N]\n"
         "              [--tolerance X] [--iterations N] [--relaxation X] [--preconditioner none|jacobi|ssor]\n"
         "              [--probe N] [--quiet]\n";
}

Options parse_options(int count, char** words)
{
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> with_value{
    {"--cells", [&](const std::string& v) { options.cells = parse_count("--cells", v, 2); }},
    {"--layers", [&](const std::string& v) { options.layers = parse_count("--layers", v, 1); }},
    {"--contrast", [&](const std::string& v) { options.contrast = parse_number("--contrast", v); }},
    {"--anisotropy", [&](const std::string& v) { options.anisotropy = parse_number("--anisotropy", v); }},
    {"--seed", [&](const std::string& v) { options.seed = std::stoul(v); }},
    {"--wells", [&](const std::string& v) { options.wells = parse_count("--wells", v, 0); }},
    {"--tolerance", [&](const std::string& v) { options.tolerance = parse_number("--tolerance", v); }},
    {"--iterations", [&](const std::string& v) { options.most_iterations = parse_count("--iterations", v, 1); }},
    {"--relaxation", [&](const std::string& v) { options.relaxation = parse_number("--relaxation", v); }},
    {"--preconditioner", [&](const std::string& v) { options.preconditioner = v; }},
    {"--probe", [&](const std::string& v) { options.probe = parse_count("--probe", v, 0); }},
  };
  for (int n = 1; n < count; ++n) {
    const std::string word = words[n];
    if (word == "--quiet") {
      options.quiet = true;
      continue;
    }
    const auto option = with_value.find(word);
    if (option == with_value.end()) {
      throw std::invalid_argument("there is no option '" + word + "'");
    }
    if (n + 1 == count) {
      throw std::invalid_argument(word + " lacks its value");
    }
    option->second(words[++n]);
  }
  if (options.contrast < 1 || options.anisotropy <= 0) {
    throw std::invalid_argument("--contrast is at least 1, and --anisotropy is positive");
  }
  if (options.relaxation <= 0 || options.relaxation >= 2) {
    throw std::invalid_argument("--relaxation lies between 0 and 2");
  }
  if (options.tolerance <= 0 || options.tolerance >= 1) {
    throw std::invalid_argument("--tolerance lies between 0 and 1");
  }
  return options;
}
