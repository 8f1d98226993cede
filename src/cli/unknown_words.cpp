#include "cli/unknown_words.h"

#include "cli/called_as.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

namespace hone::cli {

namespace {

std::string hint_for(const std::string& word, const std::vector<std::string>& names, const std::string& help)
{
  return did_you_mean(word, names, fmt::format("`{} --help` lists them", help));
}

std::map<std::string, const CLI::App*> commands_by_name(const CLI::App& app)
{
  std::map<std::string, const CLI::App*> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands[command->get_name()] = command;
  }
  return commands;
}

std::vector<std::string> names_of(const std::map<std::string, const CLI::App*>& commands)
{
  std::vector<std::string> names;
  for (const auto& [name, command] : commands) {
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& app)
{
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

} // namespace

std::optional<Error> unknown_word(const CLI::App& app, std::span<const char* const> words)
{
  const CLI::App* command = &app;
  std::string help = called_as();
  for (const std::string word : words) {
    if (word == "--") {
      break;
    }
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      if (command->get_option_no_throw(name) == nullptr) {
        return Error{
          fmt::format("`{}` has no option '{}'", help, name), hint_for(name, options_of(*command), help), {}};
      }
    } else if (const auto commands = commands_by_name(*command); !commands.empty()) {
      const auto next = commands.find(word);
      if (next == commands.end()) {
        return Error{fmt::format("`{}` has no command '{}'", help, word), hint_for(word, names_of(commands), help), {}};
      }
      command = next->second;
      help += " " + word;
    }
  }
  return std::nullopt;
}

std::optional<Error> unknown_choice(const CLI::ParseError& error)
{
  static const std::regex k_said(R"((.+): (.*) not in \{(.*)\})");
  const std::string said = error.what();
  std::smatch parts;
  if (!std::regex_match(said, parts, k_said)) {
    return std::nullopt;
  }
  const std::vector<std::string> words = split(parts[3].str(), ',');
  return Error{fmt::format("{}: there is no '{}'; there are: {}", parts[1].str(), parts[2].str(), join(words, ", ")),
               did_you_mean(parts[2].str(), words),
               {}};
}

} // namespace hone::cli
