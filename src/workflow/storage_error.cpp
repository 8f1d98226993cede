#include "workflow/storage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone {

namespace {

bool mentions(std::string_view text, std::string_view words)
{
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

// The libraries below us report causes as text only, so the text decides.
std::string way_out(std::string_view cause)
{
  if (mentions(cause, "no space left") || mentions(cause, "disk is full") || mentions(cause, "quota")) {
    return "free some space, or keep the workflow on another disk with --state DIR; "
           "everything confirmed so far is kept";
  }
  if (mentions(cause, "read-only") || mentions(cause, "readonly") || mentions(cause, "permission denied") ||
      mentions(cause, "not permitted") || mentions(cause, "unable to open")) {
    return "keep the workflow in a folder that you can write to with --state DIR";
  }
  if (mentions(cause, "malformed") || mentions(cause, "not a database")) {
    return "move this file aside and start again: the journal is rebuilt from the checkpoints in repo.git beside it";
  }
  return "check the folder, or keep the workflow elsewhere with --state DIR";
}

} // namespace

std::unexpected<Error> storage_failure(std::string_view what, const fs::path& path, std::string_view cause)
{
  return fail(fmt::format("cannot {} {}: {}", what, path.string(), cause), way_out(cause),
              Place{path.string(), 0, 0});
}

} // namespace hone
