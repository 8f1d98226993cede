// The entries of a base. Each has an id made of what it says, so that the same entry from two places is one; `site` is
// the base where it was made first.
#pragma once

#include "knowledge/signature.h"
#include "util/result.h"
#include "util/stats.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hone::knowledge {

// Gains are natural logarithms of speed ratios: 0.69 is twice as fast, gains of steps in a row add up.
struct Gain {
  double value = 0;
  Interval interval;
};

struct State {
  std::string id; // state_id(signature)
  Signature signature;
  std::string inherits; // id of the nearest state when it was made; "" where none was near
  std::string site, time_utc;
};

enum class TechniqueKind {
  transformation, // a file of the catalogue
  ad_hoc,         // a sentence, or an edit
  composite,      // others in a row
  parametrised,   // one other, with values of its tuning parameters
};
std::string_view name_of(TechniqueKind kind); // "transformation", "ad-hoc", "composite", "parametrised"

struct Technique {
  std::string name; // "cache-tiling"; composites "a+b", parametrised "a@TILE=64": the id
  TechniqueKind kind = TechniqueKind::transformation;
  std::string description;
  std::vector<std::string> parts; // of a composite, in order; what is parametrised
  std::map<std::string, std::int64_t> parameters;
  std::string site, time_utc;
};

// One evaluation: a technique was tried in a state.
struct Evidence {
  std::string id; // evidence_id()
  std::string state, technique;
  std::string kernel, kernel_hash; // its name; and what it is
  std::string record, time_utc;    // of the gate; and when it was made
  std::string environment;         // of the record
  std::string before, after;       // checkpoints, between which the code can be compared; "": it became none
  std::string candidate;           // content hash of what was tried
  std::string place;               // folder of the workflow that has them
  std::optional<Gain> predicted;
  std::optional<Gain> gain; // nothing where it failed
  std::string comparison;   // "FAST", ...; "" where it failed
  std::string failure;      // the gate's status ("compile", "correctness", ...), or "not-applicable"; "": measured
  std::string detail;       // of a failure, one line
  double seconds = 0;       // of building, validating and measuring
  std::int64_t tokens = 0;  // of a model
  std::string run;          // that it belongs to; "" none
  int round = 0, trajectory = 0, step = 0;
  double reward = 0;
  std::optional<double> returned;   // the most that was gained from this step on in its trajectory
  std::vector<std::string> entries; // ids of the evidence by which it was chosen
  std::string site;
};

// An update of what is expected: appended, never changed. The newest of its kind, state and technique holds.
struct Change {
  enum class Kind {
    confidence, // value: factor on the confidence in predictions, 0 to 1
    prediction, // value: added to the predicted gain
    deprecate,  // not to be tried any more
    restore,    // to be tried again
    composite,  // a new technique
    parameters, // a new technique with values of parameters
    state,      // a new state was seen
    note,       // what was found, in words
  };
  std::string id; // change_id()
  Kind kind = Kind::note;
  std::string state, technique; // "": all
  double value = 0;
  std::string text;   // why
  std::string method; // "statistics", "model NAME", "person"
  std::string run;
  int round = 0;
  std::vector<std::string> evidence; // ids of what it was concluded from
  std::string site, time_utc;
};
std::string_view name_of(Change::Kind kind); // "confidence", "prediction", ...

using Entry = std::variant<State, Technique, Evidence, Change>;

std::string state_id(const Signature& signature);
std::string evidence_id(const Evidence& evidence);
std::string change_id(const Change& change);
std::string id_of(const Entry& entry); // of a technique its name

// "a+b", of these in a row; "a@TILE=64".
Technique composite_of(const std::vector<std::string>& parts);
Technique parametrised(const std::string& name, const std::map<std::string, std::int64_t>& parameters);

Json to_json(const Entry& entry);
// `origin` names the text in errors. An id that is given must be that of what the entry says.
Result<Entry> entry_from(const Json& json, const std::string& origin);

// Seconds since 1970 of an ISO 8601 time in UTC; 0 where it is none.
std::int64_t seconds_of(const std::string& time_utc);
std::string utc_now(); // "2026-01-31T12:00:00Z"

} // namespace hone::knowledge
