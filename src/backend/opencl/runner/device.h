// One OpenCL device that runs on this CPU, and programs for it: from source to a binary, from a binary to kernels.
#pragma once

#include "backend/opencl/runner/api.h"
#include "backend/runner_abi.h"

#include <string>
#include <string_view>

namespace hone::backend::runner {

// Whose fault a failure is, and what it was. An empty text: all is well.
struct Trouble {
  RefusalKind kind = RefusalKind::setup;
  std::string text;
  explicit operator bool() const { return !text.empty(); }
};

Trouble setup_trouble(const std::string& text, ClInt code = k_cl_success);
// "the launch of kernel f failed: OpenCL error -54 (invalid work-group size)"
Trouble launch_trouble(const char* what, const char* kernel, ClInt code);

// What the driver finds in its environment: one thread, and `folder` for everything that it writes. Before open().
void set_driver_environment(const char* folder);

class Device {
public:
  // The first CPU device that `library` knows, with one in-order queue.
  Trouble open(const char* library);

  // Compiles a program. Its messages are the trouble's text.
  Trouble compile(std::string_view source, const char* options, ClHandle& program) const;
  // What compile() made, with the code that the driver generated for launches since.
  Trouble binary_of(ClHandle program, std::string& binary) const;
  Trouble load(std::string_view binary, const char* options, ClHandle& program) const;
  Trouble kernel(ClHandle program, const char* name, ClHandle& kernel) const;

  const ClApi& api() const { return m_api; }
  ClHandle device() const { return m_device; }
  ClHandle platform() const { return m_platform; }
  ClHandle context() const { return m_context; }
  ClHandle queue() const { return m_queue; }

private:
  std::string build_log(ClHandle program) const;

  ClApi m_api = {};
  ClHandle m_platform = nullptr;
  ClHandle m_device = nullptr;
  ClHandle m_context = nullptr;
  ClHandle m_queue = nullptr;
};

} // namespace hone::backend::runner
