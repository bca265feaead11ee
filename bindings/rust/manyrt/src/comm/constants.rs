// Made by bindings/rust/generate.py from bindings/rt_comm.json; not to be edited. SPDX-License-Identifier: Apache-2.0
//! The enumerations of the interface as types. A newer library may give values that have no name here.

use std::fmt;

/// Types of elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CommType(pub i32);

impl CommType {
    /// RT\_COMM\_I8.
    pub const I8: CommType = CommType(manyrt_sys::comm::RT_COMM_I8);
    /// RT\_COMM\_U8.
    pub const U8: CommType = CommType(manyrt_sys::comm::RT_COMM_U8);
    /// RT\_COMM\_I16.
    pub const I16: CommType = CommType(manyrt_sys::comm::RT_COMM_I16);
    /// RT\_COMM\_U16.
    pub const U16: CommType = CommType(manyrt_sys::comm::RT_COMM_U16);
    /// RT\_COMM\_I32.
    pub const I32: CommType = CommType(manyrt_sys::comm::RT_COMM_I32);
    /// RT\_COMM\_U32.
    pub const U32: CommType = CommType(manyrt_sys::comm::RT_COMM_U32);
    /// RT\_COMM\_I64.
    pub const I64: CommType = CommType(manyrt_sys::comm::RT_COMM_I64);
    /// RT\_COMM\_U64.
    pub const U64: CommType = CommType(manyrt_sys::comm::RT_COMM_U64);
    /// RT\_COMM\_F16.
    pub const F16: CommType = CommType(manyrt_sys::comm::RT_COMM_F16);
    /// RT\_COMM\_BF16.
    pub const BF16: CommType = CommType(manyrt_sys::comm::RT_COMM_BF16);
    /// RT\_COMM\_F32.
    pub const F32: CommType = CommType(manyrt_sys::comm::RT_COMM_F32);
    /// RT\_COMM\_F64.
    pub const F64: CommType = CommType(manyrt_sys::comm::RT_COMM_F64);
}

impl fmt::Debug for CommType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CommType::I8 => f.write_str("I8"),
            CommType::U8 => f.write_str("U8"),
            CommType::I16 => f.write_str("I16"),
            CommType::U16 => f.write_str("U16"),
            CommType::I32 => f.write_str("I32"),
            CommType::U32 => f.write_str("U32"),
            CommType::I64 => f.write_str("I64"),
            CommType::U64 => f.write_str("U64"),
            CommType::F16 => f.write_str("F16"),
            CommType::BF16 => f.write_str("BF16"),
            CommType::F32 => f.write_str("F32"),
            CommType::F64 => f.write_str("F64"),
            CommType(other) => write!(f, "CommType({})", other),
        }
    }
}

/// How elements of several ranks become one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CommReduction(pub i32);

impl CommReduction {
    /// RT\_COMM\_SUM.
    pub const SUM: CommReduction = CommReduction(manyrt_sys::comm::RT_COMM_SUM);
    /// RT\_COMM\_PRODUCT.
    pub const PRODUCT: CommReduction = CommReduction(manyrt_sys::comm::RT_COMM_PRODUCT);
    /// RT\_COMM\_MINIMUM.
    pub const MINIMUM: CommReduction = CommReduction(manyrt_sys::comm::RT_COMM_MINIMUM);
    /// RT\_COMM\_MAXIMUM.
    pub const MAXIMUM: CommReduction = CommReduction(manyrt_sys::comm::RT_COMM_MAXIMUM);
    /// RT\_COMM\_AVERAGE.
    pub const AVERAGE: CommReduction = CommReduction(manyrt_sys::comm::RT_COMM_AVERAGE);
}

impl fmt::Debug for CommReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CommReduction::SUM => f.write_str("SUM"),
            CommReduction::PRODUCT => f.write_str("PRODUCT"),
            CommReduction::MINIMUM => f.write_str("MINIMUM"),
            CommReduction::MAXIMUM => f.write_str("MAXIMUM"),
            CommReduction::AVERAGE => f.write_str("AVERAGE"),
            CommReduction(other) => write!(f, "CommReduction({})", other),
        }
    }
}

/// The engine that runs the operations of a communicator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CommEngine(pub i32);

impl CommEngine {
    /// copies and kernels of this library, among ranks of one process
    pub const IN_PROCESS: CommEngine = CommEngine(manyrt_sys::comm::RT_COMM_ENGINE_IN_PROCESS);
    /// memory that processes of one host share
    pub const SHARED_MEMORY: CommEngine = CommEngine(manyrt_sys::comm::RT_COMM_ENGINE_SHARED_MEMORY);
    /// messages of MPI
    pub const MPI: CommEngine = CommEngine(manyrt_sys::comm::RT_COMM_ENGINE_MPI);
    /// NCCL, with a CUDA device for each rank
    pub const NCCL: CommEngine = CommEngine(manyrt_sys::comm::RT_COMM_ENGINE_NCCL);
}

impl fmt::Debug for CommEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CommEngine::IN_PROCESS => f.write_str("IN_PROCESS"),
            CommEngine::SHARED_MEMORY => f.write_str("SHARED_MEMORY"),
            CommEngine::MPI => f.write_str("MPI"),
            CommEngine::NCCL => f.write_str("NCCL"),
            CommEngine(other) => write!(f, "CommEngine({})", other),
        }
    }
}

/// How the elements of a rank go to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CommTransport(pub i32);

impl CommTransport {
    /// ranks read each other's host memory, in one process
    pub const HOST_MEMORY: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_HOST_MEMORY);
    /// copies between contexts of one process, through the host where no peer is reached
    pub const DEVICE_COPIES: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_DEVICE_COPIES);
    /// the memory that processes share; of a device through the host
    pub const SHARED_MEMORY: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_SHARED_MEMORY);
    /// MPI takes the host memory of this rank
    pub const MPI: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_MPI);
    /// MPI takes copies on the host of this rank's device memory
    pub const MPI_STAGED: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_MPI_STAGED);
    /// MPI takes this rank's device memory, as it says that it can
    pub const MPI_DEVICE: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_MPI_DEVICE);
    /// what NCCL chooses: NVLink, PCIe, shared memory, the network
    pub const NCCL: CommTransport = CommTransport(manyrt_sys::comm::RT_COMM_TRANSPORT_NCCL);
}

impl fmt::Debug for CommTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CommTransport::HOST_MEMORY => f.write_str("HOST_MEMORY"),
            CommTransport::DEVICE_COPIES => f.write_str("DEVICE_COPIES"),
            CommTransport::SHARED_MEMORY => f.write_str("SHARED_MEMORY"),
            CommTransport::MPI => f.write_str("MPI"),
            CommTransport::MPI_STAGED => f.write_str("MPI_STAGED"),
            CommTransport::MPI_DEVICE => f.write_str("MPI_DEVICE"),
            CommTransport::NCCL => f.write_str("NCCL"),
            CommTransport(other) => write!(f, "CommTransport({})", other),
        }
    }
}
