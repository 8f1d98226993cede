// Candidates of the CPU backend called in this process, in one thread, timed by the CPU time they take.
#pragma once

#include "backend/backend.h"
#include "util/fs.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace hone {

// Compiles by the backend's own commands, outside the jail.
class NativeCompiler {
public:
  static Result<NativeCompiler> open();

  struct Built {
    backend::Module module;
    double cpu_s = 0; // of the compiler and the linker
  };
  Result<Built> build(const backend::BuildInput& input);

private:
  explicit NativeCompiler(TemporaryFolder folder) : m_folder(std::move(folder)) {}
  TemporaryFolder m_folder;
};

double cpu_seconds_of_thread();

// Tensors of one size, filled with random values in [0, 1).
class NativeArena {
public:
  NativeArena() = default;
  static Result<NativeArena> make(const kernel::Kernel& kernel, const kernel::Sizes& sizes);
  std::uint64_t address(std::size_t argument) const;
  // A number that tells outputs apart that differ by more than rounding.
  double output_sum() const;
  void clear_outputs();

private:
  struct Tensor {
    std::vector<float> values;
    bool written = false;
  };
  std::vector<Tensor> m_tensors;
};

// A module in executable memory, bound to its plan and an arena that outlives it.
class NativeCall {
public:
  NativeCall(const backend::Module& module, kernel::ResolvedPlan plan, const NativeArena& arena);
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;
  ~NativeCall();
  bool loaded() const { return m_code != nullptr; }
  void run() const;
  double seconds(int calls) const; // CPU time of the thread

private:
  void* m_code = nullptr;
  std::size_t m_bytes = 0;
  std::vector<std::uint64_t> m_entries;
  kernel::ResolvedPlan m_plan;
  std::vector<std::vector<float>> m_scratch;
  std::vector<std::byte> m_shared;                     // of the group that is being called
  std::vector<std::vector<std::uint64_t>> m_arguments; // per launch
};

} // namespace hone
