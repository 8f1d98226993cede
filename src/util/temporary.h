// Names of files and folders that are only there while somebody writes, and which of them are dead.
//
// Their names say what they are, and whoever makes one keeps it locked (flock) for as long as it is in use. The kernel
// drops that lock with the process, however it ends: what can be locked by another belongs to nobody any more. Process
// ids would not do, since several containers that share a folder may well use the same ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "NAME.<16 hexadecimal digits>.tmp", a fresh one with every call.
std::string temporary_name(std::string_view name);
bool is_temporary_name(std::string_view name);

// Whether nobody holds the lock on it. False where it cannot be opened.
bool is_abandoned(const std::filesystem::path& path);

// The dead temporaries in a folder, files and folders, not looking into folders. In a folder that others use, too, like
// $TMPDIR, only names that begin with `prefix`.
std::vector<std::filesystem::path> abandoned_in(const std::filesystem::path& folder, std::string_view prefix = {});

} // namespace hone
