// SPDX-License-Identifier: Apache-2.0
//! Kernels: what they take, and launching them with arguments that are checked by number, kind, size and name of type.

use crate::constants::{ArgKind, Status};
use crate::context::Context;
use crate::error::{c_string, call, get, get_struct, get_text};
use crate::memory::kind::{Kind, OnDevice};
use crate::memory::{Buffer, Pod, Region, Scalar};
use crate::module::Program;
use crate::results::{KernelArgInfo, KernelInfo};
use crate::stream::Stream;
use crate::{Error, Result};
use std::fmt;
use std::marker::PhantomData;
use std::mem::{size_of, size_of_val};
use std::os::raw::c_void;
use std::ptr;
use std::sync::Arc;

/// One argument of a launch, as its value gives it.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    pub(crate) kind: ArgKind,
    pub(crate) scalar: Scalar,
    /// Bytes of the value, or those to reserve.
    pub(crate) size: usize,
    pub(crate) value: Value<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Bytes(*const c_void, PhantomData<&'a ()>),
    Address(*mut c_void),
    Local(usize),
}

/// What a kernel takes: a number or another [`Pod`], a buffer or region of a device, [`Local`] memory.
pub trait KernelArg {
    /// The value with what is known of its type.
    fn argument(&self) -> Argument<'_>;
}

impl<T: Pod> KernelArg for T {
    fn argument(&self) -> Argument<'_> {
        let value: *const T = self;
        let value = Value::Bytes(value.cast(), PhantomData);
        Argument { kind: ArgKind::VALUE, scalar: T::SCALAR, size: size_of_val(self), value }
    }
}

fn pointer<'a, T: Pod>(pointer: *mut c_void) -> Argument<'a> {
    let value = Value::Address(pointer);
    Argument { kind: ArgKind::POINTER, scalar: T::SCALAR, size: size_of::<*mut c_void>(), value }
}

impl<T: Pod, K: Kind + OnDevice> KernelArg for Buffer<T, K> {
    fn argument(&self) -> Argument<'_> {
        pointer::<T>(self.as_ptr().cast())
    }
}

impl<T: Pod> KernelArg for Region<'_, T> {
    fn argument(&self) -> Argument<'_> {
        pointer::<T>(self.pointer)
    }
}

impl<T: Pod> KernelArg for &Region<'_, T> {
    fn argument(&self) -> Argument<'_> {
        (**self).argument()
    }
}

impl<T: Pod, K: Kind + OnDevice> KernelArg for &Buffer<T, K> {
    fn argument(&self) -> Argument<'_> {
        (**self).argument()
    }
}

/// Local memory of each work-group, in bytes, for a `__local` argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local(pub usize);

impl KernelArg for Local {
    fn argument(&self) -> Argument<'_> {
        Argument { kind: ArgKind::LOCAL, scalar: Scalar::Other, size: self.0, value: Value::Local(self.0) }
    }
}

/// All arguments of a launch: a tuple of up to 16, or a slice of `&dyn KernelArg`.
pub trait KernelArgs {
    /// Passes the arguments on.
    fn with<R>(&self, use_them: impl FnOnce(&[Argument<'_>]) -> R) -> R;
}

impl KernelArgs for () {
    fn with<R>(&self, use_them: impl FnOnce(&[Argument<'_>]) -> R) -> R {
        use_them(&[])
    }
}

impl KernelArgs for [&dyn KernelArg] {
    fn with<R>(&self, use_them: impl FnOnce(&[Argument<'_>]) -> R) -> R {
        let arguments: Vec<_> = self.iter().map(|value| value.argument()).collect();
        use_them(&arguments)
    }
}

impl<A: KernelArgs + ?Sized> KernelArgs for &A {
    fn with<R>(&self, use_them: impl FnOnce(&[Argument<'_>]) -> R) -> R {
        (**self).with(use_them)
    }
}

macro_rules! tuple {
    ($($name:ident),+) => {
        impl<$($name: KernelArg),+> KernelArgs for ($($name,)+) {
            #[allow(non_snake_case)]
            fn with<R>(&self, use_them: impl FnOnce(&[Argument<'_>]) -> R) -> R {
                let ($($name,)+) = self;
                use_them(&[$($name.argument()),+])
            }
        }
    };
}
tuple!(A);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);
tuple!(A, B, C, D, E);
tuple!(A, B, C, D, E, F);
tuple!(A, B, C, D, E, F, G);
tuple!(A, B, C, D, E, F, G, H);
tuple!(A, B, C, D, E, F, G, H, I);
tuple!(A, B, C, D, E, F, G, H, I, J);
tuple!(A, B, C, D, E, F, G, H, I, J, K);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O);
tuple!(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P);

/// Three sizes, of which those left out are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim(pub [u32; 3]);

impl From<u32> for Dim {
    fn from(x: u32) -> Dim {
        Dim([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Dim {
        Dim([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Dim {
        Dim([x, y, z])
    }
}

impl From<[u32; 3]> for Dim {
    fn from(sizes: [u32; 3]) -> Dim {
        Dim(sizes)
    }
}

/// The grid of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Work-groups; a zero: nothing runs.
    pub grid: Dim,
    /// Work-items in each work-group.
    pub group: Dim,
    /// Local memory of each work-group besides the kernel's own; 0 for kernels from OpenCL C.
    pub local_bytes: u32,
    /// All work-groups run at the same time, or the launch is refused.
    pub cooperative: bool,
    /// What `get_global_id()` of the first work-item returns, in each direction.
    pub offset: [u64; 3],
}

impl Launch {
    /// A grid of work-groups, each of work-items.
    pub fn new(grid: impl Into<Dim>, group: impl Into<Dim>) -> Launch {
        Launch { grid: grid.into(), group: group.into(), local_bytes: 0, cooperative: false, offset: [0; 3] }
    }

    /// The same grid, whose ids begin at `offset`.
    pub fn from(self, offset: [u64; 3]) -> Launch {
        Launch { offset, ..self }
    }

    /// As many work-groups of `group` work-items in a row as it takes for `items`; the last one may have items beyond.
    pub fn items(items: u32, group: u32) -> Launch {
        Launch::new(items / group.max(1) + u32::from(items % group.max(1) != 0), group)
    }
}

/// What a kernel says about one argument, with the type as a number's name.
struct Expected {
    info: KernelArgInfo,
    scalar: Scalar,
}

/// The number that a type of OpenCL C names, without qualifiers and `*`.
fn scalar_of(type_name: &str) -> Scalar {
    let qualifiers = ["const", "restrict", "volatile", "__global", "global", "__constant", "constant", "__local", "local"];
    let words: Vec<&str> =
        type_name.split(|c: char| c == '*' || c.is_whitespace()).filter(|w| !w.is_empty() && !qualifiers.contains(w)).collect();
    match words.join(" ").as_str() {
        "char" => Scalar::I8,
        "uchar" | "unsigned char" => Scalar::U8,
        "short" => Scalar::I16,
        "ushort" | "unsigned short" => Scalar::U16,
        "int" => Scalar::I32,
        "uint" | "unsigned int" | "unsigned" => Scalar::U32,
        "long" => Scalar::I64,
        "ulong" | "unsigned long" | "size_t" => Scalar::U64,
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        _ => Scalar::Other,
    }
}

fn refused(operation: &'static str, message: String) -> Error {
    Error::new(Status::INVALID_VALUE, operation, message)
}

struct Inner {
    handle: manyrt_sys::rtKernel_t,
    name: String,
    /// `None`: the image does not say what its kernels take.
    expected: Option<Vec<Expected>>,
    context: Context,
    /// A kernel of a module ends with the module; one of a host function is destroyed here.
    program: Option<Arc<Program>>,
}

/// A function over a grid of work-groups. A clone is the same kernel; it keeps its module alive.
#[derive(Clone)]
pub struct Kernel {
    inner: Arc<Inner>,
}

// SAFETY: a handle that the library checks at each call, from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.program.is_none() {
            let _ = call!(rtKernelDestroy(self.handle));
        }
    }
}

fn expected(handle: manyrt_sys::rtKernel_t) -> Result<Option<Vec<Expected>>> {
    let count = get_struct!(rtKernelGetInfo(rtKernelInfo_t, handle))?.arg_count;
    let mut result = Vec::new();
    for index in 0..count {
        match get_struct!(rtKernelGetArgInfo(rtKernelArgInfo_t, index, handle)) {
            Ok(raw) => {
                let info = KernelArgInfo::new(&raw);
                let scalar = scalar_of(&info.type_name);
                result.push(Expected { info, scalar });
            }
            Err(error) if error.status() == Status::NOT_SUPPORTED => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(result))
}

impl Kernel {
    fn from_handle(handle: manyrt_sys::rtKernel_t, context: Context, program: Option<Arc<Program>>) -> Result<Kernel> {
        let mut inner = Inner { handle, name: String::new(), expected: None, context, program };
        inner.name = get_text!(rtKernelGetName(handle))?;
        inner.expected = expected(handle)?;
        Ok(Kernel { inner: Arc::new(inner) })
    }

    pub(crate) fn of_module(handle: manyrt_sys::rtKernel_t, program: Arc<Program>) -> Result<Kernel> {
        Kernel::from_handle(handle, program.context().clone(), Some(program))
    }

    /// Makes a kernel of the CPU from a function that is called once for each work-group. `arguments` are kind and bytes of
    /// each.
    ///
    /// # Safety
    /// The function keeps to the memory that its arguments give it, does not unwind, and may be called by several threads at
    /// the same time, until the last launch is complete.
    pub unsafe fn from_host(
        context: &Context,
        name: &str,
        function: unsafe extern "C" fn(*const manyrt_sys::rtHostGroup_t, *const *mut c_void),
        arguments: &[(ArgKind, u32)],
    ) -> Result<Kernel> {
        let name = c_string("rtKernelCreateFromHost", "name", name)?;
        let args: Vec<_> = arguments.iter().map(|(kind, size)| manyrt_sys::rtHostArg_t { size: *size, kind: kind.0 }).collect();
        let host = manyrt_sys::rtHostKernel_t {
            arg_count: args.len() as u32,
            function: Some(function),
            args: if args.is_empty() { ptr::null() } else { args.as_ptr() },
            name: name.as_ptr(),
            ..Default::default()
        };
        let handle = get!(rtKernelCreateFromHost(manyrt_sys::rtKernel_t, &host, context.as_raw()))?;
        Kernel::from_handle(handle, context.clone(), None)
    }

    /// The handle, for functions of [`sys`](crate::sys).
    pub fn as_raw(&self) -> manyrt_sys::rtKernel_t {
        self.inner.handle
    }

    /// The name, as in the source.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The context of the kernel.
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// What the kernel needs.
    pub fn info(&self) -> Result<KernelInfo> {
        get_struct!(rtKernelGetInfo(rtKernelInfo_t, self.inner.handle)).map(|raw| KernelInfo::new(&raw))
    }

    /// What the kernel takes; `None` if its image does not say.
    pub fn arguments(&self) -> Option<Vec<KernelArgInfo>> {
        self.inner.expected.as_ref().map(|list| list.iter().map(|expected| expected.info.clone()).collect())
    }

    /// A good work-group for a number of work-items.
    pub fn suggest_group(&self, items: impl Into<Dim>, local_bytes: u32) -> Result<Dim> {
        let (mut group, items) = ([0; 3], items.into().0);
        call!(rtKernelSuggestGroupSize(group.as_mut_ptr(), items.as_ptr(), local_bytes, self.inner.handle))?;
        Ok(Dim(group))
    }

    /// How many work-groups of `group_size` work-items the device runs at the same time.
    pub fn max_active_groups(&self, group_size: u32, local_bytes: u32) -> Result<u32> {
        get!(rtKernelGetMaxActiveGroups(u32, group_size, local_bytes, self.inner.handle))
    }

    /// Holds arguments against what the kernel takes. The error names the argument.
    pub(crate) fn check(&self, operation: &'static str, arguments: &[Argument<'_>]) -> Result<()> {
        let expected = match &self.inner.expected {
            Some(expected) => expected,
            None => return Ok(()),
        };
        if expected.len() != arguments.len() {
            let names: Vec<_> = expected.iter().map(|argument| argument.info.name.as_str()).collect();
            let (name, count, wanted) = (self.name(), arguments.len(), names.join(", "));
            let ending = if names.len() == 1 { "" } else { "s" };
            let message = format!("{} takes {} argument{} ({}), not {}.", name, names.len(), ending, wanted, count);
            return Err(refused(operation, message));
        }
        for (expected, given) in expected.iter().zip(arguments) {
            let (info, of_type) = (&expected.info, given.scalar);
            let kind_fits = info.kind == given.kind;
            let size_fits = given.kind != ArgKind::VALUE || info.size as usize == given.size;
            let scalar_fits = given.kind == ArgKind::LOCAL
                || of_type == Scalar::Other
                || expected.scalar == Scalar::Other
                || of_type == expected.scalar;
            if !(kind_fits && size_fits && scalar_fits) {
                let message = format!(
                    "Argument {} '{}' of {} is a {} of type '{}' ({} bytes), not a {} of {:?} ({} bytes).",
                    info.index,
                    info.name,
                    self.name(),
                    kind_name(info.kind),
                    info.type_name,
                    info.size,
                    kind_name(given.kind),
                    of_type,
                    given.size
                );
                return Err(refused(operation, message));
            }
        }
        Ok(())
    }

    /// Launches the kernel on a stream of its context. The arguments are held against what the kernel takes: their number,
    /// and of each the kind, the size, and the type where both sides have a name for it. The values are copied; does not block.
    ///
    /// # Safety
    /// The kernel keeps to the memory that its arguments name, with this grid, now and in each launch of a graph that records
    /// this.
    pub unsafe fn launch(&self, stream: &Stream, launch: Launch, arguments: impl KernelArgs) -> Result<()> {
        arguments.with(|arguments| self.launch_arguments(stream, launch, arguments))
    }

    fn launch_arguments(&self, stream: &Stream, launch: Launch, arguments: &[Argument<'_>]) -> Result<()> {
        self.check("rtLaunchKernel", arguments)?;
        // Tuples have at most 16 arguments: their launches allocate nothing.
        let (mut few, many): ([*mut c_void; 16], Vec<*mut c_void>);
        let pointers = if arguments.len() <= 16 {
            few = [ptr::null_mut(); 16];
            for (to, argument) in few.iter_mut().zip(arguments) {
                *to = argument.pointer_to_value();
            }
            &few[..arguments.len()]
        } else {
            many = arguments.iter().map(Argument::pointer_to_value).collect();
            &many[..]
        };
        let (Dim(grid), Dim(group), count) = (launch.grid, launch.group, pointers.len() as u32);
        if self.inner.expected.is_some() && !launch.cooperative && launch.offset == [0; 3] {
            return call!(rtLaunchKernel(
                self.inner.handle,
                grid[0],
                grid[1],
                grid[2],
                group[0],
                group[1],
                group[2],
                launch.local_bytes,
                stream.as_raw(),
                pointers.as_ptr(),
                count
            ))
            .map(drop);
        }
        let sizes: Vec<u32> = arguments.iter().map(|argument| argument.size as u32).collect();
        let pass_sizes = self.inner.expected.is_none() && !sizes.is_empty();
        let options = manyrt_sys::rtLaunchOptions_t {
            flags: if launch.cooperative { manyrt_sys::RT_LAUNCH_COOPERATIVE as u32 } else { 0 },
            arg_sizes: if pass_sizes { sizes.as_ptr() } else { ptr::null() },
            arg_size_count: if pass_sizes { count } else { 0 },
            global_offset: launch.offset,
            ..Default::default()
        };
        call!(rtLaunchKernelWithOptions(
            self.inner.handle,
            grid.as_ptr(),
            group.as_ptr(),
            launch.local_bytes,
            &options,
            pointers.as_ptr(),
            count,
            stream.as_raw()
        ))
        .map(drop)
    }
}

impl Argument<'_> {
    /// Where the value lies: in the argument itself, or where it was taken from.
    fn pointer_to_value(&self) -> *mut c_void {
        match &self.value {
            Value::Bytes(bytes, _) => *bytes as *mut c_void,
            Value::Address(address) => address as *const *mut c_void as *mut c_void,
            Value::Local(size) => size as *const usize as *mut c_void,
        }
    }
}

fn kind_name(kind: ArgKind) -> &'static str {
    match kind {
        ArgKind::VALUE => "value",
        ArgKind::POINTER => "pointer",
        ArgKind::LOCAL => "local memory",
        _ => "kind that this crate does not know",
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} {:p})", self.inner.name, self.inner.handle)
    }
}
