#include "serve/loopback.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <sys/socket.h>
#include <thread>

namespace hone::serve {

namespace {

constexpr std::size_t k_threads = 24; // a call may wait for a job

} // namespace

Result<int> listen_on_loopback(httplib::Server& server, int port, const char* flag)
{
  server.new_task_queue = [] { return new httplib::ThreadPool(k_threads); };
  server.set_keep_alive_timeout(5);
  server.set_socket_options([](socket_t socket) { // not SO_REUSEPORT: two servers would share a port
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (port == 0) {
    port = server.bind_to_any_port("127.0.0.1");
  } else if (!server.bind_to_port("127.0.0.1", port)) {
    return fail(fmt::format("cannot listen on port {} of 127.0.0.1", port),
                fmt::format("another program may use it: take another one, or {} 0 for any free one", flag),
                Place{flag, 0, 0});
  }
  if (port <= 0) {
    return fail("no port of 127.0.0.1 is free", "end other servers, or name a port", Place{flag, 0, 0});
  }
  return port;
}

void serve_until(httplib::Server& server, std::stop_token stop)
{
  std::jthread stopper([&server, stop](const std::stop_token& ended) {
    std::mutex mutex;
    std::condition_variable_any asked;
    const std::stop_callback wake(ended, [&] {
      const std::lock_guard lock(mutex);
      asked.notify_all();
    });
    std::unique_lock lock(mutex);
    asked.wait(lock, stop, [&] { return ended.stop_requested(); });
    while (!ended.stop_requested() && !server.is_running()) { // stop() before that is forgotten
      std::this_thread::yield();
    }
    server.stop();
  });
  server.listen_after_bind();
}

} // namespace hone::serve
