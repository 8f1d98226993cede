// gpu_bench ceilings: what the device can do at most, by the simplest programs: copies, f32 multiply-adds, tensor
// cores.
#include "commands.h"
#include "driver.h"
#include "values.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace hone::gpu_bench {

namespace {

constexpr int k_chains = 16;   // of f32, independent of each other
constexpr int k_fragments = 8; // accumulators of mma.sync
constexpr int k_wide = 256;    // columns of a product of a warp group
constexpr int k_samples = 40;

std::string numbered(const char* name, int count)
{
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(i);
  }
  return out;
}

std::string head(const char* name)
{
  return ".visible .entry " + std::string(name)
         + "(.param .u64 from, .param .u64 to, .param .u64 rounds)\n{\n"
           "  .reg .pred %more, %p;\n  .reg .b32 %item, %group, %items, %groups, %w, %w0, %w1, %w2, %w3;\n"
           "  .reg .b64 %a, %b, %r, %i, %step, %x, %y, %da, %db;\n"
           "  ld.param.u64 %a, [from];\n  ld.param.u64 %b, [to];\n  ld.param.u64 %r, [rounds];\n"
           "  cvta.to.global.u64 %a, %a;\n  cvta.to.global.u64 %b, %b;\n"
           "  mov.u32 %item, %tid.x;\n  mov.u32 %group, %ctaid.x;\n  mov.u32 %items, %ntid.x;\n"
           "  mov.u32 %groups, %nctaid.x;\n";
}

// The sum of all accumulators goes to an element of its own, so that none may be left out.
std::string tail(const char* name, int count)
{
  std::string out;
  for (int i = 1; i < count; ++i) {
    out += "  add.f32 " + std::string(name) + "0, " + name + "0, " + name + std::to_string(i) + ";\n";
  }
  return out
         + "  mad.lo.u32 %w, %group, %items, %item;\n  mul.wide.u32 %x, %w, 4;\n  add.s64 %x, %x, %b;\n"
           "  st.global.f32 [%x], "
         + name + "0;\n  ret;\n}\n";
}

std::string loop_end()
{
  return "  sub.s64 %r, %r, 1;\n  setp.gt.s64 %more, %r, 0;\n  @%more bra again;\n";
}

} // namespace

std::string ceilings_ptx(bool warp_groups)
{
  std::string out = warp_groups ? ".version 8.0\n.target sm_90a\n.address_size 64\n"
                                : ".version 7.0\n.target sm_80\n.address_size 64\n";
  // `rounds` pieces of 16 bytes, from `from` to `to`.
  out += head("copies")
         + "  mad.lo.u32 %w, %group, %items, %item;\n  cvt.u64.u32 %i, %w;\n  mul.lo.u32 %w, %groups, %items;\n"
           "  cvt.u64.u32 %step, %w;\nagain:\n  setp.ge.u64 %p, %i, %r;\n  @%p bra done;\n  shl.b64 %x, %i, 4;\n"
           "  add.s64 %y, %x, %b;\n  add.s64 %x, %x, %a;\n  ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%x];\n"
           "  st.global.v4.u32 [%y], {%w0, %w1, %w2, %w3};\n  add.s64 %i, %i, %step;\n  bra again;\ndone:\n  ret;\n}\n";
  out += head("multiply_adds") + "  .reg .f32 %f<" + std::to_string(k_chains)
         + ">;\n  .reg .f32 %g;\n  ld.global.f32 %g, [%a];\n";
  for (int i = 0; i < k_chains; ++i) {
    out += "  ld.global.f32 %f" + std::to_string(i) + ", [%a+" + std::to_string(4 * i) + "];\n";
  }
  out += "again:\n";
  for (int time = 0; time < 4; ++time) {
    for (int i = 0; i < k_chains; ++i) {
      const std::string f = "%f" + std::to_string(i);
      out += "  fma.rn.f32 " + f + ", " + f + ", %g, %g;\n";
    }
  }
  out += loop_end() + tail("%f", k_chains);
  out += head("fragments") + "  .reg .f32 %f<" + std::to_string(4 * k_fragments) + ">;\n  .reg .b32 %h<6>;\n";
  out += "  mul.wide.u32 %x, %item, 4;\n  add.s64 %x, %x, %a;\n";
  for (int i = 0; i < 6; ++i) {
    out += "  ld.global.u32 %h" + std::to_string(i) + ", [%x+" + std::to_string(2048 * i) + "];\n";
  }
  for (int i = 0; i < 4 * k_fragments; ++i) {
    out += "  mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  }
  out += "again:\n";
  for (int i = 0; i < k_fragments; ++i) {
    std::string sums;
    for (int k = 0; k < 4; ++k) {
      sums += (k == 0 ? "%f" : ", %f") + std::to_string(4 * i + k);
    }
    out += "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {" + sums + "}, {%h0, %h1, %h2, %h3}, {%h4, %h5}, {"
           + sums + "};\n";
  }
  out += loop_end() + tail("%f", 4 * k_fragments);
  if (!warp_groups) {
    return out;
  }
  // Two warp groups; 64 x 64 elements of A and 256 x 64 of B lie in shared memory, swizzled in lines of 128 bytes.
  const int sums = k_wide / 2;
  out += head("warp_groups") + "  .reg .f32 %f<" + std::to_string(sums)
         + ">;\n  .shared .align 1024 .b8 blocks[40960];\n"
           "  mov.u32 %w0, blocks;\n  mul.lo.u32 %w1, %item, 4;\n"
           "fill:\n  cvt.u64.u32 %x, %w1;\n  add.s64 %x, %x, %a;\n  ld.global.u32 %w, [%x];\n  add.u32 %w2, %w0, %w1;\n"
           "  st.shared.u32 [%w2], %w;\n  add.u32 %w1, %w1, 1024;\n  setp.lt.u32 %p, %w1, 40960;\n  @%p bra fill;\n"
           "  fence.proxy.async;\n  bar.sync 0;\n"
           "  and.b32 %w1, %w0, 262143;\n  shr.u32 %w1, %w1, 4;\n  cvt.u64.u32 %da, %w1;\n"
           "  or.b64 %da, %da, 4611686293305360384;\n" // lines of 128 bytes, 1024 bytes from eight lines to the next
           "  add.s64 %db, %da, 512;\n";               // B: 8192 bytes behind A, in units of 16
  for (int i = 0; i < sums; ++i) {
    out += "  mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  }
  out += "  setp.eq.u32 %p, %item, %item;\nagain:\n  wgmma.fence.sync.aligned;\n";
  for (int k = 0; k < 4; ++k) {
    out += "  add.s64 %x, %da, " + std::to_string(2 * k) + ";\n  add.s64 %y, %db, " + std::to_string(2 * k)
           + ";\n  wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" + numbered("%f", sums)
           + "}, %x, %y, %p, 1, 1, 0, 0;\n";
  }
  out += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 1;\n" + loop_end()
         + "  wgmma.wait_group.sync.aligned 0;\n" + tail("%f", sums);
  return out;
}

namespace {

struct Timing {
  double median_s = 0, least_s = 0;
  unsigned mhz = 0;
  std::string wrong;
};

class Ceilings {
public:
  Ceilings(const Device& device, std::FILE* out)
    : m_device(device), m_out(out), m_clocks(device.pci()), m_from(device), m_to(device), m_module(device)
  {
  }

  int all()
  {
    const bool warp_groups = m_device.attribute(k_major) == 9;
    const std::size_t bytes = m_device.is_emulated() ? 1 << 16 : std::size_t{2} << 30;
    std::string wrong = m_module.load(ceilings_ptx(warp_groups));
    wrong = wrong.empty() ? m_from.make(bytes) : wrong;
    wrong = wrong.empty() ? m_to.make(bytes) : wrong;
    if (!wrong.empty()) {
      std::fprintf(stderr, "gpu_bench: %s\n", wrong.c_str());
      return 2;
    }
    if (m_device.api().make_event != nullptr) {
      m_device.api().make_event(&m_begin, 0);
      m_device.api().make_event(&m_end, 0);
    }
    const int units = m_device.is_emulated() ? 2 : m_device.attribute(k_units);
    const auto wide = static_cast<double>(bytes);
    std::fprintf(m_out, "what\tvalue\tunit\tmedian s\tleast s\tclock MHz\tsaid\n");
    m_device.api().set_words(m_from.at(), 0x3c003c00, bytes / 4);
    row("copy by the driver", "GB/s", 2 * wide / 1e9, [&] {
      return m_device.api().copy_later == nullptr ? k_success
                                                  : m_device.api().copy_later(m_to.at(), m_from.at(), bytes, nullptr);
    });
    row("fill by the driver", "GB/s", wide / 1e9, [&] {
      return m_device.api().set_words_later == nullptr
               ? k_success
               : m_device.api().set_words_later(m_to.at(), 1, bytes / 4, nullptr);
    });
    row("copy by a program", "GB/s", 2 * wide / 1e9,
        [&] { return launch("copies", 8 * units, 256, static_cast<long long>(bytes / 16)); });
    const long long rounds = m_device.is_emulated() ? 2 : 20000;
    const auto times = static_cast<double>(rounds);
    row("f32 multiply-adds", "TFLOP/s", 2.0 * 4 * k_chains * times * 8 * units * 256 / 1e12,
        [&] { return launch("multiply_adds", 8 * units, 256, rounds); });
    for (const bool random : {false, true}) { // bits that change take power, and power takes clock
      fill(random);
      const std::string operands = random ? ", operands at random" : ", operands 1";
      row("f16 mma.sync, sums in f32" + operands, "TFLOP/s",
          2.0 * 16 * 8 * 16 * k_fragments * times * 8 * units * (256.0 / 32) / 1e12,
          [&] { return launch("fragments", 8 * units, 256, rounds); });
      if (warp_groups) {
        row("f16 wgmma, sums in f32" + operands, "TFLOP/s", 2.0 * 64 * k_wide * 16 * 4 * times * units * 2 / 1e12,
            [&] { return launch("warp_groups", units, 256, rounds); });
      }
    }
    return m_failed == 0 ? 0 : 1;
  }

private:
  void fill(bool random)
  {
    std::vector<unsigned> words(16 << 10, 0x3c003c00);
    for (std::size_t i = 0; random && i < words.size(); ++i) { // halves between 2^-15 and 2, of both signs
      words[i] = static_cast<unsigned>(bits_of(7, i)) & 0xbfffbfff;
    }
    m_device.api().to_device(m_from.at(), words.data(), std::min(words.size() * sizeof words[0], m_from.bytes()));
  }

  Result launch(const char* name, int groups, unsigned items, long long rounds)
  {
    Handle function = nullptr;
    if (const Result code = m_module.function(name, 0, function).empty() ? k_success : 1; code != k_success) {
      return code;
    }
    std::uint64_t values[] = {m_from.at(), m_to.at(), static_cast<std::uint64_t>(rounds)};
    void* arguments[] = {&values[0], &values[1], &values[2]};
    return m_device.api().launch(function, static_cast<unsigned>(groups), 1, 1, items, 1, 1, 0, nullptr, arguments,
                                 nullptr);
  }

  template <class Work> void row(const std::string& what, const char* unit, double amount, const Work& work)
  {
    const Driver& api = m_device.api();
    std::vector<double> samples;
    std::vector<unsigned> clocks;
    std::string wrong;
    const int count = m_device.is_emulated() ? 1 : k_samples;
    for (int i = 0; i < count + 1 && wrong.empty(); ++i) { // the first one is not counted
      if (m_begin != nullptr) {
        api.record_event(m_begin, nullptr);
      }
      Result code = work();
      if (m_end != nullptr) {
        api.record_event(m_end, nullptr);
      }
      code = code == k_success ? api.synchronize() : code;
      if (code != k_success) {
        wrong = m_device.trouble(what.c_str(), code);
      } else if (m_end != nullptr && i > 0) {
        float ms = 0;
        api.elapsed(&ms, m_begin, m_end);
        samples.push_back(ms / 1000);
        clocks.push_back(m_clocks.mhz());
      }
    }
    m_failed += wrong.empty() ? 0 : 1;
    if (samples.empty()) {
      std::fprintf(m_out, "%s\t-\t%s\t-\t-\t-\t%s\n", what.c_str(), unit,
                   wrong.empty() ? "executed, not timed" : wrong.c_str());
      return;
    }
    std::ranges::sort(samples);
    std::ranges::sort(clocks);
    const double median = samples[samples.size() / 2];
    std::fprintf(m_out, "%s\t%.4g\t%s\t%.6g\t%.6g\t%u\t\n", what.c_str(), amount / median, unit, median, samples[0],
                 clocks[clocks.size() / 2]);
    std::fflush(m_out);
  }

  const Device& m_device;
  std::FILE* m_out;
  Clocks m_clocks;
  Buffer m_from, m_to;
  Module m_module;
  Handle m_begin = nullptr, m_end = nullptr;
  int m_failed = 0;
};

} // namespace

int ceilings(const Options& options)
{
  std::FILE* const out = options.out.empty() ? stdout : std::fopen(options.out.c_str(), "w");
  Device device;
  if (out == nullptr) {
    std::perror(options.out.c_str());
    return 2;
  }
  if (const std::string wrong = device.open(options.emulated); !wrong.empty()) {
    std::fprintf(stderr, "gpu_bench: %s\n", wrong.c_str());
    return 2;
  }
  return Ceilings(device, out).all();
}

} // namespace hone::gpu_bench
