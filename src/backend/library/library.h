// Numerical libraries as rivals: which are on this machine, in which settings, and how one is loaded.
//
// A library runs in a trusted profile of its own: the program `hone-runner-library` opens it with the setting in its
// environment, calls it once on private memory (libraries allocate and generate code on their first call), locks
// itself down and then serves blocks like any other runner. Everything it must know is in Module::build_options.
#pragma once

#include "backend/backend.h"
#include "backend/library/gemm_call.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

constexpr std::string_view k_library_runner = "hone-runner-library";

// A library and how it is made to run: name "openblas", setting "OPENBLAS_CORETYPE=SkylakeX".
struct LibraryBaseline {
  std::string name;
  std::string setting;
  double load_s = 0; // seconds, about, for its first call
};

// The baselines that this CPU and the libraries found on this machine offer for a call, those that tend to be
// strongest first. `backend`: of the candidates that they are compared with; "opencl" runs on this CPU.
std::vector<LibraryBaseline> library_baselines(const GemmCall& call, std::string_view backend);

// A library that was found, as it says of itself: for people.
struct FoundLibrary {
  std::string name;    // of its baselines
  std::string file;    // as it is opened
  std::string facts;   // "0.3.34, SkylakeX": version, and the code that it chose for this CPU
  std::string version; // as the list of installed libraries has it, else as it says itself; may be empty
};
std::vector<FoundLibrary> libraries_found();

// A baseline in the form a lane loads: an empty image, the request in build_options, and a plan with one launch that
// takes all kernel arguments.
struct LibraryModule {
  Module module;
  kernel::ResolvedPlan plan;
};
// The error says whether the kernel is not a library's or the name and setting are unknown.
Result<LibraryModule> library_module(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::string_view name,
                                     std::string_view setting);

} // namespace hone::backend
