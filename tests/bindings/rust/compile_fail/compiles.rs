// error: none
// What the other files do wrong, done right: this one has to compile, so that a broken setup is no success of the others.
use manyrt::{Context, DeviceBuffer, Kernel, Launch, Result, Stream};

pub fn right(context: &Context, kernel: &Kernel) -> Result<()> {
    let stream = Stream::new(context)?;
    let buffer = DeviceBuffer::<f32>::new(context, 4)?;
    let half = buffer.slice(..2)?;
    stream.zero(&half)?;
    let value = 5;
    stream.launch_host(move |_| assert_eq!(value, 5))?;
    // SAFETY: this program does not run.
    unsafe { kernel.launch(&stream, Launch::new(1, 4), (&buffer, 1.0f32))? };
    // SAFETY: as above.
    unsafe { kernel.launch(&stream, Launch::new(1, 2), (&half, half))? };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _current = context.enter();
            stream.synchronize()
        });
    });
    drop(buffer);
    stream.close()
}
