#include "cli/unknown_words.h"

#include "cli/called_as.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace hone::cli {

namespace {

std::string hint_for(const std::string& word, const std::vector<std::string>& names, const std::string& help)
{
  const std::string nearest = nearest_name(word, names);
  return nearest.empty() ? fmt::format("`{} --help` lists them", help) : fmt::format("did you mean '{}'?", nearest);
}

std::map<std::string, const CLI::App*> commands_of(const CLI::App& app)
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
    } else if (const auto commands = commands_of(*command); !commands.empty()) {
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

} // namespace hone::cli
