// What instructions of PTX do, as the PTX ISA says it: written from that text alone, one thread after the other, on
// exact numbers. Knows nothing of the emulator.
#pragma once

#include "exact_number.h"
#include "util/random.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hone::oracle {

enum class RegisterClass { predicate, b16, b32, b64 };
int bits_of(RegisterClass held); // 1, 16, 32, 64

using Draw = std::function<std::uint64_t(Random&)>;

struct Input {
  RegisterClass held = RegisterClass::b32;
  Draw draw;
  enum class Literal { never, sometimes, always } literal = Literal::sometimes;
  char literal_prefix = 'x'; // 'f' and 'd': as the bits of a float
  bool only_drawn = false;   // other values are not for this instruction
};

// What may differ.
struct Slack {
  const Format* format = nullptr; // of each of the numbers that the register holds
  bool any_nan = false;           // the ISA leaves open which NaN it is
  bool any_zero = false;          // or which zero
  bool ignored = false;           // a register for a result that another one is made of
  bool none() const { return !any_nan && !any_zero && !ignored; }
};
bool same(const Slack& slack, RegisterClass held, std::uint64_t a, std::uint64_t b);

struct Output {
  RegisterClass held = RegisterClass::b32;
  Slack slack;
};

constexpr int k_lanes = 32;
using Lanes = std::array<std::uint64_t, k_lanes>;

struct Operation {
  std::string name; // opcode with its modifiers
  std::string text; // $0, $1, ... are the outputs and then the inputs
  std::vector<Output> outputs;
  std::vector<Input> inputs;
  // One of them. Values come without bits above the register's, and may leave with some.
  std::function<void(const std::uint64_t* in, std::uint64_t* out)> lane;
  std::function<void(const std::vector<Lanes>& in, std::vector<Lanes>& out)> warp;
  // Makes inputs that were drawn one by one fit each other.
  std::function<void(Random& random, std::uint64_t* in)> tune;
  bool several = false; // statements: no output may be the register of an input
};

// "opcode $0, $1, ...;"
Operation simple(std::string opcode, std::vector<Output> outputs, std::vector<Input> inputs,
                 std::function<void(const std::uint64_t*, std::uint64_t*)> lane);

using Operations = std::vector<Operation>;
void add_integers(Operations& out);
void add_bits(Operations& out);
void add_comparisons(Operations& out);
void add_floats(Operations& out);
void add_conversions(Operations& out);
void add_warp_operations(Operations& out);
void add_matrix_operations(Operations& out);
Operations all_operations();

// Values of one kind.
std::uint64_t mask_of(int bits);
__int128 value_of(std::uint64_t bits, int width, bool is_signed);
Draw any_integer(int width);
Draw any_float(const Format& format);
Draw float_near_integer(const Format& format);                   // and near the ends of integer types
Draw integer_near(int width, const Format& of_results);          // halfway between two of them, and 1 beside it
Draw float_near(const Format& format, const Format& of_results); // halfway between them, and a unit beside it
Draw any_predicate();
// Two numbers of 16 bits in one register.
Draw pair_of(Draw draw);

struct Type {
  std::string name;
  int width = 0;
  bool is_signed = false;
  const Format* format = nullptr; // of floats
  bool is_pair = false;           // of numbers of 16 bits
  int element() const { return is_pair ? 16 : width; }
  RegisterClass held() const;
};
Input input_of(const Type& type);
extern const std::vector<Type> k_integer_types; // of 16 bits and more
extern const std::vector<Type> k_narrow_floats; // f16, f16x2, bf16, bf16x2
extern const Type k_type_f32, k_type_f64, k_type_f16, k_type_bf16;

} // namespace hone::oracle
