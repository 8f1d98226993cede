#include "backend/cpu/watch/included_headers.h"
#include "util/fs.h"
#include "util/process.h"

#include <gtest/gtest.h>

namespace hone::backend::cpu {
namespace {

TEST(IncludedHeaders, PlainHeadersAreRecognised)
{
  EXPECT_FALSE(may_include_intrinsics("#include \"hone.h\"\n  # include <math.h>\r\nvoid f();\n"));
  EXPECT_FALSE(may_include_intrinsics("#define SUM(a, b) \\\n  ((a) + (b))\n"));
  EXPECT_TRUE(may_include_intrinsics("#include <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#include <random>\n"));
}

TEST(IncludedHeaders, WhatIsNotEasilyReadMayBeAny)
{
  EXPECT_TRUE(may_include_intrinsics("#include HEADER\n"));
  EXPECT_TRUE(may_include_intrinsics("#incl\\\nude <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#incl\\ \t\nude <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("%:include <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#import <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#include_next <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#include/**/<immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("/*\n*/ #include <immintrin.h>\n"));
  EXPECT_TRUE(may_include_intrinsics("#include \"hone.h\" // \\\n#include <immintrin.h>\n"));
}

// The compiler is asked for all that it reads for the headers that are plain.
TEST(IncludedHeaders, PlainOnesIncludeNoIntrinsics)
{
  const auto folder = TemporaryFolder::create("hone-headers");
  ASSERT_TRUE(folder);
  const std::string text =
    "#include \"hone.h\"\n#include \"hone_math.h\"\n#include \"hone_window.h\"\n"
    "#include \"hone_vector.h\"\n#include \"hone_lanes.h\"\n#include \"hone_dot.h\"\n#include \"hone_narrow.h\"\n"
    "#include <math.h>\n#include <cmath>\n#include <stdint.h>\n#include <cstdint>\n"
    "#include <string.h>\n#include <cstring>\n#include <stddef.h>\n#include <cstddef>\n"
    "#include <float.h>\n#include <limits.h>\n#include <algorithm>\n#include <atomic>\n";
  EXPECT_FALSE(may_include_intrinsics(text));
  ASSERT_TRUE(write_file(folder->path() / "all.cpp", text));
  ProcessRequest request;
  request.argv = {"g++",
                  "-std=c++20",
                  "-march=native",
                  "-I",
                  HONE_SOURCE_ROOT "/src/backend/cpu/include",
                  "-M",
                  (folder->path() / "all.cpp").string()};
  request.deadline = std::chrono::minutes(1);
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome && outcome->ok());
  EXPECT_TRUE(outcome->out.contains("hone_dot.h"));
  EXPECT_FALSE(outcome->out.contains("intrin")) << outcome->out;
}

} // namespace
} // namespace hone::backend::cpu
