// What clients may read beside what tools return: hone://kernel/..., hone://record/..., hone://report/... (internal to
// the serve room)
#pragma once

#include "serve/rpc.h"
#include "serve/workplace.h"

namespace hone::serve {

Json resources_list(Workplace& place); // kernels below the roots, and jobs that have ended
Json resource_templates();
// `missing`: the code for what is not there.
RpcResult<Json> read_resource(Workplace& place, const Json& params, RpcCode missing);

// "%2F" for every byte that a part of a URI cannot hold, and back; nothing for a damaged one.
std::string uri_part(std::string_view text);
std::optional<std::string> from_uri_part(std::string_view part);

} // namespace hone::serve
