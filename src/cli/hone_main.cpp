#include "cli/cli.h"
#include "util/version.h"

namespace hone::cli {
extern const char* const k_built_from; // in commit.cpp, which cmake/commit.cmake writes
}

int main(int argc, char** argv)
{
  hone::name_commit(hone::cli::k_built_from);
  return hone::cli::run_command_line(argc, argv);
}
