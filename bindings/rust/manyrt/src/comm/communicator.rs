// SPDX-License-Identifier: Apache-2.0
//! One rank of a communicator: how it is made, what it says, and its failure.

use super::group::outside_group;
use super::operation::Operation;
use super::results::CommInfo;
use super::{comm_call, invalid, read};
use crate::error::label;
use crate::event::nanoseconds;
use crate::{Context, Error, Result, Status, Stream};
use manyrt_sys::comm::{rtCommInfo_t, rtCommOptions_t, rtCommUniqueId_t, rtComm_t, RT_COMM_NO_COLOR};
use std::fmt;
use std::os::raw::c_void;
use std::time::Duration;

/// What a communicator is made with.
#[derive(Debug, Clone, Default)]
pub struct CommOptions {
    /// How long a rank waits for the others; `None`: 5 minutes. [`Duration::MAX`] is for ever.
    pub timeout: Option<Duration>,
    /// For messages; cut to 63 bytes.
    pub label: String,
}

impl CommOptions {
    pub(super) fn raw(&self, operation: &'static str) -> Result<rtCommOptions_t> {
        let timeout_ns = match self.timeout {
            Some(time) if time.is_zero() => {
                return Err(invalid(operation, "The timeout is 0: it has to be above that.".into()));
            }
            Some(time) => nanoseconds(time),
            None => 0,
        };
        Ok(rtCommOptions_t { timeout_ns, label: label(&self.label), ..Default::default() })
    }
}

/// What the ranks of [`Communicator::new`] find each other by: one rank makes it and hands its bytes to the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub [u8; 256]);

impl UniqueId {
    /// Makes an id for one communicator.
    pub fn new() -> Result<UniqueId> {
        let mut raw = rtCommUniqueId_t { bytes: [0; 256] };
        comm_call!(rtCommGetUniqueId(&mut raw))?;
        Ok(UniqueId(raw.bytes))
    }

    pub(super) fn raw(&self) -> rtCommUniqueId_t {
        rtCommUniqueId_t { bytes: self.0 }
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UniqueId(..)")
    }
}

/// The first failure of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of failure.
    pub status: Status,
    /// The rank that the failure is about, if it is about one.
    pub rank: Option<i32>,
    /// A sentence.
    pub message: String,
}

/// One rank of a communicator. Dropping it ends the rank, without waiting: operations in flight go on.
pub struct Communicator {
    handle: rtComm_t,
    owned: bool,
    context: Context,
    rank: i32,
    size: i32,
}

// SAFETY: every function of the interface may be called from any thread, and checks the handle.
unsafe impl Send for Communicator {}
// SAFETY: as above.
unsafe impl Sync for Communicator {}

impl Communicator {
    /// Takes over a handle. If rank or size cannot be asked for, it is destroyed.
    pub(super) fn from_handle(handle: rtComm_t, context: &Context) -> Result<Communicator> {
        let mut made = Communicator { handle, owned: true, context: context.clone(), rank: 0, size: 0 };
        comm_call!(rtCommGetRank(&mut made.rank, handle))?;
        comm_call!(rtCommGetSize(&mut made.size, handle))?;
        Ok(made)
    }

    /// A communicator of contexts of this process, of any devices: rank i works in `contexts[i]`.
    pub fn all(contexts: &[Context], options: &CommOptions) -> Result<Vec<Communicator>> {
        let raw = options.raw("rtCommCreateAll")?;
        let count = u32::try_from(contexts.len())
            .map_err(|_| invalid("rtCommCreateAll", format!("{} contexts are too many.", contexts.len())))?;
        let handles: Vec<_> = contexts.iter().map(Context::as_raw).collect();
        let mut made = vec![std::ptr::null_mut(); contexts.len()];
        comm_call!(rtCommCreateAll(made.as_mut_ptr(), &raw, handles.as_ptr(), count))?;
        made.into_iter().zip(contexts).map(|(handle, context)| Communicator::from_handle(handle, context)).collect()
    }

    /// One rank of a communicator, by an id. Waits for the other ranks, each of which calls it on a thread of its own; a thread
    /// that has several ranks calls [`Group::create`](super::Group::create). Blocks.
    pub fn new(id: &UniqueId, rank: i32, size: i32, context: &Context, options: &CommOptions) -> Result<Communicator> {
        outside_group("rtCommCreate")?;
        let raw = options.raw("rtCommCreate")?;
        let mut handle = std::ptr::null_mut();
        comm_call!(rtCommCreate(&mut handle, &raw, &id.raw(), rank, size, context.as_raw()))?;
        Communicator::from_handle(handle, context)
    }

    /// The rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and WORLD_SIZE. Waits for
    /// the other ranks. Blocks.
    pub fn from_environment(context: &Context, options: &CommOptions) -> Result<Communicator> {
        outside_group("rtCommCreateFromEnvironment")?;
        let raw = options.raw("rtCommCreateFromEnvironment")?;
        let mut handle = std::ptr::null_mut();
        comm_call!(rtCommCreateFromEnvironment(&mut handle, &raw, context.as_raw()))?;
        Communicator::from_handle(handle, context)
    }

    /// The rank that this process has in a communicator of MPI. Waits for the other ranks. Blocks.
    ///
    /// # Safety
    /// `mpi_comm` is null or points to an MPI_Comm of the MPI that the library was built for. MPI goes on as long as the
    /// communicator, as `rt_comm.h` says, and is called on the threads that it allows.
    pub unsafe fn from_mpi(mpi_comm: *const c_void, context: &Context, options: &CommOptions) -> Result<Communicator> {
        outside_group("rtCommCreateFromMpi")?;
        let raw = options.raw("rtCommCreateFromMpi")?;
        let mut handle = std::ptr::null_mut();
        comm_call!(rtCommCreateFromMpi(&mut handle, &raw, mpi_comm, context.as_raw()))?;
        Communicator::from_handle(handle, context)
    }

    /// The rank of a new communicator of all ranks with this color, 0 or above, in the order of key and then of rank; `None` takes
    /// no part. Every rank calls it and waits for the others; a thread that has several calls
    /// [`Group::split`](super::Group::split). Blocks.
    pub fn split(&self, color: Option<i32>, key: i32) -> Result<Option<Communicator>> {
        outside_group("rtCommSplit")?;
        let mut handle = std::ptr::null_mut();
        comm_call!(rtCommSplit(&mut handle, color_of(color)?, key, self.handle))?;
        if handle.is_null() {
            return Ok(None);
        }
        Communicator::from_handle(handle, &self.context).map(Some)
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> i32 {
        self.rank
    }

    /// How many ranks the communicator has.
    pub fn size(&self) -> i32 {
        self.size
    }

    /// The context of the rank.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The handle, for functions of [`sys`](crate::sys). It stays owned by this object.
    pub fn as_raw(&self) -> rtComm_t {
        self.handle
    }

    /// Which engine runs the operations, and how.
    pub fn info(&self) -> Result<CommInfo> {
        let mut raw = rtCommInfo_t::default();
        comm_call!(rtCommGetInfo(&mut raw, self.handle))?;
        Ok(CommInfo::new(&raw))
    }

    /// The communicator's first failure, if it has failed.
    pub fn failure(&self) -> Result<Option<Failure>> {
        let (mut status, mut rank) = (0, -1);
        comm_call!(rtCommGetStatus(&mut status, &mut rank, self.handle))?;
        if status >= 0 {
            return Ok(None);
        }
        let message = read(|buffer, size, needed| {
            // SAFETY: the buffer has `size` bytes.
            unsafe { manyrt_sys::comm::rtCommGetStatusMessage(buffer, size, needed, self.handle) }
        });
        Ok(Some(Failure { status: Status(status), rank: if rank >= 0 { Some(rank) } else { None }, message }))
    }

    /// Fails the communicator on all its ranks with LAUNCH_FAILED, from any thread, and ends their waits.
    pub fn abort(&self) -> Result<()> {
        comm_call!(rtCommAbort(self.handle)).map(drop)
    }

    /// As [`Stream::synchronize`]. Where the communicator has failed, the error is its failure, with its sentence. Blocks.
    pub fn synchronize(&self, stream: &Stream) -> Result<()> {
        stream.synchronize().map_err(|error| match self.failure() {
            Ok(Some(failure)) => Error::new(failure.status, "rtStreamSynchronize", failure.message),
            _ => error,
        })
    }

    /// Submits an operation to a stream of the rank's context, and does not wait. The memory may be dropped: the library keeps it
    /// until the stream has passed the operation.
    pub fn submit(&self, stream: &Stream, operation: Operation<'_>) -> Result<()> {
        outside_group("Communicator::submit")?;
        self.add(stream, &operation)
    }

    pub(super) fn add(&self, stream: &Stream, operation: &Operation<'_>) -> Result<()> {
        operation.submit(self.handle, self.rank as usize, self.size as usize, stream.as_raw())
    }

    /// Ends the rank now, as `drop` does, and returns what `drop` cannot: a failure. Does not block.
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.owned, false) {
            return Ok(());
        }
        comm_call!(rtCommDestroy(self.handle)).map(drop)
    }
}

pub(super) fn color_of(color: Option<i32>) -> Result<i32> {
    match color {
        None => Ok(RT_COMM_NO_COLOR),
        Some(color) if color < 0 => Err(invalid("rtCommSplit", format!("The color is {}: it has to be 0 or above.", color))),
        Some(color) => Ok(color),
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communicator(rank {} of {})", self.rank, self.size)
    }
}
