// Which isolation layers hold on this machine, found out once by using them. (internal to the gate)
#pragma once

#include "util/result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hone::gate {

struct Isolation {
  int landlock_abi = 0;
  bool seccomp = false;
  bool user_namespaces = false;
  std::string user_namespaces_detail; // why not
  std::string helper;                 // path of hone-jail
  uid_t uid = 0;                      // the user that tools run as when we are root; 0: we are not root
  bool helper_works = false;          // Landlock and seccomp hold in a trial run
  std::string helper_detail;
  bool bubblewrap = false; // works besides, in a trial run
  std::string bubblewrap_detail;
};

const Isolation& isolation();

// One command in the jail.
struct JailedCommand {
  std::string folder; // the job's own folder on this machine
  std::vector<std::string> readable;
  std::vector<std::string> command;
  int cpu_seconds = 0;
  std::int64_t memory = 0, file = 0; // bytes
};

// The whole command line, from bubblewrap (or the helper alone) to the tool.
std::vector<std::string> jail_command_line(const Isolation& layers, const JailedCommand& jailed);

// The only variables a tool sees.
std::vector<std::string> jail_environment();

// Where the job's folder is seen by tools inside bubblewrap.
inline constexpr const char* k_jail_folder = "/job";

} // namespace hone::gate
