// error: E0382
// Memory that was dropped has no name any more.
pub fn wrong(buffer: manyrt::DeviceBuffer<f32>) -> manyrt::Result<Vec<f32>> {
    drop(buffer);
    buffer.to_vec()
}
