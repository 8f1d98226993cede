#include "policy/recipe_file.h"

#include "kernel/kernel_class.h"
#include "kernel/stage.h"
#include "lower/contraction_view.h"
#include "lower/dialect.h"
#include "lower/matrix_shape.h"
#include "lower/products.h"
#include "lower/window_stages.h"
#include "util/did_you_mean.h"
#include "util/fs.h"
#include "util/text.h"

#include <toml++/toml.h>

#include <algorithm>

namespace hone::policy {

namespace {

using Keys = std::vector<std::string>;

Place place_of(const toml::source_region& source, const std::string& origin)
{
  return {origin, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

Result<void> only_keys(const toml::table& table, const Keys& known, const std::string& origin)
{
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) == known.end()) {
      return fail("unknown key '" + name + "'", did_you_mean(name, known, "one of: " + join(known, ", ")),
                  place_of(key.source(), origin));
    }
  }
  return {};
}

Result<std::int64_t> positive(const toml::table& table, std::string_view key, std::int64_t otherwise,
                              const std::string& origin)
{
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return otherwise;
  }
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < 1) {
    return fail("'" + std::string(key) + "' must be a whole number of at least 1", {},
                place_of(node->source(), origin));
  }
  return *value;
}

Result<RecipeStep> parse_step(const toml::table& table, const std::string& origin)
{
  HONE_CHECK(only_keys(table, {"apply", "pays", "tune", "seconds"}, origin));
  RecipeStep step;
  step.place = place_of(table.source(), origin);
  step.apply = table["apply"].value_or(std::string());
  HONE_TRY(const std::int64_t points, positive(table, "tune", 0, origin));
  HONE_TRY(const std::int64_t seconds, positive(table, "seconds", 0, origin));
  step.tune = static_cast<std::size_t>(points);
  if (step.apply.empty() == (points == 0)) {
    return fail("a [[step]] has either 'apply' or 'tune'",
                "write apply = \"cache-tiling\", or tune = 16 for a tuning session of 16 points", step.place);
  }
  if (const toml::node* pays = table.get("pays")) {
    if (pays->value<std::string>() != "later" || step.apply.empty()) {
      return fail("'pays' can only be \"later\", for a step with 'apply'",
                  "leave it out for a step that must be faster by itself", place_of(pays->source(), origin));
    }
    step.pays_later = true;
  }
  if (seconds > 0) {
    step.seconds = static_cast<double>(seconds);
  }
  return step;
}

Result<StepList> parse_table(const toml::table& table, const std::string& origin)
{
  HONE_CHECK(only_keys(table, {"summary", "look_ahead", "step"}, origin));
  StepList list;
  list.summary = table["summary"].value_or(std::string());
  HONE_TRY(const std::int64_t look_ahead, positive(table, "look_ahead", list.look_ahead, origin));
  list.look_ahead = static_cast<int>(look_ahead);
  const toml::array* steps = table["step"].as_array();
  if (steps == nullptr || steps->empty()) {
    return fail("a recipe needs at least one step", "add [[step]] with apply = \"...\"", Place{origin, 1, 1});
  }
  for (const toml::node& node : *steps) {
    const toml::table* entry = node.as_table();
    if (entry == nullptr) {
      return fail("a step must be a table", "write [[step]]", place_of(node.source(), origin));
    }
    HONE_TRY(RecipeStep step, parse_step(*entry, origin));
    list.steps.push_back(std::move(step));
  }
  return list;
}

// A matrix times a vector, or a product whose elements are computed where a condition on their columns holds: the loop
// nest of a product does not fit it, or has no vectors.
bool goes_by_elements(const kernel::Kernel& kernel, const kernel::Contraction& contraction)
{
  const auto view = lower::contraction_view(kernel);
  return !view || kernel::any_part(*contraction.epilogue, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::select && kernel::any_part(*part.args[0], [&](const kernel::Expr& inner) {
             return inner.kind == kernel::ExprKind::index && inner.name == view->n.name;
           });
  });
}

std::string variant_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::string_view backend)
{
  const std::optional<kernel::Contraction> contraction = kernel::as_contraction(kernel);
  if (backend != "cpu") {
    const std::optional<lower::Dialect> dialect = lower::work_item_dialect(backend);
    const bool matrix = contraction && dialect && lower::matrix_shape(kernel, *dialect);
    return matrix ? "-matrix" : dialect ? "-items" : "-" + std::string(backend);
  }
  if (!contraction) {
    return "";
  }
  if (kernel::size_of(contraction->a->type) < 4 && kernel::size_of(contraction->b->type) < 4) {
    return "-narrow";
  }
  if (goes_by_elements(kernel, *contraction)) {
    return "-elements";
  }
  if (kernel::is_b_transposed(*contraction)) {
    return "-transposed";
  }
  return kernel::has_one_row(*contraction, sizes) ? "-row" : "";
}

} // namespace

Result<StepList> parse_step_list(std::string_view text, const std::string& origin)
{
  try {
    return parse_table(toml::parse(text, origin), origin);
  } catch (const toml::parse_error& error) {
    return fail("not valid TOML: " + std::string(error.description()), {}, place_of(error.source(), origin));
  }
}

Result<StepList> load_step_list(const fs::path& file)
{
  HONE_TRY(const std::string text, read_file(file));
  return parse_step_list(text, file.string());
}

Result<StepList> shipped_step_list(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::string_view backend)
{
  // Where products or convolutions do most of the work, the one with the most operations says how to climb.
  std::optional<kernel::Kernel> product = backend == "cpu" ? lower::leading_product(kernel) : std::nullopt;
  if (backend == "cpu" && !product) {
    product = lower::leading_windows(kernel);
  }
  if (const auto stages = kernel::product_stages(kernel); backend == "cpu" && !product && !stages.empty()) {
    product = kernel::stage_of(kernel, stages.front());
  }
  const kernel::Kernel& whom = product ? *product : kernel;
  const std::string name = std::string(kernel::name_of(kernel::classify(whom))) + variant_of(whom, sizes, backend);
  const fs::path file = share_folder() / "recipes" / (name + ".toml");
  std::error_code error;
  if (!fs::exists(file, error)) {
    return StepList{};
  }
  return load_step_list(file);
}

} // namespace hone::policy
