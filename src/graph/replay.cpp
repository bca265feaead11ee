// One launch: what came before on the stream, the steps lane by lane, and the end that the next launch waits for.
#include <cstdio>

#include "graph/exec.h"
#include "ops/wait.h"

namespace manyrt::graph {

Status Exec::checkBound() const {
  for (uint32_t i = 0; i < plan_->graph().buffers().size(); ++i) {
    if (bound_[i].pointer != nullptr || plan_->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
    return Status::error(RT_ERROR_INVALID_VALUE, "The %s is not bound: rtGraphExecBindBuffer comes before the launch.",
                         plan_->graph().bufferName(i).c_str());
  }
  return Status();
}

// A lane that a failure has stopped is exchanged: the failure went to the launch's stream and is told there.
Status Exec::repairLanes() {
  for (uint32_t lane = 1; lane < plan_->lanes(); ++lane) {
    Lease<manager::Stream>& mine = lanes_[lane - 1];
    if (!mine->native->latch.failed()) continue;
    rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
    snprintf(options.label, sizeof options.label, "graph lane %u", lane);
    manager::Stream* fresh = nullptr;
    RT_TRY(manager::createStream(&fresh, *context_, *owner_, options, true));
    manager::closeHandle(mine->bits);
    mine = Lease<manager::Stream>(fresh);
  }
  return Status();
}

// The exec's own points are recorded again in place where no wait holds them any more.
Status Exec::record(Ref<backend::Point>* point, manager::Stream& stream) {
  if (Status status; *point && (*point)->references() == 1 && stream.native->recordAgain(**point, &status)) return status;
  Ref<backend::Point> fresh;
  RT_TRY(owner_->native().createPoint(&fresh, false));
  RT_TRY(stream.native->record(fresh));
  *point = std::move(fresh);
  return Status();
}

Status Exec::checkContext(const manager::Stream& stream) const {
  if (stream.context.get() == context_.get()) return Status();
  return Status::error(RT_ERROR_WRONG_CONTEXT, "The exec belongs to the %s and the stream to the %s.", context_->name().c_str(),
                       stream.context->name().c_str());
}

Status Exec::launch(manager::Stream& stream) {
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return capture(stream);
  RT_TRY(checkContext(stream));
  RT_TRY(ops::submittable(stream));
  std::lock_guard lock(mutex_);
  RT_TRY(checkBound());
  RT_TRY(repairLanes());
  RT_TRY(begin(stream));
  const Status status = run(stream);
  const Status finished = finish(stream);  // in any case: what was ordered has to be waited for
  ops::traceSubmission(stream);
  return status.ok() ? finished : status;
}

Status Exec::begin(manager::Stream& stream) {
  if (last_stream_ && !(last_stream_ == stream.native.get()) && running()) RT_TRY(stream.native->wait(end_));
  if (lanes_.empty()) return Status();
  RT_TRY(record(&begin_, stream));
  for (const Lease<manager::Stream>& lane : lanes_) RT_TRY(lane->native->wait(begin_));
  return Status();
}

Status Exec::run(manager::Stream& stream) {
  const std::vector<Step>& steps = plan_->steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    manager::Stream& lane = laneOf(steps[i].lane, stream);
    for (uint32_t point : orders_[i].waits) RT_TRY(lane.native->wait(points_[point]));
    RT_TRY(steps_[i].submit(lane));
    if (orders_[i].point != kNone) RT_TRY(record(&points_[orders_[i].point], lane));
  }
  return Status();
}

Status Exec::finish(manager::Stream& stream) {
  Status first;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    Status status = record(&joins_[i], *lanes_[i]);
    if (status.ok()) status = stream.native->wait(joins_[i]);
    if (first.ok()) first = std::move(status);
  }
  Status status = record(&end_, stream);
  last_stream_ = stream.native;
  return first.ok() ? status : first;
}

}  // namespace manyrt::graph
