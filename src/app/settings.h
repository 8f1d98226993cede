// Settings with their origin: flag > HONE_* > project file > user file > default.
#pragma once

#include "util/json_schema.h"
#include "util/util.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct Setting {
  std::string name;
  std::string value;
  std::string origin; // "default", "environment HONE_BACKEND", "/path/hone.toml", "--backend"
  std::string meaning;
};

// The values a setting may have where they are a closed set; else empty.
std::vector<std::string> words_of_setting(const std::string& name);
// The JSON schema of config.toml and hone.toml.
Json settings_schema();

class Settings {
public:
  static Settings defaults();
  // Defaults, then config_folder()/config.toml, then the nearest hone.toml from `start` upwards, then HONE_*.
  static Result<Settings> load(const fs::path& start);

  void override_from_flag(const std::string& name, const std::string& value);
  void set(const std::string& name, const std::string& value, const std::string& origin);
  bool has(const std::string& name) const;
  bool is_from_flag(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  Result<std::int64_t> integer(const std::string& name) const;
  // As Hone prints it, or decimal.
  Result<std::uint64_t> seed() const;
  Result<std::optional<double>> limit(const std::string& name) const; // not negative; nothing where it is empty
  std::vector<Setting> all() const;                                   // in a stable order
  // Every value, before anything is done with one of them.
  Result<void> check() const;

private:
  Result<void> read(const fs::path& file);
  std::map<std::string, Setting> m_settings;
};

} // namespace hone::app
