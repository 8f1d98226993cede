#include "backend/opencl/runner/private_folder.h"

#include <cstdlib>
#include <filesystem>
#include <sys/prctl.h>
#include <unistd.h>

namespace hone::backend::runner {
namespace {

char g_folder[] = "/tmp/hone-opencl-XXXXXX";

// The pipe's other end closes with the last process that holds it: the runner, or a child it left behind.
[[noreturn]] void remove_when_alone(int pipe_end)
{
  setsid(); // out of reach of signals to the runner's group
  prctl(PR_SET_PDEATHSIG, 0);
  char unused = 0;
  while (read(pipe_end, &unused, 1) > 0) {
  }
  std::error_code ignored;
  std::filesystem::remove_all(g_folder, ignored);
  _exit(0);
}

} // namespace

const char* make_private_folder()
{
  int ends[2];
  if (mkdtemp(g_folder) == nullptr) {
    return nullptr;
  }
  if (pipe(ends) != 0) {
    rmdir(g_folder);
    return nullptr;
  }
  const pid_t child = fork();
  if (child < 0) {
    rmdir(g_folder);
    return nullptr;
  }
  if (child == 0) {
    close(ends[1]);
    remove_when_alone(ends[0]);
  }
  close(ends[0]);
  return g_folder;
}

} // namespace hone::backend::runner
