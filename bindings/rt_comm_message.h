/* SPDX-License-Identifier: Apache-2.0
 *
 * rt_comm_message.h - every function of rt_comm.h that may fail, with its message. Made by bindings/generate.py.
 *
 * rtCommGetLastErrorMessage answers on the thread of the failed call. A language whose code may move to another thread
 * between two calls makes both in one C function: rtCommGetUniqueIdWithMessage(message, message_size, id). The text is cut
 * off at message_size, and empty where the call did not fail.
 */
#ifndef MANYRT_RT_COMM_MESSAGE_H_
#define MANYRT_RT_COMM_MESSAGE_H_

#include <rt_comm.h>

static inline rtStatus_t rtCommKeepMessage(char* message, size_t message_size, rtStatus_t status) {
  if (message_size != 0) message[0] = '\0';
  if (status < 0) (void)rtCommGetLastErrorMessage(message, message_size, NULL);
  return status;
}

static inline rtStatus_t rtCommCreateAllWithMessage(char* message, size_t message_size, rtComm_t* comms,
    const rtCommOptions_t* options, const rtContext_t* contexts, uint32_t count) {
  return rtCommKeepMessage(message, message_size, rtCommCreateAll(comms, options, contexts, count));
}

static inline rtStatus_t rtCommGetUniqueIdWithMessage(char* message, size_t message_size, rtCommUniqueId_t* id) {
  return rtCommKeepMessage(message, message_size, rtCommGetUniqueId(id));
}

static inline rtStatus_t rtCommCreateWithMessage(char* message, size_t message_size, rtComm_t* comm,
    const rtCommOptions_t* options, const rtCommUniqueId_t* id, int32_t rank, int32_t size, rtContext_t context) {
  return rtCommKeepMessage(message, message_size, rtCommCreate(comm, options, id, rank, size, context));
}

static inline rtStatus_t rtCommCreateFromMpiWithMessage(char* message, size_t message_size, rtComm_t* comm,
    const rtCommOptions_t* options, const void* mpi_comm, rtContext_t context) {
  return rtCommKeepMessage(message, message_size, rtCommCreateFromMpi(comm, options, mpi_comm, context));
}

static inline rtStatus_t rtCommCreateFromEnvironmentWithMessage(char* message, size_t message_size, rtComm_t* comm,
    const rtCommOptions_t* options, rtContext_t context) {
  return rtCommKeepMessage(message, message_size, rtCommCreateFromEnvironment(comm, options, context));
}

static inline rtStatus_t rtCommSplitWithMessage(char* message, size_t message_size, rtComm_t* comm, int32_t color,
    int32_t key, rtComm_t parent) {
  return rtCommKeepMessage(message, message_size, rtCommSplit(comm, color, key, parent));
}

static inline rtStatus_t rtCommDestroyWithMessage(char* message, size_t message_size, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommDestroy(comm));
}

static inline rtStatus_t rtCommAbortWithMessage(char* message, size_t message_size, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommAbort(comm));
}

static inline rtStatus_t rtCommGetStatusWithMessage(char* message, size_t message_size, rtStatus_t* status,
    int32_t* rank, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGetStatus(status, rank, comm));
}

static inline rtStatus_t rtCommGetStatusMessageWithMessage(char* message, size_t message_size, char* buffer,
    size_t size, size_t* needed, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGetStatusMessage(buffer, size, needed, comm));
}

static inline rtStatus_t rtCommGetRankWithMessage(char* message, size_t message_size, int32_t* rank, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGetRank(rank, comm));
}

static inline rtStatus_t rtCommGetSizeWithMessage(char* message, size_t message_size, int32_t* size, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGetSize(size, comm));
}

static inline rtStatus_t rtCommGetContextWithMessage(char* message, size_t message_size, rtContext_t* context,
    rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGetContext(context, comm));
}

static inline rtStatus_t rtCommGetInfoWithMessage(char* message, size_t message_size, rtCommInfo_t* info, rtComm_t comm)
    {
  return rtCommKeepMessage(message, message_size, rtCommGetInfo(info, comm));
}

static inline rtStatus_t rtCommGroupBeginWithMessage(char* message, size_t message_size) {
  return rtCommKeepMessage(message, message_size, rtCommGroupBegin());
}

static inline rtStatus_t rtCommGroupEndWithMessage(char* message, size_t message_size) {
  return rtCommKeepMessage(message, message_size, rtCommGroupEnd());
}

static inline rtStatus_t rtCommAllReduceWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, int32_t reduction, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommAllReduce(receive, send, count, type, reduction, stream, comm));
}

static inline rtStatus_t rtCommReduceWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, int32_t reduction, int32_t root, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommReduce(receive, send, count, type, reduction, root, stream,
      comm));
}

static inline rtStatus_t rtCommBroadcastWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, int32_t root, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommBroadcast(receive, send, count, type, root, stream, comm));
}

static inline rtStatus_t rtCommAllGatherWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommAllGather(receive, send, count, type, stream, comm));
}

static inline rtStatus_t rtCommReduceScatterWithMessage(char* message, size_t message_size, void* receive,
    const void* send, uint64_t count, int32_t type, int32_t reduction, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommReduceScatter(receive, send, count, type, reduction, stream,
      comm));
}

static inline rtStatus_t rtCommAllToAllWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommAllToAll(receive, send, count, type, stream, comm));
}

static inline rtStatus_t rtCommGatherWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, int32_t root, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommGather(receive, send, count, type, root, stream, comm));
}

static inline rtStatus_t rtCommScatterWithMessage(char* message, size_t message_size, void* receive, const void* send,
    uint64_t count, int32_t type, int32_t root, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommScatter(receive, send, count, type, root, stream, comm));
}

static inline rtStatus_t rtCommSendWithMessage(char* message, size_t message_size, const void* send, uint64_t count,
    int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommSend(send, count, type, peer, stream, comm));
}

static inline rtStatus_t rtCommReceiveWithMessage(char* message, size_t message_size, void* receive, uint64_t count,
    int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm) {
  return rtCommKeepMessage(message, message_size, rtCommReceive(receive, count, type, peer, stream, comm));
}

static inline rtStatus_t rtCommBarrierWithMessage(char* message, size_t message_size, rtStream_t stream, rtComm_t comm)
    {
  return rtCommKeepMessage(message, message_size, rtCommBarrier(stream, comm));
}

#endif /* MANYRT_RT_COMM_MESSAGE_H_ */
