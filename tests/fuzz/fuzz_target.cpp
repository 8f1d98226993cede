#include "fuzz_target.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace hone::fuzz {

std::span<const Target> targets()
{
  static const std::array k_targets = {
    kernel_file_target(), expression_target(), launch_plan_target(),  schedule_target(),     transformation_target(),
    step_list_target(),   record_target(),     runner_reply_target(), linked_image_target(),
  };
  return k_targets;
}

void promise_broken(std::string_view what)
{
  fmt::print(stderr, "FAILED: {}\n", what);
  std::abort();
}

void check_error(const Error& error, std::string_view file)
{
  if (error.message.empty()) {
    promise_broken("an error without a message");
  }
  if (!file.empty() && error.place.file != file) {
    promise_broken(fmt::format("an error without its file: {}", error.text()));
  }
  if (error.place.line < 0 || error.place.column < 0) {
    promise_broken(fmt::format("an error at an impossible place: {}", error.text()));
  }
}

std::vector<std::string> files_named(std::string_view folder, std::string_view name_or_ending)
{
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HONE_SOURCE_ROOT) / folder)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && name.ends_with(name_or_ending) && name != "README.md") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths); // the order of a folder is not the same everywhere
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    const Result<std::string> text = read_file(path);
    if (!text) {
      promise_broken(text.error().text());
    }
    texts.push_back(*text);
  }
  return texts;
}

} // namespace hone::fuzz
