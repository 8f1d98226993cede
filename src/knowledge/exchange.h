// Bases and parts of them, from place to place. A line of an export is one entry as a JSON object; the first line says
// what the file is. Entries keep the site that they come from, and an entry that is known already changes nothing: to
// bring the same in twice, or in another order, ends in the same base.
#pragma once

#include "knowledge/base.h"

#include <functional>
#include <iosfwd>
#include <string>

namespace hone::knowledge {

constexpr int k_export_format = 1;

// Lines, each with its end. With a filter: evidence and changes that match, and the states and techniques they name.
Result<std::int64_t> export_lines(const Base& base, const Filter& filter,
                                  const std::function<Result<void>(std::string_view line)>& write);

struct Brought {
  std::int64_t read = 0, added = 0, known = 0, forgotten = 0; // entries
};

// All lines or none: a mistake in one of them, named by its line, leaves the base as it was. `origin` names the text.
// `again`: also what was forgotten here.
Result<Brought> import_lines(Base& base, std::istream& lines, const std::string& origin, bool again = false);
// All of another base, in one transaction.
Result<Brought> merge(Base& base, const Base& other, bool again = false);

struct Forgotten {
  std::int64_t evidence = 0, states = 0, techniques = 0, changes = 0;
};
// Removes evidence that matches, and states and techniques that have none left and that the filter names. What was
// forgotten does not come back by importing or merging, unless that is asked for. An empty filter is an error.
Result<Forgotten> forget(Base& base, const Filter& filter);

} // namespace hone::knowledge
