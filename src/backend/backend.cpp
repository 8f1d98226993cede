#include "backend/backend.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/hip/hip_backend.h"
#include "backend/hlsl/hlsl_backend.h"
#include "backend/listing.h"
#include "backend/opencl/opencl_backend.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::backend {

std::string_view name_of(DeviceClock clock)
{
  return clock == DeviceClock::wall ? "the parent's wall clock"
                                    : "the device's events, bounded by the parent's wall clock";
}

std::span<const Backend* const> backends()
{
  static const std::array list{&cpu_backend(), &opencl_backend(), &hlsl_backend(), &cuda_backend(), &hip_backend()};
  return list;
}

Result<ListingJob> Backend::listing_job(const BuildInput& /*input*/) const
{
  return fail(fmt::format("the {} backend shows no compiled code: its driver keeps it", name()),
              "use a backend that does: cpu, cuda, hip");
}

std::vector<CodeResources> Backend::resources(const BuildInput& /*input*/, std::string_view /*log*/) const
{
  return {};
}

Result<const Backend*> find_backend(std::string_view name)
{
  std::vector<std::string> names;
  for (const Backend* backend : backends()) {
    if (backend->name() == name) {
      return backend;
    }
    names.emplace_back(backend->name());
  }
  return fail(fmt::format("there is no backend '{}'; there are: {}", name, join(names, ", ")),
              did_you_mean(name, names));
}

} // namespace hone::backend
