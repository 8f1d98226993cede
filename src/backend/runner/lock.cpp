#include "backend/runner/lock.h"

#include "backend/runner/landlock.h"
#include "backend/runner/seccomp_filter.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hone::backend::runner {
namespace {

constexpr rlim_t k_stack_bytes = rlim_t{8} << 20;

void limit(__rlimit_resource resource, rlim_t most)
{
  const rlimit value = {most, most};
  setrlimit(resource, &value);
}

void limit_resources(LockProfile profile)
{
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_STACK, k_stack_bytes);
  if (profile == LockProfile::strict) {
    limit(RLIMIT_NOFILE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 0);
    limit(RLIMIT_MEMLOCK, 0);
  }
}

} // namespace

const char* lock_down(const Platform& platform)
{
  if (platform.lock == LockProfile::strict) {
    close_range(0, ~0U, 0);
  }
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return "prctl failed while locking the runner down";
  }
  if (const char* failure = restrict_files(platform.readable, platform.writable)) {
    return failure;
  }
  limit_resources(platform.lock); // after Landlock, which needs a descriptor
  return install_seccomp_filter(platform.lock);
}

} // namespace hone::backend::runner
