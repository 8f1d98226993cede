// What executes: decoded operations, warps with their registers, groups with their shared memory. (internal to the
// room)
#pragma once

#include "emulate/execute/async_copy.h"
#include "emulate/execute/clock.h"
#include "emulate/execute/shadow.h"
#include "emulate/launch.h"
#include "emulate/ptx/text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

using Mask = std::uint32_t; // a bit for each lane
constexpr int k_lanes = 32;
constexpr Mask k_all_lanes = ~Mask{0};

constexpr std::size_t k_most_mbarriers = 64; // of a group
constexpr int k_cluster_barrier = 32;        // behind those of a group and of its waves

struct Warp;
struct Op;
struct PendingProduct;
struct CacheModel;

// Bytes that something under way reads or writes: of the group's shared memory, or global ones.
struct PendingAccess {
  std::uint64_t at = 0, bytes = 0, group = 0;
  bool global = false, stores = false;
};

using Handler = void (*)(Warp&, const Op&);

// Registers are arrays of 32 lanes in the warp's file; operands are byte offsets into it. A predicate is a Mask.
struct Op {
  Handler run = nullptr;
  std::uint32_t d = 0, d2 = 0, a = 0, b = 0, c = 0, e = 0;
  std::uint32_t guard = 0;
  std::uint8_t guard_kind = 0;                 // 0: none, 1: where set, 2: where not set
  std::uint8_t bytes = 0, count = 1, kind = 0; // as the handler says
  std::uint8_t order = 0;                      // of an access: see Order
  std::int64_t imm = 0;
  std::uint32_t target = 0; // of a branch
  std::uint32_t place = 0;
};

struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

// What calls of a function must know: where it begins, and what of the caller's items it would overwrite when it calls
// itself.
struct FunctionFrame {
  std::uint32_t entry = 0;
  std::vector<std::pair<std::uint32_t, int>> registers; // places, and bytes of a lane; 0: a predicate
  std::uint64_t local_begin = 0, local_end = 0;
  bool recursive = false;
};

// A function that can be launched, decoded, with all that it calls.
struct Code {
  std::vector<Op> ops;
  std::vector<std::uint32_t> flow; // of the ops: their number in the order in which lanes that have parted go on
  std::vector<ptx::Place> places;  // of the ops, by Op::place
  std::vector<std::string> texts;  // their opcodes, for messages
  std::vector<std::string> files;
  std::vector<std::byte> image;                 // of the register file's beginning: constants
  std::size_t register_bytes = 0;               // of the whole file
  std::map<std::string, std::uint32_t> special; // of special registers that the code names
  std::size_t shared_bytes = 0, local_bytes = 0;
  std::uint32_t entry = 0; // operation that launches begin with
  std::vector<FunctionFrame> functions;
  bool has_mbarriers = false;
  bool orders_groups = false;                      // has accesses or fences that make an order between groups
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
  bool has_had_turn = false; // it looked for something in vain: others of the warp go first
};

struct Group;
struct CallStacks;

// A cluster's barrier, as a warp's lanes stand to it.
struct ClusterState {
  Mask arrived = 0; // in the phase that is open
  Mask passed = 0;  // in one that is complete, and have not waited yet
};

struct Warp {
  Group* group = nullptr;
  int index = 0;
  std::uint32_t actor = 0; // its place in clocks
  std::byte* registers = nullptr;
  std::byte* local = nullptr; // of all lanes, one after the other
  Mask alive = 0;
  Fragment now;   // what is executed
  Mask exec = 0;  // its lanes that pass the guard
  Mask carry = 0; // of add.cc and its like
  std::vector<Fragment> others;
  std::vector<AsyncCopy> copies; // begun, in their order
  std::uint64_t copy_groups = 0; // committed
  Clock clock;
  Unfenced unfenced; // what relaxed loads have met and no fence has taken over
  ClusterState cluster;
  std::shared_ptr<CallStacks> calls;                     // of lanes that are in functions; nullptr: none ever was
  std::vector<std::shared_ptr<PendingProduct>> products; // wgmma, begun, in their order
  std::uint64_t product_groups = 0;
  std::vector<PendingAccess> bulk_accesses; // of bulk stores
  std::uint64_t bulk_groups = 0;
  std::map<std::uint64_t, Clock> map_views; // of tensor maps: what fence.proxy.tensormap has let the proxy know
  int polls = 0;                            // strong loads of this turn
  int delay = 0;                            // turns that it loses
  bool delayed = false;                     // it has lost those before what it does now
  bool turn_over = false;
  bool yields = false;        // waits for somebody else: its turn is over
  std::uint64_t waits_at = 0; // the mbarrier that it last looked at in vain, and where
  std::uint32_t waits_place = 0;
  std::uint32_t jump = 0; // where the fragment goes on
  bool stopped = false;   // the fragment does not go on at present

  template <class T> T* at(std::uint32_t offset) const { return reinterpret_cast<T*>(registers + offset); }
  std::uint32_t own_clock() const { return clock.near[actor]; }
  void advance() { ++clock.near[actor]; }
  // A strong load or update: who does many of them in a turn waits for others, which have theirs.
  void poll(const Op& op)
  {
    constexpr int k_most_polls = 16;
    turn_over = turn_over || (op.order != 0 && ++polls >= k_most_polls);
  }
};

// An object in shared memory that counts arrivals and bytes, phase by phase.
struct MBarrier {
  std::uint32_t actor = 0; // its place in clocks
  std::uint32_t count = 0; // arrivals of a phase
  std::uint32_t pending = 0;
  std::int64_t bytes = 0;   // expected and not there yet
  std::uint32_t phase = 0;  // completed
  Clock arriving, released; // of phases
};

// A bulk copy whose bytes have not come yet.
struct BulkCopy {
  std::uint64_t offset = 0, barrier = 0; // in shared memory of its group
  std::vector<std::byte> content;
  std::uint8_t update = 0, number = 0; // how and as what it is added to what is there; 0: it takes its place
  std::uint32_t place = 0;
};

struct Barrier {
  std::uint32_t expected = 0;                 // items; 0: all of the group
  std::vector<Mask> arrived;                  // by warp
  std::vector<std::uint32_t> place;           // by warp, of the last that came
  Clock clock;                                // joined of those that came
  std::uint32_t yes = 0, items = 0;           // of bar.red: whose predicate holds, of all that came
  std::uint32_t last_yes = 0, last_items = 0; // when it opened last
};

constexpr std::size_t k_named_barriers = 16; // behind them one for each pair of warps (wave64.cpp)

// What two warps give each other, in turns.
struct Wave {
  using Words = std::array<std::array<std::uint32_t, 2 * k_lanes>, 4>;
  std::array<Words, 2> words{};
  std::array<std::uint32_t, 2> turn{}; // of each half
};

struct Launch; // of all groups
struct Cluster;

struct Group {
  Launch* launch = nullptr;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0; // in its cluster
  std::array<std::uint32_t, 3> id{}, id_in_cluster{};
  std::uint32_t number = 0; // among all groups
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  Shadow shared_shadow;
  std::array<Barrier, 2 * k_named_barriers> barriers;
  std::vector<Wave> waves;
  std::map<std::uint64_t, MBarrier> mbarriers; // by their offset in shared memory
  std::vector<BulkCopy> bulk_copies;           // under way to it, in their order
  std::vector<Actor> visitors;                 // warps of other groups that used its shared memory, their last uses
  bool left = false;                           // all its items

  std::vector<std::byte> registers, local; // of all warps
};

// Groups that run together and reach each other's shared memory; most often one. Its warps share one space of clocks:
// first all warps, group by group, then what comes for mbarriers.
struct Cluster {
  Launch* launch = nullptr;
  std::uint32_t number = 0; // among all clusters
  std::array<std::uint32_t, 3> id{};
  std::vector<std::unique_ptr<Group>> groups;
  std::uint32_t warps = 0;         // of all groups
  std::uint32_t actors = 0;        // those and the mbarriers
  std::uint64_t first_actor = 1;   // among all of the launch
  Clock arriving, released;        // of the cluster's barrier
  std::uint32_t barrier_place = 0; // where somebody arrived last
};

struct Launch {
  const LaunchRequest* request = nullptr;
  const Code* code = nullptr;
  const Entry* entry = nullptr;
  GlobalMemory* memory = nullptr;
  LaunchResult result;
  std::vector<std::byte> parameters;
  std::map<std::uintptr_t, Shadow> shadows; // of allocations that plain loads or stores have met, by their beginning
  Shadow* last_shadow = nullptr;            // of the allocation that begins at last_begin
  std::uintptr_t last_begin = 0;
  std::map<std::uintptr_t, Flag> flags; // words with which warps tell each other something, by their bytes
  std::map<std::uint64_t, std::uint32_t> map_releases; // by actor: how far the tensor map proxy was told of it
  std::vector<LineCounts> lines;                       // by Op::place; empty where nobody counts
  std::shared_ptr<CacheModel> cache_model;             // nullptr where nobody counts
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  bool explicit_cluster = false; // somebody has said it
  bool fatal = false;
  std::uint64_t instructions = 0, ticks = 0; // of %clock
  std::uint64_t events = 0;                  // barriers that opened, arrivals, bytes that came
  std::mt19937_64 random;
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
