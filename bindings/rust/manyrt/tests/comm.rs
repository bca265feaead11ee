// SPDX-License-Identifier: Apache-2.0
//! Communicators of two ranks in this process, on the CPU, and what is wrong.
#![cfg(feature = "comm")]

use manyrt::comm::*;
use manyrt::{Context, Device, DeviceBuffer, Error, Result, Status, Stream};
use std::time::Duration;

struct Pair {
    contexts: Vec<Context>,
    streams: Vec<Stream>,
    ranks: Vec<Communicator>,
}

impl Pair {
    fn new() -> Pair {
        let cpu = Device::by_name("cpu").unwrap();
        let contexts: Vec<_> = (0..2).map(|_| Context::new(cpu).unwrap()).collect();
        let streams = contexts.iter().map(|context| Stream::new(context).unwrap()).collect();
        let options = CommOptions { timeout: Some(Duration::from_secs(60)), label: "pair".into() };
        let ranks = Communicator::all(&contexts, &options).unwrap();
        Pair { contexts, streams, ranks }
    }

    /// Submits the operation of each rank in a group, and waits.
    fn each<'a>(&'a self, operation: impl Fn(usize) -> Operation<'a>) {
        let mut group = Group::begin().unwrap();
        for (i, rank) in self.ranks.iter().enumerate() {
            group.submit(rank, &self.streams[i], operation(i)).unwrap();
        }
        assert!(group.end().unwrap().is_empty());
        for (rank, stream) in self.ranks.iter().zip(&self.streams) {
            rank.synchronize(stream).unwrap();
        }
    }

    fn buffers(&self, values: impl Fn(i32) -> Vec<i32>) -> Vec<DeviceBuffer<i32>> {
        (0..2).map(|i| DeviceBuffer::from_slice(&self.contexts[i as usize], &values(i)).unwrap()).collect()
    }
}

fn values(buffers: &[DeviceBuffer<i32>]) -> Vec<Vec<i32>> {
    buffers.iter().map(|buffer| buffer.to_vec().unwrap()).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T>, status: Status, part: &str) -> Error {
    let error = result.unwrap_err();
    assert_eq!(error.status(), status, "{}", error);
    assert!(error.message().contains(part), "'{}' is not in: {}", part, error);
    error
}

#[test]
fn every_operation() {
    let pair = Pair::new();
    let x = pair.buffers(|i| vec![10i32.pow(i as u32), 2 * 10i32.pow(i as u32)]);
    let y = pair.buffers(|_| vec![0, 0]);
    let all = pair.buffers(|_| vec![0; 4]);
    let turned = pair.buffers(|_| vec![0; 4]);
    pair.each(|i| Operation::all_reduce(&y[i], &x[i], CommReduction::SUM));
    assert_eq!(values(&y), [[11, 22], [11, 22]]);
    pair.each(|i| Operation::all_reduce(&y[i], InPlace, CommReduction::AVERAGE));
    assert_eq!(values(&y), [[11, 22], [11, 22]]);
    pair.each(|i| Operation::reduce(&y[i], &x[i], CommReduction::PRODUCT, 1));
    assert_eq!(values(&y), [[11, 22], [10, 40]]);
    pair.each(|i| match i {
        0 => Operation::broadcast(&y[i], &x[i], 0),
        _ => Operation::broadcast(&y[i], NoMemory, 0),
    });
    assert_eq!(values(&y), [[1, 2], [1, 2]]);
    pair.each(|i| Operation::all_gather(&all[i], &x[i]));
    assert_eq!(values(&all), [[1, 2, 10, 20], [1, 2, 10, 20]]);
    pair.each(|i| Operation::reduce_scatter(&y[i], &all[i], CommReduction::SUM));
    assert_eq!(values(&y), [[2, 4], [20, 40]]);
    pair.each(|i| Operation::reduce_scatter(InPlace, &all[i], CommReduction::SUM));
    assert_eq!(values(&all), [[2, 4, 10, 20], [1, 2, 20, 40]]);
    pair.each(|i| Operation::all_to_all(&turned[i], &all[i]));
    assert_eq!(values(&turned), [[2, 4, 1, 2], [10, 20, 20, 40]]);
    pair.each(|i| match i {
        0 => Operation::gather(NoMemory, &x[i], 1),
        _ => Operation::gather(&all[i], &x[i], 1),
    });
    assert_eq!(values(&all)[1], [1, 2, 10, 20]);
    pair.each(|i| match i {
        0 => Operation::scatter(&y[i], NoMemory, 1),
        _ => Operation::scatter(InPlace, &all[i], 1),
    });
    assert_eq!(values(&y)[0], [1, 2]);
    let mut group = Group::begin().unwrap();
    for i in 0..2 {
        group.submit(&pair.ranks[i], &pair.streams[i], Operation::send(&x[i], 1 - i as i32)).unwrap();
        group.submit(&pair.ranks[i], &pair.streams[i], Operation::receive(&y[i], 1 - i as i32)).unwrap();
        group.submit(&pair.ranks[i], &pair.streams[i], Operation::barrier()).unwrap();
    }
    group.end().unwrap();
    for (rank, stream) in pair.ranks.iter().zip(&pair.streams) {
        rank.synchronize(stream).unwrap();
    }
    assert_eq!(values(&y), [[10, 20], [1, 2]]);
}

#[test]
fn parts_of_buffers_and_short_types() {
    let pair = Pair::new();
    let x = pair.buffers(|i| vec![-1, i + 1, -1]);
    let parts: Vec<_> = x.iter().map(|buffer| buffer.slice(1..2).unwrap()).collect();
    // A stream for each rank: one thread submits for both without a group.
    for (i, part) in parts.iter().enumerate() {
        pair.ranks[i].submit(&pair.streams[i], Operation::all_reduce(part, InPlace, CommReduction::SUM)).unwrap();
    }
    for (rank, stream) in pair.ranks.iter().zip(&pair.streams) {
        rank.synchronize(stream).unwrap();
    }
    assert_eq!(values(&x), [[-1, 3, -1], [-1, 3, -1]]);
    let one: Vec<_> = pair.contexts.iter().map(|context| DeviceBuffer::from_slice(context, &[Bf16(0x3F80)]).unwrap()).collect();
    pair.each(|i| Operation::all_reduce(&one[i], InPlace, CommReduction::SUM));
    assert_eq!(one[0].to_vec().unwrap(), [Bf16(0x4000)]);
}

#[test]
fn memory_may_be_dropped_while_its_operation_waits() {
    let pair = Pair::new();
    let y = pair.buffers(|_| vec![0; 1000]);
    for round in 0..20 {
        let sent = DeviceBuffer::from_slice(&pair.contexts[0], &[round; 1000]).unwrap();
        pair.ranks[0].submit(&pair.streams[0], Operation::all_reduce(&y[0], &sent, CommReduction::SUM)).unwrap();
        drop(sent); // rank 1 has not come yet
        let other = DeviceBuffer::from_slice(&pair.contexts[0], &[-1; 1000]).unwrap(); // of the same size
        let own = DeviceBuffer::from_slice(&pair.contexts[1], &[1; 1000]).unwrap();
        pair.ranks[1].submit(&pair.streams[1], Operation::all_reduce(&y[1], &own, CommReduction::SUM)).unwrap();
        drop((own, other));
        for i in 0..2 {
            pair.ranks[i].synchronize(&pair.streams[i]).unwrap();
        }
        assert_eq!(values(&y), [vec![round + 1; 1000], vec![round + 1; 1000]]);
    }
}

#[test]
fn more_communicators() {
    let pair = Pair::new();
    let mut group = Group::begin().unwrap();
    for (i, rank) in pair.ranks.iter().enumerate() {
        group.split(rank, Some(5), -(i as i32)).unwrap();
    }
    let made = group.end().unwrap();
    assert_eq!(made.iter().flatten().map(|rank| (rank.rank(), rank.size())).collect::<Vec<_>>(), [(1, 2), (0, 2)]);
    let mut group = Group::begin().unwrap();
    group.split(&pair.ranks[0], Some(0), 0).unwrap();
    group.split(&pair.ranks[1], None, 0).unwrap();
    let made = group.end().unwrap();
    assert_eq!(made[0].as_ref().unwrap().size(), 1);
    assert!(made[1].is_none());

    let id = UniqueId::new().unwrap();
    let mut group = Group::begin().unwrap();
    for (rank, context) in pair.contexts.iter().enumerate() {
        group.create(&id, rank as i32, 2, context, &CommOptions::default()).unwrap();
    }
    let made = group.end().unwrap();
    let second = made.into_iter().nth(1).unwrap().unwrap();
    assert_eq!((second.rank(), second.context()), (1, &pair.contexts[1]));
    assert_eq!(format!("{:?}", second), "Communicator(rank 1 of 2)");
    let info = second.info().unwrap();
    assert_eq!((info.engine, info.engine_name.as_str(), info.local_size), (CommEngine::IN_PROCESS, "in_process", 2));
    second.close().unwrap();
    refused(Communicator::new(&id, 0, 2, &pair.contexts[0], &CommOptions::default()), Status::INVALID_VALUE, "used");
    let alone = UniqueId::new().unwrap();
    let alone = Communicator::new(&alone, 0, 1, &pair.contexts[0], &CommOptions::default()).unwrap();
    assert!(alone.split(None, 0).unwrap().is_none());
    assert_eq!(alone.split(Some(3), 0).unwrap().unwrap().size(), 1);
}

#[test]
fn what_is_wrong_is_an_error() {
    let pair = Pair::new();
    let (rank, stream) = (&pair.ranks[0], &pair.streams[0]);
    let context = &pair.contexts[0];
    let buffer = |len: usize| DeviceBuffer::from_slice(context, &vec![0i32; len]).unwrap();
    let (two, three, four) = (buffer(2), buffer(3), buffer(4));
    let submit = |operation: Operation<'_>| rank.submit(stream, operation);
    let sum = CommReduction::SUM;
    let error = refused(
        submit(Operation::all_reduce(&two, &three, sum)),
        Status::INVALID_VALUE,
        "'receive' has 2 elements and 'send' 3",
    );
    assert_eq!(error.operation(), "rtCommAllReduce");
    refused(
        submit(Operation::all_gather(&three, &two)),
        Status::INVALID_VALUE,
        "'receive' has 3 elements, which do not divide by the 2 ranks",
    );
    refused(submit(Operation::reduce_scatter(&four, &four, sum)), Status::INVALID_VALUE, "takes 1 to 2");
    refused(submit(Operation::all_gather::<f32>(InPlace, NoMemory)), Status::INVALID_VALUE, "no memory");
    refused(submit(Operation::all_reduce(&two, InPlace, CommReduction(77))), Status::INVALID_VALUE, "77");
    refused(submit(Operation::send(&two, 7)), Status::INVALID_VALUE, "7");
    refused(rank.submit(&pair.streams[1], Operation::all_reduce(&two, InPlace, sum)), Status::WRONG_CONTEXT, "context");
    refused(rank.split(Some(-5), 0), Status::INVALID_VALUE, "-5");
    let options = CommOptions { timeout: Some(Duration::from_secs(0)), ..Default::default() };
    refused(Communicator::all(&pair.contexts, &options), Status::INVALID_VALUE, "above");
    refused(Communicator::all(&[], &CommOptions::default()), Status::INVALID_VALUE, "rtCommCreateAll");
    refused(Communicator::from_environment(context, &CommOptions::default()), Status::INVALID_VALUE, "WORLD_SIZE");
    // SAFETY: a null address is refused.
    let without = unsafe { Communicator::from_mpi(std::ptr::null(), context, &CommOptions::default()) };
    refused(without, Status::INVALID_VALUE, "mpi_comm");
}

#[test]
fn groups_have_a_thread_for_themselves() {
    let pair = Pair::new();
    let x = pair.buffers(|_| vec![1, 1]);
    {
        let mut group = Group::begin().unwrap();
        let all = |i: usize| Operation::all_reduce(&x[i], InPlace, CommReduction::SUM);
        group.submit(&pair.ranks[0], &pair.streams[0], all(0)).unwrap();
        refused(pair.ranks[1].submit(&pair.streams[1], all(1)), Status::INVALID_VALUE, "Group");
        refused(pair.ranks[1].split(None, 0), Status::INVALID_VALUE, "Group");
        refused(Group::begin().map(drop), Status::INVALID_VALUE, "Group");
        // Without end() nothing is submitted.
    }
    pair.ranks[0].synchronize(&pair.streams[0]).unwrap();
    assert_eq!(values(&x), [[1, 1], [1, 1]]);
    let mut group = Group::begin().unwrap();
    group.submit(&pair.ranks[0], &pair.streams[0], Operation::send(&x[0], 5)).unwrap_err();
    refused(group.end(), Status::INVALID_VALUE, "5");
}

#[test]
fn a_failure_is_that_of_all_ranks() {
    let pair = Pair::new();
    let x = pair.buffers(|_| vec![1, 1]);
    pair.ranks[0].submit(&pair.streams[0], Operation::all_reduce(&x[0], InPlace, CommReduction::SUM)).unwrap();
    assert_eq!(pair.ranks[0].failure().unwrap(), None);
    pair.ranks[1].abort().unwrap();
    refused(pair.ranks[0].synchronize(&pair.streams[0]), Status::LAUNCH_FAILED, "rtCommAbort");
    let failure = pair.ranks[0].failure().unwrap().unwrap();
    assert_eq!((failure.status, failure.rank), (Status::LAUNCH_FAILED, Some(1)));
}
