// SPDX-License-Identifier: Apache-2.0
//! Events, which are points in a stream, and fences, which are numbers that grow and that host and streams wait for.

use crate::constants::Status;
use crate::context::Context;
use crate::error::{call, get};
use crate::owner::owner;
use crate::Result;
use std::os::unix::io::{FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

/// Nanoseconds for the library; more than 584 years are for ever.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(manyrt_sys::RT_TIMEOUT_INFINITE)
}

/// A point in a stream: [`Stream::record`](crate::Stream::record) sets it.
pub struct Event {
    handle: manyrt_sys::rtEvent_t,
    owned: bool,
    _context: Context,
}

owner!(Event, rtEvent_t, rtEventDestroy);

impl Event {
    /// Makes an event with timing.
    pub fn new(context: &Context) -> Result<Event> {
        let handle = get!(rtEventCreate(manyrt_sys::rtEvent_t, ptr::null(), context.as_raw()))?;
        Ok(Event { handle, owned: true, _context: context.clone() })
    }

    /// Makes an event that has no time, which is cheaper.
    pub fn without_timing(context: &Context) -> Result<Event> {
        let flags = manyrt_sys::RT_EVENT_DISABLE_TIMING as u32;
        let options = manyrt_sys::rtEventOptions_t { flags, ..Default::default() };
        let handle = get!(rtEventCreate(manyrt_sys::rtEvent_t, &options, context.as_raw()))?;
        Ok(Event { handle, owned: true, _context: context.clone() })
    }

    /// Takes over an event of another library; closing it only detaches it.
    ///
    /// # Safety
    /// `native` is an event of the context's driver, as [`Event::native`] gives it, and stays alive as long as this event.
    pub unsafe fn from_native(native: [u64; 2], context: &Context) -> Result<Event> {
        let handle = get!(rtEventImport(manyrt_sys::rtEvent_t, native.as_ptr(), context.as_raw()))?;
        Ok(Event { handle, owned: true, _context: context.clone() })
    }

    /// Whether the work before the last record is complete; true if there was no record. An error is the failure of that work.
    pub fn is_complete(&self) -> Result<bool> {
        call!(rtEventQuery(self.handle)).map(|status| status == Status::SUCCESS)
    }

    /// Waits for the last record. Blocks.
    pub fn synchronize(&self) -> Result<()> {
        call!(rtEventSynchronize(self.handle)).map(drop)
    }

    /// Waits for the last record; the error TIMEOUT if `limit` passes first. Blocks.
    pub fn synchronize_for(&self, limit: Duration) -> Result<()> {
        call!(rtEventSynchronizeFor(nanoseconds(limit), self.handle)).map(drop)
    }

    /// Device time from `start` to this event in nanoseconds, negative if this came first; `None` while one is pending.
    pub fn nanoseconds_since(&self, start: &Event) -> Result<Option<i64>> {
        let mut time = 0;
        let status = call!(rtEventElapsedNanoseconds(&mut time, start.handle, self.handle))?;
        Ok(if status == Status::SUCCESS { Some(time) } else { None })
    }

    /// As [`Event::nanoseconds_since`], in milliseconds.
    pub fn milliseconds_since(&self, start: &Event) -> Result<Option<f32>> {
        let mut time = 0.0;
        let status = call!(rtEventElapsedTime(&mut time, start.handle, self.handle))?;
        Ok(if status == Status::SUCCESS { Some(time) } else { None })
    }

    /// When the stream passed the last record, in nanoseconds of CLOCK_MONOTONIC, and how far from it the true time may be;
    /// `None` while the record is pending. May look at the device's clock for up to 0.2 s.
    pub fn timestamp(&self) -> Result<Option<(u64, u64)>> {
        let (mut time, mut error) = (0, 0);
        let status = call!(rtEventGetTimestamp(&mut time, &mut error, self.handle))?;
        Ok(if status == Status::SUCCESS { Some((time, error)) } else { None })
    }

    /// A descriptor that can be read once the last record is reached, for event loops; a read before is
    /// WouldBlock. A later record does not change it.
    pub fn descriptor(&self) -> Result<OwnedFd> {
        let descriptor = get!(rtEventGetDescriptor(i32, self.handle))?;
        // SAFETY: the call gave a descriptor that is the caller's to close.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// The driver's own object: CUDA cudaEvent_t, OpenCL cl_event. Valid until the event ends or is recorded again.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtEventGetNative(native.as_mut_ptr(), self.handle)).map(|_| native)
    }
}

/// A 64-bit number that only grows. The host and streams of any context raise it and wait for it, in any order.
pub struct Fence {
    handle: manyrt_sys::rtFence_t,
    owned: bool,
    _context: Context,
}

owner!(Fence, rtFence_t, rtFenceDestroy);

impl Fence {
    /// Makes a fence with its first value.
    pub fn new(context: &Context, value: u64) -> Result<Fence> {
        let handle = get!(rtFenceCreate(manyrt_sys::rtFence_t, value, context.as_raw()))?;
        Ok(Fence { handle, owned: true, _context: context.clone() })
    }

    /// The present value.
    pub fn value(&self) -> Result<u64> {
        get!(rtFenceGetValue(u64, self.handle))
    }

    /// Raises the fence; a value below the present one is refused.
    pub fn signal(&self, value: u64) -> Result<()> {
        call!(rtFenceSignal(value, self.handle)).map(drop)
    }

    /// Waits until the fence has reached `value`. Blocks.
    pub fn wait(&self, value: u64) -> Result<()> {
        call!(rtFenceWait(value, self.handle)).map(drop)
    }

    /// Waits until the fence has reached `value`; the error TIMEOUT if `limit` passes first. Blocks.
    pub fn wait_for(&self, limit: Duration, value: u64) -> Result<()> {
        call!(rtFenceWaitFor(nanoseconds(limit), value, self.handle)).map(drop)
    }
}
