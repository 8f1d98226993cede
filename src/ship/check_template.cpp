#include "ship/check_template.h"

namespace hone::ship {

namespace {

constexpr const char* k_tables =
  R"cpp(// Checks @fn@() on random inputs: each element of the output against @fn@_reference.cpp, which computes the
// expression in double and bounds how far an honest result may be from it (any order of summation). Sizes with much work
// are checked on a sample of the elements. Exit status 0: all is right.
#include "@fn@.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

enum class Type { f64, f32, f16, bf16, i64, i32, i16, i8, u32, u16, u8, boolean };

struct Argument {
  const char* name;
  Type type;
  std::size_t bytes; // per element
  bool is_read;
  int statement; // of the reference that computes it; -1: an input
  bool rises;    // every row, from one end of its range to the other
  int form;      // of its matrices: 1 the diagonal outweighs its row and column, 2 and symmetric, 0 any
};

const Argument arguments[@argument count@] = {
@arguments@};

struct Case {
  const char* name;
  std::int64_t sizes[@size count@];
  std::int64_t elements[@argument count@];
  std::int64_t rows[@argument count@];        // elements of the last axis
  std::int64_t statements[@statement count@]; // elements of what each statement of the expression computes
  double ranges[@argument count@][2];         // where inputs are drawn from
  bool is_sampled;
};

const Case cases[] = {
@cases@};

struct Environment {
  const std::int64_t* sizes;
  const void* const* arguments;
  double* const* values;
  double* const* errors;
  unsigned char* const* computed;
  std::int64_t part = 0, parts = 1; // all of it at once
};

} // namespace

extern "C" void @fn@_reference_all(const Environment* env, std::int64_t statement);
extern "C" void @fn@_reference_one(const Environment* env, std::int64_t statement, std::int64_t element, double* value,
                                   double* error);
extern "C" void @fn@_reference_accept(const Environment* env, std::int64_t statement);
)cpp";

constexpr const char* k_elements = R"cpp(
namespace {

// xorshift64*: the same inputs everywhere.
std::uint64_t state = 0x9e3779b97f4a7c15;
std::uint64_t random_bits()
{
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}
double random_in(double low, double high) { return low + (high - low) * ((random_bits() >> 11) * 0x1p-53); }

template <class T> void put(void* at, T value) { std::memcpy(at, &value, sizeof value); }
template <class T> T get(const void* at)
{
  T out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

double from_half(std::uint16_t bits)
{
  const int exponent = (bits >> 10) & 31;
  const double significand = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(significand, -24)
                           : exponent == 31 ? (significand == 0 ? HUGE_VAL : std::nan(""))
                                            : std::ldexp(significand + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// Towards zero: inputs may be any numbers.
std::uint16_t to_half(double value)
{
  const double magnitude = std::min(std::fabs(value), 65504.0);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const auto significand = static_cast<unsigned>(std::ldexp(magnitude, 10 - exponent));
  const unsigned bits = significand < 1024 ? significand : (static_cast<unsigned>(exponent + 14) << 10) + significand;
  return static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000u : 0u));
}

void draw(Type type, void* at, double low, double high)
{
  const double value = random_in(low, high);
  const std::int64_t whole = static_cast<std::int64_t>(std::floor(random_in(low, high + 1 > high ? high + 1 : high)));
  const std::int64_t integer = whole > high ? static_cast<std::int64_t>(high) : whole;
  switch (type) {
  case Type::f64: return put(at, value);
  case Type::f32: return put(at, std::min(std::max(static_cast<float>(value), static_cast<float>(low)), static_cast<float>(high)));
  case Type::f16: return put(at, to_half(value));
  case Type::bf16: return put(at, static_cast<std::uint16_t>(get<std::uint32_t>(std::make_unique<float>(static_cast<float>(value)).get()) >> 16));
  case Type::i64: return put(at, integer);
  case Type::i32: return put(at, static_cast<std::int32_t>(integer));
  case Type::i16: return put(at, static_cast<std::int16_t>(integer));
  case Type::i8: return put(at, static_cast<std::int8_t>(integer));
  case Type::u32: return put(at, static_cast<std::uint32_t>(integer));
  case Type::u16: return put(at, static_cast<std::uint16_t>(integer));
  case Type::u8: return put(at, static_cast<std::uint8_t>(integer));
  case Type::boolean: return put(at, static_cast<std::uint8_t>(random_bits() >> 63));
  }
}

double value_of(Type type, const void* at)
{
  switch (type) {
  case Type::f64: return get<double>(at);
  case Type::f32: return get<float>(at);
  case Type::f16: return from_half(get<std::uint16_t>(at));
  case Type::bf16: {
    const std::uint32_t bits = static_cast<std::uint32_t>(get<std::uint16_t>(at)) << 16;
    return get<float>(&bits);
  }
  case Type::i64: return static_cast<double>(get<std::int64_t>(at));
  case Type::i32: return get<std::int32_t>(at);
  case Type::i16: return get<std::int16_t>(at);
  case Type::i8: return get<std::int8_t>(at);
  case Type::u32: return get<std::uint32_t>(at);
  case Type::u16: return get<std::uint16_t>(at);
  default: return get<std::uint8_t>(at);
  }
}

// As row pointers do: the first of a row is `low`, the last one `high`.
void sort_rows(Type type, unsigned char* data, std::size_t bytes, std::size_t element, std::size_t row, double low, double high)
{
  std::vector<double> values(row);
  for (unsigned char* at = data; at < data + bytes; at += row * element) {
    for (std::size_t i = 0; i < row; ++i) {
      values[i] = value_of(type, at + i * element);
    }
    values.back() = high;
    values.front() = low;
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < row; ++i) {
      draw(type, at + i * element, values[i], values[i]);
    }
  }
}

// With a diagonal that outweighs its row and its column, and symmetric (form 2).
void shape_matrices(int form, Type type, unsigned char* data, std::size_t bytes, std::size_t element, std::size_t side)
{
  for (unsigned char* at = data; at < data + bytes; at += side * side * element) {
    std::vector<double> others(side, 0.0);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        unsigned char* low = at + (i * side + j) * element;
        unsigned char* high = at + (j * side + i) * element;
        if (form == 2) {
          std::memcpy(low, high, element);
        }
        const double size = std::max(std::fabs(value_of(type, low)), std::fabs(value_of(type, high)));
        others[i] += size;
        others[j] += size;
      }
    }
    for (std::size_t i = 0; i < side; ++i) {
      const double diagonal = 1.5 * others[i] + 1;
      draw(type, at + i * (side + 1) * element, diagonal, diagonal);
    }
  }
}

double largest_of(Type type)
{
  return type == Type::f32 || type == Type::bf16 ? 3.4028234663852886e38 : type == Type::f16 ? 65504.0 : 1.7976931348623157e308;
}

bool is_right(Type type, double got, double expected, double bound)
{
  if (std::isinf(bound)) {
    return true; // nothing can be told: the arithmetic overflows on the way
  }
  if (std::isnan(expected) || std::isnan(got)) {
    return std::isnan(expected) && std::isnan(got);
  }
  if (std::isinf(got) && !std::isinf(expected)) {
    return got > 0 ? expected + bound > largest_of(type) : expected - bound < -largest_of(type);
  }
  return got == expected || std::fabs(got - expected) <= bound;
}
)cpp";

constexpr const char* k_run = R"cpp(
@adapter@// Bytes at a multiple of 64, or so many behind it, between two bands that nobody may write.
class Memory {
public:
  Memory(std::size_t bytes, std::size_t aside) : m_bytes(bytes), m_all(bytes + 192)
  {
    const auto start = reinterpret_cast<std::uintptr_t>(m_all.data());
    m_start = m_all.data() + ((start + 127) / 64 * 64 - start) + aside;
    for (unsigned char& byte : m_all) {
      byte = 0xa5;
    }
  }
  unsigned char* data() { return m_start; }
  bool is_intact() const
  {
    const auto kept = [](unsigned char byte) { return byte == 0xa5; };
    return std::all_of(m_all.data(), static_cast<const unsigned char*>(m_start), kept)
           && std::all_of(static_cast<const unsigned char*>(m_start) + m_bytes, m_all.data() + m_all.size(), kept);
  }

private:
  std::size_t m_bytes;
  std::vector<unsigned char> m_all;
  unsigned char* m_start;
};

struct Expected {
  std::vector<std::vector<double>> values, errors;
  std::vector<std::vector<unsigned char>> computed;
  std::vector<double*> value_pointers, error_pointers;
  std::vector<unsigned char*> computed_pointers;

  explicit Expected(const Case& one)
  {
    for (const std::int64_t elements : one.statements) {
      values.emplace_back(static_cast<std::size_t>(elements));
      errors.emplace_back(static_cast<std::size_t>(elements));
      computed.emplace_back(static_cast<std::size_t>(one.is_sampled ? elements : 0));
      value_pointers.push_back(values.back().data());
      error_pointers.push_back(errors.back().data());
      computed_pointers.push_back(computed.back().data());
    }
  }
};

bool compare(const Case& one, std::size_t which, const unsigned char* got, const Environment& env)
{
  const Argument& argument = arguments[which];
  const std::int64_t count = one.elements[which];
  const std::int64_t samples = one.is_sampled ? std::min<std::int64_t>(count, 64) : count;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t at = samples == count ? i : i < 4 ? (i < 2 ? i : count - 1 - (i - 2)) : static_cast<std::int64_t>(random_bits() % static_cast<std::uint64_t>(count));
    double value = 0;
    double bound = 0;
    if (one.is_sampled) {
      @fn@_reference_one(&env, argument.statement, at, &value, &bound);
    } else {
      value = env.values[argument.statement][at];
      bound = env.errors[argument.statement][at];
    }
    const double result = value_of(argument.type, got + static_cast<std::size_t>(at) * argument.bytes);
    if (!is_right(argument.type, result, value, bound)) {
      std::printf("WRONG  %s: element %lld of %s is %.9g; expected %.9g, give or take %.3g\n", one.name,
                  static_cast<long long>(at), argument.name, result, value, bound);
      return false;
    }
  }
  return true;
}

bool check(const Case& one)
{
  std::vector<Memory> memory;
  std::vector<std::vector<unsigned char>> before;
  unsigned char* data[@argument count@] = {};
  const void* inputs[@argument count@] = {};
  memory.reserve(@argument count@);
  before.reserve(@argument count@);
  for (std::size_t i = 0; i < @argument count@; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(one.elements[i]) * arguments[i].bytes;
    memory.emplace_back(bytes, @elements aside@ * arguments[i].bytes);
    data[i] = memory.back().data();
    for (std::size_t at = 0; arguments[i].is_read && at < bytes; at += arguments[i].bytes) {
      draw(arguments[i].type, data[i] + at, one.ranges[i][0], one.ranges[i][1]);
    }
    if (arguments[i].rises) {
      sort_rows(arguments[i].type, data[i], bytes, arguments[i].bytes, static_cast<std::size_t>(one.rows[i]), one.ranges[i][0], one.ranges[i][1]);
    }
    if (arguments[i].form != 0) {
      shape_matrices(arguments[i].form, arguments[i].type, data[i], bytes, arguments[i].bytes, static_cast<std::size_t>(one.rows[i]));
    }
    before.emplace_back(data[i], data[i] + bytes);
    inputs[i] = before.back().data();
  }
  @call@;
  Expected expected(one);
  const Environment env{one.sizes, inputs, expected.value_pointers.data(), expected.error_pointers.data(), expected.computed_pointers.data()};
  for (std::int64_t i = 0; i < @statement count@ && !one.is_sampled; ++i) {
    @fn@_reference_all(&env, i);
  }
  for (std::int64_t i = 0; i < @statement count@ && !one.is_sampled; ++i) {
    @fn@_reference_accept(&env, i);
  }
  bool is_good = true;
  for (std::size_t i = 0; i < @argument count@; ++i) {
    const bool is_input = arguments[i].statement < 0;
    if (!memory[i].is_intact() || (is_input && std::memcmp(data[i], before[i].data(), before[i].size()) != 0)) {
      std::printf("WRONG  %s: %s was written %s\n", one.name, arguments[i].name, is_input ? "to" : "outside of its ends");
      is_good = false;
    }
    is_good = (is_input || compare(one, i, data[i], env)) && is_good;
  }
  if (is_good) {
    std::printf("right  %s%s\n", one.name, one.is_sampled ? " (a sample)" : "");
  }
  return is_good;
}

} // namespace

int main()
{
  if (!@fn@_supported()) {
    std::printf("this processor lacks instructions that @fn@ was compiled for\n");
    return 77;
  }
  bool is_good = true;
  for (const Case& one : cases) {
    is_good = check(one) && is_good;
  }
  return is_good ? 0 : 1;
}
)cpp";

} // namespace

std::string check_template()
{
  return std::string(k_tables) + k_elements + k_run;
}

} // namespace hone::ship
