// SPDX-License-Identifier: Apache-2.0
//! How a graph runs in a context (the plan), and running it many times (the exec).

use crate::constants::{GraphNodeType, Verdict};
use crate::context::Context;
use crate::error::{call, get, get_struct};
use crate::graph::{CopyParams, CopyRowsParams, FillParams, Graph, GraphBuffer, GraphValue, KernelParams, Node};
use crate::memory::{Memory, Pod};
use crate::module::Module;
use crate::owner::owner;
use crate::results::{CapturePlanBuffer, CapturePlanInfo};
use crate::stream::Stream;
use crate::{Error, Result, Status};
use std::mem::size_of;
use std::ptr;

/// How a graph runs in one context.
pub struct CapturePlan {
    handle: manyrt_sys::rtCapturePlan_t,
    owned: bool,
    context: Context,
}

owner!(CapturePlan, rtCapturePlan_t, rtCapturePlanDestroy);

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanStep {
    /// What it does.
    pub kind: GraphNodeType,
    /// The node of the graph; of a child graph's step the node that holds the child.
    pub node: Option<Node>,
    /// 0: the stream of the launch.
    pub stream: u32,
    /// Steps on the longest way to it.
    pub level: u32,
    /// How it runs.
    pub verdict: Verdict,
    /// Dependencies that do not follow from others.
    pub dependency_count: u32,
    /// Of the temporaries that it uses the lowest place.
    pub memory_offset: Option<u64>,
}

impl CapturePlan {
    /// Plans the graph as it is now. Kernels that it names are looked for in `modules`, the first one first. At most
    /// `max_streams` streams are used; 0: 4. May block while a kernel is built.
    pub fn new(graph: &Graph, context: &Context, modules: &[&Module], max_streams: u32) -> Result<CapturePlan> {
        let modules: Vec<_> = modules.iter().map(|module| module.as_raw()).collect();
        let options = manyrt_sys::rtCapturePlanOptions_t {
            module_count: modules.len() as u32,
            modules: if modules.is_empty() { ptr::null() } else { modules.as_ptr() },
            max_streams,
            ..Default::default()
        };
        let (graph, owner) = (graph.as_raw(), context.as_raw());
        let handle = get!(rtCapturePlanCreate(manyrt_sys::rtCapturePlan_t, &options, graph, owner))?;
        Ok(CapturePlan { handle, owned: true, context: context.clone() })
    }

    /// The numbers of the plan.
    pub fn info(&self) -> Result<CapturePlanInfo> {
        get_struct!(rtCapturePlanGetInfo(rtCapturePlanInfo_t, self.handle)).map(|raw| CapturePlanInfo::new(&raw))
    }

    /// One step, in the order of their submission.
    pub fn step(&self, index: u32) -> Result<PlanStep> {
        let raw = get_struct!(rtCapturePlanGetStep(rtCapturePlanStep_t, index, self.handle))?;
        Ok(PlanStep {
            kind: GraphNodeType(raw.type_),
            node: Node::from_handle(raw.node),
            stream: raw.stream,
            level: raw.level,
            verdict: Verdict(raw.verdict),
            dependency_count: raw.dependency_count,
            memory_offset: if raw.memory_offset == u64::MAX { None } else { Some(raw.memory_offset) },
        })
    }

    /// One buffer: those of the graph come first, then the temporaries of child graphs.
    pub fn buffer(&self, index: u32) -> Result<CapturePlanBuffer> {
        get_struct!(rtCapturePlanGetBuffer(rtCapturePlanBuffer_t, index, self.handle)).map(|raw| CapturePlanBuffer::new(&raw))
    }

    /// Makes an exec of the plan. May block while memory is found.
    pub fn instantiate(&self) -> Result<GraphExec> {
        let handle = get!(rtGraphExecCreate(manyrt_sys::rtGraphExec_t, self.handle))?;
        Ok(GraphExec { handle, owned: true, context: self.context.clone() })
    }
}

impl Graph {
    /// Makes a plan with the defaults, and an exec of it.
    pub fn instantiate(&self, context: &Context) -> Result<GraphExec> {
        let handle = get!(rtGraphInstantiate(manyrt_sys::rtGraphExec_t, self.as_raw(), context.as_raw()))?;
        Ok(GraphExec { handle, owned: true, context: context.clone() })
    }
}

/// A graph that runs, many times, the same way. Changes count from the next launch on.
pub struct GraphExec {
    handle: manyrt_sys::rtGraphExec_t,
    owned: bool,
    context: Context,
}

owner!(GraphExec, rtGraphExec_t, rtGraphExecDestroy);

impl GraphExec {
    /// The context in which it runs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Runs the exec in the order of a stream.
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        call!(rtGraphLaunch(self.handle, stream.as_raw())).map(drop)
    }

    /// Binds memory to a buffer of the graph. The exec keeps the memory until the buffer is bound again.
    pub fn bind<T: Pod>(&self, buffer: GraphBuffer, memory: &impl Memory<T>) -> Result<()> {
        let (memory, info) = (memory.region(), buffer.info()?);
        if (memory.bytes() as u64) < info.size {
            let message = format!("Buffer '{}' has {} bytes, the memory to bind {}.", info.name, info.size, memory.bytes());
            return Err(Error::new(Status::INVALID_VALUE, "rtGraphExecBindBuffer", message));
        }
        call!(rtGraphExecBindBuffer(buffer.handle, memory.pointer, self.handle)).map(drop)
    }

    /// Binds memory that is smaller than the buffer.
    ///
    /// # Safety
    /// No kernel of the next launch uses more than these first bytes of the buffer.
    pub unsafe fn bind_part<T: Pod>(&self, buffer: GraphBuffer, memory: &impl Memory<T>) -> Result<()> {
        let (memory, bytes) = (memory.region(), memory.region().bytes() as u64);
        call!(rtGraphExecBindBufferRange(buffer.handle, memory.pointer, bytes, self.handle)).map(drop)
    }

    /// Says what a value of the graph is, for all nodes that use it.
    ///
    /// # Safety
    /// With this value their kernels keep to the memory that their arguments name.
    pub unsafe fn bind_value<T: Pod>(&self, value: GraphValue, data: T) -> Result<()> {
        let (data, size): (*const T, _) = (&data, size_of::<T>() as u64);
        call!(rtGraphExecBindValue(value.handle, data.cast(), size, self.handle)).map(drop)
    }

    /// Exchanges the launch of a kernel. Arguments may name buffers and values, and follow what is bound later.
    ///
    /// # Safety
    /// As for [`Graph::add_kernel`].
    pub unsafe fn set_kernel(&self, node: Node, params: &KernelParams<'_>) -> Result<()> {
        call!(rtGraphExecSetKernelParams(node.handle, &params.raw(), self.handle)).map(drop)
    }

    /// Exchanges a copy.
    pub fn set_copy(&self, node: Node, params: CopyParams<'_>) -> Result<()> {
        call!(rtGraphExecSetMemcpyParams(node.handle, &params.raw(), self.handle)).map(drop)
    }

    /// Exchanges a copy of rows.
    pub fn set_copy_rows(&self, node: Node, params: CopyRowsParams<'_>) -> Result<()> {
        call!(rtGraphExecSetMemcpy2DParams(node.handle, &params.raw(), self.handle)).map(drop)
    }

    /// Exchanges a fill.
    pub fn set_fill(&self, node: Node, params: FillParams<'_>) -> Result<()> {
        call!(rtGraphExecSetFillParams(node.handle, &params.raw(), self.handle)).map(drop)
    }

    /// Exchanges all parameters for those of a graph with the same nodes and dependencies.
    pub fn update(&self, graph: &Graph) -> Result<()> {
        call!(rtGraphExecUpdate(graph.as_raw(), self.handle)).map(drop)
    }
}
