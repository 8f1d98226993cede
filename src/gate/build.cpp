#include "gate/build.h"

#include "gate/jail.h"
#include "util/hash.h"
#include "util/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <sched.h>
#include <thread>

namespace hone::gate {
namespace {

constexpr std::size_t k_queue_limit = 32;   // builds waiting
constexpr std::size_t k_memory_limit = 256; // builds remembered
constexpr std::size_t k_named_limit = 4;    // jobs remembered with their keys
constexpr std::string_view k_magic = "hone-module 2 ";

using Outcome = Result<std::shared_ptr<const Build>>;

// All CPUs of this process but one, unless that is all there is.
cpu_set_t cpus_without(int cpu)
{
  cpu_set_t usable;
  CPU_ZERO(&usable);
  sched_getaffinity(0, sizeof usable, &usable);
  if (cpu >= 0 && CPU_COUNT(&usable) > 1) {
    CPU_CLR(static_cast<std::size_t>(cpu), &usable);
  }
  return usable;
}

// What another build of Hone accepted, this one may refuse.
const std::string& this_program()
{
  static const std::string k_program = [] {
    std::error_code error;
    const fs::path file = "/proc/self/exe";
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    return fmt::format("{} bytes of {}", fs::file_size(file, error), written);
  }();
  return k_program;
}

} // namespace

std::string pack_module(const backend::Module& module, const std::string& key)
{
  const Json head{{"key", key},
                  {"entries", module.entries},
                  {"entry_names", module.entry_names},
                  {"build_options", module.build_options},
                  {"hash", module.hash},
                  {"image_bytes", module.image.size()}};
  const std::string payload = head.dump() + "\n" + module.image + module.assembly;
  return std::string(k_magic) + sha256(payload) + "\n" + payload;
}

Result<backend::Module> unpack_module(std::string_view bytes, const std::string& key)
{
  const std::size_t header = k_magic.size() + 64 + 1;
  if (!bytes.starts_with(k_magic) || bytes.size() <= header || bytes[header - 1] != '\n') {
    return fail("not a module file");
  }
  const std::string_view payload = bytes.substr(header);
  if (sha256(payload) != bytes.substr(k_magic.size(), 64)) {
    return fail("the module file is damaged");
  }
  const std::size_t line_end = payload.find('\n');
  if (line_end == std::string_view::npos) {
    return fail("the module file is cut short");
  }
  HONE_TRY(const Json head, parse_json(payload.substr(0, line_end), "module file"));
  try {
    if (head.at("key").get<std::string>() != key) {
      return fail("the module file belongs to another build");
    }
    backend::Module module;
    module.entries = head.at("entries").get<std::vector<std::uint64_t>>();
    module.entry_names = head.at("entry_names").get<std::vector<std::string>>();
    module.build_options = head.at("build_options").get<std::string>();
    module.hash = head.at("hash").get<std::string>();
    const std::string_view rest = payload.substr(line_end + 1);
    const auto image_bytes = head.at("image_bytes").get<std::size_t>();
    if (image_bytes > rest.size()) {
      return fail("the module file is cut short");
    }
    module.image = rest.substr(0, image_bytes);
    module.assembly = rest.substr(image_bytes);
    return module;
  } catch (const Json::exception& e) {
    return fail(std::string("the module file is not readable: ") + e.what());
  }
}

struct BuildCache::Impl {
  // What a build depends on beside the kernel and this machine.
  struct Identity {
    std::string candidate;
    kernel::TuningPoint point;
    backend::CompileJob job;
    std::vector<std::string> launches;
    bool operator==(const Identity&) const = default;
  };

  const kernel::Kernel& kernel;
  const backend::Backend& backend;
  std::string environment;
  fs::path folder;
  cpu_set_t usable; // by the background thread

  std::mutex mutex;
  std::condition_variable_any wake;
  std::map<std::string, std::shared_future<Outcome>> builds;
  std::deque<std::string> order;                      // of `builds`, oldest first
  std::deque<std::pair<Identity, std::string>> named; // with their keys, oldest first
  std::deque<BuildRequest> queue;
  std::jthread worker; // last: it uses all of the above

  Impl(const kernel::Kernel& k, const backend::Backend& b, std::string env, fs::path where, int timing_cpu)
    : kernel(k), backend(b), environment(std::move(env)), folder(std::move(where)), usable(cpus_without(timing_cpu))
  {
  }

  // Sizes and plans that lead to the same compile job share a build.
  Result<Identity> identity_of(const BuildRequest& request, const backend::BuildInput& input) const
  {
    HONE_TRY(backend::CompileJob job, backend.compile_job(input));
    Identity identity{request.candidate.hash(), request.point, std::move(job), {}};
    for (const kernel::ResolvedLaunch& launch : request.plan.launches) {
      identity.launches.push_back(launch.kernel);
    }
    return identity;
  }

  std::string made_key(const Identity& identity) const
  {
    Json all{{"candidate", identity.candidate},   {"point", identity.point},           {"kernel", kernel.hash},
             {"environment", environment},        {"commands", identity.job.commands}, {"rules", this_program()},
             {"looked at", identity.job.outputs}, {"launches", identity.launches}};
    for (const auto& [name, bytes] : identity.job.files) {
      all["files"][name] = sha256(bytes);
    }
    return sha256(all.dump());
  }

  // A validation asks at hundreds of sizes in turn.
  std::string key_of(const Identity& identity)
  {
    std::unique_lock lock(mutex);
    const auto known = std::ranges::find(named, identity, &std::pair<Identity, std::string>::first);
    if (known != named.end()) {
      return known->second;
    }
    lock.unlock();
    std::string key = made_key(identity);
    lock.lock();
    if (named.size() == k_named_limit) {
      named.pop_front();
    }
    return named.emplace_back(identity, std::move(key)).second;
  }

  fs::path file_of(const std::string& key) const { return folder / "modules" / key; }

  std::shared_ptr<const Build> from_disk(const std::string& key) const
  {
    if (folder.empty()) {
      return nullptr;
    }
    const auto bytes = read_file(file_of(key));
    if (!bytes) {
      return nullptr;
    }
    auto module = unpack_module(*bytes, key);
    if (!module) {
      return nullptr;
    }
    auto build = std::make_shared<Build>();
    build->module = std::move(*module);
    return build;
  }

  void to_disk(const std::string& key, const backend::Module& module) const
  {
    std::error_code ignored;
    fs::create_directories(file_of(key).parent_path(), ignored);
    // A cache that cannot be written (full disk, read-only) costs time, not results.
    [[maybe_unused]] const auto written = write_file(file_of(key), pack_module(module, key));
  }

  Outcome build(const backend::BuildInput& input, const backend::CompileJob& job, const std::string& key) const
  {
    if (auto known = from_disk(key)) {
      return known;
    }
    auto build = std::make_shared<Build>();
    std::map<std::string, std::string> outputs;
    if (!job.commands.empty()) {
      HONE_TRY(JailOutcome outcome, run_in_jail(job, JailLimits{}));
      build->log = backend.translate_log(outcome.log);
      if (outcome.status != record::Status::correct) {
        build->status = outcome.status;
        build->reason = outcome.reason;
        return build;
      }
      outputs = std::move(outcome.outputs);
    }
    auto module = backend.load(input, outputs);
    if (!module) {
      const bool rejected = module.error().kind == backend::LoadFailure::Kind::rejected;
      build->status = rejected ? record::Status::rejected : record::Status::compile;
      build->reason = module.error().reason;
      return build;
    }
    build->module = std::move(*module);
    if (!folder.empty()) {
      to_disk(key, build->module);
    }
    return build;
  }

  // Who inserts the future builds; everyone else waits for it.
  Outcome get(const BuildRequest& request)
  {
    const backend::BuildInput input{kernel, request.candidate, request.point, request.sizes, request.plan};
    HONE_TRY(const Identity identity, identity_of(request, input));
    const std::string key = key_of(identity);
    std::promise<Outcome> promise;
    std::unique_lock lock(mutex);
    if (const auto found = builds.find(key); found != builds.end()) {
      const std::shared_future<Outcome> future = found->second;
      lock.unlock();
      return future.get();
    }
    builds.emplace(key, promise.get_future().share());
    order.push_back(key);
    if (order.size() > k_memory_limit) {
      builds.erase(order.front()); // those who wait for it hold the future themselves
      order.pop_front();
    }
    lock.unlock();
    Outcome outcome = build(input, identity.job, key);
    if (!outcome) {
      forget(key); // a full disk now says nothing about the next try
    }
    promise.set_value(outcome);
    return outcome;
  }

  void forget(const std::string& key)
  {
    const std::lock_guard lock(mutex);
    builds.erase(key);
    std::erase(order, key);
  }

  void work(const std::stop_token& stop)
  {
    sched_setaffinity(0, sizeof usable, &usable); // of this thread; compilers inherit it
    while (true) {
      std::unique_lock lock(mutex);
      if (!wake.wait(lock, stop, [&] { return !queue.empty(); })) {
        return;
      }
      const BuildRequest request = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      [[maybe_unused]] const Outcome outcome = get(request); // whoever asks later sees it, failures too
    }
  }
};

BuildCache::BuildCache(const kernel::Kernel& kernel, const backend::Backend& backend, std::string environment,
                       fs::path folder, int timing_cpu)
  : m_impl(std::make_unique<Impl>(kernel, backend, std::move(environment), std::move(folder), timing_cpu))
{
}

BuildCache::~BuildCache() = default;

Result<std::shared_ptr<const Build>> BuildCache::get(const BuildRequest& request)
{
  return m_impl->get(request);
}

void BuildCache::prebuild(BuildRequest request)
{
  const std::lock_guard lock(m_impl->mutex);
  if (m_impl->queue.size() >= k_queue_limit) {
    return;
  }
  if (!m_impl->worker.joinable()) {
    m_impl->worker = std::jthread([impl = m_impl.get()](const std::stop_token& stop) { impl->work(stop); });
  }
  m_impl->queue.push_back(std::move(request));
  m_impl->wake.notify_one();
}

} // namespace hone::gate
