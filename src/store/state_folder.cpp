#include "store/state_folder.h"

#include "store/storage_error.h"
#include "util/hash.h"
#include "util/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::store {

namespace {

constexpr std::string_view k_key_file = "key.json";

// Kernel names come from files that people write: keep what is safe and readable in a path.
std::string path_safe(std::string_view text)
{
  std::string out;
  for (const char c : text.substr(0, 40)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += plain ? c : '-';
  }
  return out.empty() ? "kernel" : out;
}

Result<void> make_folder(const fs::path& folder)
{
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return storage_failure("create", folder, error.message());
  }
  return {};
}

// A state folder that we made is ours to hide; one that already held a person's files is left as it is.
Result<void> hide_from_git(const fs::path& state)
{
  std::error_code ignored;
  const bool ours = state.filename() == ".hone" || fs::is_empty(state, ignored);
  if (!ours || fs::exists(state / ".gitignore", ignored)) {
    return {};
  }
  return write_file(state / ".gitignore", "*\n");
}

Json to_json(const Workflow::Key& key, std::string_view kernel_name)
{
  return Json{{"format", 1},
              {"kernel", std::string(kernel_name)},
              {"kernel_hash", key.kernel_hash},
              {"backend", key.backend},
              {"device_fingerprint", key.device_fingerprint}};
}

std::optional<Workflow::Key> read_key(const fs::path& folder)
{
  const auto text = read_file(folder / k_key_file);
  if (!text) {
    return std::nullopt;
  }
  const auto json = parse_json(*text, (folder / k_key_file).string());
  if (!json || !json->is_object()) {
    return std::nullopt;
  }
  const auto member = [&](const char* name) {
    const auto found = json->find(name);
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  Workflow::Key key{member("kernel_hash"), member("backend"), member("device_fingerprint")};
  if (key.kernel_hash.empty() || key.backend.empty()) {
    return std::nullopt;
  }
  return key;
}

} // namespace

std::string folder_name(std::string_view kernel_name, const Workflow::Key& key)
{
  const std::string whole = key.kernel_hash + '\n' + key.backend + '\n' + key.device_fingerprint;
  return fmt::format("{}-{}-{}", path_safe(kernel_name), path_safe(key.backend), sha256(whole).substr(0, 12));
}

Result<fs::path> prepare_folder(const fs::path& state, std::string_view kernel_name, const Workflow::Key& key)
{
  HONE_CHECK(make_folder(state));
  const fs::path folder = state / folder_name(kernel_name, key);
  // Before the workflow's folder: from its first moment on nothing of it shows up in the repository around it.
  if (const auto hidden = hide_from_git(state); !hidden) {
    return storage_failure("write", state / ".gitignore", hidden.error().message);
  }
  HONE_CHECK(make_folder(folder));
  return folder;
}

Result<void> settle_key(const fs::path& folder, std::string_view kernel_name, const Workflow::Key& key)
{
  const auto found = read_key(folder);
  if (!found) {
    if (const auto written = write_file(folder / k_key_file, to_json(key, kernel_name).dump(2) + "\n"); !written) {
      return storage_failure("write", folder / k_key_file, written.error().message);
    }
    return {};
  }
  if (found->kernel_hash != key.kernel_hash || found->backend != key.backend
      || found->device_fingerprint != key.device_fingerprint) {
    return fail(fmt::format("{} belongs to another kernel, backend or device", folder.string()),
                "use another folder with --state DIR", Place{(folder / k_key_file).string(), 0, 0});
  }
  return {};
}

bool has_key(const fs::path& folder)
{
  return read_key(folder).has_value();
}

Result<std::vector<Workflow::Key>> keys_under(const fs::path& state)
{
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(state, error), end; !error && entry != end; entry.increment(error)) {
    folders.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return storage_failure("read", state, error.message());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Workflow::Key> keys;
  for (const fs::path& folder : folders) {
    if (auto key = read_key(folder)) {
      keys.push_back(std::move(*key));
    }
  }
  return keys;
}

} // namespace hone::store
