// What reads texts and bytes that Hone did not write: kernel files from strangers, candidates, transformations, records
// of other machines, what a compiler in a jail and a locked runner leave behind. One file each, in one list.
#pragma once

#include "util/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::fuzz {

struct Target {
  std::string_view name;               // "kernel-file"
  std::vector<std::string> (*seeds)(); // inputs that are right, to begin with
  void (*run)(std::string_view input); // returns, whatever the input is; else promise_broken
};

std::span<const Target> targets();

// Ends the program: the input made something happen that must not.
[[noreturn]] void promise_broken(std::string_view what);

// An error says what is wrong, and in which text where there is one.
void check_error(const Error& error, std::string_view file = {});

// The texts of repository files: every file of that name below the folder, or every one with that ending.
std::vector<std::string> files_named(std::string_view folder, std::string_view name_or_ending);

const Target& kernel_file_target();
const Target& expression_target();
const Target& launch_plan_target();
const Target& schedule_target();
const Target& transformation_target();
const Target& step_list_target();
const Target& record_target();
const Target& runner_reply_target();
const Target& linked_image_target();

} // namespace hone::fuzz
