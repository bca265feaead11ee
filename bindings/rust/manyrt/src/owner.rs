// SPDX-License-Identifier: Apache-2.0
//! What every owner of a handle has: an end by `close` or by `drop`, its handle, text for messages, and the right to be used by
//! any thread. A handle is never an address: the library checks it at each call, so that a stale one is an error and no more.

/// Adds the common part to a struct with the fields `handle` and `owned`.
macro_rules! owner {
    ($name:ident$(<$parameter:ident: $bound:path>)?, $raw:ident, $destroy:ident) => {
        impl$(<$parameter: $bound>)? $name$(<$parameter>)? {
            /// The handle, for functions of [`sys`](crate::sys). It stays owned by this object.
            pub fn as_raw(&self) -> manyrt_sys::$raw {
                self.handle
            }

            /// Ends the object now, as `drop` does, and returns what `drop` cannot: a failure. Work in flight completes.
            /// What has ended with its context is closed already, which is no failure. Does not block.
            pub fn close(mut self) -> $crate::Result<()> {
                self.end()
            }

            fn end(&mut self) -> $crate::Result<()> {
                if !std::mem::replace(&mut self.owned, false) {
                    return Ok(());
                }
                match $crate::error::call!($destroy(self.handle)) {
                    Err(error) if error.status() != $crate::Status::INVALID_HANDLE => Err(error),
                    _ => Ok(()),
                }
            }
        }

        impl$(<$parameter: $bound>)? Drop for $name$(<$parameter>)? {
            fn drop(&mut self) {
                let _ = self.end();
            }
        }

        impl$(<$parameter: $bound>)? std::fmt::Debug for $name$(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({:p})"), self.handle)
            }
        }

        // SAFETY: every function of the interface may be called from any thread, and checks the handle.
        unsafe impl$(<$parameter: $bound>)? Send for $name$(<$parameter>)? {}
        // SAFETY: as above.
        unsafe impl$(<$parameter: $bound>)? Sync for $name$(<$parameter>)? {}
    };
}

pub(crate) use owner;
