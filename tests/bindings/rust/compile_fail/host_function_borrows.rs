// error: E0373
// A host function runs later, on another thread: it cannot borrow from the function that submits it.
pub fn wrong(stream: &manyrt::Stream) -> manyrt::Result<()> {
    let value = 5;
    stream.launch_host(|_| assert_eq!(value, 5))
}
