// The checks. Memory is looked up in the core library's map of addresses. Memory that it knows has an owner and an end. Any
// other is host memory, which only contexts of the CPU can use.
#include "comm/checks.h"

#include "base/checked.h"
#include "base/structs.h"
#include "comm/core_call.h"

namespace manyrt::comm {
namespace {

constexpr uint64_t kDefaultTimeout = 300'000'000'000;  // 5 minutes
using Number = unsigned long long;                     // for printf

// All of [address, address + bytes) is memory that the rank's context uses. `what` is the parameter's name.
Status checkRange(const void* address, uint64_t bytes, const char* what, const Operation& operation,
                  const Communicator& communicator) {
  if (bytes == 0) return Status();
  // Only ranges with bytes get here: a rank may give NULL for memory that it does not use.
  RT_CHECK_ARG(address != nullptr, "\"%s\" is NULL in %s.", what, describe(operation).c_str());
  const uint64_t begin = reinterpret_cast<uintptr_t>(address);
  uint64_t end = 0;
  RT_CHECK_ARG(!addOverflows(begin, bytes, &end), "\"%s\" of %s ends beyond the last address.", what,
               describe(operation).c_str());
  RT_CHECK_ARG(operation.kind == Kind::kBarrier || begin % sizeOf(operation.type) == 0,
               "\"%s\" of %s is at %p, which is not aligned to an element of %u bytes.", what, describe(operation).c_str(),
               address, sizeOf(operation.type));
  rtPointerAttributes_t memory = RT_POINTER_ATTRIBUTES_INIT;
  RT_TRY_CORE(rtPointerGetAttributes(&memory, address));
  // The program's own heap, most likely. Its end is not known, so nothing is checked against it.
  if (memory.kind == RT_POINTER_UNKNOWN) {
    RT_CHECK_ARG(communicator.onHost(), "\"%s\" of %s, %p, is no memory of the context of rank %d.", what,
                 describe(operation).c_str(), address, communicator.rank());
    return Status();
  }
  const uint64_t last = reinterpret_cast<uintptr_t>(memory.base) + memory.size;
  RT_CHECK_ARG(end <= last, "\"%s\" of %s, %llu bytes at offset %llu, leaves the allocation of %llu bytes.", what,
               describe(operation).c_str(), static_cast<Number>(bytes),
               static_cast<Number>(begin - reinterpret_cast<uintptr_t>(memory.base)), static_cast<Number>(memory.size));
  // Ranks on the CPU take memory of every context of the CPU: all of it is the host's.
  const bool on_host = memory.kind == RT_POINTER_HOST || memory.kind == RT_POINTER_REGISTERED;
  if (!communicator.onHost() && !on_host && memory.context == communicator.place().context) return Status();
  int32_t backend = RT_BACKEND_INVALID;
  if (communicator.onHost() && memory.device != nullptr) RT_TRY_CORE(rtDeviceGetBackend(&backend, nullptr, memory.device));
  if (communicator.onHost() && (on_host || backend == RT_BACKEND_CPU)) return Status();
  return Status::error(RT_ERROR_WRONG_CONTEXT, "\"%s\" of %s, %p, is %s memory%s, which rank %d cannot use.", what,
                       describe(operation).c_str(), address, on_host ? "host" : "device",
                       memory.context == communicator.place().context ? "" : " of another context", communicator.rank());
}

Status checkOverlap(const Operation& operation, const Ranges& ranges) {
  // One of the two ranges is empty on this rank.
  if (!ranges.may_coincide) return Status();
  const uint64_t send = reinterpret_cast<uintptr_t>(operation.send);
  const uint64_t receive = reinterpret_cast<uintptr_t>(operation.receive);
  // In place means that the smaller range is this rank's part of the larger one, at its own place and no other.
  const bool send_is_part = ranges.send <= ranges.receive;
  if (send_is_part ? send == receive + ranges.in_place : receive == send + ranges.in_place) return Status();
  RT_CHECK_ARG(send + ranges.send <= receive || receive + ranges.receive <= send,
               "\"send\" (%p) and \"receive\" (%p) of %s overlap, and not as an operation in place.", operation.send,
               operation.receive, describe(operation).c_str());
  return Status();
}

}  // namespace

Status checkOptions(Settings* settings, const rtCommOptions_t* options) {
  settings->timeout_ns = kDefaultTimeout;
  if (options == nullptr) return Status();
  rtCommOptions_t read;
  const rtCommOptions_t defaults = RT_COMM_OPTIONS_INIT;
  RT_TRY(readOptions(&read, options, defaults, "options"));
  RT_CHECK_ARG(read.flags == 0, "The flags of the options are 0x%x; 0 is the only value.", read.flags);
  RT_TRY(checkLabel(read.label));
  // 0 means the default, as in a struct that was only initialised.
  if (read.timeout_ns != 0) settings->timeout_ns = read.timeout_ns;
  settings->label = read.label;
  return Status();
}

Status checkPlace(Place* place, rtContext_t context) {
  // The default stream knows which context NULL means.
  rtStream_t stream = nullptr;
  RT_TRY_CORE(rtContextGetDefaultStream(&stream, context));
  RT_TRY_CORE(rtStreamGetContext(&place->context, stream));
  RT_TRY_CORE(rtContextGetDevice(&place->device, place->context));
  RT_TRY_CORE(rtDeviceGetBackend(&place->backend, nullptr, place->device));
  return Status();
}

Status checkStream(rtStream_t* stream, const Communicator& communicator) {
  const rtContext_t context = communicator.place().context;
  if (*stream == nullptr) {
    RT_TRY_CORE(rtContextGetDefaultStream(stream, context));
    return Status();
  }
  rtContext_t of = nullptr;
  RT_TRY_CORE(rtStreamGetContext(&of, *stream));
  if (of == context) return Status();
  return Status::error(RT_ERROR_WRONG_CONTEXT, "The stream is of another context than rank %d.", communicator.rank());
}

Status checkOperation(const Operation& operation, const Communicator& communicator) {
  const int32_t size = communicator.size();
  if (operation.kind == Kind::kBarrier) return Status();
  RT_CHECK_ARG(isType(operation.type), "The type is %d; 0 to %d are types of elements.", operation.type, kTypeCount - 1);
  RT_CHECK_ARG(!reduces(operation.kind) || isReduction(operation.reduction), "The reduction is %d; 0 to %d are reductions.",
               operation.reduction, kReductionCount - 1);
  RT_CHECK_ARG(!hasRoot(operation.kind) || (operation.root >= 0 && operation.root < size),
               "The %s is rank %d; the communicator has %d rank%s.", isCollective(operation.kind) ? "root" : "peer",
               operation.root, size, size == 1 ? "" : "s");
  Ranges ranges;
  RT_CHECK_ARG(rangesOf(operation, communicator.rank(), size, &ranges),
               "The bytes of %s among %d ranks do not fit into 64 bits.", describe(operation).c_str(), size);
  RT_TRY(checkRange(operation.send, ranges.send, "send", operation, communicator));
  if (operation.receive == operation.send && ranges.receive == ranges.send) return Status();  // in place: one range
  RT_TRY(checkRange(operation.receive, ranges.receive, "receive", operation, communicator));
  return checkOverlap(operation, ranges);
}

}  // namespace manyrt::comm
