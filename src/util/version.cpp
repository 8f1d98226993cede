#include "util/version.h"

namespace hone {

namespace {

std::string& commit()
{
  static std::string named;
  return named;
}

} // namespace

std::string_view version_number()
{
  return HONE_VERSION;
}

std::string_view version_commit()
{
  return commit();
}

std::string version_text()
{
  std::string text{version_number()};
  if (!commit().empty()) {
    text += " (commit " + commit() + ")";
  }
  return text;
}

void name_commit(std::string_view named)
{
  commit() = named;
}

} // namespace hone
