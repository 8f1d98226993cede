#include "config.h"

#include <cctype>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace heat {

namespace {

std::string stripped(const std::string& text)
{
  std::size_t first = 0, last = text.size();
  while (first < last && std::isspace(static_cast<unsigned char>(text[first]))) {
    ++first;
  }
  while (last > first && std::isspace(static_cast<unsigned char>(text[last - 1]))) {
    --last;
  }
  return text.substr(first, last - first);
}

[[noreturn]] void complain(const std::string& path, int line, const std::string& what)
{
  std::ostringstream message;
  message << path << ":" << line << ": " << what;
  throw std::runtime_error(message.str());
}

double number(const std::string& text)
{
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    throw std::runtime_error("'" + text + "' is no number");
  }
  if (used != text.size()) {
    throw std::runtime_error("'" + text + "' is no number");
  }
  return value;
}

int count(const std::string& text)
{
  const double value = number(text);
  const int whole = static_cast<int>(value);
  if (value != whole) {
    throw std::runtime_error("'" + text + "' is no whole number");
  }
  return whole;
}

// "fixed 350", "insulated", "flux 1500", "convective 12.5 293.15"
Boundary boundary(const std::string& text)
{
  std::istringstream words(text);
  std::string kind;
  words >> kind;
  Boundary result;
  if (kind == "insulated") {
    result.kind = Boundary::Kind::flux;
    result.flux = 0;
  } else if (kind == "fixed") {
    result.kind = Boundary::Kind::fixed;
    words >> result.temperature;
  } else if (kind == "flux") {
    result.kind = Boundary::Kind::flux;
    words >> result.flux;
  } else if (kind == "convective") {
    result.kind = Boundary::Kind::convective;
    words >> result.coefficient >> result.temperature;
  } else {
    throw std::runtime_error("'" + kind + "' is no boundary");
  }
  if (words.fail()) {
    throw std::runtime_error("'" + text + "' lacks a number");
  }
  return result;
}

using Setter = std::function<void(Config&, const std::string&)>;

const std::map<std::string, Setter>& setters()
{
  static const std::map<std::string, Setter> all{
    {"nx", [](Config& c, const std::string& v) { c.nx = count(v); }},
    {"ny", [](Config& c, const std::string& v) { c.ny = count(v); }},
    {"length", [](Config& c, const std::string& v) { c.length = number(v); }},
    {"width", [](Config& c, const std::string& v) { c.width = number(v); }},
    {"steps", [](Config& c, const std::string& v) { c.steps = count(v); }},
    {"safety", [](Config& c, const std::string& v) { c.safety = number(v); }},
    {"initial", [](Config& c, const std::string& v) { c.initial = number(v); }},
    {"seed", [](Config& c, const std::string& v) { c.seed = std::stoul(v); }},
    {"inclusions", [](Config& c, const std::string& v) { c.inclusions = count(v); }},
    {"source", [](Config& c, const std::string& v) { c.source = number(v); }},
    {"source_radius", [](Config& c, const std::string& v) { c.source_radius = number(v); }},
    {"report", [](Config& c, const std::string& v) { c.report = count(v); }},
    {"checkpoint_every", [](Config& c, const std::string& v) { c.checkpoint_every = count(v); }},
    {"checkpoint", [](Config& c, const std::string& v) { c.checkpoint = v; }},
    {"restart", [](Config& c, const std::string& v) { c.restart = v; }},
    {"west", [](Config& c, const std::string& v) { c.west = boundary(v); }},
    {"east", [](Config& c, const std::string& v) { c.east = boundary(v); }},
    {"south", [](Config& c, const std::string& v) { c.south = boundary(v); }},
    {"north", [](Config& c, const std::string& v) { c.north = boundary(v); }},
  };
  return all;
}

} // namespace

Config read_config(const std::string& path)
{
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  Config config;
  std::string line;
  for (int number_of_line = 1; std::getline(file, line); ++number_of_line) {
    line = stripped(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      complain(path, number_of_line, "NAME = VALUE is missing");
    }
    const std::string name = stripped(line.substr(0, equals));
    const auto setter = setters().find(name);
    if (setter == setters().end()) {
      complain(path, number_of_line, "there is no setting '" + name + "'");
    }
    try {
      setter->second(config, stripped(line.substr(equals + 1)));
    } catch (const std::exception& error) {
      complain(path, number_of_line, error.what());
    }
  }
  check_config(config);
  return config;
}

void check_config(const Config& config)
{
  if (config.nx < 3 || config.ny < 3) {
    throw std::runtime_error("the grid needs at least three cells each way");
  }
  if (config.length <= 0 || config.width <= 0) {
    throw std::runtime_error("the plate needs a positive size");
  }
  if (config.safety <= 0 || config.safety > 1) {
    throw std::runtime_error("safety lies between 0 and 1");
  }
  if (config.steps < 0) {
    throw std::runtime_error("steps is not negative");
  }
  if (config.checkpoint_every > 0 && config.checkpoint.empty()) {
    throw std::runtime_error("checkpoint_every needs a checkpoint file");
  }
}

} // namespace heat
