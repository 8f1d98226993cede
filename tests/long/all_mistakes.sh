#!/usr/bin/env bash
# all_mistakes.sh HONE: the suite `kernels` with the mistakes that are planted in all kernels on OpenCL, too.
set -uo pipefail
HONE_ALL_KERNELS=1 exec bash "$(dirname "$0")/../suites/run_suite.sh" "$(dirname "$0")/../suites/kernels.suite.sh" "$1"
