#include "ship/check_text.h"
#include "ship/described.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

// C and C++ at a time.
constexpr const char* k_example = R"c(// Measures @fn@() at @sizes@, beside what the record says.
//
//   record: cold @cold@; hot @hot@
//   @where@
//
// Cold: operands lie in memory (sets of arrays by turns, together larger than the caches). Hot: in the caches, as far as
// they fit. Times are medians; laying weights out ahead, where there is any, is not in them.
// Hone measures in a locked process and against a second one; this is a plain program, so a busy machine shows.
#define _POSIX_C_SOURCE 200112L
#include "@fn@.h"

#ifndef @FN@_THREADS
#define @FN@_THREADS 1 // as @fn@.@ext@ was compiled
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b)
{
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void* array(size_t bytes)
{
  void* out = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (out == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return out;
}

static unsigned seed = 1;
static double uniform(void)
{
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / 16777216.0;
}

struct set {
  void* data[@count@];
  void* prepared;
};

static void* work;

static void give_up(int status)
{
  if (status != @FN@_OK) {
    fprintf(stderr, "@fn@ returned %d\n", status);
    exit(1);
  }
}

static struct set make_set(void)
{
  struct set out;
@make@  out.prepared = NULL;
@prepare@  return out;
}

static void call(const struct set* s)
{
  give_up(@call@);
}

static double median(struct set* sets, int count, double seconds)
{
  static double times[10000];
  int calls = 0;
  const double end = now() + seconds;
  while (calls < 10000 && (calls < 5 || now() < end)) {
    const double start = now();
    call(&sets[calls % count]);
    times[calls++] = now() - start;
  }
  qsort(times, (size_t)calls, sizeof times[0], by_size);
  return times[calls / 2];
}

static void tell(const char* what, double seconds, double record)
{
  printf("%-5s %11.3f us", what, seconds * 1e6);
  if (@flops@ > 0) {
    printf("  %9.2f GFLOP/s", @flops@ / seconds * 1e-9);
  }
  if (record > 0) {
    printf("   record %11.3f us   %.2fx its speed", record * 1e6, record / seconds);
  }
  printf("\n");
}

int main(void)
{
  if (!@fn@_supported()) {
    printf("this processor lacks instructions that @fn@ was compiled for\n");
    return 1;
  }
  enum { most = 64 };
  static struct set sets[most];
  int count = @sets@;
  work = array(@fn@_work_bytes(@given@) + 1);
  for (int i = 0; i < count; ++i) {
    sets[i] = make_set();
    call(&sets[i]);
  }
  printf("@fn@ at @sizes@, %d thread(s)\n", @FN@_THREADS);
  tell("cold", median(sets, count, 1.0), @cold s@);
  tell("hot", median(sets, 1, 1.0), @hot s@);
  return 0;
}
)c";

// s.data[0] = array(...); for (...) ((float*)...)[i] = ...;
Result<std::string> making(const ExportContext& names, double& bytes)
{
  std::string out;
  for (std::size_t i = 0; i < names.kernel().arguments.size(); ++i) {
    const kernel::Argument& argument = names.kernel().arguments[i];
    HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, names.request.sizes));
    HONE_TRY(const kernel::Domain domain, kernel::domain_of(argument, names.request.sizes));
    const bool whole = !kernel::is_float(argument.type);
    const double low = domain.is_finite() ? domain.low : std::max(domain.low, whole ? 0.0 : -1.0);
    const double high = domain.is_finite() ? domain.high : std::min(domain.high, std::max(low + 1, 1.0));
    const std::string type = public_type(argument.type);
    std::string value = fmt::format("{} + {} * uniform()", low, high - low);
    value = argument.type == kernel::DataType::bf16  ? "0x3f00 + uniform() * 0x80" // 0.5 to 1
            : argument.type == kernel::DataType::f16 ? "0x3800 + uniform() * 0x400"
            : whole                                  ? fmt::format("floor({} + {} * uniform())", low, high - low + 1)
                                                     : value;
    if (argument.matrix != kernel::MatrixForm::any) { // the same in each row: its values do not matter to the time
      HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, names.request.sizes));
      value = fmt::format("i % {0}u == i / {0}u % {0}u ? 2.0 * {0} : 0.5", shape.back());
    }
    if (argument.rising) {
      HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, names.request.sizes));
      const std::int64_t last = std::max<std::int64_t>(shape.back() - 1, 1);
      value = fmt::format("floor({} + {} * (double)(i % {}u) / {})", low, high - low, shape.back(), last);
    }
    value = argument.type == kernel::DataType::boolean ? "uniform() < 0.5" : fmt::format("({})({})", type, value);
    out += fmt::format("  out.data[{0}] = array({1}u * sizeof({2}));\n  for (size_t i = 0; i < {1}u; ++i) {{\n"
                       "    (({2}*)out.data[{0}])[i] = {3};\n  }}\n",
                       i, elements, type, value);
    bytes += static_cast<double>(elements) * static_cast<double>(kernel::size_of(argument.type));
  }
  return out;
}

std::string calling(const ExportContext& names)
{
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.kernel().arguments.size(); ++i) {
    out.push_back(typed_argument(names.kernel().arguments[i], fmt::format("s->data[{}]", i)));
  }
  for (const std::string& symbol : names.kernel().symbols) {
    out.push_back(std::to_string(names.request.sizes.at(symbol)));
  }
  if (names.prepares()) {
    out.emplace_back("s->prepared");
  }
  out.emplace_back("work");
  return fmt::format("{}_with({})", names.function, join(out, ", "));
}

std::string given_sizes(const ExportContext& names)
{
  std::vector<std::string> out;
  for (const std::string& symbol : names.kernel().symbols) {
    out.push_back(std::to_string(names.request.sizes.at(symbol)));
  }
  return join(out, ", ");
}

std::string preparing(const ExportContext& names)
{
  if (!names.prepares()) {
    return "";
  }
  std::string out;
  for (std::size_t i = 0; i < names.kernel().arguments.size(); ++i) {
    const kernel::Argument& argument = names.kernel().arguments[i];
    out += argument.role == kernel::Role::weight ? typed_argument(argument, fmt::format("out.data[{}]", i)) + ", " : "";
  }
  const std::string sizes = given_sizes(names);
  return fmt::format(
    "  out.prepared = array({0}_prepared_bytes({1}));\n  give_up({0}_prepare({2}{1}, out.prepared));\n", names.function,
    sizes, out);
}

} // namespace

Result<std::string> example_text(const ExportContext& names)
{
  double bytes = 0;
  HONE_TRY(const std::string make, making(names, bytes));
  const auto fact = names.request.device_facts.find("device.l3");
  const double cache = fact == names.request.device_facts.end() ? 64e6 : static_cast<double>(fact->second);
  const double sets = std::clamp(std::min(3 * cache, 512e6) / std::max(bytes, 1.0) + 1, 2.0, 64.0);
  const StandaloneRecord& record = names.request.record;
  const std::string where = record.time_utc.empty()
                              ? "no record"
                              : fmt::format("{} on {}, {} thread{}", record.time_utc, record.device, record.threads,
                                            record.threads == 1 ? "" : "s");
  return filled(k_example, {{"fn", names.function},
                            {"FN", names.macro},
                            {"ext", names.extension()},
                            {"given", given_sizes(names)},
                            {"prepare", preparing(names)},
                            {"sizes", kernel::to_text(names.request.sizes)},
                            {"cold", speed_text(names, record.cold_s)},
                            {"hot", speed_text(names, record.hot_s)},
                            {"cold s", fmt::format("{}", record.cold_s)},
                            {"hot s", fmt::format("{}", record.hot_s)},
                            {"where", where},
                            {"count", std::to_string(names.kernel().arguments.size())},
                            {"make", make},
                            {"call", calling(names)},
                            {"flops", fmt::format("{:.1f}", flops_of(names))},
                            {"sets", std::to_string(static_cast<int>(sets))}});
}

} // namespace hone::ship
