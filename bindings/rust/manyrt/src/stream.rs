// SPDX-License-Identifier: Apache-2.0
//! Streams, whose work runs in order: copies, fills, waits, host functions, and their capture as a graph.

use crate::callback::{launch_many, launch_once, take_panic, Panics};
use crate::constants::{CaptureState, MemcpyKind, Status};
use crate::context::Context;
use crate::device::Device;
use crate::error::{call, get, label};
use crate::event::{nanoseconds, Event, Fence};
use crate::graph::{Graph, Node};
use crate::memory::{same_length, HostBuffer, Memory, Pod, Rows};
use crate::owner::owner;
use crate::{Error, Result};
use std::mem::size_of;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// What a stream is made with.
#[derive(Debug, Clone, Default)]
pub struct StreamOptions {
    /// 0 normal, negative higher; clamped to the range of the device.
    pub priority: i32,
    /// For messages and traces; cut to 63 bytes.
    pub label: String,
}

/// Work that runs in order. Towards other streams there is no order but that of events, fences and waits.
pub struct Stream {
    handle: manyrt_sys::rtStream_t,
    owned: bool,
    context: Context,
}

owner!(Stream, rtStream_t, rtStreamDestroy);

impl Stream {
    pub(crate) fn from_handle(handle: manyrt_sys::rtStream_t, owned: bool, context: Context) -> Stream {
        Stream { handle, owned, context }
    }

    /// Makes a stream.
    pub fn new(context: &Context) -> Result<Stream> {
        let handle = get!(rtStreamCreate(manyrt_sys::rtStream_t, ptr::null(), context.as_raw()))?;
        Ok(Stream::from_handle(handle, true, context.clone()))
    }

    /// Makes a stream with a priority or a label.
    pub fn with_options(context: &Context, options: &StreamOptions) -> Result<Stream> {
        let raw =
            manyrt_sys::rtStreamOptions_t { priority: options.priority, label: label(&options.label), ..Default::default() };
        let handle = get!(rtStreamCreate(manyrt_sys::rtStream_t, &raw, context.as_raw()))?;
        Ok(Stream::from_handle(handle, true, context.clone()))
    }

    /// Takes over a stream of another library; closing it only detaches it.
    ///
    /// # Safety
    /// `native` is a stream of the context's driver, as [`Stream::native`] gives it, and stays alive as long as this stream.
    pub unsafe fn from_native(native: [u64; 2], context: &Context) -> Result<Stream> {
        let handle = get!(rtStreamImport(manyrt_sys::rtStream_t, native.as_ptr(), context.as_raw()))?;
        Ok(Stream::from_handle(handle, true, context.clone()))
    }

    /// The context of the stream.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The priority after clamping.
    pub fn priority(&self) -> Result<i32> {
        get!(rtStreamGetPriority(i32, self.handle))
    }

    fn panic_or(&self, result: Result<Status>) -> Result<Status> {
        match take_panic(self.handle as usize) {
            Some(panic) if result.is_ok() => Err(panic),
            _ => result,
        }
    }

    /// Waits for all work submitted so far. Returns the stream's failure and, alone of all calls, clears it. A panic in a host
    /// function of the stream is the failure LAUNCH_FAILED here, unless there is another. Blocks.
    pub fn synchronize(&self) -> Result<()> {
        let result = call!(rtStreamSynchronize(self.handle));
        self.panic_or(result).map(drop)
    }

    /// Waits for all work submitted so far; the error TIMEOUT if `limit` passes first. Clears no failure. Blocks.
    pub fn synchronize_for(&self, limit: Duration) -> Result<()> {
        call!(rtStreamSynchronizeFor(nanoseconds(limit), self.handle)).map(drop)
    }

    /// Whether all work submitted so far is complete. An error is the stream's failure.
    pub fn is_complete(&self) -> Result<bool> {
        call!(rtStreamQuery(self.handle)).map(|status| status == Status::SUCCESS)
    }

    /// Records in an event all work that the stream has now.
    pub fn record(&self, event: &Event) -> Result<()> {
        call!(rtEventRecord(event.as_raw(), self.handle)).map(drop)
    }

    /// Makes later work wait for the last record of an event, of any context.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        call!(rtStreamWaitEvent(event.as_raw(), self.handle)).map(drop)
    }

    /// Makes later work wait for all work that another stream has now.
    pub fn wait_stream(&self, other: &Stream) -> Result<()> {
        call!(rtStreamWaitStream(other.handle, self.handle)).map(drop)
    }

    /// Makes later work wait for all work that the streams of a context have now.
    pub fn wait_context(&self, other: &Context) -> Result<()> {
        call!(rtStreamWaitContext(other.as_raw(), self.handle)).map(drop)
    }

    /// Makes later work wait for the last use of memory, by all work that the streams of its context have now.
    pub fn wait_memory<T: Pod>(&self, memory: &impl Memory<T>) -> Result<()> {
        call!(rtStreamWaitPointer(memory.region().pointer, self.handle)).map(drop)
    }

    /// Raises a fence to `value` when earlier work is complete.
    pub fn signal_fence(&self, fence: &Fence, value: u64) -> Result<()> {
        call!(rtStreamSignalFence(fence.as_raw(), value, self.handle)).map(drop)
    }

    /// Makes later work wait until a fence has reached `value`.
    pub fn wait_fence(&self, fence: &Fence, value: u64) -> Result<()> {
        call!(rtStreamWaitFence(fence.as_raw(), value, self.handle)).map(drop)
    }

    /// Calls a closure in the order of the stream, once, on a thread of the library. It gets SUCCESS, or the stream's failure.
    /// It may call the library, but not wait for this stream, which is BUSY. A panic inside ends there; the next
    /// [`Stream::synchronize`] returns it. On a capturing stream this is refused: [`Graph::add_host`] takes a closure that may
    /// run many times, and so does
    /// [`Stream::launch_host_many`].
    pub fn launch_host(&self, function: impl FnOnce(Status) + Send + 'static) -> Result<()> {
        if self.capture_state()? != CaptureState::NONE {
            let message =
                "A closure that runs once cannot be part of a capture: launch_host_many takes one that may run again.";
            return Err(Error::new(Status::CAPTURE_UNSAFE, "rtLaunchHostFunction", message));
        }
        launch_once(self.handle, Box::new(function))
    }

    /// Calls a closure in the order of the stream, as [`Stream::launch_host`] does; on a capturing stream it becomes a node,
    /// which calls it once for each launch. It is dropped after its last use. The result tells panics inside.
    pub fn launch_host_many(&self, function: impl Fn(Status) + Send + Sync + 'static) -> Result<Panics> {
        launch_many(self.handle, Arc::new(function))
    }

    /// Copies from memory to memory of the library, of one device or two, in the order of the stream. The lengths must be
    /// equal. The stream is of the context of one side.
    pub fn copy<T: Pod>(&self, to: &impl Memory<T>, from: &impl Memory<T>) -> Result<()> {
        let (to, from) = (to.region(), from.region());
        same_length::<T>("rtMemcpyAsync", to.len, from.len)?;
        call!(rtMemcpyAsync(to.pointer, from.pointer, to.bytes(), MemcpyKind::DEFAULT.0, self.handle)).map(drop)
    }

    /// Copies a rectangle in the order of the stream.
    pub fn copy_rows<T: Pod>(&self, to: &impl Memory<T>, from: &impl Memory<T>, rows: Rows) -> Result<()> {
        let (to, from, size) = (to.region(), from.region(), size_of::<T>());
        rows.check::<T>("rtMemcpy2DAsync", to.len, from.len)?;
        call!(rtMemcpy2DAsync(
            to.pointer,
            rows.to_pitch * size,
            from.pointer,
            rows.from_pitch * size,
            rows.width * size,
            rows.height,
            MemcpyKind::DEFAULT.0,
            self.handle
        ))
        .map(drop)
    }

    /// Copies `values` in the order of the stream. They are read before this returns, into pinned memory that lives until the
    /// stream, or a graph that records the copy, has no more use for it.
    pub fn write<T: Pod>(&self, to: &impl Memory<T>, values: &[T]) -> Result<()> {
        let to = to.region();
        same_length::<T>("rtMemcpyAsync", to.len, values.len())?;
        let staged = HostBuffer::<T>::new(&self.context, values.len())?;
        if !staged.as_ptr().is_null() {
            // SAFETY: the new memory has room for the values, and no call knows its address yet.
            unsafe { ptr::copy_nonoverlapping(values.as_ptr(), staged.as_ptr(), values.len()) };
        }
        self.copy(&to, &staged)
    }

    /// Copies to new pinned memory in the order of the stream; its contents count when the stream has passed the copy.
    pub fn read<T: Pod>(&self, from: &impl Memory<T>) -> Result<HostBuffer<T>> {
        let from = from.region();
        let to = HostBuffer::new(&self.context, from.len)?;
        self.copy(&to, &from)?;
        Ok(to)
    }

    /// Copies between the program's own memory and memory of the library, as `rtMemcpyAsync` does, without memory in between.
    ///
    /// # Safety
    /// Both sides have `size` bytes. They stay valid, and a source unchanged, until the stream has passed the copy, and in a
    /// capture until graph and execs are gone.
    pub unsafe fn copy_raw(&self, to: *mut u8, from: *const u8, size: usize, kind: MemcpyKind) -> Result<()> {
        call!(rtMemcpyAsync(to.cast(), from.cast(), size, kind.0, self.handle)).map(drop)
    }

    /// Sets all elements to a value of 1, 2, 4, 8 or 16 bytes, in the order of the stream.
    pub fn fill<T: Pod>(&self, to: &impl Memory<T>, value: T) -> Result<()> {
        let to = to.region();
        let pattern: *const T = &value;
        call!(rtMemFillAsync(to.pointer, pattern.cast(), size_of::<T>(), to.len, self.handle)).map(drop)
    }

    /// Sets all bytes to 0 in the order of the stream.
    pub fn zero<T: Pod>(&self, to: &impl Memory<T>) -> Result<()> {
        let to = to.region();
        call!(rtMemsetAsync(to.pointer, 0, to.bytes(), self.handle)).map(drop)
    }

    /// Sets the bytes of `height` rows of `width` elements, `pitch` elements apart, to 0 in the order of the stream.
    pub fn zero_rows<T: Pod>(&self, to: &impl Memory<T>, width: usize, height: usize, pitch: usize) -> Result<()> {
        let (to, size) = (to.region(), size_of::<T>());
        Rows { width, height, to_pitch: pitch, from_pitch: pitch }.check::<T>("rtMemset2DAsync", to.len, to.len)?;
        call!(rtMemset2DAsync(to.pointer, pitch * size, 0, width * size, height, self.handle)).map(drop)
    }

    /// Moves shared memory to where it is used next; `None`: to the host. A hint.
    pub fn prefetch<T: Pod>(&self, memory: &impl Memory<T>, destination: Option<Device>) -> Result<()> {
        let (memory, destination) = (memory.region(), destination.map_or(ptr::null_mut(), |device| device.handle));
        call!(rtMemPrefetchAsync(memory.pointer, memory.bytes(), destination, self.handle)).map(drop)
    }

    /// Records what `work` submits to the stream, and to streams that come to wait for it, as a graph instead of running it.
    /// The capture also ends if `work` fails or panics; then there is no graph.
    pub fn capture(&self, work: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
        struct Capture<'a>(&'a Stream);
        impl Drop for Capture<'_> {
            fn drop(&mut self) {
                drop(self.0.end_capture());
            }
        }
        self.begin_capture()?;
        let capture = Capture(self);
        work(self)?;
        std::mem::forget(capture);
        self.end_capture()
    }

    /// Begins a capture; [`Stream::capture`] ends it, too.
    pub fn begin_capture(&self) -> Result<()> {
        call!(rtStreamBeginCapture(self.handle)).map(drop)
    }

    /// Ends a capture, on the stream on which it began. The stream leaves the capture also where this fails.
    pub fn end_capture(&self) -> Result<Graph> {
        Ok(Graph::from_handle(get!(rtStreamEndCapture(manyrt_sys::rtGraph_t, self.handle))?))
    }

    /// Whether the stream takes part in a capture.
    pub fn capture_state(&self) -> Result<CaptureState> {
        get!(rtStreamIsCapturing(i32, self.handle)).map(CaptureState)
    }

    /// The node after which a capturing stream goes on, of the graph to be; `None` if there is none yet.
    pub fn captured_node(&self) -> Result<Option<Node>> {
        Ok(Node::from_handle(get!(rtStreamGetCapturedNode(manyrt_sys::rtGraphNode_t, self.handle))?))
    }

    /// The driver's own object: CUDA cudaStream_t, OpenCL cl_command_queue. Valid until the stream ends.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtStreamGetNative(native.as_mut_ptr(), self.handle)).map(|_| native)
    }
}
