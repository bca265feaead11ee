// A graph file as the manyrt command sees it: loaded by the library, which checks it; names, types and shapes beside, which the
// library keeps for others; and the plan that a device makes of it.
#pragma once

#include <rt.h>

#include <string>
#include <vector>

struct FileBuffer {
  std::string name, role, type;
  uint64_t bytes = 0;
  std::vector<uint64_t> shape;
  rtGraphBuffer_t handle = nullptr;
};
struct FileValue {
  std::string name;
  uint32_t bytes = 0;
  bool has_initial = false;
  rtGraphValue_t handle = nullptr;
};
struct FileNode {
  std::string label, kind;
  std::vector<uint32_t> after;
};

struct Loaded {  // destroyed with the process
  rtGraph_t graph = nullptr;
  size_t modules = 0;
  std::vector<FileBuffer> buffers;
  std::vector<FileValue> values;
  std::vector<FileNode> nodes;
  std::vector<rtGraphNode_t> handles;  // of the nodes
};
Loaded loadGraphFile(const std::string& path);

struct PlannedStep {
  uint32_t node = 0, stream = 0, level = 0;
};
struct PlannedTemporary {
  std::string name;
  uint64_t offset = 0, bytes = 0;
  uint32_t first = 0, last = 0;
};
struct Planned {
  rtCapturePlanInfo_t info = RT_CAPTURE_PLAN_INFO_INIT;
  std::vector<PlannedStep> steps;
  std::vector<PlannedTemporary> temporaries;  // those that are used
};
// A plan, for rtCapturePlanDestroy. `images`: files of modules with kernels that the graph names and has no source of.
rtCapturePlan_t makePlan(const Loaded& loaded, const std::vector<std::string>& images, rtContext_t context);
Planned planGraph(const Loaded& loaded, const std::vector<std::string>& images, const std::string& device);

std::string planHead(const rtCapturePlanInfo_t& info);
std::string graphText(const Loaded& loaded);
std::string planText(const Planned& planned);
std::string graphDot(const Loaded& loaded);
std::string graphSvg(const Loaded& loaded, const Planned& planned);  // graph_svg.cpp
