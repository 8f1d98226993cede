// What several tests of the kernel room share: shipped kernels, small kernels from text, random inputs.
#pragma once

#include "kernel/kernel.h"
#include "util/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace hone::kernel {

// Arguments: a vector of each role; three matrices.
inline constexpr const char* k_xy =
  "X = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [\"n\"], role = \"output\" }";
inline constexpr const char* k_matrices = "A = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                                          "B = { type = \"f32\", shape = [\"k\", \"n\"] }\n"
                                          "C = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }";

inline constexpr auto k_shipped =
  std::to_array<const char*>({"argmax",        "attention",        "attention-scores", "avg-pool",
                              "conv2d",        "conv2d-bias-relu", "conv2d-depthwise", "conv2d-transposed",
                              "cross-entropy", "cumulative-sum",   "embedding",        "frobenius-norm",
                              "gelu",          "layer-norm",       "matmul",           "matmul-batched",
                              "matmul-bf16",   "matmul-bias-relu", "matmul-f64",       "matmul-i8",
                              "matmul-ta",     "matmul-tb",        "matvec",           "max-pool",
                              "rms-norm",      "softmax"});

inline Kernel shipped(const std::string& name)
{
  auto kernel = load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

// kernel.toml with one line per part: `arguments` and `sizes` are TOML, `expr` is quoted here.
inline std::string kernel_text(const std::string& expr, const std::string& arguments, const std::string& sizes)
{
  return "[kernel]\nname = \"test\"\n[compute]\nexpr = \"" + expr + "\"\n[arguments]\n" + arguments
         + "\n[sizes]\ntimed = [ { " + sizes + " } ]\n";
}

inline Kernel kernel_of(const std::string& expr, const std::string& arguments, const std::string& sizes)
{
  auto kernel = parse_kernel(kernel_text(expr, arguments, sizes), "test.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

// One buffer per argument, inputs filled by `draw`.
class Buffers {
public:
  template <class Draw> Buffers(const Kernel& kernel, const Sizes& sizes, Draw draw)
  {
    for (const Argument& argument : kernel.arguments) {
      const auto count = static_cast<std::size_t>(elements_of(argument, sizes).value_or(0));
      m_bytes.emplace_back(count * size_of(argument.type));
      const Domain domain = domain_of(argument, sizes).value_or(Domain{});
      if (!is_float(argument.type) && domain.is_finite()) { // an index: must stay inside
        const auto values = static_cast<std::uint64_t>(domain.high - domain.low + 1);
        std::uint64_t next = 0;
        const auto index = [&] { return domain.low + static_cast<double>((next++ * 7919) % values); };
        fill_integers(argument.type, m_bytes.back(), count, index);
        continue;
      }
      if (argument.type == DataType::f32) {
        fill<float>(m_bytes.back(), count, draw);
      } else if (argument.type == DataType::f64) {
        fill<double>(m_bytes.back(), count, draw);
      } else {
        fill_integers(argument.type, m_bytes.back(), count, draw);
      }
    }
  }

  std::vector<const std::byte*> pointers() const
  {
    std::vector<const std::byte*> out;
    for (const auto& bytes : m_bytes) {
      out.push_back(bytes.data());
    }
    return out;
  }
  template <class T> T* data(std::size_t argument) { return reinterpret_cast<T*>(m_bytes[argument].data()); }

private:
  template <class Draw>
  static void fill_integers(DataType type, std::vector<std::byte>& bytes, std::size_t count, Draw& draw)
  {
    if (type == DataType::i32) {
      fill<std::int32_t>(bytes, count, draw);
    } else if (type == DataType::i64) {
      fill<std::int64_t>(bytes, count, draw);
    } else if (size_of(type) == 1) {
      fill<std::int8_t>(bytes, count, draw);
    }
  }
  template <class T, class Draw> static void fill(std::vector<std::byte>& bytes, std::size_t count, Draw& draw)
  {
    for (std::size_t i = 0; i < count; ++i) {
      const T value = static_cast<T>(draw());
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  }

  std::vector<std::vector<std::byte>> m_bytes;
};

inline Buffers normal_buffers(const Kernel& kernel, const Sizes& sizes, std::uint64_t seed)
{
  Random random(seed);
  return Buffers(kernel, sizes, [&] { return random.normal(); });
}

// References compiled by the tests, kept between runs of the build folder.
inline fs::path reference_cache()
{
  return fs::path(HONE_BINARY_ROOT) / "test-references";
}

inline Reference reference_of(const Kernel& kernel)
{
  auto reference = Reference::build(kernel, reference_cache());
  EXPECT_TRUE(reference) << reference.error().text();
  return reference ? std::move(*reference) : Reference{};
}

} // namespace hone::kernel
