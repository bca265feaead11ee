// SPDX-License-Identifier: Apache-2.0
//! Pools, where allocations come from.

use crate::callback::OutOfMemoryFunction;
use crate::context::Context;
use crate::error::{call, get, get_struct, get_text, label};
use crate::memory::kind::{self, Kind};
use crate::memory::{alignment_of, byte_size, Buffer, Pod};
use crate::owner::owner;
use crate::results::MemPoolStats;
use crate::stream::Stream;
use crate::Result;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// What a pool is made with. The default has no limit and reserves nothing.
#[derive(Debug, Clone, Default)]
pub struct PoolOptions {
    /// Bytes reserved at once.
    pub initial_bytes: u64,
    /// Hard limit in bytes; 0: none.
    pub maximum_bytes: u64,
    /// Unused bytes kept when streams are synchronised; above, they go back to the driver.
    pub release_threshold: u64,
    /// For messages and traces; cut to 63 bytes.
    pub label: String,
}

/// A pool of memory of kind `K`. Allocations outlive it.
pub struct Pool<K: Kind = kind::Device> {
    handle: manyrt_sys::rtMemPool_t,
    owned: bool,
    context: Context,
    out_of_memory: Mutex<OutOfMemoryFunction>,
    _kind: PhantomData<K>,
}

owner!(Pool<K: Kind>, rtMemPool_t, rtMemPoolDestroy);

impl<K: Kind> Pool<K> {
    pub(crate) fn from_handle(handle: manyrt_sys::rtMemPool_t, owned: bool, context: Context) -> Self {
        Pool { handle, owned, context, out_of_memory: Mutex::default(), _kind: PhantomData }
    }

    /// Makes a pool.
    pub fn new(context: &Context, options: &PoolOptions) -> Result<Self> {
        let raw = manyrt_sys::rtMemPoolOptions_t {
            kind: K::KIND.0,
            initial_bytes: options.initial_bytes,
            maximum_bytes: options.maximum_bytes,
            release_threshold: options.release_threshold,
            label: label(&options.label),
            ..Default::default()
        };
        let handle = get!(rtMemPoolCreate(manyrt_sys::rtMemPool_t, &raw, context.as_raw()))?;
        Ok(Self::from_handle(handle, true, context.clone()))
    }

    /// Allocates `len` elements in the order of a stream; their contents are undefined. An alignment of 0 is 256 bytes; it is
    /// at least that of the type.
    pub fn allocate<T: Pod>(&self, len: usize, alignment: usize, stream: &Stream) -> Result<Buffer<T, K>> {
        let bytes = byte_size::<T>("rtMallocFromPool", len)?;
        let pointer = get!(rtMallocFromPool(*mut c_void, bytes, alignment_of::<T>(alignment as u64) as usize, stream.as_raw(), self.handle))?;
        Ok(Buffer::from_pointer(pointer, len, &self.context))
    }

    /// Gives unused memory above `keep_bytes` back to the driver.
    pub fn trim(&self, keep_bytes: u64) -> Result<()> {
        call!(rtMemPoolTrim(keep_bytes, self.handle)).map(drop)
    }

    /// Limits the bytes that the pool takes from the driver; 0: no limit.
    pub fn set_limit(&self, bytes: u64) -> Result<()> {
        call!(rtMemPoolSetLimit(bytes, self.handle)).map(drop)
    }

    /// Sets how many unused bytes the pool keeps when streams are synchronised.
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        call!(rtMemPoolSetReleaseThreshold(bytes, self.handle)).map(drop)
    }

    /// While on, what any thread allocates from the pool keeps its address, freed or not, as long as a graph may name it.
    pub fn set_pin_mode(&self, on: bool) -> Result<()> {
        call!(rtMemPoolSetPinMode(i32::from(on), self.handle)).map(drop)
    }

    /// The statistics of the pool.
    pub fn stats(&self) -> Result<MemPoolStats> {
        get_struct!(rtMemPoolGetStats(rtMemPoolStats_t, self.handle)).map(|raw| MemPoolStats::new(&raw))
    }

    /// Sets the peaks of the statistics to the present values.
    pub fn reset_peak(&self) -> Result<()> {
        call!(rtMemPoolResetPeak(self.handle)).map(drop)
    }

    /// Blocks and statistics of the pool as JSON.
    pub fn to_json(&self) -> Result<String> {
        get_text!(rtMemPoolDumpJson(self.handle))
    }

    /// Sets a closure that is called, on the allocating thread, before an allocation fails, with the bytes that were asked
    /// for. It returns true if it has freed memory: the pool tries again. A panic inside is told on standard error and counts
    /// as false. The closure ends with this `Pool`: keep what [`Context::default_pool`] returns as long as it is needed. An
    /// allocation from the same pool inside, if it fails too, calls the closure again.
    pub fn on_out_of_memory(&self, function: impl Fn(u64) -> bool + Send + Sync + 'static) -> Result<()> {
        let mut present = self.out_of_memory.lock().unwrap_or_else(PoisonError::into_inner);
        present.set(self.handle, Some(Arc::new(function)))
    }

    /// Ends the closure of [`Pool::on_out_of_memory`].
    pub fn clear_out_of_memory(&self) -> Result<()> {
        self.out_of_memory.lock().unwrap_or_else(PoisonError::into_inner).set(self.handle, None)
    }
}
