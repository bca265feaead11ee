// Graphs: nodes with what they do, made ready when they are added; executable graphs, whose launches run one after another and
// keep what they were launched with. The nodes of a launch run in an order that changes from launch to launch and that only
// the dependencies limit.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "execute.h"
#include "objects.h"
#include "stream.h"

namespace manyrt::simulated {

struct Event;

// A launch of a kernel holds this until it has run.
struct PendingLaunch {
  explicit PendingLaunch(std::shared_ptr<Launch> its_launch) : launch(std::move(its_launch)) { ++launch->unit->pending; }
  ~PendingLaunch() { --launch->unit->pending; }
  const std::shared_ptr<Launch> launch;
};

struct NodePlace {  // 0: ordinary memory of the host
  int kind = 0;
  int device = 0;
  bool operator==(const NodePlace&) const = default;
};

struct NodeWork {
  std::function<void(Runner&)> run;                                  // of copies and fills
  std::vector<std::pair<std::shared_ptr<Allocation>, bool>> memory;  // and whether it is written
  NodePlace dst, src;
  bool flat = true;
  int copy_kind = -1;             // of a copy
  size_t bytes = 0;               // of a copy or a fill
  std::array<size_t, 4> shape{};  // of a fill: width, height, element, pitch
  NativeFunction function = nullptr;
  std::shared_ptr<const Launch> launch;  // of a kernel
  std::shared_ptr<Event> event;          // that each launch records
};

struct CopyNode {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch, width, height;
};

Error prepareKernelNode(Context& context, const KernelNodeParameters& node, std::shared_ptr<Launch>* launch);
Error prepareCopyNode(Context& context, const CopyNode& copy, NodeWork* work);
Error prepareFillNode(Context& context, const FillNodeParameters& fill, NodeWork* work);

// A stream that is being captured takes kernels, copies and fills; anything else breaks the capture.
struct Capture {
  NativeGraph graph = nullptr;
  NativeNode last = nullptr;
  bool broken = false;
};
Error captureKernel(Stream& stream, NativeFunction function, std::shared_ptr<const Launch> launch);
Error captureCopy(Stream& stream, const CopyNode& copy);
Error captureFill(Stream& stream, const FillNodeParameters& fill);
Error refuseCapturing(Stream& stream);
void dropCapture(Stream& stream);  // the stream goes

int liveGraphs();
int liveGraphExecs();

}  // namespace manyrt::simulated
