// The group of a thread. Its end gives each rank and stream one batch, in the order in which they came first. Ranks to be
// made are announced, all of them, before the thread waits for the first.
#include "comm/group.h"

#include <algorithm>
#include <utility>

#include "comm/batch.h"
#include "comm/guard.h"
#include "comm/handles.h"
#include "comm/info.h"
#include "comm/together.h"

namespace manyrt::comm {
namespace {

struct Part {
  std::shared_ptr<Communicator> communicator;
  rtStream_t stream;
  int64_t came;  // with the first operation
  std::vector<Operation> operations;
  Status submitted;
  bool together = false;  // was submitted with the other ranks
};

struct Group {
  uint32_t depth = 0;
  Status refused;
  std::vector<Part> parts;
  std::vector<PendingCreation> creations;
};
// A group is a matter of its thread: two threads may each have one for the same communicators.
thread_local Group group;

Status take(PendingCreation& creation) {
  std::shared_ptr<Communicator> made;
  RT_TRY(creation.take(&made));
  if (made == nullptr) return Status();
  tellMade(*made);
  // Last, so that a program never gets a handle of a rank that could not be made.
  *creation.comm = publish(std::move(made));
  return Status();
}

Status completeCreations(std::vector<PendingCreation>& creations) {
  Status first;
  for (PendingCreation& creation : creations) {
    const Status status = withoutThrowing(creation.announce);
    // All are announced before the first is waited for: the ranks of this thread may wait for each other.
    if (!status.ok()) return status;  // no other rank waits for ever: its communicator has failed, or the seats are given back
  }
  for (PendingCreation& creation : creations) {
    const Status status = withoutThrowing([&] { return take(creation); });
    if (first.ok()) first = status;
  }
  return first;
}

// Ranks of one communicator, all of which the thread has, go at once where their engine can.
void submitComplete(std::vector<Part>& parts) {
  for (const Part& first : parts) {
    if (first.together || first.communicator->rank() != 0) continue;
    std::vector<Joint> joints;
    const auto belongs = [&](const Part& part) {
      return part.communicator->sharedMonitor() == first.communicator->sharedMonitor();
    };
    for (const Part& part : parts) {
      if (belongs(part)) joints.push_back({part.communicator, part.operations, part.stream});
    }
    if (!submitTogether(std::move(joints), first.came)) continue;
    for (Part& part : parts) part.together |= belongs(part);
  }
}

// Only some ranks of a communicator were submitted: fails it, or these would wait for the others until the time has passed.
void failPartiallySubmitted(const std::vector<Part>& parts) {
  for (const Part& lost : parts) {
    if (lost.submitted.ok()) continue;
    const auto waits = [&](const Part& part) {
      return part.submitted.ok() && part.communicator->sharedMonitor() == lost.communicator->sharedMonitor();
    };
    if (std::any_of(parts.begin(), parts.end(), waits)) lost.communicator->fail(lost.submitted);
  }
}

}  // namespace

void beginGroup() { ++group.depth; }
bool inGroup() { return group.depth != 0; }

void spoilGroup(const Status& status) {
  // The first refusal is the one that the end tells. It submits nothing then: other ranks would wait for the missing part.
  if (inGroup() && group.refused.ok()) group.refused = status;
}

Status endGroup() {
  RT_CHECK_ARG(inGroup(), "There is no group on this thread to end.");
  if (--group.depth != 0) return Status();
  // Out of the thread's variable first: operations below may call functions that begin a group of their own.
  Group ended;
  std::swap(ended, group);
  // Creations that were collected give their seats back as they end here.
  if (!ended.refused.ok()) return ended.refused;
  Status first = completeCreations(ended.creations);
  (void)withoutThrowing([&] { return submitComplete(ended.parts), Status(); });  // without memory each goes its own way
  for (Part& part : ended.parts) {  // all of them, whatever becomes of one: other ranks wait for them
    if (part.together) continue;
    part.submitted = withoutThrowing([&] { return submit(part.communicator, part.operations, part.stream, part.came); });
    if (first.ok()) first = part.submitted;
  }
  // After all parts: which ranks were submitted is known only now.
  if (!first.ok()) failPartiallySubmitted(ended.parts);
  return first;
}

Status submitOrCollect(const std::shared_ptr<Communicator>& communicator, const Operation& operation, rtStream_t stream,
                       int64_t came) {
  if (!inGroup()) return submit(communicator, {&operation, 1}, stream, came);
  // One batch for each rank and stream, so that sends and receives among them do not wait for each other.
  const auto same = [&](const Part& part) { return part.communicator == communicator && part.stream == stream; };
  const auto part = std::find_if(group.parts.begin(), group.parts.end(), same);
  if (part == group.parts.end()) {
    group.parts.push_back({communicator, stream, came, {operation}, Status()});
  } else {
    part->operations.push_back(operation);
  }
  return Status();
}

Status createOrCollect(PendingCreation creation) {
  std::vector<PendingCreation>& creations = group.creations;
  if (inGroup()) {
    creations.push_back(std::move(creation));
    return Status();
  }
  std::vector<PendingCreation> one;
  one.push_back(std::move(creation));
  return completeCreations(one);
}

}  // namespace manyrt::comm
