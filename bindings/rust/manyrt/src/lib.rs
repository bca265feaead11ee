// SPDX-License-Identifier: Apache-2.0
//! Devices, contexts, streams, memory, kernels and graphs of manyrt on CPU, CUDA and OpenCL, as safe Rust.
//!
//! ```no_run
//! use manyrt::{Context, Device, DeviceBuffer, Launch, Module, Stream};
//!
//! # fn main() -> manyrt::Result<()> {
//! let context = Context::new(Device::best()?)?;
//! let stream = Stream::new(&context)?;
//! let source = "kernel void scale(global float* data, float factor) { data[get_global_id(0)] *= factor; }";
//! let scale = Module::from_source(&context, source, "")?.kernel("scale")?;
//! let data = DeviceBuffer::from_slice(&context, &[1.0f32; 256])?;
//! // SAFETY: 4 groups of 64 work-items write 256 floats, which is what `data` has.
//! unsafe { scale.launch(&stream, Launch::new(4, 64), (&data, 3.0f32))? };
//! let result = stream.read(&data)?;
//! stream.synchronize()?;
//! assert_eq!(result.to_vec()?, [3.0; 256]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is safe
//! Handles are checked by the library at each call, from any thread: an object whose context was closed is an error and no
//! more, and all owners are `Send` and `Sync` (but [`CurrentContext`], which is a property of its thread). Memory may be
//! dropped while work with it is in flight: the library frees it after that work, and graphs keep what they name. What the
//! library cannot check is `unsafe`: launching a kernel, which may write where it likes; machine code and graph files; host
//! memory as a slice, while a device may write to it; objects of other libraries.
//!
//! # Names
//! With the feature `comm` the module `comm` has communicators, over the library libmanyrt-comm.
//!
//! Each type is a noun of `rt.h`, and its functions are the calls with that noun. All of `rt.h` is in [`sys`]; the page
//! `docs/bindings/rust.md` lists the few functions that have no form here.
#![deny(missing_docs)]
#![warn(rust_2018_idioms)]

pub use manyrt_sys as sys;

mod callback;
#[cfg(feature = "comm")]
pub mod comm;
mod error;
#[rustfmt::skip]
mod constants;
mod context;
mod device;
mod event;
mod graph;
mod kernel;
pub mod memory;
mod module;
mod owner;
mod plan;
mod pool;
#[rustfmt::skip]
mod results;
mod stream;
mod version;

pub use callback::{set_log, Panics};
pub use constants::*;
pub use context::{Context, ContextOptions, CurrentContext};
pub use device::{Device, MemoryInfo};
pub use error::{Error, Result};
pub use event::{Event, Fence};
pub use graph::ValueBinding;
pub use graph::{
    After, CopyParams, CopyRowsParams, FillParams, Graph, GraphArg, GraphBuffer, GraphValue, KernelParams, Node, Operand,
};
pub use kernel::{Argument, Dim, Kernel, KernelArg, KernelArgs, Launch, Local};
pub use memory::{Buffer, DeviceBuffer, HostBuffer, MallocOptions, Memory, Pod, Region, Rows, SharedBuffer};
pub use module::{Module, ModuleOptions};
pub use plan::{CapturePlan, GraphExec, PlanStep};
pub use pool::{Pool, PoolOptions};
pub use results::*;
pub use stream::{Stream, StreamOptions};
pub use version::{init, live_handle_count, shutdown, Version};
