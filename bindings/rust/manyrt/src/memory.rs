// SPDX-License-Identifier: Apache-2.0
//! Typed memory: buffers of a device, of the host, and of both; parts of them; copies and fills that wait.
//!
//! The library keeps freed memory until every stream that was given an address inside has passed its work, and graphs keep what
//! they name. A buffer may therefore be dropped while work with it is in flight.
//!
//! Calls reach the memory as bytes, and do not borrow it: two copies without an order between them, or a read before a stream has
//! passed its copy, give a mixture of old and new bytes, as on every device. Every [`Pod`] allows that; the slices of
//! [`Buffer::as_slice`] do not, which is why they are unsafe.

use crate::callback::import_owned;
use crate::constants::{MemcpyKind, MemoryKind, PointerKind, Status};
use crate::context::Context;
use crate::device::Device;
use crate::error::{call, get, get_struct, label};
use crate::stream::Stream;
use crate::{Error, Result};
use std::fmt;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::{Bound, RangeBounds};
use std::os::raw::c_void;
use std::ptr::NonNull;

/// The numbers that kernels have names for, to tell a `float` from an `int` of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    /// Anything else; its size alone is checked.
    Other,
}

/// Values that may be copied as bytes between host and device.
///
/// # Safety
/// Every pattern of bytes is a value, there are no bytes of padding, and the type has no pointer or reference.
pub unsafe trait Pod: Copy + Send + Sync + 'static {
    /// What kernels call the type.
    const SCALAR: Scalar = Scalar::Other;
}

macro_rules! pod {
    ($($kind:ty => $scalar:ident),*) => {
        // SAFETY: numbers are any bytes.
        $(unsafe impl Pod for $kind { const SCALAR: Scalar = Scalar::$scalar; })*
    };
}
pod!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64,
     isize => I64, usize => U64, i128 => Other, u128 => Other);
// SAFETY: elements follow each other without padding.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// Kinds of memory as types.
pub mod kind {
    use crate::constants::MemoryKind;

    /// Memory of a device.
    #[derive(Debug, Clone, Copy)]
    pub struct Device;
    /// Pinned memory of the host.
    #[derive(Debug, Clone, Copy)]
    pub struct Host;
    /// Memory with one address for host and device.
    #[derive(Debug, Clone, Copy)]
    pub struct Shared;

    /// A kind of memory.
    pub trait Kind: Send + Sync + sealed::Sealed + 'static {
        /// The kind as a value.
        const KIND: MemoryKind;
    }
    /// A kind of memory that the host reaches with ordinary reads and writes.
    pub trait OnHost: Kind {}
    /// A kind of memory whose address kernels take.
    pub trait OnDevice: Kind {}

    mod sealed {
        pub trait Sealed {}
    }
    impl sealed::Sealed for Device {}
    impl sealed::Sealed for Host {}
    impl sealed::Sealed for Shared {}
    impl Kind for Device {
        const KIND: MemoryKind = MemoryKind::DEVICE;
    }
    impl Kind for Host {
        const KIND: MemoryKind = MemoryKind::HOST;
    }
    impl Kind for Shared {
        const KIND: MemoryKind = MemoryKind::SHARED;
    }
    impl OnHost for Host {}
    impl OnHost for Shared {}
    impl OnDevice for Device {}
    impl OnDevice for Shared {}
}
use kind::{Kind, OnHost};

/// Elements of type `T` in memory of kind `K`, freed when it is dropped.
pub struct Buffer<T: Pod, K: Kind = kind::Device> {
    pointer: *mut c_void,
    len: usize,
    owned: bool,
    context: Context,
    _kind: PhantomData<(T, K)>,
}

/// Memory of a device.
pub type DeviceBuffer<T> = Buffer<T, kind::Device>;
/// Pinned memory of the host, which copies of a stream read and write without a copy in between.
pub type HostBuffer<T> = Buffer<T, kind::Host>;
/// Memory with one address for host and device, where the device has it.
pub type SharedBuffer<T> = Buffer<T, kind::Shared>;

// SAFETY: the memory is reached through calls of the library, from any thread; elements are Send and Sync.
unsafe impl<T: Pod, K: Kind> Send for Buffer<T, K> {}
// SAFETY: as above.
unsafe impl<T: Pod, K: Kind> Sync for Buffer<T, K> {}

/// What an allocation is made with besides its size. The default is what [`Buffer::new`] takes.
#[derive(Debug, Clone, Default)]
pub struct MallocOptions {
    /// A power of two in bytes; 0: 256. It is at least that of the type.
    pub alignment: u64,
    /// For messages and traces; cut to 63 bytes.
    pub label: String,
}

/// The bytes of `len` elements; a number that no address space has is out of memory.
pub(crate) fn byte_size<T>(operation: &'static str, len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>()).ok_or_else(|| {
        let message = format!("{} elements of {} bytes are more than 2^64 bytes.", len, size_of::<T>());
        Error::new(Status::OUT_OF_MEMORY, operation, message)
    })
}

/// The alignment to ask for: 0 is that of the library, 256 bytes; a type may need more.
pub(crate) fn alignment_of<T>(asked: u64) -> u64 {
    let needed = align_of::<T>() as u64;
    if asked != 0 || needed > 256 {
        asked.max(needed)
    } else {
        0
    }
}

impl<T: Pod, K: Kind> Buffer<T, K> {
    pub(crate) fn from_pointer(pointer: *mut c_void, len: usize, context: &Context) -> Self {
        Buffer { pointer, len, owned: true, context: context.clone(), _kind: PhantomData }
    }

    /// Allocates `len` elements whose contents are undefined until they are written.
    pub fn new(context: &Context, len: usize) -> Result<Self> {
        if alignment_of::<T>(0) != 0 {
            return Self::with_options(context, len, &MallocOptions::default());
        }
        let pointer = match K::KIND {
            MemoryKind::DEVICE => {
                get!(rtMalloc(*mut c_void, byte_size::<T>("rtMalloc", len)?, context.as_raw()))
            }
            MemoryKind::HOST => {
                get!(rtMallocHost(*mut c_void, byte_size::<T>("rtMallocHost", len)?, context.as_raw()))
            }
            _ => get!(rtMallocShared(*mut c_void, byte_size::<T>("rtMallocShared", len)?, context.as_raw())),
        }?;
        Ok(Self::from_pointer(pointer, len, context))
    }

    /// As [`Buffer::new`], with an alignment and a label.
    pub fn with_options(context: &Context, len: usize, options: &MallocOptions) -> Result<Self> {
        let raw = manyrt_sys::rtMallocOptions_t {
            kind: K::KIND.0,
            alignment: alignment_of::<T>(options.alignment),
            label: label(&options.label),
            ..Default::default()
        };
        let bytes = byte_size::<T>("rtMallocWithOptions", len)?;
        let pointer = get!(rtMallocWithOptions(*mut c_void, bytes, &raw, context.as_raw()))?;
        Ok(Self::from_pointer(pointer, len, context))
    }

    /// Allocates `len` elements whose bytes are zeros. Blocks.
    pub fn zeroed(context: &Context, len: usize) -> Result<Self> {
        let buffer = Self::new(context, len)?;
        buffer.region().zero()?;
        Ok(buffer)
    }

    /// Allocates memory and copies `values` into it. Blocks.
    pub fn from_slice(context: &Context, values: &[T]) -> Result<Self> {
        let buffer = Self::new(context, values.len())?;
        buffer.write(values)?;
        Ok(buffer)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The context that the memory belongs to.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The address of the first element; null if there is none.
    pub fn as_ptr(&self) -> *mut T {
        self.pointer.cast()
    }

    /// The elements of a range; an error with both numbers if the range leaves the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Region<'_, T>> {
        self.region().slice(range)
    }

    /// Copies `values` into the buffer and waits. The lengths must be equal. Blocks.
    pub fn write(&self, values: &[T]) -> Result<()> {
        self.region().write(values)
    }

    /// Copies the buffer into `values` and waits. The lengths must be equal. Blocks.
    pub fn read(&self, values: &mut [T]) -> Result<()> {
        self.region().read(values)
    }

    /// Copies the buffer into a vector and waits. Blocks.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.region().to_vec()
    }

    /// Frees the memory now, as `drop` does, and returns what `drop` cannot: a failure. Does not block.
    pub fn free(mut self) -> Result<()> {
        self.end()
    }

    /// Frees the memory in the order of a stream, which may use it again for its next allocation at once.
    pub fn free_async(mut self, stream: &Stream) -> Result<()> {
        call!(rtFreeAsync(self.pointer, stream.as_raw()))?;
        self.owned = false;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.owned, false) {
            return Ok(());
        }
        call!(rtFree(self.pointer)).map(drop)
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// Allocates in the order of a stream: later work of it may use the memory at once.
    pub fn new_async(stream: &Stream, len: usize) -> Result<Self> {
        let pointer = get!(rtMallocAsync(*mut c_void, byte_size::<T>("rtMallocAsync", len)?, stream.as_raw()))?;
        Ok(Self::from_pointer(pointer, len, stream.context()))
    }

    /// Takes over memory of another library; dropping it only detaches it.
    ///
    /// # Safety
    /// `native` is memory of the context's driver, as [`Region::native`] gives it, with room for `len` elements; it stays alive
    /// until the buffer is dropped and all work with it is complete.
    pub unsafe fn from_native(native: [u64; 2], len: usize, context: &Context) -> Result<Self> {
        let bytes = byte_size::<T>("rtMemImport", len)? as u64;
        let pointer = get!(rtMemImport(*mut c_void, native.as_ptr(), bytes, context.as_raw()))?;
        Ok(Self::from_pointer(pointer, len, context))
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// As [`DeviceBuffer::from_native`], with an owner of the memory, which is dropped after the buffer and all work and
    /// graphs that use it; at once if this fails.
    ///
    /// # Safety
    /// `native` is memory of the context's driver with room for `len` elements, and lives as long as the owner.
    pub unsafe fn from_native_owned<O: Send + 'static>(
        native: [u64; 2],
        len: usize,
        owner: O,
        context: &Context,
    ) -> Result<Self> {
        let bytes = byte_size::<T>("rtMemImportWithRelease", len)? as u64;
        Ok(Self::from_pointer(import_owned(native, bytes, owner, context.as_raw())?, len, context))
    }
}

impl<T: Pod, K: OnHost> Buffer<T, K> {
    /// The elements, for reading on the host.
    ///
    /// # Safety
    /// They were written before, and no kernel, copy or other thread writes to them while the slice lives.
    pub unsafe fn as_slice(&self) -> &[T] {
        if self.pointer.is_null() {
            // No bytes: elements, if there are any, have a size of 0.
            return std::slice::from_raw_parts(NonNull::dangling().as_ptr(), self.len);
        }
        std::slice::from_raw_parts(self.as_ptr(), self.len)
    }

    /// The elements, for reading and writing on the host.
    ///
    /// # Safety
    /// They were written before, and no kernel, copy or other thread reads or writes them while the slice lives.
    pub unsafe fn as_mut_slice(&mut self) -> &mut [T] {
        if self.pointer.is_null() {
            return std::slice::from_raw_parts_mut(NonNull::dangling().as_ptr(), self.len);
        }
        std::slice::from_raw_parts_mut(self.as_ptr(), self.len)
    }

    /// The same elements at the address by which kernels of the context reach them.
    pub fn on_device(&self) -> Result<Region<'_, T>> {
        let pointer = get!(rtHostGetDevicePointer(*mut c_void, self.pointer, self.context.as_raw()))?;
        Ok(Region { pointer, len: self.len, _memory: PhantomData })
    }
}

impl<T: Pod, K: Kind> Drop for Buffer<T, K> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl<T: Pod, K: Kind> fmt::Debug for Buffer<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = K::KIND;
        write!(f, "Buffer<{}, {:?}>({} elements at {:p})", std::any::type_name::<T>(), kind, self.len, self.pointer)
    }
}

/// What copies and fills take: a buffer, or a part of one.
pub trait Memory<T: Pod> {
    /// All elements.
    fn region(&self) -> Region<'_, T>;
}

impl<T: Pod, K: Kind> Memory<T> for Buffer<T, K> {
    fn region(&self) -> Region<'_, T> {
        Region { pointer: self.pointer, len: self.len, _memory: PhantomData }
    }
}

impl<T: Pod> Memory<T> for Region<'_, T> {
    fn region(&self) -> Region<'_, T> {
        *self
    }
}

impl<T: Pod, M: Memory<T> + ?Sized> Memory<T> for &M {
    fn region(&self) -> Region<'_, T> {
        (**self).region()
    }
}

/// A part of a buffer. It cannot outlive the buffer.
#[derive(Clone, Copy)]
pub struct Region<'a, T: Pod> {
    pub(crate) pointer: *mut c_void,
    pub(crate) len: usize,
    pub(crate) _memory: PhantomData<&'a T>,
}

// SAFETY: as for the buffer.
unsafe impl<T: Pod> Send for Region<'_, T> {}
// SAFETY: as for the buffer.
unsafe impl<T: Pod> Sync for Region<'_, T> {}

/// What the library knows about an address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerAttributes {
    /// The kind of memory.
    pub kind: PointerKind,
    /// The first byte of the allocation.
    pub base: usize,
    /// The bytes that were asked for.
    pub size: u64,
    /// The owner's device, unless the memory is not the library's.
    pub device: Option<Device>,
}

/// Refuses a copy between `from` and `to` elements, unless they are as many.
pub(crate) fn same_length<T>(operation: &'static str, to: usize, from: usize) -> Result<()> {
    if to == from {
        return Ok(());
    }
    let (size, message) = (size_of::<T>(), "A copy needs two sides of one length");
    let message = format!("{}: the source has {} bytes and the destination {}.", message, from * size, to * size);
    Err(Error::new(Status::INVALID_VALUE, operation, message))
}

/// Rows of a rectangle in memory: how many elements each has, how many rows there are, and from row to row the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Elements from row to row in the destination, at least `width`.
    pub to_pitch: usize,
    /// Elements from row to row in the source, at least `width`.
    pub from_pitch: usize,
}

impl Rows {
    /// Refuses rows that leave one of the two sides; the library sees the allocation alone, not the part of it that is meant.
    pub(crate) fn check<T>(&self, operation: &'static str, to: usize, from: usize) -> Result<()> {
        for (side, pitch, len) in [("destination", self.to_pitch, to), ("source", self.from_pitch, from)] {
            let end = self.height.saturating_sub(1).checked_mul(pitch).and_then(|start| start.checked_add(self.width));
            let empty = self.width == 0 || self.height == 0;
            let countable = [pitch, self.width].iter().all(|count| count.checked_mul(size_of::<T>()).is_some());
            if !countable || !empty && (pitch < self.width || end.map_or(true, |end| end > len)) {
                let (size, Rows { width, height, .. }) = (size_of::<T>(), self);
                let message = format!(
                    "{} rows of {} elements, {} apart, leave the {} of {} elements of {} bytes.",
                    height, width, pitch, side, len, size
                );
                return Err(Error::new(Status::INVALID_VALUE, operation, message));
            }
        }
        Ok(())
    }
}

impl<'a, T: Pod> Region<'a, T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The address of the first element.
    pub fn as_ptr(&self) -> *mut T {
        self.pointer.cast()
    }

    /// The elements of a range; an error with both numbers if the range leaves the region.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Region<'a, T>> {
        let start = match range.start_bound() {
            Bound::Included(start) => Some(*start),
            Bound::Excluded(start) => start.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(end) => end.checked_add(1),
            Bound::Excluded(end) => Some(*end),
            Bound::Unbounded => Some(self.len),
        };
        match (start, end) {
            (Some(start), Some(end)) if start <= end && end <= self.len => {
                let pointer = self.pointer.cast::<T>().wrapping_add(start).cast();
                Ok(Region { pointer, len: end - start, _memory: PhantomData })
            }
            _ => {
                let (start, end) = (range.start_bound(), range.end_bound());
                let message = format!("The range {:?} to {:?} leaves the {} elements.", start, end, self.len);
                Err(Error::new(Status::INVALID_VALUE, "Region::slice", message))
            }
        }
    }

    /// Copies `values` into the region and waits. The lengths must be equal. Blocks.
    pub fn write(&self, values: &[T]) -> Result<()> {
        same_length::<T>("rtMemcpy", self.len, values.len())?;
        call!(rtMemcpy(self.pointer, values.as_ptr().cast(), self.bytes(), MemcpyKind::DEFAULT.0)).map(drop)
    }

    /// Copies the region into `values` and waits. The lengths must be equal. Blocks.
    pub fn read(&self, values: &mut [T]) -> Result<()> {
        same_length::<T>("rtMemcpy", values.len(), self.len)?;
        call!(rtMemcpy(values.as_mut_ptr().cast(), self.pointer, self.bytes(), MemcpyKind::DEFAULT.0)).map(drop)
    }

    /// Copies the region into a vector and waits. Blocks.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        // SAFETY: zeros are a value of every Pod.
        let mut values = vec![unsafe { std::mem::zeroed() }; self.len];
        self.read(&mut values)?;
        Ok(values)
    }

    /// Copies this region into another one, of any device, and waits. The lengths must be equal. Blocks.
    pub fn copy_to(&self, to: &impl Memory<T>) -> Result<()> {
        let to = to.region();
        same_length::<T>("rtMemcpy", to.len, self.len)?;
        call!(rtMemcpy(to.pointer, self.pointer, self.bytes(), MemcpyKind::DEFAULT.0)).map(drop)
    }

    /// Copies a rectangle into another region and waits. Blocks.
    pub fn copy_rows_to(&self, to: &impl Memory<T>, rows: Rows) -> Result<()> {
        let (to, size) = (to.region(), size_of::<T>());
        rows.check::<T>("rtMemcpy2D", to.len, self.len)?;
        call!(rtMemcpy2D(
            to.pointer,
            rows.to_pitch * size,
            self.pointer,
            rows.from_pitch * size,
            rows.width * size,
            rows.height,
            MemcpyKind::DEFAULT.0
        ))
        .map(drop)
    }

    /// Sets all bytes to 0 and waits. Blocks.
    pub fn zero(&self) -> Result<()> {
        call!(rtMemset(self.pointer, 0, self.bytes())).map(drop)
    }

    /// What the library knows about the memory.
    pub fn attributes(&self) -> Result<PointerAttributes> {
        let raw = get_struct!(rtPointerGetAttributes(rtPointerAttributes_t, self.pointer))?;
        Ok(PointerAttributes {
            kind: PointerKind(raw.kind),
            base: raw.base as usize,
            size: raw.size,
            device: if raw.device.is_null() { None } else { Some(Device { handle: raw.device }) },
        })
    }

    /// The driver's form of the address: CUDA and CPU the address and 0, OpenCL the cl_mem and an offset, or the address and 0.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtPointerGetNative(native.as_mut_ptr(), self.pointer)).map(|_| native)
    }
}

impl<T: Pod> fmt::Debug for Region<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region<{}>({} elements at {:p})", std::any::type_name::<T>(), self.len, self.pointer)
    }
}
