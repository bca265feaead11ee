// The group of a thread. Its end gives each rank and stream one batch, in the order in which they came first. Splits are
// announced for all ranks before the thread waits for the first.
#include "comm/group.h"

#include <algorithm>
#include <utility>

#include "comm/batch.h"
#include "comm/handles.h"

namespace manyrt::comm {
namespace {

struct Part {
  std::shared_ptr<Communicator> communicator;
  rtStream_t stream;
  std::vector<Operation> operations;
};

struct SplitCall {
  rtComm_t* comm;
  std::shared_ptr<Communicator> parent;
  int32_t color;
  int32_t key;
  uint64_t ticket = 0;
};

struct Group {
  uint32_t depth = 0;
  Status refused;
  std::vector<Part> parts;
  std::vector<SplitCall> splits;
};
thread_local Group group;

Status takeSplit(SplitCall& call) {
  std::shared_ptr<Communicator> made;
  RT_TRY(call.parent->takeSplit(call.ticket, &made));
  if (made != nullptr) *call.comm = publish(std::move(made));
  return Status();
}

Status runSplits(std::vector<SplitCall>& calls) {
  Status first;
  for (SplitCall& call : calls) {
    const Status status = call.parent->announceSplit(call.color, call.key, &call.ticket);
    if (!status.ok()) return status;  // the communicator has failed: no other rank waits for ever
  }
  for (SplitCall& call : calls) {
    const Status status = takeSplit(call);
    if (first.ok()) first = status;
  }
  return first;
}

}  // namespace

void beginGroup() { ++group.depth; }
bool inGroup() { return group.depth != 0; }

void spoilGroup(const Status& status) {
  if (inGroup() && group.refused.ok()) group.refused = status;
}

Status endGroup() {
  RT_CHECK_ARG(inGroup(), "There is no group on this thread to end.");
  if (--group.depth != 0) return Status();
  Group ended;
  std::swap(ended, group);
  if (!ended.refused.ok()) return ended.refused;
  Status first = runSplits(ended.splits);
  for (Part& part : ended.parts) {  // all of them, whatever becomes of one: other ranks wait for them
    const Status status = submit(part.communicator, std::move(part.operations), part.stream);
    if (first.ok()) first = status;
  }
  return first;
}

Status submitOrCollect(const std::shared_ptr<Communicator>& communicator, const Operation& operation, rtStream_t stream) {
  if (!inGroup()) return submit(communicator, {operation}, stream);
  const auto same = [&](const Part& part) { return part.communicator == communicator && part.stream == stream; };
  auto part = std::find_if(group.parts.begin(), group.parts.end(), same);
  if (part == group.parts.end()) part = group.parts.insert(part, {communicator, stream, {}});
  part->operations.push_back(operation);
  return Status();
}

Status splitOrCollect(rtComm_t* comm, const std::shared_ptr<Communicator>& parent, int32_t color, int32_t key) {
  std::vector<SplitCall> calls;
  calls.push_back({comm, parent, color, key});
  if (!inGroup()) return runSplits(calls);
  group.splits.push_back(std::move(calls.front()));
  return Status();
}

}  // namespace manyrt::comm
