// SPDX-License-Identifier: Apache-2.0
//! Failures of calls, with the sentence that the library has about them, and the passing of text across the C interface.

use crate::constants::Status;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;

/// A call that failed: its status, the name of the C function, and a sentence with the particulars.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    status: Status,
    operation: &'static str,
    message: String,
}

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, operation: &'static str, message: impl Into<String>) -> Self {
        Error { status, operation, message: message.into() }
    }

    /// The kind of failure.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The name of the status, such as `RT_ERROR_OUT_OF_MEMORY`.
    pub fn name(&self) -> String {
        status_text(self.status, |status| call_text!(rtGetErrorName(status)))
    }

    /// The C function that failed, or the one that the crate would have called with what it refused.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// What was asked, the limit that it met, the words of the driver; of a failed build the compiler's log.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Status {
    /// The general meaning of the status; `Error::message` has the particulars of one failure.
    pub fn meaning(self) -> String {
        status_text(self, |status| call_text!(rtGetErrorString(status)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Sentences of the library begin with the name of the function, those of the crate do not.
        if !self.message.starts_with(self.operation) {
            write!(f, "{}: ", self.operation)?;
        }
        write!(f, "{} ({})", self.message, self.name())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({})", self)
    }
}

impl std::error::Error for Error {}

fn status_text(status: Status, get: impl Fn(i32) -> *const c_char) -> String {
    // SAFETY: the library returns a static, terminated text for every number.
    unsafe { CStr::from_ptr(get(status.0)) }.to_string_lossy().into_owned()
}

/// Calls a function of the C interface, and makes a failure an `Error` with the sentence of this thread.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: handles are checked by the library; each pointer comes from a reference or an allocation that outlives the
        // call, with the number of elements that is passed beside it. Where a call asks for more, its function is unsafe.
        #[allow(unused_unsafe)]
        let status = unsafe { manyrt_sys::$function($($argument),*) };
        $crate::error::check(stringify!($function), status)
    }};
}

/// Calls a function that returns a static text.
macro_rules! call_text {
    ($function:ident($argument:expr)) => {
        // SAFETY: the function takes every number.
        unsafe { manyrt_sys::$function($argument) }
    };
}

/// Calls a function with an output of a type that begins as zeros, and returns that output.
macro_rules! get {
    ($function:ident($kind:ty $(, $argument:expr)* $(,)?)) => {{
        // SAFETY: zeros are a value of each number, handle and address that the interface returns.
        #[allow(unused_unsafe)]
        let mut value: $kind = unsafe { std::mem::zeroed() };
        $crate::error::call!($function(&mut value $(, $argument)*)).map(|_| value)
    }};
}

/// Calls a function that fills a struct with a size in front.
macro_rules! get_struct {
    ($function:ident($kind:ident $(, $argument:expr)* $(,)?)) => {{
        let mut value = manyrt_sys::$kind::default();
        $crate::error::call!($function(&mut value $(, $argument)*)).map(|_| value)
    }};
}

/// Calls a function of the form (char *buffer, size_t size, size_t *needed, ...) and returns the whole text.
macro_rules! get_text {
    ($function:ident($($argument:expr),*)) => {
        $crate::error::read_text(|buffer, size, needed| {
            $crate::error::call!($function(buffer.cast(), size, needed $(, $argument)*))
        })
        .map(|bytes| String::from_utf8_lossy($crate::error::until_zero(&bytes)).into_owned())
    };
}

pub(crate) use {call, call_text, get, get_struct, get_text};

/// Success and NOT_READY are no failures.
pub(crate) fn check(operation: &'static str, status: i32) -> Result<Status> {
    if status >= 0 {
        return Ok(Status(status));
    }
    let status = Status(status);
    // Timeouts leave no sentence: the one of the thread is about an earlier call.
    let message = if status == Status::TIMEOUT { String::new() } else { last_message() };
    let message = if message.is_empty() { status.meaning() } else { message };
    Err(Error { status, operation, message })
}

fn last_message() -> String {
    let mut needed = 0;
    // SAFETY: a buffer of 0 bytes may be null.
    if unsafe { manyrt_sys::rtGetLastErrorMessage(std::ptr::null_mut(), 0, &mut needed) } < 0 {
        return String::new();
    }
    let mut bytes = vec![0u8; needed];
    // SAFETY: the buffer has the bytes that are passed.
    if unsafe { manyrt_sys::rtGetLastErrorMessage(bytes.as_mut_ptr().cast(), needed, &mut needed) } < 0 {
        return String::new();
    }
    String::from_utf8_lossy(until_zero(&bytes)).into_owned()
}

/// Asks for the size, then for the bytes. What grew in between is asked for again.
pub(crate) fn read_text(mut read: impl FnMut(*mut u8, usize, &mut usize) -> Result<Status>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut needed = 0;
        read(bytes.as_mut_ptr(), bytes.len(), &mut needed)?;
        if needed <= bytes.len() {
            bytes.truncate(needed);
            return Ok(bytes);
        }
        bytes.resize(needed, 0);
    }
}

pub(crate) fn until_zero(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())]
}

/// The text in an array of a result.
pub(crate) fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    String::from_utf8_lossy(until_zero(&bytes)).into_owned()
}

/// A label of an options struct, cut to what fits with its terminator.
pub(crate) fn label<const N: usize>(label: &str) -> [c_char; N] {
    let mut result = [0; N];
    let mut end = label.len().min(N - 1);
    while !label.is_char_boundary(end) {
        end -= 1;
    }
    for (to, from) in result.iter_mut().zip(label[..end].bytes()) {
        *to = from as c_char;
    }
    result
}

/// Text for the library. A zero byte inside is refused, because C would read the text up to there.
pub(crate) fn c_string(operation: &'static str, what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        let message = format!("The {} has a zero byte at {}.", what, error.nul_position());
        Error::new(Status::INVALID_VALUE, operation, message)
    })
}
