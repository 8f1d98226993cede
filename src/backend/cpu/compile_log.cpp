#include "backend/cpu/compile_log.h"

#include "util/text.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <vector>

namespace hone::backend::cpu {

namespace {

// The text between `open` and `close` after the first `open`.
std::optional<std::string> between(std::string_view line, std::string_view open, std::string_view close)
{
  const std::size_t start = line.find(open);
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(start + open.size());
  const std::size_t end = rest.find(close);
  return end == std::string_view::npos ? std::nullopt : std::optional<std::string>(rest.substr(0, end));
}

bool is_noise(std::string_view line)
{
  constexpr std::array<std::string_view, 6> starts = {"In file included from <command-line>",
                                                      "compilation terminated.",
                                                      "collect2:",
                                                      "/usr/bin/ld: note:",
                                                      "cc1plus: warning: command",
                                                      "ld: warning:"};
  for (const std::string_view start : starts) {
    if (line.starts_with(start)) {
      return true;
    }
  }
  // "ld: kernel.o: in function `matmul':" only leads to the message after it.
  return line.find(": in function `") != std::string_view::npos && line.ends_with("':");
}

// A source excerpt under a message: "   12 | text" or "      |   ^~~~".
bool is_excerpt(std::string_view line)
{
  const std::size_t bar = line.find('|');
  return line.starts_with(' ') && bar != std::string_view::npos
         && line.substr(0, bar).find_first_not_of(" 0123456789+") == std::string_view::npos;
}

std::string about_undefined(const std::string& symbol)
{
  return fmt::format("device.cpp: error: {} is used but not defined; kernels have <cmath>, memcpy and memset, and "
                     "nothing that allocates, prints or throws",
                     symbol);
}

std::string about_missing(const std::string& kernel)
{
  return fmt::format("device.cpp: error: launch.toml launches {}, which is not defined here", kernel);
}

// "hone_prototypes.h:3:17: note: previous declaration 'void f(int)'": what the launch plan asks for.
std::string about_launch(std::string_view line)
{
  const auto declared = between(line, "declaration '", "'");
  if (declared) {
    return fmt::format("launch.toml: note: the launch passes what '{}' takes", *declared);
  }
  const std::size_t message = line.find(": ");
  return fmt::format("launch.toml: {}", message == std::string_view::npos ? line : line.substr(message + 2));
}

} // namespace

std::string translate_compile_log(std::string_view log)
{
  std::string text;
  std::set<std::string> undefined;
  bool in_wrapper = false; // inside the excerpt of a message about our own file
  for (std::string line : split(log, '\n')) {
    // The compiler found the wrapper in its own folder.
    line = replace_all(std::move(line), fmt::format("./{}", k_prototypes_file), k_prototypes_file);
    if (is_noise(line) || (in_wrapper && is_excerpt(line))) {
      continue;
    }
    in_wrapper = line.starts_with(k_prototypes_file);
    if (in_wrapper) {
      text += about_launch(line) + "\n";
    } else if (const auto symbol = between(line, "undefined reference to `", "'")) {
      if (undefined.insert(*symbol).second) {
        text += about_undefined(*symbol) + "\n";
      }
    } else if (const auto kernel = between(line, "required symbol `", "'")) {
      text += about_missing(*kernel) + "\n";
    } else if (line.find("attempt to use poisoned \"") != std::string::npos) {
      text += line + "; accesses to memory are watched with a sanitizer, which must see all of the code\n";
    } else if (line.starts_with("In file included from ") && line.find(k_prototypes_file) != std::string::npos) {
      continue;
    } else {
      text += replace_all(line, "/usr/bin/", "") + "\n";
    }
  }
  return std::string(trim(text)) + (trim(text).empty() ? "" : "\n");
}

} // namespace hone::backend::cpu
