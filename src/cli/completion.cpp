#include "cli/completion.h"

#include "app/settings.h"

#include <fmt/format.h>

#include <array>

namespace hone::cli {

namespace {

// Where the values of an argument come from that is no setting and has no closed list: "COMMAND ARGUMENT" before
// "ARGUMENT". kernel, checkpoint, branch and transformation are asked of `hone complete-names`; file and folder of the
// shell.
struct WordSource {
  const char* argument;
  const char* kind;
};

constexpr std::array k_sources{
  WordSource{"branch NAME", "branch"},
  WordSource{"replay --from", "folder"},
  WordSource{"new --from", "file"},
  WordSource{"transforms NAME", "transformation"},
  WordSource{"KERNEL", "kernel"},
  WordSource{"--kernel", "kernel"},
  WordSource{"CHECKPOINT", "checkpoint"},
  WordSource{"--checkpoint", "checkpoint"},
  WordSource{"FROM", "checkpoint"},
  WordSource{"TO", "checkpoint"},
  WordSource{"A", "checkpoint"},
  WordSource{"B", "checkpoint"},
  WordSource{"optimize --from", "checkpoint"},
  WordSource{"--onto", "checkpoint"},
  WordSource{"--branch", "branch"},
  WordSource{"TRANSFORMATION", "transformation"},
  WordSource{"CANDIDATE", "folder"},
  WordSource{"--state", "folder"},
  WordSource{"--out", "file"},
  WordSource{"--steps", "file"},
  WordSource{"--region", "file"},
  WordSource{"DIR", "folder"},
};

std::string name_of(const CLI::Option& option)
{
  return option.get_positional() ? option.get_single_name() : "--" + option.get_single_name();
}

// "cold hot" out of the validator's "TEXT:{cold,hot}".
std::string listed_words(const CLI::Option& option)
{
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  return open == std::string::npos || close == std::string::npos
           ? ""
           : replace_all(type.substr(open + 1, close - open - 1), ",", " ");
}

// "" for a flag, "any" for a value that nobody can guess, "words: a b c", or a WordSource's kind.
std::string kind_of(const std::string& command, const CLI::Option& option)
{
  if (option.get_items_expected_max() == 0) {
    return "";
  }
  if (const std::string words = listed_words(option); !words.empty()) {
    return "words: " + words;
  }
  const std::string name = name_of(option);
  if (name.starts_with("--")) {
    if (const auto words = app::words_of_setting(name.substr(2)); !words.empty()) {
      return "words: " + join(words, " ");
    }
  }
  for (const std::string& wanted : {command + " " + name, name}) {
    for (const WordSource& source : k_sources) {
      if (wanted == source.argument) {
        return source.kind;
      }
    }
  }
  return "any";
}

std::vector<const CLI::App*> commands_of(const CLI::App& app)
{
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string command_names(const CLI::App& app)
{
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
  }
  return join(names, " ");
}

// Three functions that both shells read: a command's options, an argument's kind, and the same by position.
std::string tables(const CLI::App& app)
{
  std::string options, kinds;
  for (const CLI::App* command : commands_of(app)) {
    std::vector<std::string> names;
    int position = 0;
    for (const CLI::Option* option : command->get_options()) {
      const std::string name = name_of(*option);
      const std::string kind = kind_of(command->get_name(), *option);
      if (option->get_positional()) {
        kinds += fmt::format("    '{} {}') echo '{}' ;;\n", command->get_name(), ++position, kind);
      } else {
        names.push_back(name);
        if (!kind.empty()) {
          kinds += fmt::format("    '{} {}') echo '{}' ;;\n", command->get_name(), name, kind);
        }
      }
    }
    options += fmt::format("    {}) echo '{}' ;;\n", command->get_name(), join(names, " "));
  }
  return fmt::format("__hone_commands='{}'\n\n"
                     "# The options of a command.\n__hone_options() {{\n  case $1 in\n{}  esac\n}}\n\n"
                     "# What a command's option, or its n-th argument, may be.\n"
                     "__hone_kind() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n",
                     command_names(app), options, kinds);
}

// Reads the words before the one that is typed: sets command, place (of an argument without name), kernel and the
// flags that say where its workflow is. Works in bash and in zsh.
constexpr const char* k_reader = R"SHELL(
# __hone_read WORD...: the words between `hone` and the one that is being typed.
__hone_read() {
  command='' place=1 kernel='' store=() wants=''
  local word
  for word in "$@"; do
    [[ $word == '=' ]] && continue
    if [[ -z $command ]]; then
      [[ $word != -* ]] && command=$word
    elif [[ -n $wants ]]; then
      [[ $wants == --kernel ]] && kernel=$word
      [[ $wants == --backend || $wants == --state ]] && store+=("$wants" "$word")
      wants=''
    elif [[ $word == -* ]]; then
      [[ -n $(__hone_kind "$command" "$word") ]] && wants=$word
    else
      [[ $(__hone_kind "$command" "$place") == kernel ]] && kernel=$word
      place=$((place + 1))
    fi
  done
}

# __hone_names KIND: names that only Hone knows.
__hone_names() {
  if [[ -n $kernel ]]; then
    hone complete-names "$1" --kernel "$kernel" "${store[@]}" 2>/dev/null
  else
    hone complete-names "$1" 2>/dev/null
  fi
}
)SHELL";

constexpr const char* k_bash = R"SHELL(
_hone() {
  local command place kernel store wants kind
  local cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur == '=' ]] && cur=''
  COMPREPLY=()
  __hone_read "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$__hone_commands --help --version" -- "$cur")
    return
  fi
  if [[ -z $wants && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(__hone_options "$command")" -- "$cur")
    return
  fi
  kind=$(__hone_kind "$command" "${wants:-$place}")
  case $kind in
    words:*) mapfile -t COMPREPLY < <(compgen -W "${kind#words: }" -- "$cur") ;;
    kernel | folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
  esac
  case $kind in
    kernel | checkpoint | branch | transformation)
      local names
      mapfile -t names < <(compgen -W "$(__hone_names "$kind")" -- "$cur")
      COMPREPLY+=("${names[@]}")
      ;;
  esac
}
complete -F _hone hone
)SHELL";

constexpr const char* k_zsh = R"SHELL(
_hone() {
  local command place kernel wants kind
  local -a store
  __hone_read "${(@)words[2,CURRENT-1]}"
  if [[ -z $command ]]; then
    compadd -- ${=__hone_commands} --help --version
    return
  fi
  if [[ -z $wants && $PREFIX == -* ]]; then
    compadd -- $(__hone_options "$command")
    return
  fi
  kind=$(__hone_kind "$command" "${wants:-$place}")
  case $kind in
    words:*) compadd -- ${=kind#words: } ;;
    kernel | folder) _files -/ ;;
    file) _files ;;
  esac
  case $kind in
    kernel | checkpoint | branch | transformation) compadd -- $(__hone_names "$kind") ;;
  esac
}
if [[ $funcstack[1] == _hone ]]; then
  _hone "$@"
else
  compdef _hone hone
fi
)SHELL";

// Names that only Hone knows: of the kernel that the line names, its second word or what follows --kernel.
constexpr const char* k_fish = R"FISH(
function __hone_names
  set -l words (commandline -opc)
  set -l kernel
  set -l store
  for i in (seq 2 (count $words))
    switch $words[$i]
      case --kernel
        set kernel $words[(math $i + 1)]
      case --state --backend
        set store $store $words[$i] $words[(math $i + 1)]
    end
  end
  if test -z "$kernel"; and test (count $words) -gt 2; and not string match -q -- '-*' $words[3]
    set kernel $words[3]
  end
  if test -n "$kernel"
    hone complete-names $argv[1] --kernel $kernel $store 2>/dev/null
  else
    hone complete-names $argv[1] 2>/dev/null
  end
end

complete -c hone -f
complete -c hone -n __fish_use_subcommand -l help -d 'print help'
complete -c hone -n __fish_use_subcommand -l version -d 'print the version'
)FISH";

std::string fish_quoted(const std::string& text)
{
  return "'" + replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// What fish offers for a value of this kind.
std::string fish_values(const std::string& kind)
{
  if (kind.starts_with("words: ")) {
    return " -a " + fish_quoted(kind.substr(7));
  }
  if (kind == "file" || kind == "folder") {
    return kind == "file" ? " -F" : " -a '(__fish_complete_directories)'";
  }
  if (kind == "kernel") {
    return " -a '(__hone_names kernel) (__fish_complete_directories)'";
  }
  return kind.empty() || kind == "any" ? "" : fmt::format(" -a '(__hone_names {})'", kind);
}

} // namespace

std::string fish_completion(const CLI::App& app)
{
  std::string script = std::string("# fish completion of hone, made by `hone completion fish`\n") + k_fish;
  for (const CLI::App* command : commands_of(app)) {
    const std::string& name = command->get_name();
    script += fmt::format("complete -c hone -n __fish_use_subcommand -a {} -d {}\n", name,
                          fish_quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      const std::string kind = kind_of(name, *option);
      const std::string line = fmt::format("complete -c hone -n '__fish_seen_subcommand_from {}'", name);
      if (!option->get_positional()) {
        script += fmt::format("{} -l {}{}{} -d {}\n", line, name_of(*option).substr(2), kind.empty() ? "" : " -r",
                              fish_values(kind), fish_quoted(option->get_description()));
      } else if (const std::string values = fish_values(kind); !values.empty()) {
        script += line + values + "\n";
      }
    }
  }
  return script;
}

std::string bash_completion(const CLI::App& app)
{
  return "# bash completion of hone, made by `hone completion bash`\n" + tables(app) + k_reader + k_bash;
}

std::string zsh_completion(const CLI::App& app)
{
  return "#compdef hone\n# made by `hone completion zsh`\n" + tables(app) + k_reader + k_zsh;
}

} // namespace hone::cli
