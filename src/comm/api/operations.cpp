// The operations of rt_comm.h. Each one makes an Operation of its arguments. All go the same way from there: handle, stream,
// checks, and the stream or the thread's group.
#include "base/clock.h"
#include "comm/checks.h"
#include "comm/group.h"
#include "comm/guard.h"
#include "comm/handles.h"

namespace manyrt::comm {
namespace {

Status enter(const Operation& operation, rtStream_t stream, rtComm_t comm) {
  // Taken first: a rank that waits for another one says since when.
  const int64_t came = nowNanoseconds();
  std::shared_ptr<Communicator> communicator;
  RT_TRY(find(&communicator, comm));
  RT_TRY(checkStream(&stream, *communicator));
  RT_TRY(checkOperation(operation, *communicator));
  RT_CHECK_ARG(isCollective(operation.kind) || operation.root != communicator->rank() || inGroup(),
               "The peer is rank %d itself: a send to oneself and its receive stand in one group.", operation.root);
  // After the checks, so that a mistake of the caller is told as such also then.
  if (communicator->monitor().hasFailed()) return communicator->monitor().failure();
  return submitOrCollect(communicator, operation, stream, came);
}

rtStatus_t call(const char* function, const Operation& operation, rtStream_t stream, rtComm_t comm) {
  return guarded(function, [&] {
    const Status status = withoutThrowing([&] { return enter(operation, stream, comm); });
    if (!status.ok()) spoilGroup(status);
    return status;
  });
}

}  // namespace
}  // namespace manyrt::comm

using manyrt::comm::call;
using manyrt::comm::Kind;
using manyrt::comm::Operation;

extern "C" {

rtStatus_t rtCommAllReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction, rtStream_t stream,
                           rtComm_t comm) {
  return call(__func__, {Kind::kAllReduce, type, reduction, 0, count, receive, send}, stream, comm);
}

rtStatus_t rtCommReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction, int32_t root,
                        rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kReduce, type, reduction, root, count, receive, send}, stream, comm);
}

rtStatus_t rtCommBroadcast(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
                           rtComm_t comm) {
  return call(__func__, {Kind::kBroadcast, type, RT_COMM_SUM, root, count, receive, send}, stream, comm);
}

rtStatus_t rtCommAllGather(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kAllGather, type, RT_COMM_SUM, 0, count, receive, send}, stream, comm);
}

rtStatus_t rtCommReduceScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction,
                               rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kReduceScatter, type, reduction, 0, count, receive, send}, stream, comm);
}

rtStatus_t rtCommAllToAll(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kAllToAll, type, RT_COMM_SUM, 0, count, receive, send}, stream, comm);
}

rtStatus_t rtCommGather(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
                        rtComm_t comm) {
  return call(__func__, {Kind::kGather, type, RT_COMM_SUM, root, count, receive, send}, stream, comm);
}

rtStatus_t rtCommScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
                         rtComm_t comm) {
  return call(__func__, {Kind::kScatter, type, RT_COMM_SUM, root, count, receive, send}, stream, comm);
}

rtStatus_t rtCommSend(const void* send, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kSend, type, RT_COMM_SUM, peer, count, nullptr, send}, stream, comm);
}

rtStatus_t rtCommReceive(void* receive, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm) {
  return call(__func__, {Kind::kReceive, type, RT_COMM_SUM, peer, count, receive, nullptr}, stream, comm);
}

rtStatus_t rtCommBarrier(rtStream_t stream, rtComm_t comm) { return call(__func__, {Kind::kBarrier}, stream, comm); }

}  // extern "C"
