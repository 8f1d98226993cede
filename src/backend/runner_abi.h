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
constexpr std::uint32_t k_abi_version = 6;
constexpr std::uint32_t k_flushes_results = 1, k_flushes_operands = 2; // of a caller

// File descriptors that a runner inherits: no standard streams, nothing else.
constexpr int k_job_fd = 3;
constexpr int k_reply_fd = 4;
constexpr int k_first_mapping_fd = 5; // Mapping::fd counts from here

constexpr std::uint32_t k_most_block_calls = 4096;
constexpr std::uint32_t k_most_arguments = 60; // of one launch
constexpr std::uint32_t k_most_workers = 256;
constexpr std::uint32_t k_stack_step = 16; // bytes: Job::stack_offset is a multiple of it

// Stacks of the workers beside the main thread, where all runners have them: worker i's ends at the area's start plus
// i steps. What lies below a stack is never mapped.
constexpr std::uint64_t k_worker_stack_area = 0x5000'0000'0000;
constexpr std::uint64_t k_worker_stack_bytes = std::uint64_t{8} << 20; // and of the caller's other stack
constexpr std::uint64_t k_worker_stack_step = std::uint64_t{32} << 20;

// stand_by: workers beside the main thread wake up and spin until the next block is done. Not on the clock.
enum class Command : std::uint32_t { none, run_block, run_groups, stand_by, exit };

// One range of memory at a fixed address. Job::mappings of them, in order of address.
struct Mapping {
  std::uint64_t address;
  std::uint64_t length; // bytes, whole pages
  std::uint64_t file_offset;
  std::uint32_t fd;         // k_first_mapping_fd + fd
  std::uint32_t protection; // PROT_* bits
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
  std::uint32_t writable; // 0: an input, mapped read-only
  std::uint32_t element_bytes;
};

struct Fill {
  std::uint64_t elements;
  std::uint64_t pattern; // the element's bits, in the low bytes
  std::uint32_t buffer;
  std::uint32_t element_bytes; // 1, 2, 4 or 8
};

struct Launch {
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t shared_bytes;
  std::uint64_t entry;          // address of the function (CPU); 0 elsewhere
  std::uint32_t name_offset;    // kernel name: NUL-terminated, offset from the start of the job
  std::uint32_t first_argument; // into the argument table (specs) and into each set's row of values
  std::uint32_t argument_count;
  std::uint32_t first_fill; // done before this launch
  std::uint32_t fill_count;
  std::uint32_t reserved;
};

// One thread that runs groups; the first is the main thread. Job::worker_count of them.
struct Worker {
  std::uint64_t shared_address; // its scratch for Launch::shared_bytes (CPU)
  std::int32_t cpu;             // pinned to it; < 0: not pinned
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
  std::uint32_t block_flushes;         // what the caller's arithmetic takes for zeros below the smallest normal number:
                                       // k_flushes_results, k_flushes_operands, or both
  std::uint32_t block_other_stack;     // calls are made on the other stack, where there is one
  std::uint32_t block_keeps_registers; // since the call before: of one that is made alone
  std::uint32_t block_registers_seed;  // of what registers hold before each call; 0: drawn anew
  // Command::run_groups: groups [first, first + count) of one launch on one set.
  std::uint32_t group_set;
  std::uint32_t group_launch;
  std::uint32_t group_descending;
  std::uint32_t group_with_fills;
  std::uint32_t group_keeps_shared; // shared scratch stays as the parent left it; else every group finds random bits
  std::int64_t group_first;
  std::int64_t group_count;

  // Where things are.
  std::uint64_t job_bytes;
  std::uint32_t mapping_count, mapping_offset;   // Mapping[]
  std::uint32_t launch_count, launch_offset;     // Launch[]
  std::uint32_t argument_count, argument_offset; // ArgumentSpec[], all launches in a row
  std::uint32_t fill_count, fill_offset;         // Fill[]
  std::uint32_t set_count, buffer_count;
  std::uint64_t buffer_offset;   // Buffer[set_count][buffer_count]
  std::uint64_t value_offset;    // uint64[set_count][argument_count]
  std::uint64_t set_list_offset; // uint32[k_most_block_calls], rewritten before each block

  // Texts: not terminated by NUL unless said.
  std::uint64_t image_offset, image_bytes;     // Module::image where a driver loads it (OpenCL); empty on the CPU
  std::uint64_t options_offset, options_bytes; // Module::build_options
  std::uint64_t library_offset, library_bytes; // library profile: name
  std::uint64_t setting_offset, setting_bytes; // library profile: "NAME=value", or empty

  std::uint32_t worker_count, worker_offset; // Worker[]

  // How the process is set up and locked.
  std::int32_t parent_pid;
  std::uint32_t drop_uid;     // becomes this user and group when started as root; 0: stays
  std::uint32_t stack_offset; // bytes below the top of the stack where calls start: drawn, the same for both arms
  std::uint32_t reserved_too;
  std::uint64_t other_stack_end; // of a second stack that calls may be made on, as by a thread; 0: there is none
};

enum class State : std::uint32_t {
  starting, // has not said anything yet
  ready,    // loaded and locked; also after every command that was carried out
  refused,  // could not load: Reply::text says why, Reply::refusal whose fault it is
  faulted,  // a signal handler ran: signal, fault_* are set
  blocked,  // the lock stopped a system call: blocked_call is set
};

enum class RefusalKind : std::uint32_t {
  setup,   // the machine's or Hone's fault: text says what did not work
  compile, // the candidate's fault: the driver takes what was compiled, but not its kernels; text says why
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
