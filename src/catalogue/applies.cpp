#include "catalogue/catalogue.h"
#include "catalogue/head_words.h"
#include "kernel/stage.h"
#include "util/text.h"

#include <algorithm>

namespace hone::catalogue {

namespace {

template <class T> bool holds(const std::vector<T>& list, const T& value)
{
  return std::ranges::find(list, value) != list.end();
}

// "row-reduction" -> "row reduction"
std::string spoken(kernel::KernelClass kernel_class)
{
  return replace_all(std::string(kernel::name_of(kernel_class)), "-", " ");
}

template <class T> std::string listed(const std::vector<T>& values)
{
  std::vector<std::string> names;
  for (const T& value : values) {
    names.emplace_back(kernel::name_of(value));
  }
  return replace_all(join(names, " or "), "-", " ");
}

std::optional<std::string> reason_in_types(const Transformation& transformation, const kernel::Kernel& kernel)
{
  if (transformation.types.empty()) {
    return std::nullopt;
  }
  for (const kernel::Argument& argument : kernel.arguments) {
    if (argument.role != kernel::Role::scalar && !holds(transformation.types, argument.type)
        && !kernel::is_only_compared(kernel, argument)) {
      return transformation.name + " is for " + listed(transformation.types) + "; " + argument.name + " is "
             + std::string(kernel::name_of(argument.type));
    }
  }
  return std::nullopt;
}

std::optional<std::string> reason_in_history(const Transformation& transformation, const std::vector<std::string>& done)
{
  if (holds(done, transformation.name)) {
    return transformation.name + " has been carried out already";
  }
  for (const std::string& needed : transformation.after) {
    const std::vector<std::string> either = alternatives_in(needed);
    if (!holds(done, needed)
        && std::ranges::none_of(either, [&](const std::string& one) { return holds(done, one); })) {
      return transformation.name + " comes after " + needed + ", which has not been carried out";
    }
  }
  for (const std::string& other : transformation.conflicts) {
    if (holds(done, other)) {
      return transformation.name + " does not go together with " + other;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> why_not_applicable(const Transformation& transformation, const kernel::Kernel& kernel,
                                              std::string_view backend, const std::vector<std::string>& done)
{
  const kernel::KernelClass kernel_class = kernel::classify(kernel);
  const bool as_contraction =
    kernel_class == kernel::KernelClass::products && holds(transformation.classes, kernel::KernelClass::contraction);
  const bool as_convolution = kernel_class == kernel::KernelClass::general
                              && holds(transformation.classes, kernel::KernelClass::convolution)
                              && !kernel::window_stages(kernel).empty();
  if (!transformation.classes.empty() && !holds(transformation.classes, kernel_class) && !as_contraction
      && !as_convolution) {
    return transformation.name + " is for a " + listed(transformation.classes) + "; " + kernel.name + " is a "
           + spoken(kernel_class);
  }
  if (!transformation.backends.empty() && !holds(transformation.backends, std::string(backend))) {
    return transformation.name + " is for the backend " + join(transformation.backends, " or ") + ", not for "
           + std::string(backend);
  }
  if (auto reason = reason_in_types(transformation, kernel)) {
    return reason;
  }
  return reason_in_history(transformation, done);
}

} // namespace hone::catalogue
