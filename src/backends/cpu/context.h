// A context of the CPU: one engine, a pool of points, streams, kernels, modules and memory. The device makes it; it is
// destroyed on a thread of the library, where it ends its workers.
#pragma once

#include "backends/backend.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/module.h"
#include "backends/cpu/point.h"
#include "backends/cpu/replay.h"

namespace manyrt::cpu {

class Context final : public backend::Context,
                      private backend::HostKernels,
                      private backend::HostRegistration,
                      private backend::AddressRanges {
 public:
  static Status create(Ref<backend::Context>* context, const backend::ContextOptions& options);
  static Ref<backend::Context> find(uint64_t address);
  ~Context() override;

  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override;
  void renewStream(backend::Stream& stream, const backend::StreamOptions& options) override;
  Status createPoint(Ref<backend::Point>* point, bool timed) override;
  backend::Counts pointCounts() override;
  backend::HostKernels* hostKernels() override { return this; }
  backend::HostRegistration* hostRegistration() override { return this; }
  backend::ModuleLoader* modules() override { return &loader_; }
  backend::ReplayMaker* replays() override { return &replays_; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override;
  void release(const backend::Memory& memory) override;
  backend::AddressRanges* addressRanges() override;
  void native(uint64_t out[2]) override;
  void nativePoint(backend::Point& point, uint64_t out[2]) override;

  // For the device's interop.
  Status importStream(Ref<backend::Stream>* stream, const uint64_t native[2]);
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]);
  static Status importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size);

 private:
  Status create(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host) override;
  Status add(void* pointer, uint64_t size, void** device_pointer) override;
  void remove(void* pointer, uint64_t size) override;
  Status reserve(backend::Memory* memory, uint64_t size) override;
  bool commits(int32_t kind) const override;
  uint64_t granule() const override { return uint64_t{64} << 10; }
  uint64_t largestBlock() const override { return UINT64_MAX; }
  bool givesPagesAtTouch() const override { return true; }
  Status commit(const backend::Memory& memory, uint64_t offset, uint64_t size) override;
  void decommit(const backend::Memory& memory, uint64_t offset, uint64_t size) override;
  Context(uint32_t threads, backend::WaitPolicy policy);

  Ref<Engine> engine_;
  Ref<PointPool> points_;
  ModuleLoader loader_;
  ReplayMaker replays_;
};

}  // namespace manyrt::cpu
