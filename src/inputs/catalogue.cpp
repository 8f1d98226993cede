#include "inputs/catalogue.h"

#include "inputs/value_row.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace hone::inputs {
namespace {

std::string text_of(Types types)
{
  std::vector<std::string> words;
  for (const auto& [set, word] : {std::pair{k_floats, "floats"}, {k_integers, "integers"}, {k_indices, "indices"}}) {
    if ((types & set) == set) {
      words.emplace_back(word);
      types &= ~set;
    }
  }
  for (std::size_t type = 0; type < kernel::k_type_names.size(); ++type) {
    if ((types & bit_of(static_cast<kernel::DataType>(type))) != 0) {
      words.emplace_back(kernel::k_type_names[type]);
    }
  }
  return join(words, ", ");
}

std::string fraction(unsigned calls, unsigned round)
{
  const unsigned common = std::gcd(calls, round);
  return calls == round ? "all" : fmt::format("{}/{}", calls / common, round / common);
}

std::string share_text(const ValueRow& row, unsigned round)
{
  if (!row.drawn_apart.empty()) {
    return std::string(row.drawn_apart);
  }
  std::vector<std::string> parts;
  Types before = 0;
  const auto shares = std::ranges::count_if(row.shares, [](const Share& share) { return share.calls > 0; });
  for (const Share& share : row.shares) {
    if (share.calls > 0) {
      const std::string part = fraction(share.calls, round);
      parts.push_back(shares == 1 ? part : fmt::format("{}: {}", text_of(share.types & ~before), part));
      before |= share.types;
    }
  }
  return join(parts, "; ");
}

constexpr std::string_view k_head = R"(# Values and sizes that candidates are tried on

This page is generated: `hone inputs --markdown > docs/values.md`. `hone inputs` lists the same rows, and
`hone run CANDIDATE --kernel KERNEL --values ROW` (or `--size-kind ROW`) validates a candidate on one row alone, for example to
reproduce a failure whose reason names the row.

## Values

In full depth every family comes up at each of three hidden sizes or more
([correctness.md](correctness.md#how-much-is-checked-and-when)). The calls of a family come in rounds. In each round every row
comes up as often as its share says, so that no row is left out by chance. Where the text says "or" or "in turn", consecutive calls
of the row take turns. The seed of a call, which a refusal prints, says the rest.

- All tensors of a call get the same family, but for `mixed`. Rows that concern a whole call are the same for all its tensors; of
  the others each tensor has its own.
- Values keep to the `domain` of their argument. Integers with a bounded domain (indices, labels) have rows of their own, called
  "indices" here; the other families spread them evenly. Of an argument with `order = "rising"` each row is sorted afterwards, and
  its ends become the domain's.
- A row of a tensor is what its last axis holds, or, in one call of two of a tensor that has no other axis, a stretch of 8 to 200.
  A plane is a matrix of rows.
- In one call of two, one row of a tensor in four is the same as the row before. This holds for {}.

These rows are all there is. A candidate passes that looks at its data, finds a property that no row has, and goes wrong for it. One
that needs several properties at once passes in some runs and fails in others. Three kinds of values are never tried:

- infinities and NaN;
- numbers below the smallest normal one beside numbers that make up for it: devices may take them for zeros;
- numbers more than 2^48 times the size of others in the same tensor, except masked ones.

Two tensors of a call never share memory.

| row | types | share of the family's calls | values | which fault it finds |
|---|---|---|---|---|
)";

constexpr std::string_view k_sizes = R"(
## Sizes

Sizes are drawn anew for every validation. The timed sizes are never among the hidden ones, and what costs more than a limit of work
or means nothing to the kernel is left out. Searching takes two sizes of `edges`; everything else comes in full depth.

| row | for | sizes | which fault it finds |
|---|---|---|---|
)";

std::string in_markdown(std::string_view text)
{
  return replace_all(std::string(text), "|", "\\|");
}

} // namespace

std::vector<ValueEntry> value_entries()
{
  std::vector<ValueEntry> all;
  for (const FamilyRows& family : value_table()) {
    for (const ValueRow& row : family.rows) {
      all.push_back(
        {row.name, family.name, text_of(row.types()), share_text(row, family.round), row.values, row.reason});
    }
  }
  return all;
}

Result<ForcedValues> values_named(const std::string& name)
{
  std::vector<std::string> names;
  for (const FamilyRows& family : value_table()) {
    if (name == family.name) {
      return ForcedValues{family.family, nullptr};
    }
    names.emplace_back(family.name);
    for (const ValueRow& row : family.rows) {
      if (name == row.name) {
        return ForcedValues{family.family, &row};
      }
      names.emplace_back(row.name);
    }
  }
  return fail(fmt::format("there are no values '{}'", name), did_you_mean(name, names, "`hone inputs` lists all rows"));
}

std::string_view name_of(const ForcedValues& values)
{
  return values.row != nullptr ? values.row->name : name_of(values.family);
}

std::string ForcedInputs::text() const
{
  const std::string of_values = values ? fmt::format("values {}", name_of(*values)) : "";
  const std::string of_sizes = sizes != nullptr ? fmt::format("sizes {}", sizes->name) : "";
  return of_values + (of_values.empty() || of_sizes.empty() ? "" : ", ") + of_sizes;
}

std::string inputs_page()
{
  std::vector<std::string> repeating;
  for (const FamilyRows& family : value_table()) {
    if (family.rows_repeat) {
      repeating.push_back(fmt::format("`{}`", family.name));
    }
  }
  std::string page = replace_all(std::string(k_head), "{}", join(repeating, ", "));
  for (const ValueEntry& entry : value_entries()) {
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.types, entry.share,
                        in_markdown(entry.values), in_markdown(entry.reason));
  }
  page += k_sizes;
  for (const SizeRow& row : size_table()) {
    page +=
      fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.applies, in_markdown(row.sizes), in_markdown(row.reason));
  }
  return page;
}

} // namespace hone::inputs
