// The file system that holds a path, for errors about full and read-only disks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hone {

struct FileSystem {
  std::filesystem::path mount; // where it is mounted
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0; // for unprivileged users
  bool read_only = false;
};

// Of the path, or of the nearest folder above it that exists.
std::optional<FileSystem> file_system_of(const std::filesystem::path& path);

// "free some space on the file system '/scratch' (0 B of 4 MiB are free)"
std::string make_room_hint(const std::filesystem::path& path);

// Whether less than `bytes` are free for `path`. False if that is not known.
bool has_less_room_than(const std::filesystem::path& path, std::uint64_t bytes);

} // namespace hone
