// Captures of one to three streams with the ops of steps_work.cpp, and what is done with the graphs that they give.
#include <algorithm>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/journal.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr size_t kMaxExecutables = 8;

// A capture while it is recorded. Order inside it is kept as outside, but within the capture alone.
class Capture {
 public:
  Capture(Actor& actor, std::vector<StreamRef> streams, Executable* into)
      : actor_(actor), rng_(actor.rng), streams_(std::move(streams)), into_(into), joined_(streams_.size()) {}

  void begin() {
    joined_[0] = true;
    OK(rtStreamBeginCapture, streams_[0]->handle);
    Recording& recording = into_->recording;
    for (size_t count = rng_.range(1, 4); count > 0; --count) {
      const BufferRef& buffer = actor_.buffers[rng_.below(actor_.buffers.size())];
      if (std::find(recording.buffers.begin(), recording.buffers.end(), buffer) != recording.buffers.end()) continue;
      recording.buffers.push_back(buffer);
      addOperand(buffer->operandFor(*into_->context), buffer->address);
    }
    while (rng_.chance(30)) allocate();
  }

  void giveOp() {
    const size_t stream = rng_.below(streams_.size());
    Op op;
    if (!generate(rng_, operands_, into_->context->kernels, &op)) return;
    join(stream);
    give(stream, op);
  }

  void end(rtGraph_t* graph) {
    for (size_t stream = 1; stream < streams_.size(); ++stream) {
      if (joined_[stream]) waitFor(0, stream);
    }
    for (size_t i = into_->recording.buffers.size(); i < addresses_.size(); ++i) {
      OK(rtFreeAsync, addresses_[i], streams_[0]->handle);
    }
    int32_t state = 0;
    OK(rtStreamIsCapturing, &state, streams_[0]->handle);
    if (state != RT_CAPTURE_ACTIVE) fail("a capture has the state %d.", state);
    EXPECT(RT_ERROR_CAPTURE_UNSAFE, rtStreamQuery, streams_[0]->handle);
    OK(rtStreamEndCapture, graph, streams_[0]->handle);
    for (rtEvent_t event : events_) OK(rtEventDestroy, event);
  }

 private:
  struct Used {
    size_t stream;
    bool write;
  };

  void addOperand(const Operand& operand, uint8_t* address) {
    operands_.push_back(operand);
    addresses_.push_back(address);
    uses_.emplace_back();
  }

  // Memory of the graph's own. Its contents begin anew with each launch, by a fill.
  void allocate() {
    const size_t size = rng_.size(1 << 12);
    void* pointer = nullptr;
    OK(rtMallocAsync, &pointer, size, streams_[0]->handle);
    noteMemory("graph memory", pointer, size, actor_.step, nullptr, streams_[0]->handle);
    Operand operand;
    operand.size = size;
    operand.device = operand.home = operand.kernel = true;
    addOperand(operand, static_cast<uint8_t*>(pointer));
    into_->recording.temporaries.emplace_back(size);
    uses_.back().push_back({0, true});
    Op fill;
    fill.type = OpType::kMemset;
    fill.dst = fill.src = fill.other = static_cast<unsigned>(addresses_.size() - 1);
    fill.size = size;
    fill.value = rng_.word();
    give(0, fill);
  }

  void join(size_t stream) {
    if (joined_[stream]) return;
    waitFor(stream, 0);
    joined_[stream] = true;
  }

  void waitFor(size_t later, size_t earlier) {
    if (rng_.chance(50)) {
      OK(rtStreamWaitStream, streams_[earlier]->handle, streams_[later]->handle);
      return;
    }
    rtEvent_t event = nullptr;
    OK(rtEventCreate, &event, nullptr, into_->context->handle);
    events_.push_back(event);
    OK(rtEventRecord, event, streams_[earlier]->handle);
    OK(rtStreamWaitEvent, event, streams_[later]->handle);
  }

  void order(size_t stream, size_t memory, bool write) {
    for (const Used& use : uses_[memory]) {
      if (use.stream != stream && (write || use.write)) waitFor(stream, use.stream);
    }
    if (write) uses_[memory].clear();
    uses_[memory].push_back({stream, write});
  }

  void give(size_t stream, const Op& op) {
    if (op.reads() && op.src != op.dst) order(stream, op.src, false);
    if (op.type == OpType::kSum && op.other != op.dst) order(stream, op.other, false);
    if (op.writes()) order(stream, op.dst, true);
    HostCall* call = nullptr;
    if (op.type == OpType::kHostFunction || op.type == OpType::kNative) {
      into_->recording.host_calls.push_back(std::make_unique<HostCall>());
      call = into_->recording.host_calls.back().get();
      call->op = op;
      call->address = addresses_[op.dst];
      call->seed = rng_.next();
    }
    const rtStatus_t status = submit(op, addresses_, into_->context->kernels, call, streams_[stream]->handle);
    if (status != RT_SUCCESS) {
      fail("a valid %s in a capture returned %s: %s", nameOf(op.type), rtGetErrorName(status), lastMessage().c_str());
    }
    into_->recording.ops.push_back(op);
  }

  Actor& actor_;
  Rng& rng_;
  std::vector<StreamRef> streams_;
  Executable* into_;
  std::vector<bool> joined_;
  std::vector<Operand> operands_;
  std::vector<uint8_t*> addresses_;
  std::vector<std::vector<Used>> uses_;
  std::vector<rtEvent_t> events_;
};

}  // namespace

void stepCapture(Actor& actor) {
  if (actor.executables.size() >= kMaxExecutables || actor.buffers.empty()) return;
  const auto context = actor.anyContext();
  std::vector<StreamRef> free_streams;  // a primary context's default stream belongs to all threads
  for (const StreamRef& stream : actor.streams) {
    if (stream->context == context && !(stream->is_default && context->primary)) free_streams.push_back(stream);
  }
  if (free_streams.empty()) return;
  std::vector<StreamRef> streams;
  for (size_t count = actor.rng.range(1, 3); count > 0 && !free_streams.empty(); --count) {
    const size_t position = actor.rng.below(free_streams.size());
    streams.push_back(free_streams[position]);
    free_streams.erase(free_streams.begin() + static_cast<std::ptrdiff_t>(position));
  }
  auto executable = std::make_unique<Executable>();
  executable->context = context;
  executable->captured = true;
  Capture capture(actor, streams, executable.get());
  capture.begin();
  for (size_t count = actor.rng.range(1, 16); count > 0; --count) capture.giveOp();
  capture.end(&executable->graph);
  actor.payDebts();
  OK(rtGraphInstantiate, &executable->exec, executable->graph, actor.rng.chance(50) ? nullptr : context->handle);
  if (actor.rng.chance(30)) {
    OK(rtGraphDestroy, executable->graph);
    executable->graph = nullptr;
  }
  for (const BufferRef& buffer : executable->recording.buffers) ++buffer->graphs;
  actor.executables.push_back(std::move(executable));
}

void stepLaunchGraph(Actor& actor) {
  if (actor.executables.empty()) return;
  Executable& executable = *actor.executables[actor.rng.below(actor.executables.size())];
  Recording& recording = executable.recording;
  for (size_t count = actor.rng.range(1, 3); count > 0; --count) {
    const StreamRef stream = actor.streamOf(executable.context);
    for (size_t i = 0; i < recording.buffers.size(); ++i) {
      if (recording.names(i)) actor.order(stream, recording.buffers[i], recording.writes(i));
    }
    bool pageable = false;
    for (const BufferRef& buffer : recording.buffers) {
      if (buffer->type != MemoryType::kPageable) continue;
      pageable = true;
      actor.waitForUses(buffer, true);  // the launch may read it during the call
    }
    if (pageable) actor.payDebts();
    counts().host_submitted.fetch_add(recording.hostFunctions());
    OK(rtGraphLaunch, executable.exec, stream->handle);
    ++stream->submitted;
    if (executable.launches++ == 0 && executable.wanted != nullptr) actor.owed.push_back(executable.wanted);
    executable.last_stream = stream;
    executable.last_serial = stream->submitted;
    recording.applyAll();
    for (size_t i = 0; i < recording.buffers.size(); ++i) {
      if (!recording.names(i)) continue;
      actor.used(stream, recording.buffers[i], recording.writes(i));
      recording.buffers[i]->uses.back().graph = true;
      for (const Op& op : recording.ops) {
        if (!op.writes() || op.dst != i) continue;
        const char* what = executable.captured ? "in a capture:" : "in a graph:";
        recording.buffers[i]->note(what, actor.step, &op, "");
        noteMemory(what, recording.buffers[i]->address + op.dst_offset, op.extent(), actor.step, &op, stream->handle);
      }
    }
  }
}

void stepDropGraph(Actor& actor) {
  if (!actor.executables.empty()) actor.removeExecutable(actor.rng.below(actor.executables.size()));
}

}  // namespace rtrandom
