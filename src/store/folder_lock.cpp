#include "store/folder_lock.h"

#include "store/holder.h"
#include "store/storage_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

namespace hone::store {

namespace {

// Record locks do not exclude within one process, and closing any descriptor of the file drops them: so a file that
// this process already holds must not even be opened again.
struct HeldHere {
  std::mutex mutex;
  std::set<std::pair<pid_t, fs::path>> files; // with the process: a forked child holds nothing

  bool claim(const fs::path& file)
  {
    const std::lock_guard guard(mutex);
    return files.emplace(::getpid(), file).second;
  }
  void release(const fs::path& file)
  {
    const std::lock_guard guard(mutex);
    files.erase({::getpid(), file});
  }
};

HeldHere& held_here()
{
  static HeldHere held;
  return held;
}

struct flock whole_file()
{
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

enum class Attempt { got_it, held, impossible };

Attempt try_lock(int descriptor)
{
  struct flock range = whole_file();
  if (::fcntl(descriptor, F_SETLK, &range) == 0) {
    return Attempt::got_it;
  }
  return errno == EACCES || errno == EAGAIN || errno == EINTR ? Attempt::held : Attempt::impossible;
}

// The holder as the file says it ("4711 on host"); the kernel's word where the file says nothing.
std::string holder(int descriptor)
{
  char text[256] = {};
  const ssize_t length = ::pread(descriptor, text, sizeof text - 1, 0);
  std::string written(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  written = written.substr(0, written.find('\n'));
  if (!written.empty()) {
    return written;
  }
  struct flock range = whole_file();
  if (::fcntl(descriptor, F_GETLK, &range) == 0 && range.l_type != F_UNLCK && range.l_pid > 0) {
    return std::to_string(range.l_pid);
  }
  return "unknown";
}

void write_name(int descriptor)
{
  char host[128] = {};
  ::gethostname(host, sizeof host - 1);
  const std::string text = fmt::format("{} on {}\n", ::getpid(), host);
  // For people only: a full disk must not keep anyone from reading the workflow.
  if (::ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
  }
}

std::unexpected<Error> held_by(const fs::path& file, const std::string& who)
{
  return fail(fmt::format("another Hone is working on {}: process {}", file.parent_path().string(), who),
              "wait until it has finished or end it, or work on a state of your own with --state DIR");
}

// Decides how long to wait: until the patience is over, then while the caller wants to.
class Queue {
public:
  Queue(std::chrono::milliseconds patience, const FolderLock::Waiting& waiting)
    : m_end(std::chrono::steady_clock::now() + patience), m_waiting(waiting)
  {
  }
  bool waits_for(const std::string& who) const
  {
    if (std::chrono::steady_clock::now() >= m_end && !(m_waiting && m_waiting(who))) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return true;
  }

private:
  std::chrono::steady_clock::time_point m_end;
  const FolderLock::Waiting& m_waiting;
};

} // namespace

Result<FolderLock> FolderLock::acquire(const fs::path& file, std::chrono::milliseconds patience, const Waiting& waiting)
{
  const Queue queue(patience, waiting);
  const fs::path name = fs::absolute(file).lexically_normal();
  while (!held_here().claim(name)) {
    if (const std::string who = fmt::format("{} (this one)", ::getpid()); !queue.waits_for(who)) {
      return held_by(file, who);
    }
  }
  FolderLock lock(name, ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.m_descriptor < 0) {
    return storage_failure("create", file, std::strerror(errno));
  }
  while (true) {
    const Attempt attempt = try_lock(lock.m_descriptor);
    if (attempt == Attempt::got_it) {
      write_name(lock.m_descriptor);
      return lock;
    }
    if (attempt == Attempt::impossible) {
      return storage_failure("lock", file, std::strerror(errno));
    }
    if (const std::string who = holder(lock.m_descriptor); !queue.waits_for(who)) {
      return held_by(file, who);
    }
  }
}

std::string holder_of(const fs::path& folder)
{
  const fs::path file = folder / "lock";
  {
    HeldHere& here = held_here();
    const std::lock_guard guard(here.mutex);
    if (here.files.contains({::getpid(), fs::absolute(file).lexically_normal()})) {
      return fmt::format("{} (this one)", ::getpid());
    }
  }
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return {};
  }
  struct flock range = whole_file();
  const bool held = ::fcntl(descriptor, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  std::string who = held ? holder(descriptor) : std::string();
  ::close(descriptor);
  return who;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
  : m_file(std::move(other.m_file)), m_descriptor(std::exchange(other.m_descriptor, -1))
{
  other.m_file.clear();
}

FolderLock::~FolderLock()
{
  if (m_descriptor >= 0) {
    ::close(m_descriptor);
  }
  if (!m_file.empty()) {
    held_here().release(m_file);
  }
}

} // namespace hone::store
