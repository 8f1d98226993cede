#include "catalogue/catalogue.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cctype>

namespace hone::catalogue {
namespace {

constexpr std::size_t k_longest_name = 48;

// "Use a lookup table, for exp()!" -> "use-a-lookup-table-for-exp", cut between words.
std::string name_from(std::string_view sentence)
{
  std::string name, word;
  const auto end_word = [&] {
    const std::size_t longer = name.size() + word.size() + (name.empty() ? 0 : 1);
    const bool fits = longer <= k_longest_name;
    if (!word.empty() && fits) {
      name += (name.empty() ? "" : "-") + word;
    } else if (name.empty()) {
      name = word.substr(0, k_longest_name);
    }
    word.clear();
    return fits;
  };
  for (const char c : sentence) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else if (!end_word()) {
      return name;
    }
  }
  end_word();
  return name;
}

} // namespace

bool is_sentence(std::string_view text)
{
  return trim(text).find_first_of(" \t\n") != std::string_view::npos;
}

Result<Transformation> free_transformation(std::string_view sentence)
{
  std::string_view words = trim(sentence);
  Transformation step;
  step.name = name_from(words);
  if (step.name.empty()) {
    return fail(fmt::format("'{}' says nothing that could be done", words),
                "say in a sentence what shall change: \"use a lookup table for exp\"");
  }
  while (words.ends_with('.')) {
    words.remove_suffix(1);
  }
  step.intent = words;
  step.bottleneck = "what its author has in mind";
  step.passes = {{"whole", Region::device, std::string(words) + ".", true}};
  step.body = fmt::format("## Why\n\nSomebody who knows this kernel asks for it.\n\n## Pass: whole\n\n{}.\n", words);
  step.source = step.body;
  return step;
}

} // namespace hone::catalogue
