// A model server on this machine that says what a test tells it to, and providers that never really wait.
#pragma once

#include "llm/providers.h"

#include <functional>
#include <httplib.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hone::llm {

class ModelServer {
public:
  using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

  // The n-th request gets the n-th answer, and the last again and again.
  explicit ModelServer(std::vector<Answer> answers) : m_answers(std::move(answers))
  {
    const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
      Answer answer;
      {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(request);
        answer = m_answers.at(std::min(m_requests.size(), m_answers.size()) - 1);
      }
      answer(request, response);
    };
    m_server.Post(".*", handle);
    m_server.Get(".*", handle);
    m_port = m_server.bind_to_any_port("127.0.0.1");
    m_thread = std::thread([this] { m_server.listen_after_bind(); });
    while (!m_server.is_running()) {
      std::this_thread::yield();
    }
  }
  ~ModelServer()
  {
    m_server.stop();
    m_thread.join();
  }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }
  std::vector<httplib::Request> requests()
  {
    const std::lock_guard lock(m_mutex);
    return m_requests;
  }

private:
  httplib::Server m_server;
  std::vector<Answer> m_answers;
  std::vector<httplib::Request> m_requests;
  std::mutex m_mutex;
  std::thread m_thread;
  int m_port = 0;
};

inline ModelServer::Answer says(int status, std::string body, httplib::Headers headers = {},
                                std::string type = "application/json")
{
  return [=](const httplib::Request&, httplib::Response& response) {
    response.status = status;
    response.headers.insert(headers.begin(), headers.end());
    response.set_content(body, type.c_str());
  };
}

inline ModelServer::Answer streams(std::string events)
{
  return says(200, std::move(events), {}, "text/event-stream");
}

// Notes how long it was asked to wait.
class NotedPause final : public Pause {
public:
  bool wait(std::chrono::milliseconds time, std::stop_token stop) override
  {
    waits.push_back(time);
    return !stop.stop_requested();
  }
  std::vector<std::chrono::milliseconds> waits;
};

} // namespace hone::llm
