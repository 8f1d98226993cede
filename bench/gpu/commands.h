// The commands of gpu_bench. Each writes lines of tab-separated values, a head line first, and returns its exit status:
// 0: all is right, 1: something is not, 2: it could not be done.
#pragma once

#include <string>

namespace hone::gpu_bench {

struct Options {
  std::string emulated;    // the emulated driver's file; "": NVIDIA's driver
  std::string lists = "."; // what gpu_pack wrote
  std::string arch;        // whose list; "": the one that suits the device
  std::string out;         // a file; "": stdout
  std::string samples;     // of `time`: a file for every sample
  std::string except;      // of `time`: the results of `check`, whose failures are left out
  std::string only;        // a part of a case's name
  std::string sizes;       // of `check`: as its results name them, "67x45x83"; "": all
  std::string cublaslt;    // the library's file; "": where the linker finds it
  double limit_s = 120;    // of the whole command
  double deadline_s = 10;  // of a case
  double most_work = 1e18; // m n k of a case
  int every = 1;           // only each Nth candidate
  int repeat = 3;          // launches of a case
  bool apart = true;       // cases in child processes; without, a profiler sees them
  bool tiny = false;       // the smallest sizes
};

int facts(const Options& options);
int check(const Options& options);
int faults(const Options& options);
int ceilings(const Options& options);
int time_all(const Options& options);
// Prints the PTX of faults and ceilings, for an assembler to look at.
int print_ptx();

std::string faults_ptx();
// For Hopper `sm_90a`, else for every device with tensor cores of Ampere.
std::string ceilings_ptx(bool warp_groups);

} // namespace hone::gpu_bench
