// What a tool found: the diagnosis first, then values and tables, bounded and in a stable order.
#pragma once

#include "util/json.h"
#include "util/result.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hone::tools {

using Cell = std::variant<std::string, std::int64_t, double>;

struct Value {
  std::string name;
  Cell value;
  std::string unit;      // "B", "GB/s", "%", ""; the same on every machine
  bool measured = false; // another one each time: a time, or made of one
};

struct Column {
  std::string name, unit;
  bool measured = false; // all its cells
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows; // what weighs most first: the last ones are left out where room is short
};

struct Report {
  std::string tool;
  std::string subject;                // "best (4f1c2a90b3) of matmul on cpu, k=512 m=512 n=512"
  std::vector<std::string> diagnosis; // sentences, the most important first; never left out
  std::vector<Value> values;
  std::vector<Table> tables;
  std::vector<std::string> notes; // limits of what was looked at
  std::set<std::size_t> measured; // sentences of the diagnosis that hold measured numbers

  void add_measured(std::string sentence)
  {
    measured.insert(diagnosis.size());
    diagnosis.push_back(std::move(sentence));
  }
};

// Tokens of a text, about: models' tokenizers differ, and this rather says too many.
std::size_t tokens_of(const std::string& text);

// Text of at most about so many tokens: rows are left out from the ends of the tables, and their number is told.
std::string to_text(const Report& report, std::size_t most_tokens = 1000);
// "measured": JSON pointers of what another run says otherwise; that of a column stands for its cells.
Json to_json(const Report& report);
Result<Report> report_from_json(const Json& json);

std::string to_text(const Cell& cell); // four significant digits

} // namespace hone::tools
