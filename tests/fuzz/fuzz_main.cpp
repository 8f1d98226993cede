// fuzz_targets ROUNDS [SEED] [TARGET...]: right inputs with random changes, the same ones for the same seed. What ends
// the program is left in fuzz-TARGET.input, and fuzz_targets --input TARGET FILE runs that one again.
// fuzz_targets --write FOLDER: the right inputs as files, a folder for each target (a corpus for libFuzzer).
#include "fuzz_target.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace hone;

constexpr unsigned k_deadline_s = 20; // for one input, on a machine with other work

// For the signal handler: what was under way.
std::string g_input;
std::string g_file;

void keep_input(int signal)
{
  const int file = open(g_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, g_input.data(), g_input.size()) >= 0) {
    const char text[] = "FAILED: the input is in ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, g_file.data(), g_file.size());
    (void)!write(STDERR_FILENO, "\n", 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const fuzz::Target& target, std::string input)
{
  g_input = std::move(input);
  g_file = fmt::format("fuzz-{}.input", target.name);
  alarm(k_deadline_s);
  target.run(g_input);
  alarm(0);
}

// Characters lost, doubled, swapped, mistaken; pieces moved, repeated, taken from another input; numbers made large.
std::string changed(std::string text, const std::vector<std::string>& others, Random& random)
{
  static constexpr std::string_view k_characters = "()[]{},.:;=<>+-*/%&|!#\"'\\ \n_azAZ09\x01\x1b\x7f\xc3\xff";
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random.below(bound + 1)); };
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 24));
    switch (random.below(7)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, 1, k_characters[random.below(k_characters.size())]);
      break;
    case 2:
      text.insert(below(text.size()), text.substr(at, length));
      break;
    case 3: {
      const std::string& other = others[random.below(others.size())];
      text.insert(at, other.substr(below(other.size()), below(60)));
      break;
    }
    case 4:
      text.replace(at, length, random.below(2) == 0 ? "9223372036854775807" : "-1");
      break;
    case 5: // many times over: depth
      for (std::size_t n = below(400); n > 0 && text.size() < 100'000; --n) {
        text.insert(at, 1, "([{-!~"[random.below(6)]);
      }
      break;
    default:
      if (at < text.size()) {
        text[at] = static_cast<char>(random.below(256));
      }
      break;
    }
  }
  return text;
}

void fuzz_target(const fuzz::Target& target, std::size_t rounds, std::uint64_t seed)
{
  Random random(seed);
  const std::vector<std::string> seeds = target.seeds();
  if (seeds.empty()) {
    fuzz::promise_broken(fmt::format("{} has no inputs to begin with", target.name));
  }
  for (const std::string& input : seeds) {
    run(target, input);
  }
  for (std::size_t i = 0; i < rounds; ++i) {
    run(target, changed(seeds[random.below(seeds.size())], seeds, random));
  }
  fmt::print("{}: {} right inputs, {} changed ones\n", target.name, seeds.size(), rounds);
  std::fflush(stdout);
}

const fuzz::Target& named(std::string_view name)
{
  for (const fuzz::Target& target : fuzz::targets()) {
    if (target.name == name) {
      return target;
    }
  }
  fmt::print(stderr, "no target {}\n", name);
  std::exit(2);
}

template <class T> T or_exit(Result<T> result)
{
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().text());
    std::exit(2);
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

void write_seeds(const fs::path& folder)
{
  for (const fuzz::Target& target : fuzz::targets()) {
    fs::create_directories(folder / target.name);
    std::size_t number = 0;
    for (const std::string& input : target.seeds()) {
      or_exit(write_file(folder / target.name / std::to_string(number++), input));
    }
  }
}

} // namespace

int main(int argc, char** argv)
{
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--write") {
    write_seeds(words[1]);
    return 0;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    std::signal(signal, keep_input);
  }
  if (words.size() == 3 && words[0] == "--input") {
    run(named(words[1]), or_exit(read_file(words[2])));
    return 0;
  }
  const std::size_t rounds = !words.empty() ? std::strtoull(words[0].c_str(), nullptr, 10) : 2000;
  const std::uint64_t seed = words.size() > 1 ? std::strtoull(words[1].c_str(), nullptr, 10) : 1;
  for (const fuzz::Target& target : fuzz::targets()) {
    if (words.size() <= 2 || std::ranges::find(words.begin() + 2, words.end(), target.name) != words.end()) {
      fuzz_target(target, rounds, seed);
    }
  }
}
