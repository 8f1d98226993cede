#include "cli/browser.h"

#include "util/text.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hone::cli {

namespace {

// A program that cannot show anything says so at once; one that still runs then is showing the page.
constexpr std::chrono::milliseconds k_settling{1500};
constexpr std::chrono::milliseconds k_tick{20};

std::string variable(const char* name)
{
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool has_display()
{
  return !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
}

// The program's words with the address put in: in place of %s, or as the last one.
std::vector<std::string> words_of(const std::string& program, const std::string& address)
{
  std::vector<std::string> words;
  for (const std::string& word : split(program, ' ')) {
    if (!word.empty()) {
      words.push_back(replace_all(word, "%s", address));
    }
  }
  if (!program.contains("%s")) {
    words.push_back(address);
  }
  return words;
}

// Starts a program; its process id, or 0 where there is no such program. Apart: in a session of its own, silent.
pid_t start(const std::vector<std::string>& words, bool apart)
{
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none); // Hone blocks Ctrl-C for itself
  short flags = POSIX_SPAWN_SETSIGMASK;
  if (apart) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
    flags |= POSIX_SPAWN_SETSID;
  }
  posix_spawnattr_setflags(&attributes, flags);
  pid_t child = 0;
  const int outcome = posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return outcome == 0 ? child : 0;
}

bool is_success(int status)
{
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool succeeded_or_runs(pid_t child)
{
  int status = 0;
  for (auto waited = k_tick; waited < k_settling; waited += k_tick) {
    if (waitpid(child, &status, WNOHANG) == child) {
      return is_success(status);
    }
    std::this_thread::sleep_for(k_tick);
  }
  return true;
}

bool ran_well(pid_t child)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  return is_success(status);
}

bool is_plain(unsigned char letter)
{
  return std::isalnum(letter) != 0 || letter == '/' || letter == '-' || letter == '_' || letter == '.' || letter == '~';
}

} // namespace

std::string file_address(const fs::path& file)
{
  std::error_code ignored;
  std::string address = "file://";
  for (const unsigned char letter : fs::absolute(file, ignored).string()) {
    address += is_plain(letter) ? std::string(1, static_cast<char>(letter)) : fmt::format("%{:02X}", letter);
  }
  return address;
}

Shown show_in_browser(const fs::path& file)
{
  const std::string chosen = variable("BROWSER");
  const bool display = has_display();
  if (chosen.empty() && !display) {
    return {false, "", "there is no display here; open the file on a machine that has one, or set BROWSER"};
  }
  for (const std::string& program : split(chosen.empty() ? "xdg-open" : chosen, ':')) {
    if (trim(program).empty()) {
      continue;
    }
    const pid_t child = start(words_of(program, file_address(file)), display);
    if (child != 0 && (display ? succeeded_or_runs(child) : ran_well(child))) {
      return {true, program, ""};
    }
  }
  return {false, "",
          chosen.empty() ? "xdg-open could not open it; install xdg-utils, or set BROWSER to a browser"
                         : fmt::format("BROWSER is '{}', which could not open it", chosen)};
}

} // namespace hone::cli
