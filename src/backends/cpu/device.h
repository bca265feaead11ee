// The one device of the CPU. Contexts are in context.cpp; what the machine is, in topology.cpp.
#pragma once

#include <mutex>

#include "backends/backend.h"
#include "base/lock_order.h"

namespace manyrt::cpu {

class Device final : public backend::Device, private backend::Interop {
 public:
  const backend::Limits& limits() const override;
  Status properties(const rtDeviceProperties_t** out) override;
  bool has(int32_t capability) const override;
  Status attribute(int64_t* value, int32_t attribute) override;
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override;
  bool canAccess(const backend::Device&) const override { return false; }
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override;

  backend::Interop* interop() override { return this; }
  Status importContext(Ref<backend::Context>* context, const uint64_t native[2]) override;
  Status importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) override;
  Status importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) override;
  Status importMemory(backend::Memory* memory, backend::Context&, const uint64_t native[2], uint64_t size) override;
  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }

 private:
  void describe();

  Ranked<std::mutex, LockRank::kCpuDevice> mutex_;
  bool described_ = false;  // asked for the first time: reading the machine takes long
  rtDeviceProperties_t properties_;
  uint32_t numa_nodes_ = 1;
};

}  // namespace manyrt::cpu
