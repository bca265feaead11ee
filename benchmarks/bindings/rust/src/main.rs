// SPDX-License-Identifier: Apache-2.0

//! What launch, record and query cost from Rust: `overhead DEVICE CALLS RUNS`.

use manyrt::{Context, Device, DeviceBuffer, Event, Fence, Launch, Module, Result, Stream};
use std::time::Instant;

fn measure(name: &str, calls: u32, mut call: impl FnMut() -> Result<()>) -> Result<()> {
    let began = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    println!("{} {:.1}", name, began.elapsed().as_nanos() as f64 / f64::from(calls));
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let (calls, runs): (u32, u32) = (arguments[2].parse().expect("a number"), arguments[3].parse().expect("a number"));
    let context = Context::new(Device::by_name(&arguments[1])?)?;
    let (stream, event, fence) = (Stream::new(&context)?, Event::new(&context)?, Fence::new(&context, 0)?);
    let data = DeviceBuffer::<f32>::zeroed(&context, 64)?;
    let source = "kernel void f(global float *x, int n, float y) { x[n] = y; }";
    let kernel = Module::from_source(&context, source, "")?.kernel("f")?;
    let mut held = 0;
    for _ in 0..runs {
        held += 1;
        stream.wait_fence(&fence, held)?;
        // SAFETY: the kernel writes element 1 of 64.
        measure("launch", calls, || unsafe { kernel.launch(&stream, Launch::new(1, 1), (&data, 1i32, 2.0f32)) })?;
        fence.signal(held)?;
        stream.synchronize()?;
        held += 1;
        stream.wait_fence(&fence, held)?;
        measure("record", calls, || stream.record(&event))?;
        fence.signal(held)?;
        stream.synchronize()?;
        measure("query", calls, || stream.is_complete().map(drop))?;
    }
    Ok(())
}
