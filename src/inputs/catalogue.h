// All rows of values and sizes: by name, as a list, and as the page docs/values.md.
#pragma once

#include "inputs/inputs.h"
#include "inputs/size_rows.h"
#include "util/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::inputs {

struct ValueEntry {
  std::string_view name;
  std::string_view family;
  std::string types;       // "floats", "f32, f64", "indices"
  std::string share;       // of the family's calls: "1/4", "f32 1/12; others 1/2", or when it is drawn apart
  std::string_view values; // what the numbers are
  std::string_view reason; // which fault of a candidate they find
};
std::vector<ValueEntry> value_entries();

// Values that a validation is limited to: a row, or all of a family.
struct ForcedValues {
  ValueFamily family = ValueFamily::normal;
  const ValueRow* row = nullptr;
};
// A row's name or a family's. The error names the one that is nearest.
Result<ForcedValues> values_named(const std::string& name);
std::string_view name_of(const ForcedValues& values);

// What a validation is limited to, to reproduce a failure.
struct ForcedInputs {
  std::optional<ForcedValues> values;
  const SizeRow* sizes = nullptr;

  bool any() const { return values || sizes != nullptr; }
  std::string text() const; // "values large/around-a-middle, sizes far"
};

// docs/values.md. `hone inputs --markdown` prints it.
std::string inputs_page();

} // namespace hone::inputs
