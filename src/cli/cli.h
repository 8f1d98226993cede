// The command line: commands, terminal, exit codes. How anything is done is other rooms' business.
#pragma once

namespace hone::cli {

// Exit statuses, also listed by `hone --help` and in docs/cli.md.
enum class Exit : int {
  ok = 0,
  negative = 1,      // it worked, and the answer is no: not correct, a mistake found, slower
  usage = 2,         // wrong arguments or a mistake in a file that a person wrote
  missing = 3,       // something this machine lacks: a tool, a device, a permission
  failed = 4,        // Hone could not do its work; the message says why
  interrupted = 130, // Ctrl-C or a termination request; what was reached is kept
};

// Runs one command; the return value is the process's exit status.
int run_command_line(int argc, char** argv);

} // namespace hone::cli
