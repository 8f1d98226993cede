#include "backend/cpu/cpu_backend.h"

#include "backend/cpu/assembly_rules.h"
#include "backend/cpu/candidate_files.h"
#include "backend/cpu/compared_numbers.h"
#include "backend/cpu/compile_log.h"
#include "backend/cpu/counting/cpu_access_counter.h"
#include "backend/cpu/elf_image.h"
#include "backend/cpu/link_map.h"
#include "backend/cpu/module_assembly.h"
#include "backend/cpu/object_check.h"
#include "backend/cpu/probe.h"
#include "backend/cpu/prototypes.h"
#include "backend/cpu/watch/watch.h"
#include "backend/listing.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <elf.h>
#include <iterator>

namespace hone::backend {

namespace {

constexpr const char* k_assembly = "device.s";
constexpr const char* k_preprocessed = "device.ii";
constexpr const char* k_object = "device.o";
constexpr const char* k_linked = "image.elf";
constexpr const char* k_map = "image.map";
constexpr std::uint64_t k_largest_image = std::uint64_t{4} << 20;

// Position-independent, so that whatever needs an address at load time leaves a relocation that load() sees.
std::vector<std::string> link_command(const kernel::ResolvedPlan& plan)
{
  std::vector<std::string> words{
    cpu::k_linker,     "-pie",          "--no-dynamic-linker",    "-z", "text",     "-z", "noexecstack",
    "--build-id=none", "--gc-sections", "--no-warn-rwx-segments", "-T", "image.ld", "-e", "0"};
  words.push_back(fmt::format("-Map={}", k_map));
  for (const kernel::ResolvedLaunch& launch : plan.launches) { // the roots: everything they do not reach goes
    words.push_back(fmt::format("--require-defined={}", launch.kernel));
  }
  words.insert(words.end(), {k_object, "hone_support.o", "--start-group", cpu::k_math_library});
  if (!cpu::compiler_library().empty()) {
    words.push_back(cpu::compiler_library());
  }
  words.insert(words.end(), {"--end-group", "-o", k_linked});
  return words;
}

LoadFailure refused(std::string reason)
{
  return {LoadFailure::Kind::compile, std::move(reason)};
}

// "" or the rule for inline assembly that is broken.
std::string assembly_rule_violation(std::string_view preprocessed, std::string_view assembly)
{
  std::string forged = cpu::marker_forgery(preprocessed);
  return forged.empty() ? cpu::assembly_violation(assembly) : forged;
}

// Sections that a position-independent link always makes and an image does not need.
bool is_link_table(const cpu::ElfSection& section)
{
  return section.type == SHT_DYNSYM || section.type == SHT_HASH || section.type == SHT_GNU_HASH
         || section.type == SHT_DYNAMIC || (section.type == SHT_STRTAB && section.name == ".dynstr");
}

std::string about_section(const cpu::ElfSection& section)
{
  const std::string name = cpu::printable_name(section.name);
  if (section.type == SHT_RELA || section.type == SHT_REL || name == ".got") {
    return "needs addresses that are not known before loading (tables of pointers, or functions chosen at load time)";
  }
  if ((section.flags & SHF_WRITE) != 0) {
    return fmt::format("keeps state between calls: data in section {}", name);
  }
  return fmt::format("puts code or data into section {}, which is not loaded", name);
}

// Only code and constants may remain in memory.
std::expected<void, LoadFailure> check_sections(const cpu::ElfImage& elf, std::string_view map)
{
  const auto offends = [](const cpu::ElfSection& section) {
    return (section.flags & SHF_ALLOC) != 0 && section.size > 0 && section.name != ".text" && !is_link_table(section);
  };
  const auto offender = std::find_if(elf.sections.begin(), elf.sections.end(), offends);
  if (offender == elf.sections.end()) {
    return {};
  }
  const std::string explained = cpu::explain_writable(map, k_object);
  return std::unexpected(refused(explained.empty() ? about_section(*offender) : explained));
}

std::expected<std::string, LoadFailure> text_of(const cpu::ElfImage& elf, std::string_view bytes)
{
  const auto text = std::find_if(elf.sections.begin(), elf.sections.end(),
                                 [](const cpu::ElfSection& section) { return section.name == ".text"; });
  if (text == elf.sections.end() || text->type != SHT_PROGBITS || text->address != 0
      || (text->flags & SHF_WRITE) != 0) {
    return std::unexpected(refused("the linked image holds no code at its start, or code that can be written"));
  }
  if (text->size > k_largest_image) {
    return std::unexpected(refused(fmt::format("code and constants take {}; at most {} are allowed",
                                               format_bytes(static_cast<double>(text->size)),
                                               format_bytes(static_cast<double>(k_largest_image)))));
  }
  if (text->offset > bytes.size() || text->size > bytes.size() - text->offset) {
    return std::unexpected(refused("the linker's output is malformed: code lies outside the file"));
  }
  return std::string(bytes.substr(text->offset, text->size));
}

std::expected<std::uint64_t, LoadFailure> entry_of(const cpu::ElfImage& elf, const std::string& kernel,
                                                   std::size_t image_size)
{
  const auto symbol = elf.symbols.find(kernel);
  if (symbol == elf.symbols.end() || symbol->second >= image_size) {
    return std::unexpected(refused(fmt::format("kernel {} does not lie in the image", kernel)));
  }
  return symbol->second;
}

std::string hash_of(const Module& module)
{
  std::string identity = fmt::format("{}\n", module.image.size()) + module.image;
  for (std::size_t i = 0; i < module.entries.size(); ++i) {
    identity += fmt::format("\n{} {}", module.entries[i], module.entry_names[i]);
  }
  return sha256(identity);
}

class CpuBackend final : public Backend {
public:
  std::string_view name() const override { return "cpu"; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override
  {
    return "before loading: no files, no network, no new processes, threads or memory (seccomp allow-list: futex, "
           "clock, exit); after loading: nothing is opened again, inputs and code stay read-only";
  }
  Result<DeviceInfo> probe() const override { return cpu::probe(); }
  lower::Dialect dialect() const override
  {
    const cpu::Isa isa = cpu::best_isa();
    return lower::cpu_dialect(cpu::vector_bytes(isa), isa != cpu::Isa::x86_64);
  }
  Result<CompileJob> compile_job(const BuildInput& input) const override;
  Result<ListingJob> listing_job(const BuildInput& input) const override;
  std::expected<Module, LoadFailure> load(const BuildInput& input,
                                          const std::map<std::string, std::string>& outputs) const override;
  std::string translate_log(std::string_view log) const override { return cpu::translate_compile_log(log); }
  bool takes_threads() const override { return true; }
  const Inspector* inspector() const override { return &cpu::access_watch(); }
  const AccessCounter* access_counter() const override { return &cpu::cpu_access_counter(); }
  Result<std::vector<std::int64_t>> compared_numbers(const Module& module) const override;
  Capabilities capabilities() const override
  {
    Capabilities can;
    can.groups_one_by_one = true;
    can.caller_state = true;
    can.shared_scratch = true;
    can.watched_accesses = true;
    can.compared_numbers = true;
    can.code_placement = true;
    return can;
  }
  std::string_view runner_program() const override { return "hone-runner-cpu"; }
};

Result<CompileJob> CpuBackend::compile_job(const BuildInput& input) const
{
  CompileJob job;
  HONE_TRY(job.files, cpu::candidate_files(input));
  job.commands = {cpu::preprocess_command(input, k_preprocessed), cpu::compile_command(k_preprocessed, k_assembly),
                  cpu::assemble_command(k_assembly, k_object), link_command(input.plan)};
  job.outputs = {k_assembly, k_object, k_linked, k_map, k_preprocessed};
  return job;
}

Result<ListingJob> CpuBackend::listing_job(const BuildInput& input) const
{
  ListingJob listing;
  HONE_TRY(listing.job.files, cpu::candidate_files(input));
  const std::string assembly(k_listing_file), remarks(k_remarks_file);
  std::vector<std::string> compile = cpu::lined_compile_command(k_preprocessed, assembly.c_str());
  compile.push_back("-fopt-info-loop-vec-optimized-missed=" + remarks);
  listing.job.commands = {cpu::preprocess_command(input, k_preprocessed), std::move(compile)};
  listing.job.outputs = {assembly, remarks};
  return listing;
}

std::expected<Module, LoadFailure> CpuBackend::load(const BuildInput& input,
                                                    const std::map<std::string, std::string>& outputs) const
{
  const auto preprocessed = outputs.find(k_preprocessed);
  const auto assembly = outputs.find(k_assembly);
  const auto object = outputs.find(k_object);
  const auto linked = outputs.find(k_linked);
  const auto map = outputs.find(k_map);
  if (preprocessed == outputs.end() || assembly == outputs.end() || object == outputs.end() || linked == outputs.end()
      || map == outputs.end()) {
    return std::unexpected(refused("the compile job left no linked image"));
  }
  const auto parts = cpu::read_elf(object->second);
  if (!parts) {
    return std::unexpected(refused(parts.error().message));
  }
  std::vector<std::string> kernels; // also those that are not launched at this size
  std::ranges::transform(input.plan.launches, std::back_inserter(kernels), &kernel::ResolvedLaunch::kernel);
  for (const auto* launches : {&input.candidate.plan.launches, &input.candidate.plan.preparation}) {
    std::ranges::transform(*launches, std::back_inserter(kernels), &kernel::LaunchSpec::kernel);
  }
  if (std::string changed = cpu::link_side_effect(*parts, kernels); !changed.empty()) {
    return std::unexpected(refused(std::move(changed)));
  }
  const auto elf = cpu::read_elf(linked->second);
  if (!elf) {
    return std::unexpected(refused(elf.error().message));
  }
  if (auto clean = check_sections(*elf, map->second); !clean) {
    return std::unexpected(clean.error());
  }
  auto image = text_of(*elf, linked->second);
  if (!image) {
    return std::unexpected(image.error());
  }
  if (std::string broken = assembly_rule_violation(preprocessed->second, assembly->second); !broken.empty()) {
    return std::unexpected(refused(std::move(broken)));
  }
  Module module;
  module.image = std::move(*image);
  cpu::store_assembly(module, assembly->second);
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    const auto entry = entry_of(*elf, launch.kernel, module.image.size());
    if (!entry) {
      return std::unexpected(entry.error());
    }
    module.entries.push_back(*entry);
    module.entry_names.push_back(launch.kernel);
  }
  module.hash = hash_of(module);
  return module;
}

Result<std::vector<std::int64_t>> CpuBackend::compared_numbers(const Module& module) const
{
  HONE_TRY(const std::string assembly, cpu::stored_assembly(module));
  return cpu::compared_numbers(assembly);
}

} // namespace

const Backend& cpu_backend()
{
  static const CpuBackend backend;
  return backend;
}

} // namespace hone::backend
