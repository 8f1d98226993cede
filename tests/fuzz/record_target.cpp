// Records as JSON, from a journal or from another machine.
#include "record/record.h"
#include "fuzz_target.h"

namespace hone::fuzz {

namespace {

Record measured()
{
  Record record;
  record.candidate = std::string(64, 'a');
  record.kernel = std::string(64, 'b');
  record.environment = std::string(64, 'c');
  record.point = {{"TILE_M", 64}};
  record.recipe_used.sizes = {{"m", 96}, {"n", 80}};
  record.recipe = record.recipe_used.hash();
  record.transformation = "cache-tiling";
  record.verdict.status = Status::correct;
  record.verdict.checks = {{"guard bands", true, ""}, {"repeats", true, "3 of 3"}};
  record.verdict.cold = TimeEstimate{1.5e-3, {1.4e-3, 1.6e-3}, 64};
  record.time_utc = "2026-01-01T00:00:00Z";
  record.id = identity_of(record);
  return record;
}

std::vector<std::string> seeds()
{
  Record refused = measured();
  refused.verdict = {};
  refused.verdict.status = Status::correctness;
  refused.verdict.reason = "C[3,4] = 1.5, expected 2.5";
  return {to_json(measured()).dump(1), to_json(refused).dump()};
}

void run(std::string_view input)
{
  const Result<Json> json = parse_json(input, "record");
  if (!json) {
    return check_error(json.error(), "record");
  }
  const Result<Record> record = record_from_json(*json);
  if (!record) {
    return check_error(record.error());
  }
  const Json written = to_json(*record);
  const Result<Record> again = record_from_json(written);
  if (!again || to_json(*again) != written || identity_of(*again) != identity_of(*record)) {
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
