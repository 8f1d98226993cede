#include "cli/streams.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hone::cli {
namespace {

std::atomic<int> g_out_failure = 0; // the first one's errno

void note_failure()
{
  int none = 0;
  g_out_failure.compare_exchange_strong(none, errno);
}

} // namespace

void print_out(std::string_view text)
{
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    note_failure();
  }
}

void print_err(std::string_view text)
{
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Result<void> finish_out()
{
  if (std::fflush(stdout) != 0) {
    note_failure();
  }
  if (g_out_failure == 0 || g_out_failure == EPIPE) {
    return {};
  }
  return fail(
    fmt::format("standard output did not take all that was to be printed: {}", std::strerror(g_out_failure.load())),
    "what was reached is kept: `hone log` prints it again; free space, or write elsewhere");
}

} // namespace hone::cli
