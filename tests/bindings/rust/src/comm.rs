// SPDX-License-Identifier: Apache-2.0
//! One of two processes that a launcher started, with manyrt::comm on the CPU. Ends with a panic that says what differed.

use manyrt::comm::{CommEngine, CommOptions, CommReduction, Communicator, Group, InPlace, Operation};
use manyrt::{Context, Device, DeviceBuffer, Result, Status, Stream};
use std::time::Duration;

fn main() -> Result<()> {
    let context = Context::new(Device::by_name("cpu")?)?;
    let stream = Stream::new(&context)?;
    let options = CommOptions { timeout: Some(Duration::from_secs(60)), ..Default::default() };
    let ranks = Communicator::from_environment(&context, &options)?;
    let rank = ranks.rank();
    let info = ranks.info()?;
    assert_eq!((ranks.size(), info.local_size, info.engine), (2, 1, CommEngine::SHARED_MEMORY));
    let x = DeviceBuffer::from_slice(&context, &[(rank + 1) as f32; 1000])?;
    ranks.submit(&stream, Operation::all_reduce(&x, InPlace, CommReduction::SUM))?;
    ranks.synchronize(&stream)?;
    assert_eq!(x.to_vec()?, [3.0; 1000]);

    let own = DeviceBuffer::from_slice(&context, &[rank, rank + 10])?;
    let all = DeviceBuffer::<i32>::new(&context, 4)?;
    let part = DeviceBuffer::<i32>::new(&context, 1)?;
    let other = DeviceBuffer::<i32>::new(&context, 2)?;
    ranks.submit(&stream, Operation::all_gather(&all, &own))?;
    ranks.submit(&stream, Operation::reduce_scatter(&part, &own, CommReduction::SUM))?;
    ranks.submit(&stream, Operation::broadcast(&other, &own, 1))?;
    ranks.synchronize(&stream)?;
    assert_eq!(all.to_vec()?, [0, 10, 1, 11]);
    assert_eq!(part.to_vec()?, [if rank == 0 { 1 } else { 21 }]);
    assert_eq!(other.to_vec()?, [1, 11]);
    let mut group = Group::begin()?;
    group.submit(&ranks, &stream, Operation::send(&own, 1 - rank))?;
    group.submit(&ranks, &stream, Operation::receive(&other, 1 - rank))?;
    group.end()?;
    ranks.synchronize(&stream)?;
    assert_eq!(other.to_vec()?, [1 - rank, 11 - rank]);

    let turned = ranks.split(Some(0), -rank)?.expect("a rank with a color");
    assert_eq!(turned.rank(), 1 - rank);
    let error = ranks.submit(&stream, Operation::all_reduce(&all, &own, CommReduction::SUM)).unwrap_err();
    assert_eq!(error.status(), Status::INVALID_VALUE, "{}", error);
    turned.submit(&stream, Operation::barrier())?;
    turned.synchronize(&stream)?; // a rank that ends early is a failure of the other
    println!("{:?}", ranks);
    Ok(())
}
