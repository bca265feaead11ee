// SPDX-License-Identifier: Apache-2.0
//! What ranks submit: which operation, with which memory. The elements of both ranges have one type, and their numbers are
//! compared when the operation is submitted, because they depend on the number of ranks.

use super::constants::{CommReduction, CommType};
use super::{comm_call, invalid};
use crate::memory::{Memory, Pod};
use crate::Result;
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::c_void;

/// A type of elements that operations know.
///
/// # Safety
/// The type has the size and the meaning of `TYPE`.
pub unsafe trait Element: Pod {
    /// What rt_comm.h calls the type.
    const TYPE: CommType;
}

/// A number of 16 bits as in IEEE 754, by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);
/// The upper half of a float, by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub u16);
// SAFETY: as u16.
unsafe impl Pod for F16 {}
// SAFETY: as u16.
unsafe impl Pod for Bf16 {}

macro_rules! element {
    ($($kind:ty => $name:ident),*) => {
        // SAFETY: the types are those of C.
        $(unsafe impl Element for $kind { const TYPE: CommType = CommType::$name; })*
    };
}
element!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64, F16 => F16, Bf16 => BF16,
         f32 => F32, f64 => F64);

/// Where an operation has its elements; of a mark there is no address.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pointer: *mut c_void,
    len: usize,
    in_place: bool,
}

/// What stands for `receive` and `send`: a reference to a buffer or a part of one, [`InPlace`], or [`NoMemory`].
pub trait Range<'a, T: Element> {
    /// Where the elements are.
    fn place(self) -> Option<Place>;
}

/// The range is in the other one of the operation: the same elements, or this rank's part of them.
#[derive(Debug, Clone, Copy)]
pub struct InPlace;

/// The range is that of another rank, the root.
#[derive(Debug, Clone, Copy)]
pub struct NoMemory;

impl<'a, T: Element, M: Memory<T>> Range<'a, T> for &'a M {
    fn place(self) -> Option<Place> {
        let region = self.region();
        Some(Place { pointer: region.pointer, len: region.len, in_place: false })
    }
}

impl<T: Element> Range<'_, T> for InPlace {
    fn place(self) -> Option<Place> {
        Some(Place { pointer: std::ptr::null_mut(), len: 0, in_place: true })
    }
}

impl<T: Element> Range<'_, T> for NoMemory {
    fn place(self) -> Option<Place> {
        None
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    AllReduce(CommReduction),
    Reduce(CommReduction, i32),
    Broadcast(i32),
    AllGather,
    ReduceScatter(CommReduction),
    AllToAll,
    Gather(i32),
    Scatter(i32),
    Send(i32),
    Receive(i32),
    Barrier,
}

/// One operation, which every rank submits in the same order. Reductions are those of [`CommReduction`], roots and peers ranks.
#[derive(Debug, Clone, Copy)]
#[must_use = "an operation runs when it is submitted"]
pub struct Operation<'a> {
    kind: Kind,
    receive: Option<Place>,
    send: Option<Place>,
    element: CommType,
    element_bytes: usize,
    _memory: PhantomData<&'a ()>,
}

impl<'a> Operation<'a> {
    fn new<T: Element>(kind: Kind, receive: impl Range<'a, T>, send: impl Range<'a, T>) -> Self {
        let (receive, send) = (receive.place(), send.place());
        Operation { kind, receive, send, element: T::TYPE, element_bytes: size_of::<T>(), _memory: PhantomData }
    }

    /// Reduces the elements of all ranks and gives every rank the result.
    pub fn all_reduce<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>, reduction: CommReduction) -> Self {
        Self::new(Kind::AllReduce(reduction), receive, send)
    }

    /// Reduces the elements of all ranks and gives root the result; other ranks need no `receive`.
    pub fn reduce<T: Element>(
        receive: impl Range<'a, T>,
        send: impl Range<'a, T>,
        reduction: CommReduction,
        root: i32,
    ) -> Self {
        Self::new(Kind::Reduce(reduction, root), receive, send)
    }

    /// Gives every rank the elements of root; other ranks need no `send`.
    pub fn broadcast<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>, root: i32) -> Self {
        Self::new(Kind::Broadcast(root), receive, send)
    }

    /// Gives every rank the elements of all, in rank order: `receive` has as many times the elements of `send` as there are ranks.
    pub fn all_gather<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>) -> Self {
        Self::new(Kind::AllGather, receive, send)
    }

    /// Reduces the elements of all ranks and gives each its part: `send` has as many times the elements of `receive` as there are
    /// ranks.
    pub fn reduce_scatter<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>, reduction: CommReduction) -> Self {
        Self::new(Kind::ReduceScatter(reduction), receive, send)
    }

    /// Gives each rank its part of every rank, in rank order. In place on all ranks or on none.
    pub fn all_to_all<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>) -> Self {
        Self::new(Kind::AllToAll, receive, send)
    }

    /// Gives root the elements of all ranks, in rank order; other ranks need no `receive`.
    pub fn gather<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>, root: i32) -> Self {
        Self::new(Kind::Gather(root), receive, send)
    }

    /// Gives each rank its part of the elements of root; other ranks need no `send`.
    pub fn scatter<T: Element>(receive: impl Range<'a, T>, send: impl Range<'a, T>, root: i32) -> Self {
        Self::new(Kind::Scatter(root), receive, send)
    }

    /// Sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups.
    pub fn send<T: Element>(send: impl Range<'a, T>, peer: i32) -> Self {
        Self::new(Kind::Send(peer), NoMemory, send)
    }

    /// Receives what a rank sends.
    pub fn receive<T: Element>(receive: impl Range<'a, T>, peer: i32) -> Self {
        Self::new(Kind::Receive(peer), receive, NoMemory)
    }

    /// Later work of the stream waits until the streams of all ranks have come to this operation.
    pub fn barrier() -> Self {
        Self::new::<u8>(Kind::Barrier, NoMemory, NoMemory)
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::AllReduce(_) => "rtCommAllReduce",
            Kind::Reduce(..) => "rtCommReduce",
            Kind::Broadcast(_) => "rtCommBroadcast",
            Kind::AllGather => "rtCommAllGather",
            Kind::ReduceScatter(_) => "rtCommReduceScatter",
            Kind::AllToAll => "rtCommAllToAll",
            Kind::Gather(_) => "rtCommGather",
            Kind::Scatter(_) => "rtCommScatter",
            Kind::Send(_) => "rtCommSend",
            Kind::Receive(_) => "rtCommReceive",
            Kind::Barrier => "rtCommBarrier",
        }
    }

    /// How often `receive` and `send` have the elements that the call counts.
    fn parts(&self, size: usize) -> (usize, usize) {
        match self.kind {
            Kind::AllGather | Kind::Gather(_) => (size, 1),
            Kind::ReduceScatter(_) | Kind::Scatter(_) => (1, size),
            Kind::AllToAll => (size, size),
            _ => (1, 1),
        }
    }

    /// The elements that the call counts in one range; `None` for a mark.
    fn count(&self, side: &str, place: Option<Place>, parts: usize) -> Result<Option<usize>> {
        match place {
            Some(place) if !place.in_place => {
                if place.len % parts != 0 {
                    let message = format!("'{}' has {} elements, which do not divide by the {} ranks.", side, place.len, parts);
                    return Err(invalid(self.name(), message));
                }
                Ok(Some(place.len / parts))
            }
            _ => Ok(None),
        }
    }

    /// Submits the operation of a rank among `size`.
    pub(super) fn submit(
        &self,
        comm: manyrt_sys::comm::rtComm_t,
        rank: usize,
        size: usize,
        stream: manyrt_sys::rtStream_t,
    ) -> Result<()> {
        let (to_parts, from_parts) = self.parts(size);
        let (to, from) = (self.count("receive", self.receive, to_parts)?, self.count("send", self.send, from_parts)?);
        let count = match (to, from) {
            (Some(to), Some(from)) if to != from => {
                let message = format!(
                    "'receive' has {} elements and 'send' {}: among {} ranks the operation takes {} to {}.",
                    to * to_parts,
                    from * from_parts,
                    size,
                    to_parts,
                    from_parts
                );
                return Err(invalid(self.name(), message));
            }
            (Some(count), _) | (None, Some(count)) => count,
            (None, None) if matches!(self.kind, Kind::Barrier) => 0,
            (None, None) => return Err(invalid(self.name(), "There is no memory in the operation.".into())),
        };
        // In place the smaller range is this rank's part of the larger.
        let part = rank * count * self.element_bytes;
        let pointer = |own: Option<Place>, parts: usize, other: Option<Place>, other_parts: usize| match (own, other) {
            (Some(own), Some(other)) if own.in_place => {
                other.pointer.cast::<u8>().wrapping_add(if other_parts > parts { part } else { 0 }).cast::<c_void>()
            }
            (Some(own), _) => own.pointer,
            (None, _) => std::ptr::null_mut(),
        };
        let receive = pointer(self.receive, to_parts, self.send, from_parts);
        let send = pointer(self.send, from_parts, self.receive, to_parts) as *const c_void;
        let (count, kind) = (count as u64, self.element.0);
        // The library keeps memory that is freed until the stream has passed the operation; within a group, Group keeps it.
        match self.kind {
            Kind::AllReduce(how) => comm_call!(rtCommAllReduce(receive, send, count, kind, how.0, stream, comm)),
            Kind::Reduce(how, root) => comm_call!(rtCommReduce(receive, send, count, kind, how.0, root, stream, comm)),
            Kind::Broadcast(root) => comm_call!(rtCommBroadcast(receive, send, count, kind, root, stream, comm)),
            Kind::AllGather => comm_call!(rtCommAllGather(receive, send, count, kind, stream, comm)),
            Kind::ReduceScatter(how) => comm_call!(rtCommReduceScatter(receive, send, count, kind, how.0, stream, comm)),
            Kind::AllToAll => comm_call!(rtCommAllToAll(receive, send, count, kind, stream, comm)),
            Kind::Gather(root) => comm_call!(rtCommGather(receive, send, count, kind, root, stream, comm)),
            Kind::Scatter(root) => comm_call!(rtCommScatter(receive, send, count, kind, root, stream, comm)),
            Kind::Send(peer) => comm_call!(rtCommSend(send, count, kind, peer, stream, comm)),
            Kind::Receive(peer) => comm_call!(rtCommReceive(receive, count, kind, peer, stream, comm)),
            Kind::Barrier => comm_call!(rtCommBarrier(stream, comm)),
        }
        .map(drop)
    }
}
