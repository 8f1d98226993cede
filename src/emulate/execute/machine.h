// What executes: decoded operations, warps with their registers, groups with their shared memory. (internal to the
// room)
#pragma once

#include "emulate/execute/async_copy.h"
#include "emulate/execute/shadow.h"
#include "emulate/launch.h"
#include "emulate/ptx/text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hone::emulate::execute {

using Mask = std::uint32_t; // a bit for each lane
constexpr int k_lanes = 32;
constexpr Mask k_all_lanes = ~Mask{0};

constexpr std::size_t k_most_mbarriers = 64; // of a group

struct Warp;
struct Op;
struct PendingProduct;

// Bytes of shared memory that something under way reads.
struct PendingLoad {
  std::uint64_t offset = 0, bytes = 0, group = 0;
};

using Handler = void (*)(Warp&, const Op&);

// Registers are arrays of 32 lanes in the warp's file; operands are byte offsets into it. A predicate is a Mask.
struct Op {
  Handler run = nullptr;
  std::uint32_t d = 0, d2 = 0, a = 0, b = 0, c = 0, e = 0;
  std::uint32_t guard = 0;
  std::uint8_t guard_kind = 0;                 // 0: none, 1: where set, 2: where not set
  std::uint8_t bytes = 0, count = 1, kind = 0; // as the handler says
  std::int64_t imm = 0;
  std::uint32_t target = 0; // of a branch
  std::uint32_t place = 0;
};

struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

// A function, decoded.
struct Code {
  std::vector<Op> ops;
  std::vector<ptx::Place> places; // of the ops, by Op::place
  std::vector<std::string> texts; // their opcodes, for messages
  std::vector<std::string> files;
  std::vector<std::byte> image;                 // of the register file's beginning: constants
  std::size_t register_bytes = 0;               // of the whole file
  std::map<std::string, std::uint32_t> special; // of special registers that the code names
  std::size_t shared_bytes = 0, local_bytes = 0;
  std::vector<std::byte> constants;                // of the module's constant memory
  std::vector<std::shared_ptr<const void>> extras; // what does not fit an operation; Op::imm is its number
};

// Windows of generic addresses. No address of this process lies there.
constexpr std::uint64_t k_shared_window = 0x0100'0000'0000'0000, k_local_window = 0x0200'0000'0000'0000,
                        k_constant_window = 0x0300'0000'0000'0000, k_parameter_window = 0x0400'0000'0000'0000;
constexpr std::uint64_t k_window_mask = 0xff00'0000'0000'0000;

// Lanes of a warp that are at the same instruction.
struct Fragment {
  std::uint32_t pc = 0;
  Mask mask = 0;
  int barrier = -1; // waits at this one
  bool waits_for_lanes = false;
};

struct Group;

struct Warp {
  Group* group = nullptr;
  int index = 0;
  std::byte* registers = nullptr;
  std::byte* local = nullptr; // of all lanes, one after the other
  Mask alive = 0;
  Fragment now;   // what is executed
  Mask exec = 0;  // its lanes that pass the guard
  Mask carry = 0; // of add.cc and its like
  std::vector<Fragment> others;
  std::vector<AsyncCopy> copies; // begun, in their order
  std::uint64_t copy_groups = 0; // committed
  // Of every actor of the group: what this warp knows of; and, behind all of these, what of it the asynchronous proxy
  // may count on (fence.proxy.async).
  std::vector<std::uint32_t> clock;
  std::vector<std::shared_ptr<PendingProduct>> products; // wgmma, begun, in their order
  std::uint64_t product_groups = 0;
  std::vector<PendingLoad> bulk_loads; // shared memory that a bulk store reads
  std::uint64_t bulk_groups = 0;
  bool yields = false;        // waits for somebody else: its turn is over
  std::uint64_t waits_at = 0; // the mbarrier that it last looked at in vain, and where
  std::uint32_t waits_place = 0;
  std::uint32_t jump = 0; // where the fragment goes on
  bool stopped = false;   // the fragment does not go on at present

  template <class T> T* at(std::uint32_t offset) const { return reinterpret_cast<T*>(registers + offset); }
  std::uint32_t own_clock() const { return clock[static_cast<std::size_t>(index)]; }
};

// An object in shared memory that counts arrivals and bytes, phase by phase.
struct MBarrier {
  std::uint32_t number = 0; // among the group's
  std::uint32_t count = 0;  // arrivals of a phase
  std::uint32_t pending = 0;
  std::int64_t bytes = 0;                        // expected and not there yet
  std::uint32_t phase = 0;                       // completed
  std::vector<std::uint32_t> arriving, released; // clocks
};

// A bulk copy whose bytes have not come yet.
struct BulkCopy {
  std::uint64_t offset = 0, barrier = 0; // in shared memory
  std::vector<std::byte> content;
  std::uint32_t place = 0;
};

struct Barrier {
  std::uint32_t expected = 0;       // items; 0: all of the group
  std::vector<Mask> arrived;        // by warp
  std::vector<std::uint32_t> place; // by warp, of the last that came
  std::vector<std::uint32_t> clock; // joined of those that came
};

constexpr std::size_t k_named_barriers = 16; // behind them one for each pair of warps (wave64.cpp)

// What two warps give each other, in turns.
struct Wave {
  using Words = std::array<std::array<std::uint32_t, 2 * k_lanes>, 4>;
  std::array<Words, 2> words{};
  std::array<std::uint32_t, 2> turn{}; // of each half
};

struct Launch; // of all groups

struct Group {
  Launch* launch = nullptr;
  std::array<std::uint32_t, 3> id{};
  std::uint32_t number = 0; // among all groups
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  Shadow shared_shadow;
  std::array<Barrier, 2 * k_named_barriers> barriers;
  std::vector<Wave> waves;
  std::map<std::uint64_t, MBarrier> mbarriers; // by their offset in shared memory
  std::vector<BulkCopy> bulk_copies;           // under way, in their order
  std::uint64_t events = 0;                    // barriers that opened, arrivals, bytes that came

  std::size_t actors() const { return warps.size() + k_most_mbarriers; }
  std::uint64_t first_actor() const { return std::uint64_t{number} * actors() + 1; }
  std::vector<std::byte> registers, local; // of all warps
};

struct Launch {
  const LaunchRequest* request = nullptr;
  const Code* code = nullptr;
  const Entry* entry = nullptr;
  GlobalMemory* memory = nullptr;
  LaunchResult result;
  std::vector<std::byte> parameters;
  std::map<std::uintptr_t, Shadow> shadows; // of allocations that plain loads or stores have met, by their beginning
  std::vector<LineCounts> lines;            // by Op::place; empty where nobody counts
  bool fatal = false;
  std::uint64_t instructions = 0;
};

// Adds a finding; the fatal ones end the launch.
void report(Warp& warp, const Op& op, FindingKind kind, const std::string& text, std::uint32_t other_place = 0);

// For all lanes that execute.
template <class F> void each_lane(const Warp& warp, const F& body)
{
  if (warp.exec == k_all_lanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < k_lanes; ++lane) {
      body(lane);
    }
    return;
  }
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    body(std::countr_zero(rest));
  }
}

} // namespace hone::emulate::execute
