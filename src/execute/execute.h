// Who has jobs done: an executor turns a job into a record. Why a job was asked for is not its business.
//
// Public: "execute/executor.h", the interface: submit, progress, wait, cancel; it needs no gate.
// "execute/serial_executor.h", an executor's bookkeeping for those that work on one job at a time.
// "execute/local_executor.h", one gate in this process. "execute/quiet.h", whether others need the CPUs now.
#pragma once

#include "execute/executor.h"
