// The kernels and their launches. The arithmetic is that of host_reduction.cpp: an average is the sum as it has wrapped,
// divided.
#include "comm/nccl/widening.h"

#include <algorithm>
#include <vector>

#include "comm/batch.h"
#include "comm/core_call.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {
namespace {

constexpr uint32_t kGroup = 128;

constexpr const char* kSource = R"source(
__kernel void widen(__global int* to, __global const ushort* from, ulong count, int is_signed) {
  ulong i = get_global_id(0);
  if (i < count) to[i] = is_signed ? (int)(short)from[i] : (int)from[i];
}
__kernel void narrow(__global ushort* to, __global const int* from, ulong count, int is_signed, int divisor) {
  ulong i = get_global_id(0);
  if (i < count) {
    int value = is_signed ? (int)(short)from[i] : (int)(ushort)from[i];
    to[i] = (ushort)(value / divisor);
  }
}
)source";

uint32_t groupsOf(uint64_t count) { return static_cast<uint32_t>((count + kGroup - 1) / kGroup); }

}  // namespace

Widening::~Widening() { (void)rtModuleDestroy(module_); }

Operation Widening::widened(const Operation& of) {
  Operation result = of;
  result.type = RT_COMM_I32;
  if (of.reduction == RT_COMM_AVERAGE) result.reduction = RT_COMM_SUM;
  return result;
}

Status Widening::build() {
  const std::lock_guard lock(mutex_);
  // The last of the three: all are there.
  if (narrow_ != nullptr) return Status();
  // A module whose kernels were not found stays, and only these are asked for again.
  if (module_ == nullptr) RT_TRY_CORE(rtModuleCreateFromSource(&module_, kSource, nullptr, context_));
  RT_TRY_CORE(rtModuleGetKernel(&widen_, "widen", module_));
  RT_TRY_CORE(rtModuleGetKernel(&narrow_, "narrow", module_));
  return Status();
}

Status Widening::begin(Operation* to, void** memory, const Operation& of, int32_t rank, int32_t size, rtStream_t stream) {
  *to = widened(of);
  *memory = nullptr;
  const uint64_t parts = of.kind == Kind::kReduceScatter ? static_cast<uint64_t>(size) : 1;
  uint64_t count = of.count * parts;  // whose bytes fit, as the checks have found
  if (count == 0) return Status();
  RT_TRY_CORE(rtMallocAsync(memory, count * sizeof(int32_t), stream));
  // In place, so that NCCL needs no second copy of four bytes for each element.
  to->send = to->receive = *memory;
  if (parts != 1) to->receive = static_cast<int32_t*>(*memory) + of.count * static_cast<uint64_t>(rank);
  const void* from = of.send;
  int32_t is_signed = of.type == RT_COMM_I16 ? 1 : 0;
  void* const args[] = {memory, &from, &count, &is_signed};
  const rtStatus_t code = rtLaunchKernel(widen_, groupsOf(count), 1, 1, kGroup, 1, 1, 0, stream, args, 4);
  if (code == RT_SUCCESS) return Status();
  const Status status = fromCore(code);
  // In the stream's order: a kernel that was submitted before may still use it.
  (void)rtFreeAsync(*memory, stream);
  return status;
}

Status Widening::finish(const Operation& of, const Operation& wide, void* memory, int32_t rank, int32_t size,
                        rtStream_t stream) {
  if (memory == nullptr) return Status();
  rtStatus_t code = RT_SUCCESS;
  // The others of a reduce get nothing, and give their memory back.
  if (of.kind != Kind::kReduce || of.root == rank) {
    void* to = of.receive;
    const void* from = wide.receive;
    uint64_t count = of.count;
    int32_t is_signed = of.type == RT_COMM_I16 ? 1 : 0;
    int32_t divisor = of.reduction == RT_COMM_AVERAGE ? size : 1;
    void* const args[] = {&to, &from, &count, &is_signed, &divisor};
    code = rtLaunchKernel(narrow_, groupsOf(count), 1, 1, kGroup, 1, 1, 0, stream, args, 5);
  }
  const Status status = code == RT_SUCCESS ? Status() : fromCore(code);
  const rtStatus_t freed = rtFreeAsync(memory, stream);
  return status.ok() && freed != RT_SUCCESS ? fromCore(freed) : status;
}

// ---- Of a rank ----

bool Rank::hasParts(Operations operations) const {
  return team_ == nullptr && std::any_of(operations.begin(), operations.end(), Widening::isFor);
}

// Collectives in their order, and then all sends and receives together, which do not wait for each other.
Status Rank::submitInParts(Operations operations, rtStream_t stream) {
  const auto shared = shared_from_this();
  std::vector<Operation> points;
  for (const Operation& of : operations) {
    if (!isCollective(of.kind)) {
      points.push_back(of);
    } else if (Widening::isFor(of)) {
      RT_TRY(submitWidened(of, stream));
    } else {
      RT_TRY(submit(shared, {&of, 1}, stream, 0));
    }
  }
  return points.empty() ? Status() : submit(shared, points, stream, 0);
}

Status Rank::submitWidened(const Operation& of, rtStream_t stream) {
  Operation wide;
  void* memory = nullptr;
  RT_TRY(widening_.begin(&wide, &memory, of, rank(), size(), stream));
  if (const Status status = submit(shared_from_this(), {&wide, 1}, stream, 0); !status.ok()) {
    (void)rtFreeAsync(memory, stream);
    return status;
  }
  return widening_.finish(of, wide, memory, rank(), size(), stream);
}

}  // namespace manyrt::comm::nccl
