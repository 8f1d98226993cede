// Transformation files: a TOML head and Markdown.
#include "catalogue/catalogue.h"
#include "fuzz_target.h"

namespace hone::fuzz {

namespace {

std::vector<std::string> seeds()
{
  return files_named("transformations", ".md");
}

void run(std::string_view input)
{
  const Result<catalogue::Transformation> transformation = catalogue::parse_transformation(input, "step.md");
  if (!transformation) {
    return check_error(transformation.error(), "step.md");
  }
  if (transformation->source != input || transformation->passes.empty()) {
    promise_broken("a transformation that is not its file");
  }
}

} // namespace

const Target& transformation_target()
{
  static const Target k_target = {"transformation", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
