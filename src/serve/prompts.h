// Prompts: how an agent is asked to work with the tools. (internal to the serve room)
#pragma once

#include "serve/rpc.h"

namespace hone::serve {

Json prompts_list();
RpcResult<Json> get_prompt(const Json& params);

} // namespace hone::serve
