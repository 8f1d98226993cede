#include "catalogue/catalogue.h"

#include "catalogue/head_reader.h"
#include "catalogue/placeholders.h"
#include "catalogue/transformation_reader.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace hone::catalogue {

namespace {

constexpr std::string_view k_folder_name = "transformations";

bool is_transformation_file(const fs::directory_entry& entry)
{
  std::error_code ignored;
  return entry.is_regular_file(ignored) && entry.path().extension() == ".md" && entry.path().filename() != "README.md";
}

// Name -> file, for the files of one folder; a folder that does not exist holds none.
std::map<std::string, fs::path> files_in(const fs::path& folder)
{
  std::map<std::string, fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_transformation_file(entry)) {
      files[entry.path().stem().string()] = entry.path();
    }
  }
  return files;
}

std::vector<std::string> names_in(const std::map<std::string, fs::path>& files)
{
  std::vector<std::string> names;
  for (const auto& [name, file] : files) {
    names.push_back(name);
  }
  return names;
}

} // namespace

Result<std::vector<Transformation>> load_catalogue(const fs::path& shipped, const fs::path& kernel_folder)
{
  std::error_code error;
  if (!fs::is_directory(shipped, error)) {
    return fail("there is no folder of transformations at " + shipped.string(),
                "set HONE_SHARE to the folder that holds transformations/");
  }
  std::map<std::string, fs::path> files = files_in(shipped);
  if (!kernel_folder.empty()) {
    for (auto& [name, file] : files_in(kernel_folder / k_folder_name)) {
      files[name] = std::move(file);
    }
  }
  const std::vector<std::string> names = names_in(files);
  std::vector<Transformation> catalogue;
  for (const auto& [name, file] : files) {
    HONE_TRY(const std::string text, read_file(file));
    TransformationReading reading = read_transformation(text, file.string(), names);
    if (!reading.mistakes.empty()) {
      return std::unexpected(std::move(reading.mistakes.front()));
    }
    reading.transformation.file = file;
    catalogue.push_back(std::move(reading.transformation));
  }
  return catalogue;
}

Result<const Transformation*> find_transformation(const std::vector<Transformation>& catalogue, std::string_view name)
{
  const auto found = std::ranges::find(catalogue, name, &Transformation::name);
  if (found != catalogue.end()) {
    return &*found;
  }
  std::vector<std::string> names;
  for (const Transformation& transformation : catalogue) {
    names.push_back(transformation.name);
  }
  return fail("there is no transformation '" + std::string(name) + "'", suggest(name, names));
}

std::vector<Error> check_transformation(const fs::path& file)
{
  const auto text = read_file(file);
  if (!text) {
    return {text.error()};
  }
  std::map<std::string, fs::path> known = files_in(share_folder() / k_folder_name);
  known.merge(files_in(file.parent_path().empty() ? fs::path(".") : file.parent_path()));
  std::vector<Error> mistakes = read_transformation(*text, file.string(), names_in(known)).mistakes;
  std::ranges::move(placeholders::mistakes_for(*text, file.string()), std::back_inserter(mistakes));
  return mistakes;
}

} // namespace hone::catalogue
