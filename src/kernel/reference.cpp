#include "kernel/reference.h"

#include "kernel/contraction_tables.h"
#include "kernel/range_check.h"
#include "kernel/reference_abi.h"
#include "kernel/reference_accuracy.h"
#include "kernel/reference_file.h"
#include "kernel/reference_source.h"
#include "util/disk.h"
#include "util/hash.h"
#include "util/process.h"
#include "util/stop_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <span>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace hone::kernel {

namespace {

// No licence to reorder or to assume away NaN: the reference follows the expression. C++17, as the headers of later
// standards take the compiler longer than the rest.
const std::vector<std::string> k_compile{"g++",     "-std=c++17", "-O3",     "-march=native", "-fno-math-errno",
                                         "-fwrapv", "-fPIC",      "-shared", "-fno-rtti",     "-fno-exceptions"};

// Sums of products are computed side by side, where each thread has at least so many of them.
constexpr double k_products_of_a_thread = 5e7;
constexpr std::int64_t k_most_threads = 4;
constexpr double k_flops_of_a_thread = 2e6; // of other statements, whose terms take longer

constexpr std::uint64_t k_room_to_compile = std::uint64_t{4} << 20; // bytes of temporary files, generously

// What -march=native means differs between machines that share a cache folder.
std::string processor_text()
{
  const auto text = read_file("/proc/cpuinfo");
  if (!text) {
    return "unknown processor";
  }
  const std::size_t start = text->find("flags");
  return start == std::string::npos ? "no flags" : text->substr(start, text->find('\n', start) - start);
}

// What the tiles of doubles compute: sums of integers too, as long as nothing is done to them but storing them.
std::optional<Contraction> as_tiled_contraction(const Kernel& kernel)
{
  auto contraction = as_contraction(kernel);
  const bool sums = !contraction || is_float(contraction->a->type) || contraction->epilogue->kind == ExprKind::hole;
  return sums ? contraction : std::nullopt;
}

// Our environment, with another folder for the compiler's own temporary files: what is killed leaves them there.
std::vector<std::string> environment_with_temporary(const fs::path& folder)
{
  std::vector<std::string> variables{"TMPDIR=" + folder.string()};
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("TMPDIR=")) {
      variables.emplace_back(*variable);
    }
  }
  return variables;
}

Result<void> compile(const std::string& source, const fs::path& target, const std::string& key)
{
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-reference"));
  const fs::path unit = folder.path() / "reference.cpp";
  const fs::path library = folder.path() / "reference.so";
  HONE_CHECK(write_file(unit, source));
  ProcessRequest request;
  request.argv = k_compile;
  request.argv.insert(request.argv.end(), {"-o", library.string(), unit.string()});
  request.environment = environment_with_temporary(folder.path());
  request.deadline = std::chrono::minutes(2);
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.ok()) {
    if (has_less_room_than(folder.path(), k_room_to_compile)) {
      return fail(fmt::format("there is no room to compile the reference in '{}'", folder.path().string()),
                  make_room_hint(folder.path()) + ", or point TMPDIR elsewhere");
    }
    return fail(fmt::format("the reference does not compile: {}", outcome.err.substr(0, 2000)),
                "this is a mistake in Hone: please report the kernel.toml");
  }
  HONE_TRY(std::string bytes, read_file(library));
  return write_file(target, seal_reference(std::move(bytes), key));
}

// Zeroed memory whose untouched pages cost nothing: single elements need few of a large intermediate. From the system,
// as an allocator that keeps freed memory would write zeros over all of it.
template <class T> class ZeroedArray {
public:
  static Result<ZeroedArray> of(std::int64_t count)
  {
    const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(count) * sizeof(T), 1);
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
      return fail(fmt::format("no memory for {} elements of the reference", count), "choose smaller sizes");
    }
    ZeroedArray out;
    out.m_data = {static_cast<T*>(data), Unmap{bytes}};
    return out;
  }
  T* data() { return m_data.get(); }

private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(T* data) const { munmap(data, bytes); }
  };
  std::unique_ptr<T, Unmap> m_data;
};

std::int64_t product(const std::vector<std::int64_t>& shape)
{
  std::int64_t out = 1;
  for (const std::int64_t extent : shape) {
    out *= extent;
  }
  return out;
}

// One for each thread, of its longer side.
std::vector<ReferenceContraction> in_parts(const ReferenceContraction& whole, ReferenceThreads threads)
{
  const double products = static_cast<double>(whole.batches * whole.rows) * static_cast<double>(whole.columns)
                          * static_cast<double>(whole.terms);
  const bool rows = whole.rows > whole.columns;
  const std::int64_t side = rows ? whole.rows : whole.columns;
  static const std::int64_t cpus_here = std::thread::hardware_concurrency(); // which opens a file each time
  const std::int64_t cpus = threads == ReferenceThreads::one ? 1 : cpus_here;
  const std::int64_t enough = static_cast<std::int64_t>(std::min(products / k_products_of_a_thread, 1e6));
  const std::int64_t count = std::max<std::int64_t>(std::min({cpus, k_most_threads, enough, side}), 1);
  std::vector<ReferenceContraction> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = i * side / count, end = (i + 1) * side / count;
    ReferenceContraction part = whole;
    (rows ? part.a_m : part.b_n) += begin;
    (rows ? part.out_m : part.out_n) += begin;
    (rows ? part.rows : part.columns) = end - begin;
    parts.push_back(part);
  }
  return parts;
}

// How many threads compute the elements of other statements.
std::int64_t parts_for(const Kernel& kernel, const Sizes& sizes, ReferenceThreads threads)
{
  // Normwise bounds, and elements that are left out, are settled for all of an output.
  const bool one = threads == ReferenceThreads::one || settles_sums(kernel.accuracy);
  const auto work = one ? Result<Work>(fail("")) : work_of(kernel, sizes);
  static const std::int64_t cpus = std::thread::hardware_concurrency();
  const double enough = work ? work->plain_flops / k_flops_of_a_thread : 0;
  return std::max<std::int64_t>(std::min({cpus, k_most_threads, static_cast<std::int64_t>(std::min(enough, 1e6))}), 1);
}

} // namespace

struct Reference::Loaded {
  Kernel kernel;
  std::optional<Contraction> contraction;
  std::vector<std::size_t> output_statements; // per output, the statement that computes it
  void* library = nullptr;
  ReferenceStatementFunction* all = nullptr;
  ReferenceElementFunction* one = nullptr;
  ReferenceContractionFunction* contract = nullptr;
  ReferenceFinishFunction* finish = nullptr;
  ReferenceAcceptFunction* accept = nullptr;

  Loaded() = default;
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded()
  {
    if (library != nullptr) {
      ::dlclose(library);
    }
  }

  Result<void> open(const fs::path& path)
  {
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return fail(fmt::format("cannot load the reference '{}': {}", path.string(), ::dlerror()),
                  "remove that file: it is built again");
    }
    all = reinterpret_cast<ReferenceStatementFunction*>(::dlsym(library, "hone_all"));
    one = reinterpret_cast<ReferenceElementFunction*>(::dlsym(library, "hone_one"));
    contract = reinterpret_cast<ReferenceContractionFunction*>(::dlsym(library, "hone_contract"));
    finish = reinterpret_cast<ReferenceFinishFunction*>(::dlsym(library, "hone_finish"));
    accept = reinterpret_cast<ReferenceAcceptFunction*>(::dlsym(library, "hone_accept"));
    auto* watch = reinterpret_cast<ReferenceWatchFunction*>(::dlsym(library, "hone_watch"));
    if (all == nullptr || one == nullptr || accept == nullptr || watch == nullptr
        || (contraction && (contract == nullptr || finish == nullptr))) {
      return fail(fmt::format("the reference '{}' is not whole", path.string()), "remove that file: it is built again");
    }
    watch(stop_request_flag());
    return {};
  }

  // Everything a call could trip over: sizes that are missing or too large, reads out of range, missing pointers.
  Result<void> check(const Sizes& sizes, std::span<const std::byte* const> inputs) const
  {
    for (const std::string& symbol : kernel.symbols) {
      if (!sizes.contains(symbol)) {
        return fail(fmt::format("the size '{}' has no value", symbol));
      }
    }
    std::vector<Error> errors = check_ranges(kernel.arguments, kernel.program, sizes);
    if (!errors.empty()) {
      return std::unexpected(std::move(errors.front()));
    }
    if (inputs.size() != kernel.arguments.size()) {
      return fail(fmt::format("the reference takes {} pointers; {} given", kernel.arguments.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr && kernel.arguments[i].role != Role::output) {
        return fail(fmt::format("the reference has no data for '{}'", kernel.arguments[i].name));
      }
    }
    return {};
  }

  std::vector<std::int64_t> sizes_in_order(const Sizes& sizes) const
  {
    std::vector<std::int64_t> out;
    for (const std::string& symbol : kernel.symbols) {
      out.push_back(sizes.at(symbol));
    }
    return out;
  }

  // Of the last sizes they are kept: calls at the same sizes come one after the other.
  Result<std::shared_ptr<const ContractionTables>> tables_at(const Sizes& sizes) const
  {
    const std::scoped_lock lock(m_tables_mutex);
    if (m_tables == nullptr || m_tables_sizes != sizes) {
      m_tables = nullptr; // before the next ones are made: they may be large
      HONE_TRY(ContractionTables tables, ContractionTables::of(kernel, *contraction, sizes));
      m_tables = std::make_shared<const ContractionTables>(std::move(tables));
      m_tables_sizes = sizes;
    }
    return m_tables;
  }

  // All elements of a statement.
  void run_all(const ReferenceEnvironment& environment, std::size_t statement, std::int64_t parts) const
  {
    std::vector<ReferenceEnvironment> environments(static_cast<std::size_t>(parts), environment);
    std::vector<std::jthread> others; // they end before what they are given
    for (std::size_t part = 0; part < environments.size(); ++part) {
      environments[part].part = static_cast<std::int64_t>(part);
      environments[part].parts = parts;
    }
    for (const ReferenceEnvironment& part : std::span(environments).subspan(1)) {
      others.emplace_back([this, &part, statement] { all(&part, static_cast<std::int64_t>(statement)); });
    }
    all(environments.data(), static_cast<std::int64_t>(statement));
  }

  // `target`: what the environment has for the contraction's statement.
  Result<void> run_contraction(const ReferenceEnvironment& environment, const Sizes& sizes, ReferenceOutput& target,
                               ReferenceThreads threads) const
  {
    HONE_TRY(const std::shared_ptr<const ContractionTables> kept, tables_at(sizes));
    const ContractionTables& tables = *kept;
    if (tables.a_k.empty()) { // sums of nothing
      std::ranges::fill(target.values, 0.0);
      std::ranges::fill(target.bounds, 0.0);
    }
    const auto count = [](const ContractionTables::Offsets& table) { return static_cast<std::int64_t>(table.size()); };
    const ReferenceContraction plain{
      tables.a_batch.data(), tables.a_m.data(),       tables.a_k.data(),   tables.b_batch.data(), tables.b_n.data(),
      tables.b_k.data(),     tables.out_batch.data(), tables.out_m.data(), tables.out_n.data(),   count(tables.a_batch),
      count(tables.a_m),     count(tables.b_n),       count(tables.a_k)};
    const std::vector<ReferenceContraction> parts = in_parts(plain, threads);
    std::vector<std::jthread> others; // they end before what they are given
    for (const ReferenceContraction& part : std::span(parts).subspan(1)) {
      others.emplace_back([this, &environment, &part] { contract(&environment, &part); });
    }
    contract(&environment, &parts.front());
    others.clear(); // they have ended then
    finish(&environment, &plain);
    return {};
  }

private:
  mutable std::mutex m_tables_mutex;
  mutable Sizes m_tables_sizes;
  mutable std::shared_ptr<const ContractionTables> m_tables;
};

bool knows_elements(const Kernel& kernel)
{
  return kernel.reference == ReferenceKind::expression && kernel.accuracy.bounds == BoundClass::elementwise;
}

Result<Reference> Reference::build(const Kernel& kernel, const fs::path& cache)
{
  if (kernel.program.statements.empty()) {
    return fail(fmt::format("'{}' has no expression to derive a reference from", kernel.name));
  }
  auto loaded = std::make_shared<Loaded>();
  loaded->kernel = kernel;
  loaded->contraction = as_tiled_contraction(kernel);
  for (const std::size_t output : kernel.outputs()) {
    const std::size_t home = home_of(kernel.program, kernel.arguments[output].name);
    if (home < kernel.program.statements.size()) {
      loaded->output_statements.push_back(home);
    }
  }
  const std::string source = reference_source(kernel, loaded->contraction);
  std::string key = processor_text() + "\n";
  for (const std::string& word : k_compile) {
    key += word + " ";
  }
  std::error_code problem;
  fs::create_directories(cache, problem);
  const std::string hash = sha256(key + "\n" + source);
  const fs::path library = reference_file(cache, hash);
  if (!check_reference_file(library)) {
    HONE_CHECK(compile(source, fs::absolute(library), hash));
  }
  HONE_CHECK(loaded->open(fs::absolute(library)));
  Reference out;
  out.m_loaded = std::move(loaded);
  return out;
}

Result<std::vector<ReferenceOutput>> Reference::evaluate(const Sizes& sizes, std::span<const std::byte* const> inputs,
                                                         ReferenceThreads threads) const
{
  HONE_CHECK(m_loaded->check(sizes, inputs));
  const std::vector<Statement>& statements = m_loaded->kernel.program.statements;
  std::vector<ReferenceOutput> targets(statements.size());
  std::vector<double*> values;
  std::vector<double*> errors;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    HONE_TRY(const std::vector<std::int64_t> shape, shape_of(statements[i], sizes));
    if (home_of(m_loaded->kernel.program, statements[i].target) == i) {   // others store where it does
      targets[i].values.resize(static_cast<std::size_t>(product(shape))); // every element is stored below
      targets[i].bounds.resize(targets[i].values.size());
    }
    values.push_back(targets[i].values.data());
    errors.push_back(targets[i].bounds.data());
  }
  const std::vector<std::int64_t> ordered = m_loaded->sizes_in_order(sizes);
  const std::vector<const void*> arguments(inputs.begin(), inputs.end());
  const ReferenceEnvironment environment{ordered.data(), arguments.data(), values.data(), errors.data(), nullptr};
  const std::int64_t parts = parts_for(m_loaded->kernel, sizes, threads);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (m_loaded->contraction && m_loaded->contraction->statement == i) {
      HONE_CHECK(m_loaded->run_contraction(environment, sizes, targets[i], threads));
    } else {
      m_loaded->run_all(environment, i, parts);
    }
    if (is_stop_requested()) {
      return fail(
        fmt::format("the reference of '{}' was not evaluated to its end: a stop was asked for", m_loaded->kernel.name));
    }
  }
  std::vector<ReferenceOutput> out;
  for (const std::size_t statement : m_loaded->output_statements) {
    m_loaded->accept(&environment, static_cast<std::int64_t>(statement));
    out.push_back(std::move(targets[statement]));
  }
  return out;
}

Result<std::vector<ElementReference>> Reference::elements(const Sizes& sizes, std::span<const std::byte* const> inputs,
                                                          std::size_t output,
                                                          std::span<const std::int64_t> flat_indices) const
{
  HONE_CHECK(m_loaded->check(sizes, inputs));
  if (!knows_elements(m_loaded->kernel)) {
    return fail(
      fmt::format("bounds of '{}' are normwise: they are known for whole outputs only", m_loaded->kernel.name));
  }
  if (output >= m_loaded->output_statements.size()) {
    return fail(fmt::format("there is no output {}", output));
  }
  if (is_ordered(m_loaded->kernel.program)) {
    return elements_of_all(sizes, inputs, output, flat_indices);
  }
  const std::vector<Statement>& statements = m_loaded->kernel.program.statements;
  const std::size_t wanted = m_loaded->output_statements[output];
  std::vector<ZeroedArray<double>> numbers;
  std::vector<ZeroedArray<unsigned char>> flags;
  std::vector<double*> values;
  std::vector<double*> errors;
  std::vector<unsigned char*> computed;
  for (std::size_t i = 0; i <= wanted; ++i) {
    HONE_TRY(const std::vector<std::int64_t> shape, shape_of(statements[i], sizes));
    const std::int64_t count = product(shape);
    const auto stray = std::ranges::find_if(flat_indices, [&](std::int64_t at) { return at < 0 || at >= count; });
    if (i == wanted && stray != flat_indices.end()) {
      return fail(fmt::format("element {} of '{}' does not exist; it has {}", *stray, statements[i].target, count));
    }
    for (std::vector<double*>* list : {&values, &errors}) {
      HONE_TRY(auto array, ZeroedArray<double>::of(count));
      list->push_back(array.data());
      numbers.push_back(std::move(array));
    }
    HONE_TRY(auto array, ZeroedArray<unsigned char>::of(count));
    computed.push_back(array.data());
    flags.push_back(std::move(array));
  }
  const std::vector<std::int64_t> ordered = m_loaded->sizes_in_order(sizes);
  const std::vector<const void*> arguments(inputs.begin(), inputs.end());
  const ReferenceEnvironment environment{ordered.data(), arguments.data(), values.data(), errors.data(),
                                         computed.data()};
  std::vector<ElementReference> out(flat_indices.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (is_stop_requested()) {
      return fail(
        fmt::format("the reference of '{}' was not evaluated to its end: a stop was asked for", m_loaded->kernel.name));
    }
    m_loaded->one(&environment, static_cast<std::int64_t>(wanted), flat_indices[i], &out[i].value, &out[i].bound);
  }
  return out;
}

// What loops compute in order depends on all rounds before: there is no shorter way to one element.
Result<std::vector<ElementReference>> Reference::elements_of_all(const Sizes& sizes,
                                                                 std::span<const std::byte* const> inputs,
                                                                 std::size_t output,
                                                                 std::span<const std::int64_t> flat_indices) const
{
  HONE_TRY(const std::vector<ReferenceOutput> all, evaluate(sizes, inputs));
  const ReferenceOutput& of = all[output];
  std::vector<ElementReference> out;
  for (const std::int64_t at : flat_indices) {
    if (at < 0 || at >= static_cast<std::int64_t>(of.values.size())) {
      return fail(fmt::format("element {} of output {} does not exist; it has {}", at, output, of.values.size()));
    }
    const auto position = static_cast<std::size_t>(at);
    out.push_back({of.values[position], of.bounds[position]});
  }
  return out;
}

} // namespace hone::kernel
