! SPDX-License-Identifier: Apache-2.0
!
! What launch, record and query cost from Fortran: overhead DEVICE CALLS RUNS.
program overhead
  use manyrt
  implicit none
  type(rt_device) :: device
  type(rt_context) :: context
  type(rt_stream) :: stream
  type(rt_event) :: event
  type(rt_fence) :: fence
  type(rt_array) :: data
  type(rt_module) :: module
  type(rt_kernel) :: kernel
  character(64) :: name, text
  integer :: calls, runs, run, i
  integer(c_int64_t) :: began, held
  logical :: done

  call get_command_argument(1, name)
  call get_command_argument(2, text)
  read (text, *) calls
  call get_command_argument(3, text)
  read (text, *) runs
  call device%create(trim(name))
  call context%create(device)
  call stream%create(context)
  call event%create(context)
  call fence%create(context, 0_c_int64_t)
  call data%create(context, rt_real32, 64_c_int64_t)
  call module%create(context, "kernel void f(global float *x, int n, float y) { x[n] = y; }")
  call kernel%create(module, "f")
  held = 0
  do run = 1, runs
    held = held + 1
    call stream%wait_fence(fence, held)
    call system_clock(began)
    do i = 1, calls
      call kernel%launch(stream, [1], [1], [rt_arg(data), rt_arg(1), rt_arg(2.0)])
    end do
    call tell("launch")
    call fence%signal(held)
    call stream%synchronize()
    held = held + 1
    call stream%wait_fence(fence, held)
    call system_clock(began)
    do i = 1, calls
      call event%record(stream)
    end do
    call tell("record")
    call fence%signal(held)
    call stream%synchronize()
    call system_clock(began)
    do i = 1, calls
      call stream%done(done)
    end do
    call tell("query")
  end do

contains

  subroutine tell(name)
    character(*), intent(in) :: name
    integer(c_int64_t) :: now, rate
    call system_clock(now, rate)
    print "(a, f12.1)", name, real(now - began, c_double) / real(rate, c_double) * 1e9_c_double / calls
  end subroutine tell
end program overhead
