// Which Hone this is: the version of CMakeLists.txt and the commit that the program was built from.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// "0.1.0"
std::string_view version_number();

// "abcdef123456", with "-dirty" where the sources had changes that were not committed; empty if nobody named it.
std::string_view version_commit();

// "0.1.0 (commit abcdef123456)", or "0.1.0" without a commit.
std::string version_text();

// Called once, at the start of main(). The commit is not compiled into this library: a new commit would link every test
// program again.
void name_commit(std::string_view commit);

} // namespace hone
