// Copies, fills and prefetches: what each asks of its ranges, how long the call takes with pageable memory, and the work
// itself.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "activity.h"
#include "call.h"
#include "graph.h"
#include "memory.h"
#include "report.h"
#include "stream.h"

namespace manyrt::simulated {
namespace {

enum CopyKind { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kByAddress };

struct Shape {
  size_t pitch, width, height;
  bool empty() const { return width == 0 || height == 0; }
  // From the first byte to the last one; 0: more than there are addresses.
  size_t bytes() const {
    size_t rows;
    if (__builtin_mul_overflow(pitch, height - 1, &rows) || __builtin_add_overflow(rows, width, &rows)) return 0;
    return rows;
  }
};

// A side of a transfer, with the allocation it lies in, if CUDA knows the memory.
struct Side {
  unsigned char* at = nullptr;
  Shape shape{};
  std::shared_ptr<Allocation> memory;
  std::vector<std::shared_ptr<Allocation>> more;  // mappings after it

  bool pageable() const { return memory == nullptr; }
  bool mapped() const { return memory != nullptr && memory->kind == Kind::kMapped; }
  bool onDevice() const {
    return mapped() || (memory != nullptr && (memory->kind == Kind::kDevice || memory->kind == Kind::kVariable));
  }
  bool eitherWay() const { return memory != nullptr && memory->kind == Kind::kManaged; }
  bool onHost() const { return !onDevice() && !eitherWay(); }
};

Error sideOf(const void* pointer, const Shape& shape, Side* side) {
  side->at = static_cast<unsigned char*>(const_cast<void*>(pointer));
  side->shape = shape;
  const size_t bytes = shape.bytes();
  if (pointer == nullptr || bytes == 0) return kInvalidValue;
  side->memory = allocationAt(addressOf(pointer));
  if (side->memory == nullptr) return inDeviceWindow(addressOf(pointer)) ? kInvalidValue : kSuccess;
  std::vector<std::shared_ptr<Allocation>> all = allocationsOf(addressOf(pointer), bytes);
  if (all.empty()) return kInvalidValue;
  side->more.assign(all.begin() + 1, all.end());
  return kSuccess;
}

bool reaches(Context& context, const Side& side) {
  const auto may = [&](const std::shared_ptr<Allocation>& memory) { return mayAccess(context, *memory); };
  return may(side.memory) && std::all_of(side.more.begin(), side.more.end(), may);
}

// Copies of plain memory between devices are carried by the driver whether they reach each other or not. Those of mappings are
// not.
Error reachMappings(Context& context, const Side& side) {
  if (!side.mapped() || reaches(context, side)) return kSuccess;
  violation("device %d copies from or to the mapping at %p, to which it has no access", context.device,
            static_cast<void*>(side.at));
  return kInvalidValue;
}

bool kindFits(int kind, const Side& dst, const Side& src) {
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  if (kind == kByAddress) return true;
  return (src.eitherWay() || src.onDevice() == from_device) && (dst.eitherWay() || dst.onDevice() == to_device);
}

// The kind of a copy that was given by its addresses alone.
int kindOf(int kind, const Side& dst, const Side& src) {
  if (kind != kByAddress) return kind;
  return src.onDevice() ? (dst.onDevice() ? kDeviceToDevice : kDeviceToHost) : dst.onDevice() ? kHostToDevice : kHostToHost;
}

void copyRows(unsigned char* dst, size_t dst_pitch, const unsigned char* src, size_t src_pitch, size_t width, size_t height) {
  if (dst_pitch == width && src_pitch == width) {
    memmove(dst, src, width * height);
    return;
  }
  for (size_t row = 0; row < height; ++row) memmove(dst + row * dst_pitch, src + row * src_pitch, width);
}

void note(Command* command, const Side& side, bool writes) {
  if (side.memory != nullptr) command->uses.emplace_back(side.memory, writes);
  for (const std::shared_ptr<Allocation>& memory : side.more) command->uses.emplace_back(memory, writes);
}

Error copy(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height, int kind,
           NativeStream handle) {
  std::shared_ptr<Stream> stream;
  SIMULATED_TRY(streamForRuntime(handle, &stream));
  if (kind < kHostToHost || kind > kByAddress) return kInvalidCopyKind;
  if (width > dst_pitch || width > src_pitch) return kInvalidPitch;
  if (width == 0 || height == 0) return kSuccess;
  Side to, from;
  SIMULATED_TRY(sideOf(dst, {dst_pitch, width, height}, &to));
  SIMULATED_TRY(sideOf(src, {src_pitch, width, height}, &from));
  if (!kindFits(kind, to, from)) return kInvalidValue;
  SIMULATED_TRY(reachMappings(stream->context, to));
  SIMULATED_TRY(reachMappings(stream->context, from));
  const size_t to_bytes = to.shape.bytes(), from_bytes = from.shape.bytes();
  if (height == 1 && to.at < from.at + from_bytes && from.at < to.at + to_bytes) violation("a copy overlaps itself");
  if (stream->capture != nullptr) return captureCopy(*stream, {dst, dst_pitch, src, src_pitch, width, height});

  Command command;
  note(&command, to, true);
  note(&command, from, false);
  const bool waits = (to.pageable() || from.onHost()) && to.onHost();  // to pageable memory, and from host to host
  if (from.pageable() && !waits) {
    auto staged = std::make_shared<std::vector<unsigned char>>(width * height);
    copyRows(staged->data(), width, from.at, src_pitch, width, height);
    command.work = [=, at = to.at](Runner&) { copyRows(at, dst_pitch, staged->data(), width, width, height); };
  } else {
    command.work = [=, at = to.at, source = from.at](Runner&) { copyRows(at, dst_pitch, source, src_pitch, width, height); };
  }
  const activity::Call call(height == 1 ? 41 : 44, true);
  command.work = call.copy(kindOf(kind, to, from), width * height, std::move(command.work));
  auto done = command.record = std::make_shared<Record>();
  stream->submit(std::move(command));
  if (!waits) return kSuccess;
  done->wait();
  return stream->context.state();
}

template <class Value>
Error set(DriverAddress dst, size_t pitch, Value value, size_t width, size_t height, NativeStream handle) {
  std::shared_ptr<Stream> stream;
  SIMULATED_TRY(streamForDriver(handle, &stream));
  size_t bytes;
  if (__builtin_mul_overflow(width, sizeof value, &bytes) || dst % sizeof value != 0) return kInvalidValue;
  if (height > 1 && (pitch < bytes || pitch % sizeof value != 0)) return kInvalidValue;
  if (width == 0 || height == 0) return kSuccess;
  if (height == 1) pitch = bytes;
  if (stream->capture != nullptr) return captureFill(*stream, {dst, pitch, value, sizeof value, width, height});
  Side side;
  SIMULATED_TRY(sideOf(reinterpret_cast<void*>(dst), {pitch, bytes, height}, &side));
  if (side.pageable() || !reaches(stream->context, side)) return kInvalidValue;
  Command command;
  note(&command, side, true);
  const uint32_t which = sizeof value == 1 ? 0 : sizeof value == 2 ? 2 : 4;
  const activity::Call call((height == 1 ? 216 : 222) + which);
  command.work = call.fill(bytes * height, [=, at = side.at](Runner&) {
    for (size_t row = 0; row < height; ++row) {
      unsigned char* const line = at + row * pitch;
      for (size_t i = 0; i < width; ++i) memcpy(line + i * sizeof value, &value, sizeof value);
    }
  });
  stream->submit(std::move(command));
  return kSuccess;
}

}  // namespace

// ---- For nodes of graphs ----

namespace {

void note(NodeWork* work, const Side& side, bool writes) {
  if (side.memory != nullptr) work->memory.emplace_back(side.memory, writes);
  for (const std::shared_ptr<Allocation>& memory : side.more) work->memory.emplace_back(memory, writes);
}

NodePlace placeOf(const Side& side) {
  if (side.pageable()) return {};
  const Kind kind = side.mapped() ? Kind::kDevice : side.memory->kind;
  return {static_cast<int>(kind) + 1, side.memory->context.device};
}

}  // namespace

Error prepareCopyNode(Context& context, const CopyNode& copy, NodeWork* work) {
  if (copy.width == 0 || copy.height == 0) return kInvalidValue;
  if (copy.height > 1 && (copy.width > copy.dst_pitch || copy.width > copy.src_pitch)) return kInvalidValue;
  Side to, from;
  SIMULATED_TRY(sideOf(copy.dst, {copy.dst_pitch, copy.width, copy.height}, &to));
  SIMULATED_TRY(sideOf(copy.src, {copy.src_pitch, copy.width, copy.height}, &from));
  SIMULATED_TRY(reachMappings(context, to));
  SIMULATED_TRY(reachMappings(context, from));
  if (to.at < from.at + from.shape.bytes() && from.at < to.at + to.shape.bytes() && copy.height == 1) {
    violation("a copy of a graph overlaps itself");
  }
  *work = NodeWork();
  note(work, to, true);
  note(work, from, false);
  work->dst = placeOf(to);
  work->src = placeOf(from);
  work->flat = copy.height == 1;
  work->copy_kind = kindOf(kByAddress, to, from);
  work->bytes = copy.width * copy.height;
  work->run = [copy, at = to.at, source = from.at](Runner&) {
    copyRows(at, copy.dst_pitch, source, copy.src_pitch, copy.width, copy.height);
  };
  return kSuccess;
}

Error prepareFillNode(Context& context, const FillNodeParameters& fill, NodeWork* work) {
  const size_t size = fill.element_size;
  if ((size != 1 && size != 2 && size != 4) || fill.dst % size != 0) return kInvalidValue;
  if (fill.width == 0 || fill.height == 0) return kInvalidValue;
  size_t bytes;
  if (__builtin_mul_overflow(fill.width, size, &bytes)) return kInvalidValue;
  const size_t pitch = fill.height == 1 ? bytes : fill.pitch;
  if (pitch < bytes || (fill.height > 1 && pitch % size != 0)) return kInvalidValue;
  Side side;
  SIMULATED_TRY(sideOf(reinterpret_cast<void*>(fill.dst), {pitch, bytes, fill.height}, &side));
  if (side.pageable() || !reaches(context, side)) return kInvalidValue;
  *work = NodeWork();
  note(work, side, true);
  work->dst = placeOf(side);
  work->flat = fill.height == 1;
  work->bytes = bytes * fill.height;
  work->shape = {fill.width, fill.height, size, fill.height == 1 ? 0 : fill.pitch};
  work->run = [fill, pitch, size, at = side.at](Runner&) {
    for (size_t row = 0; row < fill.height; ++row) {
      for (size_t i = 0; i < fill.width; ++i) memcpy(at + row * pitch + i * size, &fill.value, size);
    }
  };
  return kSuccess;
}

namespace driver {

Error MemsetD8Async(DriverAddress dst, unsigned char value, size_t count, NativeStream stream) {
  return DRIVER_CALL(MemsetD8Async, { return set(dst, count, value, count, 1, stream); });
}
Error MemsetD16Async(DriverAddress dst, unsigned short value, size_t count, NativeStream stream) {
  return DRIVER_CALL(MemsetD16Async, { return set(dst, count, value, count, 1, stream); });
}
Error MemsetD32Async(DriverAddress dst, unsigned value, size_t count, NativeStream stream) {
  return DRIVER_CALL(MemsetD32Async, { return set(dst, count, value, count, 1, stream); });
}
Error MemsetD2D8Async(DriverAddress dst, size_t pitch, unsigned char value, size_t width, size_t height, NativeStream stream) {
  return DRIVER_CALL(MemsetD2D8Async, { return set(dst, pitch, value, width, height, stream); });
}
Error MemsetD2D16Async(DriverAddress dst, size_t pitch, unsigned short value, size_t width, size_t height,
                       NativeStream stream) {
  return DRIVER_CALL(MemsetD2D16Async, { return set(dst, pitch, value, width, height, stream); });
}
Error MemsetD2D32Async(DriverAddress dst, size_t pitch, unsigned value, size_t width, size_t height, NativeStream stream) {
  return DRIVER_CALL(MemsetD2D32Async, { return set(dst, pitch, value, width, height, stream); });
}

Error MemPrefetchAsync(DriverAddress pointer, size_t count, DeviceNumber device, NativeStream handle) {
  return DRIVER_CALL(MemPrefetchAsync, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(handle, &stream));
    SIMULATED_TRY(refuseCapturing(*stream));
    if (device != kHostDeviceNumber && contextOfDevice(device) == nullptr) return kInvalidDevice;
    std::shared_ptr<Allocation> allocation = allocationAt(pointer);
    if (allocation == nullptr || allocation->kind != Kind::kManaged || count == 0) return kInvalidValue;
    if (!allocation->contains(pointer, count)) return kInvalidValue;
    Command command;
    command.uses.emplace_back(allocation, false);
    command.work = [](Runner&) {};  // every device reaches the pages where they are; the order is what matters
    stream->submit(std::move(command));
    return kSuccess;
  });
}

}  // namespace driver

extern "C" {

Error cudaMemcpyAsync(void* dst, const void* src, size_t size, int kind, NativeStream stream) {
  return RUNTIME_CALL(MemcpyAsync, { return copy(dst, size, src, size, size, 1, kind, stream); });
}

Error cudaMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height, int kind,
                        NativeStream stream) {
  return RUNTIME_CALL(Memcpy2DAsync, { return copy(dst, dst_pitch, src, src_pitch, width, height, kind, stream); });
}

}  // extern "C"

}  // namespace manyrt::simulated
