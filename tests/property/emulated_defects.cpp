// emulated_defects [more]: kernels with seeded defects, each of which the emulated device must find at the right lines,
// and correct kernels, in which it must find nothing. `more`: all of them; else a few. Exits with 77 where there is no
// compiler.
//
// Every defect is one line of a kernel that is right without it (emulated/defects), and the right kernel runs too:
// without a finding and with the right result, in several orders of its warps. emulated/correct holds kernels of every
// style that kernels are written in, among them patterns that look like defects.
//
// Finds: a check that no longer looks or looks too hard; findings at wrong lines; instructions that are executed
// wrongly.
#include "compiled_cuda.h"
#include "emulated_cases.h"
#include "gate/jail.h"
#include "kernel/kernel.h"
#include "util/random.h"
#include "util/text.h"
#include "util/util.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace hone::emulated {

namespace {

std::size_t bytes_of(Type type)
{
  switch (type) {
  case Type::u8:
  case Type::s8:
    return 1;
  case Type::u16:
  case Type::f16:
  case Type::bf16:
    return 2;
  case Type::f64:
  case Type::u64:
    return 8;
  default:
    return 4;
  }
}

template <class T> T taken(const std::byte* from)
{
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

double element(Type type, const std::byte* from)
{
  switch (type) {
  case Type::u8:
    return taken<std::uint8_t>(from);
  case Type::s8:
    return taken<std::int8_t>(from);
  case Type::s32:
    return taken<std::int32_t>(from);
  case Type::u16:
    return taken<std::uint16_t>(from);
  case Type::f16:
    return static_cast<double>(taken<_Float16>(from));
  case Type::bf16:
    return std::bit_cast<float>(std::uint32_t{taken<std::uint16_t>(from)} << 16);
  case Type::f32:
    return taken<float>(from);
  case Type::f64:
    return taken<double>(from);
  case Type::u64:
    return static_cast<double>(taken<std::uint64_t>(from));
  default:
    return taken<std::uint32_t>(from);
  }
}

template <class T> void given(std::byte* to, T value)
{
  std::memcpy(to, &value, sizeof value);
}

void give(Type type, std::byte* to, double value)
{
  switch (type) {
  case Type::u8:
    return given(to, static_cast<std::uint8_t>(value));
  case Type::s8:
    return given(to, static_cast<std::int8_t>(value));
  case Type::s32:
    return given(to, static_cast<std::int32_t>(value));
  case Type::u16:
    return given(to, static_cast<std::uint16_t>(value));
  case Type::f16:
    return given(to, static_cast<_Float16>(value));
  case Type::bf16: // of few bits
    return given(to, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16));
  case Type::f32:
    return given(to, static_cast<float>(value));
  case Type::f64:
    return given(to, value);
  case Type::u64:
    return given(to, static_cast<std::uint64_t>(value));
  default:
    return given(to, static_cast<std::uint32_t>(value));
  }
}

bool is_whole(Type type)
{
  return type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
}

double filled(const Buffer& buffer, std::size_t i, Random& random)
{
  switch (buffer.fill) {
  case Fill::index:
    return static_cast<double>(i);
  case Fill::small: {
    const auto drawn = static_cast<double>(random.below(17));
    return is_whole(buffer.type) ? drawn : (drawn - 8) / (buffer.type == Type::s8 ? 1 : 8);
  }
  case Fill::ones:
    return 1;
  case Fill::unset:
    return 123;
  default:
    return 0;
  }
}

} // namespace

double View::in(std::size_t buffer, std::size_t i) const
{
  const Type type = m_buffers.at(buffer).type;
  return element(type, &m_before[buffer].at(i * bytes_of(type)));
}

double View::out(std::size_t buffer, std::size_t i) const
{
  const Type type = m_buffers.at(buffer).type;
  return element(type, m_behind.at(buffer) + i * bytes_of(type));
}

namespace {

constexpr int k_skipped = 77, k_orders = 3;
constexpr std::size_t k_most_findings = 64;
constexpr std::string_view k_kernel_mark = "KERNEL(", k_defect_mark = "// defect";

fs::path path_of(const std::string& file)
{
  return fs::path(HONE_SOURCE_ROOT) / "tests/property/emulated" / file;
}

// Programs, each compiled once.
class Programs {
public:
  Result<const emulate::Program*> find(const std::string& file, int defect)
  {
    const auto key = std::pair(file, defect);
    if (const auto found = m_programs.find(key); found != m_programs.end()) {
      return &found->second;
    }
    HONE_TRY(const std::string ptx, compiled(file, defect));
    HONE_TRY(emulate::Program program, emulate::Program::load(ptx));
    return &m_programs.emplace(key, std::move(program)).first->second;
  }

private:
  static Result<std::string> compiled(const std::string& file, int defect)
  {
    HONE_TRY(const std::string helpers, read_file(path_of("helpers.h")));
    HONE_TRY(std::string text, read_file(path_of(file + ".cu")));
    return compiled_cuda(std::move(text), "sm_90a", fmt::format("#define DEFECT {}\n{}", defect, helpers));
  }

  std::map<std::pair<std::string, int>, emulate::Program> m_programs;
};

struct Ran {
  emulate::LaunchResult result;
  std::string wrong; // "": the results are right
};

template <class T> void append(std::vector<std::byte>& out, const T& value)
{
  out.resize((out.size() + sizeof value - 1) / sizeof value * sizeof value);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

Result<std::vector<emulate::TensorMapBytes>> maps_of(const Launch& launch, const std::vector<std::uintptr_t>& begins)
{
  std::vector<emulate::TensorMapBytes> out;
  for (const MapOf& one : launch.maps) {
    emulate::TensorMap map;
    map.type = one.type;
    map.rank = static_cast<int>(one.sizes.size());
    map.swizzle = one.swizzle;
    map.address = begins[one.buffer] + one.begin * map.element_bytes();
    std::uint64_t stride = map.element_bytes();
    for (std::size_t i = 0; i < one.sizes.size(); ++i) {
      map.sizes.at(i) = one.sizes[i];
      map.box.at(i) = one.box[i];
      stride *= one.sizes[i];
      if (i + 1 < one.sizes.size()) {
        map.strides.at(i) = stride;
      }
    }
    HONE_TRY(const emulate::TensorMapBytes bytes, emulate::encode(map));
    out.push_back(bytes);
  }
  return out;
}

Result<Ran> run(const emulate::Program& program, const Case& one, const std::vector<int>& integers)
{
  emulate::GlobalMemory memory;
  Random random(5);
  std::vector<std::uintptr_t> begins;
  std::vector<std::vector<std::byte>> before;
  std::vector<const std::byte*> behind;
  for (const Buffer& buffer : one.launch.buffers) {
    const std::size_t each = bytes_of(buffer.type);
    std::vector<std::byte> bytes(each * buffer.count);
    for (std::size_t i = 0; i < buffer.count; ++i) {
      give(buffer.type, &bytes[i * each], filled(buffer, i, random));
    }
    begins.push_back(memory.allocate(bytes.size()));
    std::memcpy(reinterpret_cast<void*>(begins.back()), bytes.data(), bytes.size());
    before.push_back(std::move(bytes));
    behind.push_back(reinterpret_cast<const std::byte*>(begins.back()));
  }
  HONE_TRY(const std::vector<emulate::TensorMapBytes> maps, maps_of(one.launch, begins));
  emulate::LaunchRequest request;
  if (one.launch.maps_by_value) {
    for (const emulate::TensorMapBytes& map : maps) {
      request.parameters.insert(request.parameters.end(), map.begin(), map.end());
    }
  }
  for (const std::uintptr_t begin : begins) {
    append(request.parameters, std::uint64_t{begin});
  }
  if (!maps.empty() && !one.launch.maps_by_value) {
    const std::uintptr_t at = memory.allocate(maps.size() * emulate::k_tensor_map_bytes);
    std::memcpy(reinterpret_cast<void*>(at), maps.data(), maps.size() * emulate::k_tensor_map_bytes);
    append(request.parameters, std::uint64_t{at});
  }
  for (const int integer : integers) {
    append(request.parameters, integer);
  }
  request.program = &program;
  request.entry = one.name;
  request.grid = one.launch.grid;
  request.block = one.launch.block;
  request.cluster = one.launch.cluster;
  request.cooperative = one.launch.cooperative;
  request.resident = one.launch.resident;
  request.dynamic_shared_bytes = one.launch.dynamic_shared_bytes;
  request.most_instructions = 3'000'000;
  request.most_findings = k_most_findings;
  Ran out{emulate::explore(request, memory, k_orders), ""};
  const View view(one.launch.buffers, std::move(before), std::move(behind), integers);
  for (const Wanted& wanted : one.wanted) {
    for (std::size_t i = 0; i < one.launch.buffers[wanted.buffer].count && out.wrong.empty(); ++i) {
      const double value = wanted.value(view, i), got = view.out(wanted.buffer, i);
      if (!(std::abs(value - got) <= wanted.tolerance)) {
        out.wrong = fmt::format("element {} of buffer {} is {}, not {}", i, wanted.buffer, got, value);
      }
    }
  }
  return out;
}

std::string all_of(const std::vector<emulate::Finding>& findings)
{
  std::string out;
  for (const emulate::Finding& finding : findings) {
    out += "\n    " + finding.text;
  }
  return out;
}

// Lines of a kernel by what a mark calls them: "// defect: store", or "// defect 2: store" for defect 2 alone.
std::map<std::string, std::set<int>> marks_of(const std::string& text, const std::string& kernel, int defect)
{
  std::map<std::string, std::set<int>> out;
  bool is_inside = false;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.starts_with(k_kernel_mark)) {
      is_inside = line.contains(" " + kernel + "(");
    }
    for (std::size_t at = line.find(k_defect_mark); is_inside && at != std::string::npos;
         at = line.find(k_defect_mark, at + 1)) {
      const std::size_t colon = line.find(':', at), end = std::min(line.find(" //", colon), line.size());
      const std::string which(trim(line.substr(at + k_defect_mark.size(), colon - at - k_defect_mark.size())));
      if (which.empty() || which == std::to_string(defect)) {
        out[std::string(trim(line.substr(colon + 1, end - colon - 1)))].insert(number);
      }
    }
  }
  return out;
}

bool is_wanted(const emulate::Finding& finding, const Defect& defect, const std::map<std::string, std::set<int>>& marks)
{
  return std::ranges::find(defect.kinds, finding.kind) != defect.kinds.end()
         && std::ranges::all_of(marks, [&](const auto& mark) {
              return mark.second.contains(finding.place.line) || mark.second.contains(finding.other.line);
            });
}

struct Counted {
  std::map<std::string, std::array<int, 2>> defects; // by group: found, known misses
  int correct = 0, variants = 0, failed = 0;
};

const std::vector<int>& integers_of(const Case& one, const Defect& defect)
{
  return defect.other_integers.empty() ? one.launch.integers : defect.other_integers;
}

// "": nothing is found, and the results are right.
Result<std::string> wrong_in_right(const emulate::Program& program, const Case& one, const std::vector<int>& integers)
{
  HONE_TRY(const Ran ran, run(program, one, integers));
  return !ran.result.findings.empty() ? all_of(ran.result.findings)
         : !ran.result.finished       ? "it does not come to its end"
                                      : ran.wrong;
}

Result<std::string> wrong_in_defect(const emulate::Program& program, const Case& one, const Defect& defect)
{
  for (const std::vector<int>& integers : one.hidden) {
    HONE_TRY(const std::string shown, wrong_in_right(program, one, integers));
    if (!shown.empty()) {
      return fmt::format("with {} it shows though it must not: {}", integers, shown);
    }
  }
  HONE_TRY(const Ran ran, run(program, one, integers_of(one, defect)));
  HONE_TRY(const std::string text, read_file(path_of(one.file + ".cu")));
  const auto marks = marks_of(text, one.name, defect.number);
  if (marks.empty() && !defect.wrong_result) {
    return "no line is marked";
  }
  const bool is_found = std::ranges::any_of(
    ran.result.findings, [&](const emulate::Finding& finding) { return is_wanted(finding, defect, marks); });
  if (is_found || (defect.wrong_result && ran.result.findings.empty() && !ran.wrong.empty())) {
    return "";
  }
  std::string places;
  for (const auto& [name, lines] : marks) {
    places += fmt::format(" {} at {}", name, fmt::join(lines, "|"));
  }
  return fmt::format("not found:{}; results: {}; findings: {}", places, ran.wrong.empty() ? "right" : ran.wrong,
                     all_of(ran.result.findings));
}

void say(const std::string& name, const std::string& wrong, Counted& counted)
{
  counted.failed += wrong.empty() ? 0 : 1;
  if (!wrong.empty()) {
    fmt::print("{}: {}\n", name, wrong);
  }
}

std::string text_of(const Result<std::string>& wrong)
{
  return wrong ? *wrong : wrong.error().text();
}

void check_right(Programs& programs, const Case& one, Counted& counted)
{
  const auto program = programs.find(one.file, 0);
  if (!program) {
    return say(one.file + " " + one.name, program.error().text(), counted);
  }
  std::string wrong = text_of(wrong_in_right(**program, one, one.launch.integers));
  for (const std::vector<int>& integers : one.more_integers) {
    wrong += text_of(wrong_in_right(**program, one, integers));
  }
  const std::map<std::string, std::string> faults = known_faults();
  if (const auto fault = faults.find(one.file + " " + one.name); fault != faults.end()) {
    fmt::print("{} {}: known fault: {}\n", one.file, one.name, fault->second);
    wrong = wrong.empty() ? "it is right by now: take it out of known_faults()" : "";
    return say(one.file + " " + one.name, wrong, counted);
  }
  (one.defects.empty() ? counted.correct : counted.variants) += wrong.empty() ? 1 : 0;
  say(one.file + " " + one.name, wrong, counted);
}

void check_defect(Programs& programs, const Case& one, const Defect& defect, Counted& counted)
{
  const std::string name = fmt::format("{} {} with defect {}", one.file, one.name, defect.number);
  const auto program = programs.find(one.file, defect.number);
  if (!program) {
    return say(name, program.error().text(), counted);
  }
  const std::string wrong = text_of(wrong_in_defect(**program, one, defect));
  if (!defect.known_miss.empty()) {
    ++counted.defects[defect.group][1];
    fmt::print("{}: known not to be found: {}\n", name, defect.known_miss);
    return say(name, wrong.empty() ? "it is found by now: take known_miss out of the table" : "", counted);
  }
  counted.defects[defect.group][0] += wrong.empty() ? 1 : 0;
  say(name, wrong, counted);
}

} // namespace

} // namespace hone::emulated

int main(int argc, char** argv)
{
  using namespace hone;
  using namespace hone::emulated;
  if (const auto ready = backend::check_device_compiler("cuda"); !ready) {
    fmt::print("skipped: {}\n", ready.error().text());
    return k_skipped;
  }
  const std::string which = argc > 1 ? argv[1] : "";
  const bool all = which == "more";
  Programs programs;
  Counted counted;
  std::vector<Case> cases = defect_cases();
  std::ranges::move(correct_cases(), std::back_inserter(cases));
  for (const Case& one : cases) {
    const bool is_named = !which.empty() && (one.file + " " + one.name).contains(which);
    const bool is_quick = which.empty() && (one.quick || std::ranges::any_of(one.defects, &Defect::quick));
    if (!all && !is_named && !is_quick) {
      continue;
    }
    check_right(programs, one, counted);
    for (const Defect& defect : one.defects) {
      if (all || is_named || defect.quick) {
        check_defect(programs, one, defect, counted);
      }
    }
  }
  int found = 0, missed = 0;
  for (const auto& [group, numbers] : counted.defects) {
    fmt::print("{}: {} found, {} known not to be found\n", group, numbers[0], numbers[1]);
    found += numbers[0];
    missed += numbers[1];
  }
  fmt::print(
    "{} defects found, {} known not to be found; right without them: {}; correct kernels without a finding: {}; "
    "failed: {}\n",
    found, missed, counted.variants, counted.correct, counted.failed);
  return counted.failed == 0 ? 0 : 1;
}
