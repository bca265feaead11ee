// SPDX-License-Identifier: Apache-2.0
//! Groups: what one thread submits for several ranks, or what sends and receives at the same time.
//!
//! The operations of a group are submitted by its end, so that their memory and streams have to be there until then: the group
//! borrows them. A group that is forgotten is never submitted. Groups do not nest here, because the end of an inner one submits
//! nothing.

use super::communicator::{color_of, CommOptions, Communicator, UniqueId};
use super::operation::Operation;
use super::{comm_call, invalid};
use crate::{Context, Result, Stream};
use manyrt_sys::comm::rtComm_t;
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static OPEN: Cell<bool> = Cell::new(false);
}

/// Within a group a call would write, or read memory, after it has returned.
pub(super) fn outside_group(operation: &'static str) -> Result<()> {
    if OPEN.with(Cell::get) {
        return Err(invalid(operation, "This thread has an open Group: the call is one of the group's.".into()));
    }
    Ok(())
}

struct Pending {
    handle: Box<rtComm_t>,
    context: Context,
}

/// A group of this thread. Operations are checked at once and submitted by [`Group::end`], those of one rank and stream as one.
/// Dropped without that, it submits nothing.
pub struct Group<'a> {
    open: bool,
    pending: Vec<Pending>,
    _memory: PhantomData<&'a ()>,
    // A group is a property of its thread.
    _thread: PhantomData<*const ()>,
}

impl<'a> Group<'a> {
    /// Begins a group. A thread has one at a time.
    pub fn begin() -> Result<Group<'a>> {
        outside_group("rtCommGroupBegin")?;
        comm_call!(rtCommGroupBegin())?;
        OPEN.with(|open| open.set(true));
        Ok(Group { open: true, pending: Vec::new(), _memory: PhantomData, _thread: PhantomData })
    }

    /// Adds an operation of a rank, in the order of a stream.
    pub fn submit(&mut self, comm: &'a Communicator, stream: &'a Stream, operation: Operation<'a>) -> Result<()> {
        comm.add(stream, &operation)
    }

    /// As [`Communicator::new`]; the rank is among those of [`Group::end`].
    pub fn create(&mut self, id: &UniqueId, rank: i32, size: i32, context: &'a Context, options: &CommOptions) -> Result<()> {
        let raw = options.raw("rtCommCreate")?;
        let mut handle = Box::new(std::ptr::null_mut());
        comm_call!(rtCommCreate(&mut *handle, &raw, &id.raw(), rank, size, context.as_raw()))?;
        self.pending.push(Pending { handle, context: context.clone() });
        Ok(())
    }

    /// As [`Communicator::split`]; the rank is among those of [`Group::end`].
    pub fn split(&mut self, parent: &'a Communicator, color: Option<i32>, key: i32) -> Result<()> {
        let color = color_of(color)?;
        let mut handle = Box::new(std::ptr::null_mut());
        comm_call!(rtCommSplit(&mut *handle, color, key, parent.as_raw()))?;
        self.pending.push(Pending { handle, context: parent.context().clone() });
        Ok(())
    }

    /// Submits the operations, and waits for the ranks that are made: it returns these in the order of the calls, `None` for a split
    /// without a color. After a failure of a call in the group nothing is submitted, and that failure is returned.
    pub fn end(mut self) -> Result<Vec<Option<Communicator>>> {
        let result = self.close();
        let mut made = Vec::new();
        for rank in std::mem::take(&mut self.pending) {
            // Also after a failure of others: what was made is destroyed with the vector then.
            made.push(match *rank.handle {
                handle if handle.is_null() => Ok(None),
                handle => Communicator::from_handle(handle, &rank.context).map(Some),
            });
        }
        result?;
        made.into_iter().collect()
    }

    fn close(&mut self) -> Result<()> {
        self.open = false;
        OPEN.with(|open| open.set(false));
        comm_call!(rtCommGroupEnd()).map(drop)
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        // A refused call, after which nothing of the group is submitted.
        let _ = comm_call!(rtCommBarrier(std::ptr::null_mut(), std::ptr::null_mut()));
        let _ = self.close();
        for rank in &self.pending {
            let _ = comm_call!(rtCommDestroy(*rank.handle));
        }
    }
}

impl std::fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Group(..)")
    }
}
