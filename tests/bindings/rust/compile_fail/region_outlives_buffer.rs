// error: E0505
// A part of a buffer cannot be used when the buffer is gone.
pub fn wrong(stream: &manyrt::Stream, buffer: manyrt::DeviceBuffer<f32>) -> manyrt::Result<()> {
    let half = buffer.slice(..2)?;
    drop(buffer);
    stream.zero(&half)
}
