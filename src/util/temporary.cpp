#include "util/temporary.h"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <unistd.h>

namespace hone {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_suffix = ".tmp";
constexpr std::size_t k_digits = 16;

bool is_number(std::string_view text)
{
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// What stands behind the last dot.
std::string_view last_part(std::string_view name)
{
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

} // namespace

std::string temporary_name(std::string_view name)
{
  std::random_device device; // the operating system's: threads and forks never share a sequence
  const std::uint64_t number = (static_cast<std::uint64_t>(device()) << 32) | device();
  return fmt::format("{}.{:016x}{}", name, number, k_suffix);
}

bool is_temporary_name(std::string_view name)
{
  if (!name.ends_with(k_suffix)) {
    return false;
  }
  const std::string_view number = last_part(name.substr(0, name.size() - k_suffix.size()));
  return number.size() == k_digits && is_number(number);
}

bool is_abandoned(const fs::path& path)
{
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return free;
}

std::vector<fs::path> abandoned_in(const fs::path& folder, std::string_view prefix)
{
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && is_temporary_name(name) && is_abandoned(entry->path())) {
      found.push_back(entry->path());
    }
  }
  std::ranges::sort(found);
  return found;
}

} // namespace hone
