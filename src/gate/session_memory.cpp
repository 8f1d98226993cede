#include "gate/session_memory.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U // since Linux 6.3; older kernels refuse the flag and need none
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace hone::gate {
namespace {

// Above the numbers that a runner inherits, so that handing descriptors over cannot overwrite one by another.
constexpr int k_lowest_fd = 128;

int move_up(int fd)
{
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, k_lowest_fd);
  close(fd);
  return moved;
}

int create_file(const char* name, SharedMemory::Use use)
{
  const unsigned wanted = use == SharedMemory::Use::code ? MFD_EXEC : MFD_NOEXEC_SEAL;
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | wanted);
  if (fd < 0 && errno == EINVAL) {
    fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  }
  if (fd < 0) {
    return fd;
  }
  return move_up(fd);
}

} // namespace

Result<SharedMemory> SharedMemory::create(const char* name, std::size_t bytes, Use use)
{
  static std::atomic<std::uint64_t> serials = 0;
  SharedMemory memory;
  memory.m_serial = ++serials;
  memory.m_size = round_up(bytes, k_page);
  memory.m_fd = create_file(name, use);
  if (memory.m_fd < 0 || ftruncate(memory.m_fd, static_cast<off_t>(memory.m_size)) != 0) {
    return fail(fmt::format("cannot create {} bytes of shared memory: {}", memory.m_size, std::strerror(errno)),
                "free memory, or raise the limit on open files (ulimit -n)");
  }
  void* data = mmap(nullptr, memory.m_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory.m_fd, 0);
  if (data == MAP_FAILED) {
    return fail(fmt::format("cannot map {} bytes of shared memory: {}", memory.m_size, std::strerror(errno)),
                "free memory and try again");
  }
  memory.m_data = static_cast<std::byte*>(data);
  fcntl(memory.m_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return memory;
}

Result<void> SharedMemory::seal_for_others()
{
  if (fcntl(m_fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    return fail(fmt::format("cannot seal shared memory: {}", std::strerror(errno)), "Hone needs Linux 5.1 or later");
  }
  return {};
}

Result<void> SharedMemory::open_read_only()
{
  const std::string path = fmt::format("/proc/self/fd/{}", m_fd);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail(fmt::format("cannot open {} again: {}", path, std::strerror(errno)), "Hone needs /proc");
  }
  m_read_only_fd = move_up(fd);
  return {};
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
  : m_fd(std::exchange(other.m_fd, -1)), m_read_only_fd(std::exchange(other.m_read_only_fd, -1)),
    m_serial(other.m_serial), m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0))
{
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept
{
  if (this != &other) {
    release();
    m_fd = std::exchange(other.m_fd, -1);
    m_read_only_fd = std::exchange(other.m_read_only_fd, -1);
    m_serial = other.m_serial;
    m_data = std::exchange(other.m_data, nullptr);
    m_size = std::exchange(other.m_size, 0);
  }
  return *this;
}

SharedMemory::~SharedMemory()
{
  release();
}

void SharedMemory::release()
{
  if (m_data != nullptr) {
    munmap(m_data, m_size);
  }
  for (const int fd : {m_fd, m_read_only_fd}) {
    if (fd >= 0) {
      close(fd);
    }
  }
}

} // namespace hone::gate
