! SPDX-License-Identifier: Apache-2.0
!
! The fifteen behaviours of tests/bindings/README.md in Fortran: behaviours BEHAVIOUR DEVICE.
! Ends with 0 if the behaviour is as documented, 77 if the device cannot do it, and 1 with the difference otherwise.
module cells
  use manyrt
  implicit none

  character, parameter :: line = new_line("a")
  character(*), parameter :: source = &
    "kernel void axpy(global float *y, const global float *x, const int n, const float a, local float *tile) {" // line // &
    "  const int i = get_global_id(0);" // line // &
    "  tile[get_local_id(0)] = i < n ? x[i] : 0.0f;" // line // &
    "  barrier(CLK_LOCAL_MEM_FENCE);" // line // &
    "  if (i < n) y[i] += a * tile[get_local_id(0)];" // line // &
    "}" // line // &
    "kernel void twice(global float *y) { y[get_global_id(0)] *= 2.0f; }" // line // &
    "kernel void busy(global float *y, const int rounds) {" // line // &
    "  float value = y[get_global_id(0)];" // line // &
    "  for (int i = 0; i < rounds; i++) value = value * 1.0001f + 0.5f;" // line // &
    "  y[get_global_id(0)] = value;" // line // &
    "}" // line

  type, extends(rt_task) :: store_task
    integer :: number = 0
    integer :: seen = 0
    integer :: calls = 0
    logical :: fails = .false.
  contains
    procedure :: run => store_run
  end type store_task

contains

  subroutine store_run(self)
    class(store_task), intent(inout) :: self
    self%seen = self%number
    self%calls = self%calls + 1
    if (self%fails) then
      self%stat = 42
      self%errmsg = "the task failed"
    end if
  end subroutine store_run

  subroutine expect(condition, text)
    logical, intent(in) :: condition
    character(*), intent(in) :: text
    if (condition) return
    print "(2a)", "expected ", text
    stop 1, quiet=.true.
  end subroutine expect

  ! The outcome of a call that has to fail: its status, a sentence, and parts that the sentence has to have.
  subroutine refused(wanted, stat, errmsg, parts)
    integer, intent(in) :: wanted, stat
    character(*), intent(in) :: errmsg
    character(*), intent(in) :: parts(:)
    character(12) :: numbers(2)
    integer :: index
    write (numbers, "(i0)") wanted, stat
    if (stat /= wanted) call expect(.false., "status " // trim(numbers(1)) // ", and got " // trim(numbers(2)))
    call expect(len_trim(errmsg) > 20, "a sentence")
    do index = 1, size(parts)
      call expect(len_trim(parts(index)) > 0, "a part to look for")
      if (.not. contains(errmsg, trim(parts(index)))) call expect(.false., "'" // &
        trim(parts(index)) // "' in the message '" // trim(errmsg) // "'")
    end do
  end subroutine refused

  pure logical function contains(text, part)
    character(*), intent(in) :: text, part
    contains = index(text, part) > 0
  end function contains

  subroutine open_context(name, device, context)
    character(*), intent(in) :: name
    type(rt_device), intent(inout) :: device
    type(rt_context), intent(inout) :: context
    call device%create(name)
    call context%create(device)
  end subroutine open_context

  subroutine create_and_drop(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_array) :: array
    call open_context(name, device, context)
    call stream%create(context)
    call array%create(context, rt_real32, 10_c_int64_t)
  end subroutine create_and_drop

  subroutine create(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_event) :: event
    type(rt_fence) :: fence
    type(rt_pool) :: pool
    type(rt_graph) :: graph
    integer :: before
    before = rt_live_handles()
    call open_context(name, device, context)
    call stream%create(context, priority=-1)
    call event%create(context)
    call fence%create(context, 3_c_int64_t)
    call pool%create(context)
    call graph%create()
    call expect(contains(device%text(), "device") .and. contains(device%text(), name), "kind and id, and got " // device%text())
    call expect(contains(context%text(), "context") .and. contains(stream%text(), "stream"), "kinds of context and stream")
    call expect(contains(event%text(), "event") .and. contains(fence%text(), "fence"), "kinds of event and fence")
    call expect(contains(pool%text(), "pool") .and. contains(graph%text(), "graph"), "kinds of pool and graph")
    call expect(rt_live_handles() == before + 6, "6 live handles")
    call graph%close()
    call pool%close()
    call fence%close()
    call event%close()
    call stream%close()
    call context%close()
    call expect(contains(stream%text(), "closed"), "a stream that says that it is closed")
    call expect(rt_live_handles() == before, "no live handle after close")
    call create_and_drop(name)
    call expect(rt_live_handles() == before, "no live handle after the finalisers")
  end subroutine create

  subroutine copy(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_array) :: a, b, half, other_half
    real(c_float) :: values(1000), back(1000), grid(10, 100)
    integer :: i, status
    character(1000) :: message
    values = [(real(i, c_float), i=1, 1000)]
    call open_context(name, device, context)
    call stream%create(context)
    call a%create(context, rt_real32, 1000_c_int64_t)
    call b%create(context, rt_real32, 1000_c_int64_t)
    call a%upload(values)
    call b%fill(0.0_c_float)
    call b%copy_from(a)
    back = 0
    call b%download(back)
    call expect(all(back == values), "1,000 values that came back without a stream")
    call a%upload(2 * values, stream)
    call b%copy_from(a, stream)
    call b%download(back, stream)
    call expect(all(back == 2 * values), "1,000 values that came back in a stream")
    call half%view(a, 1_c_int64_t, 500_c_int64_t)
    call other_half%view(b, 501_c_int64_t, 1000_c_int64_t)
    call other_half%copy_from(half, stream)
    call b%download(back, stream)
    call expect(all(back(1:500) == 2 * values(1:500)) .and. all(back(501:) == 2 * values(1:500)), "half of the array")
    call b%download(grid)
    call expect(all(reshape(grid, [1000]) == back), "an array of rank 2")
    call half%upload(grid(1:5, :), stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["contiguous"])
  end subroutine copy

  subroutine launch(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_module) :: module
    type(rt_kernel) :: axpy
    type(rt_array) :: x, y, wide
    real(c_float) :: values(1000), back(1000)
    integer :: i, status
    character(1000) :: message
    type(rt_argument) :: good(5), bad(5)
    values = [(real(i, c_float), i=1, 1000)]
    call open_context(name, device, context)
    call stream%create(context)
    call module%create(context, source)
    call axpy%create(module, "axpy")
    call x%create(context, rt_real32, 1000_c_int64_t)
    call y%create(context, rt_real32, 1000_c_int64_t)
    call wide%create(context, rt_real64, 1000_c_int64_t)
    call x%upload(values)
    call y%fill(1.0_c_float)
    good = [rt_arg(y), rt_arg(x), rt_arg(1000), rt_arg(2.5), rt_local(4 * 64)]
    call axpy%launch(stream, [16], [64], good)
    call y%download(back, stream)
    call expect(all(back == 1 + 2.5 * values), "the kernel's result")
    call axpy%launch(stream, [1], [64], good, offset=[900_c_int64_t])
    call y%download(back, stream)
    call expect(all(back(:900) == 1 + 2.5 * values(:900)) .and. all(back(901:964) == 1 + 5 * values(901:964)) .and. &
      all(back(965:) == 1 + 2.5 * values(965:)), "the result from the offset on")
    call axpy%launch(stream, [1], [64], good, stat=status, errmsg=message, offset=[-1_c_int64_t])
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["offset"])
    call axpy%launch(stream, [16], [64], good(1:4), stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["5 arguments      ", "not 4            ", "argument 4 (tile)"])
    bad = good
    bad(3) = rt_arg(1000.0)
    call axpy%launch(stream, [16], [64], bad, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["argument 2 (n)", "int           ", "float         "])
    bad = good
    bad(4) = rt_arg(2.5_c_double)
    call axpy%launch(stream, [16], [64], bad, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["argument 3 (a)", "double        "])
    bad = good
    bad(2) = rt_arg(wide)
    call axpy%launch(stream, [16], [64], bad, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["argument 1 (x)", "double        "])
    bad = good
    bad(5) = rt_arg(64)
    call axpy%launch(stream, [16], [64], bad, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["argument 4 (tile)", "rt_local         "])
  end subroutine launch

  subroutine event_time(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_event) :: start, finish
    type(rt_module) :: module
    type(rt_kernel) :: busy
    type(rt_array) :: y
    integer(c_int64_t) :: began, ended, rate
    real(c_double) :: seconds
    call open_context(name, device, context)
    if (.not. device%has(RT_CAPABILITY_TIMING)) then
      print "(a)", "the device has no timing"
      stop 77, quiet=.true.
    end if
    call stream%create(context)
    call start%create(context)
    call finish%create(context)
    call module%create(context, source)
    call busy%create(module, "busy")
    call y%create(context, rt_real32, 4096_c_int64_t)
    call y%fill(1.0_c_float)
    call system_clock(began, rate)
    call start%record(stream)
    call busy%launch(stream, [64], [64], [rt_arg(y), rt_arg(2000)])
    call finish%record(stream)
    call finish%wait(30.0_c_double)
    call system_clock(ended)
    call finish%seconds_since(start, seconds)
    call expect(seconds > 0 .and. seconds < real(ended - began, c_double) / real(rate, c_double), "a time below the host's")
  end subroutine event_time

  subroutine cross_stream_wait(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: first, second
    type(rt_fence) :: fence
    type(rt_event) :: event
    type(rt_module) :: module
    type(rt_kernel) :: twice
    type(rt_array) :: y
    real(c_float) :: back(64)
    logical :: done
    integer :: status
    call open_context(name, device, context)
    call first%create(context)
    call second%create(context)
    call fence%create(context)
    call event%create(context)
    call module%create(context, source)
    call twice%create(module, "twice")
    call y%create(context, rt_real32, 64_c_int64_t)
    call y%fill(3.0_c_float)
    call first%wait_fence(fence, 1_c_int64_t)
    call y%fill(5.0_c_float, first)
    call event%record(first)
    call second%wait_event(event)
    call twice%launch(second, [1], [64], [rt_arg(y)])
    call second%done(done)
    call expect(.not. done, "the second stream to be held back")
    call second%synchronize(0.02_c_double, stat=status)
    call expect(status == RT_ERROR_TIMEOUT, "a wait whose time passes")
    call fence%wait(1_c_int64_t, 0.0_c_double, stat=status)
    call expect(status == RT_ERROR_TIMEOUT, "the fence below 1")
    call fence%signal(1_c_int64_t)
    call y%download(back, second)
    call expect(all(back == 10), "the fill before the kernel")
  end subroutine cross_stream_wait

  subroutine use_after_close(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream, late
    type(rt_array) :: y
    type(rt_module) :: module
    type(rt_kernel) :: twice
    integer :: status
    character(1000) :: message
    call open_context(name, device, context)
    call stream%create(context)
    call late%create(context)
    call y%create(context, rt_real32, 4_c_int64_t)
    call module%create(context, source)
    call twice%create(module, "twice")
    call stream%close()
    call stream%close()
    call stream%synchronize(stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_HANDLE, status, message, ["stream", "closed"])
    call module%close()
    call twice%launch(late, [1], [4], [rt_arg(y)], stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_HANDLE, status, message, ["kernel"])
    call y%close()
    call y%fill(1.0_c_float, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_HANDLE, status, message, ["array ", "closed"])
    call context%close()
    call late%synchronize(stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_HANDLE, status, message, ["stream"])
    call late%close()
  end subroutine use_after_close

  subroutine wrong_size(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_array) :: a, b, part, whole_numbers, big
    type(rt_module) :: module
    type(rt_kernel) :: twice
    type(rt_stream) :: stream
    type(rt_fence) :: fence
    real(c_float) :: values(11)
    integer :: status
    character(1000) :: message
    values = 0
    call open_context(name, device, context)
    call a%create(context, rt_real32, 10_c_int64_t)
    call b%create(context, rt_real32, 5_c_int64_t)
    call a%upload(values, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["44", "40"])
    call a%download(values(1:9), stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["36", "40"])
    call b%copy_from(a, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["40", "20"])
    call part%view(a, 5_c_int64_t, 11_c_int64_t, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["11", "10"])
    call part%view(a, 0_c_int64_t, 1_c_int64_t, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["elements 0"])
    call a%view(a, 2_c_int64_t, 3_c_int64_t, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["itself"])
    call whole_numbers%create(context, rt_int32, 10_c_int64_t)
    call whole_numbers%copy_from(a, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["float", "int  "])
    call big%create(context, rt_real64, 2_c_int64_t**61, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["2**63"])
    call module%create(context, source)
    call twice%create(module, "twice")
    call stream%create(context)
    call twice%launch(stream, [1], [10], [rt_arg(big)], stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["argument 0", "closed    "])
    call twice%create(module, "twice" // c_null_char // "x", stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["NUL"])
    call fence%create(context)
    call fence%wait(1_c_int64_t, 0.0_c_double, stat=status, errmsg=message)
    call expect(status == RT_ERROR_TIMEOUT .and. .not. contains(message, "NUL"), "no sentence of an earlier failure")
  end subroutine wrong_size

  subroutine build_error(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_module) :: module
    integer :: status
    character(1000) :: message
    call open_context(name, device, context)
    call module%create(context, "kernel void f(global float *y) {" // line // "  y[0] = nonsense;" // line // "}" // line, &
      stat=status, errmsg=message)
    call refused(RT_ERROR_BUILD_FAILED, status, message, ["nonsense", ":2:     "])
  end subroutine build_error

  subroutine callback(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_fence) :: hold
    type(rt_array) :: y
    type(store_task), target :: good, bad, count
    type(rt_graph) :: graph
    type(rt_graph_exec) :: exec
    integer :: status
    call open_context(name, device, context)
    call stream%create(context)
    call hold%create(context)
    call y%create(context, rt_real32, 64_c_int64_t)
    good%number = 7
    bad%number = 8
    bad%fails = .true.
    call stream%wait_fence(hold, 1_c_int64_t)
    call y%fill(1.0_c_float, stream)
    call stream%run(good)
    call stream%run(bad)
    call expect(good%seen == 0, "the task to wait for the work ahead of it")
    call hold%signal(1_c_int64_t)
    call stream%synchronize(stat=status)
    call expect(good%seen == 7 .and. good%stat == 0 .and. good%status == RT_SUCCESS, "the task's own data")
    call expect(bad%seen == 8 .and. bad%stat == 42 .and. bad%errmsg == "the task failed", "the failure that the task reports")
    call stream%begin_capture()
    call stream%run(count)
    call stream%end_capture(graph)
    call expect(count%calls == 0, "no call in the capture")
    call exec%create(graph, context)
    call exec%launch(stream)
    call exec%launch(stream)
    call stream%synchronize()
    call expect(count%calls == 2, "a call for each launch of the graph")
  end subroutine callback

  subroutine out_of_memory(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_array) :: huge_array, small
    integer(c_int8_t) :: back(3)
    integer :: status
    character(1000) :: message
    call open_context(name, device, context)
    call huge_array%create(context, rt_int8, 2_c_int64_t**60, stat=status, errmsg=message)
    call refused(RT_ERROR_OUT_OF_MEMORY, status, message, ["1152921504606846976"])
    call small%create(context, rt_int8, 3_c_int64_t)
    call small%upload([1_c_int8_t, 2_c_int8_t, 3_c_int8_t])
    call small%download(back)
    call expect(all(back == [1, 2, 3]), "memory that works after the failure")
  end subroutine out_of_memory

  subroutine replay(name)
    character(*), intent(in) :: name
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_stream) :: stream
    type(rt_module) :: module
    type(rt_kernel) :: twice
    type(rt_array) :: values, first, second, small
    type(rt_graph) :: graph
    type(rt_graph_buffer) :: target_buffer
    type(rt_graph_exec) :: exec
    real(c_float) :: back(64)
    integer :: round, count, status
    character(1000) :: message
    call open_context(name, device, context)
    call stream%create(context)
    call module%create(context, source)
    call twice%create(module, "twice")
    call values%create(context, rt_real32, 64_c_int64_t)
    call first%create(context, rt_real32, 64_c_int64_t)
    call second%create(context, rt_real32, 64_c_int64_t)
    call small%create(context, rt_real32, 63_c_int64_t)
    call values%fill(1.0_c_float)
    call stream%begin_capture()
    call twice%launch(stream, [1], [64], [rt_arg(values)])
    call first%copy_from(values, stream)
    call values%upload(back, stream, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["graph"])
    call stream%end_capture(graph)
    call graph%node_count(count)
    call expect(count == 2, "2 nodes")
    call expect(contains(graph%dot(), "digraph"), "the graph as text")
    call target_buffer%create(graph, first, RT_GRAPH_BUFFER_OUTPUT)
    call exec%create(graph, context)
    call exec%bind(target_buffer, first)
    do round = 1, 10
      if (round == 6) call exec%bind(target_buffer, second)
      call exec%launch(stream)
      if (round < 6) call first%download(back, stream)
      if (round >= 6) call second%download(back, stream)
      call expect(all(back == 2.0**round), "2 to the power of the round")
    end do
    call first%download(back)
    call expect(all(back == 32), "32 in the first buffer")
    call exec%bind(target_buffer, small, stat=status, errmsg=message)
    call refused(RT_ERROR_INVALID_VALUE, status, message, ["252", "256"])
  end subroutine replay

  subroutine two_devices(name)
    character(*), intent(in) :: name
    type(rt_device) :: device, other_device
    type(rt_context) :: here, there
    type(rt_stream) :: stream
    type(rt_array) :: a, b, back
    real(c_float) :: values(100), result(100)
    character(6) :: other
    character(20) :: names(2)
    integer :: i, status
    character(1000) :: message
    other = merge("null:0", "cpu   ", name == "cpu")
    names(1) = name
    names(2) = other
    values = [(real(i, c_float), i=1, 100)]
    call open_context(name, device, here)
    call open_context(trim(other), other_device, there)
    call stream%create(there)
    call a%create(here, rt_real32, 100_c_int64_t)
    call b%create(there, rt_real32, 100_c_int64_t)
    call back%create(here, rt_real32, 100_c_int64_t)
    call a%upload(values)
    call b%copy_from(a)
    call back%copy_from(b)
    call back%download(result)
    call expect(all(result == values), "values that went to the other device and back")
    call a%fill(1.0_c_float, stream, stat=status, errmsg=message)
    call refused(RT_ERROR_WRONG_CONTEXT, status, message, names)
  end subroutine two_devices

  subroutine version()
    integer :: status, own
    character(1000) :: message
    own = rt_layer_version()
    call expect(own > 0, "a version of the layer")
    call expect(rt_library_version() > 0, "a version of the library")
    call rt_check_version(own + 100)
    call rt_check_version(own + 10000, stat=status, errmsg=message)
    call refused(RT_ERROR_NOT_SUPPORTED, status, message, ["major version"])
    call rt_check_version(own - 100, stat=status, errmsg=message)
    call refused(RT_ERROR_NOT_SUPPORTED, status, message, ["too old"])
  end subroutine version

  ! Configures the layer where pkg-config finds no library; the command comes in the environment.
  subroutine missing_library()
    character(2000) :: command, log
    character(1000) :: text
    integer :: length, status, code, unit
    call get_environment_variable("MANYRT_CONFIGURE_WITHOUT", command, length)
    call expect(length > 0, "MANYRT_CONFIGURE_WITHOUT in the environment")
    call get_environment_variable("MANYRT_CONFIGURE_LOG", log)
    call execute_command_line(trim(command) // " > " // trim(log) // " 2>&1", exitstat=code)
    call expect(code /= 0, "a failure without the library")
    open (newunit=unit, file=trim(log), action="read")
    do
      read (unit, "(a)", iostat=status) text
      if (status /= 0) exit
      if (contains(text, "libmanyrt-dev")) return
    end do
    call expect(.false., "libmanyrt-dev in " // trim(log))
  end subroutine missing_library

end module cells

! Its variables live until the process ends, so that nothing is closed before.
program behaviours
  use cells
  implicit none
  character(100) :: behaviour, name
  type(rt_device) :: device
  type(rt_context) :: context
  type(rt_stream) :: stream
  type(rt_module) :: module
  type(rt_kernel) :: busy
  type(rt_array) :: y, z
  type(rt_fence) :: hold
  type(store_task), target :: task
  logical :: done
  integer :: round
  call get_command_argument(1, behaviour)
  call get_command_argument(2, name)
  select case (behaviour)
  case ("create")
    call create(trim(name))
  case ("copy")
    call copy(trim(name))
  case ("launch")
    call launch(trim(name))
  case ("event_time")
    call event_time(trim(name))
  case ("cross_stream_wait")
    call cross_stream_wait(trim(name))
  case ("use_after_close")
    call use_after_close(trim(name))
  case ("wrong_size")
    call wrong_size(trim(name))
  case ("build_error")
    call build_error(trim(name))
  case ("callback")
    call callback(trim(name))
  case ("out_of_memory")
    call out_of_memory(trim(name))
  case ("replay")
    call replay(trim(name))
  case ("two_devices")
    call two_devices(trim(name))
  case ("version")
    call version()
  case ("missing_library")
    call missing_library()
  case ("exit_with_work")
    call open_context(trim(name), device, context)
    call stream%create(context)
    call module%create(context, source)
    call busy%create(module, "busy")
    call y%create(context, rt_real32, 4096_c_int64_t)
    call z%create(context, rt_real32, 4096_c_int64_t)
    call y%fill(1.0_c_float)
    call hold%create(context)
    call stream%wait_fence(hold, 1_c_int64_t)
    do round = 1, 20
      call busy%launch(stream, [64], [64], [rt_arg(y), rt_arg(5000)])
    end do
    call stream%run(task)
    call z%copy_from(y, stream)
    call stream%done(done)
    call expect(.not. done, "work in flight at the end")
    call hold%signal(1_c_int64_t)
  case default
    print "(2a)", "there is no behaviour ", trim(behaviour)
    stop 1, quiet=.true.
  end select
end program behaviours
