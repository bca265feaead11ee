// SPDX-License-Identifier: Apache-2.0
//! Communicators: collective operations between contexts, of this process, of processes of one host, and of several hosts. With
//! the feature `comm`; the library is libmanyrt-comm.
//!
//! ```no_run
//! use manyrt::comm::{CommReduction, Communicator, InPlace, Operation};
//! use manyrt::{Context, Device, DeviceBuffer, Stream};
//!
//! # fn main() -> manyrt::Result<()> {
//! let context = Context::new(Device::by_name("cpu")?)?;
//! let stream = Stream::new(&context)?;
//! let ranks = Communicator::from_environment(&context, &Default::default())?;
//! let x = DeviceBuffer::from_slice(&context, &[ranks.rank() as f32, 1.0])?;
//! ranks.submit(&stream, Operation::all_reduce(&x, InPlace, CommReduction::AVERAGE))?;
//! ranks.synchronize(&stream)?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Communicator`] is one rank. An [`Operation`] takes buffers, or parts of them, for `receive` and `send`, and counts all their
//! elements; elements of different types do not compile. [`Communicator::submit`] returns at once. A thread that has several ranks
//! gives each a stream, or submits to a [`Group`].

mod communicator;
#[rustfmt::skip]
mod constants;
mod group;
mod operation;
#[rustfmt::skip]
mod results;

pub use communicator::{CommOptions, Communicator, Failure, UniqueId};
pub use constants::*;
pub use group::Group;
pub use operation::{Bf16, Element, InPlace, NoMemory, Operation, Range, F16};
pub use results::*;

use crate::{Error, Result, Status};
use std::os::raw::c_char;

/// Calls a function of rt_comm.h, and makes a failure an `Error` with the sentence of this thread.
macro_rules! comm_call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: as in call!: handles are checked by the library, and each pointer comes from a reference or an allocation that
        // outlives the call. What outlives the call itself is said where the call is.
        #[allow(unused_unsafe)]
        let status = unsafe { manyrt_sys::comm::$function($($argument),*) };
        $crate::comm::check(stringify!($function), status)
    }};
}
use comm_call;

fn check(operation: &'static str, status: i32) -> Result<Status> {
    if status >= 0 {
        return Ok(Status(status));
    }
    let message = read(|buffer, size, needed| {
        // SAFETY: the buffer has `size` bytes.
        unsafe { manyrt_sys::comm::rtCommGetLastErrorMessage(buffer, size, needed) }
    });
    let status = Status(status);
    Err(Error::new(status, operation, if message.is_empty() { status.meaning() } else { message }))
}

/// The text that a function of the form (char *buffer, size_t size, size_t *needed) writes; empty where it fails.
fn read(mut get: impl FnMut(*mut c_char, usize, *mut usize) -> i32) -> String {
    let mut bytes = Vec::<u8>::new();
    loop {
        let mut needed = 0;
        if get(bytes.as_mut_ptr().cast(), bytes.len(), &mut needed) < 0 {
            return String::new();
        }
        if needed <= bytes.len() {
            return String::from_utf8_lossy(crate::error::until_zero(&bytes)).into_owned();
        }
        bytes.resize(needed, 0);
    }
}

fn invalid(operation: &'static str, message: String) -> Error {
    Error::new(Status::INVALID_VALUE, operation, message)
}
