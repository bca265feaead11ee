// The devices of CUDA: what each of them is, its primary context, and its death. The execution manager owns them; contexts
// refer to theirs.
#pragma once

#include <memory>
#include <mutex>

#include "backends/cuda/declarations.h"
#include "backends/cuda/launch_graphs.h"
#include "backends/cuda/ranges.h"
#include "backends/cuda/timeline.h"
#include "backends/driver/device.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Device final : public driver::Device, private backend::Interop {
 public:
  explicit Device(int32_t ordinal) { properties_.ordinal = ordinal; }
  Status describe();  // once, before the device is published; touches no context

  bool has(int32_t capability) const override;
  Status attribute(int64_t* value, int32_t attribute) override;
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override;
  bool canAccess(const backend::Device& peer) const override;
  bool copiesPeer(const backend::Device& other) const override;
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override;
  backend::Interop* interop() override { return this; }
  void native(uint64_t out[2]) override;

  DeviceNumber number() const { return number_; }
  uint32_t units() const { return properties_.compute_units; }
  int computeMajor() const { return major_; }
  const char* id() const { return properties_.id; }
  int computeMinor() const { return minor_; }
  uint32_t architecture() const { return static_cast<uint32_t>(major_ * 10 + minor_); }  // 90: sm_90
  int driverVersion() const { return driver_version_; }
  uint32_t itemsPerUnit() const { return items_per_unit_; }          // that a multiprocessor has room for at the same time
  uint32_t sharedBytesByDefault() const { return shared_default_; }  // of a group, without asking for more
  bool managedIsConcurrent() const { return concurrent_managed_; }
  bool readsPageable() const { return pageable_; }
  LaunchSpeed& launchSpeed() { return launch_speed_; }
  Timeline& timeline() { return timeline_; }
  Ranges* ranges() const { return ranges_.get(); }  // null: there are none

  // The primary context, retained at the first call and then kept, as the CUDA runtime does.
  Status primary(NativeContext* context);

  // The result of a call that work on the device may have failed. The loss of the device is recorded with the kernels that
  // may be its cause, and everything that waits is told. Returns the failure as the caller passes it on.
  Status failed(const char* call, Error error);

 private:
  Status importContext(Ref<backend::Context>* context, const uint64_t native[2]) override;
  Status importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) override;
  Status importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) override;
  Status importMemory(backend::Memory* memory, backend::Context& context, const uint64_t native[2], uint64_t size) override;
  DeviceNumber number_ = 0;
  int major_ = 0, minor_ = 0;
  int driver_version_ = 0;
  uint32_t shared_default_ = 0;
  uint32_t items_per_unit_ = 0;
  bool managed_ = false, concurrent_managed_ = false, cooperative_ = false, pageable_ = false, peers_ = false;

  Ranked<std::mutex, LockRank::kCudaDevice> mutex_;
  NativeContext primary_ = nullptr;
  LaunchSpeed launch_speed_;
  Timeline timeline_{*this};
  std::unique_ptr<Ranges> ranges_;
};

}  // namespace manyrt::cuda
