// error: E0382
// A stream that was closed has no name any more.
pub fn wrong(stream: manyrt::Stream) -> manyrt::Result<()> {
    stream.close()?;
    stream.synchronize()
}
