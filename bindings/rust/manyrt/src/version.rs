// SPDX-License-Identifier: Apache-2.0
//! The versions of the crate and of the library, and whether they go together. Starting and ending the library.

use crate::error::{call, get};
use crate::{Error, Result, Status};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A version of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Grows with changes that break programs.
    pub major: u32,
    /// Grows with additions.
    pub minor: u32,
    /// Grows with corrections.
    pub patch: u32,
}

impl Version {
    /// The version whose interface the crate was made from.
    pub const CRATE: Version = Version {
        major: manyrt_sys::MANYRT_VERSION_MAJOR,
        minor: manyrt_sys::MANYRT_VERSION_MINOR,
        patch: manyrt_sys::MANYRT_VERSION_PATCH,
    };

    /// The version of the library that the program has loaded.
    pub fn library() -> Result<Version> {
        let number = get!(rtGetVersion(u32))?;
        Ok(Version { major: number / 10_000, minor: number / 100 % 100, patch: number % 100 })
    }

    /// Tells whether a library of this version has what the crate calls: the same major version, and not an older minor one.
    /// The crate asks at the first use of a device.
    pub fn check(self) -> Result<()> {
        let crate_version = Version::CRATE;
        let reason = if self.major != crate_version.major {
            "another major version"
        } else if self.minor < crate_version.minor {
            "too old"
        } else {
            return Ok(());
        };
        let message = format!(
            "libmanyrt is {}, which is {} for the crate manyrt {}: install Debian's package libmanyrt{} {}.{} or later.",
            self, reason, crate_version, crate_version.major, crate_version.major, crate_version.minor
        );
        Err(Error::new(Status::NOT_SUPPORTED, "rtGetVersion", message))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Asks once; a library that does not fit is asked again, so that each call fails with the sentence.
pub(crate) fn check_library() -> Result<()> {
    static FITS: AtomicBool = AtomicBool::new(false);
    if !FITS.load(Ordering::Relaxed) {
        Version::library()?.check()?;
        FITS.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Starts the library and counts a reference. Optional: the first use starts it, too, without a reference.
pub fn init() -> Result<()> {
    check_library()?;
    call!(rtInit()).map(drop)
}

/// Gives back one [`init`]. With the last one, or if there was none, the library refuses new work, waits for work in flight and
/// ends for good; objects may still be dropped. Blocks.
pub fn shutdown() -> Result<()> {
    call!(rtShutdown()).map(drop)
}

/// How many objects of a kind the program has made and not closed, for leak checks.
pub fn live_handle_count(kind: crate::HandleKind) -> Result<u64> {
    get!(rtGetLiveHandleCount(u64, kind.0))
}
