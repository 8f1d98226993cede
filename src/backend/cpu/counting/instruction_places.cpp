#include "backend/cpu/counting/instruction_places.h"

#include "util/text.h"

#include <charconv>
#include <utility>

namespace hone::backend::cpu {
namespace {

bool is_own(const InstructionPlace& place)
{
  return place.file == "device.cpp" || place.file == "macros.h";
}

// "/folder/device.cpp:12 (discriminator 3)"; "??:0" and "device.cpp:?" where it does not know.
InstructionPlace place_from(std::string function, std::string_view text)
{
  InstructionPlace place;
  place.function = function == "??" ? "" : std::move(function);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return place;
  }
  const std::string_view number = text.substr(colon + 1);
  std::from_chars(number.data(), number.data() + number.size(), place.line);
  const std::string_view path = text.substr(0, colon);
  place.file = path.substr(path.rfind('/') + 1); // npos + 1 is 0
  if (place.file == "??" || place.line == 0) {
    place.file.clear();
    place.line = 0;
  }
  return place;
}

} // namespace

std::map<std::uint64_t, InstructionPlace> instruction_places(std::string_view text)
{
  std::map<std::uint64_t, InstructionPlace> places;
  InstructionPlace* current = nullptr;
  bool is_first = false;
  std::string function;
  bool has_function = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("0x")) {
      std::uint64_t address = 0;
      std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
      current = &places[address];
      is_first = true;
      has_function = false;
    } else if (current != nullptr && !has_function) {
      function = line;
      has_function = true;
    } else if (current != nullptr) {
      InstructionPlace place = place_from(std::exchange(function, {}), line);
      has_function = false;
      if (is_first || (!is_own(*current) && is_own(place))) {
        *current = std::move(place);
      }
      is_first = false;
    }
  }
  return places;
}

} // namespace hone::backend::cpu
