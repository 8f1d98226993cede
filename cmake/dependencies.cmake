# Every library that Hone links, in one place. All come from Debian packages (see ./hone for the list).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CURL REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(Boost REQUIRED) # header-only parts: Boost.Math
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(libgit2 REQUIRED IMPORTED_TARGET libgit2)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
if(HONE_TESTS)
  find_package(GTest REQUIRED)
  pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib) # a server for providers of models
endif()
