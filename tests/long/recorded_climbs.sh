#!/usr/bin/env bash
# Every climb of examples/recorded again: tests/long/recorded_climbs.sh PATH_OF_HONE
set -euo pipefail
HONE_ALL_CLIMBS=1 exec bash "$(dirname "$0")/../suites/run_suite.sh" "$(dirname "$0")/../suites/recorded.suite.sh" "$1"
