#include "cli/called_as.h"

#include "util/util.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace hone::cli {

namespace {

std::string& name()
{
  static std::string name = "hone";
  return name;
}

// Whether the shell, given "hone", would start this file.
bool is_on_path(const fs::path& program)
{
  const char* path = std::getenv("PATH");
  std::error_code ignored;
  for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
    if (fs::exists(fs::path(folder) / "hone", ignored)) {
      return fs::equivalent(fs::path(folder) / "hone", program, ignored);
    }
  }
  return false;
}

std::string quoted(const std::string& word)
{
  const auto is_plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || std::string_view("_-./=,:@%+").contains(static_cast<char>(letter));
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    return word;
  }
  return "'" + replace_all(word, "'", "'\\''") + "'";
}

} // namespace

void remember_call(const char* program)
{
  const char* script = std::getenv("HONE_CALLED_AS");
  const std::string called = script != nullptr ? script : program != nullptr ? program : "";
  const bool is_path = called.find('/') != std::string::npos;
  name() = is_path && !is_on_path(called) ? quoted(called) : "hone";
}

const std::string& called_as()
{
  return name();
}

std::string command_to_paste(std::span<const std::string> words)
{
  std::string command = called_as();
  for (const std::string& word : words) {
    command += " " + quoted(word);
  }
  return command;
}

std::string as_called(const std::string& text)
{
  return replace_all(text, "`hone ", "`" + called_as() + " ");
}

} // namespace hone::cli
