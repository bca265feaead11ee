// error: E0597
// The operations of a group are submitted by its end: their memory has to be there until then.
use manyrt::comm::{CommReduction, Communicator, Group, InPlace, Operation};
pub fn wrong(comm: &Communicator, stream: &manyrt::Stream) -> manyrt::Result<()> {
    let mut group = Group::begin()?;
    {
        let x = manyrt::DeviceBuffer::from_slice(comm.context(), &[1.0f32])?;
        group.submit(comm, stream, Operation::all_reduce(&x, InPlace, CommReduction::SUM))?;
    }
    group.end().map(drop)
}
