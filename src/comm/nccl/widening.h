// Reductions of 16-bit integers among processes, for which NCCL has no type: kernels around NCCL's reduction of 32-bit
// integers, in the same stream. Sums and products wrap at 16 bits all the same, as the lower bits of a result depend on no
// higher ones.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "comm/operation.h"

namespace manyrt::comm::nccl {

class Widening {
 public:
  explicit Widening(rtContext_t context) : context_(context) {}
  ~Widening();
  Widening(const Widening&) = delete;
  Widening& operator=(const Widening&) = delete;

  static bool isFor(const Operation& of) { return reduces(of.kind) && (of.type == RT_COMM_I16 || of.type == RT_COMM_U16); }
  // The operation that NCCL runs in its place, at this rank; its memory is from begin().
  static Operation widened(const Operation& of);

  Status build();  // once; later calls find what is there. May run a compiler
  // Takes memory in the stream's order, fills it from the operand, and names it in *widened, where the operation is in place.
  Status begin(Operation* widened, void** memory, const Operation& of, int32_t rank, int32_t size, rtStream_t stream);
  // Brings the result from there, divided for an average, and gives the memory back.
  Status finish(const Operation& of, const Operation& widened, void* memory, int32_t rank, int32_t size, rtStream_t stream);

 private:
  const rtContext_t context_;
  std::mutex mutex_;  // of building
  rtModule_t module_ = nullptr;
  rtKernel_t widen_ = nullptr;
  rtKernel_t narrow_ = nullptr;
};

}  // namespace manyrt::comm::nccl
