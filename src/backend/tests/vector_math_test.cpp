// hone_math.h against long double: random values and the edges, for several instruction sets.
#include "util/util.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <numeric>

namespace hone::backend {
namespace {

const std::vector<std::string> k_functions = {"exp", "log", "log1p", "tanh", "erf", "sqrt", "floor", "abs", "sign"};
const std::vector<std::string> k_folds = {"sum", "largest", "smallest"};

// NAME_TYPE(in, out, count): functions on all elements, folds of the first `count` lanes into out[0]; sums of quarters.
std::string source()
{
  std::string text = "#include \"hone.h\"\n#include \"hone_math.h\"\n";
  for (const auto& [type, vector] : {std::pair{"float", "f32v"}, std::pair{"double", "f64v"}}) {
    for (const std::string& name : k_functions) {
      text += fmt::format("extern \"C\" void {0}_{1}(const {1}* in, {1}* out, int64_t count)\n{{\n"
                          "  for (int64_t at = 0; at < count; at += {2}_lanes) {{\n"
                          "    hone_store_part(out + at, hone_{0}(hone_load_part(in + at, count - at)), count - at);\n"
                          "  }}\n}}\n",
                          name, type, vector);
    }
    for (const std::string& name : k_folds) {
      const std::string neutral = name == "sum" ? "0" : name == "largest" ? "-INFINITY" : "INFINITY";
      text += fmt::format("extern \"C\" void {0}_{1}(const {1}* in, {1}* out, int64_t count)\n{{\n"
                          "  out[0] = hone_{0}(hone_keep(hone_load_part(in, count), count, {2}));\n}}\n",
                          name, type, neutral);
    }
    text += fmt::format("extern \"C\" void sums_{0}(const {0}* in, {0}* out, int64_t count)\n{{\n"
                        "  {1} part[4];\n  for (int v = 0; v < 4; ++v) {{\n"
                        "    part[v] = hone_load_part(in + v * (count / 4), count / 4);\n  }}\n"
                        "  hone_store_part(out, hone_sums(part[0], part[1], part[2], part[3]), 4);\n}}\n",
                        type, vector);
    text += fmt::format("extern \"C\" void pieces_{0}(const {0}* in, {0}* out, int64_t count)\n{{\n"
                        "  for (int at = 0; at < count; ++at) {{\n"
                        "    hone_store(out + at * {1}_lanes, hone_spread(hone_pieces(in), at));\n  }}\n}}\n",
                        type, vector);
    text +=
      fmt::format("extern \"C\" void position_{0}(const {0}* in, int64_t* out, int64_t count)\n{{\n"
                  "  hone_best_{1} best = hone_nothing_{1}();\n"
                  "  for (int64_t at = 0; at < count; at += {1}_lanes) {{\n"
                  "    hone_take_{1}(&best, hone_keep(hone_load_part(in + at, count - at), count - at, NAN), at);\n"
                  "  }}\n  out[0] = hone_position_{1}(best);\n}}\n",
                  type, vector);
  }
  return text;
}

class Compiled {
public:
  explicit Compiled(const std::vector<std::string>& flags)
  {
    auto folder = TemporaryFolder::create("hone-vector-math-");
    if (!folder || !write_file(folder->path() / "math.cpp", source())) {
      return;
    }
    ProcessRequest request;
    request.argv = {"g++",
                    "-std=c++20",
                    "-O2",
                    "-shared",
                    "-fPIC",
                    "-ffp-contract=fast",
                    "-fno-math-errno",
                    "-Wno-psabi",
                    "-I",
                    HONE_SOURCE_ROOT "/src/backend/cpu/include"};
    request.argv.insert(request.argv.end(), flags.begin(), flags.end());
    request.argv.insert(request.argv.end(), {"math.cpp", "-o", "math.so"});
    request.folder = folder->path();
    request.deadline = std::chrono::milliseconds(120'000);
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome && outcome->ok()) << (outcome ? outcome->err : outcome.error().text());
    m_handle = dlopen((folder->path() / "math.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled()
  {
    if (m_handle != nullptr) {
      dlclose(m_handle);
    }
  }

  template <class In, class Out> void call(const std::string& name, const std::vector<In>& in, std::vector<Out>& out)
  {
    const std::string symbol = name + (sizeof(In) == 4 ? "_float" : "_double");
    const auto function = reinterpret_cast<void (*)(const In*, Out*, std::int64_t)>(
      m_handle == nullptr ? nullptr : dlsym(m_handle, symbol.c_str()));
    ASSERT_NE(function, nullptr) << symbol;
    function(in.data(), out.data(), static_cast<std::int64_t>(in.size()));
  }

private:
  void* m_handle = nullptr;
};

// Edges, uniform values of the interesting range, and values of all magnitudes.
template <class Number> std::vector<Number> arguments(double low, double high)
{
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> out = {0,
                             -Number(0),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN(),
                             Limits::denorm_min(),
                             -Limits::denorm_min(),
                             Limits::min(),
                             -Limits::min(),
                             Limits::max(),
                             -Limits::max()};
  for (const double edge :
       {0.625, 1.0, 4.0, 88.7228, 88.7229, 87.4, 103.9, 103.98, 104.5, 709.78, 709.79, 745.1, 745.2}) {
    out.push_back(static_cast<Number>(edge));
    out.push_back(static_cast<Number>(-edge));
  }
  Random random(11);
  for (int i = 0; i < 200'000; ++i) {
    out.push_back(static_cast<Number>(low + (high - low) * random.uniform()));
    const auto magnitude = static_cast<Number>(std::pow(10.0, random.uniform() * 74 - 37));
    out.push_back(i % 2 == 0 ? magnitude : -magnitude);
  }
  return out;
}

// The largest distance in units of the last place; where infinity, NaN or zero is right nothing else will do.
template <class Number>
double worst(Compiled& code, const std::string& name, long double (*exact)(long double), double low, double high)
{
  const std::vector<Number> in = arguments<Number>(low, high);
  std::vector<Number> out(in.size());
  code.call(name, in, out);
  double largest = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double wanted = exact(static_cast<long double>(in[i]));
    const auto rounded = static_cast<Number>(wanted);
    if (std::isnan(rounded) || std::isinf(rounded) || rounded == 0) {
      EXPECT_TRUE(std::isnan(rounded) ? std::isnan(out[i]) : out[i] == rounded)
        << name << " of " << in[i] << ": " << out[i];
      continue;
    }
    const Number unit = std::nextafter(std::abs(rounded), std::numeric_limits<Number>::infinity()) - std::abs(rounded);
    const auto distance = static_cast<double>(std::abs(static_cast<long double>(out[i]) - wanted) / unit);
    EXPECT_LE(distance, 3) << name << " of " << in[i] << " is " << out[i] << " instead of " << rounded;
    if (!(distance <= 3)) {
      return distance;
    }
    largest = std::max(largest, distance);
  }
  return largest;
}

long double exact_sign(long double x)
{
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

template <class Number> void check_functions(Compiled& code)
{
  const bool wide = sizeof(Number) == 8;
  EXPECT_LE(worst<Number>(code, "exp", expl, wide ? -746 : -105, wide ? 710 : 90), 1.5);
  EXPECT_LE(worst<Number>(code, "log", logl, 0, 3), 1.5);
  EXPECT_LE(worst<Number>(code, "log1p", log1pl, -1, 3), 2.5);
  EXPECT_LE(worst<Number>(code, "tanh", tanhl, -10, 10), 3);
  EXPECT_LE(worst<Number>(code, "erf", erfl, -6.5, 6.5), 3);
  EXPECT_LE(worst<Number>(code, "sqrt", sqrtl, 0, 10), 0.51);
  EXPECT_EQ(worst<Number>(code, "floor", floorl, -100, 100), 0);
  EXPECT_EQ(worst<Number>(code, "abs", fabsl, -1, 1), 0);
  EXPECT_EQ(worst<Number>(code, "sign", exact_sign, -1, 1), 0);
}

template <class Number> void check_folds(Compiled& code)
{
  for (std::size_t count = 1; count <= 64 / sizeof(Number) / 4; ++count) {
    std::vector<Number> in;
    for (std::size_t i = 0; i < count; ++i) {
      in.push_back(static_cast<Number>(i % 3) - 5);
    }
    std::vector<Number> out(1);
    code.call("sum", in, out);
    EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), Number(0))) << count;
    code.call("largest", in, out);
    EXPECT_EQ(out[0], *std::ranges::max_element(in)) << count;
    code.call("smallest", in, out);
    EXPECT_EQ(out[0], *std::ranges::min_element(in)) << count;
  }
}

// Of four vectors; the last two of the sums are there unless a vector has only two lanes.
template <class Number> void check_sums(Compiled& code)
{
  for (std::size_t lanes = 1; lanes <= 64 / sizeof(Number) / 4; ++lanes) {
    std::vector<Number> in;
    std::vector<Number> wanted;
    for (std::size_t v = 0; v < 4; ++v) {
      for (std::size_t i = 0; i < lanes; ++i) {
        in.push_back(static_cast<Number>(v * 100 + i * i + 1));
      }
      wanted.push_back(std::accumulate(in.end() - static_cast<std::ptrdiff_t>(lanes), in.end(), Number(0)));
    }
    std::vector<Number> out = {0, 0, wanted[2], wanted[3]};
    code.call("sums", in, out);
    EXPECT_EQ(out, wanted) << lanes;
  }
}

template <class Number> void check_pieces(Compiled& code)
{
  const std::vector<Number> in = sizeof(Number) == 4 ? std::vector<Number>{1, 2, 3, 4} : std::vector<Number>{1, 2};
  std::vector<Number> out(in.size() * 64 / sizeof(Number), 0); // a vector for each, of the widest
  code.call("pieces", in, out);
  const auto lanes = static_cast<std::size_t>(std::ranges::count(out, Number(1)));
  ASSERT_GE(lanes * sizeof(Number), 16U);
  for (std::size_t at = 0; at < out.size(); ++at) {
    EXPECT_EQ(out[at], at / lanes < in.size() ? in[at / lanes] : Number(0)) << at;
  }
}

template <class Number> void check_positions(Compiled& code)
{
  const Number infinity = std::numeric_limits<Number>::infinity();
  const Number nan = std::numeric_limits<Number>::quiet_NaN();
  std::vector<Number> many(77, 1);
  many[50] = 3;
  many[60] = 3;
  const std::vector<std::pair<std::vector<Number>, std::int64_t>> cases = {
    {{5}, 0}, {{1, 2, 2}, 1}, {{nan, 1}, 1}, {{nan, nan}, -1}, {{nan, -infinity, -infinity}, 1}, {many, 50}};
  for (const auto& [in, wanted] : cases) {
    std::vector<std::int64_t> out(1);
    code.call("position", in, out);
    EXPECT_EQ(out[0], wanted);
  }
}

void check_all(const std::vector<std::string>& flags)
{
  Compiled code(flags);
  check_functions<float>(code);
  check_functions<double>(code);
  check_folds<float>(code);
  check_folds<double>(code);
  check_sums<float>(code);
  check_sums<double>(code);
  check_pieces<float>(code);
  check_pieces<double>(code);
  check_positions<float>(code);
  check_positions<double>(code);
}

TEST(VectorMath, IsCloseOnThisMachine)
{
  check_all({"-march=native", "-mprefer-vector-width=512"});
}

TEST(VectorMath, IsCloseWithAvx2)
{
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) {
    GTEST_SKIP() << "this machine has no AVX2";
  }
  check_all({"-mavx2", "-mfma"});
}

TEST(VectorMath, IsCloseWithPlainX86)
{
  check_all({"-msse2"});
}

} // namespace
} // namespace hone::backend
