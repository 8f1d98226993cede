// Exports of GPU vendors' profilers as reports.
#include "tools/exports/exports.h"
#include "tools/import_profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sqlite3.h>
#include <unistd.h>

namespace hone::tools {
namespace {

constexpr std::string_view k_ncu = R"csv(==PROF== Connected to process 12 (/usr/bin/app)
"ID","Kernel Name","Block Size","Grid Size","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","launch__registers_per_thread","sm__throughput.avg.pct_of_peak_sustained_elapsed","smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
"","","","","%","us","register/thread","%","inst"
"0","scale(float *, int)","(256, 1, 1)","(4096, 1, 1)","88.5","1,234.5","16","12.1","20"
"1","walk(float *, int)","(64, 1, 1)","(8, 1, 1)","21.5","100","40","12.1","30"
"2","scale(float *, int)","(256, 1, 1)","(4096, 1, 1)","90.5","1,265.5","16","12.3","22"
)csv";

// Would catch: the row of units taken for a launch, a comma within a name or a number taken for the end of a field, or
// the messages of ncu taken for a head.
TEST(Exports, OfNcuSayWhichKernelIsBoundByWhat)
{
  const auto kernels = kernels_from_csv(k_ncu);
  ASSERT_TRUE(kernels) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ((*kernels)[0].name, "scale(float *, int)");
  EXPECT_EQ((*kernels)[0].launches, 2);
  EXPECT_DOUBLE_EQ((*kernels)[0].nanoseconds, 2.5e6);
  EXPECT_DOUBLE_EQ((*kernels)[0].metrics.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 89.5);
  const Report report = report_of("report.csv", *kernels);
  ASSERT_GE(report.diagnosis.size(), 3u);
  EXPECT_EQ(report.diagnosis[0], "scale(float *, int) takes 96 % of the time of all kernels");
  EXPECT_TRUE(report.diagnosis[1].contains("bound by bandwidth of the device's memory: 90 %")) << report.diagnosis[1];
  EXPECT_TRUE(report.diagnosis[2].contains("latency")) << report.diagnosis[2];
  EXPECT_TRUE(report.diagnosis[2].contains("long scoreboard")) << report.diagnosis[2];
}

// Would catch: a launch counted once for each of its counters.
TEST(Exports, OfRocprofHaveARowForEachCounter)
{
  const auto kernels = kernels_from_csv(
    "\"Dispatch_Id\",\"Kernel_Name\",\"Grid_Size\",\"Workgroup_Size\",\"VGPR_Count\",\"Scratch_Size\",\"Counter_Name\","
    "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\r\n"
    "1,\"run\",1024,64,32,16,\"TCC_HIT_sum\",10,100,400\r\n"
    "1,\"run\",1024,64,32,16,\"TCC_MISS_sum\",90,100,400\r\n"
    "2,\"run\",1024,64,32,16,\"TCC_HIT_sum\",20,500,600\r\n"
    "2,\"run\",1024,64,32,16,\"TCC_MISS_sum\",80,500,600\r\n");
  ASSERT_TRUE(kernels) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  const ExportedKernel& run = kernels->front();
  EXPECT_EQ(run.launches, 2);
  EXPECT_DOUBLE_EQ(run.nanoseconds, 400);
  EXPECT_DOUBLE_EQ(run.metrics.at("TCC_HIT_sum"), 15);
  EXPECT_DOUBLE_EQ(run.metrics.at("Scratch_Size"), 16);
  std::string all;
  for (const std::string& sentence : report_of("counters.csv", *kernels).diagnosis) {
    all += sentence + "\n";
  }
  EXPECT_TRUE(all.contains("85 % of the accesses to the L2 cache miss")) << all;
  EXPECT_TRUE(all.contains("16 B an item in local memory")) << all;
}

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& name)
    : m_path(fs::temp_directory_path() / fmt::format("{}-{}", getpid(), name))
  {
    fs::remove(m_path);
  }
  ~TemporaryFile() { fs::remove(m_path); }
  const fs::path& path() const { return m_path; }

private:
  fs::path m_path;
};

void make_database(const fs::path& path, const char* text)
{
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

// Would catch: names left as numbers, or one tool's tables asked for in the other's file.
TEST(Exports, InSqliteAreThoseOfNsysAndOfRocprof)
{
  const TemporaryFile nsys("nsys.sqlite"), rocpd("results.db"), other("other.sqlite");
  make_database(nsys.path(), R"(
    CREATE TABLE StringIds (id INTEGER, value TEXT);
    INSERT INTO StringIds VALUES (7, 'scale'), (8, 'walk');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER, registersPerThread INTEGER,
      gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 300, 8, 40, 8, 1, 1, 64, 1, 1), (400, 900, 7, 16, 16, 1, 1, 64, 1, 1),
      (900, 1000, 7, 16, 16, 1, 1, 64, 1, 1);)");
  make_database(rocpd.path(), R"(
    CREATE TABLE dispatches (name TEXT, start INTEGER, end INTEGER, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
      workgroup_x INTEGER, workgroup_y INTEGER, workgroup_z INTEGER);
    INSERT INTO dispatches VALUES ('run', 10, 50, 1024, 1, 1, 64, 1, 1);
    CREATE VIEW kernels AS SELECT * FROM dispatches;)");
  make_database(other.path(), "CREATE TABLE notes (text TEXT);");
  const auto report = import_profile(nsys.path(), {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->diagnosis.front(), "scale takes 75 % of the time of all kernels");
  EXPECT_EQ(to_text(report->tables[0].rows[0][4]), "16 x 1 x 1");
  const auto amd = import_profile(rocpd.path(), {});
  ASSERT_TRUE(amd) << amd.error().message;
  EXPECT_EQ(amd->diagnosis.front(), "run takes 100 % of the time of all kernels");
  const auto wrong = import_profile(other.path(), {});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().hint.contains("nsys export")) << wrong.error().hint;
}

// Would catch: a page with a row for each metric read as if each were a kernel.
TEST(Exports, OfOtherKindsAreRefusedWithTheWayOut)
{
  const auto details =
    kernels_from_csv("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n\"0\",\"run\",\"x\",\"1\"\n");
  ASSERT_FALSE(details);
  EXPECT_TRUE(details.error().hint.contains("--page raw"));
  EXPECT_FALSE(kernels_from_csv("a,b\n1,2\n"));
  EXPECT_FALSE(kernels_from_csv(""));
  const TemporaryFile report("empty.csv");
  std::ofstream(report.path()) << "\"Kernel_Name\",\"Dispatch_Id\"\n";
  const auto none = import_profile(report.path(), {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().place.file, report.path().string());
}

} // namespace
} // namespace hone::tools
