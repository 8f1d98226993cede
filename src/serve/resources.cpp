#include "serve/resources.h"

#include "app/report_files.h"
#include "report/report.h"
#include "serve/tool.h"
#include "util/text.h"

#include <fmt/format.h>

#include <charconv>

namespace hone::serve {

namespace {

constexpr std::string_view k_scheme = "hone://";

using Contents = Result<Json>;

Json text_content(const std::string& uri, const char* type, std::string text)
{
  return {{"uri", uri}, {"mimeType", type}, {"text", std::move(text)}};
}

// A tool's answer, for what tools read already.
Result<Json> ask(Workplace& place, const char* tool, const Json& arguments)
{
  HONE_TRY(const ToolAnswer answer, find_tool(tool)->call({place, arguments, Exchange()}));
  return answer.content;
}

Contents kernel_contents(Workplace& place, const std::string& uri, const std::string& name)
{
  HONE_TRY(const fs::path folder, place.kernel_folder(name));
  HONE_TRY(std::string toml, read_file(folder / "kernel.toml"));
  return Json::array({text_content(uri, "application/toml", std::move(toml))});
}

Contents candidate_contents(Workplace& place, const std::string& uri, const std::string& kernel,
                            const std::string& name)
{
  HONE_TRY(const Json candidate, ask(place, "read_candidate", {{"kernel", kernel}, {"candidate", name}}));
  Json contents = Json::array();
  for (const auto& [file, text] : candidate.at("files").items()) {
    contents.push_back(text_content(uri + "/" + uri_part(file), "text/plain", text.get<std::string>()));
  }
  return contents;
}

Contents record_contents(Workplace& place, const std::string& uri, const std::string& job)
{
  const auto view = place.jobs().look(job);
  if (!view || !view->outcome) {
    return fail(fmt::format("there is no record of a job '{}'", printable(job)), "the tool job lists the last ones");
  }
  const Json& full = view->outcome->full.is_null() ? view->outcome->result : view->outcome->full;
  return Json::array({text_content(uri, "application/json", full.dump(2, ' ', false, Json::error_handler_t::replace))});
}

Contents report_contents(Workplace& place, const std::string& uri, const std::string& name)
{
  HONE_TRY(const KernelInUse use, place.kernel({{"kernel", name}}));
  const app::Context context{use.settings, {}};
  HONE_TRY(const app::Workbench bench, app::open_workbench(context, use.request));
  HONE_TRY(const store::Workflow workflow, app::open_existing_workflow(bench));
  HONE_TRY(const report::ReportInput input, app::gather_report(bench, workflow));
  return Json::array({text_content(uri, "text/markdown", report::markdown_report(input))});
}

Contents contents_of(Workplace& place, const std::string& uri)
{
  std::vector<std::string> parts;
  if (uri.starts_with(k_scheme)) {
    for (const std::string& part : split(std::string_view(uri).substr(k_scheme.size()), '/')) {
      const auto text = from_uri_part(part);
      if (!text) {
        return fail("a '%' in the address is followed by no two digits", "write '%25' for '%'");
      }
      parts.push_back(*text);
    }
  }
  if (parts.size() == 2 && parts[0] == "kernel") {
    return kernel_contents(place, uri, parts[1]);
  }
  if (parts.size() == 4 && parts[0] == "kernel" && parts[2] == "candidate") {
    return candidate_contents(place, uri, parts[1], parts[3]);
  }
  if (parts.size() == 2 && parts[0] == "record") {
    return record_contents(place, uri, parts[1]);
  }
  if (parts.size() == 2 && parts[0] == "report") {
    return report_contents(place, uri, parts[1]);
  }
  return fail(fmt::format("there is no resource '{}'", printable(uri.substr(0, 200))),
              "resources/templates/list says what there is");
}

Json template_entry(const char* uri, const char* name, const char* description, const char* type)
{
  return {{"uriTemplate", uri}, {"name", name}, {"description", description}, {"mimeType", type}};
}

} // namespace

std::string uri_part(std::string_view text)
{
  std::string part;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                       || std::string_view("-._~").find(c) != std::string_view::npos;
    part += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return part;
}

std::optional<std::string> from_uri_part(std::string_view part)
{
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      text += part[i];
      continue;
    }
    unsigned char byte = 0;
    const std::string_view digits = part.substr(i + 1, 2);
    if (digits.size() < 2 || std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr != digits.data() + 2) {
      return std::nullopt;
    }
    text += static_cast<char>(byte);
    i += 2;
  }
  return text;
}

Json resources_list(Workplace& place)
{
  Json list = Json::array();
  if (const auto kernels = ask(place, "list_kernels", Json::object())) {
    for (const Json& kernel : (*kernels)["kernels"]) {
      const auto name = kernel["kernel"].get<std::string>();
      list.push_back({{"uri", fmt::format("{}kernel/{}", k_scheme, uri_part(name))},
                      {"name", name},
                      {"description", kernel.value("summary", "")},
                      {"mimeType", "application/toml"}});
    }
  }
  for (const JobView& job : place.jobs().list()) {
    if (job.outcome) {
      list.push_back({{"uri", fmt::format("{}record/{}", k_scheme, job.id)},
                      {"name", job.id},
                      {"description", fmt::format("{} {}", job.tool, job.subject)},
                      {"mimeType", "application/json"}});
    }
  }
  return {{"resources", std::move(list)}};
}

Json resource_templates()
{
  return {
    {"resourceTemplates",
     Json::array(
       {template_entry("hone://kernel/{kernel}", "kernel", "kernel.toml of a kernel; '/' is %2F.", "application/toml"),
        template_entry("hone://kernel/{kernel}/candidate/{candidate}", "candidate",
                       "The files of a candidate: best, start, naive, an id, scratch%2FNAME.", "text/plain"),
        template_entry("hone://record/{job}", "record", "All that a job came to.", "application/json"),
        template_entry("hone://report/{kernel}", "report", "The report of a kernel's climb.", "text/markdown")})}};
}

RpcResult<Json> read_resource(Workplace& place, const Json& params, RpcCode missing)
{
  const auto uri = params.find("uri");
  if (uri == params.end() || !uri->is_string()) {
    return std::unexpected(RpcError{RpcCode::invalid_params, "params.uri must be the address of a resource"});
  }
  const auto contents = contents_of(place, uri->get<std::string>());
  if (!contents) {
    return std::unexpected(RpcError{missing, contents.error().text(), {{"uri", *uri}}});
  }
  return Json{{"contents", *contents}};
}

} // namespace hone::serve
