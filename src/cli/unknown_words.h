// The command or option that a person misspelt, with the nearest one that there is. (internal)
#pragma once

#include "util/util.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>

namespace hone::cli {

// `words`: those behind the program's name. Nothing where all commands and options are known.
std::optional<Error> unknown_word(const CLI::App& app, std::span<const char* const> words);

// A word that is none of those that a command takes there: "VERB: shwo not in {list,show}" as CLI11 says it.
std::optional<Error> unknown_choice(const CLI::ParseError& error);

} // namespace hone::cli
