// gpu_bench check: every candidate on every size against sums in f64, or against packed values and bounds.
#include "cases.h"
#include "commands.h"
#include "launch_lists.h"
#include "supervisor.h"
#include "values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace hone::gpu_bench {

namespace {

struct Worst {
  double share = 0; // error over bound; right up to 1
  std::string where;
};

void take(Worst& worst, double got, double wanted, double bound, const std::string& where)
{
  const double error = std::abs(got - wanted);
  const double share = !std::isfinite(got) ? 1e30 : error == 0 ? 0 : error / std::max(bound, 1e-300);
  if (share > worst.share) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %.9g, not %.9g", where.c_str(), got, wanted);
    worst = {share, text};
  }
}

// Sums of products and of their sizes, of every element.
struct Expected {
  std::vector<double> values, bounds;
};

Expected of_product(const Case& one, const std::vector<std::vector<std::byte>>& inputs)
{
  const Type type = one.tensors[2].type;
  const auto m = static_cast<std::size_t>(one.m), n = static_cast<std::size_t>(one.n),
             k = static_cast<std::size_t>(one.k);
  std::vector<double> a(m * k), b(k * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = value_at(inputs[0].data() + i * size_of(one.tensors[0].type), one.tensors[0].type);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = value_at(inputs[1].data() + i * size_of(one.tensors[1].type), one.tensors[1].type);
  }
  Expected out;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (std::size_t p = 0; p < k; ++p) {
        const double term = a[one.a_transposed ? p * m + i : i * k + p] * b[one.b_transposed ? j * k + p : p * n + j];
        sum += term;
        size += std::abs(term);
      }
      out.values.push_back(sum);
      out.bounds.push_back(roundoff(type) * std::abs(sum) * 1.01 + roundoff(Type::f32) * size * 64);
    }
  }
  return out;
}

// Values and bounds of each output, one after the other.
std::string of_file(const Case& one, const std::string& folder, Expected& out)
{
  std::string content;
  std::size_t count = 0;
  for (const Tensor& tensor : one.tensors) {
    count += tensor.written ? tensor.count : 0;
  }
  if (!read_whole(folder + "/expect/" + one.expect, content) || content.size() != 2 * count * sizeof(double)) {
    return "the expected values cannot be read";
  }
  std::size_t at = 0;
  for (const Tensor& tensor : one.tensors) {
    for (std::vector<double>* const to : {&out.values, &out.bounds}) {
      if (tensor.written) {
        to->resize(to->size() + tensor.count);
        std::memcpy(to->data() + to->size() - tensor.count, content.data() + at, tensor.count * sizeof(double));
        at += tensor.count * sizeof(double);
      }
    }
  }
  return "";
}

class Checker {
public:
  Checker(const Device& device, const Options& options) : m_device(device), m_options(options) {}

  // "correct", "wrong", "refused", "fault", with details behind tabs.
  Item check(const Case& one)
  {
    std::vector<std::unique_ptr<Buffer>> tensors, scratch;
    std::vector<std::vector<std::byte>> inputs(one.tensors.size());
    std::vector<Address> tensor_at, scratch_at;
    for (std::size_t t = 0; t < one.tensors.size(); ++t) {
      const Tensor& tensor = one.tensors[t];
      inputs[t].assign(tensor.bytes(), std::byte{0xff}); // outputs hold NaNs
      for (std::size_t i = 0; !tensor.written && i < tensor.count; ++i) {
        set_value(inputs[t].data() + i * size_of(tensor.type), tensor.type, few_bits(t, i));
      }
      tensors.push_back(std::make_unique<Buffer>(m_device));
      if (const std::string wrong = tensors.back()->make(tensor.bytes()); !wrong.empty()) {
        return {"fault\t-\t0\t" + wrong, true};
      }
      tensor_at.push_back(tensors.back()->at());
    }
    for (const std::size_t bytes : one.scratch) {
      scratch.push_back(std::make_unique<Buffer>(m_device));
      if (const std::string wrong = scratch.back()->make(bytes); !wrong.empty()) {
        return {"fault\t-\t0\t" + wrong, true};
      }
      scratch_at.push_back(scratch.back()->at());
    }
    Expected expected;
    if (one.is_product) {
      expected = of_product(one, inputs);
    } else if (const std::string wrong = of_file(one, m_options.lists, expected); !wrong.empty()) {
      return {"refused\t-\t0\t" + wrong, false};
    }
    Loaded loaded(m_device, one);
    if (const std::string wrong = loaded.load(m_options.lists, tensor_at, scratch_at); !wrong.empty()) {
      return {"refused\t-\t0\t" + wrong, false};
    }
    Worst worst;
    for (int time = 0; time < m_options.repeat; ++time) {
      for (std::size_t t = 0; t < tensors.size(); ++t) {
        m_device.api().to_device(tensors[t]->at(), inputs[t].data(), inputs[t].size());
      }
      for (std::size_t s = 0; s < scratch.size(); ++s) {
        m_device.api().set_bytes(scratch[s]->at(), 0xff, scratch[s]->bytes());
      }
      std::string wrong = loaded.launch();
      if (const Result code = m_device.api().synchronize(); wrong.empty() && code != k_success) {
        wrong = m_device.trouble("a launch did not finish", code);
      }
      if (!wrong.empty()) {
        return {std::string("fault\t") + loaded.image() + "\t0\t" + wrong, true};
      }
      if (const std::string changed = compare(one, tensors, inputs, expected, worst); !changed.empty()) {
        return {std::string("wrong\t") + loaded.image() + "\t0\t" + changed, false};
      }
    }
    for (const auto& buffers : {&tensors, &scratch}) {
      for (const auto& buffer : *buffers) {
        if (const std::string touched = buffer->touched_bands(); !touched.empty()) {
          return {std::string("wrong\t") + loaded.image() + "\t0\t" + touched, false};
        }
      }
    }
    char share[40];
    std::snprintf(share, sizeof share, "%.3g", worst.share);
    return {std::string(worst.share <= 1 ? "correct\t" : "wrong\t") + loaded.image() + "\t" + share + "\t"
              + (worst.share <= 1 ? "" : worst.where),
            false};
  }

private:
  std::string compare(const Case& one, const std::vector<std::unique_ptr<Buffer>>& tensors,
                      const std::vector<std::vector<std::byte>>& inputs, const Expected& expected, Worst& worst)
  {
    std::size_t at = 0;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const Tensor& tensor = one.tensors[t];
      std::vector<std::byte> got(tensor.bytes());
      if (const Result code = m_device.api().to_host(got.data(), tensors[t]->at(), got.size()); code != k_success) {
        return m_device.trouble("a buffer could not be read", code);
      }
      if (!tensor.written && got != inputs[t]) {
        return "input " + std::to_string(t) + " was changed";
      }
      for (std::size_t i = 0; tensor.written && i < tensor.count; ++i, ++at) {
        take(worst, value_at(got.data() + i * size_of(tensor.type), tensor.type), expected.values[at],
             expected.bounds[at], "element " + std::to_string(i));
      }
    }
    return "";
  }

  const Device& m_device;
  const Options& m_options;
};

} // namespace

int check(const Options& options)
{
  std::string arch;
  std::vector<Case> all, cases;
  if (!read_cases(options, arch, all)) {
    return 2;
  }
  std::map<std::string, int> names; // in the list's order
  for (Case& one : all) {
    if (one.purpose != "check" || one.name.find(options.only) == std::string::npos) {
      continue;
    }
    const int number = names.emplace(one.name, static_cast<int>(names.size())).first->second;
    const double work =
      one.is_product ? static_cast<double>(one.m) * static_cast<double>(one.n) * static_cast<double>(one.k) : 0;
    if (work <= options.most_work && (options.sizes.empty() || options.sizes == one.sizes_text())
        && number % options.every == 0) {
      cases.push_back(std::move(one));
    }
  }
  // Sizes in turn, so that every candidate has run once where time does not suffice for all.
  std::stable_sort(cases.begin(), cases.end(), [](const Case& one, const Case& other) {
    return one.m * one.n * one.k < other.m * other.n * other.k;
  });
  std::FILE* const out = options.out.empty() ? stdout : std::fopen(options.out.c_str(), "w");
  if (out == nullptr) {
    std::perror(options.out.c_str());
    return 2;
  }
  std::fprintf(out, "candidate\tkernel\tsizes\tsteps\tpoint\tstatus\timage\terror/bound\tdetail\n");
  std::size_t right = 0, wrong = 0, left = 0;
  const auto result = [&](std::size_t i, const std::string& text) {
    const Case& one = cases[i];
    std::string line = text;
    if (line.find('\t') == std::string::npos) { // of the supervisor: "hang: killed ..."
      const std::size_t colon = line.find(": ");
      line = line.substr(0, colon) + "\t-\t0\t" + (colon == std::string::npos ? "" : line.substr(colon + 2));
    }
    ++(line.starts_with("correct") ? right : line.starts_with("not reached") ? left : wrong);
    std::fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", one.name.c_str(), one.kernel.c_str(), one.sizes_text().c_str(),
                 one.steps.c_str(), one.point.c_str(), line.c_str());
    std::fflush(out);
  };
  Device device;
  if (options.apart) {
    supervise(cases.size(), options.deadline_s, options.limit_s,
              {[&] { return device.open(options.emulated); },
               [&](std::size_t i) { return Checker(device, options).check(cases[i]); }, result});
  } else {
    if (const std::string trouble = device.open(options.emulated); !trouble.empty()) {
      std::fprintf(stderr, "gpu_bench: %s\n", trouble.c_str());
      return 2;
    }
    const double end = now() + options.limit_s;
    bool lost = false;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (lost || now() > end) {
        result(i, "not reached: the context is lost, or out of time");
        continue;
      }
      const Item item = Checker(device, options).check(cases[i]);
      lost = item.lost;
      result(i, item.text);
    }
  }
  std::fprintf(stderr, "check %s: %zu cases of %zu candidates, %zu correct, %zu not, %zu not reached\n", arch.c_str(),
               cases.size(), names.size(), right, wrong, left);
  return wrong == 0 && right > 0 ? 0 : 1;
}

} // namespace hone::gpu_bench
