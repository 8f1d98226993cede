// A temporary folder that goes away with the process, however the process ends.
#pragma once

namespace hone::backend::runner {

// Makes it, mode 0700, and starts a child that removes it with all it holds once this process is gone (a runner is
// killed, not asked to leave). Call while the process has a single thread. nullptr when it could not be made; else a
// path that stays valid.
const char* make_private_folder();

} // namespace hone::backend::runner
