// The contract between the parent (gate/lane) and every runner program, as plain memory.
//
// Two shared areas:
//   job    written by the parent, mapped read-only by the runner: the command word, the tables and the texts;
//   reply  written by the runner. A candidate shares the runner's address space, so the parent treats every byte of
//          it as a claim: numbers are range-checked, texts are capped, nothing in it is ever an address to follow.
//
// A command: the parent writes the command's members, then adds 1 to Job::command_sequence and wakes it (futex). The
// runner carries the command out, writes Reply::sequence = command_sequence and wakes that. Commands never overlap.
//
// Plain C++ with fixed-width members only: included by programs that link nothing but libc.
#pragma once

#include <cstdint>

namespace hone::runner {

constexpr std::uint32_t k_abi_magic = 0x484f4e45; // "HONE"
constexpr std::uint32_t k_abi_version = 1;

// File descriptors that a runner inherits: no standard streams, nothing else.
constexpr int k_job_fd = 3;
constexpr int k_reply_fd = 4;
constexpr int k_first_mapping_fd = 5; // Mapping::fd counts from here

constexpr std::uint32_t k_most_block_calls = 4096;
constexpr std::uint32_t k_most_arguments = 60; // of one launch

enum class Command : std::uint32_t { none, run_block, run_groups, exit };

// One range of memory at a fixed address. Job::mappings of them, in order of address.
struct Mapping {
  std::uint64_t address;
  std::uint64_t length;      // bytes, whole pages
  std::uint64_t file_offset;
  std::uint32_t fd;          // k_first_mapping_fd + fd
  std::uint32_t protection;  // PROT_* bits
};

// What an argument is. Its value is a uint64 per (set, launch, argument): an address in the runner or an integer.
enum class ArgumentKind : std::uint32_t { buffer, integer };

struct ArgumentSpec {
  ArgumentKind kind;
  std::uint32_t buffer; // kind buffer: index into the buffer table
};

// Kernel arguments in order, then the plan's scratch buffers. One row per (set, buffer).
struct Buffer {
  std::uint64_t address; // in the runner
  std::uint64_t bytes;
  std::uint32_t writable;      // 0: an input, mapped read-only
  std::uint32_t element_bytes;
};

struct Fill {
  std::uint64_t elements;
  std::uint64_t pattern;       // the element's bits, in the low bytes
  std::uint32_t buffer;
  std::uint32_t element_bytes; // 1, 2, 4 or 8
};

struct Launch {
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t shared_bytes;
  std::uint64_t entry;           // address of the function (CPU); 0 elsewhere
  std::uint32_t name_offset;     // kernel name: NUL-terminated, offset from the start of the job
  std::uint32_t first_argument;  // into the argument table (specs) and into each set's row of values
  std::uint32_t argument_count;
  std::uint32_t first_fill;      // done before this launch
  std::uint32_t fill_count;
  std::uint32_t reserved;
};

// The head of the job area. Members called *_offset count bytes from the start of the job.
struct Job {
  std::uint32_t magic;
  std::uint32_t version;

  std::uint32_t command_sequence; // futex word, parent -> runner
  Command command;

  // Command::run_block: calls of the whole plan, one per entry of the set list.
  std::uint32_t block_calls;
  // Command::run_groups: groups [first, first + count) of one launch on one set.
  std::uint32_t group_set;
  std::uint32_t group_launch;
  std::uint32_t group_descending;
  std::uint32_t group_with_fills;
  std::uint32_t reserved;
  std::int64_t group_first;
  std::int64_t group_count;

  // Where things are.
  std::uint64_t job_bytes;
  std::uint32_t mapping_count, mapping_offset;   // Mapping[]
  std::uint32_t launch_count, launch_offset;     // Launch[]
  std::uint32_t argument_count, argument_offset; // ArgumentSpec[], all launches in a row
  std::uint32_t fill_count, fill_offset;         // Fill[]
  std::uint32_t set_count, buffer_count;
  std::uint64_t buffer_offset;                   // Buffer[set_count][buffer_count]
  std::uint64_t value_offset;                    // uint64[set_count][argument_count]
  std::uint64_t set_list_offset;                 // uint32[k_most_block_calls], rewritten before each block

  // Texts: not terminated by NUL unless said.
  std::uint64_t image_offset, image_bytes;       // Module::image where a driver loads it (OpenCL); empty on the CPU
  std::uint64_t options_offset, options_bytes;   // Module::build_options
  std::uint64_t library_offset, library_bytes;   // library profile: name
  std::uint64_t setting_offset, setting_bytes;   // library profile: "NAME=value", or empty

  // CPU: scratch of the one worker, for Launch::shared_bytes.
  std::uint64_t shared_address, shared_bytes;

  // How the process is set up and locked.
  std::int32_t parent_pid;
  std::int32_t cpu;           // pinned to it; < 0: not pinned
  std::uint32_t drop_uid;     // becomes this user and group when started as root; 0: stays
  std::uint32_t stack_offset; // bytes below the top of the stack where calls start: drawn, the same for both arms
};

enum class State : std::uint32_t {
  starting, // has not said anything yet
  ready,    // loaded and locked; also after every command that was carried out
  refused,  // could not load: Reply::text says why, Reply::kind whose fault it is
  faulted,  // a signal handler ran: signal, fault_* are set
  blocked,  // the lock stopped a system call: blocked_call is set
};

enum class RefusalKind : std::uint32_t {
  setup,   // the machine's or Hone's fault: text says what did not work
  compile, // the candidate's fault: text holds the compiler's log
  runtime, // the candidate's fault: a launch or call failed, text says how
};

constexpr std::uint32_t k_reply_text_bytes = 16 << 10;

struct Reply {
  std::uint32_t sequence; // futex word, runner -> parent; 1 once loaded (command_sequence starts at 1)
  State state;
  RefusalKind refusal;
  std::uint32_t signal;
  std::uint64_t fault_address;
  std::uint32_t fault_write; // 1: a write
  std::uint32_t fault_fetch; // 1: an instruction fetch
  std::uint32_t blocked_call;
  std::uint32_t text_bytes;
  std::uint64_t stamp_begin_ns; // CLOCK_MONOTONIC around the calls of the block: diagnosis only
  std::uint64_t stamp_end_ns;
  char text[k_reply_text_bytes];
};

// Exit statuses of runner programs.
constexpr int k_exit_done = 0;
constexpr int k_exit_refused = 101;
constexpr int k_exit_blocked = 102;

} // namespace hone::runner
