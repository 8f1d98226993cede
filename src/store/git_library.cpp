#include "store/git_library.h"

#include <fmt/format.h>

namespace hone::store {

std::string last_git_message()
{
  const git_error* error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message : "unknown cause";
}

void start_libgit2()
{
  static const int started = [] {
    const int count = git_libgit2_init();
    git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    // A workflow must read the same whoever runs Hone: no personal settings, no check of the folder's owner (which
    // protects against hooks and filters; nothing here runs any).
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    for (const int level :
         {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_PROGRAMDATA}) {
      git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    }
    return count;
  }();
  static_cast<void>(started);
}

Result<git_oid> parse_git_id(const std::string& id)
{
  git_oid oid;
  if (id.size() != GIT_OID_HEXSZ || git_oid_fromstr(&oid, id.c_str()) != 0) {
    return fail(fmt::format("'{}' is not a commit id", id));
  }
  return oid;
}

std::string git_id_text(const git_oid& oid)
{
  char text[GIT_OID_HEXSZ + 1];
  git_oid_tostr(text, sizeof text, &oid);
  return text;
}

} // namespace hone::store
