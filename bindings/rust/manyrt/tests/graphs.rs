// SPDX-License-Identifier: Apache-2.0
//! Graphs on the CPU: every kind of node, plans, execs and their changes, files.

use manyrt::*;

const ADD: &str = "kernel void add(global const int* from, global int* to, int value) {\n\
    size_t i = get_global_id(0);\n    to[i] = from[i] + value;\n}\n";

fn setup() -> (Context, Stream) {
    let context = Context::new(Device::by_name("cpu").unwrap()).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

#[test]
fn a_value_is_bound_once_for_all_nodes_that_use_it() {
    let (context, stream) = setup();
    let module = Module::from_source(&context, ADD, "").unwrap();
    let kernel = module.kernel("add").unwrap();
    let graph = Graph::new().unwrap();
    let data = graph.add_buffer(64, GraphBufferRole::OUTPUT, "data").unwrap();
    let addend = graph.add_value::<i32>(None, "addend").unwrap();
    let more = graph.add_value(Some(100i32), "more").unwrap();
    assert_eq!(graph.values().unwrap(), [addend, more]);
    let info = more.info().unwrap();
    assert_eq!((info.size, info.has_initial, info.name.as_str()), (4, 1, "more"));
    for value in [addend, addend, more] {
        let args = [GraphArg::reads(data), GraphArg::writes(data), GraphArg::named(value)];
        // SAFETY: 16 items use 64 bytes.
        unsafe { graph.add_kernel(&KernelParams::new(&kernel, Launch::new(1, 16), &args), After::Inferred) }.unwrap();
    }
    let outer = Graph::new().unwrap();
    let memory = DeviceBuffer::<i32>::zeroed(&context, 16).unwrap();
    let step = outer.add_value::<i32>(None, "step").unwrap();
    let bindings = [(data, Operand::memory(&memory))];
    let unbound = outer.add_graph(&graph, &bindings, After::Inferred).unwrap_err();
    assert!(unbound.message().contains("addend"), "{}", unbound.message());
    let values = [ValueBinding::outer(addend, step), ValueBinding::fixed(more, &7i32)];
    outer.add_graph_with_values(&graph, &bindings, &values, After::Inferred).unwrap();
    let exec = outer.instantiate(&context).unwrap();
    assert!(exec.launch(&stream).unwrap_err().message().contains("step"), "a value that is not bound is named");
    for each in [1i32, 10] {
        // SAFETY: the value is no index.
        unsafe { exec.bind_value(step, each) }.unwrap();
        exec.launch(&stream).unwrap();
    }
    // SAFETY: refused.
    assert_eq!(unsafe { exec.bind_value(step, 1u64) }.unwrap_err().status(), Status::INVALID_VALUE);
    stream.synchronize().unwrap();
    assert_eq!(memory.to_vec().unwrap(), [2 + 7 + 20 + 7; 16]);
}

#[test]
fn a_graph_is_built_planned_changed_and_run() {
    let (context, stream) = setup();
    let module = Module::from_source(&context, ADD, "").unwrap();
    let kernel = module.kernel("add").unwrap();
    let graph = Graph::new().unwrap();
    let input = graph.add_buffer(64, GraphBufferRole::INPUT, "input").unwrap();
    let between = graph.add_buffer(64, GraphBufferRole::TEMPORARY, "between").unwrap();
    let output = graph.add_buffer(64, GraphBufferRole::OUTPUT, "output").unwrap();
    assert_eq!((output.info().unwrap().size, output.info().unwrap().role), (64, GraphBufferRole::OUTPUT));
    let launch = Launch::new(1, 16);
    let args = |value| [GraphArg::reads(input).of_bytes(64), GraphArg::writes(between), GraphArg::value(value)];
    // SAFETY: 16 items use 64 bytes of each buffer.
    let first = unsafe { graph.add_kernel(&KernelParams::new(&kernel, launch, &args(&3i32)), After::Inferred) }.unwrap();
    let copy = CopyParams { to: output.into(), from: between.into(), size: 64 };
    let second = graph.add_copy(copy, After::Inferred).unwrap();
    let fill = graph.add_fill(FillParams::new(output, 7i32, 1).unwrap(), After::Nodes(&[second])).unwrap();
    let empty = graph.add_empty(After::Nodes(&[])).unwrap();
    graph.add_dependencies(&[(fill, empty)]).unwrap();
    assert_eq!(graph.edges().unwrap(), [(first, second), (second, fill), (fill, empty)]);
    assert!(graph.add_dependencies(&[(empty, first)]).is_err(), "a circle");
    graph.remove_dependencies(&[(fill, empty)]).unwrap();
    assert_eq!(graph.nodes().unwrap(), [first, second, fill, empty]);
    assert_eq!((first.kind().unwrap(), fill.kind().unwrap()), (GraphNodeType::KERNEL, GraphNodeType::FILL));
    assert_eq!(graph.buffers().unwrap(), [input, between, output]);
    assert!(graph.to_dot().unwrap().contains("digraph"));

    let plan = CapturePlan::new(&graph, &context, &[&module], 2).unwrap();
    assert_eq!((plan.info().unwrap().node_count, plan.info().unwrap().temporary_bytes >= 64), (4, true));
    let step = plan.step(0).unwrap();
    assert_eq!((step.kind, step.node), (GraphNodeType::KERNEL, Some(first)));
    assert_eq!(plan.buffer(1).unwrap().role, GraphBufferRole::TEMPORARY);
    let exec = plan.instantiate().unwrap();
    assert_eq!(exec.context(), &context);
    assert!(exec.launch(&stream).unwrap_err().message().contains("input"), "an unbound buffer is named");
    let from = DeviceBuffer::from_slice(&context, &(0..16).collect::<Vec<i32>>()).unwrap();
    let to = DeviceBuffer::<i32>::zeroed(&context, 16).unwrap();
    exec.bind(input, &from).unwrap();
    exec.bind(output, &to).unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(to.to_vec().unwrap()[..3], [7, 4, 5]);

    // SAFETY: as above.
    unsafe { exec.set_kernel(first, &KernelParams::new(&kernel, launch, &args(&100i32))) }.unwrap();
    exec.set_fill(fill, FillParams::new(output.at(4), 9i32, 1).unwrap()).unwrap();
    exec.set_copy(second, CopyParams { size: 32, ..copy }).unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(to.to_vec().unwrap()[..4], [100, 9, 102, 103]);
    assert_eq!(to.to_vec().unwrap()[8], 11, "8 integers were copied");
    exec.update(&graph).unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(to.to_vec().unwrap()[..3], [7, 4, 5]);

    // SAFETY: the file was made from the kernel above.
    let loaded = unsafe { Graph::load(&graph.save().unwrap()) }.unwrap();
    assert_eq!(loaded.save().unwrap(), graph.save().unwrap());
    // SAFETY: refused.
    assert_eq!(unsafe { Graph::load(b"{}") }.unwrap_err().status(), Status::INVALID_VALUE);
    drop((graph, plan, module, kernel));
    exec.launch(&stream).unwrap();
    exec.close().unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn graphs_hold_graphs_events_fences_and_rows() {
    let (context, stream) = setup();
    let (event, fence) = (Event::new(&context).unwrap(), Fence::new(&context, 0).unwrap());
    let data = DeviceBuffer::from_slice(&context, &[1i32, 2, 3, 4]).unwrap();
    let child = Graph::new().unwrap();
    let inner = child.add_buffer(16, GraphBufferRole::OUTPUT, "inner").unwrap();
    let rows = FillParams::new(inner, 5i32, 1).unwrap().rows(2, 8);
    child.add_fill(rows, After::Inferred).unwrap();

    let graph = Graph::new().unwrap();
    graph.add_event_wait(&event, After::Inferred).unwrap();
    graph.add_fence_wait(&fence, 1, After::Inferred).unwrap();
    graph.add_graph(&child, &[(inner, Operand::memory(&data))], After::Inferred).unwrap();
    let other = DeviceBuffer::<i32>::zeroed(&context, 4).unwrap();
    let copy = CopyRowsParams {
        to: Operand::memory(&other),
        to_pitch: 4,
        from: Operand::memory(&data),
        from_pitch: 8,
        width: 4,
        height: 2,
    };
    let node = graph.add_copy_rows(copy, After::Inferred).unwrap();
    graph.add_fence_signal(&fence, 2, After::Inferred).unwrap();
    graph.add_event_record(&event, After::Inferred).unwrap();
    let clone = graph.try_clone().unwrap();
    assert_eq!(clone.nodes().unwrap().len(), 6);
    let exec = graph.instantiate(&context).unwrap();
    exec.launch(&stream).unwrap();
    assert!(!stream.is_complete().unwrap());
    fence.signal(1).unwrap();
    fence.wait(2).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(data.to_vec().unwrap(), [5, 2, 5, 4]);
    assert_eq!(other.to_vec().unwrap(), [5, 5, 0, 0]);
    exec.set_copy_rows(node, CopyRowsParams { height: 1, ..copy }).unwrap();
    assert_eq!(FillParams::new(inner, [0u64; 3], 1).unwrap_err().status(), Status::INVALID_VALUE);
}

#[test]
fn memory_that_is_dropped_lives_in_the_graph() {
    let (context, stream) = setup();
    let result = DeviceBuffer::<i32>::zeroed(&context, 4).unwrap();
    let graph = stream
        .capture(|stream| {
            assert_eq!(stream.captured_node()?, None);
            stream.write(&result, &[1, 2, 3, 4])?;
            assert!(stream.captured_node()?.is_some());
            assert_eq!(stream.capture_state()?, CaptureState::ACTIVE);
            assert_eq!(stream.synchronize().unwrap_err().status(), Status::CAPTURE_UNSAFE);
            Ok(())
        })
        .unwrap();
    let exec = graph.instantiate(&context).unwrap();
    for _ in 0..3 {
        stream.zero(&result).unwrap();
        exec.launch(&stream).unwrap();
        let other = HostBuffer::from_slice(&context, &[9i32; 4]).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(result.to_vec().unwrap(), [1, 2, 3, 4]);
        drop(other);
    }
    let part = result.slice(..2).unwrap();
    let graph = stream.capture(|stream| stream.fill(&result, 6)).unwrap();
    let buffer = graph.make_buffer(&result, GraphBufferRole::OUTPUT, "result").unwrap();
    let exec = graph.instantiate(&context).unwrap();
    let error = exec.bind(buffer, &part).unwrap_err();
    assert!(error.message().contains("16 bytes") && error.message().contains('8'), "{}", error);
    // SAFETY: no kernel is in the graph.
    unsafe { exec.bind_part(buffer, &part) }.unwrap();
    assert_eq!(exec.launch(&stream).unwrap_err().status(), Status::INVALID_VALUE);
}
