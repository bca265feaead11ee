// Made by bindings/rust/generate.py from bindings/rt_comm.json; not to be edited. SPDX-License-Identifier: Apache-2.0
//! What the library says about communicators, as Rust values.

use crate::comm::constants::*;
use crate::error::text;

/// Result of rtCommGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommInfo {
    /// RT\_COMM\_ENGINE\_\*
    pub engine: CommEngine,
    /// RT\_COMM\_TRANSPORT\_\*, of this rank's memory
    pub transport: CommTransport,
    /// of this handle
    pub rank: i32,
    /// ranks of the communicator
    pub size: i32,
    /// of these in this process, when the communicator was made
    pub local_size: i32,
    /// "in\_process", "shared\_memory", "mpi", "nccl"
    pub engine_name: String,
    /// of NCCL or MPI in its own words, else of this library
    pub engine_version: String,
    /// "host\_memory", "device\_copies", "shared\_memory", "mpi", "mpi\_staged", "mpi\_device", "nccl"
    pub transport_name: String,
    /// where this process has its ranks on CUDA: why NCCL does not run them, a sentence; else empty
    pub reason: String,
}

impl CommInfo {
    pub(crate) fn new(raw: &manyrt_sys::comm::rtCommInfo_t) -> Self {
        CommInfo {
            engine: CommEngine(raw.engine),
            transport: CommTransport(raw.transport),
            rank: raw.rank,
            size: raw.size,
            local_size: raw.local_size,
            engine_name: text(&raw.engine_name),
            engine_version: text(&raw.engine_version),
            transport_name: text(&raw.transport_name),
            reason: text(&raw.reason),
        }
    }
}
