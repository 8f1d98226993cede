// Temporary files and folders, and which of them are abandoned.
//
// They are recognised by their names. Their owner keeps a lock (flock) while they are in use. The kernel drops it with
// the process, however it ends, so one that can be locked is abandoned. Process ids would not do: containers that share
// a folder may use the same ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "NAME.<16 hexadecimal digits>.tmp", a fresh one with every call.
std::string temporary_name(std::string_view name);
bool is_temporary_name(std::string_view name);

// Whether it is not locked. False if it cannot be opened.
bool is_abandoned(const std::filesystem::path& path);

// The abandoned files and folders directly in a folder. In a folder that others use as well, such as $TMPDIR, only
// names that begin with `prefix`.
std::vector<std::filesystem::path> abandoned_in(const std::filesystem::path& folder, std::string_view prefix = {});

} // namespace hone
