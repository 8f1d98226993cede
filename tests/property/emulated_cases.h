// Kernels for the emulated device as data: launches, results that they must give, and seeded defects.
#pragma once

#include "emulate/emulate.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hone::emulated {

enum class Type { u8, s8, u16, u32, s32, f16, bf16, f32, f64, u64 };
enum class Fill {
  zero,
  index, // i
  small, // by chance: whole numbers below 17, or eighths from -1 to 1
  ones,
  unset, // a value that no result has
};

struct Buffer {
  Type type = Type::u32;
  std::size_t count = 0;
  Fill fill = Fill::zero;
};

// What buffers held before the launch, and hold behind it.
class View {
public:
  View(const std::vector<Buffer>& buffers, std::vector<std::vector<std::byte>> before,
       std::vector<const std::byte*> behind, std::vector<int> integers)
    : m_buffers(buffers), m_before(std::move(before)), m_behind(std::move(behind)), m_integers(std::move(integers))
  {
  }
  double in(std::size_t buffer, std::size_t i) const;
  double out(std::size_t buffer, std::size_t i) const;
  int integer(std::size_t i) const { return m_integers.at(i); }

private:
  const std::vector<Buffer>& m_buffers;
  std::vector<std::vector<std::byte>> m_before;
  std::vector<const std::byte*> m_behind;
  std::vector<int> m_integers;
};

struct MapOf {
  std::size_t buffer = 0;
  emulate::TensorType type = emulate::TensorType::u32;
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> box;
  emulate::TensorSwizzle swizzle = emulate::TensorSwizzle::none;
  std::size_t begin = 0; // in elements, of the tensor in its buffer
};

// Parameters: the buffers, the maps (a pointer to them, where there are any), the integers. Maps by value come first.
struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{32, 1, 1};
  std::vector<Buffer> buffers;
  std::vector<int> integers;
  std::vector<MapOf> maps;
  std::array<std::uint32_t, 3> cluster{};
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool maps_by_value = false;
  std::uint32_t resident = 3;
};

// What an element of a buffer must be; nullptr: nothing is compared.
struct Wanted {
  std::size_t buffer = 1;
  std::function<double(const View&, std::size_t)> value;
  double tolerance = 0;
};

struct Defect {
  int number = 1;
  std::string group;                       // of the table of what is found
  std::vector<emulate::FindingKind> kinds; // one of them must be found
  std::string known_miss;                  // why it is not found; "": it is
  bool wrong_result = false;               // the result must be wrong, or a finding
  bool quick = false;                      // of the subset that runs always
  std::vector<int> other_integers;         // of the launch that shows it, where it is not the table's
};

struct Case {
  std::string file, name; // "defects/shared", "reversed"
  Launch launch;
  std::vector<Wanted> wanted;
  std::vector<Defect> defects;
  bool quick = false;                          // of the subset that runs always
  std::vector<std::vector<int>> more_integers; // launches beside the first, right and without a finding
  // Launches in which a defect shows nothing: right and without a finding though it is there.
  std::vector<std::vector<int>> hidden;
};

std::vector<Case> defect_cases();
std::vector<Case> correct_cases();
// What the emulated device gets wrong with right kernels, by "file name".
std::map<std::string, std::string> known_faults();

} // namespace hone::emulated
