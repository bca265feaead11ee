// error: E0133
// A kernel may write where it likes: the program has to promise that it does not.
pub fn wrong(kernel: &manyrt::Kernel, stream: &manyrt::Stream) -> manyrt::Result<()> {
    kernel.launch(stream, manyrt::Launch::new(1, 1), ())
}
