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
// This header is the core: what every platform speaks. What only one platform needs (for CPUs: what calls find in
// registers, stacks, code, groups one by one) lies in Job's extension area, which the core never looks into; the CPU's
// is backend/cpu/runner_extension.h.
//
// Memory. The mappings of a job are its staging area: the parent fills it with inputs and poison, and judges what it
// finds there after a call.
//   shared  Job::own_memory == 0: launches compute in the staging area itself. No memory command is ever sent.
//   own     Job::own_memory == 1: each buffer also exists in the device's memory, between two bands of guard_bytes.
//           Launches see only that. Before a block the parent sends requests that push or poison the buffers, write
//           their guards and take digests of inputs; after it, that check the guards, take the digests again and pull
//           outputs. Buffers with the same staging address are one buffer of the device. What the runner says about
//           guards and digests is a claim, too: it counts where device code cannot reach the runner itself. Platforms
//           whose candidates run in the runner's process share memory instead, and the parent looks at its own bytes.
//
// Time. The parent's wall clock around a block always counts as the upper bound. A platform whose device has a clock of
// its own reports what that says in Reply::device_ns; see DeviceClock in backend/capabilities.h. Work that calls left
// on the device is waited for before the block is answered.
//
// Rebinding. Command::rebind: the parent has rewritten everything behind the head, for another job with mappings among
// the inherited descriptors. The runner forgets the former job: mappings, buffers, code. Not for the CPU, where a new
// process takes a millisecond and is sure to remember nothing.
//
// Cancelling. The parent writes the running command's sequence to Job::cancelled_sequence. A runner of a platform that
// looks there ends its block before the next call and answers with fewer Reply::calls_done. Others are killed.
//
// Plain C++ with fixed-width members only: included by programs that link nothing but libc.
#pragma once

#include <cstdint>

namespace hone::backend::runner {

constexpr std::uint32_t k_abi_magic = 0x484f4e45; // "HONE"
constexpr std::uint32_t k_abi_version = 9;

// File descriptors that a runner inherits: no standard streams, nothing else.
constexpr int k_job_fd = 3;
constexpr int k_reply_fd = 4;
constexpr int k_first_mapping_fd = 5; // Mapping::fd counts from here

constexpr std::uint32_t k_most_block_calls = 4096;
constexpr std::uint32_t k_most_arguments = 60; // of one launch
constexpr std::uint32_t k_most_workers = 256;
constexpr std::uint32_t k_stack_step = 16; // bytes: Job::stack_offset is a multiple of it

enum class Command : std::uint32_t {
  none,
  run_block,
  stand_by, // workers beside the main thread wake up and spin until the next block is done; not on the clock
  exit,
  memory,         // the requests of the list, in order
  rebind,         // the job area holds another job
  extension = 64, // from here on: a platform's own
};

// One step of Command::memory, on the buffer of one set.
enum class MemoryOperation : std::uint32_t {
  push,        // from the staging area to the device
  pull,        // from the device to the staging area
  fill,        // all elements become `key` (the element's bits, in the low bytes)
  poison,      // becomes poison_word(key, 0), poison_word(key, 1), ...
  digest,      // result: digest of its bytes
  write_guard, // both bands become guards of `key`
  check_guard, // result: 0 where both bands are whole, else damage_of(...)
};

constexpr std::uint32_t k_most_memory_requests = 512;

struct MemoryRequest {
  MemoryOperation operation;
  std::uint32_t set;
  std::uint32_t buffer;
  std::uint32_t element_bytes; // fill: 1, 2, 4 or 8
  std::uint64_t key;
};

// One range of memory at a fixed address. Job::mappings of them, in order of address.
struct Mapping {
  std::uint64_t address;
  std::uint64_t length; // bytes, whole pages
  std::uint64_t file_offset;
  std::uint32_t fd;         // k_first_mapping_fd + fd
  std::uint32_t protection; // PROT_* bits
};

// What an argument is. Its value is a uint64 per (set, launch, argument): an address in the runner or an integer.
// A tensor map's value is 0: the runner makes the map, and passes its address on the device.
enum class ArgumentKind : std::uint32_t { buffer, integer, tensor_map };

struct ArgumentSpec {
  ArgumentKind kind;
  std::uint32_t buffer; // kind buffer: index into the buffer table; tensor_map: into the table of maps
};

// A dense tensor as copies of boxes see it, from the innermost dimension on.
struct TensorMap {
  std::uint32_t buffer;   // index into the buffer table
  std::uint32_t type;     // as CUtensorMapDataType
  std::uint32_t rank;     // 1 to 5
  std::uint32_t swizzle;  // bytes: 0, 32, 64, 128
  std::uint64_t sizes[5]; // elements
  std::uint32_t box[5];
  std::uint32_t element_bytes;
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
  std::uint32_t cluster[3];     // groups that run together; all 1: each by itself
  std::uint32_t name_offset;    // kernel name: NUL-terminated, offset from the start of the job
  std::uint32_t first_argument; // into the argument table (specs) and into each set's row of values
  std::uint32_t argument_count;
  std::uint32_t first_fill; // done before this launch
  std::uint32_t fill_count;
};

// One thread of the runner; the first is the main thread. Job::worker_count of them.
struct Worker {
  std::int32_t cpu; // pinned to it; < 0: not pinned
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
  std::uint32_t cancelled_sequence; // of a command that is to end as soon as possible
  // Command::memory.
  std::uint32_t memory_request_count;
  std::uint32_t own_memory;  // 1: buffers lie in memory of the device's own, else in the staging area
  std::uint32_t guard_bytes; // of each band around them there; a multiple of 4096

  // Where things are.
  std::uint64_t job_bytes;
  std::uint32_t mapping_count, mapping_offset;   // Mapping[]
  std::uint32_t launch_count, launch_offset;     // Launch[]
  std::uint32_t argument_count, argument_offset; // ArgumentSpec[], all launches in a row
  std::uint32_t fill_count, fill_offset;         // Fill[]
  std::uint32_t set_count, buffer_count;
  std::uint64_t buffer_offset;         // Buffer[set_count][buffer_count]
  std::uint64_t value_offset;          // uint64[set_count][argument_count]
  std::uint64_t set_list_offset;       // uint32[k_most_block_calls], rewritten before each block
  std::uint64_t memory_request_offset; // MemoryRequest[k_most_memory_requests], rewritten before each; 0: none

  // What only one platform knows; empty elsewhere.
  std::uint64_t extension_offset, extension_bytes;

  // Texts: not terminated by NUL unless said.
  std::uint64_t image_offset, image_bytes;     // Module::image where a driver loads it (OpenCL); empty on the CPU
  std::uint64_t options_offset, options_bytes; // Module::build_options
  std::uint64_t library_offset, library_bytes; // library profile: name
  std::uint64_t setting_offset, setting_bytes; // library profile: "NAME=value", or empty

  std::uint32_t worker_count, worker_offset; // Worker[]

  // How the process is set up and locked.
  std::int32_t parent_pid;
  std::uint32_t drop_uid;     // becomes this user and group when started as root; 0: stays
  std::uint32_t stack_offset; // bytes below the top of the stack where commands start: drawn, the same for both arms
  std::uint32_t reserved;

  std::uint32_t map_count, map_offset; // TensorMap[]
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
  std::uint64_t device_ns;  // of the block, by the device's own clock; 0 where there is none
  std::uint32_t calls_done; // of the block
  std::uint32_t reserved;
  std::uint64_t memory_results[k_most_memory_requests]; // one per request of the last Command::memory
  char text[k_reply_text_bytes];
};

// Exit statuses of runner programs.
constexpr int k_exit_done = 0;
constexpr int k_exit_refused = 101;
constexpr int k_exit_blocked = 102;

} // namespace hone::backend::runner
