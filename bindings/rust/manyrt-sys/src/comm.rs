// Made by bindings/rust/generate.py from bindings/rt_comm.json; not to be edited. SPDX-License-Identifier: Apache-2.0
//! The C interface of communicators, `rt_comm.h`, whose library is libmanyrt-comm.

use crate::declarations::{rtContext_t, rtStatus_t, rtStream_t};
use std::os::raw::{c_char, c_void};

/// Opaque: see rtComm\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtComm_st {
    _private: [u8; 0],
}
/// one rank of a communicator; opaque, checked on every call, never an address
pub type rtComm_t = *mut rtComm_st;


// enum rtCommType
/// See enum rtCommType.
pub const RT_COMM_TYPE_INVALID: i32 = -1;
/// See enum rtCommType.
pub const RT_COMM_I8: i32 = 0;
/// See enum rtCommType.
pub const RT_COMM_U8: i32 = 1;
/// See enum rtCommType.
pub const RT_COMM_I16: i32 = 2;
/// See enum rtCommType.
pub const RT_COMM_U16: i32 = 3;
/// See enum rtCommType.
pub const RT_COMM_I32: i32 = 4;
/// See enum rtCommType.
pub const RT_COMM_U32: i32 = 5;
/// See enum rtCommType.
pub const RT_COMM_I64: i32 = 6;
/// See enum rtCommType.
pub const RT_COMM_U64: i32 = 7;
/// See enum rtCommType.
pub const RT_COMM_F16: i32 = 8;
/// See enum rtCommType.
pub const RT_COMM_BF16: i32 = 9;
/// See enum rtCommType.
pub const RT_COMM_F32: i32 = 10;
/// See enum rtCommType.
pub const RT_COMM_F64: i32 = 11;

// enum rtCommReduction
/// See enum rtCommReduction.
pub const RT_COMM_REDUCTION_INVALID: i32 = -1;
/// See enum rtCommReduction.
pub const RT_COMM_SUM: i32 = 0;
/// See enum rtCommReduction.
pub const RT_COMM_PRODUCT: i32 = 1;
/// See enum rtCommReduction.
pub const RT_COMM_MINIMUM: i32 = 2;
/// See enum rtCommReduction.
pub const RT_COMM_MAXIMUM: i32 = 3;
/// See enum rtCommReduction.
pub const RT_COMM_AVERAGE: i32 = 4;

// enum rtCommColor
/// See enum rtCommColor.
pub const RT_COMM_NO_COLOR: i32 = -1;

// enum rtCommEngine
/// See enum rtCommEngine.
pub const RT_COMM_ENGINE_INVALID: i32 = -1;
/// copies and kernels of this library, among ranks of one process
pub const RT_COMM_ENGINE_IN_PROCESS: i32 = 0;
/// memory that processes of one host share
pub const RT_COMM_ENGINE_SHARED_MEMORY: i32 = 1;
/// messages of MPI
pub const RT_COMM_ENGINE_MPI: i32 = 2;
/// NCCL, with a CUDA device for each rank
pub const RT_COMM_ENGINE_NCCL: i32 = 3;

// enum rtCommTransport
/// See enum rtCommTransport.
pub const RT_COMM_TRANSPORT_INVALID: i32 = -1;
/// ranks read each other's host memory, in one process
pub const RT_COMM_TRANSPORT_HOST_MEMORY: i32 = 0;
/// copies between contexts of one process, through the host where no peer is reached
pub const RT_COMM_TRANSPORT_DEVICE_COPIES: i32 = 1;
/// the memory that processes share; of a device through the host
pub const RT_COMM_TRANSPORT_SHARED_MEMORY: i32 = 2;
/// MPI takes the host memory of this rank
pub const RT_COMM_TRANSPORT_MPI: i32 = 3;
/// MPI takes copies on the host of this rank's device memory
pub const RT_COMM_TRANSPORT_MPI_STAGED: i32 = 4;
/// MPI takes this rank's device memory, as it says that it can
pub const RT_COMM_TRANSPORT_MPI_DEVICE: i32 = 5;
/// what NCCL chooses: NVLink, PCIe, shared memory, the network
pub const RT_COMM_TRANSPORT_NCCL: i32 = 6;

/// The id by which the ranks of a communicator find each other: bytes, to be handed on as they are.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCommUniqueId_t {
    /// bytes.
    pub bytes: [u8; 256],
}

/// Options of all functions that create a communicator, but rtCommSplit.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCommOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// how long a rank waits for others in an operation; 0: 5 minutes; RT\_TIMEOUT\_INFINITE is for ever
    pub timeout_ns: u64,
    /// for messages; terminated
    pub label: [c_char; 64],
}

impl Default for rtCommOptions_t {
    /// As RT\_COMM\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCommOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            flags: 0,
            timeout_ns: 0,
            label: [0; 64],
        }
    }
}

/// Result of rtCommGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCommInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_COMM\_ENGINE\_\*
    pub engine: i32,
    /// RT\_COMM\_TRANSPORT\_\*, of this rank's memory
    pub transport: i32,
    /// of this handle
    pub rank: i32,
    /// ranks of the communicator
    pub size: i32,
    /// of these in this process, when the communicator was made
    pub local_size: i32,
    /// "in\_process", "shared\_memory", "mpi", "nccl"
    pub engine_name: [c_char; 32],
    /// of NCCL or MPI in its own words, else of this library
    pub engine_version: [c_char; 96],
    /// "host\_memory", "device\_copies", "shared\_memory", "mpi", "mpi\_staged", "mpi\_device", "nccl"
    pub transport_name: [c_char; 32],
    /// where this process has its ranks on CUDA: why NCCL does not run them, a sentence; else empty
    pub reason: [c_char; 256],
}

impl Default for rtCommInfo_t {
    /// As RT\_COMM\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCommInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            engine: 0,
            transport: 0,
            rank: 0,
            size: 0,
            local_size: 0,
            engine_name: [0; 32],
            engine_version: [0; 96],
            transport_name: [0; 32],
            reason: [0; 256],
        }
    }
}

extern "C" {
    /// Returns the sentence of this thread's last failed call of this library. Success does not clear it. Empty if no call has
    /// failed. A short buffer is truncated and terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtCommGetLastErrorMessage(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
    ) -> rtStatus_t;

    /// Makes a communicator of contexts of this process, of any devices, as ncclCommInitAll. Rank i works in contexts\[i\]; a
    /// context may stand there more than once. One thread may submit for all ranks, one after the other. Where devices reach
    /// each other's memory, that is switched on for these contexts (rtContextEnablePeerAccess).
    ///
    /// - out comms: receives count ranks, which the caller destroys one by one
    /// - in options: may be NULL
    /// - in contexts: count contexts; an element may be NULL: current
    /// - in count: 1 to 65,536
    /// - blocks: maybe, while NCCL starts; at most timeout\_ns
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, BACKEND\_UNAVAILABLE (RT\_COMM\_ENGINE or
    /// - RT\_NCCL asks for an NCCL that is not there), TIMEOUT, DEVICE\_LOST, DRIVER
    pub fn rtCommCreateAll(
        comms: *mut rtComm_t,
        options: *const rtCommOptions_t,
        contexts: *const rtContext_t,
        count: u32,
    ) -> rtStatus_t;

    /// Makes an id for one communicator of rtCommCreate, as ncclGetUniqueId.
    ///
    /// - out id: receives the id
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, IO
    pub fn rtCommGetUniqueId(id: *mut rtCommUniqueId_t) -> rtStatus_t;

    /// Makes one rank of a communicator, as ncclCommInitRank. Every rank calls it with the same id and size, each on its own
    /// thread; a thread that has several ranks calls it within a group, and rtCommGroupEnd waits for all. Where all ranks are
    /// in the process that made the id, on any devices, the communicator is that of rtCommCreateAll. Else NCCL joins them where
    /// each has a CUDA device of its own, and otherwise memory that the processes of one host share. When the time of a rank
    /// has passed, every rank that came gets TIMEOUT (with NCCL: in its process). The sentence names the ranks that did not
    /// come. Then, and when the communicator is made, the id is used.
    ///
    /// - out comm: receives the rank, which the caller destroys. In a group written by rtCommGroupEnd
    /// - in options: may be NULL; timeout\_ns is also how long this rank waits here; for operations those of the lowest rank in
    /// - the process count
    /// - in id: of rtCommGetUniqueId; copied
    /// - in rank: 0 to size - 1
    /// - in size: 1 to 65,536; of processes that share the memory of a host 1,024 at most
    /// - in context: may be NULL: current
    /// - blocks: yes, for the other ranks; at most timeout\_ns, and as rtCommCreateAll
    /// - capture: outside
    /// - errors: INVALID\_VALUE (no id, an id that was used, a rank that has come already, another size than other ranks),
    /// - INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED (an id of another host, and no CUDA context, or no NCCL where it was made:
    /// - see rtCommCreateFromMpi), OUT\_OF\_MEMORY (also of /dev/shm), BACKEND\_UNAVAILABLE (as rtCommCreateAll; an id of
    /// - another process with NCCL's, and no NCCL here), TIMEOUT, LAUNCH\_FAILED (a process ended that had come), IO (also of
    /// - /dev/shm), DEVICE\_LOST, DRIVER
    pub fn rtCommCreate(
        comm: *mut rtComm_t,
        options: *const rtCommOptions_t,
        id: *const rtCommUniqueId_t,
        rank: i32,
        size: i32,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Makes a communicator of processes of MPI: each calls it, and has the rank that it has in mpi\_comm. The engine is a
    /// library of its own, opened by the first call. If each rank has its own CUDA device, on one host or several, and all find
    /// NCCL of one release, MPI only starts the ranks. NCCL then runs the operations, as for rtCommCreate among processes, and
    /// nothing below about MPI holds. MPI has to run for this call alone then. RT\_COMM\_ENGINE chooses, and rtCommGetInfo
    /// tells what runs, and why it is not NCCL. Else MPI runs the operations: on the CPU in its memory. On other devices it
    /// gets copies on the host, but memory of CUDA itself where it says that it takes that (MPIX\_Query\_cuda\_support);
    /// reductions are then kernels of the rank's device. MPI runs from before this call until the communicator and its graphs
    /// are gone. With MPI\_THREAD\_MULTIPLE operations return at once, as elsewhere. If MPI was initialised with less, only
    /// threads that call this library call MPI. An operation then waits for its stream and returns when it is over, with the
    /// same statuses. Then one thread at a time calls operations, splits and destroys; below MPI\_THREAD\_SERIALIZED only the
    /// thread that made the communicator. All ranks enter the operations of different communicators in one order. A capture is
    /// NOT\_SUPPORTED. With RT\_COMM\_MPI=collectives operations are MPI's own blocking collectives, in MPI's order of
    /// operands. A rank that calls a different operation is not detected, and no time or abort ends a wait. It is meant for
    /// many ranks, and for simulators of MPI.
    ///
    /// - out comm: receives the rank, which the caller destroys
    /// - in options: may be NULL
    /// - in mpi\_comm: points to an MPI\_Comm of the MPI that the engine was built for; duplicated
    /// - in context: may be NULL: current
    /// - blocks: yes, for the other processes; in NCCL's start at most timeout\_ns
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED (MPI does not run, or ranks differ in
    /// - RT\_COMM\_MPI or RT\_COMM\_ENGINE), OUT\_OF\_MEMORY, BACKEND\_UNAVAILABLE (no engine, or no NCCL where it was asked
    /// - for), TIMEOUT, DEVICE\_LOST, DRIVER
    pub fn rtCommCreateFromMpi(
        comm: *mut rtComm_t,
        options: *const rtCommOptions_t,
        mpi_comm: *const c_void,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Makes a communicator of the processes that a launcher started: each calls it once, and has the rank that its environment
    /// says. The ranks meet over TCP, and then it is rtCommCreate with an id of rank 0. All leave with the communicator, or all
    /// that came with the same failure. One rank alone needs no network. - Rank and size: RANK and WORLD\_SIZE (torchrun, or by
    /// hand). Else those of Open MPI (OMPI\_COMM\_WORLD\_RANK, \_SIZE), PMI (PMI\_RANK, PMI\_SIZE), Slurm (SLURM\_PROCID,
    /// SLURM\_NTASKS), or PMIX\_RANK with WORLD\_SIZE. - Where they meet: MASTER\_ADDR, a name or an address of rank 0's host.
    /// Else the first host of Slurm's step, else 127.0.0.1 where all ranks are on one host. Rank 0 listens there and at no
    /// other address. The port is RT\_COMM\_PORT, else the one after MASTER\_PORT, which is the launcher's own. It is free
    /// again when the ranks have met. - RT\_COMM\_TOKEN: a secret, the same on all ranks. It is proved and not sent; what is
    /// sent is not encrypted. Without it ranks meet only at a loopback address, where any program of the machine can come as a
    /// rank. MASTER\_ADDR is one, or the launcher says that all ranks are on this host: then 127.0.0.1 replaces it. The device
    /// is the caller's choice, often that of LOCAL\_RANK. The call is no part of a group. The wait goes on after a signal whose
    /// handler returns. A process calls it as often as the others; calls at the same time need ports of their own.
    ///
    /// - out comm: receives the rank, which the caller destroys
    /// - in options: may be NULL; the shortest timeout\_ns of the ranks that have come limits their wait for the others to
    /// - come; then each rank's own limits its wait in the creation
    /// - in context: may be NULL: current
    /// - blocks: yes, for the other processes; at most timeout\_ns and 6 s for them to meet, then as rtCommCreate; and for the
    /// - system, while it looks up the name of the host
    /// - capture: outside
    /// - errors: INVALID\_VALUE (the environment, another size, job, token or release than rank 0, a rank that has come
    /// - already, one device twice), INVALID\_HANDLE, NOT\_FOUND (the host has no address), BUSY (rank 0's port is taken),
    /// - NOT\_SUPPORTED (as rtCommCreate), OUT\_OF\_MEMORY, BACKEND\_UNAVAILABLE, TIMEOUT (with the ranks that did not come),
    /// - IO (rank 0 or a rank ended meanwhile), DEVICE\_LOST, DRIVER
    pub fn rtCommCreateFromEnvironment(
        comm: *mut rtComm_t,
        options: *const rtCommOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Splits a communicator, as MPI\_Comm\_split: the ranks of each color form a new one, ordered by key and, where keys are
    /// equal, by rank. Every rank calls it, each on its own thread; a thread that has several ranks calls it within a group,
    /// and rtCommGroupEnd waits for all.
    ///
    /// - out comm: receives the rank of the new communicator, which the caller destroys; NULL for RT\_COMM\_NO\_COLOR. In a
    /// - group written by rtCommGroupEnd
    /// - in color: 0 and above, or RT\_COMM\_NO\_COLOR
    /// - in key: any number
    /// - in parent: goes on as before
    /// - blocks: yes, for the other ranks; at most timeout\_ns
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, TIMEOUT, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtCommSplit(comm: *mut rtComm_t, color: i32, key: i32, parent: rtComm_t) -> rtStatus_t;

    /// Ends a rank. Its operations in flight go on, and so do graphs that captured some. After the last of these, operations in
    /// which other ranks still expect this one fail.
    ///
    /// - in comm: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtCommDestroy(comm: rtComm_t) -> rtStatus_t;

    /// Fails the communicator, with LAUNCH\_FAILED, on all its ranks. From any thread; one that waits for a stream is freed.
    ///
    /// - in comm: of any rank
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtCommAbort(comm: rtComm_t) -> rtStatus_t;

    /// Returns the first failure of the communicator, or RT\_SUCCESS.
    ///
    /// - out status: receives the status
    /// - out rank: receives the rank that the failure is about, -1 if there is none; may be NULL
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetStatus(status: *mut rtStatus_t, rank: *mut i32, comm: rtComm_t) -> rtStatus_t;

    /// Tells the first failure of the communicator in words; empty if it has not failed. A short buffer is truncated and
    /// terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetStatusMessage(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Returns the rank of a handle.
    ///
    /// - out rank: receives 0 to the size - 1
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetRank(rank: *mut i32, comm: rtComm_t) -> rtStatus_t;

    /// Returns how many ranks a communicator has.
    ///
    /// - out size: receives the number
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetSize(size: *mut i32, comm: rtComm_t) -> rtStatus_t;

    /// Returns the context in which a rank works.
    ///
    /// - out context: receives the context; borrowed
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetContext(context: *mut rtContext_t, comm: rtComm_t) -> rtStatus_t;

    /// Tells what runs the operations of a communicator, how this rank's elements reach the others, and its place among them.
    ///
    /// - inout info: struct\_size set by the caller; receives the rest
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCommGetInfo(info: *mut rtCommInfo_t, comm: rtComm_t) -> rtStatus_t;

    /// Begins a group on this thread, as ncclGroupStart: the operations that follow are checked at once and submitted by
    /// rtCommGroupEnd. Those of one rank and stream then run as one: sends and receives among them do not wait for each other.
    /// Groups nest; the outermost counts.
    ///
    /// - blocks: never
    /// - capture: outside
    /// - errors: none
    pub fn rtCommGroupBegin() -> rtStatus_t;

    /// Ends a group and submits its operations. After a failure of a call in the group, nothing of it is submitted, and that
    /// failure is returned.
    ///
    /// - blocks: maybe, for the other ranks of an rtCommCreate or rtCommSplit in the group
    /// - capture: node
    /// - errors: INVALID\_VALUE (no group, or a refused call in it; all else is of its calls), INVALID\_HANDLE, NOT\_FOUND,
    /// - NOT\_SUPPORTED, OUT\_OF\_MEMORY, BACKEND\_UNAVAILABLE, BUILD\_FAILED, COMPILER\_NOT\_FOUND, TIMEOUT, LAUNCH\_FAILED,
    /// - IO, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommGroupEnd() -> rtStatus_t;

    /// Reduces the elements of all ranks and gives every rank the result.
    ///
    /// - in receive: count elements
    /// - in send: count elements; in place: the same as receive
    /// - in count: elements; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in reduction: RT\_COMM\_SUM to RT\_COMM\_AVERAGE
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: maybe, while a compiler runs
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, BUILD\_FAILED,
    /// - COMPILER\_NOT\_FOUND, TIMEOUT, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommAllReduce(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        reduction: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Reduces the elements of all ranks and gives root the result.
    ///
    /// - in receive: count elements; of root alone, else may be NULL
    /// - in send: count elements; in place at root: the same as receive
    /// - in count: elements; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in reduction: RT\_COMM\_SUM to RT\_COMM\_AVERAGE
    /// - in root: the rank that receives
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: maybe, while a compiler runs
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, BUILD\_FAILED,
    /// - COMPILER\_NOT\_FOUND, TIMEOUT, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommReduce(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        reduction: i32,
        root: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Gives every rank the elements of root.
    ///
    /// - in receive: count elements
    /// - in send: count elements; of root alone, else may be NULL; in place at root: the same as receive
    /// - in count: elements; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in root: the rank that sends
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommBroadcast(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        root: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Gives every rank the elements of all, concatenated in rank order.
    ///
    /// - in receive: count times size elements
    /// - in send: count elements; in place: those of this rank in receive
    /// - in count: elements of each rank; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommAllGather(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Reduces the elements of all ranks and gives rank i the i-th part of the result.
    ///
    /// - in receive: count elements
    /// - in send: count times size elements; in place: receive is the part of this rank in send
    /// - in count: elements that each rank receives; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in reduction: RT\_COMM\_SUM to RT\_COMM\_AVERAGE
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: maybe, while a compiler runs
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, BUILD\_FAILED,
    /// - COMPILER\_NOT\_FOUND, TIMEOUT, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommReduceScatter(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        reduction: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Gives rank i the i-th part of every rank, concatenated in rank order.
    ///
    /// - in receive: count times size elements
    /// - in send: count times size elements; in place: the same as receive, on every rank
    /// - in count: elements from each rank to each; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommAllToAll(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Gives root the elements of all ranks, concatenated in rank order.
    ///
    /// - in receive: count times size elements; of root alone, else may be NULL
    /// - in send: count elements; in place at root: those of root in receive
    /// - in count: elements of each rank; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in root: the rank that receives
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommGather(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        root: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Gives rank i the i-th part of the elements of root.
    ///
    /// - in receive: count elements
    /// - in send: count times size elements; of root alone, else may be NULL; in place at root: receive is root's part
    /// - in count: elements that each rank receives; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in root: the rank that sends
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommScatter(
        receive: *mut c_void,
        send: *const c_void,
        count: u64,
        type_: i32,
        root: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Sends elements to a rank, which receives as many of the same type. The stream goes on when the peer has them. Two ranks
    /// that send to each other do so within a group.
    ///
    /// - in send: count elements
    /// - in count: elements; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in peer: the rank that receives; this one only within a group
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommSend(
        send: *const c_void,
        count: u64,
        type_: i32,
        peer: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Receives elements that a rank sends.
    ///
    /// - in receive: count elements
    /// - in count: elements; 0 is legal
    /// - in type: RT\_COMM\_I8 to RT\_COMM\_F64
    /// - in peer: the rank that sends; this one only within a group
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommReceive(
        receive: *mut c_void,
        count: u64,
        type_: i32,
        peer: i32,
        stream: rtStream_t,
        comm: rtComm_t,
    ) -> rtStatus_t;

    /// Makes later work of the stream wait until the streams of all ranks have come to this operation.
    ///
    /// - in stream: of the rank's context; may be NULL: its default
    /// - in comm: the communicator
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_SUPPORTED, OUT\_OF\_MEMORY, TIMEOUT, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtCommBarrier(stream: rtStream_t, comm: rtComm_t) -> rtStatus_t;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{align_of, size_of, MaybeUninit};
    use std::ptr::addr_of;

    macro_rules! offset {
        ($type:ty, $field:ident) => {{
            let value = MaybeUninit::<$type>::uninit();
            // SAFETY: only the address of the field is taken; nothing is read.
            let field = unsafe { addr_of!((*value.as_ptr()).$field) };
            field as usize - value.as_ptr() as usize
        }};
    }

    #[test]
    fn layout_of_rtCommUniqueId_t() {
        assert_eq!((size_of::<rtCommUniqueId_t>(), align_of::<rtCommUniqueId_t>()), (256, 1));
        assert_eq!(offset!(rtCommUniqueId_t, bytes), 0);
    }

    #[test]
    fn layout_of_rtCommOptions_t() {
        assert_eq!((size_of::<rtCommOptions_t>(), align_of::<rtCommOptions_t>()), (80, 8));
        assert_eq!(offset!(rtCommOptions_t, struct_size), 0);
        assert_eq!(offset!(rtCommOptions_t, flags), 4);
        assert_eq!(offset!(rtCommOptions_t, timeout_ns), 8);
        assert_eq!(offset!(rtCommOptions_t, label), 16);
    }

    #[test]
    fn layout_of_rtCommInfo_t() {
        assert_eq!((size_of::<rtCommInfo_t>(), align_of::<rtCommInfo_t>()), (440, 4));
        assert_eq!(offset!(rtCommInfo_t, struct_size), 0);
        assert_eq!(offset!(rtCommInfo_t, engine), 4);
        assert_eq!(offset!(rtCommInfo_t, transport), 8);
        assert_eq!(offset!(rtCommInfo_t, rank), 12);
        assert_eq!(offset!(rtCommInfo_t, size), 16);
        assert_eq!(offset!(rtCommInfo_t, local_size), 20);
        assert_eq!(offset!(rtCommInfo_t, engine_name), 24);
        assert_eq!(offset!(rtCommInfo_t, engine_version), 56);
        assert_eq!(offset!(rtCommInfo_t, transport_name), 152);
        assert_eq!(offset!(rtCommInfo_t, reason), 184);
    }

    #[test]
    fn every_function_is_linked() {
        let functions: [(&str, *const ()); 28] = [
            ("rtCommGetLastErrorMessage", rtCommGetLastErrorMessage as *const ()),
            ("rtCommCreateAll", rtCommCreateAll as *const ()),
            ("rtCommGetUniqueId", rtCommGetUniqueId as *const ()),
            ("rtCommCreate", rtCommCreate as *const ()),
            ("rtCommCreateFromMpi", rtCommCreateFromMpi as *const ()),
            ("rtCommCreateFromEnvironment", rtCommCreateFromEnvironment as *const ()),
            ("rtCommSplit", rtCommSplit as *const ()),
            ("rtCommDestroy", rtCommDestroy as *const ()),
            ("rtCommAbort", rtCommAbort as *const ()),
            ("rtCommGetStatus", rtCommGetStatus as *const ()),
            ("rtCommGetStatusMessage", rtCommGetStatusMessage as *const ()),
            ("rtCommGetRank", rtCommGetRank as *const ()),
            ("rtCommGetSize", rtCommGetSize as *const ()),
            ("rtCommGetContext", rtCommGetContext as *const ()),
            ("rtCommGetInfo", rtCommGetInfo as *const ()),
            ("rtCommGroupBegin", rtCommGroupBegin as *const ()),
            ("rtCommGroupEnd", rtCommGroupEnd as *const ()),
            ("rtCommAllReduce", rtCommAllReduce as *const ()),
            ("rtCommReduce", rtCommReduce as *const ()),
            ("rtCommBroadcast", rtCommBroadcast as *const ()),
            ("rtCommAllGather", rtCommAllGather as *const ()),
            ("rtCommReduceScatter", rtCommReduceScatter as *const ()),
            ("rtCommAllToAll", rtCommAllToAll as *const ()),
            ("rtCommGather", rtCommGather as *const ()),
            ("rtCommScatter", rtCommScatter as *const ()),
            ("rtCommSend", rtCommSend as *const ()),
            ("rtCommReceive", rtCommReceive as *const ()),
            ("rtCommBarrier", rtCommBarrier as *const ()),
        ];
        let mut addresses: Vec<_> = functions.iter().map(|(_, address)| *address).collect();
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), functions.len(), "two names have one address");
    }
}
