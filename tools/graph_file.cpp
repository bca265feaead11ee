// Loading, planning and printing. The file is read a second time as JSON once the library has accepted it.
#include "graph_file.h"

#include <nlohmann/json.hpp>

#include "check.h"
#include "read_file.h"
#include "units.h"

namespace {

using Json = nlohmann::json;

FileBuffer describeBuffer(const Json& json, rtGraphBuffer_t handle) {
  FileBuffer buffer;
  buffer.name = json.value("name", "");
  buffer.role = json["role"];
  buffer.type = json.value("type", "");
  buffer.bytes = json["bytes"];
  if (json.contains("shape")) buffer.shape = json["shape"].get<std::vector<uint64_t>>();
  buffer.handle = handle;
  return buffer;
}

std::string shapeOf(const FileBuffer& buffer) {
  std::string text = buffer.type;
  for (const uint64_t extent : buffer.shape) text += (text == buffer.type ? " " : " x ") + std::to_string(extent);
  return text;
}

std::string joined(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (const uint32_t each : numbers) text += (text.empty() ? "" : " ") + std::to_string(each);
  return text;
}

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace

Loaded loadGraphFile(const std::string& path) {
  const std::string text = readFile(path);
  Loaded loaded;
  check(rtGraphLoad(&loaded.graph, text.data(), text.size()), "rtGraphLoad", path);
  const Json json = Json::parse(text);
  loaded.modules = json.contains("modules") ? json["modules"].size() : 0;
  uint32_t count = 0;
  CHECK(rtGraphGetBuffers(nullptr, 0, &count, loaded.graph));
  std::vector<rtGraphBuffer_t> handles(count);
  CHECK(rtGraphGetBuffers(handles.data(), count, &count, loaded.graph));
  for (uint32_t i = 0; i < count; ++i) loaded.buffers.push_back(describeBuffer(json["buffers"][i], handles[i]));
  CHECK(rtGraphGetValues(nullptr, 0, &count, loaded.graph));
  std::vector<rtGraphValue_t> values(count);
  CHECK(rtGraphGetValues(values.data(), count, &count, loaded.graph));
  for (uint32_t i = 0; i < count; ++i) {
    rtGraphValueInfo_t info = RT_GRAPH_VALUE_INFO_INIT;
    CHECK(rtGraphValueGetInfo(&info, values[i]));
    const Json& value = json["values"][i];
    const std::string name = value.contains("name") ? value["name"].get<std::string>() : "";
    loaded.values.push_back({name, info.size, info.has_initial != 0, values[i]});
  }
  for (const Json& node : json["nodes"]) {
    FileNode made;
    made.kind = node["kind"];
    made.label = made.kind == "kernel" ? node["kernel"].get<std::string>() : made.kind;
    if (node.contains("after")) made.after = node["after"].get<std::vector<uint32_t>>();
    loaded.nodes.push_back(std::move(made));
  }
  count = static_cast<uint32_t>(loaded.nodes.size());
  loaded.handles.resize(count);
  CHECK(rtGraphGetNodes(loaded.handles.data(), count, &count, loaded.graph));
  return loaded;
}

rtCapturePlan_t makePlan(const Loaded& loaded, const std::vector<std::string>& images, rtContext_t context) {
  std::vector<rtModule_t> modules(images.size());
  for (size_t i = 0; i < images.size(); ++i) CHECK(rtModuleLoadFile(&modules[i], images[i].c_str(), nullptr, context));
  rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
  options.modules = modules.data();
  options.module_count = static_cast<uint32_t>(modules.size());
  rtCapturePlan_t plan = nullptr;
  CHECK(rtCapturePlanCreate(&plan, &options, loaded.graph, context));
  return plan;  // the modules are destroyed with the process
}

Planned planGraph(const Loaded& loaded, const std::vector<std::string>& images, const std::string& name) {
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  CHECK(rtDeviceGetByName(&device, name.empty() ? nullptr : name.c_str()));
  CHECK(rtContextGetPrimary(&context, device));
  rtCapturePlan_t plan = makePlan(loaded, images, context);
  Planned planned;
  CHECK(rtCapturePlanGetInfo(&planned.info, plan));
  for (uint32_t i = 0; i < planned.info.step_count; ++i) {
    rtCapturePlanStep_t step = RT_CAPTURE_PLAN_STEP_INIT;
    CHECK(rtCapturePlanGetStep(&step, i, plan));
    uint32_t node = 0;
    while (loaded.handles[node] != step.node) ++node;
    planned.steps.push_back({node, step.stream, step.level});
  }
  for (uint32_t i = 0; i < planned.info.buffer_count; ++i) {
    rtCapturePlanBuffer_t buffer = RT_CAPTURE_PLAN_BUFFER_INIT;
    CHECK(rtCapturePlanGetBuffer(&buffer, i, plan));
    if (buffer.offset == UINT64_MAX) continue;
    std::string label = i < loaded.buffers.size() ? loaded.buffers[i].name : "";
    if (label.empty()) label = "buffer " + std::to_string(i);
    planned.temporaries.push_back({label, buffer.offset, buffer.size, buffer.first_step, buffer.last_step});
  }
  CHECK(rtCapturePlanDestroy(plan));
  return planned;
}

std::string planHead(const rtCapturePlanInfo_t& info) {
  return counted(info.step_count, "step") + " in " + counted(info.level_count, "level") + " on " +
         counted(info.stream_count, "stream") + ", " + counted(info.dependency_count, "dependency", "dependencies");
}

std::string graphText(const Loaded& loaded) {
  std::string text = counted(loaded.nodes.size(), "node") + ", " + counted(loaded.buffers.size(), "buffer") + ", " +
                     (loaded.values.empty() ? "" : counted(loaded.values.size(), "value") + ", ") +
                     counted(loaded.modules, "module") + "\n\n";
  for (size_t i = 0; i < loaded.buffers.size(); ++i) {
    const FileBuffer& buffer = loaded.buffers[i];
    text += "buffer " + padded(std::to_string(i), 5) + padded(buffer.name.empty() ? "-" : buffer.name, 16) + ' ' +
            padded(buffer.role, 10) + padded(std::to_string(buffer.bytes) + " bytes", 18) + shapeOf(buffer) + '\n';
  }
  for (size_t i = 0; i < loaded.values.size(); ++i) {
    const FileValue& value = loaded.values[i];
    text += "value " + padded(std::to_string(i), 6) + padded(value.name.empty() ? "-" : value.name, 16) + ' ' +
            padded(value.has_initial ? "given" : "", 10) + padded(std::to_string(value.bytes) + " bytes", 18) + '\n';
  }
  text += '\n';
  for (size_t i = 0; i < loaded.nodes.size(); ++i) {
    const FileNode& node = loaded.nodes[i];
    text += "node " + padded(std::to_string(i), 7) + padded(node.kind, 10) +
            padded(node.kind == "kernel" ? node.label : "", 24) + (node.after.empty() ? "" : " after " + joined(node.after)) +
            '\n';
  }
  return text;
}

std::string planText(const Planned& planned) {
  const rtCapturePlanInfo_t& info = planned.info;
  std::string text = "plan: " + planHead(info) + "\ntemporaries: " + std::to_string(info.temporary_bytes) + " bytes, " +
                     std::to_string(info.temporary_bytes_without_reuse) + " without reuse, " +
                     std::to_string(info.temporary_bytes_live) + " in use at once\n";
  for (const PlannedTemporary& each : planned.temporaries) {
    text += "  " + padded(each.name, 20) + " at " + padded(std::to_string(each.offset), 12) +
            padded(std::to_string(each.bytes) + " bytes", 18) + " steps " + std::to_string(each.first) + " to " +
            std::to_string(each.last) + '\n';
  }
  return text;
}

std::string graphDot(const Loaded& loaded) {
  size_t needed = 0;
  CHECK(rtGraphExportDot(nullptr, 0, &needed, loaded.graph));
  std::string text(needed, '\0');
  CHECK(rtGraphExportDot(text.data(), text.size(), &needed, loaded.graph));
  text.resize(text.size() - 1);
  return text;
}
