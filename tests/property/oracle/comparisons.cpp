// set, setp and testp.
#include "catalogue.h"

namespace hone::oracle {

namespace {

using Words = const std::uint64_t*;

// What holds between two values.
struct Relation {
  bool less = false, equal = false, greater = false, unordered = false;
};

struct Comparison {
  const char* name;
  Relation of; // those for which it is true
};

constexpr Comparison k_equalities[] = {{"eq", {false, true, false}}, {"ne", {true, false, true}}};
constexpr Comparison k_orders[] = {
  {"lt", {true, false, false}}, {"le", {true, true, false}}, {"gt", {false, false, true}}, {"ge", {false, true, true}}};
constexpr Comparison k_unsigned_orders[] = {
  {"lo", {true, false, false}}, {"ls", {true, true, false}}, {"hi", {false, false, true}}, {"hs", {false, true, true}}};
constexpr Comparison k_unordered[] = {{"equ", {false, true, false, true}}, {"neu", {true, false, true, true}},
                                      {"ltu", {true, false, false, true}}, {"leu", {true, true, false, true}},
                                      {"gtu", {false, false, true, true}}, {"geu", {false, true, true, true}},
                                      {"num", {true, true, true, false}},  {"nan", {false, false, false, true}}};

std::vector<Comparison> comparisons_of(const Type& type)
{
  std::vector<Comparison> out(std::begin(k_equalities), std::end(k_equalities));
  if (type.name[0] != 'b' || type.format != nullptr) {
    out.insert(out.end(), std::begin(k_orders), std::end(k_orders));
  }
  if (type.name[0] == 'u') {
    out.insert(out.end(), std::begin(k_unsigned_orders), std::end(k_unsigned_orders));
  }
  if (type.format != nullptr) {
    out.insert(out.end(), std::begin(k_unordered), std::end(k_unordered));
  }
  return out;
}

bool holds(const Type& type, const Relation& wanted, bool flushes, std::uint64_t a, std::uint64_t b)
{
  const int width = type.element();
  std::partial_ordering order = std::partial_ordering::equivalent;
  if (type.format == nullptr) {
    order = value_of(a, width, type.is_signed) <=> value_of(b, width, type.is_signed);
  } else {
    const auto number = [&](std::uint64_t bits) {
      bits &= mask_of(width);
      return number_of(*type.format, flushes && is_subnormal(*type.format, bits) ? 0 : bits);
    };
    order = hone::oracle::order(number(a), number(b));
  }
  return order < 0 ? wanted.less : order > 0 ? wanted.greater : order == 0 ? wanted.equal : wanted.unordered;
}

bool combined(const std::string& how, bool a, bool b)
{
  return how == "and" ? a && b : how == "or" ? a || b : how == "xor" ? a != b : a;
}

// A boolean operation, and whether its operand is negated. Each opcode meets some of them, by turns.
struct Combination {
  std::string how;
  bool negated = false;
};
Combination next_combination(int& turn)
{
  const char* const k_how[] = {"and", "or", "xor"};
  ++turn;
  return {k_how[turn % 3], turn % 2 == 0};
}

const Input k_predicate{RegisterClass::predicate, any_predicate(), Input::Literal::never};

void add_setp(Operations& out, const Type& type, const Comparison& comparison, bool flushes, int& turn)
{
  const Input input = input_of(type);
  const Output predicate{RegisterClass::predicate};
  const std::string start = std::string("setp.") + comparison.name;
  const std::string end = std::string(flushes ? ".ftz." : ".") + type.name;
  const auto low = [type, wanted = comparison.of, flushes](Words in) {
    return holds(type, wanted, flushes, in[0], in[1]);
  };
  const auto second = [type, wanted = comparison.of, flushes, low](Words in) { // for two predicates
    return type.is_pair ? holds(type, wanted, flushes, in[0] >> 16, in[1] >> 16) : !low(in);
  };
  if (!type.is_pair) {
    out.push_back(
      simple(start + end, {predicate}, {input, input}, [low](Words in, std::uint64_t* to) { to[0] = low(in); }));
  }
  const Combination combination = next_combination(turn);
  const std::string name = start + "." + combination.how + end;
  const std::string third = std::string(", ") + (combination.negated ? "!" : "");
  // One number of 16 bits has no second predicate.
  if (type.width == 16 && type.format != nullptr) {
    Operation both =
      simple(name, {predicate}, {input, input, k_predicate}, [low, combination](Words in, std::uint64_t* to) {
        to[0] = combined(combination.how, low(in), (in[2] != 0) != combination.negated);
      });
    both.text = name + " $0, $1, $2" + third + "$3;";
    out.push_back(both);
    return;
  }
  Operation two =
    simple(start + end, {predicate, predicate}, {input, input}, [low, second](Words in, std::uint64_t* to) {
      to[0] = low(in);
      to[1] = second(in);
    });
  two.text = start + end + " $0|$1, $2, $3;";
  out.push_back(two);
  Operation both = simple(name, {predicate, predicate}, {input, input, k_predicate},
                          [low, second, combination](Words in, std::uint64_t* to) {
                            const bool operand = (in[2] != 0) != combination.negated;
                            to[0] = combined(combination.how, low(in), operand);
                            to[1] = combined(combination.how, second(in), operand);
                          });
  both.text = name + " $0|$1, $2, $3" + third + "$4;";
  out.push_back(both);
}

// What stands for true in a result of 16 or 32 bits.
std::uint64_t truth(const std::string& result)
{
  return result == "f32"                          ? k_f32.one()
         : result == "f16" || result == "f16x2"   ? k_f16.one()
         : result == "bf16" || result == "bf16x2" ? k_bf16.one()
         : result == "u16" || result == "s16"     ? 0xffff
                                                  : 0xffff'ffff;
}

void add_set(Operations& out, const std::string& result, const Type& type, const Comparison& comparison, bool flushes,
             int& turn)
{
  const Input input = input_of(type);
  const bool is_narrow = result == "u16" || result == "s16" || result == "f16" || result == "bf16";
  const Output output{is_narrow ? RegisterClass::b16 : RegisterClass::b32};
  const std::string start = std::string("set.") + comparison.name;
  const std::string end = std::string(flushes ? ".ftz." : ".") + result + "." + type.name;
  const auto set = [type, result, wanted = comparison.of, flushes](Words in, const Combination& combination) {
    const bool third = (in[2] != 0) != combination.negated;
    std::uint64_t to = 0;
    for (int at = 0; at < (type.is_pair ? 32 : 1); at += 16) {
      const bool is_true = combined(combination.how, holds(type, wanted, flushes, in[0] >> at, in[1] >> at), third);
      const std::uint64_t value = truth(result) & (type.is_pair ? 0xffff : 0xffff'ffff);
      to |= (is_true ? value : 0) << at;
    }
    return to;
  };
  out.push_back(simple(start + end, {output}, {input, input}, [set](Words in, std::uint64_t* to) {
    const std::uint64_t with_none[] = {in[0], in[1], 0};
    to[0] = set(with_none, {});
  }));
  const Combination combination = next_combination(turn);
  const std::string name = start + "." + combination.how + end;
  Operation both = simple(name, {output}, {input, input, k_predicate},
                          [set, combination](Words in, std::uint64_t* to) { to[0] = set(in, combination); });
  both.text = name + " $0, $1, $2, " + (combination.negated ? "!" : "") + "$3;";
  out.push_back(both);
}

bool may_flush(const Type& type)
{
  return type.format == &k_f32 || type.format == &k_f16;
}

void add_testp(Operations& out, const Type& type)
{
  using Test = bool (*)(const Format&, std::uint64_t);
  const std::pair<const char*, Test> tests[] = {
    {"finite", [](const Format& f, std::uint64_t x) { return !is_nan(f, x) && !is_infinite(f, x); }},
    {"infinite", [](const Format& f, std::uint64_t x) { return is_infinite(f, x); }},
    {"number", [](const Format& f, std::uint64_t x) { return !is_nan(f, x); }},
    {"notanumber", [](const Format& f, std::uint64_t x) { return is_nan(f, x); }},
    // Zeros count as normal.
    {"normal",
     [](const Format& f, std::uint64_t x) { return !is_nan(f, x) && !is_infinite(f, x) && !is_subnormal(f, x); }},
    {"subnormal", [](const Format& f, std::uint64_t x) { return is_subnormal(f, x); }}};
  for (const auto& [name, test] : tests) {
    out.push_back(
      simple(std::string("testp.") + name + "." + type.name, {{RegisterClass::predicate}}, {input_of(type)},
             [format = type.format, test = test](Words in, std::uint64_t* to) { to[0] = test(*format, in[0]); }));
  }
}

} // namespace

void add_comparisons(Operations& out)
{
  int turn = 0;
  std::vector<Type> types = k_integer_types;
  for (const int width : {16, 32, 64}) {
    types.push_back({"b" + std::to_string(width), width, false});
  }
  types.push_back(k_type_f32);
  types.push_back(k_type_f64);
  const std::size_t narrow = types.size();
  types.insert(types.end(), k_narrow_floats.begin(), k_narrow_floats.end());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Type& type = types[i];
    for (const Comparison& comparison : comparisons_of(type)) {
      for (const bool flushes : {false, true}) {
        if (flushes && !may_flush(type)) {
          continue;
        }
        add_setp(out, type, comparison, flushes, turn);
        std::vector<std::string> results = {"u32", "s32"};
        if (i < narrow) {
          results.insert(results.end(), {"f32", "f16", "bf16"});
        } else if (!type.is_pair) {
          results.emplace_back("u16");
        }
        if (type.format == &k_f16 || type.format == &k_bf16) {
          results.push_back(type.name);
        }
        for (const std::string& result : results) {
          if (flushes && result == "bf16") {
            continue; // there is none
          }
          add_set(out, result, type, comparison, flushes, turn);
        }
      }
    }
  }
  add_testp(out, k_type_f32);
  add_testp(out, k_type_f64);
}

} // namespace hone::oracle
