// Arithmetic of floats. Every result is the exact one, rounded once.
#include "catalogue.h"

namespace hone::oracle {

namespace {

using Words = const std::uint64_t*;

struct Mode {
  const Format* format = nullptr;
  Rounding rounding = Rounding::nearest_even;
  bool flushes = false, saturates = false, relu = false;
};

std::uint64_t flushed(const Mode& mode, std::uint64_t bits)
{
  return mode.flushes && is_subnormal(*mode.format, bits) ? bits & mode.format->sign_bit() : bits;
}

Number number_in(const Mode& mode, std::uint64_t bits)
{
  return number_of(*mode.format, flushed(mode, bits));
}

std::uint64_t result_of(const Mode& mode, const Number& number)
{
  const std::uint64_t bits = flushed(mode, round_to(*mode.format, mode.rounding, number));
  const bool negative = (bits & mode.format->sign_bit()) != 0;
  if (mode.saturates) {
    return number.is_nan() || negative ? 0 : std::min(bits, mode.format->one());
  }
  return mode.relu && negative && !number.is_nan() ? 0 : bits;
}

struct NamedRounding {
  const char* name;
  Rounding rounding;
};
constexpr NamedRounding k_roundings[] = {
  {".rn", Rounding::nearest_even}, {".rz", Rounding::to_zero}, {".rm", Rounding::down}, {".rp", Rounding::up}};

using Function = std::function<Number(const Mode& mode, const Number* in)>;

// `function` on each of the numbers of a register.
Operation arithmetic(const std::string& opcode, const Type& type, const Mode& mode, int operands,
                     const Function& function)
{
  Slack slack{type.format};
  slack.any_nan = type.format == &k_f64;        // the payload is not said
  slack.any_zero = mode.saturates || mode.relu; // nor the sign of what is clamped from below
  return simple(opcode, {{type.held(), slack}}, std::vector<Input>(operands, input_of(type)),
                [type, mode, operands, function](Words in, std::uint64_t* to) {
                  to[0] = 0;
                  for (int at = 0; at < type.width; at += type.element()) {
                    Number numbers[3];
                    for (int i = 0; i < operands; ++i) {
                      numbers[i] = number_in(mode, in[i] >> at & mask_of(type.element()));
                    }
                    to[0] |= result_of(mode, function(mode, numbers)) << at;
                  }
                });
}

const Function k_sum = [](const Mode& mode, const Number* in) { return sum(in[0], in[1], mode.rounding); };
const Function k_difference = [](const Mode& mode, const Number* in) {
  return sum(in[0], negated(in[1]), mode.rounding);
};
const Function k_product = [](const Mode&, const Number* in) { return product(in[0], in[1]); };
const Function k_fused = [](const Mode& mode, const Number* in) {
  return sum(product(in[0], in[1]), in[2], mode.rounding);
};
const Function k_quotient = [](const Mode&, const Number* in) { return quotient(in[0], in[1]); };
const Function k_reciprocal = [](const Mode&, const Number* in) { return quotient(number_of_integer(1), in[0]); };
const Function k_root = [](const Mode&, const Number* in) { return square_root(in[0]); };

// Sums that cancel, of which only the rest counts: b near -a, or c near -a * b.
void add_tuned(Operations& out, Operation operation, const Type& type)
{
  operation.tune = [type, is_fused = operation.inputs.size() == 3](Random& random, std::uint64_t* in) {
    if (random.below(3) != 0) {
      return;
    }
    const Mode mode{type.format};
    std::uint64_t& last = in[is_fused ? 2 : 1];
    std::uint64_t tuned = 0;
    for (int at = 0; at < type.width; at += type.element()) {
      const auto number = [&](std::uint64_t bits) { return number_in(mode, bits >> at & mask_of(type.element())); };
      Number value = is_fused ? product(number(in[0]), number(in[1])) : number(in[0]);
      value.negative = random.below(2) != 0;
      std::uint64_t bits = round_to(*type.format, Rounding::nearest_even, value);
      if (random.below(4) == 0) { // next to nothing, which says on which side of a tie the sum is
        bits = (bits & type.format->sign_bit()) | (type.format->one() >> 1);
      }
      if (!is_nan(*type.format, bits) && !is_infinite(*type.format, bits)) {
        bits ^= random.below(2) * random.below(4);
      }
      tuned |= bits << at;
    }
    last = tuned;
  };
  out.push_back(std::move(operation));
}

void add_full_width(Operations& out, const Type& type)
{
  const bool is_single = type.format == &k_f32;
  for (const NamedRounding& rounding : k_roundings) {
    for (const bool flushes : {false, true}) {
      for (const bool saturates : {false, true}) {
        if ((flushes || saturates) && !is_single) {
          continue;
        }
        const Mode mode{type.format, rounding.rounding, flushes, saturates};
        const std::string start = std::string(rounding.name) + (flushes ? ".ftz" : "");
        const std::string end = start + (saturates ? ".sat." : ".") + type.name;
        add_tuned(out, arithmetic("add" + end, type, mode, 2, k_sum), type);
        add_tuned(out, arithmetic("sub" + end, type, mode, 2, k_difference), type);
        out.push_back(arithmetic("mul" + end, type, mode, 2, k_product));
        add_tuned(out, arithmetic("fma" + end, type, mode, 3, k_fused), type);
        add_tuned(out, arithmetic("mad" + end, type, mode, 3, k_fused), type);
        if (!saturates) {
          out.push_back(arithmetic("div" + end, type, mode, 2, k_quotient));
          out.push_back(arithmetic("rcp" + end, type, mode, 1, k_reciprocal));
          out.push_back(arithmetic("sqrt" + end, type, mode, 1, k_root));
        }
      }
    }
  }
  // Without a rounding: to the nearest.
  const Mode mode{type.format};
  out.push_back(arithmetic("add." + type.name, type, mode, 2, k_sum));
  out.push_back(arithmetic("sub." + type.name, type, mode, 2, k_difference));
  out.push_back(arithmetic("mul." + type.name, type, mode, 2, k_product));
}

void add_half_width(Operations& out, const Type& type)
{
  const bool is_half = type.format == &k_f16;
  for (const std::string rounding : {"", ".rn"}) {
    for (const bool flushes : {false, true}) {
      for (const bool saturates : {false, true}) {
        if ((flushes || saturates) && !is_half) {
          continue;
        }
        const Mode mode{type.format, Rounding::nearest_even, flushes, saturates};
        const std::string end = rounding + (flushes ? ".ftz" : "") + (saturates ? ".sat." : ".") + type.name;
        add_tuned(out, arithmetic("add" + end, type, mode, 2, k_sum), type);
        add_tuned(out, arithmetic("sub" + end, type, mode, 2, k_difference), type);
        out.push_back(arithmetic("mul" + end, type, mode, 2, k_product));
        if (!rounding.empty()) {
          add_tuned(out, arithmetic("fma" + end, type, mode, 3, k_fused), type);
        }
      }
      if ((!flushes || is_half) && !rounding.empty()) {
        const Mode relu{type.format, Rounding::nearest_even, flushes, false, true};
        add_tuned(out,
                  arithmetic("fma" + rounding + (flushes ? ".ftz" : "") + ".relu." + type.name, type, relu, 3, k_fused),
                  type);
      }
    }
  }
}

struct Choice {
  bool greatest = false, flushes = false, keeps_nan = false, by_size = false;
};

std::uint64_t chosen(const Format& format, const Choice& choice, std::uint64_t a, std::uint64_t b)
{
  const std::uint64_t sign = (a ^ b) & format.sign_bit();
  const auto prepared = [&](std::uint64_t x) {
    x = choice.flushes && is_subnormal(format, x) ? x & format.sign_bit() : x;
    return choice.by_size ? x & ~format.sign_bit() : x;
  };
  a = prepared(a);
  b = prepared(b);
  std::uint64_t out = 0;
  if (is_nan(format, a) || is_nan(format, b)) {
    out = choice.keeps_nan || (is_nan(format, a) && is_nan(format, b)) ? format.nan : is_nan(format, a) ? b : a;
  } else {
    const Number left = number_of(format, a), right = number_of(format, b);
    // -0 is below 0.
    const bool a_is_less = left.is_zero() && right.is_zero() ? left.negative : order(left, right) < 0;
    out = a_is_less != choice.greatest ? a : b;
  }
  return choice.by_size && !is_nan(format, out) ? (out & ~format.sign_bit()) | sign : out;
}

void add_choices_of(Operations& out, const Type& type)
{
  const bool is_double = type.format == &k_f64, has_flush = type.format == &k_f32 || type.format == &k_f16;
  for (int bits = 0; bits < 16; ++bits) {
    const Choice choice{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    if ((is_double && bits > 1) || (choice.flushes && !has_flush)) {
      continue;
    }
    const std::string name = std::string(choice.greatest ? "max" : "min") + (choice.flushes ? ".ftz" : "")
                             + (choice.keeps_nan ? ".NaN" : "") + (choice.by_size ? ".xorsign.abs." : ".") + type.name;
    Slack slack{type.format};
    slack.any_nan = is_double;
    out.push_back(simple(name, {{type.held(), slack}}, {input_of(type), input_of(type)},
                         [type, choice](Words in, std::uint64_t* to) {
                           to[0] = 0;
                           for (int at = 0; at < type.width; at += type.element()) {
                             const std::uint64_t mask = mask_of(type.element());
                             to[0] |= chosen(*type.format, choice, in[0] >> at & mask, in[1] >> at & mask) << at;
                           }
                         }));
  }
}

void add_signs_of(Operations& out, const Type& type)
{
  Slack slack{type.format};
  slack.any_nan = true;
  const std::uint64_t sign = type.format->sign_bit(), signs = type.is_pair ? sign << 16 | sign : sign;
  for (const bool flushes : {false, true}) {
    if (flushes && type.format != &k_f32 && type.format != &k_f16) {
      continue;
    }
    const std::string end = std::string(flushes ? ".ftz." : ".") + type.name;
    const auto with = [type, flushes](std::uint64_t bits) {
      std::uint64_t to = 0;
      for (int at = 0; at < type.width; at += type.element()) {
        const std::uint64_t x = bits >> at & mask_of(type.element());
        to |= (flushes && is_subnormal(*type.format, x) ? x & type.format->sign_bit() : x) << at;
      }
      return to;
    };
    out.push_back(simple("neg" + end, {{type.held(), slack}}, {input_of(type)},
                         [=](Words in, std::uint64_t* to) { to[0] = with(in[0]) ^ signs; }));
    out.push_back(simple("abs" + end, {{type.held(), slack}}, {input_of(type)},
                         [=](Words in, std::uint64_t* to) { to[0] = with(in[0]) & ~signs; }));
  }
  if (type.width != 16 && !type.is_pair) {
    out.push_back(simple("copysign." + type.name, {{type.held(), slack}}, {input_of(type), input_of(type)},
                         [sign](Words in, std::uint64_t* to) { to[0] = (in[0] & sign) | (in[1] & ~sign); }));
  }
}

} // namespace

void add_floats(Operations& out)
{
  std::vector<Type> types = k_narrow_floats;
  types.push_back(k_type_f32);
  types.push_back(k_type_f64);
  for (const Type& type : types) {
    if (type.element() == 16) {
      add_half_width(out, type);
    } else {
      add_full_width(out, type);
    }
    add_choices_of(out, type);
    add_signs_of(out, type);
  }
}

} // namespace hone::oracle
