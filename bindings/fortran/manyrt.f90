! SPDX-License-Identifier: Apache-2.0

! Texts of C as texts of Fortran, for the layers manyrt and manyrt_comm.
module manyrt_text
  use, intrinsic :: iso_c_binding
  implicit none
  public

contains

  function c_text(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    text = ""
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letters, [huge(0)])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    text = f_text(letters(1:length))
  end function c_text

  pure function f_text(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(:), allocatable :: text
    integer :: index
    allocate (character(size(letters)) :: text)
    do index = 1, size(letters)
      text(index:index) = letters(index)
    end do
  end function f_text

  ! The text in a field of a struct, up to its end.
  pure function fixed_text(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(:), allocatable :: text
    integer :: length
    length = findloc(letters, c_null_char, 1) - 1
    if (length < 0) length = size(letters)
    text = f_text(letters(1:length))
  end function fixed_text

end module manyrt_text

! The owner of a handle. Its finaliser is here, in a module of its own, because gfortran 12 fails on one in a module that uses
! its extensions.
module manyrt_owner
  use manyrt_c
  implicit none
  private

  type, public :: rt_owner
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int32_t) :: owned = RT_HANDLE_INVALID ! RT_HANDLE_* of what close destroys; INVALID: it belongs to another object
  contains
    procedure :: destroy
    final :: owner_final
  end type rt_owner

contains

  ! Ends what the handle names. A context ends the handles of its children, so that INVALID_HANDLE is no failure then.
  integer(c_int32_t) function destroy(self) result(status)
    class(rt_owner), intent(inout) :: self
    status = RT_SUCCESS
    if (c_associated(self%handle)) then
      select case (self%owned)
      case (RT_HANDLE_CONTEXT)
        status = rtContextDestroy(self%handle)
      case (RT_HANDLE_STREAM)
        status = rtStreamDestroy(self%handle)
      case (RT_HANDLE_EVENT)
        status = rtEventDestroy(self%handle)
      case (RT_HANDLE_FENCE)
        status = rtFenceDestroy(self%handle)
      case (RT_HANDLE_MEM_POOL)
        status = rtMemPoolDestroy(self%handle)
      case (RT_HANDLE_ALLOCATION)
        status = rtFree(self%handle)
      case (RT_HANDLE_MODULE)
        status = rtModuleDestroy(self%handle)
      case (RT_HANDLE_GRAPH)
        status = rtGraphDestroy(self%handle)
      case (RT_HANDLE_GRAPH_EXEC)
        status = rtGraphExecDestroy(self%handle)
      end select
    end if
    self%handle = c_null_ptr
    if (status == RT_ERROR_INVALID_HANDLE) status = RT_SUCCESS
  end function destroy

  impure elemental subroutine owner_final(self)
    type(rt_owner), intent(inout) :: self
    integer(c_int32_t) :: status
    status = self%destroy()
    self%owned = merge(RT_HANDLE_INVALID, self%owned, status == RT_SUCCESS)
  end subroutine owner_final

end module manyrt_owner

! The layer of manyrt for Fortran 2018: devices, contexts, streams, events, fences, arrays, pools, modules, kernels, graphs.
!
! Every object is a derived type with close, a finaliser that does the same, and text, which says what it is. Objects are made
! by create of their own type and are not assigned to each other. A context has to outlive its objects. Every procedure ends
! with the optional arguments stat and errmsg, as allocate does: with stat a failure is its negative number (RT_ERROR_*), and
! errmsg gets the sentence, cut or padded to its length; without stat a failure is error stop with the sentence. Times are in
! seconds. Counts and indices are in elements and begin with 1. Sizes of a grid are work-groups. The module manyrt_c, which is
! public here, has every function of rt.h.
module manyrt
  use, intrinsic :: iso_c_binding
  use manyrt_c
  use manyrt_owner, only: rt_owner
  use manyrt_text, only: c_text, f_text, fixed_text
  implicit none
  public
  private :: finish, usable, has_nul, error_text, c_text, f_text, fixed_text, refuse_assignment, label_of, timeout, stream_of
  private :: transfer_bytes, run_task, release_task, task_box, argument_text, three, kinds_of

  ! Types of elements, for rt_array and arguments of kernels.
  integer, parameter :: rt_real32 = 1, rt_real64 = 2, rt_int32 = 3, rt_int64 = 4, rt_int8 = 5
  integer, parameter, private :: element_bytes(5) = [4, 8, 4, 8, 1]
  character(6), parameter, private :: element_names(5) = ["float ", "double", "int   ", "long  ", "char  "]

  type, abstract, extends(rt_owner) :: rt_object
    private
    character(96) :: label = ""
  contains
    procedure :: close => object_close
    procedure :: is_open => object_is_open
    procedure :: c_handle => object_c_handle
    procedure :: text => object_text
    procedure, private :: refuse_assignment
    generic :: assignment(=) => refuse_assignment
  end type rt_object

  type, extends(rt_object) :: rt_device
  contains
    procedure :: create => device_create
    procedure :: has => device_has
    procedure :: attribute => device_attribute
    procedure :: synchronize => device_synchronize
  end type rt_device

  type, extends(rt_object) :: rt_context
  contains
    procedure :: create => context_create
    procedure :: statistics => context_statistics
    procedure :: synchronize => context_synchronize
  end type rt_context

  type, extends(rt_object) :: rt_stream
    private
    type(c_ptr) :: context = c_null_ptr
  contains
    procedure :: create => stream_create
    procedure :: synchronize => stream_synchronize
    procedure :: done => stream_done
    procedure :: wait_event => stream_wait_event
    procedure :: wait_stream => stream_wait_stream
    procedure :: wait_fence => stream_wait_fence
    procedure :: signal_fence => stream_signal_fence
    procedure :: run => stream_run
    procedure :: begin_capture => stream_begin_capture
    procedure :: end_capture => stream_end_capture
  end type rt_stream

  type, extends(rt_object) :: rt_event
  contains
    procedure :: create => event_create
    procedure :: record => event_record
    procedure :: done => event_done
    procedure :: wait => event_wait
    procedure :: seconds_since => event_seconds_since
  end type rt_event

  type, extends(rt_object) :: rt_fence
  contains
    procedure :: create => fence_create
    procedure :: value => fence_value
    procedure :: signal => fence_signal
    procedure :: wait => fence_wait
  end type rt_fence

  type, extends(rt_object) :: rt_pool
  contains
    procedure :: create => pool_create
    procedure :: statistics => pool_statistics
    procedure :: trim => pool_trim
  end type rt_pool

  ! Memory for count elements of one type. A view shares the memory of another array, which has to outlive it.
  type, extends(rt_object) :: rt_array
    private
    type(c_ptr) :: context = c_null_ptr
    integer, public :: element = 0
    integer(c_int64_t), public :: count = 0
  contains
    procedure :: create => array_create
    procedure :: create_from_pool => array_create_from_pool
    procedure :: view => array_view
    procedure :: copy_from => array_copy_from
    procedure, private :: upload_real32, upload_real64, upload_int32, upload_int64, upload_int8
    procedure, private :: download_real32, download_real64, download_int32, download_int64, download_int8
    procedure, private :: fill_real32, fill_real64, fill_int32, fill_int64, fill_int8
    generic :: upload => upload_real32, upload_real64, upload_int32, upload_int64, upload_int8
    generic :: download => download_real32, download_real64, download_int32, download_int64, download_int8
    generic :: fill => fill_real32, fill_real64, fill_int32, fill_int64, fill_int8
  end type rt_array

  type, extends(rt_object) :: rt_module
    private
    type(c_ptr) :: context = c_null_ptr
  contains
    procedure :: create => module_create
    procedure :: build_log => module_build_log
    procedure :: wait_optimized => module_wait_optimized
  end type rt_module

  ! A kernel of a module; it ends with the module.
  type, extends(rt_object) :: rt_kernel
    private
    type(rtKernelArgInfo_t), allocatable :: arguments(:)
    logical, allocatable :: takes(:, :) ! an element type, or 0 for local memory, as an argument: looked up by each launch
  contains
    procedure :: create => kernel_create
    procedure :: launch => kernel_launch
  end type rt_kernel

  type, extends(rt_object) :: rt_graph
  contains
    procedure :: create => graph_create
    procedure :: node_count => graph_node_count
    procedure :: dot => graph_dot
  end type rt_graph

  ! Memory of a graph that an exec binds; it belongs to the graph.
  type, extends(rt_object) :: rt_graph_buffer
    private
    integer(c_int64_t) :: bytes = 0
  contains
    procedure :: create => graph_buffer_create
  end type rt_graph_buffer

  type, extends(rt_object) :: rt_graph_exec
  contains
    procedure :: create => exec_create
    procedure :: bind => exec_bind
    procedure :: launch => exec_launch
  end type rt_graph_exec

  ! One argument of a launch: rt_arg of a number or an array, or rt_local.
  type :: rt_argument
    private
    integer(c_int32_t) :: kind = RT_ARG_INVALID
    integer :: element = 0
    integer(c_int8_t) :: bytes(8) = 0
    type(c_ptr) :: context = c_null_ptr
  end type rt_argument

  interface rt_arg
    module procedure arg_real32, arg_real64, arg_int32, arg_int64, arg_int8, arg_array
  end interface rt_arg

  ! Work of the program in a stream: extend it with data, and override run. Set stat and errmsg in run to report a failure; a
  ! failure of the stream comes in status, and run is called all the same. An error stop in run ends the program.
  type, abstract :: rt_task
    integer(c_int32_t) :: status = RT_SUCCESS
    integer :: stat = 0
    character(:), allocatable :: errmsg
  contains
    procedure(task_run), deferred :: run
  end type rt_task

  abstract interface
    ! Runs on a thread of the library. Calls that wait for the stream itself are BUSY.
    subroutine task_run(self)
      import :: rt_task
      class(rt_task), intent(inout) :: self
    end subroutine task_run
  end interface

  type, private :: task_box
    class(rt_task), pointer :: task => null()
  end type task_box

contains

  ! ---- Errors, texts and versions ------------------------------------------------------------------------------------------

  ! The sentence of this thread's last failed call.
  function error_text() result(text)
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status
    status = rtGetLastErrorMessage(size=0_c_size_t, needed=needed)
    allocate (buffer(max(needed, 1_c_size_t)))
    status = rtGetLastErrorMessage(buffer, size(buffer, kind=c_size_t), needed)
    text = ""
    if (status == RT_SUCCESS) text = fixed_text(buffer)
  end function error_text

  ! Reports the outcome of a procedure: to stat and errmsg, or as error stop.
  subroutine finish(status, stat, errmsg, text)
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: text
    character(:), allocatable :: message
    if (present(stat)) stat = status
    if (status >= 0) return
    message = c_text(rtGetErrorName(status)) // ": "
    if (present(text)) then
      message = message // text
    else if (status == RT_ERROR_TIMEOUT) then ! leaves no sentence
      message = message // c_text(rtGetErrorString(status))
    else
      message = message // error_text()
    end if
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop message
  end subroutine finish

  ! Whether a text has a NUL character, where C would end it; reports INVALID_VALUE if so.
  logical function has_nul(text, stat, errmsg)
    character(*), intent(in), optional :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    has_nul = .false.
    if (present(text)) has_nul = index(text, c_null_char) > 0
    if (has_nul) call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "the text has a NUL character")
  end function has_nul

  ! Whether an object is open; reports INVALID_HANDLE if it is not.
  function usable(object, stat, errmsg) result(fine)
    class(rt_object), intent(in) :: object
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: fine
    fine = c_associated(object%handle)
    if (.not. fine) call finish(RT_ERROR_INVALID_HANDLE, stat, errmsg, "the " // kinds_of(object) // &
      " is closed, or was never created")
  end function usable

  pure function kinds_of(object) result(kind)
    class(rt_object), intent(in) :: object
    character(:), allocatable :: kind
    select type (object)
    type is (rt_device)
      kind = "device"
    type is (rt_context)
      kind = "context"
    type is (rt_stream)
      kind = "stream"
    type is (rt_event)
      kind = "event"
    type is (rt_fence)
      kind = "fence"
    type is (rt_pool)
      kind = "pool"
    type is (rt_array)
      kind = "array"
    type is (rt_module)
      kind = "module"
    type is (rt_kernel)
      kind = "kernel"
    type is (rt_graph)
      kind = "graph"
    type is (rt_graph_buffer)
      kind = "graph buffer"
    type is (rt_graph_exec)
      kind = "graph exec"
    class default
      kind = "object"
    end select
  end function kinds_of

  ! Whether the object has been created and not closed.
  pure logical function object_is_open(self)
    class(rt_object), intent(in) :: self
    object_is_open = c_associated(self%handle)
  end function object_is_open

  ! The handle, or the address of an array, for functions of manyrt_c; valid until close.
  pure type(c_ptr) function object_c_handle(self)
    class(rt_object), intent(in) :: self
    object_c_handle = self%handle
  end function object_c_handle

  ! Ends the object; a second call does nothing, and work in flight completes.
  subroutine object_close(self, stat, errmsg)
    class(rt_object), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(self%destroy(), stat, errmsg)
  end subroutine object_close

  ! What the object is: "manyrt stream on cpu".
  pure function object_text(self) result(text)
    class(rt_object), intent(in) :: self
    character(:), allocatable :: text
    text = "manyrt " // kinds_of(self)
    if (.not. self%is_open()) then
      text = text // " (closed)"
    else if (self%label /= "") then
      text = text // " " // trim(self%label)
    end if
  end function object_text

  ! An object that owns something has one variable; a copy would end it twice.
  impure elemental subroutine refuse_assignment(self, other)
    class(rt_object), intent(inout) :: self
    class(rt_object), intent(in) :: other
    error stop "RT_ERROR_INVALID_VALUE: a " // kinds_of(other) // " is not assigned to a " // kinds_of(self) // &
      ": pass it on as an argument"
  end subroutine refuse_assignment

  ! " on cpu", for texts.
  function label_of(context) result(label)
    type(c_ptr), intent(in) :: context
    character(:), allocatable :: label
    type(c_ptr) :: device
    type(rtDeviceProperties_t) :: properties
    label = ""
    if (rtContextGetDevice(device, context) /= RT_SUCCESS) return
    if (rtDeviceGetProperties(properties, device) == RT_SUCCESS) label = "on " // fixed_text(properties%id)
  end function label_of

  ! Nanoseconds of a limit in seconds; without a limit for ever.
  pure integer(c_int64_t) function timeout(seconds)
    real(c_double), intent(in), optional :: seconds
    timeout = RT_TIMEOUT_INFINITE
    if (present(seconds)) then
      if (seconds < 9.0e9_c_double) timeout = int(max(seconds, 0.0_c_double) * 1.0e9_c_double, c_int64_t)
    end if
  end function timeout

  ! Major * 10000 + minor * 100 + patch of the library.
  integer function rt_library_version()
    integer(c_int32_t) :: version, status
    status = rtGetVersion(version)
    rt_library_version = merge(version, 0, status == RT_SUCCESS)
  end function rt_library_version

  ! The version of this module, in the same form.
  integer function rt_layer_version()
    rt_layer_version = MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH
  end function rt_layer_version

  ! Refuses a library of another major version, and one that is older than this module, patches apart. version is the
  ! library's if it is left out. rt_device%create calls it.
  subroutine rt_check_version(version, stat, errmsg)
    integer, intent(in), optional :: version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: found
    character(200) :: text
    found = rt_library_version()
    if (present(version)) found = version
    write (text, "(a,i0,'.',i0,'.',i0,a,i0,'.',i0,'.',i0)") "the library is manyrt ", found / 10000, mod(found / 100, 100), &
      mod(found, 100), ", and the Fortran layer ", MANYRT_VERSION_MAJOR, MANYRT_VERSION_MINOR, MANYRT_VERSION_PATCH
    if (found / 10000 /= MANYRT_VERSION_MAJOR) then
      call finish(RT_ERROR_NOT_SUPPORTED, stat, errmsg, trim(text) // ": the library has another major version")
    else if (mod(found / 100, 100) < MANYRT_VERSION_MINOR) then
      call finish(RT_ERROR_NOT_SUPPORTED, stat, errmsg, trim(text) // ": the library is too old")
    else
      call finish(RT_SUCCESS, stat, errmsg)
    end if
  end subroutine rt_check_version

  ! The number of live handles that the program has made, of all kinds.
  integer function rt_live_handles()
    integer(c_int64_t) :: count
    if (rtGetLiveHandleCount(count, RT_HANDLE_ALL) /= RT_SUCCESS) call finish(RT_ERROR_INTERNAL)
    rt_live_handles = int(count)
  end function rt_live_handles

  ! ---- Devices and contexts ------------------------------------------------------------------------------------------------

  ! Finds a device by its id, "cpu" or "opencl:0"; without one, that of RT_DEVICE or the best.
  subroutine device_create(self, name, stat, errmsg)
    class(rt_device), intent(inout) :: self
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(rtDeviceProperties_t) :: properties
    integer :: problem
    character(400) :: message
    message = ""
    call rt_check_version(stat=problem, errmsg=message)
    if (problem /= 0) then
      call finish(RT_ERROR_NOT_SUPPORTED, stat, errmsg, trim(message))
      return
    end if
    if (has_nul(name, stat, errmsg)) return
    if (present(name)) then
      status = rtDeviceGetByName(self%handle, trim(name) // c_null_char)
    else
      status = rtDeviceGetByName(self%handle)
    end if
    if (status == RT_SUCCESS) status = rtDeviceGetProperties(properties, self%handle)
    if (status == RT_SUCCESS) self%label = fixed_text(properties%id)
    call finish(status, stat, errmsg)
  end subroutine device_create

  ! Whether the device has a capability, RT_CAPABILITY_*.
  logical function device_has(self, capability)
    class(rt_device), intent(in) :: self
    integer(c_int32_t), intent(in) :: capability
    integer(c_int32_t) :: has
    device_has = .false.
    if (rtDeviceHasCapability(has, capability, self%handle) == RT_SUCCESS) device_has = has == 1
  end function device_has

  ! A number of the device, RT_ATTRIBUTE_*.
  subroutine device_attribute(self, attribute, value, stat, errmsg)
    class(rt_device), intent(in) :: self
    integer(c_int32_t), intent(in) :: attribute
    integer(c_int64_t), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    value = 0
    if (usable(self, stat, errmsg)) call finish(rtDeviceGetAttribute(value, attribute, self%handle), stat, errmsg)
  end subroutine device_attribute

  ! Waits for all work of the device.
  subroutine device_synchronize(self, stat, errmsg)
    class(rt_device), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtDeviceSynchronize(self%handle), stat, errmsg)
  end subroutine device_synchronize

  ! Makes a context of a device. An open context is closed first.
  subroutine context_create(self, device, stat, errmsg)
    class(rt_context), intent(inout) :: self
    class(rt_device), intent(in) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (.not. usable(device, stat, errmsg)) return
    call self%close()
    self%owned = RT_HANDLE_CONTEXT
    status = rtContextCreate(self%handle, device=device%handle)
    if (status == RT_SUCCESS) self%label = label_of(self%handle)
    call finish(status, stat, errmsg)
  end subroutine context_create

  ! The counts of its streams, events and points.
  subroutine context_statistics(self, statistics, stat, errmsg)
    class(rt_context), intent(in) :: self
    type(rtContextStats_t), intent(inout) :: statistics
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtContextGetStats(statistics, self%handle), stat, errmsg)
  end subroutine context_statistics

  ! Waits for all work of the context.
  subroutine context_synchronize(self, stat, errmsg)
    class(rt_context), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtContextSynchronize(self%handle), stat, errmsg)
  end subroutine context_synchronize

  ! ---- Streams -------------------------------------------------------------------------------------------------------------

  ! Makes a stream; a negative priority is higher.
  subroutine stream_create(self, context, priority, stat, errmsg)
    class(rt_stream), intent(inout) :: self
    class(rt_context), intent(in) :: context
    integer, intent(in), optional :: priority
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtStreamOptions_t) :: options
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    call self%close()
    if (present(priority)) options%priority = priority
    self%owned = RT_HANDLE_STREAM
    status = rtStreamCreate(self%handle, options, context%handle)
    self%context = context%handle
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine stream_create

  ! Waits for the work of the stream, at most so many seconds: stat is RT_ERROR_TIMEOUT if they passed. Reports, and without a
  ! limit clears, the stream's failure.
  subroutine stream_synchronize(self, seconds, stat, errmsg)
    class(rt_stream), intent(in) :: self
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (.not. usable(self, stat, errmsg)) return
    if (present(seconds)) then
      status = rtStreamSynchronizeFor(timeout(seconds), self%handle)
    else
      status = rtStreamSynchronize(self%handle)
    end if
    call finish(status, stat, errmsg)
  end subroutine stream_synchronize

  ! Whether all work submitted so far is complete.
  subroutine stream_done(self, done, stat, errmsg)
    class(rt_stream), intent(in) :: self
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = .false.
    if (.not. usable(self, stat, errmsg)) return
    status = rtStreamQuery(self%handle)
    done = status == RT_SUCCESS
    call finish(min(status, 0), stat, errmsg)
  end subroutine stream_done

  ! Makes later work wait for the last record of an event.
  subroutine stream_wait_event(self, other, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_event), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(other, stat, errmsg)) call finish(rtStreamWaitEvent(other%handle, self%handle), stat, errmsg)
  end subroutine stream_wait_event

  ! Makes later work wait for all work that another stream has now.
  subroutine stream_wait_stream(self, other, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_stream), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(other, stat, errmsg)) call finish(rtStreamWaitStream(other%handle, self%handle), stat, errmsg)
  end subroutine stream_wait_stream

  ! Makes later work wait until a fence has reached a value.
  subroutine stream_wait_fence(self, other, value, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_fence), intent(in) :: other
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(other, stat, errmsg)) call finish(rtStreamWaitFence(other%handle, value, self%handle), stat, errmsg)
  end subroutine stream_wait_fence

  ! Raises a fence to a value when the stream's earlier work is complete.
  subroutine stream_signal_fence(self, other, value, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_fence), intent(in) :: other
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(other, stat, errmsg)) call finish(rtStreamSignalFence(other%handle, value, self%handle), stat, errmsg)
  end subroutine stream_signal_fence

  ! Runs a task in the stream's order, on a thread of the library. task has to live until then. In a capture it becomes a part
  ! of the graph, which runs it at each launch; it has to live until graph and execs are closed.
  subroutine stream_run(self, task, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_task), intent(inout), target :: task
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(task_box), pointer :: box
    integer(c_int32_t) :: status
    if (.not. usable(self, stat, errmsg)) return
    allocate (box)
    box%task => task
    status = rtLaunchHostFunctionWithRelease(c_funloc(run_task), c_loc(box), c_funloc(release_task), self%handle)
    if (status /= RT_SUCCESS) deallocate (box)
    call finish(status, stat, errmsg)
  end subroutine stream_run

  ! What the library calls for each rt_stream%run, or for each launch of the graph that has it.
  recursive subroutine run_task(user, status) bind(C, name="")
    type(c_ptr), value :: user
    integer(c_int32_t), value :: status
    type(task_box), pointer :: box
    call c_f_pointer(user, box)
    box%task%status = status
    call box%task%run()
  end subroutine run_task

  ! What the library calls after the last call of run_task.
  subroutine release_task(user) bind(C, name="")
    type(c_ptr), value :: user
    type(task_box), pointer :: box
    call c_f_pointer(user, box)
    deallocate (box)
  end subroutine release_task

  ! Begins to record the stream's work as a graph.
  subroutine stream_begin_capture(self, stat, errmsg)
    class(rt_stream), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtStreamBeginCapture(self%handle), stat, errmsg)
  end subroutine stream_begin_capture

  ! Ends the capture and gives its graph.
  subroutine stream_end_capture(self, graph, stat, errmsg)
    class(rt_stream), intent(in) :: self
    class(rt_graph), intent(inout) :: graph
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    call graph%close()
    graph%owned = RT_HANDLE_GRAPH
    call finish(rtStreamEndCapture(graph%handle, self%handle), stat, errmsg)
  end subroutine stream_end_capture

  ! ---- Events and fences ---------------------------------------------------------------------------------------------------

  ! Makes an event, timed unless timing is false.
  subroutine event_create(self, context, timing, stat, errmsg)
    class(rt_event), intent(inout) :: self
    class(rt_context), intent(in) :: context
    logical, intent(in), optional :: timing
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtEventOptions_t) :: options
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    call self%close()
    if (present(timing)) options%flags = merge(0, RT_EVENT_DISABLE_TIMING, timing)
    self%owned = RT_HANDLE_EVENT
    status = rtEventCreate(self%handle, options, context%handle)
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine event_create

  ! Records the work that the stream has now.
  subroutine event_record(self, stream, stat, errmsg)
    class(rt_event), intent(in) :: self
    class(rt_stream), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(stream, stat, errmsg)) call finish(rtEventRecord(self%handle, stream%handle), stat, errmsg)
  end subroutine event_record

  ! Whether the last record is complete.
  subroutine event_done(self, done, stat, errmsg)
    class(rt_event), intent(in) :: self
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = .false.
    if (.not. usable(self, stat, errmsg)) return
    status = rtEventQuery(self%handle)
    done = status == RT_SUCCESS
    call finish(min(status, 0), stat, errmsg)
  end subroutine event_done

  ! Waits for the last record, at most so many seconds: stat is RT_ERROR_TIMEOUT if they passed.
  subroutine event_wait(self, seconds, stat, errmsg)
    class(rt_event), intent(in) :: self
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtEventSynchronizeFor(timeout(seconds), self%handle), stat, errmsg)
  end subroutine event_wait

  ! Seconds of the device's clock from the record of start to this one; stat is RT_NOT_READY while one of the two is pending.
  subroutine event_seconds_since(self, start, seconds, stat, errmsg)
    class(rt_event), intent(in) :: self, start
    real(c_double), intent(out) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: nanoseconds
    integer(c_int32_t) :: status
    seconds = 0
    if (.not. usable(self, stat, errmsg)) return
    if (.not. usable(start, stat, errmsg)) return
    status = rtEventElapsedNanoseconds(nanoseconds, start%handle, self%handle)
    if (status == RT_SUCCESS) seconds = real(nanoseconds, c_double) * 1.0e-9_c_double
    call finish(status, stat, errmsg)
  end subroutine event_seconds_since

  ! Makes a fence with a first value, 0 without one.
  subroutine fence_create(self, context, value, stat, errmsg)
    class(rt_fence), intent(inout) :: self
    class(rt_context), intent(in) :: context
    integer(c_int64_t), intent(in), optional :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: first
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    call self%close()
    first = 0
    if (present(value)) first = value
    self%owned = RT_HANDLE_FENCE
    status = rtFenceCreate(self%handle, first, context%handle)
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine fence_create

  ! The present value.
  subroutine fence_value(self, value, stat, errmsg)
    class(rt_fence), intent(in) :: self
    integer(c_int64_t), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    value = 0
    if (usable(self, stat, errmsg)) call finish(rtFenceGetValue(value, self%handle), stat, errmsg)
  end subroutine fence_value

  ! Raises the fence from the host.
  subroutine fence_signal(self, value, stat, errmsg)
    class(rt_fence), intent(in) :: self
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtFenceSignal(value, self%handle), stat, errmsg)
  end subroutine fence_signal

  ! Waits until the fence has reached a value, at most so many seconds: stat is RT_ERROR_TIMEOUT if they passed.
  subroutine fence_wait(self, value, seconds, stat, errmsg)
    class(rt_fence), intent(in) :: self
    integer(c_int64_t), intent(in) :: value
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtFenceWaitFor(timeout(seconds), value, self%handle), stat, errmsg)
  end subroutine fence_wait

  ! ---- Pools and arrays ----------------------------------------------------------------------------------------------------

  ! Makes a pool of a kind of memory, RT_MEMORY_*, with a hard limit in bytes (0: none).
  subroutine pool_create(self, context, memory, maximum, stat, errmsg)
    class(rt_pool), intent(inout) :: self
    class(rt_context), intent(in) :: context
    integer(c_int32_t), intent(in), optional :: memory
    integer(c_int64_t), intent(in), optional :: maximum
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtMemPoolOptions_t) :: options
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    call self%close()
    if (present(memory)) options%kind = memory
    if (present(maximum)) options%maximum_bytes = maximum
    self%owned = RT_HANDLE_MEM_POOL
    status = rtMemPoolCreate(self%handle, options, context%handle)
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine pool_create

  ! The statistics, in bytes and counts.
  subroutine pool_statistics(self, statistics, stat, errmsg)
    class(rt_pool), intent(in) :: self
    type(rtMemPoolStats_t), intent(inout) :: statistics
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtMemPoolGetStats(statistics, self%handle), stat, errmsg)
  end subroutine pool_statistics

  ! Gives unused memory but keep bytes back to the driver.
  subroutine pool_trim(self, keep, stat, errmsg)
    class(rt_pool), intent(in) :: self
    integer(c_int64_t), intent(in) :: keep
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtMemPoolTrim(keep, self%handle), stat, errmsg)
  end subroutine pool_trim

  ! Allocates count elements of a type (rt_real32, ...) in a kind of memory, RT_MEMORY_*, that of the device without one.
  ! Their values are undefined.
  subroutine array_create(self, context, element, count, memory, stat, errmsg)
    class(rt_array), intent(inout) :: self
    class(rt_context), intent(in) :: context
    integer, intent(in) :: element
    integer(c_int64_t), intent(in) :: count
    integer(c_int32_t), intent(in), optional :: memory
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtMallocOptions_t) :: options
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    if (.not. array_shape(self, element, count, stat, errmsg)) return
    if (present(memory)) options%kind = memory
    self%owned = RT_HANDLE_ALLOCATION
    status = rtMallocWithOptions(self%handle, count * element_bytes(element), options, context%handle)
    self%context = context%handle
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine array_create

  ! The same from a pool, in a stream's order.
  subroutine array_create_from_pool(self, pool, element, count, stream, stat, errmsg)
    class(rt_array), intent(inout) :: self
    class(rt_pool), intent(in) :: pool
    integer, intent(in) :: element
    integer(c_int64_t), intent(in) :: count
    class(rt_stream), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (.not. usable(pool, stat, errmsg)) return
    if (.not. usable(stream, stat, errmsg)) return
    if (.not. array_shape(self, element, count, stat, errmsg)) return
    self%owned = RT_HANDLE_ALLOCATION
    status = rtMallocFromPool(self%handle, count * element_bytes(element), 0_c_size_t, stream%handle, pool%handle)
    self%context = stream%context
    if (status == RT_SUCCESS) self%label = label_of(self%context)
    call finish(status, stat, errmsg)
  end subroutine array_create_from_pool

  ! Closes what the array had, and checks and keeps type and count.
  logical function array_shape(self, element, count, stat, errmsg)
    class(rt_array), intent(inout) :: self
    integer, intent(in) :: element
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%close()
    array_shape = element >= 1 .and. element <= size(element_bytes) .and. count >= 1
    if (array_shape) array_shape = count <= huge(count) / element_bytes(element)
    if (array_shape) then
      self%element = element
      self%count = count
    else
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "an array has a type of rt_real32, rt_real64, rt_int32, " // &
        "rt_int64 or rt_int8, at least 1 element, and fewer than 2**63 bytes")
    end if
  end function array_shape

  ! Makes this array the elements first to last of another one, which keeps the memory.
  subroutine array_view(self, other, first, last, stat, errmsg)
    class(rt_array), intent(inout) :: self
    class(rt_array), intent(in) :: other
    integer(c_int64_t), intent(in) :: first, last
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(120) :: text
    if (.not. usable(other, stat, errmsg)) return
    if (c_associated(self%handle, other%handle) .and. self%owned /= RT_HANDLE_INVALID) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "an array that owns its memory is no view of itself")
      return
    end if
    if (first < 1 .or. last < first .or. last > other%count) then
      write (text, "(a,i0,a,i0,a,i0)") "the elements ", first, " to ", last, " are outside of an array of ", other%count
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
      return
    end if
    call self%close()
    self%handle = transfer(transfer(other%handle, 0_c_intptr_t) + (first - 1) * element_bytes(other%element), self%handle)
    self%context = other%context
    self%element = other%element
    self%count = last - first + 1
    self%owned = RT_HANDLE_INVALID
    self%label = other%label
    call finish(RT_SUCCESS, stat, errmsg)
  end subroutine array_view

  ! Copies all elements of another array, of any device, to this one of the same size. With a stream in its order, else it
  ! waits.
  subroutine array_copy_from(self, other, stream, stat, errmsg)
    class(rt_array), intent(in) :: self, other
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: bytes
    character(120) :: text
    if (.not. usable(self, stat, errmsg)) return
    if (.not. usable(other, stat, errmsg)) return
    bytes = self%count * element_bytes(self%element)
    if (other%element /= self%element) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "the source is of type " // trim(element_names(other%element)) // &
        ", the array is of " // trim(element_names(self%element)))
    else if (bytes /= other%count * element_bytes(other%element)) then
      write (text, "(a,i0,a,i0)") "the source has ", other%count * element_bytes(other%element), " bytes, the array has ", bytes
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
    else if (.not. present(stream)) then
      call finish(rtMemcpy(self%handle, other%handle, bytes, RT_MEMCPY_DEFAULT), stat, errmsg)
    else if (usable(stream, stat, errmsg)) then
      call finish(rtMemcpyAsync(self%handle, other%handle, bytes, RT_MEMCPY_DEFAULT, stream%handle), stat, errmsg)
    end if
  end subroutine array_copy_from

  ! Copies between the array and memory of the program, which is described by the rest. With a stream after its earlier work.
  ! A download waits, because the program could deallocate the memory otherwise; an upload has read it when the call returns.
  ! Where the wait is refused (RT_ERROR_BUSY in a task of that stream) the copy is still to come: the program keeps the memory.
  subroutine transfer_bytes(self, up, host, element, count, contiguous, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    logical, intent(in) :: up, contiguous
    type(c_ptr), intent(in) :: host
    integer, intent(in) :: element
    integer(c_int64_t), intent(in) :: count
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: status, state
    character(200) :: text
    if (.not. usable(self, stat, errmsg)) return
    bytes = self%count * element_bytes(self%element)
    text = ""
    if (.not. contiguous) then
      text = "the values are not contiguous in memory: copy them to an array that is"
    else if (element /= self%element) then
      text = "the values are of type " // trim(element_names(element)) // ", the array is of " // element_names(self%element)
    else if (count /= self%count) then
      write (text, "(a,i0,a,i0)") "the values have ", count * element_bytes(element), " bytes, the array has ", bytes
    else if (present(stream)) then
      if (.not. usable(stream, stat, errmsg)) return
      status = rtStreamIsCapturing(state, stream%handle)
      if (status == RT_SUCCESS .and. state /= RT_CAPTURE_NONE) text = "a graph does not use memory of the program: " // &
        "copy between arrays, of which one may be in RT_MEMORY_HOST"
    end if
    if (text /= "") then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
      return
    end if
    if (.not. present(stream)) then
      if (up) status = rtMemcpy(self%handle, host, bytes, RT_MEMCPY_DEFAULT)
      if (.not. up) status = rtMemcpy(host, self%handle, bytes, RT_MEMCPY_DEFAULT)
    else if (up) then
      status = rtMemcpyAsync(self%handle, host, bytes, RT_MEMCPY_DEFAULT, stream%handle)
    else
      status = rtMemcpyAsync(host, self%handle, bytes, RT_MEMCPY_DEFAULT, stream%handle)
      if (status == RT_SUCCESS) status = rtStreamSynchronize(stream%handle)
    end if
    call finish(status, stat, errmsg)
  end subroutine transfer_bytes

  ! The stream of an optional argument, or the default stream of a context.
  type(c_ptr) function stream_of(context, stream)
    type(c_ptr), intent(in) :: context
    class(rt_stream), intent(in), optional :: stream
    integer(c_int32_t) :: status
    if (present(stream)) then
      stream_of = stream%handle
    else
      status = rtContextGetDefaultStream(stream_of, context)
    end if
  end function stream_of

  ! Sets every element to one value of the array's type. With a stream in its order, else it waits.
  subroutine fill_bytes(self, element, pattern, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer, intent(in) :: element
    type(c_ptr), intent(in) :: pattern
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_size_t) :: width
    type(c_ptr) :: where
    if (.not. usable(self, stat, errmsg)) return
    if (present(stream)) then
      if (.not. usable(stream, stat, errmsg)) return
    end if
    if (element /= self%element) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "the value is of type " // trim(element_names(element)) // &
        ", the array is of " // trim(element_names(self%element)))
      return
    end if
    where = stream_of(self%context, stream)
    width = element_bytes(element)
    status = rtMemFillAsync(self%handle, pattern, width, self%count, where)
    if (status == RT_SUCCESS .and. .not. present(stream)) status = rtStreamSynchronize(where)
    call finish(status, stat, errmsg)
  end subroutine fill_bytes

  ! upload, download and fill for each type of elements: values of any rank, contiguous, as many as the array has.

  subroutine upload_real32(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_float), intent(in), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .true., c_loc(values), rt_real32, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine upload_real32

  subroutine download_real32(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_float), intent(inout), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .false., c_loc(values), rt_real32, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine download_real32

  subroutine fill_real32(self, value, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_float), intent(in), target :: value
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call fill_bytes(self, rt_real32, c_loc(value), stream, stat, errmsg)
  end subroutine fill_real32

  subroutine upload_real64(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_double), intent(in), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .true., c_loc(values), rt_real64, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine upload_real64

  subroutine download_real64(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_double), intent(inout), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .false., c_loc(values), rt_real64, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine download_real64

  subroutine fill_real64(self, value, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    real(c_double), intent(in), target :: value
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call fill_bytes(self, rt_real64, c_loc(value), stream, stat, errmsg)
  end subroutine fill_real64

  subroutine upload_int32(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int32_t), intent(in), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .true., c_loc(values), rt_int32, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine upload_int32

  subroutine download_int32(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int32_t), intent(inout), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .false., c_loc(values), rt_int32, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine download_int32

  subroutine fill_int32(self, value, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int32_t), intent(in), target :: value
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call fill_bytes(self, rt_int32, c_loc(value), stream, stat, errmsg)
  end subroutine fill_int32

  subroutine upload_int64(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int64_t), intent(in), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .true., c_loc(values), rt_int64, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine upload_int64

  subroutine download_int64(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int64_t), intent(inout), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .false., c_loc(values), rt_int64, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine download_int64

  subroutine fill_int64(self, value, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int64_t), intent(in), target :: value
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call fill_bytes(self, rt_int64, c_loc(value), stream, stat, errmsg)
  end subroutine fill_int64

  subroutine upload_int8(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int8_t), intent(in), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .true., c_loc(values), rt_int8, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine upload_int8

  subroutine download_int8(self, values, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int8_t), intent(inout), target :: values(..)
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call transfer_bytes(self, .false., c_loc(values), rt_int8, size(values, kind=c_int64_t), is_contiguous(values), stream, &
      stat, errmsg)
  end subroutine download_int8

  subroutine fill_int8(self, value, stream, stat, errmsg)
    class(rt_array), intent(in) :: self
    integer(c_int8_t), intent(in), target :: value
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call fill_bytes(self, rt_int8, c_loc(value), stream, stat, errmsg)
  end subroutine fill_int8

  ! ---- Modules and kernels -------------------------------------------------------------------------------------------------

  ! Builds a module from OpenCL C source. options are those of clBuildProgram. May block while a compiler runs.
  subroutine module_create(self, context, source, options, stat, errmsg)
    class(rt_module), intent(inout) :: self
    class(rt_context), intent(in) :: context
    character(*), intent(in) :: source
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (.not. usable(context, stat, errmsg)) return
    if (has_nul(source, stat, errmsg)) return
    if (has_nul(options, stat, errmsg)) return
    call self%close()
    self%owned = RT_HANDLE_MODULE
    if (present(options)) then
      status = rtModuleCreateFromSource(self%handle, source // c_null_char, trim(options) // c_null_char, context%handle)
    else
      status = rtModuleCreateFromSource(self%handle, source // c_null_char, context=context%handle)
    end if
    self%context = context%handle
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine module_create

  ! The compiler's remarks on a source that it accepted.
  function module_build_log(self) result(text)
    class(rt_module), intent(in) :: self
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    text = ""
    if (rtModuleGetBuildLog(size=0_c_size_t, needed=needed, module=self%handle) /= RT_SUCCESS) return
    allocate (buffer(needed))
    if (rtModuleGetBuildLog(buffer, needed, module=self%handle) == RT_SUCCESS) text = fixed_text(buffer)
  end function module_build_log

  ! Waits until launches run the code that stays, at most so many seconds: stat is RT_ERROR_TIMEOUT if they passed.
  subroutine module_wait_optimized(self, seconds, stat, errmsg)
    class(rt_module), intent(in) :: self
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtModuleWait(self%handle, RT_MODULE_OPTIMIZED, timeout(seconds)), stat, errmsg)
  end subroutine module_wait_optimized

  ! Finds a kernel of a module by its name, and what its arguments are.
  subroutine kernel_create(self, module, name, stat, errmsg)
    class(rt_kernel), intent(inout) :: self
    class(rt_module), intent(in) :: module
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtKernelInfo_t) :: info
    integer(c_int32_t) :: status
    integer :: index, element
    if (.not. usable(module, stat, errmsg)) return
    if (has_nul(name, stat, errmsg)) return
    status = rtModuleGetKernel(self%handle, trim(name) // c_null_char, module%handle)
    if (status == RT_SUCCESS) status = rtKernelGetInfo(info, self%handle)
    if (status == RT_SUCCESS) then
      if (allocated(self%arguments)) deallocate (self%arguments)
      if (allocated(self%takes)) deallocate (self%takes)
      allocate (self%arguments(info%arg_count), self%takes(0:size(element_bytes), info%arg_count))
      do index = 1, info%arg_count
        if (status == RT_SUCCESS) status = rtKernelGetArgInfo(self%arguments(index), index - 1, self%handle)
        do element = 0, size(element_bytes)
          self%takes(element, index) = takes_element(self%arguments(index), element)
        end do
      end do
      self%label = trim(name) // " " // label_of(module%context)
    end if
    call finish(status, stat, errmsg)
  end subroutine kernel_create

  pure type(rt_argument) function arg_real32(value)
    real(c_float), intent(in) :: value
    arg_real32%kind = RT_ARG_VALUE
    arg_real32%element = rt_real32
    arg_real32%bytes(1:element_bytes(rt_real32)) = transfer(value, arg_real32%bytes)
  end function arg_real32

  pure type(rt_argument) function arg_real64(value)
    real(c_double), intent(in) :: value
    arg_real64%kind = RT_ARG_VALUE
    arg_real64%element = rt_real64
    arg_real64%bytes(1:element_bytes(rt_real64)) = transfer(value, arg_real64%bytes)
  end function arg_real64

  pure type(rt_argument) function arg_int32(value)
    integer(c_int32_t), intent(in) :: value
    arg_int32%kind = RT_ARG_VALUE
    arg_int32%element = rt_int32
    arg_int32%bytes(1:element_bytes(rt_int32)) = transfer(value, arg_int32%bytes)
  end function arg_int32

  pure type(rt_argument) function arg_int64(value)
    integer(c_int64_t), intent(in) :: value
    arg_int64%kind = RT_ARG_VALUE
    arg_int64%element = rt_int64
    arg_int64%bytes(1:element_bytes(rt_int64)) = transfer(value, arg_int64%bytes)
  end function arg_int64

  pure type(rt_argument) function arg_int8(value)
    integer(c_int8_t), intent(in) :: value
    arg_int8%kind = RT_ARG_VALUE
    arg_int8%element = rt_int8
    arg_int8%bytes(1:element_bytes(rt_int8)) = transfer(value, arg_int8%bytes)
  end function arg_int8

  type(rt_argument) function arg_array(array)
    class(rt_array), intent(in) :: array
    arg_array%kind = RT_ARG_POINTER
    arg_array%element = array%element
    arg_array%bytes = transfer(array%handle, arg_array%bytes)
    arg_array%context = array%handle
  end function arg_array

  ! Local memory of a kernel, in bytes.
  pure type(rt_argument) function rt_local(bytes)
    integer, intent(in) :: bytes
    rt_local%kind = RT_ARG_LOCAL
    rt_local%bytes = transfer(int(bytes, c_size_t), rt_local%bytes)
  end function rt_local

  ! Whether an argument of a kernel takes values, or arrays, of an element type; 0 stands for local memory.
  function takes_element(wanted, element) result(fine)
    type(rtKernelArgInfo_t), intent(in) :: wanted
    integer, intent(in) :: element
    logical :: fine
    character(:), allocatable :: type_name
    fine = (wanted%kind == RT_ARG_LOCAL) .eqv. element == 0
    if (.not. fine .or. element == 0) return
    type_name = fixed_text(wanted%type_name)
    if (len(type_name) > 0) then
      if (type_name(len(type_name):) == "*") type_name = trim(type_name(1:len(type_name) - 1))
    end if
    if (len(type_name) > 1) then
      if (type_name(1:1) == "u" .and. element /= rt_int8) type_name = type_name(2:)
      if (type_name == "uchar") type_name = "char"
    end if
    if (type_name == "") then
      if (wanted%kind == RT_ARG_VALUE) fine = element_bytes(element) == wanted%size
      return
    end if
    ! Of types that have no counterpart here, such as float4, an array is taken; a value is refused.
    fine = element_names(element) == type_name
    if (wanted%kind == RT_ARG_POINTER .and. .not. any(element_names == type_name)) fine = .true.
  end function takes_element

  ! Whether an argument of a launch is what the kernel takes; a closed array is not.
  pure logical function argument_fits(self, index, argument)
    class(rt_kernel), intent(in) :: self
    integer, intent(in) :: index
    type(rt_argument), intent(in) :: argument
    argument_fits = argument%kind == self%arguments(index)%kind
    if (argument_fits) argument_fits = self%takes(argument%element, index)
    if (argument_fits .and. argument%kind == RT_ARG_POINTER) argument_fits = c_associated(argument%context)
  end function argument_fits

  ! What is wrong with an argument that does not fit.
  function argument_text(self, index, argument) result(text)
    class(rt_kernel), intent(in) :: self
    integer, intent(in) :: index
    type(rt_argument), intent(in) :: argument
    character(:), allocatable :: text, given
    character(12) :: number
    associate (wanted => self%arguments(index))
      write (number, "(i0)") index - 1 ! as the messages of the library count
      text = "argument " // trim(number) // " (" // fixed_text(wanted%name) // ") "
      if (argument%kind == RT_ARG_POINTER .and. .not. c_associated(argument%context)) then
        text = text // "is an array that is closed"
        return
      end if
      given = "local memory"
      if (argument%element > 0) given = trim(element_names(argument%element))
      if (argument%kind == RT_ARG_POINTER) given = "an array of " // given
      if (argument%kind == RT_ARG_INVALID) given = "an argument without a value"
      text = text // "has to be " // fixed_text(wanted%type_name) // trim(merge(" of local memory, rt_local", &
        "                          ", wanted%kind == RT_ARG_LOCAL)) // ", not " // given
    end associate
  end function argument_text

  ! What is wrong with a number of arguments.
  function count_text(self, count) result(text)
    class(rt_kernel), intent(in) :: self
    integer, intent(in) :: count
    character(:), allocatable :: text
    character(120) :: counts
    write (counts, "(a,i0,a,i0)") "the kernel takes ", size(self%arguments), &
      trim(merge(" argument ", " arguments", size(self%arguments) == 1)) // ", not ", count
    text = trim(counts)
    if (count >= size(self%arguments)) return
    write (counts, "(a,i0,a)") "; argument ", count, " ("
    text = text // trim(counts) // fixed_text(self%arguments(count + 1)%name) // "), of type " // &
      fixed_text(self%arguments(count + 1)%type_name) // ", is missing"
  end function count_text

  ! Three sizes from one to three.
  pure function three(sizes) result(all)
    integer, intent(in) :: sizes(:)
    integer(c_int32_t) :: all(3)
    all = 1
    all(1:min(size(sizes), 3)) = sizes(1:min(size(sizes), 3))
  end function three

  ! Launches the kernel with the arguments of its source, each in rt_arg or rt_local. grid is in work-groups, group in work-
  ! items, with one to three sizes. offset is what get_global_id of the first work-item returns. Does not wait.
  subroutine kernel_launch(self, stream, grid, group, arguments, stat, errmsg, offset)
    class(rt_kernel), intent(in) :: self
    class(rt_stream), intent(in) :: stream
    integer, intent(in) :: grid(:), group(:)
    type(rt_argument), intent(in), target :: arguments(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), intent(in), optional :: offset(:)
    type(c_ptr) :: pointers(max(1, size(arguments)))
    integer(c_int32_t) :: groups(3), items(3)
    type(rtLaunchOptions_t), target :: options
    integer :: index
    if (.not. usable(self, stat, errmsg)) return
    if (.not. usable(stream, stat, errmsg)) return
    if (size(arguments) /= size(self%arguments)) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, count_text(self, size(arguments)))
      return
    end if
    if (any(grid < 0) .or. any(group < 1) .or. size(grid) < 1 .or. size(grid) > 3 .or. size(group) < 1 .or. &
      size(group) > 3) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, &
        "grid and group have one to three sizes, and none is negative, and none of group 0")
      return
    end if
    do index = 1, size(arguments)
      if (.not. argument_fits(self, index, arguments(index))) then
        call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, argument_text(self, index, arguments(index)))
        return
      end if
      pointers(index) = c_loc(arguments(index)%bytes)
    end do
    groups = three(grid)
    items = three(group)
    if (.not. present(offset)) then
      call finish(rtLaunchKernelWithOptions(self%handle, groups, items, 0, args=pointers, arg_count=size(arguments), &
        stream=stream%handle), stat, errmsg)
      return
    end if
    if (size(offset) < 1 .or. size(offset) > 3 .or. any(offset < 0)) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "offset has one to three numbers, and none is negative")
      return
    end if
    options%global_offset(1:size(offset)) = offset
    call finish(rtLaunchKernelWithOptions(self%handle, groups, items, 0, options=options, args=pointers, &
      arg_count=size(arguments), stream=stream%handle), stat, errmsg)
  end subroutine kernel_launch

  ! ---- Graphs --------------------------------------------------------------------------------------------------------------

  ! Makes an empty graph; rt_stream%end_capture gives one with nodes.
  subroutine graph_create(self, stat, errmsg)
    class(rt_graph), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%close()
    self%owned = RT_HANDLE_GRAPH
    call finish(rtGraphCreate(self%handle), stat, errmsg)
  end subroutine graph_create

  ! How many nodes the graph has.
  subroutine graph_node_count(self, count, stat, errmsg)
    class(rt_graph), intent(in) :: self
    integer, intent(out) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    count = 0
    if (usable(self, stat, errmsg)) call finish(rtGraphGetNodes(capacity=0, count=count, graph=self%handle), stat, errmsg)
  end subroutine graph_node_count

  ! The graph in the language of Graphviz.
  function graph_dot(self) result(text)
    class(rt_graph), intent(in) :: self
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    text = ""
    if (rtGraphExportDot(size=0_c_size_t, needed=needed, graph=self%handle) /= RT_SUCCESS) return
    allocate (buffer(needed))
    if (rtGraphExportDot(buffer, needed, graph=self%handle) == RT_SUCCESS) text = fixed_text(buffer)
  end function graph_dot

  ! Turns an array that the graph's nodes use into a buffer, to which execs bind other arrays. role is RT_GRAPH_BUFFER_*.
  subroutine graph_buffer_create(self, graph, array, role, stat, errmsg)
    class(rt_graph_buffer), intent(inout) :: self
    class(rt_graph), intent(in) :: graph
    class(rt_array), intent(in) :: array
    integer(c_int32_t), intent(in) :: role
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(graph, stat, errmsg)) return
    if (.not. usable(array, stat, errmsg)) return
    self%bytes = array%count * element_bytes(array%element)
    call finish(rtGraphMakeBuffer(self%handle, array%handle, self%bytes, role, graph=graph%handle), stat, errmsg)
  end subroutine graph_buffer_create

  ! Makes a graph executable in a context.
  subroutine exec_create(self, graph, context, stat, errmsg)
    class(rt_graph_exec), intent(inout) :: self
    class(rt_graph), intent(in) :: graph
    class(rt_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (.not. usable(graph, stat, errmsg)) return
    if (.not. usable(context, stat, errmsg)) return
    call self%close()
    self%owned = RT_HANDLE_GRAPH_EXEC
    status = rtGraphInstantiate(self%handle, graph%handle, context%handle)
    if (status == RT_SUCCESS) self%label = label_of(context%handle)
    call finish(status, stat, errmsg)
  end subroutine exec_create

  ! Binds an array to a buffer of the graph, from the next launch on.
  subroutine exec_bind(self, buffer, array, stat, errmsg)
    class(rt_graph_exec), intent(in) :: self
    class(rt_graph_buffer), intent(in) :: buffer
    class(rt_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(120) :: text
    if (.not. usable(self, stat, errmsg)) return
    if (.not. usable(buffer, stat, errmsg)) return
    if (.not. usable(array, stat, errmsg)) return
    if (array%count * element_bytes(array%element) < buffer%bytes) then
      write (text, "(a,i0,a,i0)") "the array has ", array%count * element_bytes(array%element), " bytes, the buffer has ", &
        buffer%bytes
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
      return
    end if
    call finish(rtGraphExecBindBuffer(buffer%handle, array%handle, self%handle), stat, errmsg)
  end subroutine exec_bind

  ! Runs the graph in a stream's order. Does not wait.
  subroutine exec_launch(self, stream, stat, errmsg)
    class(rt_graph_exec), intent(in) :: self
    class(rt_stream), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. usable(self, stat, errmsg)) return
    if (usable(stream, stat, errmsg)) call finish(rtGraphLaunch(self%handle, stream%handle), stat, errmsg)
  end subroutine exec_launch

end module manyrt
