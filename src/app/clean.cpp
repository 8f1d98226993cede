#include "app/clean.h"

#include "app/fsck.h"
#include "app/workbench.h"
#include "store/store_check.h"

#include <algorithm>
#include <numeric>

namespace hone::app {

namespace {

std::uintmax_t bytes_of(const fs::path& path)
{
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uintmax_t sum = 0;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored)) {
      sum += at->file_size(ignored);
    }
  }
  return sum;
}

void add_if_there(std::vector<Removable>& items, const fs::path& path, const std::string& what)
{
  std::error_code error;
  if (fs::exists(path, error)) {
    items.push_back({path, what, bytes_of(path), false, {}});
  }
}

// Another Hone's workflow stays: what it writes next would be lost.
Result<void> add_workflows(const Context& context, const std::string& kernel, std::vector<Removable>& items)
{
  HONE_TRY(const fs::path state, state_of(context, kernel));
  HONE_TRY(const store::StoreCheck store, store::check_store(state, false));
  for (const fs::path& folder : store.workflows) {
    Removable item{
      folder, "a workflow with its checkpoints, records and report: gone for good", bytes_of(folder), false, {}};
    for (const std::string& busy : store.busy) {
      if (busy.starts_with(folder.string() + ":")) {
        item.kept = "another Hone is at work on it";
      }
    }
    items.push_back(std::move(item));
  }
  return {};
}

} // namespace

std::uintmax_t CleanResult::bytes() const
{
  return std::accumulate(items.begin(), items.end(), std::uintmax_t{0}, [](std::uintmax_t sum, const Removable& item) {
    return sum + (item.kept.empty() ? item.bytes : 0);
  });
}

Result<CleanResult> clean(const Context& context, const CleanRequest& request)
{
  CleanResult result;
  if (!request.kernel.empty()) {
    HONE_CHECK(add_workflows(context, request.kernel, result.items));
  } else {
    add_if_there(result.items, cache_folder(),
                 "compiled references, modules, proofs and ceilings: made again when needed");
    std::error_code error;
    for (const fs::path& dead : abandoned_in(fs::temp_directory_path(error), "hone-")) {
      add_if_there(result.items, dead, "left behind by a process that ended");
    }
  }
  for (Removable& item : result.items) {
    if (!request.remove || !item.kept.empty()) {
      continue;
    }
    std::error_code error;
    fs::remove_all(item.path, error);
    item.removed = !error;
    item.kept = error ? error.message() : "";
  }
  return result;
}

Json to_json(const CleanResult& result)
{
  Json items = Json::array();
  for (const Removable& item : result.items) {
    items.push_back({{"path", item.path.string()},
                     {"what", item.what},
                     {"bytes", item.bytes},
                     {"removed", item.removed},
                     {"kept", item.kept}});
  }
  return {{"items", items}, {"bytes", result.bytes()}};
}

} // namespace hone::app
