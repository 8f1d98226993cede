// HTTP as providers need it: one request, an answer that may come in pieces. (internal to the model room)
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::llm {

struct HttpRequest {
  std::string method = "POST"; // or "GET"
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::seconds to_connect{20};
  std::chrono::seconds silence{300}; // no byte for so long: models may think before they speak
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers; // names in lower case
  std::string body;                           // what `on_data` did not take: all of it, unless the status is 200
};

struct HttpFailure {
  bool stopped = false;     // by the stop token
  bool unreachable = false; // no connection was made: nothing was sent, nothing is paid for
  std::string reason;       // "Could not resolve host: api.example.org"
};

class Http {
public:
  virtual ~Http() = default;
  using OnData = std::function<void(std::string_view)>;
  // Pieces of a body with status 200 go to `on_data` as they come, where there is one.
  virtual std::expected<HttpResponse, HttpFailure> send(const HttpRequest& request, const OnData& on_data,
                                                        std::stop_token stop) = 0;
};

// Over libcurl: TLS, and proxies and certificates from the usual variables (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE).
std::unique_ptr<Http> make_http();

} // namespace hone::llm
