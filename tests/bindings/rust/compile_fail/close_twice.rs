// error: E0382
// What was closed cannot be closed again.
pub fn wrong(event: manyrt::Event) -> manyrt::Result<()> {
    event.close()?;
    event.close()
}
