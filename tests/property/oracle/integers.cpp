// Arithmetic of integers: on values of 128 bits, cut to the register when it is over.
#include "catalogue.h"

#include <algorithm>

namespace hone::oracle {

namespace {

using Wide = __int128;
using Words = const std::uint64_t*;

std::uint64_t cut(Wide value)
{
  return static_cast<std::uint64_t>(value);
}

Wide clamped(Wide value, int width, bool is_signed)
{
  const Wide most = (static_cast<Wide>(1) << (is_signed ? width - 1 : width)) - 1;
  return std::clamp(value, is_signed ? -most - 1 : Wide{0}, most);
}

// The upper half of a product.
std::uint64_t upper(const Type& type, std::uint64_t a, std::uint64_t b)
{
  if (type.width == 64 && !type.is_signed) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
  }
  return cut(value_of(a, type.width, type.is_signed) * value_of(b, type.width, type.is_signed) >> type.width);
}

std::uint64_t lower(const Type& type, std::uint64_t a, std::uint64_t b)
{
  return a * b & mask_of(type.width);
}

using Function = std::function<Wide(Wide, Wide, Wide)>;

// `operands` of one type give one of it.
void add_function(Operations& out, const std::string& opcode, const Type& type, int operands, const Function& function)
{
  const Output result{type.held()};
  out.push_back(simple(opcode + "." + type.name, {result}, std::vector<Input>(operands, input_of(type)),
                       [type, operands, function](Words in, std::uint64_t* to) {
                         Wide v[3] = {};
                         for (int i = 0; i < operands; ++i) {
                           v[i] = value_of(in[i], type.width, type.is_signed);
                         }
                         to[0] = cut(function(v[0], v[1], v[2]));
                       }));
}

// Numerator and divisor of which the ISA gives the quotient.
void add_division(Operations& out, const std::string& opcode, const Type& type, bool remainder)
{
  const std::uint64_t least = std::uint64_t{1} << (type.width - 1), all_ones = mask_of(type.width);
  const auto without = [&](std::vector<std::uint64_t> values) {
    Input input = input_of(type);
    input.only_drawn = true;
    input.draw = [values, draw = any_integer(type.width)](Random& random) {
      std::uint64_t value = draw(random);
      while (std::ranges::count(values, value) != 0) {
        value = draw(random);
      }
      return value;
    };
    return input;
  };
  const auto divide = [type, remainder](Words in, std::uint64_t* to) {
    const Wide a = value_of(in[0], type.width, type.is_signed), b = value_of(in[1], type.width, type.is_signed);
    to[0] = cut(remainder ? a % b : a / b);
  };
  // The least number by -1 is no number of the type.
  out.push_back(simple(opcode + "." + type.name, {{type.held()}},
                       {input_of(type), type.is_signed ? without({0, all_ones}) : without({0})}, divide));
  if (type.is_signed) {
    out.push_back(simple(opcode + "." + type.name, {{type.held()}}, {without({least}), without({0})}, divide));
  }
}

void add_of_type(Operations& out, const Type& type)
{
  const int width = type.width;
  const auto add = [&](const std::string& opcode, int operands, const Function& function) {
    add_function(out, opcode, type, operands, function);
  };
  add("add", 2, [](Wide a, Wide b, Wide) { return a + b; });
  add("sub", 2, [](Wide a, Wide b, Wide) { return a - b; });
  add("min", 2, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
  add("max", 2, [](Wide a, Wide b, Wide) { return a > b ? a : b; });
  add("sad", 3, [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
  if (type.is_signed) {
    add("abs", 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
    add("neg", 1, [](Wide a, Wide, Wide) { return -a; });
  }
  add_division(out, "div", type, false);
  add_division(out, "rem", type, true);

  const Input input = input_of(type);
  const Output result{type.held()};
  out.push_back(simple("mul.lo." + type.name, {result}, {input, input},
                       [type](Words in, std::uint64_t* to) { to[0] = lower(type, in[0], in[1]); }));
  out.push_back(simple("mul.hi." + type.name, {result}, {input, input},
                       [type](Words in, std::uint64_t* to) { to[0] = upper(type, in[0], in[1]); }));
  out.push_back(simple("mad.lo." + type.name, {result}, {input, input, input},
                       [type](Words in, std::uint64_t* to) { to[0] = lower(type, in[0], in[1]) + in[2]; }));
  out.push_back(simple("mad.hi." + type.name, {result}, {input, input, input},
                       [type](Words in, std::uint64_t* to) { to[0] = upper(type, in[0], in[1]) + in[2]; }));
  if (width < 64) {
    const Type wide{"", 2 * width, type.is_signed};
    const auto multiply = [type](Words in) {
      return value_of(in[0], type.width, type.is_signed) * value_of(in[1], type.width, type.is_signed);
    };
    out.push_back(simple("mul.wide." + type.name, {{wide.held()}}, {input, input},
                         [multiply](Words in, std::uint64_t* to) { to[0] = cut(multiply(in)); }));
    out.push_back(simple("mad.wide." + type.name, {{wide.held()}}, {input, input, input_of(wide)},
                         [multiply](Words in, std::uint64_t* to) { to[0] = cut(multiply(in)) + in[2]; }));
  }
}

void add_saturated(Operations& out)
{
  const Type type{"s32", 32, true};
  add_function(out, "add.sat", type, 2, [](Wide a, Wide b, Wide) { return clamped(a + b, 32, true); });
  add_function(out, "sub.sat", type, 2, [](Wide a, Wide b, Wide) { return clamped(a - b, 32, true); });
  add_function(out, "mad.hi.sat", type, 3, [](Wide a, Wide b, Wide c) { return clamped((a * b >> 32) + c, 32, true); });
}

void add_of_24_bits(Operations& out)
{
  for (const Type& type : {Type{"u32", 32, false}, Type{"s32", 32, true}}) {
    const auto multiply = [type](Wide a, Wide b) {
      return value_of(cut(a), 24, type.is_signed) * value_of(cut(b), 24, type.is_signed);
    };
    add_function(out, "mul24.lo", type, 2, [=](Wide a, Wide b, Wide) { return multiply(a, b); });
    add_function(out, "mul24.hi", type, 2, [=](Wide a, Wide b, Wide) { return multiply(a, b) >> 16; });
    add_function(out, "mad24.lo", type, 3, [=](Wide a, Wide b, Wide c) { return multiply(a, b) + c; });
    add_function(out, "mad24.hi", type, 3, [=](Wide a, Wide b, Wide c) { return (multiply(a, b) >> 16) + c; });
    if (type.is_signed) {
      add_function(out, "mad24.hi.sat", type, 3,
                   [=](Wide a, Wide b, Wide c) { return clamped((multiply(a, b) >> 16) + c, 32, true); });
    }
  }
}

// Sums of two, and of three words, by the carry.
void add_carries(Operations& out)
{
  for (const Type& type : k_integer_types) {
    if (type.width == 16) {
      continue;
    }
    const std::string name = "." + type.name;
    const Input input = input_of(type);
    const Output result{type.held()};
    const int width = type.width;
    const auto carry_of = [width](unsigned __int128 sum) { return static_cast<std::uint64_t>(sum >> width); };
    Operation add = simple("add.cc+addc" + name, {result, result, result}, std::vector<Input>(6, input),
                           [carry_of](Words in, std::uint64_t* to) {
                             unsigned __int128 sum = 0;
                             for (int i = 0; i < 3; ++i) {
                               sum = static_cast<unsigned __int128>(in[2 * i]) + in[2 * i + 1] + carry_of(sum);
                               to[i] = static_cast<std::uint64_t>(sum);
                             }
                           });
    add.text = "add.cc" + name + " $0, $3, $4;\naddc.cc" + name + " $1, $5, $6;\naddc" + name + " $2, $7, $8;";
    add.several = true;
    out.push_back(add);
    Operation subtract = simple("sub.cc+subc" + name, {result, result, result}, std::vector<Input>(6, input),
                                [](Words in, std::uint64_t* to) {
                                  int borrow = 0;
                                  for (int i = 0; i < 3; ++i) {
                                    const Wide rest = Wide{in[2 * i]} - Wide{in[2 * i + 1]} - borrow;
                                    to[i] = cut(rest);
                                    borrow = rest < 0 ? 1 : 0;
                                  }
                                });
    subtract.text = "sub.cc" + name + " $0, $3, $4;\nsubc.cc" + name + " $1, $5, $6;\nsubc" + name + " $2, $7, $8;";
    subtract.several = true;
    out.push_back(subtract);
    // a * b + (c, d), and once more with that carry.
    Operation multiply = simple(
      "mad.cc+madc" + name, {result, result, result}, std::vector<Input>(5, input),
      [type, carry_of](Words in, std::uint64_t* to) {
        const unsigned __int128 low = static_cast<unsigned __int128>(lower(type, in[0], in[1])) + in[2];
        const unsigned __int128 high =
          static_cast<unsigned __int128>(upper(type, in[0], in[1]) & mask_of(type.width)) + in[3] + carry_of(low);
        to[0] = static_cast<std::uint64_t>(low);
        to[1] = static_cast<std::uint64_t>(high);
        to[2] = lower(type, in[0], in[4]) + in[3] + carry_of(high);
      });
    multiply.text = "mad.lo.cc" + name + " $0, $3, $4, $5;\nmadc.hi.cc" + name + " $1, $3, $4, $6;\nmadc.lo" + name
                    + " $2, $3, $7, $6;";
    multiply.several = true;
    out.push_back(multiply);
  }
}

void add_dot_products(Operations& out)
{
  const Input word = input_of({"", 32, false});
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      const std::string types = std::string(left ? ".s32" : ".u32") + (right ? ".s32" : ".u32");
      out.push_back(simple("dp4a" + types, {{}}, {word, word, word}, [=](Words in, std::uint64_t* to) {
        Wide sum = in[2];
        for (int i = 0; i < 4; ++i) {
          sum += value_of(in[0] >> 8 * i, 8, left) * value_of(in[1] >> 8 * i, 8, right);
        }
        to[0] = cut(sum);
      }));
      for (const bool high : {false, true}) {
        out.push_back(
          simple((high ? "dp2a.hi" : "dp2a.lo") + types, {{}}, {word, word, word}, [=](Words in, std::uint64_t* to) {
            Wide sum = in[2];
            for (int i = 0; i < 2; ++i) {
              sum += value_of(in[0] >> 16 * i, 16, left) * value_of(in[1] >> 8 * (i + (high ? 2 : 0)), 8, right);
            }
            to[0] = cut(sum);
          }));
      }
    }
  }
}

// Two of 16 bits in a register.
void add_pairs(Operations& out)
{
  for (const bool is_signed : {false, true}) {
    const Type type{is_signed ? "s16x2" : "u16x2", 32, is_signed, nullptr, true};
    const auto add = [&](const std::string& opcode, Wide (*function)(Wide, Wide)) {
      out.push_back(
        simple(opcode + "." + type.name, {{}}, {input_of(type), input_of(type)}, [=](Words in, std::uint64_t* to) {
          to[0] = 0;
          for (int at = 0; at < 32; at += 16) {
            const Wide value = function(value_of(in[0] >> at, 16, is_signed), value_of(in[1] >> at, 16, is_signed));
            to[0] |= (cut(value) & 0xffff) << at;
          }
        }));
    };
    add("add", [](Wide a, Wide b) { return a + b; });
    add("min", [](Wide a, Wide b) { return std::min(a, b); });
    add("max", [](Wide a, Wide b) { return std::max(a, b); });
    if (is_signed) {
      add("min.relu", [](Wide a, Wide b) { return std::max(std::min(a, b), Wide{0}); });
      add("max.relu", [](Wide a, Wide b) { return std::max(std::max(a, b), Wide{0}); });
    }
  }
  const Type type{"s32", 32, true};
  add_function(out, "min.relu", type, 2, [](Wide a, Wide b, Wide) { return std::max(std::min(a, b), Wide{0}); });
  add_function(out, "max.relu", type, 2, [](Wide a, Wide b, Wide) { return std::max(std::max(a, b), Wide{0}); });
}

} // namespace

void add_integers(Operations& out)
{
  for (const Type& type : k_integer_types) {
    add_of_type(out, type);
  }
  add_saturated(out);
  add_of_24_bits(out);
  add_carries(out);
  add_dot_products(out);
  add_pairs(out);
}

} // namespace hone::oracle
