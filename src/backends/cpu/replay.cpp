// Launching a graph of the CPU, and changing what launches from now on do.
#include "backends/cpu/replay.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"

namespace manyrt::cpu {

Status ReplayMaker::make(Ref<backend::Replay>* out, std::span<const backend::ReplayStep> steps,
                         std::span<const backend::Slot> slots) {
  if (fault::fails("cpu.replay")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for a graph of the CPU.");
  Ref<Replay> replay = Ref<Replay>::adopt(new Replay(points_));
  // The layout is a matter of the graph's form alone, and is shared by all arrays that changes make.
  replay->layout_ = std::make_shared<ReplayLayout>(steps, threads_, slots);
  std::vector<backend::ReplayStep::Work> works;
  works.reserve(steps.size());
  for (const backend::ReplayStep& step : steps) works.push_back(step.work);
  RT_TRY(ReplayArray::create(&replay->array_, replay->layout_, works));
  if (!slots.empty()) replay->values_ = Ref<SlotValues>::adopt(new SlotValues(replay->layout_->slot_bytes));
  for (size_t i = 0; i < slots.size(); ++i) {
    replay->values_->set(replay->layout_->slots[i].offset, slots[i].value, slots[i].size);
  }
  *out = std::move(replay);
  return Status();
}

Status Replay::launch(backend::Stream& given) {
  auto& stream = static_cast<Stream&>(given);
  // An array has one position and one set of counters, so its launches run one after the other. On one stream they do anyway.
  if (last_ != &stream) RT_TRY(comeAfter(stream, given));
  Ref<backend::Point> end;
  RT_TRY(points_->create(&end, false));
  RT_TRY(stream.replay(array_, values_, end));
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
  std::vector<backend::ReplayStep::Work> works = array_->works();
  works[step] = work;
  return ReplayArray::create(&array_, layout_, works);
}

// In place where no launch has the values any more, else in a copy. A launch takes its values over when it begins.
Status Replay::setSlot(bool* changed, uint32_t slot, const void* value) {
  *changed = true;
  if (values_->references() != 1) takeValues();
  const ReplayLayout::Slot& place = layout_->slots[slot];
  values_->set(place.offset, value, place.size);
  return Status();
}

// If a program launches ahead, each launch in flight has values of its own. Later launches reuse them.
void Replay::takeValues() {
  constexpr size_t kMostSpares = 256;
  if (!spares_.empty() && spares_.front()->references() == 1) {
    spares_.front()->copy(*values_);
    std::rotate(spares_.begin(), spares_.begin() + 1, spares_.end());
    std::swap(spares_.back(), values_);
    return;
  }
  Ref<SlotValues> fresh = Ref<SlotValues>::adopt(new SlotValues(layout_->slot_bytes));
  fresh->copy(*values_);
  if (spares_.size() < kMostSpares) spares_.push_back(values_);
  values_ = std::move(fresh);
}

}  // namespace manyrt::cpu
