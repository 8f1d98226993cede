// Whether somebody asked the process to stop, for code that computes for seconds and has no other way to be told.
#pragma once

namespace hone {

void request_stop(); // for good
bool is_stop_requested();
// Where it is noted: 0 until then. Generated code reads it with __atomic_load_n.
const unsigned char* stop_request_flag();

} // namespace hone
