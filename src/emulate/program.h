// PTX text as a program that can be executed. (public)
#pragma once

#include "emulate/finding.h"
#include "util/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone::emulate {

struct EntryParameter {
  std::string name;
  std::size_t offset = 0, bytes = 0; // in the launch's block of parameters
};

// A function that can be launched.
struct Entry {
  std::string name;
  std::vector<EntryParameter> parameters;
  std::size_t parameter_bytes = 0;
  std::size_t shared_bytes = 0; // of the function itself; a launch may add some
  std::size_t local_bytes = 0;  // of each item
  int most_items = 0;           // of a group; 0: not said
  std::vector<int> cluster;     // groups of a cluster; empty: none
};

namespace execute {
struct Code;
}

class Program {
public:
  // The error names the line of PTX. What is not supported is an error when it is executed, not here.
  static Result<Program> load(std::string_view ptx);

  const std::vector<Entry>& entries() const { return m_entries; }
  const Entry* find(std::string_view name) const;
  const execute::Code& code_of(const Entry& entry) const; // for launch()

  // Global variables of the module: they keep what launches store in them.
  struct Global {
    std::string name;
    std::shared_ptr<std::vector<std::uint64_t>> memory;
    std::uintptr_t begin = 0; // in this memory, at a multiple of 16
    std::size_t bytes = 0;
  };
  const std::vector<Global>& globals() const { return m_globals; }

private:
  std::vector<Global> m_globals;
  std::vector<Entry> m_entries;
  std::vector<std::shared_ptr<const execute::Code>> m_codes;
};

} // namespace hone::emulate
