// Instructions that a whole warp executes together, all of its lanes being members.
#include "catalogue.h"

#include <algorithm>
#include <functional>
#include <map>

namespace hone::oracle {

namespace {

using In = const std::vector<Lanes>&;
using Out = std::vector<Lanes>&;

const Input k_any_predicate{RegisterClass::predicate, any_predicate(), Input::Literal::never};

Operation of_warp(const std::string& name, const std::string& operands, std::vector<Output> outputs,
                  std::vector<Input> inputs, std::function<void(In, Out)> warp)
{
  Operation out;
  out.name = name;
  out.text = name + " " + operands + ";";
  out.outputs = std::move(outputs);
  out.inputs = std::move(inputs);
  out.warp = std::move(warp);
  return out;
}

void add_shuffles(Operations& out)
{
  Input value;
  value.draw = any_integer(32);
  value.literal = Input::Literal::never;
  Input by;
  by.draw = [](Random& random) { return random.below(random.below(4) == 0 ? 1000 : 34); };
  Input limits; // segments of a power of 2, mostly; else any bits
  limits.draw = [](Random& random) {
    const std::uint64_t segment = 32 - (std::uint64_t{1} << random.below(6));
    switch (random.below(4)) {
    case 0:
      return segment << 8;
    case 1:
      return segment << 8 | 31;
    case 2:
      return segment << 8 | random.below(32);
    default:
      return random.below(32) << 8 | random.below(32);
    }
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    const auto shuffle = [mode](In in, Out to) {
      for (int lane = 0; lane < k_lanes; ++lane) {
        const auto b = static_cast<int>(in[1][lane] & 31), clamp = static_cast<int>(in[2][lane] & 31),
                   segment = static_cast<int>(in[2][lane] >> 8 & 31);
        const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
        int from = lane;
        bool inside = false;
        if (mode == "up") {
          from = lane - b;
          inside = from >= most;
        } else {
          from = mode == "down" ? lane + b : mode == "bfly" ? lane ^ b : least | (b & ~segment);
          inside = from <= most;
        }
        to[0][lane] = in[0][inside ? from : lane];
        if (to.size() > 1) {
          to[1][lane] = inside;
        }
      }
    };
    const std::string name = "shfl.sync." + mode + ".b32";
    out.push_back(of_warp(name, "$0, $1, $2, $3, -1", {{}}, {value, by, limits}, shuffle));
    out.push_back(
      of_warp(name, "$0|$1, $2, $3, $4, 0xffffffff", {{}, {RegisterClass::predicate}}, {value, by, limits}, shuffle));
  }
}

// All the same in some warps, almost all in others: of a predicate, or of numbers.
void alike(Operation& operation)
{
  operation.tune = [](Random& random, std::uint64_t* in) { in[0] = random.below(40) == 0 ? in[0] : 1; };
}

void add_votes(Operations& out)
{
  for (const std::string mode : {"all", "any", "uni", "ballot"}) {
    for (const bool negated : {false, true}) {
      const auto vote = [mode, negated](In in, Out to) {
        std::uint64_t ballot = 0;
        for (int lane = 0; lane < k_lanes; ++lane) {
          ballot |= std::uint64_t{(in[0][lane] != 0) != negated} << lane;
        }
        constexpr std::uint64_t k_all = 0xffff'ffff;
        const bool is_true = mode == "all"   ? ballot == k_all
                             : mode == "any" ? ballot != 0
                                             : ballot == 0 || ballot == k_all;
        to[0].fill(mode == "ballot" ? ballot : is_true ? 1 : 0);
      };
      const bool is_ballot = mode == "ballot";
      Operation operation =
        of_warp("vote.sync." + mode + (is_ballot ? ".b32" : ".pred"), negated ? "$0, !$1, -1" : "$0, $1, -1",
                {{is_ballot ? RegisterClass::b32 : RegisterClass::predicate}}, {k_any_predicate}, vote);
      alike(operation);
      out.push_back(operation);
    }
  }
}

void add_matches(Operations& out)
{
  for (const int width : {32, 64}) {
    const std::string type = ".b" + std::to_string(width);
    Input value = input_of({"", width, false});
    value.draw = [](Random& random) { return random.below(5) << 30; };
    const Output mask;
    out.push_back(of_warp("match.any.sync" + type, "$0, $1, -1", {mask}, {value}, [](In in, Out to) {
      std::map<std::uint64_t, std::uint64_t> lanes;
      for (int lane = 0; lane < k_lanes; ++lane) {
        lanes[in[0][lane]] |= std::uint64_t{1} << lane;
      }
      for (int lane = 0; lane < k_lanes; ++lane) {
        to[0][lane] = lanes[in[0][lane]];
      }
    }));
    for (const bool with_predicate : {false, true}) {
      Operation operation =
        of_warp("match.all.sync" + type, with_predicate ? "$0|$1, $2, -1" : "$0, $1, -1",
                with_predicate ? std::vector<Output>{mask, {RegisterClass::predicate}} : std::vector<Output>{mask},
                {value}, [](In in, Out to) {
                  const bool all = std::ranges::all_of(in[0], [&](std::uint64_t x) { return x == in[0][0]; });
                  to[0].fill(all ? 0xffff'ffff : 0);
                  if (to.size() > 1) {
                    to[1].fill(all ? 1 : 0);
                  }
                });
      alike(operation);
      out.push_back(operation);
    }
  }
}

void add_reductions(Operations& out)
{
  const Input value = input_of({"", 32, false});
  using Function = __int128 (*)(__int128, __int128);
  const auto add = [&](const std::string& name, bool is_signed, Function function) {
    out.push_back(of_warp("redux.sync." + name, "$0, $1, -1", {{}}, {value}, [=](In in, Out to) {
      __int128 all = value_of(in[0][0], 32, is_signed);
      for (int lane = 1; lane < k_lanes; ++lane) {
        all = function(all, value_of(in[0][lane], 32, is_signed));
      }
      to[0].fill(static_cast<std::uint64_t>(all));
    }));
  };
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? ".s32" : ".u32";
    add("add" + type, is_signed, [](__int128 a, __int128 b) { return a + b; });
    add("min" + type, is_signed, [](__int128 a, __int128 b) { return std::min(a, b); });
    add("max" + type, is_signed, [](__int128 a, __int128 b) { return std::max(a, b); });
  }
  add("and.b32", false, [](__int128 a, __int128 b) { return a & b; });
  add("or.b32", false, [](__int128 a, __int128 b) { return a | b; });
  add("xor.b32", false, [](__int128 a, __int128 b) { return a ^ b; });
}

// Of some lanes only: the others jump over it, and keep what they have.
void add_partial(Operations& out, const std::string& statement, const Input& value,
                 const std::function<std::uint64_t(const Lanes& values, std::uint64_t members, int lane)>& result)
{
  Input members;
  members.draw = [](Random& random) {
    const std::uint64_t bits = random.next() & 0xffff'ffff;
    return bits == 0 ? 1 : bits;
  };
  members.literal = Input::Literal::always;
  members.only_drawn = true;
  const Output ignored{RegisterClass::b32, {nullptr, false, false, true}},
    ignored_predicate{RegisterClass::predicate, {nullptr, false, false, true}};
  Operation operation;
  operation.name = statement.substr(0, statement.find(' ')) + " of some lanes";
  operation.text = "mov.u32 $1, %laneid;\nshr.u32 $1, $4, $1;\nand.b32 $1, $1, 1;\nsetp.ne.u32 $2, $1, 0;\n"
                   "mov.b32 $0, $5;\n@$2 "
                   + statement + ";";
  operation.outputs = {{}, ignored, ignored_predicate};
  operation.inputs = {value, members, input_of({"", 32, false})};
  operation.several = true;
  operation.warp = [result](In in, Out to) {
    const std::uint64_t mask = in[1][0];
    for (int lane = 0; lane < k_lanes; ++lane) {
      to[0][lane] = (mask >> lane & 1) != 0 ? result(in[0], mask, lane) : in[2][lane];
    }
  };
  out.push_back(operation);
}

void add_operations_of_some_lanes(Operations& out)
{
  const auto members_with = [](const Lanes& values, std::uint64_t members, const auto& condition) {
    std::uint64_t lanes = 0;
    for (int lane = 0; lane < k_lanes; ++lane) {
      lanes |= std::uint64_t{(members >> lane & 1) != 0 && condition(values[lane])} << lane;
    }
    return lanes;
  };
  add_partial(out, "vote.sync.ballot.b32 $0, $3, $4", k_any_predicate,
              [=](const Lanes& values, std::uint64_t members, int) {
                return members_with(values, members, [](std::uint64_t x) { return x != 0; });
              });
  Input value = input_of({"", 32, false});
  add_partial(out, "redux.sync.add.s32 $0, $3, $4", value, [](const Lanes& values, std::uint64_t members, int) {
    std::uint64_t all = 0;
    for (int lane = 0; lane < k_lanes; ++lane) {
      all += (members >> lane & 1) != 0 ? values[lane] : 0;
    }
    return all;
  });
  value.draw = [](Random& random) { return random.below(3); };
  add_partial(out, "match.any.sync.b32 $0, $3, $4", value, [=](const Lanes& values, std::uint64_t members, int at) {
    return members_with(values, members, [&](std::uint64_t x) { return x == values[at]; });
  });
  value.draw = [](Random& random) { return random.below(40) / 39; };
  add_partial(out, "match.all.sync.b32 $0, $3, $4", value, [=](const Lanes& values, std::uint64_t members, int at) {
    return members_with(values, members, [&](std::uint64_t x) { return x == values[at]; }) == members ? members : 0;
  });
}

// The ISA does not say who is elected: one is, and all learn who.
void add_election(Operations& out)
{
  const Output ignored{RegisterClass::b32, {nullptr, false, false, true}},
    ignored_predicate{RegisterClass::predicate, {nullptr, false, false, true}};
  Operation operation;
  operation.name = "elect.sync";
  operation.text = "elect.sync $2|$3, -1;\nvote.sync.ballot.b32 $0, $3, -1;\npopc.b32 $4, $0;\n"
                   "bfind.u32 $0, $0;\nsub.s32 $0, $0, $2;\nmov.b32 $1, $4;";
  operation.outputs = {{}, {}, ignored, ignored_predicate, ignored};
  operation.warp = [](In, Out to) {
    to[0].fill(0);
    to[1].fill(1);
  };
  operation.several = true;
  out.push_back(operation);
}

} // namespace

void add_warp_operations(Operations& out)
{
  add_shuffles(out);
  add_votes(out);
  add_matches(out);
  add_reductions(out);
  add_operations_of_some_lanes(out);
  add_election(out);
}

} // namespace hone::oracle
