#include "bundle/bundle.h"
#include "bundle/kernel_file_name.h"
#include "util/compression.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::bundle {

namespace {

constexpr const char* k_format = "hone-bundle 1";
constexpr std::size_t k_largest = std::size_t{64} << 20; // bytes, uncompressed
constexpr std::size_t k_most_files = 200;                // of a kernel
constexpr int k_most_tries = 1000;                       // samples of a step, repairs of a sample
constexpr int k_most_pairs = 64;
constexpr double k_longest_pair_s = 10;
constexpr std::ptrdiff_t k_deepest = 3; // start/cpu/device.cpp
constexpr const char* k_way_out = "take it from where it came from again; `hone export` makes one";

Json to_json(const BundledStep& step)
{
  const store::Checkpoint& checkpoint = step.checkpoint;
  Json files = Json::object();
  for (const auto& [name, text] : checkpoint.candidate.files) {
    files[name] = text;
  }
  Json json{{"id", checkpoint.id},
            {"parent", checkpoint.parent},
            {"transformation", checkpoint.transformation},
            {"point", checkpoint.point},
            {"files", std::move(files)},
            {"schedule", checkpoint.candidate.schedule},
            {"record", record::to_json(checkpoint.record)}};
  if (step.exchange) {
    Json answers = Json::array();
    for (const BundledAnswer& answer : step.exchange->answers) {
      answers.push_back({{"made", to_json(answer.made)}, {"stored", llm::to_json(answer.stored)}});
    }
    json["asked"] = {{"step", to_json(step.exchange->text)}, {"answers", std::move(answers)}};
  }
  return json;
}

BundledExchange exchange_from(const Json& json, const std::string& origin)
{
  BundledExchange exchange{step_text_from(json.at("step")), {}};
  for (const Json& answer : json.at("answers")) {
    auto stored = llm::stored_answer_from(answer.at("stored"), origin);
    if (!stored) {
      throw std::invalid_argument(stored.error().message);
    }
    exchange.answers.push_back({answer_made_from(answer.at("made")), std::move(*stored)});
    const AnswerMade& made = exchange.answers.back().made;
    if (std::min(made.sample, made.try_number) < 0 || std::max(made.sample, made.try_number) > k_most_tries) {
      throw std::invalid_argument("an answer is numbered out of all reason");
    }
  }
  return exchange;
}

// What a stranger's record asks for is measured here: within what Hone itself asks for.
bool is_reasonable(const record::Recipe& recipe, const kernel::Kernel& kernel)
{
  return kernel::check_sizes(kernel, recipe.sizes) && recipe.pairs >= 1 && recipe.pairs <= k_most_pairs
         && recipe.seconds_per_pair > 0 && recipe.seconds_per_pair <= k_longest_pair_s && recipe.threads >= 1;
}

bool is_step_name(const std::string& name)
{
  return is_kernel_file_name(name) && !name.contains('/');
}

Result<BundledStep> step_from(const Json& json, const kernel::Kernel& kernel, const std::string& origin)
{
  BundledStep step;
  store::Checkpoint& checkpoint = step.checkpoint;
  checkpoint.id = json.at("id").get<std::string>();
  checkpoint.parent = json.at("parent").get<std::string>();
  checkpoint.transformation = json.at("transformation").get<std::string>();
  checkpoint.point = json.at("point").get<kernel::TuningPoint>();
  HONE_TRY(checkpoint.record, record::record_from_json(json.at("record")));
  checkpoint.record.verdict.reason = printable(std::move(checkpoint.record.verdict.reason));
  checkpoint.record.verdict.log = printable(std::move(checkpoint.record.verdict.log));
  HONE_TRY(checkpoint.candidate,
           kernel::make_candidate(kernel, json.at("files").get<std::map<std::string, std::string>>()));
  checkpoint.candidate.schedule = json.at("schedule").get<std::string>();
  if (checkpoint.candidate.hash() != checkpoint.record.candidate) {
    return fail(fmt::format("the files of '{}' are not those its record was made for", checkpoint.transformation),
                k_way_out, Place{origin, 0, 0});
  }
  if (json.contains("asked")) {
    step.exchange = exchange_from(json.at("asked"), origin);
  }
  const bool named = is_step_name(checkpoint.transformation)
                     && (!step.exchange || std::ranges::all_of(step.exchange->answers, [](const BundledAnswer& answer) {
                          return is_step_name(answer.made.pass);
                        }));
  if (!named || checkpoint.record.kernel != kernel.hash || !is_reasonable(checkpoint.record.recipe_used, kernel)) {
    return fail(
      fmt::format("the record of '{}' is not one that Hone writes for this kernel", checkpoint.transformation),
      k_way_out, Place{origin, 0, 0});
  }
  return step;
}

// Nothing for a backend that this Hone does not have.
std::optional<lower::Dialect> dialect_of(const PackedBundle& packed)
{
  if (packed.backend == "cpu") {
    return lower::cpu_dialect(packed.vector_bytes, packed.masked_memory);
  }
  return lower::work_item_dialect(packed.backend);
}

} // namespace

bool is_kernel_file_name(const std::string& name)
{
  const auto usual = [](char c) {
    return (static_cast<unsigned char>(c) < 128 && std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '.'
           || c == '-' || c == '_' || c == '/';
  };
  return !name.empty() && name.front() != '/' && name.back() != '/' && name.front() != '.' && !name.contains("/.")
         && !name.contains("//") && std::ranges::all_of(name, usual) && std::ranges::count(name, '/') < k_deepest;
}

Result<std::string> bundle_bytes(const Bundle& bundle)
{
  Json files = Json::object();
  for (const auto& [name, text] : bundle.kernel_files) {
    files[name] = text;
  }
  Json steps = Json::array();
  for (const BundledStep& step : bundle.steps) {
    steps.push_back(to_json(step));
  }
  const Json all{{"format", k_format},
                 {"kernel", {{"name", bundle.kernel_name}, {"hash", bundle.kernel_hash}, {"files", std::move(files)}}},
                 {"backend", bundle.dialect.name},
                 {"vector_bytes", bundle.dialect.vector_bytes},
                 {"masked_memory", bundle.dialect.masked_memory},
                 {"steps", std::move(steps)}};
  try {
    const std::string text = all.dump();
    if (text.size() > k_largest || bundle.kernel_files.size() > k_most_files) {
      return fail(fmt::format("'{}' is too large to take along: {} files, {} MiB", bundle.kernel_name,
                              bundle.kernel_files.size(), text.size() >> 20),
                  "export a shorter path, or take what is not needed out of the kernel's folder");
    }
    return compress(text);
  } catch (const Json::exception&) {
    return fail(
      fmt::format("a file of '{}', or something that its candidates printed, is no UTF-8 text", bundle.kernel_name),
      "only text can be taken along; re-encode the file");
  }
}

Result<PackedBundle> unpack_bundle(std::string_view bytes, const std::string& origin)
{
  HONE_TRY(const std::string text, decompress(bytes, k_largest, origin));
  HONE_TRY(Json json, parse_json(text, origin));
  const Place place{origin, 0, 0};
  try {
    const std::string format = json.at("format").get<std::string>();
    if (format != k_format) {
      return fail(fmt::format("this is a bundle of the format '{}', and this Hone reads '{}'", format, k_format),
                  "use the Hone that wrote it", place);
    }
    const Json& kernel = json.at("kernel");
    PackedBundle packed{kernel.at("name").get<std::string>(),
                        kernel.at("hash").get<std::string>(),
                        json.at("backend").get<std::string>(),
                        json.at("vector_bytes").get<int>(),
                        json.at("masked_memory").get<bool>(),
                        kernel.at("files").get<std::map<std::string, std::string>>(),
                        std::move(json.at("steps"))};
    const auto strange =
      std::ranges::find_if_not(packed.kernel_files, is_kernel_file_name, [](const auto& file) { return file.first; });
    if (strange != packed.kernel_files.end()) {
      return fail(fmt::format("'{}' is no name of a kernel's file", strange->first), k_way_out, place);
    }
    if (packed.kernel_files.size() > k_most_files) {
      return fail(fmt::format("it holds {} files of a kernel, more than {}", packed.kernel_files.size(), k_most_files),
                  k_way_out, place);
    }
    return packed;
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is not a bundle of Hone: {}", error.what()), k_way_out, place);
  }
}

Result<void> write_kernel_files(const PackedBundle& packed, const fs::path& folder)
{
  for (const auto& [name, text] : packed.kernel_files) {
    std::error_code failed;
    fs::create_directories((folder / name).parent_path(), failed);
    if (failed) {
      return fail(fmt::format("cannot make {}: {}", (folder / name).parent_path().string(), failed.message()));
    }
    HONE_CHECK(write_file(folder / name, text));
  }
  return {};
}

Result<Bundle> read_bundle(PackedBundle packed, const kernel::Kernel& kernel, const std::string& origin)
{
  const Place place{origin, 0, 0};
  if (kernel.hash != packed.kernel_hash) {
    return fail(fmt::format("its records are of another kernel '{}' than this one", packed.kernel_name),
                "kernel.toml or reference.cpp has changed since the export; use the kernel in the bundle", place);
  }
  const std::optional<lower::Dialect> dialect = dialect_of(packed);
  if (!dialect) {
    return fail(fmt::format("it was made for the backend '{}', which this Hone does not have", packed.backend),
                "use the Hone that wrote it", place);
  }
  Bundle bundle{kernel.name, kernel.hash, *dialect, std::move(packed.kernel_files), {}};
  try {
    for (const Json& json : packed.steps) {
      HONE_TRY(BundledStep step, step_from(json, kernel, origin));
      if (step.checkpoint.parent != (bundle.steps.empty() ? "" : bundle.steps.back().checkpoint.id)) {
        return fail("its checkpoints do not form a path: one is not the parent of the next", k_way_out, place);
      }
      bundle.steps.push_back(std::move(step));
    }
  } catch (const std::exception& error) { // of JSON that is not a step's, or of a request that was changed
    return fail(fmt::format("this is not a bundle of Hone: {}", error.what()), k_way_out, place);
  }
  if (bundle.steps.empty()) {
    return fail("it holds no checkpoint", k_way_out, place);
  }
  return bundle;
}

} // namespace hone::bundle
