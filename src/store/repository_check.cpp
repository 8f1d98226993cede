#include "store/repository_check.h"

#include "store/git_library.h"
#include "store/storage_error.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace hone::store {

namespace {

using DatabaseHandle = Owned<git_odb, git_odb_free>;
using ObjectHandle = Owned<git_odb_object, git_odb_object_free>;

constexpr const char* k_config = "[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tfilemode = true\n";
constexpr const char* k_head = "ref: refs/heads/main\n";

Result<std::vector<fs::path>> files_under(const fs::path& folder)
{
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) {
      files.push_back(entry->path());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return storage_failure("read", folder, error.message());
  }
  std::ranges::sort(files);
  return files;
}

// The id of objects/ab/cdef...; "" for what is no loose object.
std::string loose_id(const fs::path& file)
{
  const std::string id = file.parent_path().filename().string() + file.filename().string();
  return id.size() == GIT_OID_HEXSZ && is_hexadecimal(id) ? id : "";
}

bool is_leftover(const fs::path& repository, const fs::path& file)
{
  const std::string place = file.lexically_relative(repository).string();
  const bool temporary = place.starts_with("objects/") && file.filename().string().starts_with("tmp_");
  return temporary || file.extension() == ".lock";
}

// What is wrong with a reference's text; "" for nothing.
std::string mistake_in(const std::string& text, git_odb* database)
{
  const std::string target(trim(text));
  if (target.starts_with("ref: refs/")) {
    return "";
  }
  const auto oid = parse_git_id(target);
  if (!oid) {
    return "it names no object";
  }
  return git_odb_exists(database, &*oid) == 1 ? "" : fmt::format("it names {}, which is not there", target);
}

Result<std::unique_ptr<DatabaseHandle>> open_objects(const fs::path& repository)
{
  start_libgit2();
  auto database = std::make_unique<DatabaseHandle>();
  if (git_odb_open(database->out(), (repository / "objects").c_str()) != 0) {
    return storage_failure("read", repository / "objects", last_git_message());
  }
  return database;
}

} // namespace

std::vector<fs::path> repository_leftovers(const fs::path& repository)
{
  auto files = files_under(repository).value_or(std::vector<fs::path>{}); // if it is unreadable, other checks report it
  std::erase_if(files, [&](const fs::path& file) { return !is_leftover(repository, file); });
  return files;
}

Result<std::vector<DamagedFile>> damaged_objects(const fs::path& repository)
{
  HONE_TRY(const auto database, open_objects(repository));
  std::vector<DamagedFile> damaged;
  HONE_TRY(const std::vector<fs::path> files, files_under(repository / "objects"));
  for (const fs::path& file : files) {
    const std::string id = loose_id(file);
    if (id.empty()) {
      continue;
    }
    HONE_TRY(const git_oid oid, parse_git_id(id));
    ObjectHandle object;
    if (git_odb_read(object.out(), *database, &oid) != 0) {
      damaged.push_back({file, last_git_message()});
    }
  }
  return damaged;
}

Result<std::vector<DamagedFile>> damaged_references(const fs::path& repository)
{
  HONE_TRY(const auto database, open_objects(repository));
  std::vector<DamagedFile> damaged;
  HONE_TRY(const std::vector<fs::path> files, files_under(repository / "refs"));
  for (const fs::path& file : files) {
    if (is_leftover(repository, file)) {
      continue;
    }
    const auto text = read_file(file);
    const std::string mistake = text ? mistake_in(*text, *database) : text.error().message;
    if (!mistake.empty()) {
      damaged.push_back({file, mistake});
    }
  }
  return damaged;
}

Result<fs::path> set_aside(const fs::path& repository, const fs::path& file)
{
  const std::string id = loose_id(file);
  const std::string name =
    id.empty() ? replace_all(file.lexically_relative(repository).string(), "/", "-") : "objects/" + id;
  fs::path target = repository.parent_path() / "damaged" / name;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  for (int i = 2; fs::exists(target, error); ++i) { // an earlier one of that name stays
    target = repository.parent_path() / "damaged" / fmt::format("{}.{}", name, i);
  }
  fs::rename(file, target, error);
  if (error) {
    return storage_failure("set aside", file, error.message());
  }
  return target;
}

Result<std::size_t> set_damaged_objects_aside(const fs::path& repository)
{
  HONE_TRY(const std::vector<DamagedFile> damaged, damaged_objects(repository));
  for (const DamagedFile& object : damaged) {
    HONE_TRY([[maybe_unused]] const fs::path moved, set_aside(repository, object.file));
  }
  return damaged.size();
}

Result<void> restore_frame(const fs::path& repository)
{
  for (const auto& [name, text] : {std::pair{"HEAD", k_head}, std::pair{"config", k_config}}) {
    const fs::path file = repository / name;
    const auto old = read_file(file);
    if (old && !trim(*old).empty()) {
      continue;
    }
    if (const auto written = write_file(file, text); !written) {
      return storage_failure("write", file, written.error().message);
    }
  }
  for (const char* folder : {"objects", "refs"}) {
    std::error_code error;
    fs::create_directories(repository / folder, error);
    if (error) {
      return storage_failure("create", repository / folder, error.message());
    }
  }
  return {};
}

} // namespace hone::store
