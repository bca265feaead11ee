// SPDX-License-Identifier: Apache-2.0
//! Contexts, which own the streams, memory and modules of a device.

use crate::constants::WaitPolicy;
use crate::device::{Device, MemoryInfo};
use crate::error::{call, get, get_struct, label};
use crate::memory::kind::Device as DeviceKind;
use crate::pool::Pool;
use crate::results::ContextStats;
use crate::stream::Stream;
use crate::{Result, Status};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// What a context is made with. The default is what [`Context::new`] takes.
#[derive(Debug, Clone)]
pub struct ContextOptions {
    /// How a thread waits in a call that blocks.
    pub wait_policy: WaitPolicy,
    /// CPU: threads that run kernels; 0: as many as the device has.
    pub cpu_threads: u32,
    /// Kernels take addresses inside live memory of the library that the device reaches, and no others.
    pub strict: bool,
    /// For messages and traces; cut to 63 bytes.
    pub label: String,
}

impl Default for ContextOptions {
    fn default() -> Self {
        ContextOptions { wait_policy: WaitPolicy::DEFAULT, cpu_threads: 0, strict: false, label: String::new() }
    }
}

struct Inner {
    handle: manyrt_sys::rtContext_t,
    owned: AtomicBool,
}

impl Inner {
    fn end(&self) -> Result<()> {
        if !self.owned.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        match call!(rtContextDestroy(self.handle)) {
            Err(error) if error.status() != Status::INVALID_HANDLE => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A context of a device. A clone is the same context; it ends with the last clone and the last object made in it, or at once
/// with [`Context::close`].
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

// SAFETY: a handle that the library checks at each call, from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Context {
    fn from_handle(handle: manyrt_sys::rtContext_t, owned: bool) -> Context {
        Context { inner: Arc::new(Inner { handle, owned: AtomicBool::new(owned) }) }
    }

    /// Makes a context with the defaults.
    pub fn new(device: Device) -> Result<Context> {
        Ok(Context::from_handle(get!(rtContextCreate(manyrt_sys::rtContext_t, ptr::null(), device.handle))?, true))
    }

    /// Makes a context.
    pub fn with_options(device: Device, options: &ContextOptions) -> Result<Context> {
        let raw = manyrt_sys::rtContextOptions_t {
            wait_policy: options.wait_policy.0,
            cpu_threads: options.cpu_threads,
            flags: if options.strict { manyrt_sys::RT_CONTEXT_STRICT as u32 } else { 0 },
            label: label(&options.label),
            ..Default::default()
        };
        Ok(Context::from_handle(get!(rtContextCreate(manyrt_sys::rtContext_t, &raw, device.handle))?, true))
    }

    /// The primary context of a device: one for all callers, which lives until [`shutdown`](crate::shutdown).
    pub fn primary(device: Device) -> Result<Context> {
        Ok(Context::from_handle(get!(rtContextGetPrimary(manyrt_sys::rtContext_t, device.handle))?, false))
    }

    /// The context that is current on this thread, if one was made so. It is borrowed: dropping the result ends nothing.
    pub fn current() -> Result<Option<Context>> {
        let handle = get!(rtContextGetCurrent(manyrt_sys::rtContext_t))?;
        Ok(if handle.is_null() { None } else { Some(Context::from_handle(handle, false)) })
    }

    /// Takes over a context of another library; closing it only detaches it.
    ///
    /// # Safety
    /// `native` is a context of the device's driver, as [`Context::native`] gives it, and stays alive as long as this context.
    pub unsafe fn from_native(native: [u64; 2], device: Device) -> Result<Context> {
        Ok(Context::from_handle(get!(rtContextImport(manyrt_sys::rtContext_t, native.as_ptr(), device.handle))?, true))
    }

    /// The handle, for functions of [`sys`](crate::sys).
    pub fn as_raw(&self) -> manyrt_sys::rtContext_t {
        self.inner.handle
    }

    /// Ends the context now, for all clones: work in flight completes, objects of it are refused from here on, and memory stays
    /// until it is dropped. A primary or current context that was borrowed is let go. Does not block.
    pub fn close(self) -> Result<()> {
        self.inner.end()
    }

    /// The device of the context.
    pub fn device(&self) -> Result<Device> {
        Ok(Device { handle: get!(rtContextGetDevice(manyrt_sys::rtDevice_t, self.as_raw()))? })
    }

    /// The stream that the context has from the beginning. Other streams have no order towards it.
    pub fn default_stream(&self) -> Result<Stream> {
        let handle = get!(rtContextGetDefaultStream(manyrt_sys::rtStream_t, self.as_raw()))?;
        Ok(Stream::from_handle(handle, false, self.clone()))
    }

    /// The pool that allocations without a pool of their own use.
    pub fn default_pool(&self) -> Result<Pool> {
        let handle = get!(rtContextGetDefaultPool(manyrt_sys::rtMemPool_t, self.as_raw()))?;
        Ok(Pool::<DeviceKind>::from_handle(handle, false, self.clone()))
    }

    /// Counts of the streams, events and points of the context.
    pub fn stats(&self) -> Result<ContextStats> {
        get_struct!(rtContextGetStats(rtContextStats_t, self.as_raw())).map(|raw| ContextStats::new(&raw))
    }

    /// Makes a pool the one that allocations without a pool of their own use. When it ends, the context's own is used again.
    pub fn set_default_pool(&self, pool: &Pool) -> Result<()> {
        call!(rtContextSetDefaultPool(pool.as_raw(), self.as_raw())).map(drop)
    }

    /// Waits for all work submitted to the context's streams before the call. Returns the first failure and clears none.
    /// Blocks.
    pub fn synchronize(&self) -> Result<()> {
        call!(rtContextSynchronize(self.as_raw())).map(drop)
    }

    /// Gives back all that the context has made at its first use; the next use makes it again. BUSY while an object of it
    /// lives.
    pub fn reset(&self) -> Result<()> {
        call!(rtContextReset(self.as_raw())).map(drop)
    }

    /// Lets kernels of this context use memory of `peer`. Copies do not need it.
    pub fn enable_peer_access(&self, peer: &Context) -> Result<()> {
        call!(rtContextEnablePeerAccess(peer.as_raw(), self.as_raw())).map(drop)
    }

    /// The memory of the device; what the context's pools have and do not use counts as free.
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        let (mut free, mut total) = (0, 0);
        call!(rtMemGetInfo(&mut free, &mut total, self.as_raw()))?;
        Ok(MemoryInfo { free, total })
    }

    /// Makes this the current context of the thread until the guard is dropped. The crate itself names a context in each call
    /// and does not need it; C functions called with a null context do.
    pub fn enter(&self) -> Result<CurrentContext> {
        let previous = get!(rtContextGetCurrent(manyrt_sys::rtContext_t))?;
        call!(rtContextSetCurrent(self.as_raw()))?;
        Ok(CurrentContext { previous, _entered: self.clone(), _thread: PhantomData })
    }

    /// The driver's own object: CUDA CUcontext, OpenCL cl_context. Valid until the context ends.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtContextGetNative(native.as_mut_ptr(), self.as_raw())).map(|_| native)
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        self.as_raw() == other.as_raw()
    }
}

impl Eq for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({:p})", self.as_raw())
    }
}

/// A context is current on this thread as long as this lives; then the earlier one is again. It keeps the context alive.
#[derive(Debug)]
pub struct CurrentContext {
    previous: manyrt_sys::rtContext_t,
    _entered: Context,
    // The current context is a property of the thread: the guard must end on the same one.
    _thread: PhantomData<*const ()>,
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        if call!(rtContextSetCurrent(self.previous)).is_err() {
            // The earlier context has ended meanwhile: none is current then.
            let _ = call!(rtContextSetCurrent(ptr::null_mut()));
        }
    }
}
