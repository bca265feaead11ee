// Graphs of the CPU: one command of a stream, which runs an array of nodes.
#pragma once

#include "backends/cpu/point.h"
#include "backends/cpu/replay_array.h"

namespace manyrt::cpu {

class ReplayMaker final : public backend::ReplayMaker {
 public:
  ReplayMaker(Ref<PointPool> points, uint32_t threads) : points_(std::move(points)), threads_(threads) {}
  bool takes(const backend::ReplayStep::Work&) override { return true; }
  Status make(Ref<backend::Replay>* replay, std::span<const backend::ReplayStep> steps,
              std::span<const backend::Slot> slots) override;

 private:
  const Ref<PointPool> points_;
  const uint32_t threads_;
};

class Replay final : public backend::Replay {
 public:
  Status launch(backend::Stream& stream) override;
  Status comeAfter(backend::Stream& stream, backend::Stream& last) override;
  Status change(bool* changed, uint32_t step, const backend::ReplayStep::Work& work) override;
  Status setSlot(bool* changed, uint32_t slot, const void* value) override;

 private:
  friend class ReplayMaker;
  explicit Replay(Ref<PointPool> points) : points_(std::move(points)) {}
  void takeValues();

  const Ref<PointPool> points_;
  std::shared_ptr<const ReplayLayout> layout_;
  Ref<ReplayArray> array_;               // of the next launch
  Ref<SlotValues> values_;               // of the next launch; null: there are no slots
  std::vector<Ref<SlotValues>> spares_;  // of earlier launches, the oldest first
  Ref<backend::Point> end_;              // of the last launch,
  const void* last_ = nullptr;           // and its stream, to be compared
};

}  // namespace manyrt::cpu
