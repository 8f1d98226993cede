// gpu_bench time: every step's candidate beside the best algorithm of cuBLASLt, for each type and size in one process:
// shuffled rounds, another cache line everywhere before each sample, events of the device inside the host's clock.
#include "cases.h"
#include "commands.h"
#include "cublaslt.h"
#include "launch_lists.h"
#include "supervisor.h"
#include "values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

namespace hone::gpu_bench {

namespace {

constexpr std::size_t k_period = 1048573; // elements after which operands repeat: a prime
constexpr std::size_t k_workspace = std::size_t{64} << 20;
constexpr int k_verified = 48;        // elements of each contestant's result
constexpr double k_too_slow_s = 0.15; // of a call: such candidates are left out at the next size
constexpr int k_least_rounds = 5, k_most_rounds = 31;
constexpr double k_most_times_slower = 2; // a tuning point than its candidate's best, before the rounds

struct Group {
  Type type = Type::f32;
  long long size = 0;
  std::vector<const Case*> cases;
};

struct Interval {
  double median = 0, low = 0, high = 0;
};

// Of the median, 95 %, by order statistics; of few samples their whole range.
Interval interval_of(std::vector<double> values)
{
  if (values.empty()) {
    return {};
  }
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const double half = 0.98 * std::sqrt(count);
  const auto at = [&](double index) { return values[static_cast<std::size_t>(std::clamp(index, 0.0, count - 1))]; };
  return {values[values.size() / 2], at(std::floor(count / 2 - half)), at(std::ceil(count / 2 + half) - 1)};
}

struct Contestant {
  std::string name;
  std::unique_ptr<Loaded> loaded; // or
  std::size_t algorithm = 0;      // of cuBLASLt
  bool is_library = false;
  double quick_s = 0;   // least of the samples before the rounds
  double error = 0;     // largest, over its bound
  std::string left_out; // why
  int rounds = 0;
  std::map<int, double> samples; // round -> seconds
  std::vector<double> clocks;
  int outside_host = 0; // samples whose events say more than the host's clock
};

// What earlier sizes told, by name of type and candidate.
struct Memory {
  std::map<std::string, double> seconds; // of a tuning point
  std::map<std::string, double> best;    // of a candidate
};

class Race {
public:
  Race(const Device& device, const Options& options, Group& group, Memory& memory, double limit_s, std::FILE* samples)
    : m_device(device), m_options(options), m_group(group), m_memory(memory), m_limit_s(limit_s), m_begun(now()),
      m_samples(samples), m_clocks(device.pci()), m_a(device), m_b(device), m_c(device), m_flush(device),
      m_workspace(device)
  {
  }

  // What went wrong with the whole group, or "".
  std::string run(std::FILE* out)
  {
    if (std::string wrong = make_buffers(); !wrong.empty()) {
      return wrong;
    }
    if (std::string wrong = enter_all(); !wrong.empty()) {
      return wrong;
    }
    choose();
    rounds();
    report(out);
    return "";
  }

private:
  std::string make_buffers()
  {
    const auto size = static_cast<std::size_t>(m_group.size);
    const std::size_t each = size_of(m_group.type), bytes = size * size * each;
    const std::size_t l2 = static_cast<std::size_t>(std::max(m_device.attribute(k_l2_bytes), 1 << 20));
    std::string wrong = m_a.make(bytes);
    wrong = wrong.empty() ? m_b.make(bytes) : wrong;
    wrong = wrong.empty() ? m_c.make(bytes) : wrong;
    wrong = wrong.empty() ? m_flush.make(m_device.is_emulated() ? 1024 : 4 * l2) : wrong;
    wrong = wrong.empty() ? m_workspace.make(m_device.is_emulated() ? 1024 : k_workspace) : wrong;
    if (!wrong.empty()) {
      return wrong;
    }
    for (const std::size_t t : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::byte>& block = m_blocks[t];
      const std::size_t count = std::min(k_period, size * size);
      block.resize(count * each);
      for (std::size_t i = 0; i < count; ++i) {
        set_value(block.data() + i * each, m_group.type, many_bits(t, i));
      }
      std::vector<std::byte> whole(bytes);
      for (std::size_t at = 0; at < bytes; at += block.size()) {
        std::copy_n(block.begin(), std::min(block.size(), bytes - at), whole.begin() + static_cast<std::ptrdiff_t>(at));
      }
      const Result code = m_device.api().to_device((t == 0 ? m_a : m_b).at(), whole.data(), bytes);
      if (code != k_success) {
        return m_device.trouble("operands could not be written", code);
      }
    }
    std::vector<std::size_t> scratch;
    for (const Case* const one : m_group.cases) {
      scratch.resize(std::max(scratch.size(), one->scratch.size()));
      for (std::size_t i = 0; i < one->scratch.size(); ++i) {
        scratch[i] = std::max(scratch[i], one->scratch[i]);
      }
    }
    for (const std::size_t one : scratch) { // the same for all: they run one after the other
      m_scratch.push_back(std::make_unique<Buffer>(m_device));
      if (std::string trouble = m_scratch.back()->make(one); !trouble.empty()) {
        return trouble;
      }
      m_scratch_at.push_back(m_scratch.back()->at());
    }
    if (m_device.api().make_event != nullptr) {
      m_device.api().make_event(&m_event_begin, 0);
      m_device.api().make_event(&m_event_end, 0);
    }
    expect();
    return "";
  }

  double operand(std::size_t tensor, std::size_t index) const
  {
    const std::size_t each = size_of(m_group.type);
    return value_at(m_blocks[tensor].data() + index % (m_blocks[tensor].size() / each) * each, m_group.type);
  }

  // Sums in f64 of some elements, those of the corners among them.
  void expect()
  {
    const auto size = static_cast<std::size_t>(m_group.size);
    for (int i = 0; i < k_verified; ++i) {
      const std::size_t row = i < 4 ? (i / 2) * (size - 1) : bits_of(5, static_cast<std::size_t>(i)) % size;
      const std::size_t column = i < 4 ? (i % 2) * (size - 1) : bits_of(6, static_cast<std::size_t>(i)) % size;
      double sum = 0, sizes = 0;
      for (std::size_t p = 0; p < size; ++p) {
        const double term = operand(0, row * size + p) * operand(1, p * size + column);
        sum += term;
        sizes += std::abs(term);
      }
      m_places.push_back(row * size + column);
      m_values.push_back(sum);
      m_bounds.push_back(roundoff(m_group.type) * std::abs(sum) * 1.01 + roundoff(Type::f32) * sizes * 64);
    }
  }

  std::string enter_all()
  {
    m_library_said = m_device.is_emulated() ? "not on the emulated device" : m_library.open(m_options.cublaslt);
    if (m_library_said.empty()) {
      m_library_said = m_library.prepare(m_group.type, m_group.size, m_group.size, m_group.size, m_a.at(), m_b.at(),
                                         m_c.at(), m_workspace.at(), m_workspace.bytes());
    }
    for (std::size_t i = 0; m_library_said.empty() && i < m_library.algorithms(); ++i) {
      Contestant& one = m_all.emplace_back();
      one.name = "cublaslt." + std::to_string(i);
      one.is_library = true;
      one.algorithm = i;
    }
    for (const Case* const of : m_group.cases) {
      Contestant& one = m_all.emplace_back();
      one.name = of->name;
      one.loaded = std::make_unique<Loaded>(m_device, *of);
      one.left_out = too_slow(*of);
      if (one.left_out.empty()) {
        one.left_out = one.loaded->load(m_options.lists, {m_a.at(), m_b.at(), m_c.at()}, m_scratch_at);
      }
    }
    for (Contestant& one : m_all) { // a first look at each
      if (!one.left_out.empty()) {
        continue;
      }
      if (now() - m_begun > 0.6 * m_limit_s) {
        one.left_out = "out of time";
        continue;
      }
      if (std::string wrong = first_look(one); !wrong.empty()) {
        one.left_out = wrong;
        if (const Result code = m_device.api().synchronize(); code != k_success) {
          return one.name + ": " + wrong;
        }
      }
    }
    return "";
  }

  std::string key_of(const Case& one, bool point) const
  {
    return std::string(name_of(m_group.type)) + " " + (point ? one.name : one.candidate());
  }

  std::string too_slow(const Case& one) const
  {
    const auto before = m_memory.seconds.find(key_of(one, true));
    const auto best = m_memory.best.find(key_of(one, false));
    if (before == m_memory.seconds.end() || best == m_memory.best.end()) {
      return "";
    }
    if (8 * before->second > k_too_slow_s) {
      return "too slow at the size before";
    }
    return before->second > k_most_times_slower * best->second ? "another tuning point is better" : "";
  }

  std::string first_look(Contestant& one)
  {
    m_device.api().set_bytes(m_c.at(), 0xff, m_c.bytes());
    double seconds = 0;
    if (std::string wrong = sample(one, seconds); !wrong.empty()) {
      return wrong;
    }
    if (std::string wrong = verify(one); !wrong.empty()) {
      return wrong;
    }
    one.quick_s = seconds;
    for (int i = 0; i < 2 && seconds < k_too_slow_s && !m_device.is_emulated(); ++i) {
      if (std::string wrong = sample(one, seconds); !wrong.empty()) {
        return wrong;
      }
      one.quick_s = std::min(one.quick_s, seconds);
    }
    return "";
  }

  std::string verify(Contestant& one) const
  {
    const std::size_t each = size_of(m_group.type);
    for (std::size_t i = 0; i < m_places.size(); ++i) {
      std::byte bytes[8] = {};
      if (const Result code = m_device.api().to_host(bytes, m_c.at() + m_places[i] * each, each); code != k_success) {
        return m_device.trouble("a result could not be read", code);
      }
      const double got = value_at(bytes, m_group.type);
      const double share = std::isfinite(got) ? std::abs(got - m_values[i]) / std::max(m_bounds[i], 1e-300) : 1e30;
      one.error = std::max(one.error, share);
    }
    return one.error <= 1 || one.is_library ? "" : "wrong: an error is " + std::to_string(one.error) + " of its bound";
  }

  // Seconds by the device's events. What stood in caches is gone, lines that were to persist too.
  std::string sample(Contestant& one, double& seconds)
  {
    const Driver& api = m_device.api();
    const double begin = now();
    if (api.reset_persisting != nullptr) {
      api.reset_persisting();
    }
    if (api.set_words_later != nullptr) { // it also keeps the stream busy while the launch is on its way
      api.set_words_later(m_flush.at(), ++m_turn, m_flush.bytes() / 4, nullptr);
    }
    if (m_event_begin != nullptr) {
      api.record_event(m_event_begin, nullptr);
    }
    std::string wrong = one.is_library ? m_library.run(one.algorithm) : one.loaded->launch();
    if (m_event_end != nullptr) {
      api.record_event(m_event_end, nullptr);
    }
    const Result code = api.synchronize();
    const double host_s = now() - begin;
    if (!wrong.empty() || code != k_success) {
      return wrong.empty() ? m_device.trouble("a launch did not finish", code) : wrong;
    }
    seconds = host_s;
    if (m_event_end != nullptr) {
      float ms = 0;
      api.elapsed(&ms, m_event_begin, m_event_end);
      seconds = ms / 1000.0;
      one.outside_host += seconds > host_s ? 1 : 0;
    }
    if (const unsigned mhz = m_clocks.mhz(); mhz > 0) {
      one.clocks.push_back(mhz);
    }
    return "";
  }

  // Who takes part: of each candidate the best point, of the library the three best algorithms.
  void choose()
  {
    std::map<std::string, Contestant*> best;
    std::vector<Contestant*> library;
    for (Contestant& one : m_all) {
      if (!one.left_out.empty()) {
        continue;
      }
      if (one.is_library) {
        library.push_back(&one);
        continue;
      }
      m_memory.seconds[key_of(one.loaded->of(), true)] = one.quick_s;
      Contestant*& first = best[one.loaded->of().candidate()];
      Contestant* const worse = first != nullptr && first->quick_s <= one.quick_s ? &one : first;
      if (worse != nullptr) {
        worse->left_out = "another tuning point is better";
      }
      first = worse == &one ? first : &one;
      m_memory.best[key_of(one.loaded->of(), false)] = first->quick_s;
    }
    std::ranges::sort(library, {}, &Contestant::quick_s);
    for (std::size_t i = 3; i < library.size(); ++i) {
      library[i]->left_out = "another algorithm is better";
    }
    std::size_t count = 0;
    for (const Contestant& one : m_all) {
      count += one.left_out.empty() ? 1 : 0;
    }
    const double share =
      std::max(0.0, m_limit_s - (now() - m_begun)) * 0.9 / static_cast<double>(std::max<std::size_t>(count, 1));
    for (Contestant& one : m_all) {
      const double each = one.quick_s + 0.0004; // with the flush
      one.rounds = m_device.is_emulated() ? 1
                   : one.is_library       ? k_most_rounds
                                          : std::clamp(static_cast<int>(share / each), k_least_rounds, k_most_rounds);
    }
  }

  void rounds()
  {
    std::mt19937_64 random(m_group.size);
    for (int round = 0; round < k_most_rounds; ++round) {
      std::vector<Contestant*> order;
      for (Contestant& one : m_all) {
        if (one.left_out.empty() && round < one.rounds) {
          order.push_back(&one);
        }
      }
      std::ranges::shuffle(order, random);
      for (Contestant* const one : order) {
        if (now() - m_begun > m_limit_s && round >= k_least_rounds) {
          return;
        }
        double seconds = 0;
        if (const std::string wrong = sample(*one, seconds); !wrong.empty()) {
          one->left_out = wrong;
          continue;
        }
        one->samples[round] = seconds;
        if (m_samples != nullptr && !m_device.is_emulated()) {
          std::fprintf(m_samples, "%s\t%lld\t%s\t%d\t%.9g\t%.0f\n", name_of(m_group.type), m_group.size,
                       one->name.c_str(), round, seconds, one->clocks.empty() ? 0 : one->clocks.back());
        }
      }
    }
  }

  static std::vector<double> values_of(const Contestant& one)
  {
    std::vector<double> out;
    for (const auto& [round, seconds] : one.samples) {
      out.push_back(seconds);
    }
    return out;
  }

  void report(std::FILE* out) const
  {
    const Contestant* library = nullptr;
    for (const Contestant& one : m_all) {
      if (one.is_library && !one.samples.empty()
          && (library == nullptr || interval_of(values_of(one)).median < interval_of(values_of(*library)).median)) {
        library = &one;
      }
    }
    for (const Contestant& one : m_all) {
      const Case* const of = one.is_library ? nullptr : &one.loaded->of();
      std::fprintf(out, "%s\t%lld\t%s\t%s\t%s\t%d\t%d", name_of(m_group.type), m_group.size, one.name.c_str(),
                   of == nullptr ? "" : of->steps.c_str(), of == nullptr ? "" : of->point.c_str(),
                   of == nullptr ? 0 : of->registers, of == nullptr ? 0 : of->spilled_bytes);
      if (one.samples.empty() || m_device.is_emulated()) {
        const std::string text = one.samples.empty() ? one.left_out : "executed, not timed";
        std::fprintf(out, "\t%zu\t\t\t\t\t\t\t\t\t\t%.3g\t%s%s\n", one.samples.size(), one.error, text.c_str(),
                     one.quick_s > 0 && !m_device.is_emulated()
                       ? (", first look " + std::to_string(one.quick_s * 1e6) + " us").c_str()
                       : "");
        continue;
      }
      const Interval time = interval_of(values_of(one)), clock = interval_of(one.clocks);
      std::vector<double> ratios; // within a round, so that clocks are alike
      for (const auto& [round, seconds] : one.samples) {
        if (library != nullptr && library->samples.contains(round)) {
          ratios.push_back(library->samples.at(round) / seconds);
        }
      }
      const Interval ratio = interval_of(ratios);
      const double work = 2.0 * std::pow(static_cast<double>(m_group.size), 3);
      std::fprintf(out, "\t%zu\t%.3f\t%.3f\t%.3f\t%.2f\t%.4f\t%.4f\t%.4f\t%.0f\t%.0f\t%.3g\t%s%s\n", one.samples.size(),
                   time.median * 1e6, time.low * 1e6, time.high * 1e6, work / time.median / 1e12, ratio.median,
                   ratio.low, ratio.high, clock.median, one.clocks.empty() ? 0 : *std::ranges::min_element(one.clocks),
                   one.error, &one == library ? "the best of cuBLASLt" : one.left_out.c_str(),
                   one.outside_host > 0 ? ", events say more than the host's clock" : "");
    }
    if (!m_library_said.empty()) {
      std::fprintf(out, "%s\t%lld\tcublaslt\t\t\t\t\t0\t\t\t\t\t\t\t\t\t\t\t%s\n", name_of(m_group.type), m_group.size,
                   m_library_said.c_str());
    }
    std::fflush(out);
  }

  const Device& m_device;
  const Options& m_options;
  Group& m_group;
  Memory& m_memory;
  double m_limit_s, m_begun;
  std::FILE* m_samples;
  Clocks m_clocks;
  Buffer m_a, m_b, m_c, m_flush, m_workspace;
  std::vector<std::unique_ptr<Buffer>> m_scratch;
  std::vector<Address> m_scratch_at;
  std::vector<std::byte> m_blocks[2];
  std::vector<std::size_t> m_places;
  std::vector<double> m_values, m_bounds;
  CublasLt m_library;
  std::string m_library_said;
  std::vector<Contestant> m_all;
  Handle m_event_begin = nullptr, m_event_end = nullptr;
  unsigned m_turn = 0;
};

// Candidates at tuning points that `check` found something wrong with.
std::set<std::string> refused_by(const std::string& file)
{
  std::set<std::string> out;
  std::string text;
  if (file.empty() || !read_whole(file, text)) {
    return out;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name, field, status;
    std::getline(fields, name, '\t');
    for (int i = 0; i < 5; ++i) {
      std::getline(fields, i == 4 ? status : field, '\t');
    }
    if (status == "wrong" || status == "fault" || status == "hang") {
      out.insert(name);
    }
  }
  return out;
}

} // namespace

int time_all(const Options& options)
{
  std::string arch;
  std::vector<Case> all;
  if (!read_cases(options, arch, all)) {
    return 2;
  }
  constexpr long long k_tiny = 64;
  const std::set<std::string> refused = refused_by(options.except);
  std::map<std::pair<long long, Type>, Group> groups; // small sizes first: they say who is too slow for large ones
  std::map<std::string, int> names;
  std::set<std::string> taking_part;
  for (const Case& one : all) {
    if (one.purpose != "time" || (one.m == k_tiny) != options.tiny || one.name.find(options.only) == std::string::npos
        || refused.contains(one.name)) {
      continue;
    }
    const int number = names.emplace(one.candidate(), static_cast<int>(names.size())).first->second;
    if (number % options.every == 0) {
      Group& group = groups[{one.m, one.tensors[2].type}];
      group.type = one.tensors[2].type;
      group.size = one.m;
      group.cases.push_back(&one);
      taking_part.insert(one.candidate());
    }
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) {
    list.push_back(std::move(group));
  }
  std::FILE* const out = options.out.empty() ? stdout : std::fopen(options.out.c_str(), "w");
  std::FILE* const samples = options.samples.empty() ? nullptr : std::fopen(options.samples.c_str(), "w");
  if (out == nullptr) {
    std::perror(options.out.c_str());
    return 2;
  }
  std::fprintf(
    out, "type\tsize\tcontestant\tsteps\tpoint\tregisters\tspilled bytes\tsamples\tmedian us\tlow\thigh\tTFLOP/"
         "s\tratio to cuBLASLt (above 1: faster than it)\tlow\thigh\tclock MHz\tleast clock\terror/bound\tsaid\n");
  if (samples != nullptr) {
    std::fprintf(samples, "type\tsize\tcontestant\tround\tseconds\tclock MHz\n");
  }
  std::fflush(nullptr);
  const double begun = now();
  int failed = 0;
  Device device;
  Memory memory;
  supervise(list.size(), options.limit_s, options.limit_s,
            {[&] { return device.open(options.emulated); },
             [&](std::size_t i) {
               // Of what is left: large sizes take longer.
               double weights = 0;
               for (std::size_t k = i; k < list.size(); ++k) {
                 weights += static_cast<double>(list[k].size);
               }
               const double left = options.limit_s - (now() - begun);
               const double share = left * 0.92 * static_cast<double>(list[i].size) / weights;
               const std::string wrong = Race(device, options, list[i], memory, share, samples).run(out);
               std::fflush(nullptr);
               return Item{wrong.empty() ? "right" : wrong, !wrong.empty()};
             },
             [&](std::size_t i, const std::string& text) {
               if (text != "right") {
                 ++failed;
                 std::fprintf(stderr, "time: %s %lld: %s\n", name_of(list[i].type), list[i].size, text.c_str());
               }
             }});
  std::fprintf(stderr, "time %s: %zu candidates, %zu points left out as wrong, %zu groups of %zu\n", arch.c_str(),
               names.size(), refused.size(), list.size() - static_cast<std::size_t>(failed), list.size());
  return failed == 0 && !list.empty() ? 0 : 1;
}

} // namespace hone::gpu_bench
