#include "backend/cpu/candidate_files.h"

#include "backend/cpu/compile_log.h"
#include "backend/cpu/embedded_files.h"
#include "backend/cpu/math_names.h"
#include "backend/cpu/probe.h"
#include "backend/cpu/prototypes.h"

#include <fmt/format.h>

namespace hone::backend::cpu {

Result<std::map<std::string, std::string>> candidate_files(const BuildInput& input)
{
  std::map<std::string, std::string> files = embedded_files();
  for (const char* name : {"device.cpp", "macros.h"}) {
    const auto file = input.candidate.files.find(name);
    files[name] = file == input.candidate.files.end() ? "" : file->second;
  }
  std::string& prototypes = files[k_prototypes_file];
  HONE_TRY(prototypes, kernel_prototypes(input.kernel, input.plan, files["device.cpp"]));
  if (!needs_cpp_math(files["device.cpp"]) && !needs_cpp_math(files["macros.h"])) {
    prototypes.insert(0, c_math_header());
  }
  return files;
}

std::vector<std::string> macros_of(const BuildInput& input)
{
  std::vector<std::string> macros;
  for (const auto& [name, value] : input.point) {
    macros.push_back(fmt::format("-D{}={}", name, value));
  }
  if (input.kernel.also == kernel::AlsoSizes::timed) {
    for (const auto& [symbol, extent] : input.sizes) {
      macros.push_back(fmt::format("-DHONE_SIZE_{}={}", symbol, extent));
    }
  }
  return macros;
}

namespace {

std::vector<std::string> compiler_with_flags()
{
  std::vector<std::string> words{k_compiler};
  const std::vector<std::string> flags = compiler_flags();
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-fdiagnostics-color=never", "-fmax-errors=20"});
  return words;
}

} // namespace

std::vector<std::string> preprocess_command(const BuildInput& input, const char* text)
{
  std::vector<std::string> words = compiler_with_flags();
  const std::vector<std::string> macros = macros_of(input);
  words.insert(words.end(), macros.begin(), macros.end());
  words.insert(words.end(), {"-I.", "-include", k_prototypes_file, "-E", "device.cpp", "-o", text});
  return words;
}

std::vector<std::string> compile_command(const char* text, const char* assembly)
{
  std::vector<std::string> words = compiler_with_flags();
  words.insert(words.end(), {"-S", "-x", "c++-cpp-output", text, "-o", assembly});
  return words;
}

std::vector<std::string> lined_compile_command(const char* text, const char* assembly)
{
  std::vector<std::string> words = compile_command(text, assembly);
  words.emplace_back("-g1");
  return words;
}

std::vector<std::string> assemble_command(const char* assembly, const char* object)
{
  return {k_compiler, "-c", assembly, "-o", object};
}

} // namespace hone::backend::cpu
