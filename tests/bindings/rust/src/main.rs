// SPDX-License-Identifier: Apache-2.0
//! The fifteen behaviours of tests/bindings/README.md for the crate manyrt: `behaviours NAME DEVICE`. Ends with 0 if the
//! behaviour is as it has to be, with 77 if the device cannot do it, and with a panic that says what came instead.

use manyrt::{
    Capability, Context, Device, DeviceBuffer, Error, Event, Fence, Graph, GraphBufferRole, HandleKind, HostBuffer, Kernel,
    Launch, Local, Memory, Module, Pool, PoolOptions, Result, Status, Stream, Version,
};
use std::process::{exit, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::time::{Duration, Instant};

const SKIP: i32 = 77;
const COUNT: usize = 1000;
const SCALE: &str = "kernel void scale(global float* data, int count, float factor, local float* scratch) {\n\
    size_t i = get_global_id(0);\n\
    scratch[get_local_id(0)] = factor;\n\
    if (i < (size_t)count) data[i] *= scratch[get_local_id(0)];\n}\n";
const ADD: &str = "kernel void add(global float* data, float value) { data[get_global_id(0)] += value; }\n";

fn numbers() -> Vec<f32> {
    (0..COUNT).map(|i| i as f32).collect()
}

/// The failure of a call that has to fail.
fn failure<T>(result: Result<T>, what: &str) -> Error {
    match result {
        Ok(_) => panic!("{} was accepted", what),
        Err(error) => error,
    }
}

fn assert_words(error: &Error, words: &[&str]) {
    for word in words {
        assert!(error.message().contains(word), "the message lacks '{}': {}", word, error);
    }
}

struct Setup {
    device: Device,
    context: Context,
    stream: Stream,
}

fn setup(name: &str) -> Result<Setup> {
    let device = Device::by_name(name)?;
    let context = Context::new(device)?;
    let stream = Stream::new(&context)?;
    Ok(Setup { device, context, stream })
}

fn kernels(device: Device) -> Result<()> {
    if !device.has(Capability::KERNELS)? {
        println!("{} runs no kernels from source", device);
        exit(SKIP);
    }
    Ok(())
}

fn add_kernel(setup: &Setup) -> Result<Kernel> {
    kernels(setup.device)?;
    Module::from_source(&setup.context, ADD, "")?.kernel("add")
}

fn create(name: &str) -> Result<()> {
    let before = manyrt::live_handle_count(HandleKind::ALL)?;
    let setup = setup(name)?;
    let event = Event::new(&setup.context)?;
    let fence = Fence::new(&setup.context, 3)?;
    let pool: Pool = Pool::new(&setup.context, &PoolOptions::default())?;
    let graph = Graph::new()?;
    assert_eq!(manyrt::live_handle_count(HandleKind::ALL)?, before + 6);
    let texts = [
        (format!("{:?}", setup.device), "Device(".to_string() + name),
        (format!("{:?}", setup.context), "Context(".into()),
        (format!("{:?}", setup.stream), "Stream(".into()),
        (format!("{:?}", event), "Event(".into()),
        (format!("{:?}", fence), "Fence(".into()),
        (format!("{:?}", pool), "Pool(".into()),
        (format!("{:?}", graph), "Graph(".into()),
    ];
    for (text, kind) in &texts {
        assert!(text.starts_with(kind.as_str()), "{} is printed as {}", kind, text);
    }
    event.close()?;
    fence.close()?;
    pool.close()?;
    graph.close()?;
    setup.stream.close()?;
    setup.context.close()?;
    assert_eq!(manyrt::live_handle_count(HandleKind::ALL)?, before);
    Ok(())
}

fn copy(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    let values = numbers();
    let first = DeviceBuffer::from_slice(&context, &values)?;
    let second = DeviceBuffer::<f32>::zeroed(&context, COUNT)?;
    first.region().copy_to(&second)?;
    assert_eq!(second.to_vec()?, values);

    let third = DeviceBuffer::<f32>::zeroed(&context, COUNT)?;
    let doubled: Vec<f32> = values.iter().map(|value| value * 2.0).collect();
    stream.write(&first, &doubled)?;
    stream.copy(&third, &first)?;
    let back = stream.read(&third)?;
    stream.synchronize()?;
    assert_eq!(back.to_vec()?, doubled);

    let half = COUNT / 2;
    stream.copy(&third.slice(..half)?, &second.slice(half..)?)?;
    stream.fill(&third.slice(half..)?, 7.0f32)?;
    stream.synchronize()?;
    let result = third.to_vec()?;
    assert_eq!(result[..half], values[half..]);
    assert!(result[half..].iter().all(|value| *value == 7.0));
    Ok(())
}

fn launch(name: &str) -> Result<()> {
    let Setup { device, context, stream } = setup(name)?;
    kernels(device)?;
    let scale = Module::from_source(&context, SCALE, "")?.kernel("scale")?;
    let data = DeviceBuffer::from_slice(&context, &numbers())?;
    let (grid, count) = (Launch::items(COUNT as u32, 64), COUNT as i32);
    // SAFETY: the kernel writes `count` floats, which `data` has, and one float of local memory for each of 64 items.
    unsafe { scale.launch(&stream, grid, (&data, count, 2.5f32, Local(256)))? };
    stream.synchronize()?;
    let mut expected: Vec<f32> = numbers().iter().map(|value| value * 2.5).collect();
    assert_eq!(data.to_vec()?, expected);
    // SAFETY: as above; the ids are 64 to 127.
    unsafe { scale.launch(&stream, Launch::new(1, 64).from([64, 0, 0]), (&data, count, 2.0f32, Local(256)))? };
    stream.synchronize()?;
    expected[64..128].iter_mut().for_each(|value| *value *= 2.0);
    assert_eq!(data.to_vec()?, expected);

    // SAFETY: all of these are refused.
    let refused = unsafe {
        [
            (failure(scale.launch(&stream, grid, (&data, count)), "2 arguments"), vec!["4 arguments", "not 2", "scratch"]),
            (
                failure(scale.launch(&stream, grid, (&data, 5i64, 2.5f32, Local(256))), "a long"),
                vec!["'count'", "4 bytes", "8"],
            ),
            (
                failure(scale.launch(&stream, grid, (&data, count, 2i32, Local(256))), "an int"),
                vec!["'factor'", "float", "I32"],
            ),
            (failure(scale.launch(&stream, grid, (1u64, count, 2.5f32, Local(256))), "a number"), vec!["'data'", "pointer"]),
            (failure(scale.launch(&stream, grid, (&data, count, 2.5f32, 4u64)), "no local"), vec!["'scratch'", "local"]),
        ]
    };
    for (error, words) in &refused {
        assert_eq!(error.status(), Status::INVALID_VALUE, "{}", error);
        assert_words(error, words);
    }
    let integers = DeviceBuffer::<i32>::zeroed(&context, COUNT)?;
    // SAFETY: refused.
    let error = failure(unsafe { scale.launch(&stream, grid, (&integers, count, 2.5f32, Local(256))) }, "int* for float*");
    assert_words(&error, &["'data'", "float", "I32"]);
    Ok(())
}

fn event_time(name: &str) -> Result<()> {
    let setup = setup(name)?;
    if !setup.device.has(Capability::TIMING)? {
        println!("{} has no times of events", setup.device);
        exit(SKIP);
    }
    let add = add_kernel(&setup)?;
    let data = DeviceBuffer::<f32>::zeroed(&setup.context, 1 << 20)?;
    let (start, end) = (Event::new(&setup.context)?, Event::new(&setup.context)?);
    let clock = Instant::now();
    setup.stream.record(&start)?;
    // SAFETY: one item for each float.
    unsafe { add.launch(&setup.stream, Launch::new(1 << 14, 64), (&data, 1.0f32))? };
    setup.stream.record(&end)?;
    end.synchronize()?;
    let limit = clock.elapsed().as_nanos() as i64;
    let time = end.nanoseconds_since(&start)?.expect("both events are complete");
    assert!(time > 0 && time < limit, "{} ns on the device, {} ns on the host", time, limit);
    let milliseconds = end.milliseconds_since(&start)?.expect("both events are complete");
    assert!((f64::from(milliseconds) - time as f64 / 1e6).abs() < 1e-2, "{} ms and {} ns", milliseconds, time);
    Ok(())
}

fn cross_stream_wait(name: &str) -> Result<()> {
    let Setup { context, stream: first, .. } = setup(name)?;
    let second = Stream::new(&context)?;
    let (fence, event) = (Fence::new(&context, 0)?, Event::new(&context)?);
    let data = DeviceBuffer::<f32>::zeroed(&context, COUNT)?;
    first.wait_fence(&fence, 1)?;
    first.fill(&data, 1.0f32)?;
    first.record(&event)?;
    second.wait_event(&event)?;
    let result = second.read(&data)?;
    assert!(!second.is_complete()?, "the second stream did not wait");
    let error = failure(second.synchronize_for(Duration::from_millis(1)), "a wait for work that is held back");
    assert_eq!(error.status(), Status::TIMEOUT);
    fence.signal(1)?;
    second.synchronize()?;
    assert!(result.to_vec()?.iter().all(|value| *value == 1.0), "the read came before the fill");
    Ok(())
}

/// A stream that was closed cannot be named again: that program does not compile, which compile_fail/use_after_close.rs shows.
/// What can be named is a stream that has ended because its context was closed.
fn use_after_close(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    let (event, copy) = (Event::new(&context)?, context.clone());
    let memory = DeviceBuffer::from_slice(&context, &[1.0f32; 4])?;
    context.close()?;
    for error in [
        failure(stream.synchronize(), "synchronize"),
        failure(stream.record(&event), "record"),
        failure(stream.fill(&memory, 2.0f32), "fill"),
        failure(Stream::new(&copy), "a stream of a closed context"),
        failure(event.synchronize(), "an event of a closed context"),
    ] {
        assert_eq!(error.status(), Status::INVALID_HANDLE, "{}", error);
        assert!(error.message().len() > 20, "no sentence: {}", error);
    }
    stream.close()?;
    event.close()?;
    copy.close()?;
    memory.free()?;
    Ok(())
}

fn wrong_size(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    let data = DeviceBuffer::<f32>::zeroed(&context, COUNT)?;
    let large = vec![0.0f32; 2 * COUNT];
    let host = HostBuffer::<f32>::new(&context, 2 * COUNT)?;
    for error in [
        failure(data.write(&large), "a write of too much"),
        failure(data.read(&mut large.clone()), "a read of too much"),
        failure(stream.write(&data, &large), "a write of too much in a stream"),
        failure(stream.copy(&data, &host), "a copy of too much"),
    ] {
        assert_eq!(error.status(), Status::INVALID_VALUE);
        assert_words(&error, &["4000", "8000"]);
    }
    assert_words(&failure(data.slice(900..1100), "a range outside"), &["900", "1100", "1000"]);
    assert_words(&failure(data.slice(COUNT + 1..), "an index outside"), &["1001", "1000"]);
    Ok(())
}

fn build_error(name: &str) -> Result<()> {
    let Setup { device, context, .. } = setup(name)?;
    kernels(device)?;
    let source = "kernel void broken(global int* data) {\n  data[0] = unknown_word;\n}\n";
    let error = failure(Module::from_source(&context, source, ""), "a wrong source");
    assert_eq!(error.status(), Status::BUILD_FAILED);
    assert_words(&error, &["unknown_word", ":2:"]);
    Ok(())
}

fn callback(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    let data = DeviceBuffer::<f32>::zeroed(&context, COUNT)?;
    let host = HostBuffer::<f32>::new(&context, COUNT)?;
    stream.fill(&data, 5.0f32)?;
    stream.copy(&host, &data)?;
    let (send, receive) = mpsc::channel();
    stream.launch_host(move |status| send.send((status, host.to_vec().map(|values| values[COUNT - 1]))).unwrap())?;
    stream.synchronize()?;
    let (status, value) = receive.recv().expect("the function ran");
    assert_eq!((status, value?), (Status::SUCCESS, 5.0));

    std::panic::set_hook(Box::new(|_| {}));
    stream.launch_host(|_| panic!("panic number {}", 42))?;
    let error = failure(stream.synchronize(), "a panic");
    let _ = std::panic::take_hook();
    assert_eq!(error.status(), Status::LAUNCH_FAILED);
    assert_words(&error, &["panic number 42"]);
    stream.synchronize()?;
    Ok(())
}

fn out_of_memory(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    for error in [
        failure(DeviceBuffer::<u8>::new(&context, 1 << 60), "2^60 bytes"),
        failure(DeviceBuffer::<u8>::new_async(&stream, 1 << 60), "2^60 bytes in a stream"),
    ] {
        assert_eq!(error.status(), Status::OUT_OF_MEMORY, "{}", error);
        assert_words(&error, &["1152921504606846976"]);
    }
    let error = failure(DeviceBuffer::<u64>::new(&context, usize::MAX / 4), "more than the address space");
    assert_eq!(error.status(), Status::OUT_OF_MEMORY, "{}", error);
    let next = DeviceBuffer::from_slice(&context, &[1.0f32, 2.0])?;
    assert_eq!(next.to_vec()?, [1.0, 2.0]);
    Ok(())
}

fn replay(name: &str) -> Result<()> {
    let setup = setup(name)?;
    let add = add_kernel(&setup)?;
    let Setup { context, stream, .. } = setup;
    let data = DeviceBuffer::<f32>::zeroed(&context, 64)?;
    let other = DeviceBuffer::<f32>::zeroed(&context, 64)?;
    let result = DeviceBuffer::<f32>::zeroed(&context, 64)?;
    let graph = stream.capture(|stream| {
        // SAFETY: 64 items write 64 floats, also of what is bound later.
        unsafe { add.launch(stream, Launch::new(1, 64), (&data, 1.0f32))? };
        stream.copy(&result, &data)
    })?;
    assert_eq!(graph.nodes()?.len(), 2);
    let buffer = graph.make_buffer(&data, GraphBufferRole::INPUT, "data")?;
    let exec = graph.instantiate(&context)?;
    for round in 0..10 {
        if round == 5 {
            exec.bind(buffer, &other)?;
        }
        exec.launch(&stream)?;
        let copied = stream.read(&result)?;
        stream.synchronize()?;
        assert_eq!(copied.to_vec()?, [(round % 5 + 1) as f32; 64], "launch {}", round);
    }
    assert_eq!((data.to_vec()?, other.to_vec()?), (vec![5.0; 64], vec![5.0; 64]));
    let small = DeviceBuffer::<f32>::zeroed(&context, 32)?;
    assert_words(&failure(exec.bind(buffer, &small), "less memory"), &["data", "256", "128"]);
    Ok(())
}

fn two_devices(name: &str) -> Result<()> {
    let Setup { context, stream, .. } = setup(name)?;
    let other = Context::new(Device::by_name(if name == "cpu" { "null:0" } else { "cpu" })?)?;
    let other_stream = Stream::new(&other)?;
    let here = DeviceBuffer::from_slice(&context, &numbers())?;
    let there = DeviceBuffer::<f32>::zeroed(&other, COUNT)?;
    stream.copy(&there, &here)?;
    stream.synchronize()?;
    assert_eq!(there.to_vec()?, numbers());
    assert_eq!(there.region().attributes()?.device, Some(other.device()?));

    let error = failure(other_stream.fill(&here, 1.0f32), "memory of one device on a stream of the other");
    assert_eq!(error.status(), Status::WRONG_CONTEXT, "{}", error);
    assert_words(&error, &[name, &other.device()?.to_string()]);
    Ok(())
}

fn version(_: &str) -> Result<()> {
    let library = Version::library()?;
    println!("manyrt {} with libmanyrt {}", Version::CRATE, library);
    assert!(library >= Version::CRATE);
    library.check()?;
    let major = Version { major: library.major + 1, ..library };
    assert_words(&failure(major.check(), "another major version"), &["another major version", &major.to_string()]);
    let old = Version { major: 0, minor: 1, patch: 9 };
    assert_words(&failure(old.check(), "an old library"), &["too old", "0.1.9", "libmanyrt0"]);
    Version { minor: library.minor + 1, ..library }.check()
}

/// Builds manyrt-sys where neither pkg-config nor MANYRT_LIB_DIR has the library.
fn missing_library(_: &str) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("manyrt-rust-missing-{}", std::process::id()));
    let build = |variable: &str, value: &str| {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../bindings/rust/manyrt-sys/Cargo.toml"))
            .env_remove("MANYRT_LIB_DIR")
            .env("CARGO_TARGET_DIR", &folder)
            .env("PKG_CONFIG_PATH", "")
            .env("PKG_CONFIG_LIBDIR", "/nonexistent")
            .env(variable, value)
            .output()
            .expect("cargo can be run");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let outputs = [build("LANG", "C"), build("MANYRT_LIB_DIR", "/nonexistent"), build("PKG_CONFIG", "/nonexistent/pkg-config")];
    let _ = std::fs::remove_dir_all(&folder);
    for (built, said) in &outputs {
        assert!(!built, "manyrt-sys was built without the library");
        let lines = said.lines().filter(|line| line.contains("libmanyrt-dev")).count();
        assert_eq!(lines, 1, "not one sentence with the package: {}", said);
    }
    Ok(())
}

fn exit_with_work(name: &str) -> Result<()> {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let setup = setup(name)?;
    let data = DeviceBuffer::<f32>::zeroed(&setup.context, 1 << 20)?;
    let slow = if setup.device.has(Capability::KERNELS)? { Some(add_kernel(&setup)?) } else { None };
    let Setup { context, stream, .. } = setup;
    stream.launch_host(|_| {
        STARTED.store(1, Ordering::Release);
        std::thread::sleep(Duration::from_millis(300));
    })?;
    if let Some(kernel) = slow {
        for _ in 0..20 {
            // SAFETY: one item for each float.
            unsafe { kernel.launch(&stream, Launch::new(1 << 14, 64), (&data, 1.0f32))? };
        }
    }
    let copied = stream.read(&data)?;
    while STARTED.load(Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    assert!(!stream.is_complete()?, "the work was over too soon");
    std::mem::forget((copied, data, stream, context));
    exit(0);
}

/// Waits until the library has dropped the closure that shares a value.
fn wait_for_last<T>(value: &Arc<T>) {
    let limit = Instant::now() + Duration::from_secs(20);
    while Arc::strong_count(value) > 1 && Instant::now() < limit {
        std::thread::yield_now();
    }
    assert_eq!(Arc::strong_count(value), 1, "the closure was not dropped after its last use");
}

/// What the table does not have: threads that end, panics elsewhere, and texts that C cannot hold.
fn bad_input(name: &str) -> Result<()> {
    let Setup { device, context, stream } = setup(name)?;
    let other = context.clone();
    std::thread::spawn(move || {
        let current = other.enter().expect("a context becomes current");
        assert_eq!(Context::current().expect("a call").as_ref(), Some(&other));
        std::mem::forget(current);
    })
    .join()
    .expect("a thread ends with a context current");
    assert_eq!(Context::current()?, None);
    {
        let _outer = context.enter()?;
        let inner = Context::new(device)?;
        let entered = inner.enter()?;
        assert_eq!(Context::current()?, Some(inner));
        drop(entered);
        assert_eq!(Context::current()?, Some(context.clone()));
    }
    assert_eq!(Context::current()?, None);

    let error = failure(Device::by_name("cpu\0"), "a zero byte");
    assert_eq!(error.status(), Status::INVALID_VALUE);
    assert_words(&error, &["zero byte at 3"]);
    assert_eq!(failure(Device::by_name("no such device"), "a wrong name").status(), Status::NOT_FOUND);

    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stream.capture(|_| panic!("in a capture"))));
    let _ = std::panic::take_hook();
    assert!(caught.is_err());
    assert_eq!(stream.capture_state()?, manyrt::CaptureState::NONE);

    // A closure of a capture is refused, one of a graph runs at each launch and is dropped with the last use.
    let error = failure(stream.capture(|stream| stream.launch_host(|_| {})), "a closure that runs once in a capture");
    assert_eq!(error.status(), Status::CAPTURE_UNSAFE);
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let graph = stream.capture(|stream| {
        let count = move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        };
        stream.launch_host_many(count).map(drop)
    })?;
    let exec = graph.instantiate(&context)?;
    for _ in 0..3 {
        exec.launch(&stream)?;
    }
    stream.synchronize()?;
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    drop((graph, exec));
    wait_for_last(&calls);

    let alive = Arc::new(Mutex::new(0));
    let counter = alive.clone();
    let graph = Graph::new()?;
    let (_, panics) = graph.add_host(
        move |_| {
            *counter.lock().unwrap() += 1;
            std::panic::resume_unwind(Box::new("in a graph"));
        },
        manyrt::After::Inferred,
    )?;
    let exec = graph.instantiate(&context)?;
    graph.close()?;
    exec.launch(&stream)?;
    exec.launch(&stream)?;
    stream.synchronize()?;
    assert_eq!(panics.take(), ["in a graph", "in a graph"]);
    assert_eq!(*alive.lock().unwrap(), 2);
    exec.close()?;
    wait_for_last(&alive);
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (name, device) = match arguments.as_slice() {
        [_, name, device] => (name.as_str(), device.as_str()),
        _ => {
            eprintln!("usage: behaviours BEHAVIOUR DEVICE");
            exit(2);
        }
    };
    let behaviour = match name {
        "create" => create,
        "copy" => copy,
        "launch" => launch,
        "event_time" => event_time,
        "cross_stream_wait" => cross_stream_wait,
        "use_after_close" => use_after_close,
        "wrong_size" => wrong_size,
        "build_error" => build_error,
        "callback" => callback,
        "out_of_memory" => out_of_memory,
        "replay" => replay,
        "two_devices" => two_devices,
        "version" => version,
        "missing_library" => missing_library,
        "exit_with_work" => exit_with_work,
        "bad_input" => bad_input,
        _ => {
            eprintln!("there is no behaviour '{}'", name);
            exit(2);
        }
    };
    if let Err(error) = behaviour(device) {
        eprintln!("{} on {}: {}", name, device, error);
        exit(1);
    }
}
