// mma.sync on small whole numbers, whose sums of products need no rounding: their order does not matter. Where each
// lane holds which elements is the ISA's figures as formulas.
#include "catalogue.h"

#include <algorithm>
#include <functional>

namespace hone::oracle {

namespace {

using boost::multiprecision::cpp_int;

struct Place {
  int row = 0, column = 0;
};

// What a type of element is, and how many stand in a register.
struct Element {
  std::string name;
  int bits = 0; // that it takes in a register
  const Format* format = nullptr;
  bool is_signed = false;
  int shift = 0; // of the format's bits within those
};
const Element k_half{"f16", 16, &k_f16}, k_brain{"bf16", 16, &k_bf16}, k_tensor{"tf32", 32, &k_tf32, false, 13},
  k_single{"f32", 32, &k_f32}, k_double{"f64", 64, &k_f64}, k_signed{"s8", 8, nullptr, true},
  k_unsigned{"u8", 8, nullptr, false}, k_whole{"s32", 32, nullptr, true}, k_fine{"e4m3", 8, &k_e4m3},
  k_coarse{"e5m2", 8, &k_e5m2};

__int128 element_of(const Element& element, std::uint64_t bits)
{
  if (element.format == nullptr) {
    return value_of(bits, element.bits, element.is_signed);
  }
  const Number number = number_of(*element.format, bits >> element.shift & mask_of(element.format->bits));
  const Number whole = round_to_integer(Rounding::to_zero, number);
  const auto size = static_cast<__int128>(cpp_int{whole.magnitude << whole.exponent});
  return number.negative ? -size : size;
}

std::uint64_t bits_of_element(const Element& element, __int128 value)
{
  if (element.format == nullptr) {
    return static_cast<std::uint64_t>(value) & mask_of(element.bits);
  }
  return round_to(*element.format, Rounding::nearest_even, number_of_integer(value)) << element.shift;
}

// m, n and k, and the places of each lane's elements of A, B and C.
struct Shape {
  int rows = 0, columns = 0, depth = 0;
  int a_count = 0, b_count = 0, c_count = 0;
  Place (*a)(int group, int thread, int i) = nullptr;
  Place (*b)(int group, int thread, int i) = nullptr;
  Place (*c)(int group, int thread, int i) = nullptr;
  std::string name() const
  {
    return "m" + std::to_string(rows) + "n" + std::to_string(columns) + "k" + std::to_string(depth);
  }
};

Place sum_of_16_rows(int group, int thread, int i)
{
  return {group + (i < 2 ? 0 : 8), thread * 2 + i % 2};
}
Place sum_of_8_rows(int group, int thread, int i)
{
  return {group, thread * 2 + i};
}

// Of 16 bits.
const Shape k_16_8_8{16,
                     8,
                     8,
                     4,
                     2,
                     4,
                     [](int g, int t, int i) {
                       return Place{g + (i < 2 ? 0 : 8), t * 2 + i % 2};
                     },
                     [](int g, int t, int i) {
                       return Place{t * 2 + i, g};
                     },
                     sum_of_16_rows};
const Shape k_16_8_16{16,
                      8,
                      16,
                      8,
                      4,
                      4,
                      [](int g, int t, int i) {
                        return Place{g + (i / 2 % 2 == 0 ? 0 : 8), t * 2 + i % 2 + (i < 4 ? 0 : 8)};
                      },
                      [](int g, int t, int i) {
                        return Place{t * 2 + i % 2 + (i < 2 ? 0 : 8), g};
                      },
                      sum_of_16_rows};
// Of tf32.
const Shape k_16_8_4_words{16,
                           8,
                           4,
                           2,
                           1,
                           4,
                           [](int g, int t, int i) {
                             return Place{g + 8 * i, t};
                           },
                           [](int g, int t, int) {
                             return Place{t, g};
                           },
                           sum_of_16_rows};
const Shape k_16_8_8_words{16,
                           8,
                           8,
                           4,
                           2,
                           4,
                           [](int g, int t, int i) {
                             return Place{g + (i % 2 == 0 ? 0 : 8), t + (i < 2 ? 0 : 4)};
                           },
                           [](int g, int t, int i) {
                             return Place{t + 4 * i, g};
                           },
                           sum_of_16_rows};
// Of f64.
const Shape k_8_8_4_doubles{8,
                            8,
                            4,
                            1,
                            1,
                            2,
                            [](int g, int t, int) {
                              return Place{g, t};
                            },
                            [](int g, int t, int) {
                              return Place{t, g};
                            },
                            sum_of_8_rows};
const Shape k_16_8_4_doubles{16, 8, 4, 2, 1, 4, k_16_8_4_words.a, k_16_8_4_words.b, sum_of_16_rows};
const Shape k_16_8_8_doubles{16,
                             8,
                             8,
                             4,
                             2,
                             4,
                             [](int g, int t, int i) {
                               return Place{g + (i % 2 == 0 ? 0 : 8), t + (i < 2 ? 0 : 4)};
                             },
                             [](int g, int t, int i) {
                               return Place{t + 4 * i, g};
                             },
                             sum_of_16_rows};
const Shape k_16_8_16_doubles{16,
                              8,
                              16,
                              8,
                              4,
                              4,
                              [](int g, int t, int i) {
                                return Place{g + (i % 2 == 0 ? 0 : 8), i / 2 * 4 + t};
                              },
                              [](int g, int t, int i) {
                                return Place{t + 4 * i, g};
                              },
                              sum_of_16_rows};
// Of bytes.
const Shape k_8_8_16_bytes{8,
                           8,
                           16,
                           4,
                           4,
                           2,
                           [](int g, int t, int i) {
                             return Place{g, t * 4 + i};
                           },
                           [](int g, int t, int i) {
                             return Place{t * 4 + i, g};
                           },
                           sum_of_8_rows};
const Shape k_16_8_16_bytes{16,
                            8,
                            16,
                            8,
                            4,
                            4,
                            [](int g, int t, int i) {
                              return Place{g + (i < 4 ? 0 : 8), t * 4 + i % 4};
                            },
                            [](int g, int t, int i) {
                              return Place{t * 4 + i, g};
                            },
                            sum_of_16_rows};
const Shape k_16_8_32_bytes{16,
                            8,
                            32,
                            16,
                            8,
                            4,
                            [](int g, int t, int i) {
                              return Place{g + (i / 4 % 2 == 0 ? 0 : 8), t * 4 + i % 4 + (i < 8 ? 0 : 16)};
                            },
                            [](int g, int t, int i) {
                              return Place{t * 4 + i % 4 + (i < 4 ? 0 : 16), g};
                            },
                            sum_of_16_rows};

int registers_of(const Element& element, int count)
{
  return std::max(1, element.bits * count / 32) / (element.bits == 64 ? 2 : 1);
}

RegisterClass class_of(const Element& element)
{
  return element.bits == 64 ? RegisterClass::b64 : RegisterClass::b32;
}

// Small numbers, which all formats hold; sums of bytes reach to the ends of their type.
Draw draw_of(const Element& element, bool is_sum)
{
  return [&element, is_sum](Random& random) {
    if (element.format == nullptr) {
      const bool is_great = is_sum && random.below(2) == 0;
      return (is_great ? 0x7fff'ffff + random.below(3000) - 1500 : random.next()) & 0xffff'ffff;
    }
    const int most = element.bits == 8 ? 4 : 8;
    std::uint64_t bits = 0;
    for (int at = 0; at < std::max(element.bits, 32); at += element.bits) {
      bits |= bits_of_element(element, static_cast<int>(random.below(2 * most + 1)) - most) << at;
    }
    return bits;
  };
}

// Elements of a lane's registers, which begin at input `first`.
void gather(const std::vector<Lanes>& in, int first, const Element& element, int count, Place (*place)(int, int, int),
            std::vector<std::vector<__int128>>& out)
{
  const int each = std::max(1, (element.bits == 64 ? 64 : 32) / element.bits);
  for (int lane = 0; lane < k_lanes; ++lane) {
    for (int i = 0; i < count; ++i) {
      const Place at = place(lane / 4, lane % 4, i);
      const std::uint64_t bits = in[first + i / each][lane] >> element.bits * (i % each) & mask_of(element.bits);
      out[at.row][at.column] = element_of(element, bits);
    }
  }
}

std::string braces(int& next, int count)
{
  std::string out = "{";
  for (int i = 0; i < count; ++i) {
    out += (i == 0 ? "$" : ", $") + std::to_string(next++);
  }
  return out + "}";
}

void add_product(Operations& out, const Shape& shape, const Element& d, const Element& a, const Element& b,
                 const std::string& modifier = "")
{
  const int a_registers = registers_of(a, shape.a_count), b_registers = registers_of(b, shape.b_count),
            c_registers = registers_of(d, shape.c_count);
  Operation operation;
  operation.name = "mma.sync.aligned." + shape.name() + ".row.col" + modifier + "." + d.name + "." + a.name + "."
                   + b.name + "." + d.name;
  int next = 0;
  operation.text = operation.name + " " + braces(next, c_registers);
  for (const int count : {a_registers, b_registers, c_registers}) {
    operation.text += ", ";
    operation.text += braces(next, count);
  }
  operation.text += ";";
  const auto inputs = [&](const Element& element, int count, bool is_sum) {
    Input input{class_of(element), draw_of(element, is_sum), Input::Literal::never};
    input.only_drawn = element.format != nullptr;
    operation.inputs.insert(operation.inputs.end(), count, input);
  };
  inputs(a, a_registers, false);
  inputs(b, b_registers, false);
  inputs(d, c_registers, true);
  Slack slack{d.format};
  slack.any_zero = d.format != nullptr; // the sign of a sum that is zero goes with the order
  operation.outputs.assign(c_registers, Output{class_of(d), slack});
  const bool saturates = modifier == ".satfinite";
  operation.warp = [=, &d, &a, &b](const std::vector<Lanes>& in, std::vector<Lanes>& to) {
    using Matrix = std::vector<std::vector<__int128>>;
    const auto matrix = [](int rows, int columns) { return Matrix(rows, std::vector<__int128>(columns)); };
    Matrix left = matrix(shape.rows, shape.depth), right = matrix(shape.depth, shape.columns),
           sums = matrix(shape.rows, shape.columns);
    gather(in, 0, a, shape.a_count, shape.a, left);
    gather(in, a_registers, b, shape.b_count, shape.b, right);
    gather(in, a_registers + b_registers, d, shape.c_count, shape.c, sums);
    for (int i = 0; i < shape.rows; ++i) {
      for (int j = 0; j < shape.columns; ++j) {
        for (int p = 0; p < shape.depth; ++p) {
          sums[i][j] += left[i][p] * right[p][j];
        }
        if (saturates) {
          sums[i][j] = std::clamp(sums[i][j], __int128{-0x8000'0000ll}, __int128{0x7fff'ffff});
        }
      }
    }
    const int each = std::max(1, 32 / d.bits);
    for (int lane = 0; lane < k_lanes; ++lane) {
      for (int i = 0; i < shape.c_count; ++i) {
        const Place at = shape.c(lane / 4, lane % 4, i);
        std::uint64_t& word = to[i / each][lane];
        word = (i % each == 0 ? 0 : word) | bits_of_element(d, sums[at.row][at.column]) << d.bits * (i % each);
      }
    }
  };
  out.push_back(operation);
}

} // namespace

void add_matrix_operations(Operations& out)
{
  for (const Shape* shape : {&k_16_8_8, &k_16_8_16}) {
    add_product(out, *shape, k_single, k_half, k_half);
    add_product(out, *shape, k_half, k_half, k_half);
    add_product(out, *shape, k_single, k_brain, k_brain);
  }
  for (const Shape* shape : {&k_16_8_4_words, &k_16_8_8_words}) {
    add_product(out, *shape, k_single, k_tensor, k_tensor);
  }
  for (const Shape* shape : {&k_8_8_4_doubles, &k_16_8_4_doubles, &k_16_8_8_doubles, &k_16_8_16_doubles}) {
    add_product(out, *shape, k_double, k_double, k_double);
  }
  for (const Shape* shape : {&k_8_8_16_bytes, &k_16_8_16_bytes, &k_16_8_32_bytes}) {
    for (const Element* a : {&k_signed, &k_unsigned}) {
      for (const Element* b : {&k_signed, &k_unsigned}) {
        add_product(out, *shape, k_whole, *a, *b);
        add_product(out, *shape, k_whole, *a, *b, ".satfinite");
      }
    }
  }
  for (const Element* a : {&k_fine, &k_coarse}) {
    for (const Element* b : {&k_fine, &k_coarse}) {
      add_product(out, k_16_8_32_bytes, k_single, *a, *b);
    }
  }
}

} // namespace hone::oracle
