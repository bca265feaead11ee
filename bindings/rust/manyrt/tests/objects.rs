// SPDX-License-Identifier: Apache-2.0
//! The objects of the crate on the CPU: contexts, pools, memory of each kind, rows, modules, host kernels, library.

use manyrt::memory::kind;
use manyrt::*;
use std::io::Read;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

fn setup() -> (Context, Stream) {
    let context = Context::new(Device::by_name("cpu").unwrap()).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

/// Refused by the compiler where an owner belongs to one thread.
#[test]
fn owners_go_to_any_thread() {
    fn shared<T: Send + Sync>() {}
    shared::<(Device, Context, Stream, Event, Fence, Pool, Module, Kernel)>();
    shared::<(DeviceBuffer<f32>, HostBuffer<u8>, SharedBuffer<i64>, Region<'_, u16>)>();
    shared::<(Graph, Node, GraphBuffer, CapturePlan, GraphExec, Error)>();
}

#[test]
fn devices_say_what_they_are() {
    let cpu = Backend::CPU.info().unwrap();
    assert_eq!((cpu.backend, cpu.available, cpu.name.as_str()), (Backend::CPU, 1, "cpu"));
    let device = Backend::CPU.devices().unwrap()[0];
    assert_eq!(device, Device::by_name("cpu").unwrap());
    assert_eq!(device.backend().unwrap(), (Backend::CPU, 0));
    assert_eq!(device.to_string(), "cpu");
    let properties = device.properties().unwrap();
    assert_eq!((properties.kind, properties.id.as_str()), (DeviceKind::CPU, "cpu"));
    let units = device.attribute(Attribute::COMPUTE_UNITS).unwrap();
    assert_eq!(units, i64::from(properties.compute_units));
    assert!(device.memory_info().unwrap().total > 0);
    assert!(device.has(Capability::HOST_KERNELS).unwrap());
    device.status().unwrap();
    device.synchronize().unwrap();
    let error = Device::get(Backend::CPU, 99).unwrap_err();
    assert_eq!((error.status(), error.name().as_str()), (Status::INVALID_DEVICE, "RT_ERROR_INVALID_DEVICE"));
    assert_eq!(error.operation(), "rtDeviceGet");
    assert_eq!(error.to_string().matches("rtDeviceGet").count(), 1, "{}", error);
    assert!(format!("{:?}", Backend(77)).contains("77"));
    let peer = Device::by_name("null:0").unwrap();
    assert!(!device.can_access_peer(peer).unwrap());
}

#[test]
fn context_and_stream_take_options() {
    let device = Device::by_name("cpu").unwrap();
    let label = "a label that is longer than the 63 bytes which the struct of options has for it: \u{e9}".to_string();
    let options = ContextOptions { wait_policy: WaitPolicy::BLOCK, cpu_threads: 1, strict: true, label };
    let context = Context::with_options(device, &options).unwrap();
    assert_eq!(context.device().unwrap(), device);
    let stream = Stream::with_options(&context, &StreamOptions { priority: -1, label: "high".into() }).unwrap();
    let range = device.properties().unwrap();
    assert!((range.priority_greatest..=range.priority_least).contains(&stream.priority().unwrap()));
    assert_eq!(stream.context(), &context);
    let default = context.default_stream().unwrap();
    default.wait_stream(&stream).unwrap();
    default.wait_context(&context).unwrap();
    default.synchronize().unwrap();
    context.synchronize().unwrap();
    assert_eq!(context.reset().unwrap_err().status(), Status::BUSY);
    drop(stream);
    context.default_pool().unwrap().stats().unwrap();
    assert!(context.memory_info().unwrap().total > 0);
    let primary = Context::primary(device).unwrap();
    assert_eq!(primary, Context::primary(device).unwrap());
    primary.close().unwrap();
}

#[test]
fn memory_of_each_kind() {
    let (context, stream) = setup();
    let mut host = HostBuffer::<u16>::zeroed(&context, 8).unwrap();
    // SAFETY: nothing uses the memory meanwhile.
    unsafe { host.as_mut_slice() }.copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let device = DeviceBuffer::<u16>::with_options(&context, 8, &MallocOptions { alignment: 4096, label: "x".into() }).unwrap();
    assert_eq!(device.as_ptr() as usize % 4096, 0);
    stream.copy(&device, &host).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(device.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
    let attributes = device.slice(2..).unwrap().attributes().unwrap();
    assert_eq!((attributes.kind, attributes.base, attributes.size), (PointerKind::DEVICE, device.as_ptr() as usize, 16));
    assert_eq!(host.region().attributes().unwrap().kind, PointerKind::HOST);
    assert_eq!(host.on_device().unwrap().to_vec().unwrap()[3], 4);

    let shared = SharedBuffer::<u16>::from_slice(&context, &[9; 4]).unwrap();
    stream.prefetch(&shared, None).unwrap();
    stream.synchronize().unwrap();
    // SAFETY: nothing uses the memory meanwhile.
    assert_eq!(unsafe { shared.as_slice() }, [9; 4]);

    let empty = DeviceBuffer::<f64>::new(&context, 0).unwrap();
    assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());
    stream.write(&empty, &[]).unwrap();
    let early = DeviceBuffer::<i64>::new_async(&stream, 4).unwrap();
    stream.fill(&early, -3i64).unwrap();
    let back = stream.read(&early).unwrap();
    early.free_async(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(back.to_vec().unwrap(), [-3; 4]);
    assert!(stream.fill(&device, 1u16).is_ok() && stream.zero(&device).is_ok());
    assert_eq!(
        stream.fill(&DeviceBuffer::<[u8; 3]>::new(&context, 1).unwrap(), [0; 3]).unwrap_err().status(),
        Status::INVALID_VALUE
    );
}

#[test]
fn imported_memory_keeps_its_owner() {
    let (context, stream) = setup();
    if !context.device().unwrap().has(Capability::NATIVE_INTEROP).unwrap() {
        eprintln!("skipped: the device takes no memory of other libraries");
        return;
    }
    let owner = Arc::new(vec![1.5f32; 8]);
    let native = [owner.as_ptr() as u64, 0];
    // SAFETY: the vector has 8 floats and lives as long as the clone that the library keeps.
    let buffer = unsafe { DeviceBuffer::<f32>::from_native_owned(native, 8, owner.clone(), &context) }.unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1.5; 8]);
    stream.wait_memory(&buffer).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(Arc::strong_count(&owner), 2);
    drop(buffer);
    while Arc::strong_count(&owner) > 1 {
        std::thread::yield_now();
    }
    // SAFETY: refused, because no memory has so many bytes.
    let refused = unsafe { DeviceBuffer::<f32>::from_native_owned([0, 0], 8, owner.clone(), &context) };
    assert!(refused.is_err());
    assert_eq!(Arc::strong_count(&owner), 1, "a refused import drops the owner");
}

#[test]
fn rows_stay_inside_both_sides() {
    let (context, stream) = setup();
    let matrix = DeviceBuffer::from_slice(&context, &(0..12).collect::<Vec<i32>>()).unwrap();
    let block = DeviceBuffer::<i32>::zeroed(&context, 4).unwrap();
    let rows = Rows { width: 2, height: 2, to_pitch: 2, from_pitch: 4 };
    matrix.slice(5..).unwrap().copy_rows_to(&block, rows).unwrap();
    assert_eq!(block.to_vec().unwrap(), [5, 6, 9, 10]);
    stream.copy_rows(&block, &matrix, rows).unwrap();
    stream.zero_rows(&matrix, 1, 3, 4).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(block.to_vec().unwrap(), [0, 1, 4, 5]);
    assert_eq!(matrix.to_vec().unwrap(), [0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11]);
    for wrong in [
        Rows { height: 3, ..rows },
        Rows { to_pitch: 1, ..rows },
        Rows { from_pitch: usize::MAX, ..rows },
        Rows { from_pitch: usize::MAX, height: 1, ..rows },
        Rows { width: usize::MAX, height: 0, ..rows },
        Rows { width: 5, height: 1, to_pitch: 5, from_pitch: 5 },
    ] {
        assert_eq!(stream.copy_rows(&block, &matrix, wrong).unwrap_err().status(), Status::INVALID_VALUE, "{:?}", wrong);
        assert_eq!(matrix.region().copy_rows_to(&block, wrong).unwrap_err().status(), Status::INVALID_VALUE);
    }
    // The part that is meant ends before the allocation does.
    let part = matrix.slice(..4).unwrap();
    assert!(stream.copy_rows(&block, &part, rows).unwrap_err().message().contains("source"));
}

#[test]
fn pools_limit_and_call_back() {
    let (context, stream) = setup();
    let options = PoolOptions { maximum_bytes: 1 << 20, label: "small".into(), ..PoolOptions::default() };
    let pool: Pool = Pool::new(&context, &options).unwrap();
    let calls = Arc::new(AtomicU64::new(0));
    let seen = calls.clone();
    pool.on_out_of_memory(move |size| {
        seen.fetch_add(size, Ordering::Relaxed);
        false
    })
    .unwrap();
    let buffer = pool.allocate::<u32>(1000, 0, &stream).unwrap();
    assert_eq!(pool.stats().unwrap().live_bytes, 4000);
    assert_eq!(pool.allocate::<u8>(2 << 20, 0, &stream).unwrap_err().status(), Status::OUT_OF_MEMORY);
    assert_eq!(calls.load(Ordering::Relaxed), 2 << 20);
    pool.clear_out_of_memory().unwrap();
    assert_eq!(Arc::strong_count(&calls), 1);
    pool.set_limit(4 << 20).unwrap();
    drop(pool.allocate::<u8>(2 << 20, 4096, &stream).unwrap());
    buffer.free().unwrap();
    stream.synchronize().unwrap();
    pool.set_release_threshold(0).unwrap();
    pool.set_pin_mode(true).unwrap();
    pool.set_pin_mode(false).unwrap();
    pool.reset_peak().unwrap();
    pool.trim(0).unwrap();
    assert_eq!(pool.stats().unwrap().live_count, 0);
    assert!(pool.to_json().unwrap().starts_with('{'));
    context.set_default_pool(&pool).unwrap();
    let pinned = Pool::<kind::Host>::new(&context, &PoolOptions::default()).unwrap();
    let host = pinned.allocate::<f32>(4, 0, &stream).unwrap();
    host.write(&[1.0; 4]).unwrap();
    drop(pinned);
    assert_eq!(host.to_vec().unwrap(), [1.0; 4]);
}

#[test]
fn fences_order_host_and_streams() {
    let (context, stream) = setup();
    let fence = Fence::new(&context, 1).unwrap();
    let event = Event::without_timing(&context).unwrap();
    assert!(event.is_complete().unwrap());
    stream.wait_fence(&fence, 2).unwrap();
    stream.signal_fence(&fence, 3).unwrap();
    stream.record(&event).unwrap();
    assert!(!event.is_complete().unwrap() && !stream.is_complete().unwrap());
    let limit = Duration::from_millis(1);
    assert_eq!(fence.wait_for(limit, 3).unwrap_err().status(), Status::TIMEOUT);
    assert_eq!(event.synchronize_for(limit).unwrap_err().status(), Status::TIMEOUT);
    let descriptor = std::fs::File::from(event.descriptor().unwrap());
    let mut count = [0; 8];
    assert_eq!((&descriptor).read(&mut count).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    fence.signal(2).unwrap();
    while (&descriptor).read(&mut count).is_err() {
        std::thread::yield_now();
    }
    assert!(event.is_complete().unwrap());
    fence.wait(3).unwrap();
    event.synchronize().unwrap();
    assert_eq!(fence.value().unwrap(), 3);
    assert_eq!(fence.signal(1).unwrap_err().status(), Status::INVALID_VALUE);
    assert_eq!(event.nanoseconds_since(&event).unwrap_err().status(), Status::INVALID_VALUE);
    assert_eq!(event.timestamp().unwrap_err().status(), Status::INVALID_VALUE);
    let timed = Event::new(&context).unwrap();
    stream.record(&timed).unwrap();
    timed.synchronize().unwrap();
    let (time, error) = timed.timestamp().unwrap().expect("it is complete");
    assert!(time != 0 && error < 1_000_000_000);
}

#[test]
fn modules_have_headers_and_kernels() {
    let (context, stream) = setup();
    let source = "#include \"factor.h\"\nconstant int table[2] = {4, 5};\n\
        kernel void one(global int* x) { x[0] = FACTOR; }\nkernel void two(global int* x, int n) { x[n] = table[n]; }";
    let headers = vec![("factor.h".to_string(), "#define FACTOR 6".to_string())];
    let options = ModuleOptions { format: ImageFormat::OPENCL_C, name: "two.cl".into(), headers, ..Default::default() };
    // SAFETY: it is source.
    let module = unsafe { Module::from_image(&context, source.as_bytes(), &options) }.unwrap();
    let names: Vec<_> = module.kernels().unwrap().iter().map(|kernel| kernel.name().to_string()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(module.kernel("three").unwrap_err().status(), Status::NOT_FOUND);
    module.build_log().unwrap();
    // SAFETY: it is read only.
    assert_eq!(unsafe { module.global::<i32>("table") }.unwrap().to_vec().unwrap(), [4, 5]);
    let (one, two) = (module.kernel("one").unwrap(), module.kernel("two").unwrap());
    drop(module);
    assert_eq!(two.arguments().unwrap()[1].name, "n");
    assert!(two.suggest_group(100, 0).unwrap().0[0] >= 1);
    assert!(two.max_active_groups(1, 0).unwrap() >= 1);
    assert_eq!(one.info().unwrap().arg_count, 1);
    assert_eq!(one.arguments().unwrap()[0].access, Access::WRITE);
    assert_ne!(one.info().unwrap().tier, Tier::READY_MADE);
    let data = DeviceBuffer::<i32>::zeroed(&context, 2).unwrap();
    let list: [&dyn KernelArg; 2] = [&data, &1i32];
    // SAFETY: each writes one of two integers.
    unsafe {
        one.launch(&stream, Launch::new(1, 1), (&data,)).unwrap();
        two.launch(&stream, Launch { cooperative: true, ..Launch::new(1, 1) }, &list[..]).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(data.to_vec().unwrap(), [6, 5]);
    let sources = ["int far(void); kernel void four(global int* x) { x[0] = far(); }", "int far(void) { return 4; }"];
    Module::from_sources(&context, &sources, "").unwrap().kernel("four").unwrap();
    let sources = ["kernel void five(global int* x) { x[0] = 5; }", "kernel void bad() { absent(); }", "kernel void six() {}"];
    let named = |name: &str| ModuleOptions { name: name.to_owned(), ..Default::default() };
    let options = [named("five.cl"), named("bad.cl"), named("six.cl")];
    let many = Module::build_many(&context, &sources, &options).unwrap();
    assert_eq!(many.len(), 3);
    many[0].as_ref().unwrap().kernel("five").unwrap();
    many[2].as_ref().unwrap().kernel("six").unwrap();
    let error = many[1].as_ref().unwrap_err();
    assert_eq!(error.status(), Status::BUILD_FAILED);
    assert!(error.message().contains("Source 1 of 3 (\"bad.cl\"): "), "{}", error.message());
    assert_eq!(Module::build_many(&context, &sources, &options[..2]).unwrap_err().status(), Status::INVALID_VALUE);
    assert!(Module::build_many(&context, &[], &[]).unwrap().is_empty());
    let folder = std::env::temp_dir().join(format!("manyrt-rust-{}.cl", std::process::id()));
    std::fs::write(&folder, "kernel void three(global int* x) { x[0] = 3; }").unwrap();
    // SAFETY: it is source.
    let loaded = unsafe { Module::from_file(&context, &folder, &ModuleOptions::default()) };
    std::fs::remove_file(&folder).unwrap();
    loaded.unwrap().kernel("three").unwrap();
}

unsafe extern "C" fn fill_groups(group: *const sys::rtHostGroup_t, args: *const *mut c_void) {
    let (group, data) = (&*group, *(*args).cast::<*mut i32>());
    *data.add(group.group_id[0] as usize) = *(*args.add(1)).cast::<i32>();
}

#[test]
fn a_function_is_a_kernel_of_the_cpu() {
    let (context, stream) = setup();
    let arguments = [(ArgKind::POINTER, 8), (ArgKind::VALUE, 4)];
    // SAFETY: it writes one integer for each work-group.
    let kernel = unsafe { Kernel::from_host(&context, "fill_groups", fill_groups, &arguments) }.unwrap();
    let data = DeviceBuffer::<i32>::zeroed(&context, 5).unwrap();
    // SAFETY: 5 work-groups.
    unsafe { kernel.launch(&stream, Launch::new(5, 1), (&data, 8i32)) }.unwrap();
    // SAFETY: refused.
    let error = unsafe { kernel.launch(&stream, Launch::new(5, 1), (&data, 8i64)) }.unwrap_err();
    assert!(error.message().contains("Argument 1"), "{}", error);
    drop(kernel);
    stream.synchronize().unwrap();
    assert_eq!(data.to_vec().unwrap(), [8; 5]);
}

#[test]
fn errors_have_a_name_and_a_meaning() {
    init().unwrap();
    assert!(live_handle_count(HandleKind::DEVICE).is_ok());
    assert!(Status::TIMEOUT.meaning().len() > 5);
    let (context, stream) = setup();
    let error = Module::from_source(&context, "a\0b", "").unwrap_err();
    assert!(error.to_string().contains("zero byte at 1") && error.to_string().contains("RT_ERROR_INVALID_VALUE"), "{}", error);
    assert!(error.to_string().starts_with("rtModuleCreateFromSource: "), "{}", error);
    assert_eq!(stream.end_capture().unwrap_err().status(), Status::INVALID_VALUE);
}

/// A type that needs more than the 256 bytes that the library gives by itself.
#[derive(Clone, Copy)]
#[repr(C, align(8192))]
struct Page([u8; 8192]);
// SAFETY: bytes without padding.
unsafe impl Pod for Page {}

#[test]
fn memory_has_the_alignment_of_its_type() {
    let (context, stream) = setup();
    let pool = Pool::<kind::Host>::new(&context, &PoolOptions::default()).unwrap();
    for len in 1..4 {
        let options = MallocOptions { alignment: 16, label: String::new() };
        let mut buffers = vec![
            HostBuffer::new(&context, len).unwrap(),
            HostBuffer::with_options(&context, len, &options).unwrap(),
            pool.allocate(len, 16, &stream).unwrap(),
        ];
        stream.write(&buffers[0], &vec![Page([7; 8192]); len]).unwrap();
        stream.copy(&buffers[1], &buffers[0]).unwrap();
        stream.copy(&buffers[2], &buffers[1]).unwrap();
        stream.synchronize().unwrap();
        for buffer in &mut buffers {
            assert_eq!(buffer.as_ptr() as usize % 8192, 0);
            // SAFETY: all is written, and the stream is idle.
            assert_eq!(unsafe { buffer.as_mut_slice() }[len - 1].0[8191], 7);
        }
    }
    let error = HostBuffer::<Page>::with_options(&context, 1, &MallocOptions { alignment: 3 << 13, label: String::new() });
    assert_eq!(error.unwrap_err().status(), Status::INVALID_VALUE);
}

/// Elements without bytes have no address, and a slice must have one.
#[test]
fn elements_of_no_bytes_are_counted() {
    let (context, stream) = setup();
    let mut host = HostBuffer::<[f32; 0]>::new(&context, 3).unwrap();
    stream.write(&host, &[[], [], []]).unwrap();
    // SAFETY: there are no bytes.
    let (slice, pointer) = unsafe { (host.as_slice().len(), host.as_slice().as_ptr()) };
    assert_eq!((slice, pointer.is_null()), (3, false));
    // SAFETY: as above.
    assert!(!unsafe { host.as_mut_slice() }.as_ptr().is_null());
    assert_eq!(host.to_vec().unwrap(), [[0.0; 0]; 3]);
    assert_eq!(stream.fill(&host, []).unwrap_err().status(), Status::INVALID_VALUE);
}

struct PanicsAtItsEnd;
impl Drop for PanicsAtItsEnd {
    fn drop(&mut self) {
        panic!("at its end");
    }
}

/// The last use of the closure is then the call of the library, through which no panic may go.
#[test]
fn an_out_of_memory_closure_ends_itself() {
    let (context, stream) = setup();
    let limited = PoolOptions { maximum_bytes: 1 << 20, ..Default::default() };
    let pool = Arc::new(Pool::<kind::Device>::new(&context, &limited).unwrap());
    let (calls, captured) = (Arc::new(AtomicU64::new(0)), PanicsAtItsEnd);
    let (counter, own) = (calls.clone(), Arc::downgrade(&pool));
    pool.on_out_of_memory(move |_| {
        let _captured = &captured;
        counter.fetch_add(1, Ordering::Relaxed);
        own.upgrade().unwrap().clear_out_of_memory().unwrap();
        true
    })
    .unwrap();
    for _ in 0..2 {
        assert_eq!(pool.allocate::<u8>(1 << 22, 0, &stream).unwrap_err().status(), Status::OUT_OF_MEMORY);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
