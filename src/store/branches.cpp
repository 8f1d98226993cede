#include "store/branches.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace hone::store {

namespace {

constexpr std::size_t k_longest = 100;
constexpr std::array<std::string_view, 5> k_taken{"best", "start", "HEAD", "main", "naive"};

bool is_allowed(unsigned char letter)
{
  return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
}

} // namespace

Result<void> check_branch_name(const std::string& name)
{
  const std::string hint = "use letters, digits, '-', '_' and '.', beginning with a letter, as in 'wide-tiles'";
  const bool shaped = !name.empty() && name.size() <= k_longest
                      && std::isalpha(static_cast<unsigned char>(name.front())) != 0
                      && std::ranges::all_of(name, [](unsigned char letter) { return is_allowed(letter); })
                      && !name.contains("..") && !name.ends_with('.') && !name.ends_with(".lock");
  if (!shaped) {
    return fail(fmt::format("'{}' cannot name a branch", name), hint);
  }
  if (std::ranges::find(k_taken, name) != k_taken.end()) {
    return fail(fmt::format("'{}' cannot name a branch: the name stands for something else", name), hint);
  }
  if (is_hexadecimal(name)) {
    return fail(fmt::format("'{}' cannot name a branch: it looks like the id of a checkpoint", name), hint);
  }
  return {};
}

Result<BranchMap> parse_branches(const std::string& text)
{
  if (text.empty()) {
    return BranchMap{};
  }
  HONE_TRY(const Json json, parse_json(text, "journal.db: branches"));
  if (!json.is_object()) {
    return fail("journal.db: branches: names and checkpoints expected", "`hone fsck --repair`");
  }
  BranchMap branches;
  for (const auto& [name, id] : json.items()) {
    branches[name] = id.is_string() ? id.get<std::string>() : "";
  }
  return branches;
}

Result<BranchMap> branches_in(const Journal& journal)
{
  HONE_TRY(const std::string text, journal.recall(k_branches_value));
  return parse_branches(text);
}

Result<void> write_branch(Journal& journal, Repository& repository, const std::string& name, const std::string& id)
{
  HONE_TRY(BranchMap branches, branches_in(journal));
  if (id.empty()) {
    branches.erase(name);
  } else {
    branches[name] = id;
  }
  HONE_CHECK(journal.remember(k_branches_value, Json(branches).dump()));
  return id.empty() ? repository.delete_branch(name) : repository.set_branch(name, id);
}

void repair_branches(const Journal& journal, Repository& repository)
{
  if (const auto branches = branches_in(journal)) {
    for (const auto& [name, id] : *branches) {
      static_cast<void>(repository.set_branch(name, id));
    }
  }
}

} // namespace hone::store
