// One launch. It is one replay of the driver. Or it is a wait for the launch before, the pieces or the steps of all branches,
// and a point for the next launch.
#include <cstdio>
#include <new>

#include "graph/exec/exec.h"
#include "ops/wait.h"

namespace manyrt::graph {

Status Exec::takeBranches() {
  while (branches_.size() + 1 < plan_->branches()) {
    // Before the stream is made: emplace_back() cannot throw then, which would lose an open handle.
    branches_.reserve(plan_->branches());
    manager::Stream* stream = nullptr;
    RT_TRY(takeBranch(&stream, static_cast<uint32_t>(branches_.size()) + 1));
    branches_.emplace_back(stream);
  }
  joins_.resize(branches_.size());
  return Status();
}

Status Exec::takeBranch(manager::Stream** stream, uint32_t branch) {
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  snprintf(options.label, sizeof options.label, "graph branch %u", branch);
  RT_TRY(manager::createStream(stream, *context_, *resources_, options, true));
  // Before its first work: firstFailure() reads the claims with acquire and leaves a stream with this flag out. The stream of
  // the launch tells a branch's failure, once.
  (*stream)->native->claims.fetch_or(allocator::ContextResources::kOfGraph, std::memory_order_acq_rel);
  return Status();
}

// Replaces the streams of branches that have failed. The stream of the launch reports the failure.
Status Exec::repairBranches() {
  for (uint32_t branch = 1; branch <= branches_.size(); ++branch) {
    Lease<manager::Stream>& mine = branches_[branch - 1];
    if (!mine->native->latch.failed()) continue;
    manager::Stream* fresh = nullptr;
    // A latched stream skips all its work, and nothing else would clear it: the program does not know it. The fresh one comes
    // first: if it cannot be had, the old one stays, and the launch fails.
    RT_TRY(takeBranch(&fresh, branch));
    manager::closeHandle(mine->bits);
    mine = Lease<manager::Stream>(fresh);
  }
  return Status();
}

// Records a point of the exec. A point that no wait refers to is recorded again in place.
Status Exec::record(Ref<backend::Point>* point, manager::Stream& stream) try {
  // One reference is the exec's own. Another stream that still waits for the point would wait for the new place.
  if (Status status; *point && (*point)->references() == 1 && stream.native->recordAgain(**point, &status)) return status;
  Ref<backend::Point> fresh;
  RT_TRY(resources_->native().createPoint(&fresh, false));
  RT_TRY(stream.native->record(fresh));
  *point = std::move(fresh);
  return Status();
} catch (const std::bad_alloc&) {  // finish() has to go on with the other branches
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

Status Exec::ofOtherContext(const manager::Stream& stream) const {
  return Status::error(RT_ERROR_WRONG_CONTEXT, "The exec belongs to the %s and the stream to the %s.", context_->name().c_str(),
                       stream.context->name().c_str());
}

// The acquire of the recorder pairs with the attaching of a capture: the session is complete. The lock is held until all pieces
// are with the stream, so that launches of two threads do not mix their pieces.
[[gnu::hot]] Status Exec::launch(manager::Stream& stream) {
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return capture(stream);
  RT_TRY(checkContext(stream));
  RT_TRY(ops::submittable(stream));
  std::lock_guard lock(mutex_);
  if (unbound_ != 0 || unfit_ != 0 || stale_) [[unlikely]] {
    // Changes that came before there were pieces, or whose undoing failed, are made up for here.
    RT_TRY(checkComplete());
    RT_TRY(makePieces());
  }
  Status status = whole_ != nullptr ? launchWhole(stream) : launchPieces(stream);
  ops::traceSubmission(stream);
  return status;
}

// The driver keeps launches of one replay in order. Only a launch in an earlier form of the exec may have to be waited for.
Status Exec::launchWhole(manager::Stream& stream) {
  if (end_ || earlier_) [[unlikely]]
    RT_TRY(awaitEarlier(stream));
  Status launched = whole_->launch(*stream.native);
  if (foreign_) [[unlikely]] {  // also after a failure: the driver may have got a part of the launch
    for (const Prepared& step : steps_) step.noteUse(stream);
  }
  RT_TRY(std::move(launched));
  if (end_ || earlier_) [[unlikely]]  // only now: a failed launch may not have waited for them
    end_ = nullptr, earlier_ = nullptr;
  whole_launched_ = true;
  // Compared first: most launches come to one stream, and the reference count is shared between threads.
  if (!(last_stream_ == stream.native.get())) last_stream_ = stream.native;
  return Status();
}

Status Exec::launchPieces(manager::Stream& stream) {
  RT_TRY(repairBranches());
  RT_TRY(begin(stream));
  Status status;
  try {
    status = pieces_.empty() ? walk(stream) : runPieces(stream);
  } catch (const std::bad_alloc&) {  // the submitted part has to be waited for, as after any failure
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  const Status finished = finish(stream);  // also after a failure: the submitted part has to be waited for
  return status.ok() ? finished : status;
}

// On the stream of the last launch the order is given. On another one, this waits for that launch: through the earlier replay,
// which the driver orders, or for the point at its end.
Status Exec::awaitEarlier(manager::Stream& stream) {
  // A poll of the point saves a wait in the stream: between launches at a distance the point has mostly passed.
  const bool other = last_stream_ && !(last_stream_ == stream.native.get());
  if (earlier_) return other ? earlier_->comeAfter(*stream.native, *last_stream_) : Status();
  return other && end_ && !end_->poll() ? stream.native->wait(end_, backend::Skip::kNever) : Status();
}

// The branches of the exec begin after the present end of the given stream.
Status Exec::begin(manager::Stream& stream) {
  RT_TRY(awaitEarlier(stream));
  if (branches_.empty() || !pieces_.empty()) return Status();
  RT_TRY(record(&begin_, stream));
  // Pieces stay in the given stream, which orders them.
  for (const Lease<manager::Stream>& branch : branches_) RT_TRY(branch->native->wait(begin_, backend::Skip::kNever));
  return Status();
}

Status Exec::runPieces(manager::Stream& stream) {
  for (const Piece& piece : pieces_) {
    // Uses are noted before the failure is returned. The driver may have got a part of the piece, and memory of other contexts
    // must outlive it.
    Status launched = piece.replay ? piece.replay->launch(*stream.native) : Status();
    for (uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (piece.replay) {
        steps_[i].noteUse(stream);
      } else {
        RT_TRY(steps_[i].submit(stream));
      }
    }
    RT_TRY(std::move(launched));
  }
  return Status();
}

// Skip::kNever: a branch waits also if its own stream has failed, so that no branch overtakes the launch. Steps are submitted
// in the order of the plan, so that every point is recorded before a wait for it.
Status Exec::walk(manager::Stream& stream) {
  const std::vector<Step>& steps = plan_->steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    manager::Stream& branch = streamOf(steps[i].branch, stream);
    for (uint32_t point : orders_[i].waits) RT_TRY(branch.native->wait(points_[point], backend::Skip::kNever));
    RT_TRY(steps_[i].submit(branch));
    if (orders_[i].point != backend::kNoPoint) RT_TRY(record(&points_[orders_[i].point], branch));
  }
  return Status();
}

// The given stream waits for the ends of all branches, also after a failure, and records the point for the next launch.
Status Exec::finish(manager::Stream& stream) {
  Status first;
  for (size_t i = 0; i < branches_.size() && pieces_.empty(); ++i) {
    // A failure at one branch does not end the loop. A branch that nothing waits for would still run when the next launch
    // begins.
    Status status = record(&joins_[i], *branches_[i]);
    if (status.ok()) status = stream.native->wait(joins_[i], backend::Skip::kNever);
    if (first.ok()) first = std::move(status);
  }
  Status status = record(&end_, stream);
  if (status.ok()) earlier_ = nullptr;
  last_stream_ = stream.native;
  return first.ok() ? status : first;
}

}  // namespace manyrt::graph
