// error: E0277
// A String has a pointer to host memory, which no device may copy as bytes.
pub fn wrong(context: &manyrt::Context) -> manyrt::Result<manyrt::DeviceBuffer<String>> {
    manyrt::DeviceBuffer::<String>::new(context, 4)
}
