#include "store/storage_error.h"

#include "util/disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::store {

namespace {

constexpr std::uint64_t k_next_to_nothing = std::uint64_t{64} << 10; // bytes; any step of ours may need as much

bool mentions(std::string_view text, std::string_view words)
{
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

// The libraries below us report causes as text only, so the text decides.
std::string way_out(const fs::path& path, std::string_view cause)
{
  const std::string elsewhere = "keep the workflow in a folder that you can write to with --state DIR";
  const std::string make_room = make_room_hint(path)
                                + ", or keep the workflow on another disk with --state DIR; "
                                  "everything confirmed so far is kept";
  if (mentions(cause, "no space left") || mentions(cause, "disk is full") || mentions(cause, "quota")) {
    return make_room;
  }
  if (mentions(cause, "read-only") || mentions(cause, "readonly") || mentions(cause, "permission denied")
      || mentions(cause, "not permitted")) {
    return elsewhere;
  }
  // A full disk has more names: SQLite may say "disk I/O error", or that it cannot open a file.
  if (has_less_room_than(path, k_next_to_nothing)) {
    return make_room;
  }
  if (mentions(cause, "unable to open")) {
    return elsewhere;
  }
  if (mentions(cause, "malformed") || mentions(cause, "not a database")) {
    return "`hone fsck` lists the damage; `hone fsck --repair` restores what can be read from the journal and from the "
           "commits in repo.git";
  }
  return "check the folder (`hone fsck`), or keep the workflow elsewhere with --state DIR";
}

} // namespace

std::unexpected<Error> storage_failure(std::string_view what, const fs::path& path, std::string_view cause)
{
  // No place: that is for mistakes in files that people write.
  return fail(fmt::format("cannot {} {}: {}", what, path.string(), cause), way_out(path, cause));
}

} // namespace hone::store
