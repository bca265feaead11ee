// Launching a graph of the CPU, and changing what launches from now on do.
#include "backends/cpu/replay.h"

#include "base/fault.h"

namespace manyrt::cpu {

Status ReplayMaker::make(Ref<backend::Replay>* out, std::span<const backend::ReplayStep> steps) {
  if (fault::fails("cpu.replay")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for a graph of the CPU.");
  Ref<Replay> replay = Ref<Replay>::adopt(new Replay(points_));
  // The layout is a matter of the graph's form alone, and is shared by all arrays that changes make.
  replay->layout_ = std::make_shared<ReplayLayout>(steps, threads_);
  std::vector<backend::ReplayStep::Work> works;
  works.reserve(steps.size());
  for (const backend::ReplayStep& step : steps) works.push_back(step.work);
  RT_TRY(ReplayArray::create(&replay->array_, replay->layout_, works));
  *out = std::move(replay);
  return Status();
}

Status Replay::launch(backend::Stream& given) {
  auto& stream = static_cast<Stream&>(given);
  // An array has one position and one set of counters, so its launches run one after the other. On one stream they do anyway.
  if (last_ != &stream) RT_TRY(comeAfter(stream, given));
  Ref<backend::Point> end;
  RT_TRY(points_->create(&end, false));
  RT_TRY(stream.replay(array_, end));
  // Only after success: a refused launch must not become what the next one waits for.
  end_ = std::move(end);
  last_ = &stream;
  return Status();
}

Status Replay::comeAfter(backend::Stream& stream, backend::Stream&) {
  return end_ && !end_->done() ? stream.wait(end_, backend::Skip::kNever) : Status();
}

// In place where no launch has the array any more, else in a copy.
Status Replay::change(bool* changed, uint32_t step, const backend::ReplayStep::Work& work) {
  RT_TRY(ReplayArray::check(work));
  *changed = true;
  // With the only reference no launch reads the array, and the caller lets none begin meanwhile.
  if (array_->references() == 1 && array_->change(step, work)) return Status();
  std::vector<backend::ReplayStep::Work> works;
  works.reserve(layout_->order.size());
  for (uint32_t i = 0; i < layout_->order.size(); ++i) works.push_back(i == step ? work : array_->workOf(i));
  return ReplayArray::create(&array_, layout_, works);
}

}  // namespace manyrt::cpu
