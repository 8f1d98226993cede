// What can be typed, for shells and for readers: taken from the declared commands, so that it cannot lag behind them.
// (internal to the cli)
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace hone::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);
// The manual page in roff, section 1.
std::string manual_page(const CLI::App& app, const std::string& version);

} // namespace hone::cli
