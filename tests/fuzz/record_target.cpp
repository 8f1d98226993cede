// Records as JSON, from a journal or from another machine.
#include "fuzz_target.h"
#include "record/record.h"

namespace hone::fuzz {

namespace {

record::Record measured()
{
  record::Record record;
  record.candidate = std::string(64, 'a');
  record.kernel = std::string(64, 'b');
  record.environment = std::string(64, 'c');
  record.point = {{"TILE_M", 64}};
  record.recipe_used.sizes = {{"m", 96}, {"n", 80}};
  record.recipe = record.recipe_used.hash();
  record.transformation = "cache-tiling";
  record.verdict.status = record::Status::correct;
  record.verdict.checks = {{"guard bands", true, ""}, {"repeats", true, "3 of 3"}};
  record.verdict.cold = record::TimeEstimate{1.5e-3, {1.4e-3, 1.6e-3}, 64};
  record.time_utc = "2026-01-01T00:00:00Z";
  record.id = record::identity_of(record);
  return record;
}

std::vector<std::string> seeds()
{
  record::Record refused = measured();
  refused.verdict = {};
  refused.verdict.status = record::Status::correctness;
  refused.verdict.reason = "C[3,4] = 1.5, expected 2.5";
  return {record::to_json(measured()).dump(1), record::to_json(refused).dump()};
}

void run(std::string_view input)
{
  const Result<Json> json = parse_json(input, "record");
  if (!json) {
    return check_error(json.error(), "record");
  }
  const Result<record::Record> record = record::record_from_json(*json);
  if (!record) {
    return check_error(record.error());
  }
  const Json written = record::to_json(*record);
  const Result<record::Record> again = record::record_from_json(written);
  if (!again || record::to_json(*again) != written || record::identity_of(*again) != record::identity_of(*record)) {
    promise_broken("a record changes when it is written and read again");
  }
}

} // namespace

const Target& record_target()
{
  static const Target k_target = {"record", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
