#include "catalogue.h"

#include <bit>
#include <utility>

namespace hone::oracle {

const std::vector<Type> k_integer_types = {{"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                                           {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true}};
const Type k_type_f32{"f32", 32, true, &k_f32}, k_type_f64{"f64", 64, true, &k_f64},
  k_type_f16{"f16", 16, true, &k_f16}, k_type_bf16{"bf16", 16, true, &k_bf16};
const std::vector<Type> k_narrow_floats = {
  k_type_f16, {"f16x2", 32, true, &k_f16, true}, k_type_bf16, {"bf16x2", 32, true, &k_bf16, true}};

int bits_of(RegisterClass held)
{
  constexpr int k_bits[] = {1, 16, 32, 64};
  return k_bits[static_cast<int>(held)];
}

RegisterClass Type::held() const
{
  return width == 64 ? RegisterClass::b64 : width == 32 ? RegisterClass::b32 : RegisterClass::b16;
}

std::uint64_t mask_of(int bits)
{
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

__int128 value_of(std::uint64_t bits, int width, bool is_signed)
{
  const std::uint64_t value = bits & mask_of(width);
  const bool negative = is_signed && (value >> (width - 1) & 1) != 0;
  return static_cast<__int128>(value) - (negative ? static_cast<__int128>(1) << width : 0);
}

bool same(const Slack& slack, RegisterClass held, std::uint64_t a, std::uint64_t b)
{
  const std::uint64_t mask = mask_of(bits_of(held));
  if (slack.ignored || ((a ^ b) & mask) == 0) {
    return true;
  }
  if (slack.none()) {
    return false;
  }
  const int width = slack.format->bits;
  for (int at = 0; at < bits_of(held); at += width) {
    const std::uint64_t left = a >> at & mask_of(width), right = b >> at & mask_of(width);
    const auto is_zero = [&](std::uint64_t x) { return (x & ~slack.format->sign_bit()) == 0; };
    const bool both_nan = is_nan(*slack.format, left) && is_nan(*slack.format, right);
    if (left != right && !(slack.any_nan && both_nan) && !(slack.any_zero && is_zero(left) && is_zero(right))) {
      return false;
    }
  }
  return true;
}

Operation simple(std::string opcode, std::vector<Output> outputs, std::vector<Input> inputs,
                 std::function<void(const std::uint64_t*, std::uint64_t*)> lane)
{
  Operation out;
  out.name = std::move(opcode);
  out.text = out.name;
  for (std::size_t i = 0; i < outputs.size() + inputs.size(); ++i) {
    out.text += (i == 0 ? " $" : ", $") + std::to_string(i);
  }
  out.text += ";";
  out.outputs = std::move(outputs);
  out.inputs = std::move(inputs);
  out.lane = std::move(lane);
  return out;
}

Draw any_integer(int width)
{
  return [width](Random& random) {
    const std::uint64_t bits = random.next();
    std::uint64_t value = bits;
    switch (random.below(6)) {
    case 0:
      value = random.below(2 * width + 2);
      break; // small; shifts
    case 1:
      value = 0 - random.below(40);
      break; // small, negative
    case 2:
      value = (std::uint64_t{1} << random.below(width)) + random.below(3) - 1;
      break; // a power, almost
    case 3:
      value = (std::uint64_t{1} << (width - 1)) + random.below(5) - 2;
      break; // the ends of signed ones
    case 4:
      value = bits >> random.below(64);
      break;
    default:
      break;
    }
    return value & mask_of(width);
  };
}

Draw any_float(const Format& chosen)
{
  return [format = &chosen](Random& random) {
    const std::uint64_t bits = random.next() & mask_of(format->bits), sign = bits & format->sign_bit();
    const int fraction = format->fraction_bits;
    const std::uint64_t units = std::uint64_t{1} << fraction;
    const auto near_one = [&](std::uint64_t powers) {
      return ((format->bias + random.below(2 * powers) - powers) << fraction) & (format->sign_bit() - 1);
    };
    const std::uint64_t specials[] = {0,
                                      1,
                                      random.below(units), // subnormal
                                      units - 1,
                                      units + random.below(3), // the least normal numbers
                                      format->most - random.below(2),
                                      format->infinity,
                                      format->nan,
                                      format->infinity == format->nan ? format->nan
                                                                      : format->infinity + 1 + random.below(units - 1),
                                      format->one(),
                                      format->one() - 1 + random.below(3)};
    switch (random.below(8)) {
    case 0:
    case 1:
      return sign | specials[random.below(std::size(specials))];
    case 2:
      return bits;
    case 3:
      return sign | near_one(4) | (bits & (units - 1));
    case 4:
      return sign | near_one(format->bias / 2) | (bits & (units - 1));
    // Few bits: products of them are exact, or stand halfway between two numbers.
    case 5:
      return sign | near_one(8) | (bits & (units - 1) & ~mask_of(fraction / 2));
    case 6:
      return sign | near_one(30 < format->bias ? 30 : 4) | (bits & (units - 1) & ~mask_of(fraction - 2));
    default:
      return sign | ((near_one(6) + random.below(4)) & (format->sign_bit() - 1)); // beside a power of 2
    }
  };
}

Draw float_near(const Format& chosen, const Format& of_results)
{
  return
    [format = &chosen, results = &of_results, any = any_float(chosen), result = any_float(of_results)](Random& random) {
      if (random.below(4) == 0) {
        return any(random);
      }
      Number number = number_of(*results, result(random));
      if (number.kind == Number::Kind::finite) {
        // In quarters of a unit: a half is a tie.
        number.magnitude = 4 * number.magnitude + random.below(4);
        number.exponent -= 2;
      }
      std::uint64_t bits = round_to(*format, Rounding::to_zero, number);
      const std::uint64_t beside = random.below(3);
      if (!number.is_nan() && !is_infinite(*format, bits) && (bits & (format->sign_bit() - 1)) > 1) {
        bits += beside - 1;
      }
      return bits;
    };
}

Draw integer_near(int width, const Format& of_results)
{
  return [width, format = &of_results, any = any_integer(width)](Random& random) {
    const int digits = format->fraction_bits + 1, room = width - digits - 1;
    if (room < 1 || random.below(2) == 0) {
      return any(random);
    }
    const std::uint64_t leading = std::uint64_t{1} << (digits - 1);
    const std::uint64_t in_halves = 2 * (leading | (random.next() & (leading - 1))) + random.below(2);
    const std::uint64_t value = (in_halves << random.below(static_cast<std::uint64_t>(room))) + random.below(3) - 1;
    return (random.below(2) == 0 ? value : 0 - value) & mask_of(width);
  };
}

Draw float_near_integer(const Format& chosen)
{
  return [format = &chosen, any = any_float(chosen)](Random& random) {
    if (random.below(4) == 0) {
      return any(random);
    }
    Number number;
    number.negative = random.below(2) != 0;
    number.exponent = -static_cast<int>(random.below(3)); // halves and quarters
    const std::uint64_t power = std::uint64_t{1} << random.below(64);
    number.magnitude = random.below(3) == 0   ? random.below(64)
                       : random.below(2) == 0 ? random.next() >> random.below(64)
                                              : power;
    if (number.magnitude == power) {
      number.magnitude = (number.magnitude << -number.exponent) + (static_cast<int>(random.below(9)) - 4);
    }
    if (number.magnitude < 0) {
      number.magnitude = 0;
    }
    return round_to(*format, random.below(2) == 0 ? Rounding::to_zero : Rounding::nearest_even, number);
  };
}

Draw any_predicate()
{
  return [](Random& random) { return random.below(2); };
}

Draw pair_of(Draw draw)
{
  return [draw = std::move(draw)](Random& random) {
    const std::uint64_t low = draw(random);
    return low | draw(random) << 16;
  };
}

Input input_of(const Type& type)
{
  Input out;
  out.held = type.held();
  if (type.format == nullptr) {
    out.draw = type.is_pair ? pair_of(any_integer(16)) : any_integer(type.width);
    out.literal = type.is_pair ? Input::Literal::never : Input::Literal::sometimes;
    return out;
  }
  out.draw = type.is_pair ? pair_of(any_float(*type.format)) : any_float(*type.format);
  out.literal = type.width == 16 || type.is_pair ? Input::Literal::never : Input::Literal::sometimes;
  out.literal_prefix = type.width == 64 ? 'd' : 'f';
  return out;
}

Operations all_operations()
{
  Operations out;
  add_integers(out);
  add_bits(out);
  add_comparisons(out);
  add_floats(out);
  add_conversions(out);
  add_warp_operations(out);
  add_matrix_operations(out);
  return out;
}

} // namespace hone::oracle
