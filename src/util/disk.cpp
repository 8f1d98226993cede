#include "util/disk.h"

#include "util/text.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace hone {

namespace {

namespace fs = std::filesystem;

fs::path nearest_existing(const fs::path& path)
{
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored).lexically_normal();
  while (at.has_relative_path() && !fs::exists(at, ignored)) {
    at = at.parent_path();
  }
  const fs::path real = fs::canonical(at, ignored);
  return ignored ? at : real;
}

// The uppermost folder on the same device: good enough to tell a person which disk is meant.
fs::path mount_of(fs::path at)
{
  struct stat here {};
  struct stat above {};
  if (::stat(at.c_str(), &here) != 0) {
    return at;
  }
  while (at.has_relative_path() && ::stat(at.parent_path().c_str(), &above) == 0 && above.st_dev == here.st_dev) {
    at = at.parent_path();
  }
  struct stat own {};
  const bool is_file = ::stat(at.c_str(), &own) == 0 && !S_ISDIR(own.st_mode);
  return is_file ? at.parent_path() : at;
}

} // namespace

std::optional<FileSystem> file_system_of(const fs::path& path)
{
  const fs::path at = nearest_existing(path);
  struct statvfs about {};
  if (::statvfs(at.c_str(), &about) != 0) {
    return std::nullopt;
  }
  const std::uint64_t block = about.f_frsize;
  return FileSystem{mount_of(at), block * about.f_blocks, block * about.f_bavail, (about.f_flag & ST_RDONLY) != 0};
}

std::string make_room_hint(const fs::path& path)
{
  const auto system = file_system_of(path);
  if (!system) {
    return "free some space on the file system that holds it";
  }
  return fmt::format("free some space on the file system '{}' ({} of {} are free)", system->mount.string(),
                     format_bytes(static_cast<double>(system->free_bytes)),
                     format_bytes(static_cast<double>(system->bytes)));
}

bool has_less_room_than(const fs::path& path, std::uint64_t bytes)
{
  const auto system = file_system_of(path);
  return system && system->free_bytes < bytes;
}

} // namespace hone
