#include "util/fs.h"

#include "util/disk.h"
#include "util/temporary.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hone {

namespace {

std::unexpected<Error> os_failure(std::string_view what, const fs::path& path, int code)
{
  std::string hint;
  if (code == ENOSPC || code == EDQUOT) {
    hint = make_room_hint(path) + ", then run the command again";
  } else if (code == EROFS || code == EACCES || code == EPERM) {
    hint = "choose another place (for example --state DIR or $XDG_CACHE_HOME) or change the permissions";
  }
  return fail(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(code)), hint);
}

fs::path from_environment(const char* variable)
{
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

// The XDG rule: the variable counts only when it is absolute; else a folder under $HOME; else a temporary one.
fs::path xdg_folder(const char* variable, const char* under_home)
{
  if (const fs::path set = from_environment(variable); set.is_absolute()) {
    return set / "hone";
  }
  if (const fs::path home = from_environment("HOME"); home.is_absolute()) {
    return home / under_home / "hone";
  }
  return fs::temp_directory_path() / fmt::format("hone-{}", getuid());
}

fs::path executable_folder()
{
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  return self.parent_path();
}

class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : m_fd(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor()
  {
    if (m_fd >= 0) {
      ::close(m_fd);
    }
  }
  int get() const { return m_fd; }

private:
  int m_fd;
};

} // namespace

Result<std::string> read_file(const fs::path& path)
{
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return os_failure("read", path, errno);
  }
  std::string bytes;
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return os_failure("read", path, errno);
    }
    if (got == 0) {
      return bytes;
    }
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

Result<void> write_file(const fs::path& path, std::string_view bytes)
{
  const fs::path temporary = path.parent_path() / temporary_name(path.filename().string());
  const FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0) {
    return os_failure("write", path, errno);
  }
  ::flock(file.get(), LOCK_EX); // in use until it has its name: see temporary.h
  const auto give_up = [&](std::string_view what, int code) {
    ::unlink(temporary.c_str());
    return os_failure(what, path, code);
  };
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      return give_up("write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0) {
    return give_up("flush", errno);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return give_up("write", errno);
  }
  return {};
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix)
{
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) {
    base = "/tmp";
  }
  const fs::path path = base / temporary_name(prefix);
  if (::mkdir(path.c_str(), 0700) != 0) {
    return os_failure("make a temporary folder", path, errno);
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::flock(descriptor, LOCK_EX); // in use: see temporary.h
  }
  return TemporaryFolder(path, descriptor);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
  : m_path(std::exchange(other.m_path, {})), m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept
{
  std::swap(m_path, other.m_path);
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

TemporaryFolder::~TemporaryFolder()
{
  if (!m_path.empty()) {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  if (m_descriptor >= 0) {
    ::close(m_descriptor);
  }
}

fs::path cache_folder()
{
  return xdg_folder("XDG_CACHE_HOME", ".cache");
}

fs::path data_folder()
{
  return xdg_folder("XDG_DATA_HOME", ".local/share");
}

fs::path config_folder()
{
  return xdg_folder("XDG_CONFIG_HOME", ".config");
}

fs::path libexec_folder()
{
  if (const fs::path set = from_environment("HONE_LIBEXEC"); !set.empty()) {
    return fs::absolute(set); // its programs are started in other folders
  }
  const fs::path beside = executable_folder();
  const fs::path installed = beside / "../libexec/hone";
  std::error_code ignored;
  return fs::is_directory(installed, ignored) ? fs::weakly_canonical(installed, ignored) : beside;
}

fs::path library_folder()
{
  std::error_code ignored;
  const fs::path carried = libexec_folder() / "../../lib/hone";
  return fs::is_directory(carried, ignored) ? fs::weakly_canonical(carried, ignored) : fs::path();
}

fs::path share_folder()
{
  if (const fs::path set = from_environment("HONE_SHARE"); !set.empty()) {
    return set;
  }
  // Installed: <prefix>/bin and <prefix>/share/hone. In a checkout: some parent of the build folder holds
  // transformations/ beside CMakeLists.txt.
  std::error_code ignored;
  const fs::path installed = executable_folder() / "../share/hone";
  if (fs::is_directory(installed, ignored)) {
    return fs::weakly_canonical(installed, ignored);
  }
  for (fs::path folder = executable_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "transformations", ignored) && fs::exists(folder / "CMakeLists.txt", ignored)) {
      return folder;
    }
  }
  return executable_folder();
}

} // namespace hone
