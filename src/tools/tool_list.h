// All tools, each in a file of list/. (internal)
#pragma once

namespace hone::tools {

class Tool;

const Tool& explain_tool();
const Tool& compile_report_tool();
const Tool& instructions_tool();
const Tool& ports_tool();
const Tool& memory_tool();
const Tool& counters_tool();
const Tool& roofline_tool();
const Tool& compare_tool();
const Tool& scaling_tool();
const Tool& timeline_tool();

} // namespace hone::tools
