// What was learned about optimising, kept from climb to climb: in which state of a candidate which technique gained how
// much, and which failed. One SQLite file that many processes write at once.
//
//   Signature: what a state is described by      State, Technique, Evidence, Change: the entries of a base
//   Base: a file of entries                      rank(): what to expect of techniques in a state
//   export_lines(), import_lines(), merge(), forget(): bases and parts of them, from place to place
//
// Public too: "knowledge/signature.h", "knowledge/entries.h", "knowledge/base.h", "knowledge/retrieval.h",
// "knowledge/exchange.h".
#pragma once

#include "knowledge/base.h"
#include "knowledge/entries.h"
#include "knowledge/exchange.h"
#include "knowledge/retrieval.h"
#include "knowledge/signature.h"
