#include "serve/pipe.h"

#include <atomic>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace hone::serve {

namespace {

constexpr std::size_t k_longest_line = 8 << 20;
constexpr std::size_t k_most_in_flight = 32;

// Splits bytes into lines. One that is too long is dropped, and told of once.
class Lines {
public:
  template <class Take, class Refuse> void add(std::string_view bytes, Take&& take, Refuse&& refuse)
  {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (!m_dropping) {
        m_line.append(bytes.substr(0, end));
      }
      if (m_line.size() > k_longest_line) {
        m_line.clear();
        m_dropping = true;
        refuse();
      }
      if (end == std::string_view::npos) {
        return;
      }
      bytes.remove_prefix(end + 1);
      if (!m_dropping && m_line.find_first_not_of(" \t\r") != std::string::npos) {
        take(std::string_view(m_line));
      }
      m_line.clear();
      m_dropping = false;
    }
  }

private:
  std::string m_line;
  bool m_dropping = false;
};

bool write_all(int output, std::string_view bytes)
{
  while (!bytes.empty()) {
    const ssize_t written = ::write(output, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

} // namespace

PipeSession::~PipeSession()
{
  m_protocol.close();
  for (;;) {
    std::jthread thread;
    {
      const std::lock_guard lock(m_mutex);
      if (m_in_flight.empty()) {
        return;
      }
      thread = std::move(m_in_flight.begin()->second.thread);
    }
    if (thread.joinable()) {
      thread.join();
    }
    const std::lock_guard lock(m_mutex);
    m_in_flight.erase(m_in_flight.begin());
  }
}

void PipeSession::send(const Json& message)
{
  const std::string line = to_line(message) + "\n";
  const std::lock_guard lock(m_write_mutex);
  m_write(line);
}

void PipeSession::refuse_long_line()
{
  send(error_message(nullptr, {RpcCode::invalid_request, "a message is longer than 8 MiB"}));
}

void PipeSession::take(std::string_view line)
{
  join_ended();
  auto message = read_message(line);
  if (!message) {
    return send(error_message(message.error().id, message.error().error));
  }
  if (message->kind == Message::Kind::response) {
    return; // this server asks nothing
  }
  if (message->kind == Message::Kind::notification) {
    if (message->method == "notifications/cancelled") {
      cancel(*message);
    }
    return;
  }
  Carrier carrier;
  carrier.negotiated = m_negotiated;
  const auto era = m_protocol.era_of(*message, carrier);
  if (!era) {
    return send(error_message(message->id, era.error()));
  }
  if (message->method == "initialize") {
    m_negotiated = Protocol::agreed_version(*message);
  }
  may_take_long(*message) ? answer_apart(std::move(*message), *era) : answer(*message, *era, {});
}

void PipeSession::answer(const Message& message, Era era, std::stop_token stop)
{
  const Exchange exchange{stop, progress_sender(message, [this](Json notification) { send(notification); })};
  RpcResult<Json> result = m_protocol.answer(message, era, exchange);
  if (!stop.stop_requested()) { // a request that was cancelled gets no answer
    send(result ? result_message(message.id, std::move(*result)) : error_message(message.id, result.error()));
  }
}

void PipeSession::answer_apart(Message message, Era era)
{
  const std::string id = message.id.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::lock_guard lock(m_mutex);
  if (m_in_flight.contains(id) || m_in_flight.size() >= k_most_in_flight) {
    const char* why = m_in_flight.contains(id) ? "this id is in use by a request that is being answered"
                                               : "32 requests are being answered: wait for one of them";
    return send(error_message(message.id, {RpcCode::invalid_request, why}));
  }
  InFlight& one = m_in_flight[id];
  one.thread = std::jthread([this, id, message = std::move(message), era, stop = one.stop.get_token()] {
    answer(message, era, stop);
    const std::lock_guard ended(m_mutex);
    m_in_flight.at(id).ended = true;
  });
}

void PipeSession::join_ended()
{
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_in_flight, [](const auto& entry) { return entry.second.ended; }); // which joins
}

void PipeSession::cancel(const Message& notification)
{
  const auto id = notification.params.find("requestId");
  if (id == notification.params.end()) {
    return;
  }
  std::stop_source stop(std::nostopstate);
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_in_flight.find(id->dump(-1, ' ', false, Json::error_handler_t::replace));
    if (found != m_in_flight.end()) {
      stop = found->second.stop;
    }
  }
  stop.request_stop(); // not under the lock: it wakes who may want it
}

void serve_pipe(Protocol& protocol, int input, int output, std::stop_token stop)
{
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  std::atomic<bool> unread = false; // nobody reads what we write
  const auto ring = [wake] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake, &one, sizeof one);
  };
  {
    const std::stop_callback on_stop(stop, ring);
    PipeSession session(protocol, [&](std::string_view line) {
      if (!unread && !write_all(output, line)) {
        unread = true;
        ring();
      }
    });
    Lines lines;
    std::string buffer(1 << 16, '\0');
    while (!stop.stop_requested() && !unread) {
      pollfd watched[] = {{input, POLLIN, 0}, {wake, POLLIN, 0}};
      if (::poll(watched, 2, -1) < 0) {
        if (errno == EINTR) {
          continue;
        }
        break;
      }
      if ((watched[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0) {
        continue;
      }
      const ssize_t count = ::read(input, buffer.data(), buffer.size());
      if (count <= 0) {
        break;
      }
      lines.add(
        std::string_view(buffer).substr(0, static_cast<std::size_t>(count)),
        [&](std::string_view line) { session.take(line); }, [&] { session.refuse_long_line(); });
    }
  }
  ::close(wake);
}

} // namespace hone::serve
