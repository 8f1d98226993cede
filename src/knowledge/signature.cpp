#include "knowledge/signature.h"

#include "util/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace hone::knowledge {
namespace {

constexpr std::array<std::string_view, 5> k_levels{"absent", "low", "medium", "high", "very high"};
constexpr std::array<double, 4> k_level_from{5, 15, 30, 60}; // % of the modelled time

// What of one kind of kernel tells about another one. Pairs that are missing have k_other_class.
struct Likeness {
  std::string_view a, b;
  double value;
};
constexpr std::array k_classes{Likeness{"contraction", "products", 0.7}, Likeness{"contraction", "convolution", 0.5},
                               Likeness{"products", "convolution", 0.4}, Likeness{"row-reduction", "map", 0.4},
                               Likeness{"convolution", "pooling", 0.4}};
constexpr double k_other_class = 0; // whatever was learned there holds there
constexpr double k_other_backend = 0.25;
constexpr double k_same_name = 0.9; // the same device with another driver, microcode or compiler
constexpr double k_other_device = 0.5;
constexpr double k_other_types = 0.6;
constexpr double k_other_shape = 0.6;
constexpr double k_other_bottleneck = 0.4;
constexpr double k_close = 2.0; // levels apart, over all traits: still the same state

double of_words(const std::string& a, const std::string& b, double otherwise)
{
  return a.empty() || b.empty() || a == b ? 1 : otherwise;
}

double of_classes(const std::string& a, const std::string& b)
{
  const auto is_pair = [&](const Likeness& one) { return (one.a == a && one.b == b) || (one.a == b && one.b == a); };
  const auto found = std::ranges::find_if(k_classes, is_pair);
  return of_words(a, b, found == k_classes.end() ? k_other_class : found->value);
}

// Words that two names have in common, of all their words: devices of one family share most of them.
double common_words(const std::string& a, const std::string& b)
{
  const auto words = [](const std::string& name) {
    const std::vector<std::string> all = split(name, ' ');
    return std::set<std::string>(all.begin(), all.end());
  };
  const std::set<std::string> first = words(a), second = words(b);
  std::set<std::string> together = first;
  together.insert(second.begin(), second.end());
  const auto common = std::ranges::count_if(first, [&](const std::string& word) { return second.contains(word); });
  return together.empty() ? 0 : static_cast<double>(common) / static_cast<double>(together.size());
}

double of_devices(const Signature& a, const Signature& b)
{
  if (a.device.empty() || b.device.empty() || a.device == b.device) {
    return 1;
  }
  if (a.device_name == b.device_name) {
    return k_same_name;
  }
  return k_other_device + (k_same_name - k_other_device) * common_words(a.device_name, b.device_name);
}

// The sum over all traits.
double levels_apart(const Signature& a, const Signature& b)
{
  const auto level = [](const Signature& of, const std::string& name) {
    const auto found = of.traits.find(name);
    return found == of.traits.end() ? 0 : found->second;
  };
  std::set<std::string> names;
  for (const Signature* one : {&a, &b}) {
    for (const auto& [name, ignored] : one->traits) {
      names.insert(name);
    }
  }
  double sum = 0;
  for (const std::string& name : names) {
    sum += std::abs(level(a, name) - level(b, name));
  }
  return sum;
}

std::string types_of(const kernel::Kernel& kernel)
{
  std::set<std::string> names;
  for (const std::size_t input : kernel.inputs()) {
    names.emplace(kernel::name_of(kernel.arguments[input].type));
  }
  return join(std::vector<std::string>(names.begin(), names.end()), " ");
}

// By the bytes that a call touches, beside the caches that machines usually have, and whether one extent is far longer
// than another.
std::string shape_class(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  constexpr double k_small = 256.0 * 1024, k_medium = 8.0 * 1024 * 1024, k_long = 16;
  double bytes = 0;
  std::int64_t longest = 1, shortest = 0;
  for (const kernel::Argument& argument : kernel.arguments) {
    const auto shape = kernel::shape_of(argument, sizes);
    if (!shape) {
      continue;
    }
    double elements = 1;
    for (const std::int64_t extent : *shape) {
      elements *= static_cast<double>(extent);
      longest = std::max(longest, extent);
      shortest = shortest == 0 ? extent : std::min(shortest, extent);
    }
    bytes += elements * static_cast<double>(kernel::size_of(argument.type));
  }
  const std::string size = bytes < k_small ? "small" : bytes < k_medium ? "medium" : "large";
  const bool square = static_cast<double>(longest) < k_long * static_cast<double>(std::max<std::int64_t>(shortest, 1));
  return size + (square ? " square" : " long");
}

} // namespace

Signature signature_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  Signature signature;
  signature.kernel_class = kernel::name_of(kernel::classify(kernel));
  signature.types = types_of(kernel);
  signature.shape = shape_class(kernel, sizes);
  return signature;
}

void add_findings(Signature& signature, const tools::Report& report)
{
  signature.bottleneck = "none";
  signature.traits.clear();
  for (const tools::Table& table : report.tables) {
    if (table.title != "bottlenecks" || table.columns.size() < 2) {
      continue;
    }
    for (const std::vector<tools::Cell>& row : table.rows) {
      const auto* name = std::get_if<std::string>(&row[0]);
      const auto* weight = std::get_if<double>(&row[1]);
      if (name == nullptr || weight == nullptr) {
        continue;
      }
      const auto level = std::ranges::count_if(k_level_from, [&](double from) { return *weight >= from; });
      if (level > 0) {
        signature.bottleneck = signature.traits.empty() ? *name : signature.bottleneck; // the first weighs most
        signature.traits[*name] = static_cast<int>(level);
      }
    }
  }
}

std::string_view level_name(int level)
{
  return k_levels[static_cast<std::size_t>(std::clamp(level, 0, 4))];
}

std::string traits_text(const Signature& signature)
{
  std::vector<std::pair<std::string, int>> traits(signature.traits.begin(), signature.traits.end());
  std::ranges::stable_sort(traits, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (const auto& [name, level] : traits) {
    words.push_back(name + " " + std::string(level_name(level)));
  }
  return join(words, ", ");
}

double similarity(const Signature& a, const Signature& b)
{
  const bool known = !a.bottleneck.empty() && !b.bottleneck.empty();
  const double traits = known ? std::exp(-levels_apart(a, b) / 8) : 1;
  return of_classes(a.kernel_class, b.kernel_class) * of_words(a.backend, b.backend, k_other_backend) * of_devices(a, b)
         * of_words(a.types, b.types, k_other_types) * of_words(a.shape, b.shape, k_other_shape)
         * of_words(a.bottleneck, b.bottleneck, k_other_bottleneck) * traits;
}

std::vector<std::string> related_classes(const std::string& kernel_class)
{
  if (kernel_class.empty()) {
    return {};
  }
  std::vector<std::string> names{kernel_class};
  for (const Likeness& one : k_classes) {
    if (one.a == kernel_class || one.b == kernel_class) {
      names.emplace_back(one.a == kernel_class ? one.b : one.a);
    }
  }
  return names;
}

bool is_same_state(const Signature& a, const Signature& b)
{
  return a.kernel_class == b.kernel_class && a.backend == b.backend && a.device == b.device && a.types == b.types
         && a.shape == b.shape && a.bottleneck == b.bottleneck && levels_apart(a, b) <= k_close;
}

Json to_json(const Signature& signature)
{
  return {{"kernel_class", signature.kernel_class}, {"backend", signature.backend}, {"device", signature.device},
          {"device_name", signature.device_name},   {"types", signature.types},     {"shape", signature.shape},
          {"bottleneck", signature.bottleneck},     {"traits", signature.traits}};
}

Signature signature_from(const Json& json)
{
  Signature signature;
  signature.kernel_class = json.at("kernel_class").get<std::string>();
  signature.backend = json.at("backend").get<std::string>();
  signature.device = json.at("device").get<std::string>();
  signature.device_name = json.at("device_name").get<std::string>();
  signature.types = json.at("types").get<std::string>();
  signature.shape = json.at("shape").get<std::string>();
  signature.bottleneck = json.at("bottleneck").get<std::string>();
  for (const auto& [name, level] : json.at("traits").items()) {
    signature.traits[name] = std::clamp(whole<int>(level), 0, 4);
  }
  return signature;
}

} // namespace hone::knowledge
