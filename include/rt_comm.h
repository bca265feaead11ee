/* SPDX-License-Identifier: Apache-2.0
 *
 * rt_comm.h - communicators: collective operations between contexts. The library is libmanyrt-comm.so, beside libmanyrt.so.
 * A communicator has `size` ranks, and a handle stands for one of them, in one context. Operations go to streams of that
 * context, in order with their other work, and return at once. The comments read as those of rt.h, with its statuses.
 *
 * Order
 *   Every rank submits the same operations of one communicator in the same order, with the same type, count, reduction
 *   and root. This is order of submission, also where one rank uses several streams: an operation begins when the
 *   earlier ones of its rank have ended. Replays of a graph stand in the order of their stream alone. Different
 *   communicators have no order. A send is matched by the next receive of its peer from this rank.
 *
 * Memory
 *   count is in elements. In contexts of the CPU every host address serves; else memory of the context: device, shared
 *   or imported. The ranges stay valid, and the source unchanged, until the stream has passed the operation. `send` and
 *   `receive` may be the same memory where a comment says how ("in place"); any other overlap is INVALID_VALUE.
 *
 * Results
 *   A reduction takes its operands in rank order, in one process and among processes of MPI or of one host. So the same call
 *   gives the same bits on every rank and at each run (NCCL: see below). Sums and products of integers wrap. Results of f16 and
 *   bf16 are rounded to nearest even after each addition or multiplication. MINIMUM and MAXIMUM are NaN where an operand is.
 *   AVERAGE is the sum divided by the ranks; for integers it is truncated towards 0.
 *
 * Failures
 *   A communicator that has failed stays so. Its first failure is that of all operations in flight, whose streams latch
 *   the code, and of all later calls. rtCommGetStatus and rtCommGetStatusMessage tell it, with the rank. Causes: a rank
 *   that does not come to an operation within timeout_ns (TIMEOUT); one that comes with another operation, type, count,
 *   reduction or root (INVALID_VALUE); one whose stream had failed before, whose communicator is destroyed, or that
 *   called rtCommAbort (LAUNCH_FAILED); a copy or kernel that fails (its code). A process that ends is named to those that
 *   wait for it (LAUNCH_FAILED), with NCCL where its ranks have a hub (see below). With MPI a process that is gone, or has
 *   destroyed its communicator, tells nothing: it is one that does not come. MPI cannot give up an operation that has
 *   begun: in contexts of the CPU the memory of operations that were in flight when their communicator of MPI failed stays
 *   until MPI_Finalize.
 *
 * Fork
 *   In a child of fork whose parent had started this library, every function returns FORKED, with its sentence. Only
 *   rtCommDestroy succeeds, and rtCommGetLastErrorMessage works. rtCommGetUniqueId and the calls that create start it. Loading
 *   it, groups that hold nothing, and calls that are refused for a pointer, an option or a handle do not. A child whose parent
 *   had started neither this library nor rt.h may use both, and its unique ids are none of its parent's.
 *
 * Capture
 *   A captured operation becomes nodes of the graph, and every launch is an operation of its rank. Every rank captures.
 *   On a stream of CUDA a capture is NOT_SUPPORTED, but with NCCL, of an operation that has run before.
 *
 * Processes of one host
 *   Ranks of rtCommCreate in several processes of one host are joined by memory that the processes share, without MPI. They may
 *   be on the CPU or on any other device, except GPUs that NCCL joins (see below). A process may have several ranks. They
 *   follow all rules of one process: order and bits, splits, captures (not on CUDA), detection of different operations, and
 *   aborts, which reach all. A process that ends, or is killed, ends the waits of the others within a fraction of a second. The
 *   processes are of one user, and see one /dev/shm, so that containers share it or are hosts of their own. Such a communicator
 *   has at most 1,024 ranks. Each takes 1.2 MiB there (0.4 to 0.7 MiB if more than 8), from the first rank that comes until the
 *   last is destroyed. The name is taken away when all have come, so that nothing is left. If all processes are killed before,
 *   the next communicator of the same user takes it away. On a device operations copy its memory to the host and back by
 *   pieces.
 *
 * NCCL
 *   Where each rank of a process has a CUDA device of its own, and NCCL 2.18 or later is installed, NCCL runs the
 *   operations. The order of operands, the rounding of AVERAGE, and MINIMUM and MAXIMUM of a NaN are then NCCL's. 16-bit
 *   integers, which it has no type for, are reduced as without it, and not captured, but among processes: there as integers
 *   of 32 bits. Communicators that share devices need one order of submission on all of them, also of launches of graphs.
 *   Otherwise NCCL may wait for ever: TIMEOUT ends such a wait, but not that of a launch. A launch that waits for a rank whose
 *   process has ended is ended. One that waits for a destroyed rank is ended after timeout_ns. If the ranks have a hub (below),
 *   any work of the context counts as such a wait then. RT_COMM_ENGINE chooses the engine: see the documentation of the
 *   environment. A call gives its work to NCCL on the calling thread where it can. It waits while the driver's queue is full,
 *   as a call of NCCL does.
 *   NCCL joins ranks of rtCommCreate in several processes, also on several hosts. Each rank then needs a CUDA device of its
 *   own, and NCCL must have been found where the id was made. A rank that calls a different operation is not detected then. The
 *   ranks have a hub beside NCCL, in the process of rank 0. Its address is that of the launcher, or is on the host where the id
 *   was made, for the ranks there. With rtCommCreateFromMpi the hub is on the host of rank 0, with a secret that MPI
 *   distributes. Ranks of several hosts reach it at the first address of its interfaces. The hub names a process that ends to
 *   the ranks that wait for it, and a missing rank to all when the time has passed. It passes an abort or a failure on to all.
 *   Ranks without a hub hear only of the ranks of their own process, and TIMEOUT names no rank. The hub is gone when the
 *   process of rank 0 ends. A split has one where all its ranks are on one host.
 */
#ifndef MANYRT_RT_COMM_H_
#define MANYRT_RT_COMM_H_

#include "rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rtComm_st* rtComm_t; /**< one rank of a communicator; opaque, checked on every call, never an address */

/** Types of elements. */
enum rtCommType {
  RT_COMM_TYPE_INVALID = -1,
  RT_COMM_I8 = 0,
  RT_COMM_U8 = 1,
  RT_COMM_I16 = 2,
  RT_COMM_U16 = 3,
  RT_COMM_I32 = 4,
  RT_COMM_U32 = 5,
  RT_COMM_I64 = 6,
  RT_COMM_U64 = 7,
  RT_COMM_F16 = 8,
  RT_COMM_BF16 = 9,
  RT_COMM_F32 = 10,
  RT_COMM_F64 = 11
};

/** How elements of several ranks become one. */
enum rtCommReduction {
  RT_COMM_REDUCTION_INVALID = -1,
  RT_COMM_SUM = 0,
  RT_COMM_PRODUCT = 1,
  RT_COMM_MINIMUM = 2,
  RT_COMM_MAXIMUM = 3,
  RT_COMM_AVERAGE = 4
};

/** For the color of rtCommSplit: no part of a new communicator. */
enum rtCommColor { RT_COMM_NO_COLOR = -1 };

/** The engine that runs the operations of a communicator. */
enum rtCommEngine {
  RT_COMM_ENGINE_INVALID = -1,
  RT_COMM_ENGINE_IN_PROCESS = 0,    /**< copies and kernels of this library, among ranks of one process */
  RT_COMM_ENGINE_SHARED_MEMORY = 1, /**< memory that processes of one host share */
  RT_COMM_ENGINE_MPI = 2,           /**< messages of MPI */
  RT_COMM_ENGINE_NCCL = 3           /**< NCCL, with a CUDA device for each rank */
};

/** How the elements of a rank go to another. */
enum rtCommTransport {
  RT_COMM_TRANSPORT_INVALID = -1,
  RT_COMM_TRANSPORT_HOST_MEMORY = 0,   /**< ranks read each other's host memory, in one process */
  RT_COMM_TRANSPORT_DEVICE_COPIES = 1, /**< copies between contexts of one process, through the host where no peer is reached */
  RT_COMM_TRANSPORT_SHARED_MEMORY = 2, /**< the memory that processes share; of a device through the host */
  RT_COMM_TRANSPORT_MPI = 3,           /**< MPI takes the host memory of this rank */
  RT_COMM_TRANSPORT_MPI_STAGED = 4,    /**< MPI takes copies on the host of this rank's device memory */
  RT_COMM_TRANSPORT_MPI_DEVICE = 5,    /**< MPI takes this rank's device memory, as it says that it can */
  RT_COMM_TRANSPORT_NCCL = 6           /**< what NCCL chooses: NVLink, PCIe, shared memory, the network */
};

/** The id by which the ranks of a communicator find each other: bytes, to be handed on as they are. */
typedef struct rtCommUniqueId_t {
  uint8_t bytes[256];
} rtCommUniqueId_t;

/** Options of all functions that create a communicator, but rtCommSplit. */
typedef struct rtCommOptions_t {
  uint32_t struct_size;
  uint32_t flags;      /**< 0 */
  uint64_t timeout_ns; /**< how long a rank waits for others in an operation; 0: 5 minutes; RT_TIMEOUT_INFINITE is for ever */
  char label[64];      /**< for messages; terminated */
} rtCommOptions_t;
/* clang-format off */
#define RT_COMM_OPTIONS_INIT                                                              \
  {sizeof(rtCommOptions_t) /* struct_size */, 0 /* flags */, 0 /* timeout_ns */, {0} /* label */}
/* clang-format on */

/** Result of rtCommGetInfo. */
typedef struct rtCommInfo_t {
  uint32_t struct_size;
  int32_t engine;          /**< RT_COMM_ENGINE_* */
  int32_t transport;       /**< RT_COMM_TRANSPORT_*, of this rank's memory */
  int32_t rank;            /**< of this handle */
  int32_t size;            /**< ranks of the communicator */
  int32_t local_size;      /**< of these in this process, when the communicator was made */
  char engine_name[32];    /**< "in_process", "shared_memory", "mpi", "nccl" */
  char engine_version[96]; /**< of NCCL or MPI in its own words, else of this library */
  char transport_name[32]; /**< "host_memory", "device_copies", "shared_memory", "mpi", "mpi_staged", "mpi_device", "nccl" */
  char reason[256];        /**< where this process has its ranks on CUDA: why NCCL does not run them, a sentence; else empty */
} rtCommInfo_t;
/* clang-format off */
#define RT_COMM_INFO_INIT                                                                      \
  {sizeof(rtCommInfo_t) /* struct_size */, 0 /* engine */, 0 /* transport */, 0 /* rank */,    \
   0 /* size */, 0 /* local_size */, {0} /* engine_name */, {0} /* engine_version */,          \
   {0} /* transport_name */, {0} /* reason */}
/* clang-format on */

/* ---- Communicators ------------------------------------------------------------------------------------------------ */

/** Returns the sentence of this thread's last failed call of this library. Success does not clear it. Empty if no call has
 *  failed. A short buffer is truncated and terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtCommGetLastErrorMessage(char* buffer, size_t size, size_t* needed);

/** Makes a communicator of contexts of this process, of any devices, as ncclCommInitAll. Rank i works in contexts[i]; a context
 *  may stand there more than once. One thread may submit for all ranks, one after the other. Where devices reach each other's
 *  memory, that is switched on for these contexts (rtContextEnablePeerAccess).
 *  @param[out] comms     receives count ranks, which the caller destroys one by one
 *  @param[in]  options   may be NULL
 *  @param[in]  contexts  count contexts; an element may be NULL: current
 *  @param[in]  count     1 to 65,536
 *  blocks: maybe, while NCCL starts; at most timeout_ns
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, BACKEND_UNAVAILABLE (RT_COMM_ENGINE or RT_NCCL asks for
 *    an NCCL that is not there), TIMEOUT, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtCommCreateAll(rtComm_t* comms, const rtCommOptions_t* options, const rtContext_t* contexts, uint32_t count);

/** Makes an id for one communicator of rtCommCreate, as ncclGetUniqueId.
 *  @param[out] id  receives the id
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, IO */
RT_API rtStatus_t rtCommGetUniqueId(rtCommUniqueId_t* id);

/** Makes one rank of a communicator, as ncclCommInitRank. Every rank calls it with the same id and size, each on its own
 *  thread; a thread that has several ranks calls it within a group, and rtCommGroupEnd waits for all. Where all ranks are
 *  in the process that made the id, on any devices, the communicator is that of rtCommCreateAll. Else NCCL joins them where
 *  each has a CUDA device of its own, and otherwise memory that the processes of one host share. When the time of a rank has
 *  passed, every rank that came gets TIMEOUT (with NCCL: in its process). The sentence names the ranks that did not come. Then,
 *  and when the communicator is made, the id is used.
 *  @param[out] comm     receives the rank, which the caller destroys. In a group written by rtCommGroupEnd
 *  @param[in]  options  may be NULL; timeout_ns is also how long this rank waits here; for operations those of the lowest
 *                       rank in the process count
 *  @param[in]  id       of rtCommGetUniqueId; copied
 *  @param[in]  rank     0 to size - 1
 *  @param[in]  size     1 to 65,536; of processes that share the memory of a host 1,024 at most
 *  @param[in]  context  may be NULL: current
 *  blocks: yes, for the other ranks; at most timeout_ns, and as rtCommCreateAll
 *  capture: outside
 *  errors: INVALID_VALUE (no id, an id that was used, a rank that has come already, another size than other ranks),
 *    INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED (an id of another host, and no CUDA context, or no NCCL where it was made: see
 *    rtCommCreateFromMpi), OUT_OF_MEMORY (also of /dev/shm), BACKEND_UNAVAILABLE (as rtCommCreateAll; an id of another process
 *    with NCCL's, and no NCCL here), TIMEOUT, LAUNCH_FAILED (a process ended that had come), IO (also of /dev/shm),
 * DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtCommCreate(rtComm_t* comm, const rtCommOptions_t* options, const rtCommUniqueId_t* id, int32_t rank,
                               int32_t size, rtContext_t context);

/** Makes a communicator of processes of MPI: each calls it, and has the rank that it has in mpi_comm. The engine is a library
 * of its own, opened by the first call. If each rank has its own CUDA device, on one host or several, and all find NCCL of one
 * release, MPI only starts the ranks. NCCL then runs the operations, as for rtCommCreate among processes, and nothing below
 * about MPI holds. MPI has to run for this call alone then. RT_COMM_ENGINE chooses, and rtCommGetInfo tells what runs, and why
 * it is not NCCL. Else MPI runs the operations: on the CPU in its memory. On other devices it gets copies on the host, but
 * memory of CUDA itself where it says that it takes that (MPIX_Query_cuda_support); reductions are then kernels of the rank's
 * device. MPI runs from before this call until the communicator and its graphs are gone. With MPI_THREAD_MULTIPLE operations
 * return at once, as elsewhere. If MPI was initialised with less, only threads that call this library call MPI. An operation
 * then waits for its stream and returns when it is over, with the same statuses. Then one thread at a time calls operations,
 * splits and destroys; below MPI_THREAD_SERIALIZED only the thread that made the communicator. All ranks enter the operations
 * of different communicators in one order. A capture is NOT_SUPPORTED. With RT_COMM_MPI=collectives operations are MPI's own
 * blocking collectives, in MPI's order of operands. A rank that calls a different operation is not detected, and no time or
 * abort ends a wait. It is meant for many ranks, and for simulators of MPI.
 *  @param[out] comm      receives the rank, which the caller destroys
 *  @param[in]  options   may be NULL
 *  @param[in]  mpi_comm  points to an MPI_Comm of the MPI that the engine was built for; duplicated
 *  @param[in]  context   may be NULL: current
 *  blocks: yes, for the other processes; in NCCL's start at most timeout_ns
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED (MPI does not run, or ranks differ in RT_COMM_MPI or
 *    RT_COMM_ENGINE), OUT_OF_MEMORY, BACKEND_UNAVAILABLE (no engine, or no NCCL where it was asked for), TIMEOUT, DEVICE_LOST,
 *    DRIVER */
RT_API rtStatus_t rtCommCreateFromMpi(rtComm_t* comm, const rtCommOptions_t* options, const void* mpi_comm,
                                      rtContext_t context);

/** Makes a communicator of the processes that a launcher started: each calls it once, and has the rank that its environment
 *  says. The ranks meet over TCP, and then it is rtCommCreate with an id of rank 0. All leave with the communicator, or all
 *  that came with the same failure. One rank alone needs no network.
 *  - Rank and size: RANK and WORLD_SIZE (torchrun, or by hand). Else those of Open MPI (OMPI_COMM_WORLD_RANK, _SIZE), PMI
 *    (PMI_RANK, PMI_SIZE), Slurm (SLURM_PROCID, SLURM_NTASKS), or PMIX_RANK with WORLD_SIZE.
 *  - Where they meet: MASTER_ADDR, a name or an address of rank 0's host. Else the first host of Slurm's step, else 127.0.0.1
 *    where all ranks are on one host. Rank 0 listens there and at no other address. The port is RT_COMM_PORT, else the one
 *    after MASTER_PORT, which is the launcher's own. It is free again when the ranks have met.
 *  - RT_COMM_TOKEN: a secret, the same on all ranks. It is proved and not sent; what is sent is not encrypted. Without it ranks
 *    meet only at a loopback address, where any program of the machine can come as a rank. MASTER_ADDR is one, or the launcher
 *    says that all ranks are on this host: then 127.0.0.1 replaces it.
 *  The device is the caller's choice, often that of LOCAL_RANK. The call is no part of a group. The wait goes on after a
 *  signal whose handler returns. A process calls it as often as the others; calls at the same time need ports of their own.
 *  @param[out] comm     receives the rank, which the caller destroys
 *  @param[in]  options  may be NULL; the shortest timeout_ns of the ranks that have come limits their wait for the others to
 *                       come; then each rank's own limits its wait in the creation
 *  @param[in]  context  may be NULL: current
 *  blocks: yes, for the other processes; at most timeout_ns and 6 s for them to meet, then as rtCommCreate; and for the system,
 *    while it looks up the name of the host
 *  capture: outside
 *  errors: INVALID_VALUE (the environment, another size, job, token or release than rank 0, a rank that has come already, one
 *    device twice), INVALID_HANDLE, NOT_FOUND (the host has no address), BUSY (rank 0's port is taken), NOT_SUPPORTED (as
 *    rtCommCreate), OUT_OF_MEMORY, BACKEND_UNAVAILABLE, TIMEOUT (with the ranks that did not come), IO (rank 0 or a
 *    rank ended meanwhile), DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtCommCreateFromEnvironment(rtComm_t* comm, const rtCommOptions_t* options, rtContext_t context);

/** Splits a communicator, as MPI_Comm_split: the ranks of each color form a new one, ordered by key and, where keys are equal,
 *  by rank. Every rank calls it, each on its own thread; a thread that has several ranks calls it within a group, and
 *  rtCommGroupEnd waits for all.
 *  @param[out] comm    receives the rank of the new communicator, which the caller destroys; NULL for RT_COMM_NO_COLOR. In a
 *                      group written by rtCommGroupEnd
 *  @param[in]  color   0 and above, or RT_COMM_NO_COLOR
 *  @param[in]  key     any number
 *  @param[in]  parent  goes on as before
 *  blocks: yes, for the other ranks; at most timeout_ns
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, TIMEOUT, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtCommSplit(rtComm_t* comm, int32_t color, int32_t key, rtComm_t parent);

/** Ends a rank. Its operations in flight go on, and so do graphs that captured some. After the last of these, operations in
 *  which other ranks still expect this one fail.
 *  @param[in] comm  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtCommDestroy(rtComm_t comm);

/** Fails the communicator, with LAUNCH_FAILED, on all its ranks. From any thread; one that waits for a stream is freed.
 *  @param[in] comm  of any rank
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtCommAbort(rtComm_t comm);

/** Returns the first failure of the communicator, or RT_SUCCESS.
 *  @param[out] status  receives the status
 *  @param[out] rank    receives the rank that the failure is about, -1 if there is none; may be NULL
 *  @param[in]  comm    the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetStatus(rtStatus_t* status, int32_t* rank, rtComm_t comm);

/** Tells the first failure of the communicator in words; empty if it has not failed. A short buffer is truncated and
 *  terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  @param[in]  comm    the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetStatusMessage(char* buffer, size_t size, size_t* needed, rtComm_t comm);

/** Returns the rank of a handle.
 *  @param[out] rank  receives 0 to the size - 1
 *  @param[in]  comm  the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetRank(int32_t* rank, rtComm_t comm);

/** Returns how many ranks a communicator has.
 *  @param[out] size  receives the number
 *  @param[in]  comm  the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetSize(int32_t* size, rtComm_t comm);

/** Returns the context in which a rank works.
 *  @param[out] context  receives the context; borrowed
 *  @param[in]  comm     the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetContext(rtContext_t* context, rtComm_t comm);

/** Tells what runs the operations of a communicator, how this rank's elements reach the others, and its place among them.
 *  @param[inout] info  struct_size set by the caller; receives the rest
 *  @param[in]    comm  the communicator
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCommGetInfo(rtCommInfo_t* info, rtComm_t comm);

/* ---- Groups ------------------------------------------------------------------------------------------------------- */

/** Begins a group on this thread, as ncclGroupStart: the operations that follow are checked at once and submitted by
 *  rtCommGroupEnd. Those of one rank and stream then run as one: sends and receives among them do not wait for each other.
 *  Groups nest; the outermost counts.
 *  blocks: never
 *  capture: outside
 *  errors: none */
RT_API rtStatus_t rtCommGroupBegin(void);

/** Ends a group and submits its operations. After a failure of a call in the group, nothing of it is submitted, and that
 *  failure is returned.
 *  blocks: maybe, for the other ranks of an rtCommCreate or rtCommSplit in the group
 *  capture: node
 *  errors: INVALID_VALUE (no group, or a refused call in it; all else is of its calls), INVALID_HANDLE, NOT_FOUND,
 *    NOT_SUPPORTED, OUT_OF_MEMORY, BACKEND_UNAVAILABLE, BUILD_FAILED, COMPILER_NOT_FOUND, TIMEOUT, LAUNCH_FAILED, IO,
 *    DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommGroupEnd(void);

/* ---- Operations --------------------------------------------------------------------------------------------------- */

/** Reduces the elements of all ranks and gives every rank the result.
 *  @param[in] receive    count elements
 *  @param[in] send       count elements; in place: the same as receive
 *  @param[in] count      elements; 0 is legal
 *  @param[in] type       RT_COMM_I8 to RT_COMM_F64
 *  @param[in] reduction  RT_COMM_SUM to RT_COMM_AVERAGE
 *  @param[in] stream     of the rank's context; may be NULL: its default
 *  @param[in] comm       the communicator
 *  blocks: maybe, while a compiler runs
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, BUILD_FAILED, COMPILER_NOT_FOUND,
 *    TIMEOUT, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommAllReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction,
                                  rtStream_t stream, rtComm_t comm);

/** Reduces the elements of all ranks and gives root the result.
 *  @param[in] receive    count elements; of root alone, else may be NULL
 *  @param[in] send       count elements; in place at root: the same as receive
 *  @param[in] count      elements; 0 is legal
 *  @param[in] type       RT_COMM_I8 to RT_COMM_F64
 *  @param[in] reduction  RT_COMM_SUM to RT_COMM_AVERAGE
 *  @param[in] root       the rank that receives
 *  @param[in] stream     of the rank's context; may be NULL: its default
 *  @param[in] comm       the communicator
 *  blocks: maybe, while a compiler runs
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, BUILD_FAILED, COMPILER_NOT_FOUND,
 *    TIMEOUT, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction, int32_t root,
                               rtStream_t stream, rtComm_t comm);

/** Gives every rank the elements of root.
 *  @param[in] receive  count elements
 *  @param[in] send     count elements; of root alone, else may be NULL; in place at root: the same as receive
 *  @param[in] count    elements; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] root     the rank that sends
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommBroadcast(void* receive, const void* send, uint64_t count, int32_t type, int32_t root,
                                  rtStream_t stream, rtComm_t comm);

/** Gives every rank the elements of all, concatenated in rank order.
 *  @param[in] receive  count times size elements
 *  @param[in] send     count elements; in place: those of this rank in receive
 *  @param[in] count    elements of each rank; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommAllGather(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream,
                                  rtComm_t comm);

/** Reduces the elements of all ranks and gives rank i the i-th part of the result.
 *  @param[in] receive    count elements
 *  @param[in] send       count times size elements; in place: receive is the part of this rank in send
 *  @param[in] count      elements that each rank receives; 0 is legal
 *  @param[in] type       RT_COMM_I8 to RT_COMM_F64
 *  @param[in] reduction  RT_COMM_SUM to RT_COMM_AVERAGE
 *  @param[in] stream     of the rank's context; may be NULL: its default
 *  @param[in] comm       the communicator
 *  blocks: maybe, while a compiler runs
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, BUILD_FAILED, COMPILER_NOT_FOUND,
 *    TIMEOUT, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommReduceScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction,
                                      rtStream_t stream, rtComm_t comm);

/** Gives rank i the i-th part of every rank, concatenated in rank order.
 *  @param[in] receive  count times size elements
 *  @param[in] send     count times size elements; in place: the same as receive, on every rank
 *  @param[in] count    elements from each rank to each; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommAllToAll(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream,
                                 rtComm_t comm);

/** Gives root the elements of all ranks, concatenated in rank order.
 *  @param[in] receive  count times size elements; of root alone, else may be NULL
 *  @param[in] send     count elements; in place at root: those of root in receive
 *  @param[in] count    elements of each rank; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] root     the rank that receives
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommGather(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
                               rtComm_t comm);

/** Gives rank i the i-th part of the elements of root.
 *  @param[in] receive  count elements
 *  @param[in] send     count times size elements; of root alone, else may be NULL; in place at root: receive is root's part
 *  @param[in] count    elements that each rank receives; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] root     the rank that sends
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
                                rtComm_t comm);

/** Sends elements to a rank, which receives as many of the same type. The stream goes on when the peer has them. Two ranks that
 *  send to each other do so within a group.
 *  @param[in] send    count elements
 *  @param[in] count   elements; 0 is legal
 *  @param[in] type    RT_COMM_I8 to RT_COMM_F64
 *  @param[in] peer    the rank that receives; this one only within a group
 *  @param[in] stream  of the rank's context; may be NULL: its default
 *  @param[in] comm    the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommSend(const void* send, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm);

/** Receives elements that a rank sends.
 *  @param[in] receive  count elements
 *  @param[in] count    elements; 0 is legal
 *  @param[in] type     RT_COMM_I8 to RT_COMM_F64
 *  @param[in] peer     the rank that sends; this one only within a group
 *  @param[in] stream   of the rank's context; may be NULL: its default
 *  @param[in] comm     the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommReceive(void* receive, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm);

/** Makes later work of the stream wait until the streams of all ranks have come to this operation.
 *  @param[in] stream  of the rank's context; may be NULL: its default
 *  @param[in] comm    the communicator
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_SUPPORTED, OUT_OF_MEMORY, TIMEOUT, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtCommBarrier(rtStream_t stream, rtComm_t comm);

#ifdef __cplusplus
}
#endif

#endif /* MANYRT_RT_COMM_H_ */
