// hone-runner-library: runs a numerical library as a rival, in a process of its own.
//
// Trusted code, and still locked: a library that went wrong must not reach files, the network or other programs.
// Called with --probe FILE... it prints which of these libraries open on this machine, one per line, and after a tab
// what each says of itself.
#include "backend/library/library_facts.h"
#include "backend/library/library_request.h"
#include "backend/library/library_threads.h"
#include "backend/library/product.h"
#include "backend/runner/runner_core.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace hone;
using namespace hone::backend;
using namespace hone::backend::runner;

// What the library may still read once it is locked in. It was opened before; this is for data it looks up late.
constexpr const char* k_readable[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/sys/devices/system", nullptr};

LibraryRequest g_request;
Product g_product = nullptr;

void set_environment(const std::string& assignments)
{
  std::istringstream words(assignments);
  for (std::string assignment; words >> assignment;) {
    const std::size_t equals = assignment.find('=');
    if (equals != std::string::npos) {
      setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
    }
  }
}

// An installed library may come with others that it needs, in its folder: `needs.txt` names them in the order in which
// they are opened.
void* open_library(const std::string& file)
{
  const std::size_t slash = file.rfind('/');
  if (slash != std::string::npos) {
    const std::string folder = file.substr(0, slash + 1);
    std::ifstream needs(folder + "needs.txt");
    for (std::string name; std::getline(needs, name);) {
      if (!name.empty() && dlopen((folder + name).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        return nullptr;
      }
    }
  }
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Moves the place where the dynamic loader will map the library, so that one lucky or unlucky load address cannot
// decide every pair. The hole is never touched and costs nothing.
void draw_load_address()
{
  constexpr std::size_t k_page = 4096;
  std::uint32_t pages = 0;
  if (getrandom(&pages, sizeof pages, 0) == ssize_t{sizeof pages}) {
    mmap(nullptr, (pages % (1U << 18) + 1) * k_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
}

OpenedProduct open_product()
{
  set_environment(g_request.environment);
  draw_load_address();
  void* library = open_library(g_request.file);
  if (library == nullptr) {
    return {nullptr, dlerror()};
  }
  if (g_request.entry == "cblas") {
    return open_cblas(library);
  }
  if (g_request.entry == "clblast") {
    return open_clblast(library);
  }
  if (g_request.entry == "dnnl-sgemm") {
    return open_dnnl_sgemm(library);
  }
  if (g_request.entry == "dnnl-gemm") {
    return open_dnnl_gemm(library, g_request.call);
  }
  if (g_request.entry == "dnnl-matmul") {
    return open_dnnl_matmul(library, g_request.call);
  }
  if (g_request.entry == "dnnl3-matmul") {
    return open_dnnl3_matmul(library, g_request.call);
  }
  if (g_request.entry == "mkl-jit") {
    return open_mkl_jit(library, g_request.call);
  }
  if (g_request.entry == "xsmm") {
    return open_xsmm(library, g_request.call);
  }
  return {nullptr, "the request names an unknown way of computing"};
}

bool names_existing_buffers(const JobView& job, const GemmCall& call)
{
  const auto exists = [&](std::int64_t buffer) { return buffer >= 0 && buffer < std::int64_t{job.buffers()}; };
  return exists(call.a) && exists(call.b) && exists(call.c) && (call.bias < 0 || exists(call.bias));
}

const void* address(const JobView& job, std::uint32_t set, std::int64_t buffer)
{
  return buffer < 0 ? nullptr : reinterpret_cast<const void*>(job.buffer(set, std::uint32_t(buffer)).address);
}

ProductOperands operands_of(const JobView& job, std::uint32_t set)
{
  const GemmCall& call = g_request.call;
  return {address(job, set, call.a), address(job, set, call.b), address(job, set, call.bias),
          const_cast<void*>(address(job, set, call.c))};
}

// One call on memory of our own that is given back afterwards: libraries allocate buffers, generate code and measure
// the CPU on their first call, which must neither be timed nor happen under the lock.
const char* warm_up(const JobView& job)
{
  ProductOperands operands = operands_of(job, 0);
  const std::uint32_t output = std::uint32_t(g_request.call.c);
  const std::size_t bytes = job.buffer(0, output).bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return "no memory for the library's first call";
  }
  operands.c = memory;
  g_product(g_request.call, operands);
  munmap(memory, bytes);
  return nullptr;
}

const char* load(const JobView& job)
{
  const auto request = library_request_from_text(job.options());
  if (!request || !names_existing_buffers(job, request->call)) {
    refuse(RefusalKind::setup, "the library request does not fit the job");
  }
  g_request = *request;
  if (const char* failure = set_library_threads(job.workers())) {
    return failure;
  }
  if (const char* failure = allow_all_cpus(job)) {
    return failure;
  }
  const OpenedProduct opened = open_product();
  if (opened.product == nullptr) {
    refuse(RefusalKind::setup, g_request.file + ": " + opened.error);
  }
  g_product = opened.product;
  if (const char* failure = warm_up(job)) {
    return failure;
  }
  return spread_threads(job);
}

const char* call(const JobView& job, std::uint32_t set, std::uint32_t)
{
  g_product(g_request.call, operands_of(job, set));
  return nullptr;
}

// Each in a process of its own: two builds of one library do not bear each other, and one that crashes is not there.
int probe(int count, char** files)
{
  set_library_threads(1);
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (void* const library = open_library(files[i])) {
        std::printf("%s\t%s\n", files[i], facts_of_library(library).c_str());
        std::fflush(stdout);
      }
      _exit(0);
    }
    int status = 0;
    if (child > 0) {
      waitpid(child, &status, 0);
    }
  }
  return 0;
}

} // namespace

int main(int count, char** arguments)
{
  if (count >= 2 && std::strcmp(arguments[1], "--probe") == 0) {
    return probe(count - 2, arguments + 2);
  }
  Platform platform;
  platform.lock = LockProfile::loose;
  platform.load_before_lock = true;
  platform.readable = k_readable;
  platform.load = load;
  platform.call = call;
  return hone::backend::runner::run(platform);
}
