// What servers of HTTP on this machine have in common. (internal to the serve room)
#pragma once

#include "util/result.h"

#include <httplib.h>
#include <stop_token>

namespace hone::serve {

// Binds to 127.0.0.1; `port` 0: any free one. Returns the port. `flag`: that named it.
Result<int> listen_on_loopback(httplib::Server& server, int port, const char* flag);
// Until a stop is requested.
void serve_until(httplib::Server& server, std::stop_token stop);

} // namespace hone::serve
