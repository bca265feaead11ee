// The order of launches of one replay: they run one after another, on whatever streams. A driver may keep that order itself
// for what it has been given, but not for what a stream still holds back.
#pragma once

#include "backends/driver/fast_stream.h"
#include "backends/driver/point.h"

namespace manyrt::driver {

// `StreamType` is the driver's final stream class. `kDriverOrders`: the driver runs the launches that it has one after another.
template <class StreamType, bool kDriverOrders>
class Replay : public backend::Replay {
 public:
  [[gnu::hot]] Status launch(backend::Stream& given) final {
    auto& stream = static_cast<StreamType&>(given);
    bool ordered = !last_ || last_ == &stream;
    if (!ordered && (!kDriverOrders || isHeldBack())) [[unlikely]] {
      RT_TRY(comeAfterLast(stream));
      ordered = true;
    }
    // With the driver's order a launch that the stream submits at once has all earlier ones ahead of it. One that it holds back
    // has to wait by itself: a failure may take the launch away, and with it the driver's order.
    Launched launched;
    Status status = stream.replay(*this, &launched, !ordered);
    if (launched.refused) [[unlikely]] {
      RT_TRY(comeAfterLast(stream));
      status = stream.replay(*this, &launched, false);
    }
    if (launched.serial == 0) [[unlikely]]  // nothing was submitted
      return status;
    if (!(last_ == &stream)) last_ = &stream;
    last_serial_ = launched.serial;
    if (end_ || launched.end) [[unlikely]]
      end_ = std::move(launched.end);
    return status;
  }

  Status comeAfter(backend::Stream& stream, backend::Stream&) final { return last_ ? comeAfterLast(stream) : Status(); }
  // Drivers have the values of arguments in their nodes.
  Status setSlot(bool* changed, uint32_t, const void*) final {
    *changed = false;
    return Status();
  }

 protected:
  // Whether a launch has yet to be given to the driver. If any has, the last one has: it came after the others.
  bool isHeldBack() const { return end_ && !static_cast<const Point&>(*end_).isRecorded() && !end_->done(); }

 private:
  // After the last launch alone: what its stream holds back after that may be waiting for what is to come.
  Status comeAfterLast(backend::Stream& stream) {
    Ref<backend::Point> end = end_;
    if (!end) RT_TRY(last_->recordAhead(&end, last_serial_));
    if (!end || end->poll()) return Status();
    return stream.wait(std::move(end), backend::Skip::kNever);
  }

  Ref<StreamType> last_;
  uint64_t last_serial_ = 0;
  Ref<backend::Point> end_;  // after the last launch, where its stream held it back
};

}  // namespace manyrt::driver
