// The streams are entered one inside the other, by rtStreamCallNative, and the innermost call runs all ranks. If a stream holds
// work back, the calls around it have done nothing.
#include "comm/together.h"

#include <algorithm>
#include <mutex>

#include "comm/guard.h"

namespace manyrt::comm {
namespace {

// In the order of the ranks, and each of them once.
bool isComplete(std::vector<Joint>& joints) {
  std::sort(joints.begin(), joints.end(),
            [](const Joint& a, const Joint& b) { return a.communicator->rank() < b.communicator->rank(); });
  for (size_t rank = 0; rank < joints.size(); ++rank) {
    if (joints[rank].communicator->rank() != static_cast<int32_t>(rank)) return false;
  }
  return joints.size() == static_cast<size_t>(joints.front().communicator->size());
}

bool isRecorded(rtStream_t stream) {
  int32_t state = RT_CAPTURE_NONE;
  return rtStreamIsCapturing(&state, stream) != RT_SUCCESS || state != RT_CAPTURE_NONE;
}

// Whether all ranks mean the same, which is left to the other way to refuse, and their engine runs that at once.
// Under `submitting` of all ranks.
bool fits(const std::vector<Joint>& joints) {
  const Operations first = joints.front().operations;
  return std::all_of(joints.begin(), joints.end(), [&](const Joint& joint) {
    return joint.stream != nullptr && joint.communicator->runsAll(joint.operations) &&
           std::equal(first.begin(), first.end(), joint.operations.begin(), joint.operations.end(), matches) &&
           !isRecorded(joint.stream);
  });
}

// Under `submitting` of all ranks: no batch is ahead of these that has not run.
bool isIdle(const std::vector<Joint>& joints) {
  return !joints.front().communicator->monitor().hasFailed() &&
         std::all_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.communicator->turns.idle(); });
}

struct Chain {
  const std::vector<Joint>& joints;
  std::vector<Communicator::Share> shares;  // of the streams that have been entered
  bool ran = false;
};

rtStatus_t enter(const uint64_t native[2], void* user) {
  Chain& chain = *static_cast<Chain*>(user);
  const Joint& joint = chain.joints[chain.shares.size()];
  // Each stream is held by the call that this function runs in, until the innermost one returns.
  chain.shares.push_back({joint.communicator.get(), joint.operations, native[0]});  // reserved
  if (chain.shares.size() < chain.joints.size()) {
    const rtStatus_t code = rtStreamCallNative(enter, user, chain.joints[chain.shares.size()].stream);
    // Where the chain broke, no stream may latch a failure: the batches go their own ways.
    return chain.ran ? code : RT_SUCCESS;
  }
  chain.ran = true;
  return withoutThrowing([&] { return joint.communicator->runAll(chain.shares); }).code();
}

}  // namespace

bool submitTogether(std::vector<Joint> joints, int64_t came) {
  if (!isComplete(joints)) return false;
  std::vector<std::unique_lock<std::recursive_mutex>> order;
  // In rank order on every thread, so that two threads cannot hold one lock each and wait for the other.
  for (const Joint& joint : joints) order.emplace_back(joint.communicator->turns.submitting);
  if (!isIdle(joints) || !fits(joints)) return false;
  Chain chain{joints, {}};
  chain.shares.reserve(joints.size());
  size_t announced = 0;
  while (announced < joints.size()) {
    const Joint& joint = joints[announced];
    const Status status = withoutThrowing([&] { return joint.communicator->enter(joint.operations, joint.stream, came); });
    if (!status.ok()) break;
    ++announced;
  }
  // All or none: a failed announcement leaves the ranks to the other way.
  if (announced == joints.size()) (void)rtStreamCallNative(enter, &chain, joints.front().stream);
  for (size_t i = 0; i < announced; ++i) joints[i].communicator->leave(chain.ran);
  return chain.ran;
}

}  // namespace manyrt::comm
