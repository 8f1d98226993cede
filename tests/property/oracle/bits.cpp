// Logic, shifts and fields of bits, and the choice between two values.
#include "catalogue.h"

#include <algorithm>

namespace hone::oracle {

namespace {

using Words = const std::uint64_t*;

Type bits_type(int width)
{
  return {"b" + std::to_string(width), width, false};
}

void add_logic(Operations& out)
{
  using Function = std::uint64_t (*)(std::uint64_t, std::uint64_t);
  const std::pair<const char*, Function> functions[] = {
    {"and", [](std::uint64_t a, std::uint64_t b) { return a & b; }},
    {"or", [](std::uint64_t a, std::uint64_t b) { return a | b; }},
    {"xor", [](std::uint64_t a, std::uint64_t b) { return a ^ b; }}};
  const Input predicate{RegisterClass::predicate, any_predicate(), Input::Literal::never};
  for (const auto& [name, function] : functions) {
    const auto both = [function = function](Words in, std::uint64_t* to) { to[0] = function(in[0], in[1]); };
    for (const int width : {16, 32, 64}) {
      const Type type = bits_type(width);
      out.push_back(
        simple(name + std::string(".") + type.name, {{type.held()}}, {input_of(type), input_of(type)}, both));
    }
    out.push_back(simple(name + std::string(".pred"), {{RegisterClass::predicate}}, {predicate, predicate}, both));
  }
  out.push_back(
    simple("not.pred", {{RegisterClass::predicate}}, {predicate}, [](Words in, std::uint64_t* to) { to[0] = ~in[0]; }));
  for (const int width : {16, 32, 64}) {
    const Type type = bits_type(width);
    out.push_back(simple("not." + type.name, {{type.held()}}, {input_of(type)},
                         [](Words in, std::uint64_t* to) { to[0] = ~in[0]; }));
    out.push_back(simple("cnot." + type.name, {{type.held()}}, {input_of(type)},
                         [](Words in, std::uint64_t* to) { to[0] = in[0] == 0 ? 1 : 0; }));
    out.push_back(simple("mov." + type.name, {{type.held()}}, {input_of(type)},
                         [](Words in, std::uint64_t* to) { to[0] = in[0]; }));
  }
}

Input small_input(std::uint64_t bound) // mostly; for amounts and places
{
  Input input;
  input.draw = [bound, any = any_integer(32)](Random& random) {
    return random.below(8) == 0 ? any(random) : random.below(bound);
  };
  return input;
}

void add_shifts(Operations& out)
{
  for (const int width : {16, 32, 64}) {
    const Type type = bits_type(width);
    const Input amount = small_input(width + 4);
    out.push_back(
      simple("shl." + type.name, {{type.held()}}, {input_of(type), amount},
             [width](Words in, std::uint64_t* to) { to[0] = in[1] >= std::uint64_t(width) ? 0 : in[0] << in[1]; }));
    for (const std::string kind : {"b", "u", "s"}) {
      out.push_back(simple("shr." + kind + std::to_string(width), {{type.held()}}, {input_of(type), amount},
                           [width, is_signed = kind == "s"](Words in, std::uint64_t* to) {
                             const auto by = static_cast<int>(std::min<std::uint64_t>(in[1], width));
                             to[0] = static_cast<std::uint64_t>(value_of(in[0], width, is_signed) >> by);
                           }));
    }
  }
  const Input word = input_of(bits_type(32));
  for (const bool left : {false, true}) {
    for (const bool clamps : {false, true}) {
      out.push_back(simple(std::string("shf.") + (left ? "l." : "r.") + (clamps ? "clamp" : "wrap") + ".b32", {{}},
                           {word, word, small_input(36)}, [=](Words in, std::uint64_t* to) {
                             const std::uint64_t both = in[1] << 32 | in[0];
                             const auto by = clamps ? std::min<std::uint64_t>(in[2], 32) : in[2] & 31;
                             to[0] = left ? both << by >> 32 : both >> by;
                           }));
    }
  }
}

void add_counts(Operations& out)
{
  for (const int width : {32, 64}) {
    const Type type = bits_type(width);
    out.push_back(simple("popc." + type.name, {{}}, {input_of(type)}, [width](Words in, std::uint64_t* to) {
      to[0] = 0;
      for (int i = 0; i < width; ++i) {
        to[0] += in[0] >> i & 1;
      }
    }));
    out.push_back(simple("clz." + type.name, {{}}, {input_of(type)}, [width](Words in, std::uint64_t* to) {
      to[0] = 0;
      for (int i = width - 1; i >= 0 && (in[0] >> i & 1) == 0; --i) {
        ++to[0];
      }
    }));
    out.push_back(simple("brev." + type.name, {{type.held()}}, {input_of(type)}, [width](Words in, std::uint64_t* to) {
      to[0] = 0;
      for (int i = 0; i < width; ++i) {
        to[0] |= (in[0] >> i & 1) << (width - 1 - i);
      }
    }));
    for (const bool is_signed : {false, true}) {
      for (const bool as_shift : {false, true}) {
        const std::string name = (is_signed ? "s" : "u") + std::to_string(width);
        out.push_back(simple((as_shift ? "bfind.shiftamt." : "bfind.") + name, {{}}, {input_of(type)},
                             [=](Words in, std::uint64_t* to) {
                               const bool negative = is_signed && (in[0] >> (width - 1) & 1) != 0;
                               const std::uint64_t value = negative ? ~in[0] : in[0];
                               to[0] = 0xffff'ffff;
                               for (int i = 0; i < width; ++i) {
                                 if ((value >> i & 1) != 0) {
                                   to[0] = as_shift ? width - 1 - i : i;
                                 }
                               }
                             }));
      }
    }
  }
  // The n-th set bit, from a place on upwards or downwards.
  Input place;
  place.draw = [](Random& random) { return random.below(32); };
  place.only_drawn = true;
  Input offset;
  offset.draw = [](Random& random) { return random.below(40) - 20; };
  offset.only_drawn = true;
  out.push_back(simple("fns.b32", {{}}, {input_of(bits_type(32)), place, offset}, [](Words in, std::uint64_t* to) {
    const auto by = static_cast<int>(in[2]);
    int left = by == 0 ? 0 : std::abs(by) - 1;
    to[0] = 0xffff'ffff;
    for (auto at = static_cast<int>(in[1]); at >= 0 && at < 32; at += by >= 0 ? 1 : -1) {
      if ((in[0] >> at & 1) != 0 && left-- == 0) {
        to[0] = static_cast<std::uint64_t>(at);
        break;
      }
      if (by == 0) {
        break;
      }
    }
  }));
}

void add_fields(Operations& out)
{
  for (const int width : {32, 64}) {
    const Input place = small_input(width + 4);
    for (const bool is_signed : {false, true}) {
      const Type type{(is_signed ? "s" : "u") + std::to_string(width), width, is_signed};
      out.push_back(
        simple("bfe." + type.name, {{type.held()}}, {input_of(type), place, place}, [=](Words in, std::uint64_t* to) {
          const auto from = static_cast<int>(in[1] & 0xff), length = static_cast<int>(in[2] & 0xff);
          const auto bit = [&](int i) { return in[0] >> i & 1; };
          const std::uint64_t sign = is_signed && length != 0 ? bit(std::min(from + length - 1, width - 1)) : 0;
          to[0] = 0;
          for (int i = 0; i < width; ++i) {
            to[0] |= (i < length && from + i < width ? bit(from + i) : sign) << i;
          }
        }));
    }
    const Type type = bits_type(width);
    out.push_back(simple("bfi." + type.name, {{type.held()}}, {input_of(type), input_of(type), place, place},
                         [width](Words in, std::uint64_t* to) {
                           const auto from = static_cast<int>(in[2] & 0xff), length = static_cast<int>(in[3] & 0xff);
                           to[0] = in[1];
                           for (int i = 0; i < length && from + i < width; ++i) {
                             const std::uint64_t bit = std::uint64_t{1} << (from + i);
                             to[0] = (to[0] & ~bit) | ((in[0] >> i & 1) != 0 ? bit : 0);
                           }
                         }));
  }
  // The low bits of a place and a length are counted.
  for (const std::string mode : {"wrap", "clamp"}) {
    out.push_back(simple("bmsk." + mode + ".b32", {{}}, {small_input(36), small_input(36)},
                         [clamps = mode == "clamp"](Words in, std::uint64_t* to) {
                           const std::uint64_t from = clamps ? in[0] : in[0] & 31, length = clamps ? in[1] : in[1] & 31;
                           to[0] = 0;
                           for (std::uint64_t i = 0; i < 32; ++i) {
                             to[0] |= std::uint64_t{i >= from && i - from < length} << i;
                           }
                         }));
    for (const bool is_signed : {false, true}) {
      out.push_back(simple(
        "szext." + mode + (is_signed ? ".s32" : ".u32"), {{}}, {input_of(bits_type(32)), small_input(36)},
        [is_signed, clamps = mode == "clamp"](Words in, std::uint64_t* to) {
          const std::uint64_t width = clamps ? std::min<std::uint64_t>(in[1], 32) : in[1] & 31;
          to[0] = width == 0 ? 0 : static_cast<std::uint64_t>(value_of(in[0], static_cast<int>(width), is_signed));
        }));
    }
  }
}

void add_permutations(Operations& out)
{
  const Input word = input_of(bits_type(32));
  const auto bytes_of = [](Words in, int i) { return (in[1] << 32 | in[0]) >> 8 * i & 0xff; };
  out.push_back(simple("prmt.b32", {{}}, {word, word, word}, [=](Words in, std::uint64_t* to) {
    to[0] = 0;
    for (int i = 0; i < 4; ++i) {
      const auto nibble = static_cast<int>(in[2] >> 4 * i & 15);
      const std::uint64_t byte = bytes_of(in, nibble & 7);
      const std::uint64_t sign = (byte & 0x80) != 0 ? 0xff : 0;
      to[0] |= ((nibble & 8) != 0 ? sign : byte) << 8 * i;
    }
  }));
  // For each mode and each value of the selector: which byte of the two words is byte 3, 2, 1, 0 of the result.
  struct Mode {
    const char* name;
    int bytes[4];
  };
  const Mode modes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
                        {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
                        {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const Mode& mode : modes) {
    out.push_back(
      simple(std::string("prmt.b32.") + mode.name, {{}}, {word, word, word}, [=](Words in, std::uint64_t* to) {
        to[0] = 0;
        for (int i = 0; i < 4; ++i) {
          to[0] |= bytes_of(in, mode.bytes[in[2] & 3] >> 4 * i & 15) << 8 * i;
        }
      }));
  }
  Input table;
  table.draw = [](Random& random) { return random.below(256); };
  table.literal = Input::Literal::always;
  table.only_drawn = true;
  const auto look_up = [](Words in, std::uint64_t* to) {
    to[0] = 0;
    for (int i = 0; i < 32; ++i) {
      const std::uint64_t row = (in[0] >> i & 1) << 2 | (in[1] >> i & 1) << 1 | (in[2] >> i & 1);
      to[0] |= (in[3] >> row & 1) << i;
    }
  };
  out.push_back(simple("lop3.b32", {{}}, {word, word, word, table}, look_up));
  const Input predicate{RegisterClass::predicate, any_predicate(), Input::Literal::never};
  for (const bool both : {false, true}) {
    const std::string name = both ? "lop3.and.b32" : "lop3.or.b32";
    Operation operation = simple(name, {{}, {RegisterClass::predicate}}, {word, word, word, table, predicate},
                                 [=](Words in, std::uint64_t* to) {
                                   look_up(in, to);
                                   to[1] = both ? to[0] != 0 && in[4] != 0 : to[0] != 0 || in[4] != 0;
                                 });
    operation.text = name + " $0|$1, $2, $3, $4, $5, $6;";
    out.push_back(operation);
  }
}

// Two registers as one, and one as two.
void add_halves(Operations& out)
{
  for (const int width : {32, 64}) {
    const Type whole = bits_type(width), half = bits_type(width / 2);
    Operation joined = simple("mov." + whole.name + "{}", {{whole.held()}}, {input_of(half), input_of(half)},
                              [half](Words in, std::uint64_t* to) { to[0] = in[0] | in[1] << half.width; });
    joined.text = "mov." + whole.name + " $0, {$1, $2};";
    joined.inputs[0].literal = joined.inputs[1].literal = Input::Literal::never;
    out.push_back(joined);
    Operation parted = simple("mov." + whole.name + "{}", {{half.held()}, {half.held()}}, {input_of(whole)},
                              [half](Words in, std::uint64_t* to) {
                                to[0] = in[0];
                                to[1] = in[0] >> half.width;
                              });
    parted.text = "mov." + whole.name + " {$0, $1}, $2;";
    parted.inputs[0].literal = Input::Literal::never;
    out.push_back(parted);
  }
}

void add_choices(Operations& out)
{
  const Input predicate{RegisterClass::predicate, any_predicate(), Input::Literal::never};
  std::vector<Type> types = k_integer_types;
  for (const int width : {16, 32, 64}) {
    types.push_back(bits_type(width));
  }
  types.push_back(k_type_f32);
  types.push_back(k_type_f64);
  for (const Type& type : types) {
    out.push_back(simple("selp." + type.name, {{type.held()}}, {input_of(type), input_of(type), predicate},
                         [](Words in, std::uint64_t* to) { to[0] = in[2] != 0 ? in[0] : in[1]; }));
    const Input whole = input_of({"", 32, true});
    out.push_back(simple("slct." + type.name + ".s32", {{type.held()}}, {input_of(type), input_of(type), whole},
                         [](Words in, std::uint64_t* to) { to[0] = value_of(in[2], 32, true) >= 0 ? in[0] : in[1]; }));
    for (const bool flushes : {false, true}) {
      out.push_back(simple("slct" + std::string(flushes ? ".ftz" : "") + "." + type.name + ".f32", {{type.held()}},
                           {input_of(type), input_of(type), input_of(k_type_f32)},
                           [flushes](Words in, std::uint64_t* to) {
                             const bool zero = (flushes && is_subnormal(k_f32, in[2])) || (in[2] & 0x7fff'ffff) == 0;
                             const bool takes = zero || (!is_nan(k_f32, in[2]) && in[2] < 0x8000'0000);
                             to[0] = takes ? in[0] : in[1];
                           }));
    }
  }
}

} // namespace

void add_bits(Operations& out)
{
  add_logic(out);
  add_shifts(out);
  add_counts(out);
  add_fields(out);
  add_permutations(out);
  add_halves(out);
  add_choices(out);
}

} // namespace hone::oracle
