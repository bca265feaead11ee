// SPDX-License-Identifier: Apache-2.0
//! Graphs: what is to be done, in which order, with which buffers. plan.rs has how a graph runs.
//!
//! Nodes and buffers are numbers that belong to their graph; one of another graph, or of one that has ended, is an error. A
//! graph keeps the memory, modules and events that it names.

use crate::callback::{forget_node, node as host_node, Panics};
use crate::constants::{ArgKind, GraphAccess, GraphBufferRole, GraphNodeType, MemcpyKind, Status};
use crate::error::{c_string, call, get, get_struct, get_text, read_text};
use crate::event::{Event, Fence};
use crate::kernel::{Kernel, Launch};
use crate::memory::{Memory, Pod};
use crate::owner::owner;
use crate::results::{GraphBufferInfo, GraphValueInfo};
use crate::{Error, Result};
use std::ffi::CString;
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr;
use std::sync::Arc;

/// One piece of work of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    pub(crate) handle: manyrt_sys::rtGraphNode_t,
}

/// Memory that a graph names before it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphBuffer {
    pub(crate) handle: manyrt_sys::rtGraphBuffer_t,
}

/// A number, or another Pod, that a graph names before it is known, and that arguments of any number of kernels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphValue {
    pub(crate) handle: manyrt_sys::rtGraphValue_t,
}

// SAFETY: handles that the library checks at each call, from any thread.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}
// SAFETY: as above.
unsafe impl Send for GraphBuffer {}
// SAFETY: as above.
unsafe impl Sync for GraphBuffer {}
// SAFETY: as above.
unsafe impl Send for GraphValue {}
// SAFETY: as above.
unsafe impl Sync for GraphValue {}

impl Node {
    pub(crate) fn from_handle(handle: manyrt_sys::rtGraphNode_t) -> Option<Node> {
        if handle.is_null() {
            None
        } else {
            Some(Node { handle })
        }
    }

    /// What the node does.
    pub fn kind(&self) -> Result<GraphNodeType> {
        get!(rtGraphNodeGetType(i32, self.handle)).map(GraphNodeType)
    }
}

impl GraphBuffer {
    /// Size, role and name.
    pub fn info(&self) -> Result<GraphBufferInfo> {
        get_struct!(rtGraphBufferGetInfo(rtGraphBufferInfo_t, self.handle)).map(|raw| GraphBufferInfo::new(&raw))
    }

    /// The bytes of the buffer from an offset on.
    pub fn at(self, offset: u64) -> Operand<'static> {
        let raw = manyrt_sys::rtGraphOperand_t { buffer: self.handle, offset, pointer: ptr::null_mut() };
        Operand { raw, _memory: PhantomData }
    }
}

impl GraphValue {
    /// Size and name.
    pub fn info(&self) -> Result<GraphValueInfo> {
        get_struct!(rtGraphValueGetInfo(rtGraphValueInfo_t, self.handle)).map(|raw| GraphValueInfo::new(&raw))
    }
}

/// What a value of a child graph is in the graph that has it.
#[derive(Debug, Clone, Copy)]
pub struct ValueBinding<'a> {
    raw: manyrt_sys::rtGraphValueBinding_t,
    _data: PhantomData<&'a ()>,
}

impl<'a> ValueBinding<'a> {
    /// A value of the graph that has the node.
    pub fn outer(child: GraphValue, outer: GraphValue) -> Self {
        let raw = manyrt_sys::rtGraphValueBinding_t { value: child.handle, outer: outer.handle, data: ptr::null(), size: 0 };
        ValueBinding { raw, _data: PhantomData }
    }

    /// This, for good.
    pub fn fixed<T: Pod>(child: GraphValue, data: &'a T) -> Self {
        let pointer: *const T = data;
        let raw = manyrt_sys::rtGraphValueBinding_t {
            value: child.handle,
            outer: ptr::null_mut(),
            data: pointer.cast(),
            size: size_of::<T>() as u64,
        };
        ValueBinding { raw, _data: PhantomData }
    }
}

/// Memory that a node names: a place in a buffer of its graph, or memory of the library.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    raw: manyrt_sys::rtGraphOperand_t,
    _memory: PhantomData<&'a ()>,
}

impl<'a> Operand<'a> {
    /// Memory that exists already, from its first byte on. The graph keeps it alive.
    pub fn memory<T: Pod>(memory: &'a impl Memory<T>) -> Operand<'a> {
        let pointer = memory.region().pointer;
        let raw = manyrt_sys::rtGraphOperand_t { buffer: ptr::null_mut(), offset: 0, pointer };
        Operand { raw, _memory: PhantomData }
    }
}

impl From<GraphBuffer> for Operand<'static> {
    fn from(buffer: GraphBuffer) -> Self {
        buffer.at(0)
    }
}

/// Which nodes come before a new one.
#[derive(Debug, Clone, Copy)]
pub enum After<'a> {
    /// Those that write what it reads, or use what it writes.
    Inferred,
    /// These; an empty list: none.
    Nodes(&'a [Node]),
}

impl After<'_> {
    fn raw(&self) -> (*const manyrt_sys::rtGraphNode_t, u32) {
        match self {
            After::Inferred => (ptr::null(), manyrt_sys::RT_INFERRED),
            // A Node is a handle and nothing else in memory.
            After::Nodes(nodes) => (handles(nodes).as_ptr(), nodes.len() as u32),
        }
    }
}

// The cast in `handles` needs this.
const _: () = assert!(size_of::<Node>() == size_of::<manyrt_sys::rtGraphNode_t>());

fn handles(nodes: &[Node]) -> &[manyrt_sys::rtGraphNode_t] {
    // SAFETY: a Node has one field, the handle, and its size.
    unsafe { std::slice::from_raw_parts(nodes.as_ptr().cast(), nodes.len()) }
}

/// One argument of a kernel in a graph.
#[derive(Debug, Clone, Copy)]
pub struct GraphArg<'a> {
    raw: manyrt_sys::rtGraphArg_t,
    _value: PhantomData<&'a ()>,
}

impl<'a> GraphArg<'a> {
    fn new(kind: ArgKind, access: u32, size: u64, value: *const c_void, memory: manyrt_sys::rtGraphOperand_t) -> Self {
        let raw = manyrt_sys::rtGraphArg_t { kind: kind.0, access, size, value, memory };
        GraphArg { raw, _value: PhantomData }
    }

    /// A number or another Pod, which is copied.
    pub fn value<T: Pod>(value: &'a T) -> Self {
        let pointer: *const T = value;
        GraphArg::new(ArgKind::VALUE, 0, size_of::<T>() as u64, pointer.cast(), NO_MEMORY)
    }

    /// A named value of the graph.
    pub fn named(value: GraphValue) -> Self {
        GraphArg::new(ArgKind::GRAPH_VALUE, 0, 0, value.handle.cast::<c_void>(), NO_MEMORY)
    }

    /// Memory that the kernel reads.
    pub fn reads(memory: impl Into<Operand<'a>>) -> Self {
        GraphArg::new(ArgKind::POINTER, GraphAccess::READ.0 as u32, 0, ptr::null(), memory.into().raw)
    }

    /// Memory that the kernel writes and does not read.
    pub fn writes(memory: impl Into<Operand<'a>>) -> Self {
        GraphArg::new(ArgKind::POINTER, GraphAccess::WRITE.0 as u32, 0, ptr::null(), memory.into().raw)
    }

    /// Memory that the kernel reads and writes.
    pub fn updates(memory: impl Into<Operand<'a>>) -> Self {
        GraphArg::new(ArgKind::POINTER, 0, 0, ptr::null(), memory.into().raw)
    }

    /// Local memory of each work-group, in bytes.
    pub fn local(bytes: usize) -> Self {
        GraphArg::new(ArgKind::LOCAL, 0, bytes as u64, ptr::null(), NO_MEMORY)
    }

    /// Says how many bytes the kernel uses of memory; else it is all up to the end.
    pub fn of_bytes(mut self, bytes: u64) -> Self {
        self.raw.size = bytes;
        self
    }
}

const NO_MEMORY: manyrt_sys::rtGraphOperand_t =
    manyrt_sys::rtGraphOperand_t { buffer: ptr::null_mut(), offset: 0, pointer: ptr::null_mut() };

/// What a kernel node launches.
#[derive(Debug, Clone)]
pub struct KernelParams<'a> {
    name: Option<CString>,
    kernel: Option<&'a Kernel>,
    launch: Launch,
    args: Vec<manyrt_sys::rtGraphArg_t>,
    _args: PhantomData<&'a ()>,
}

impl<'a> KernelParams<'a> {
    /// A kernel that exists already.
    pub fn new(kernel: &'a Kernel, launch: Launch, args: &[GraphArg<'a>]) -> Self {
        let args = args.iter().map(|arg| arg.raw).collect();
        KernelParams { name: None, kernel: Some(kernel), launch, args, _args: PhantomData }
    }

    /// A kernel that is found by its name when a plan is made.
    pub fn named(name: &str, launch: Launch, args: &[GraphArg<'a>]) -> Result<Self> {
        let name = Some(c_string("rtGraphAddKernelNode", "name", name)?);
        let args = args.iter().map(|arg| arg.raw).collect();
        Ok(KernelParams { name, kernel: None, launch, args, _args: PhantomData })
    }

    pub(crate) fn raw(&self) -> manyrt_sys::rtGraphKernelParams_t {
        manyrt_sys::rtGraphKernelParams_t {
            arg_count: self.args.len() as u32,
            kernel: self.kernel.map_or(ptr::null_mut(), Kernel::as_raw),
            name: self.name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
            args: if self.args.is_empty() { ptr::null() } else { self.args.as_ptr() },
            grid: self.launch.grid.0,
            group: self.launch.group.0,
            local_bytes: self.launch.local_bytes,
            flags: if self.launch.cooperative { manyrt_sys::RT_LAUNCH_COOPERATIVE as u32 } else { 0 },
            global_offset: self.launch.offset,
            ..Default::default()
        }
    }
}

/// What a copy node copies.
#[derive(Debug, Clone, Copy)]
pub struct CopyParams<'a> {
    /// Where to.
    pub to: Operand<'a>,
    /// Where from.
    pub from: Operand<'a>,
    /// Bytes, not 0.
    pub size: u64,
}

impl CopyParams<'_> {
    pub(crate) fn raw(&self) -> manyrt_sys::rtGraphMemcpyParams_t {
        let kind = MemcpyKind::DEFAULT.0;
        manyrt_sys::rtGraphMemcpyParams_t { kind, dst: self.to.raw, src: self.from.raw, size: self.size, ..Default::default() }
    }
}

/// What a node that copies rows copies.
#[derive(Debug, Clone, Copy)]
pub struct CopyRowsParams<'a> {
    /// Where to.
    pub to: Operand<'a>,
    /// Bytes from row to row there.
    pub to_pitch: u64,
    /// Where from.
    pub from: Operand<'a>,
    /// Bytes from row to row there.
    pub from_pitch: u64,
    /// Bytes of a row, not 0.
    pub width: u64,
    /// Rows, not 0.
    pub height: u64,
}

impl CopyRowsParams<'_> {
    pub(crate) fn raw(&self) -> manyrt_sys::rtGraphMemcpy2DParams_t {
        manyrt_sys::rtGraphMemcpy2DParams_t {
            kind: MemcpyKind::DEFAULT.0,
            dst: self.to.raw,
            src: self.from.raw,
            dst_pitch: self.to_pitch,
            src_pitch: self.from_pitch,
            width: self.width,
            height: self.height,
            ..Default::default()
        }
    }
}

/// What a fill node writes: rows of one pattern.
#[derive(Debug, Clone, Copy)]
pub struct FillParams<'a> {
    raw: manyrt_sys::rtGraphFillParams_t,
    _memory: PhantomData<&'a ()>,
}

impl<'a> FillParams<'a> {
    /// `count` times a value of 1, 2, 4, 8 or 16 bytes.
    pub fn new<T: Pod>(to: impl Into<Operand<'a>>, value: T, count: u64) -> Result<Self> {
        let mut pattern = [0u8; 16];
        let size = size_of::<T>();
        if size > pattern.len() {
            let message = format!("A pattern has at most 16 bytes; the value has {}.", size);
            return Err(Error::new(Status::INVALID_VALUE, "rtGraphAddFillNode", message));
        }
        let value: *const T = &value;
        // SAFETY: a Pod of at most 16 bytes.
        unsafe { ptr::copy_nonoverlapping(value.cast(), pattern.as_mut_ptr(), size) };
        let (dst, pattern_size) = (to.into().raw, size as u32);
        let raw = manyrt_sys::rtGraphFillParams_t { pattern_size, pattern, dst, count, ..Default::default() };
        Ok(FillParams { raw, _memory: PhantomData })
    }

    /// Repeats the row, `pitch` bytes apart.
    pub fn rows(mut self, height: u64, pitch: u64) -> Self {
        self.raw.height = height;
        self.raw.pitch = pitch;
        self
    }

    pub(crate) fn raw(&self) -> manyrt_sys::rtGraphFillParams_t {
        self.raw
    }
}

/// What is to be done, in which order.
pub struct Graph {
    handle: manyrt_sys::rtGraph_t,
    owned: bool,
}

owner!(Graph, rtGraph_t, rtGraphDestroy);

/// Adds a node of one kind.
macro_rules! add {
    ($function:ident, $graph:expr, $params:expr, $after:expr) => {{
        let (dependencies, count) = $after.raw();
        get!($function(manyrt_sys::rtGraphNode_t, &$params, dependencies, count, $graph.handle)).map(|handle| Node { handle })
    }};
}

impl Graph {
    pub(crate) fn from_handle(handle: manyrt_sys::rtGraph_t) -> Graph {
        Graph { handle, owned: true }
    }

    /// Makes an empty graph.
    pub fn new() -> Result<Graph> {
        Ok(Graph::from_handle(get!(rtGraphCreate(manyrt_sys::rtGraph_t))?))
    }

    /// Copies the graph, with nodes and buffers of its own in the same order.
    pub fn try_clone(&self) -> Result<Graph> {
        Ok(Graph::from_handle(get!(rtGraphClone(manyrt_sys::rtGraph_t, self.handle))?))
    }

    /// Names memory of `size` bytes that a later bind, or the plan, gives.
    pub fn add_buffer(&self, size: u64, role: GraphBufferRole, name: &str) -> Result<GraphBuffer> {
        let name = c_string("rtGraphAddBuffer", "name", name)?;
        let handle = get!(rtGraphAddBuffer(manyrt_sys::rtGraphBuffer_t, size, role.0, name.as_ptr(), self.handle))?;
        Ok(GraphBuffer { handle })
    }

    /// Names a value of the size of a T, which is bound once for all nodes that use it; `initial` until then.
    pub fn add_value<T: Pod>(&self, initial: Option<T>, name: &str) -> Result<GraphValue> {
        let name = c_string("rtGraphAddValue", "name", name)?;
        let initial: *const T = initial.as_ref().map_or(ptr::null(), |value| value);
        let (size, data) = (size_of::<T>() as u64, initial.cast::<c_void>());
        let handle = get!(rtGraphAddValue(manyrt_sys::rtGraphValue_t, size, data, name.as_ptr(), self.handle))?;
        Ok(GraphValue { handle })
    }

    /// Turns the addresses of memory that nodes name, from a capture, into a buffer that an exec can bind anew.
    pub fn make_buffer<T: Pod>(&self, memory: &impl Memory<T>, role: GraphBufferRole, name: &str) -> Result<GraphBuffer> {
        let (name, memory) = (c_string("rtGraphMakeBuffer", "name", name)?, memory.region());
        let handle = get!(rtGraphMakeBuffer(
            manyrt_sys::rtGraphBuffer_t,
            memory.pointer,
            memory.bytes() as u64,
            role.0,
            name.as_ptr(),
            self.handle
        ))?;
        Ok(GraphBuffer { handle })
    }

    /// Adds the launch of a kernel.
    ///
    /// # Safety
    /// In every launch of the graph the kernel keeps to the memory that its arguments name.
    pub unsafe fn add_kernel(&self, params: &KernelParams<'_>, after: After<'_>) -> Result<Node> {
        add!(rtGraphAddKernelNode, self, params.raw(), after)
    }

    /// Adds a copy.
    pub fn add_copy(&self, params: CopyParams<'_>, after: After<'_>) -> Result<Node> {
        add!(rtGraphAddMemcpyNode, self, params.raw(), after)
    }

    /// Adds a copy of rows.
    pub fn add_copy_rows(&self, params: CopyRowsParams<'_>, after: After<'_>) -> Result<Node> {
        add!(rtGraphAddMemcpy2DNode, self, params.raw(), after)
    }

    /// Adds a fill.
    pub fn add_fill(&self, params: FillParams<'_>, after: After<'_>) -> Result<Node> {
        add!(rtGraphAddFillNode, self, params.raw, after)
    }

    /// Adds a closure, which each launch calls once, on a thread of the library, with SUCCESS or the failure of the stream. It
    /// lives as long as the graph, or a plan or exec of it. Panics inside end there; the second value tells them.
    pub fn add_host(&self, function: impl Fn(Status) + Send + Sync + 'static, after: After<'_>) -> Result<(Node, Panics)> {
        let (params, panics) = host_node(Arc::new(function));
        match add!(rtGraphAddHostNode, self, params, after) {
            Ok(node) => Ok((node, panics)),
            Err(error) => {
                // SAFETY: the node was not added, and the library has not taken the closure.
                unsafe { forget_node(&params) };
                Err(error)
            }
        }
    }

    /// Adds a node that does nothing, where dependencies meet.
    pub fn add_empty(&self, after: After<'_>) -> Result<Node> {
        let (dependencies, count) = after.raw();
        get!(rtGraphAddEmptyNode(manyrt_sys::rtGraphNode_t, dependencies, count, self.handle)).map(|handle| Node { handle })
    }

    /// Adds a whole graph, as it is now, as one node. Each of its buffers that is no temporary gets memory.
    pub fn add_graph(&self, graph: &Graph, bindings: &[(GraphBuffer, Operand<'_>)], after: After<'_>) -> Result<Node> {
        self.add_graph_with_values(graph, bindings, &[], after)
    }

    /// The same for a graph with values. Each of them that has none at first is said.
    pub fn add_graph_with_values(
        &self,
        graph: &Graph,
        bindings: &[(GraphBuffer, Operand<'_>)],
        values: &[ValueBinding<'_>],
        after: After<'_>,
    ) -> Result<Node> {
        let values: Vec<_> = values.iter().map(|each| each.raw).collect();
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(buffer, memory)| manyrt_sys::rtGraphBinding_t { buffer: buffer.handle, memory: memory.raw })
            .collect();
        let params = manyrt_sys::rtGraphChildParams_t {
            binding_count: bindings.len() as u32,
            graph: graph.handle,
            bindings: if bindings.is_empty() { ptr::null() } else { bindings.as_ptr() },
            value_binding_count: values.len() as u32,
            value_bindings: if values.is_empty() { ptr::null() } else { values.as_ptr() },
            ..Default::default()
        };
        add!(rtGraphAddChildGraphNode, self, params, after)
    }

    /// Adds the record of an event.
    pub fn add_event_record(&self, event: &Event, after: After<'_>) -> Result<Node> {
        let params = manyrt_sys::rtGraphEventParams_t { event: event.as_raw(), ..Default::default() };
        add!(rtGraphAddEventRecordNode, self, params, after)
    }

    /// Adds a wait for the record that an event has at the launch.
    pub fn add_event_wait(&self, event: &Event, after: After<'_>) -> Result<Node> {
        let params = manyrt_sys::rtGraphEventParams_t { event: event.as_raw(), ..Default::default() };
        add!(rtGraphAddEventWaitNode, self, params, after)
    }

    /// Adds the signal of a fence.
    pub fn add_fence_signal(&self, fence: &Fence, value: u64, after: After<'_>) -> Result<Node> {
        let params = manyrt_sys::rtGraphFenceParams_t { fence: fence.as_raw(), value, ..Default::default() };
        add!(rtGraphAddFenceSignalNode, self, params, after)
    }

    /// Adds a wait for a value of a fence.
    pub fn add_fence_wait(&self, fence: &Fence, value: u64, after: After<'_>) -> Result<Node> {
        let params = manyrt_sys::rtGraphFenceParams_t { fence: fence.as_raw(), value, ..Default::default() };
        add!(rtGraphAddFenceWaitNode, self, params, after)
    }

    /// Makes the second node of each pair wait for the first. A circle is refused, and nothing is changed.
    pub fn add_dependencies(&self, pairs: &[(Node, Node)]) -> Result<()> {
        let (from, to): (Vec<Node>, Vec<Node>) = pairs.iter().copied().unzip();
        let (from, to, count) = (handles(&from), handles(&to), pairs.len() as u32);
        call!(rtGraphAddDependencies(from.as_ptr(), to.as_ptr(), count, self.handle)).map(drop)
    }

    /// Removes dependencies. A missing one is refused, and nothing is changed.
    pub fn remove_dependencies(&self, pairs: &[(Node, Node)]) -> Result<()> {
        let (from, to): (Vec<Node>, Vec<Node>) = pairs.iter().copied().unzip();
        let (from, to, count) = (handles(&from), handles(&to), pairs.len() as u32);
        call!(rtGraphRemoveDependencies(from.as_ptr(), to.as_ptr(), count, self.handle)).map(drop)
    }

    /// The nodes, in the order in which they were added.
    pub fn nodes(&self) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            let (mut count, capacity) = (0, nodes.len());
            call!(rtGraphGetNodes(nodes.as_mut_ptr(), capacity as u32, &mut count, self.handle))?;
            nodes.resize(count as usize, ptr::null_mut());
            if nodes.len() <= capacity {
                return Ok(nodes.into_iter().map(|handle| Node { handle }).collect());
            }
        }
    }

    /// The dependencies: the second node of each pair waits for the first.
    pub fn edges(&self) -> Result<Vec<(Node, Node)>> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        loop {
            let (mut count, capacity) = (0, from.len());
            call!(rtGraphGetEdges(from.as_mut_ptr(), to.as_mut_ptr(), capacity as u32, &mut count, self.handle))?;
            from.resize(count as usize, ptr::null_mut());
            to.resize(count as usize, ptr::null_mut());
            if from.len() <= capacity {
                return Ok(from.into_iter().zip(to).map(|(a, b)| (Node { handle: a }, Node { handle: b })).collect());
            }
        }
    }

    /// The buffers, in the order in which they were added.
    pub fn buffers(&self) -> Result<Vec<GraphBuffer>> {
        let mut buffers = Vec::new();
        loop {
            let (mut count, capacity) = (0, buffers.len());
            call!(rtGraphGetBuffers(buffers.as_mut_ptr(), capacity as u32, &mut count, self.handle))?;
            buffers.resize(count as usize, ptr::null_mut());
            if buffers.len() <= capacity {
                return Ok(buffers.into_iter().map(|handle| GraphBuffer { handle }).collect());
            }
        }
    }

    /// The values, in the order in which they were added.
    pub fn values(&self) -> Result<Vec<GraphValue>> {
        let mut values = Vec::new();
        loop {
            let (mut count, capacity) = (0, values.len());
            call!(rtGraphGetValues(values.as_mut_ptr(), capacity as u32, &mut count, self.handle))?;
            values.resize(count as usize, ptr::null_mut());
            if values.len() <= capacity {
                return Ok(values.into_iter().map(|handle| GraphValue { handle }).collect());
            }
        }
    }

    /// The graph as text for Graphviz.
    pub fn to_dot(&self) -> Result<String> {
        get_text!(rtGraphExportDot(self.handle))
    }

    /// The graph as the bytes of a file: JSON with kernel sources, buffers and nodes.
    pub fn save(&self) -> Result<Vec<u8>> {
        read_text(|data, size, needed| call!(rtGraphSave(data.cast(), size, needed, self.handle)))
    }

    /// Makes a graph from a file.
    ///
    /// # Safety
    /// The kernels in the file keep to the memory that their arguments name.
    pub unsafe fn load(data: &[u8]) -> Result<Graph> {
        crate::version::check_library()?;
        Ok(Graph::from_handle(get!(rtGraphLoad(manyrt_sys::rtGraph_t, data.as_ptr().cast::<c_void>(), data.len()))?))
    }
}
