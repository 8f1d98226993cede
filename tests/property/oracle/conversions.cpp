// cvt between integers, floats, and both.
#include "catalogue.h"

#include <algorithm>

namespace hone::oracle {

namespace {

using Words = const std::uint64_t*;
using boost::multiprecision::cpp_int;

struct NamedRounding {
  const char* name;
  Rounding rounding;
};
constexpr NamedRounding k_to_floats[] = {
  {".rn", Rounding::nearest_even}, {".rz", Rounding::to_zero}, {".rm", Rounding::down}, {".rp", Rounding::up}};
constexpr NamedRounding k_to_integers[] = {
  {".rni", Rounding::nearest_even}, {".rzi", Rounding::to_zero}, {".rmi", Rounding::down}, {".rpi", Rounding::up}};

std::vector<Type> with_bytes()
{
  std::vector<Type> out = k_integer_types;
  out.push_back({"u8", 8, false});
  out.push_back({"s8", 8, true});
  return out;
}

cpp_int least_of(const Type& type)
{
  return type.is_signed ? -(cpp_int{1} << (type.width - 1)) : cpp_int{0};
}
cpp_int most_of(const Type& type)
{
  return (cpp_int{1} << (type.is_signed ? type.width - 1 : type.width)) - 1;
}

// Bytes have no registers of their own; others may stand in wider ones, too, but beside bf16.
RegisterClass wider_than(const Type& type, int turn)
{
  const RegisterClass classes[] = {RegisterClass::b16, RegisterClass::b32, RegisterClass::b64};
  const int least = type.width <= 16 ? 0 : type.width == 32 ? 1 : 2;
  return classes[std::min(2, least + (turn % 3 == 1 ? turn / 3 % 2 + 1 : 0))];
}

Input unwritten(const Type& type) // what cvt takes is no literal
{
  Input out = input_of(type);
  out.literal = Input::Literal::never;
  return out;
}

// Extended as the type says to the whole of a register.
std::uint64_t extended(const Type& type, std::uint64_t bits)
{
  return static_cast<std::uint64_t>(value_of(bits, type.width, type.is_signed));
}

void add_between_integers(Operations& out)
{
  int turn = 0;
  for (const Type& to_type : with_bytes()) {
    for (const Type& from : with_bytes()) {
      for (const bool saturates : {false, true}) {
        if (saturates && least_of(from) >= least_of(to_type) && most_of(from) <= most_of(to_type)) {
          continue;
        }
        ++turn;
        Input input = unwritten(from);
        input.held = wider_than(from, turn);
        input.draw = any_integer(bits_of(input.held)); // what stands above the type's bits is not looked at
        out.push_back(simple("cvt" + std::string(saturates ? ".sat." : ".") + to_type.name + "." + from.name,
                             {{wider_than(to_type, turn / 2)}}, {input}, [=](Words in, std::uint64_t* to) {
                               cpp_int value{value_of(in[0], from.width, from.is_signed)};
                               if (saturates) {
                                 value = std::clamp(value, least_of(to_type), most_of(to_type));
                               }
                               to[0] = extended(to_type, static_cast<std::uint64_t>(static_cast<__int128>(value)));
                             }));
      }
    }
  }
}

std::uint64_t saturated(const Format& format, std::uint64_t bits)
{
  return is_nan(format, bits) || (bits & format.sign_bit()) != 0 ? 0 : std::min(bits, format.one());
}

Slack slack_of(const Format& format, bool saturates)
{
  Slack out{&format};
  out.any_nan = true; // of a float that is made of another one, the ISA does not say which
  out.any_zero = saturates;
  return out;
}

bool is_byte_and_bf16(const Type& integer, const Type& number) // between these there is no cvt
{
  return integer.width == 8 && number.format == &k_bf16;
}

void add_from_integers(Operations& out)
{
  int turn = 0;
  for (const Type& to_type : {k_type_f16, k_type_bf16, k_type_f32, k_type_f64}) {
    for (const Type& from : with_bytes()) {
      for (const NamedRounding& rounding : k_to_floats) {
        for (const bool saturates : {false, true}) {
          if (is_byte_and_bf16(from, to_type)) {
            continue;
          }
          if (saturates && (to_type.format == &k_bf16 || rounding.rounding == Rounding::down)) {
            continue;
          }
          Input input = unwritten(from);
          input.held = to_type.format == &k_bf16 ? from.held() : wider_than(from, ++turn);
          input.draw = integer_near(bits_of(input.held), *to_type.format);
          out.push_back(
            simple("cvt" + std::string(rounding.name) + (saturates ? ".sat." : ".") + to_type.name + "." + from.name,
                   {{to_type.held(), slack_of(*to_type.format, saturates)}}, {input},
                   [=, format = to_type.format, how = rounding.rounding](Words in, std::uint64_t* to) {
                     to[0] = round_to(*format, how, number_of_integer(value_of(in[0], from.width, from.is_signed)));
                     to[0] = saturates ? saturated(*format, to[0]) : to[0];
                   }));
        }
      }
    }
  }
}

void add_to_integers(Operations& out)
{
  int turn = 0;
  for (const Type& from : {k_type_f16, k_type_bf16, k_type_f32, k_type_f64}) {
    for (const Type& to_type : with_bytes()) {
      for (const NamedRounding& rounding : k_to_integers) {
        for (const bool flushes : {false, true}) {
          if (is_byte_and_bf16(to_type, from) || (flushes && from.format != &k_f32)) {
            continue;
          }
          Input input = unwritten(from);
          input.draw = float_near_integer(*from.format);
          const auto convert = [=, how = rounding.rounding](Words in, std::uint64_t* to) {
            const std::uint64_t bits = flushes && is_subnormal(*from.format, in[0]) ? 0 : in[0];
            const Number number = round_to_integer(how, number_of(*from.format, bits));
            if (number.is_nan()) {
              const bool is_wide = from.width == 64 || to_type.width == 64;
              to[0] = is_wide ? extended(to_type, std::uint64_t{1} << (to_type.width - 1)) : 0;
              return;
            }
            cpp_int value = number.is_infinite() ? cpp_int{1} << 64 : number.magnitude << number.exponent;
            value = std::clamp(number.negative ? cpp_int{-value} : value, least_of(to_type), most_of(to_type));
            to[0] = extended(to_type, static_cast<std::uint64_t>(static_cast<__int128>(value)));
          };
          out.push_back(
            simple("cvt" + std::string(rounding.name) + (flushes ? ".ftz." : ".") + to_type.name + "." + from.name,
                   {{from.format == &k_bf16 ? to_type.held() : wider_than(to_type, ++turn)}}, {input}, convert));
        }
      }
    }
  }
}

// From one float to another, or to a whole number of the same type.
void add_between_floats(Operations& out, const Type& to_type, const Type& from, const NamedRounding& rounding,
                        bool to_whole)
{
  const bool has_single = to_type.format == &k_f32 || from.format == &k_f32;
  for (const bool flushes : {false, true}) {
    for (const bool saturates : {false, true}) {
      if ((flushes && !has_single) || (saturates && (to_type.format == &k_bf16 || from.format == &k_bf16))) {
        continue;
      }
      if (to_type.format == from.format && !to_whole && !saturates && !flushes) {
        continue;
      }
      Input input = unwritten(from);
      input.draw = to_whole ? float_near_integer(*from.format) : float_near(*from.format, *to_type.format);
      out.push_back(simple("cvt" + std::string(rounding.name) + (flushes ? ".ftz" : "") + (saturates ? ".sat." : ".")
                             + to_type.name + "." + from.name,
                           {{to_type.held(), slack_of(*to_type.format, saturates)}}, {input},
                           [=, how = rounding.rounding](Words in, std::uint64_t* to) {
                             // Only f32 is flushed.
                             const auto flushed = [&](const Format& format, std::uint64_t bits) {
                               return flushes && &format == &k_f32 && is_subnormal(format, bits)
                                        ? bits & format.sign_bit()
                                        : bits;
                             };
                             Number number = number_of(*from.format, flushed(*from.format, in[0]));
                             number = to_whole ? round_to_integer(how, number) : number;
                             to[0] = flushed(*to_type.format, round_to(*to_type.format, how, number));
                             to[0] = saturates ? saturated(*to_type.format, to[0]) : to[0];
                           }));
    }
  }
}

void add_floats_to_floats(Operations& out)
{
  const Type* const types[] = {&k_type_bf16, &k_type_f16, &k_type_f32, &k_type_f64};
  for (const Type* to_type : types) {
    for (const Type* from : types) {
      const bool narrows =
        to_type->width < from->width || (to_type->width == 16 && from->width == 16 && to_type != from);
      if (!narrows) {
        add_between_floats(out, *to_type, *from, {"", Rounding::nearest_even}, false);
      }
      for (const NamedRounding& rounding : k_to_floats) {
        if (narrows) {
          add_between_floats(out, *to_type, *from, rounding, false);
        }
      }
      for (const NamedRounding& rounding : k_to_integers) {
        if (to_type == from) {
          add_between_floats(out, *to_type, *from, rounding, true);
        }
      }
    }
  }
}

std::uint64_t below_zero_is_zero(const Format& format, std::uint64_t bits)
{
  return (bits & format.sign_bit()) != 0 && !is_nan(format, bits) ? 0 : bits;
}

// One or two f32 to a narrow format; the first of two is the upper one.
void add_narrowed(Operations& out, const std::string& name, const Format& format, int operands, const Type& from,
                  Rounding rounding, bool finite)
{
  for (const bool relu : {false, true}) {
    if (relu && rounding == Rounding::nearest_away) {
      continue;
    }
    Input input = unwritten(from);
    const Draw draw = float_near(*from.format, format);
    input.draw = from.is_pair ? pair_of(draw) : draw;
    const int width = format.bits == 19 ? 32 : format.bits; // tf32 stands in the upper bits of a word
    const int results = operands * (from.is_pair ? 2 : 1);
    Slack slack{&format};
    slack.any_nan = !relu;
    slack.any_zero = relu;
    if (width == 32) {
      slack = {&k_f32, !relu, relu};
    }
    std::string opcode = "cvt" + name;
    opcode.insert(opcode.rfind('.', opcode.rfind('.') - 1), relu ? ".relu" : "");
    out.push_back(simple(opcode, {{width * results == 32 ? RegisterClass::b32 : RegisterClass::b16, slack}},
                         std::vector<Input>(operands, input), [=, &format](Words in, std::uint64_t* to) {
                           to[0] = 0;
                           for (int i = 0; i < results; ++i) {
                             const std::uint64_t bits = from.is_pair ? in[0] >> 16 * i & 0xffff : in[operands - 1 - i];
                             const Number number = number_of(*from.format, bits);
                             std::uint64_t value = round_to(format, rounding, number);
                             if (finite && !number.is_nan() && (value & ~format.sign_bit()) > format.most) {
                               value = (number.negative ? format.sign_bit() : 0) | format.most;
                             }
                             value = relu ? below_zero_is_zero(format, value) : value;
                             // Under the NaN of tf32 stands that of f32.
                             value = format.bits == 19 ? value << 13 | (is_nan(format, value) ? 0x1fff : 0) : value;
                             to[0] |= value << width * i;
                           }
                         }));
  }
}

void add_widened(Operations& out, const std::string& from_name, const Format& from)
{
  for (const bool relu : {false, true}) {
    Input input{RegisterClass::b16, any_integer(16), Input::Literal::never};
    Slack slack{&k_f16};
    slack.any_nan = !relu;
    slack.any_zero = relu;
    out.push_back(simple("cvt.rn" + std::string(relu ? ".relu" : "") + ".f16x2." + from_name,
                         {{RegisterClass::b32, slack}}, {input}, [=, &from](Words in, std::uint64_t* to) {
                           to[0] = 0;
                           for (int i = 0; i < 2; ++i) {
                             const Number number = number_of(from, in[0] >> 8 * i & 0xff);
                             const std::uint64_t bits = round_to(k_f16, Rounding::nearest_even, number);
                             to[0] |= (relu ? below_zero_is_zero(k_f16, bits) : bits) << 16 * i;
                           }
                         }));
  }
}

} // namespace

void add_conversions(Operations& out)
{
  add_between_integers(out);
  add_from_integers(out);
  add_to_integers(out);
  add_floats_to_floats(out);
  constexpr auto k_nearest = Rounding::nearest_even, k_to_zero = Rounding::to_zero;
  add_narrowed(out, ".rn.f16x2.f32", k_f16, 2, k_type_f32, k_nearest, false);
  add_narrowed(out, ".rz.f16x2.f32", k_f16, 2, k_type_f32, k_to_zero, false);
  add_narrowed(out, ".rn.bf16x2.f32", k_bf16, 2, k_type_f32, k_nearest, false);
  add_narrowed(out, ".rz.bf16x2.f32", k_bf16, 2, k_type_f32, k_to_zero, false);
  add_narrowed(out, ".rna.tf32.f32", k_tf32, 1, k_type_f32, Rounding::nearest_away, false);
  add_narrowed(out, ".rn.tf32.f32", k_tf32, 1, k_type_f32, k_nearest, false);
  add_narrowed(out, ".rz.tf32.f32", k_tf32, 1, k_type_f32, k_to_zero, false);
  add_narrowed(out, ".rn.satfinite.e4m3x2.f32", k_e4m3, 2, k_type_f32, k_nearest, true);
  add_narrowed(out, ".rn.satfinite.e5m2x2.f32", k_e5m2, 2, k_type_f32, k_nearest, true);
  add_narrowed(out, ".rn.satfinite.e4m3x2.f16x2", k_e4m3, 1, k_narrow_floats[1], k_nearest, true);
  add_narrowed(out, ".rn.satfinite.e5m2x2.f16x2", k_e5m2, 1, k_narrow_floats[1], k_nearest, true);
  add_widened(out, "e4m3x2", k_e4m3);
  add_widened(out, "e5m2x2", k_e5m2);
}

} // namespace hone::oracle
