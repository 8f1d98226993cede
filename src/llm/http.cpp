#include "llm/http.h"

#include "util/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <curl/curl.h>
#include <mutex>

namespace hone::llm {
namespace {

constexpr std::size_t k_largest_body = std::size_t{64} << 20; // no answer of a model is longer

std::string in_lower_case(std::string_view text)
{
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct Transfer {
  HttpResponse response;
  const Http::OnData* on_data = nullptr;
  std::stop_token stop;
  std::size_t taken = 0;
};

std::size_t take_header(const char* bytes, std::size_t size, std::size_t count, void* context)
{
  HttpResponse& response = static_cast<Transfer*>(context)->response;
  const std::string_view line(bytes, size * count);
  if (line.starts_with("HTTP/")) { // again after a redirection or "100 Continue"
    response.headers.clear();
    const std::size_t space = line.find(' ');
    response.status = space == std::string_view::npos ? 0 : std::atoi(line.data() + space);
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    response.headers[in_lower_case(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
  return size * count;
}

std::size_t take_body(const char* bytes, std::size_t size, std::size_t count, void* context)
{
  auto& transfer = *static_cast<Transfer*>(context);
  const std::string_view piece(bytes, size * count);
  transfer.taken += piece.size();
  if (transfer.taken > k_largest_body) {
    return 0; // ends the transfer
  }
  if (transfer.response.status == 200 && *transfer.on_data) {
    (*transfer.on_data)(piece);
  } else {
    transfer.response.body += piece;
  }
  return piece.size();
}

int look_for_stop(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
  return static_cast<Transfer*>(context)->stop.stop_requested() ? 1 : 0;
}

class CurlHttp final : public Http {
public:
  CurlHttp()
  {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  }

  std::expected<HttpResponse, HttpFailure> send(const HttpRequest& request, const OnData& on_data,
                                                std::stop_token stop) override
  {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
    if (!curl) {
      return std::unexpected(HttpFailure{false, true, "libcurl cannot be set up"});
    }
    Transfer transfer{{}, &on_data, std::move(stop)};
    std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(nullptr, curl_slist_free_all);
    for (const auto& [name, value] : request.headers) {
      headers.reset(curl_slist_append(headers.release(), (name + ": " + value).c_str()));
    }
    headers.reset(curl_slist_append(headers.release(), "Expect:")); // no waiting for "100 Continue"
    std::string reason(CURL_ERROR_SIZE, '\0');
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_USERAGENT, "hone");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(request.to_connect.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.silence.count()));
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_WRITEFUNCTION, take_body);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, look_for_stop);
    set(CURLOPT_XFERINFODATA, &transfer);
    set(CURLOPT_ERRORBUFFER, reason.data());
    if (request.method == "POST") {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_POSTFIELDS, request.body.c_str());
    }
    const CURLcode code = curl_easy_perform(curl.get());
    if (code == CURLE_OK) {
      return std::move(transfer.response);
    }
    HttpFailure failure;
    failure.stopped = transfer.stop.stop_requested();
    failure.unreachable = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
                          || code == CURLE_COULDNT_CONNECT || code == CURLE_SSL_CONNECT_ERROR
                          || code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL
                          || code == CURLE_PEER_FAILED_VERIFICATION;
    failure.reason = reason.c_str();
    if (failure.reason.empty() || code == CURLE_OPERATION_TIMEDOUT) {
      failure.reason = curl_easy_strerror(code);
    }
    return std::unexpected(std::move(failure));
  }
};

} // namespace

std::unique_ptr<Http> make_http()
{
  return std::make_unique<CurlHttp>();
}

} // namespace hone::llm
