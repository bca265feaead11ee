! SPDX-License-Identifier: Apache-2.0
!
! The module manyrt_comm on the CPU: comm has two ranks in this process, and does what is wrong; comm launched is one of two
! processes that a launcher started. Ends with 0, or 1 with what differed.
module cells
  use manyrt_comm
  implicit none

contains

  subroutine expect(condition, text)
    logical, intent(in) :: condition
    character(*), intent(in) :: text
    if (condition) return
    print "(2a)", "expected ", text
    stop 1, quiet=.true.
  end subroutine expect

  ! The outcome of a call that has to fail: its status, and a part of the sentence.
  subroutine refused(wanted, stat, errmsg, part)
    integer, intent(in) :: wanted, stat
    character(*), intent(in) :: errmsg, part
    if (stat == wanted .and. index(errmsg, part) > 0) return
    print "(a,i0,3a,i0,2a)", "expected ", wanted, " with '", part, "', and got ", stat, ": ", trim(errmsg)
    stop 1, quiet=.true.
  end subroutine refused

  subroutine open_pair(contexts, ranks)
    type(rt_context), intent(inout) :: contexts(2)
    type(rt_communicator), intent(inout) :: ranks(2)
    type(rt_device) :: device
    integer :: i
    call device%create("cpu")
    do i = 1, 2
      call contexts(i)%create(device)
    end do
    call rt_comm_create_all(ranks, contexts, timeout=60.0_c_double, label="pair")
  end subroutine open_pair

  subroutine ints(array, context, values)
    type(rt_array), intent(inout) :: array
    type(rt_context), intent(in) :: context
    integer(c_int32_t), intent(in) :: values(:)
    call array%create(context, rt_int32, size(values, kind=c_int64_t))
    call array%upload(values)
  end subroutine ints

  subroutine holds(array, values, text)
    type(rt_array), intent(in) :: array
    integer(c_int32_t), intent(in) :: values(:)
    character(*), intent(in) :: text
    integer(c_int32_t) :: got(size(values))
    call array%download(got)
    call expect(all(got == values), text)
  end subroutine holds

  subroutine operations()
    type(rt_context) :: contexts(2)
    type(rt_communicator) :: ranks(2)
    type(rt_array) :: x(2), y(2), whole(2), turned(2)
    integer :: i
    call open_pair(contexts, ranks)
    do i = 1, 2
      call ints(x(i), contexts(i), [1, 2] * 10**(i - 1))
      call ints(y(i), contexts(i), [0, 0])
      call ints(whole(i), contexts(i), [0, 0, 0, 0])
      call ints(turned(i), contexts(i), [0, 0, 0, 0])
    end do
    call rt_comm_group_begin()
    do i = 1, 2
      call ranks(i)%all_reduce(y(i), x(i))
    end do
    call rt_comm_group_end()
    call holds(y(1), [11, 22], "the sums on rank 0")
    call holds(y(2), [11, 22], "the sums on rank 1")
    call rt_comm_group_begin()
    do i = 1, 2
      call ranks(i)%all_reduce(y(i), reduction=RT_COMM_AVERAGE)
      call ranks(i)%reduce(y(i), x(i), RT_COMM_PRODUCT, root=1)
    end do
    call rt_comm_group_end()
    call holds(y(1), [11, 22], "the average on rank 0")
    call holds(y(2), [10, 40], "the product on rank 1")
    call rt_comm_group_begin()
    do i = 1, 2
      call ranks(i)%broadcast(y(i), x(i))
      call ranks(i)%all_gather(whole(i), x(i))
      call ranks(i)%reduce_scatter(send=whole(i))
      call ranks(i)%all_to_all(turned(i), whole(i))
    end do
    call rt_comm_group_end()
    call holds(y(2), [1, 2], "the elements of root on rank 1")
    call holds(whole(1), [2, 4, 10, 20], "in place the sums of rank 0's part")
    call holds(whole(2), [1, 2, 20, 40], "in place the sums of rank 1's part")
    call holds(turned(1), [2, 4, 1, 2], "the first parts")
    call holds(turned(2), [10, 20, 20, 40], "the second parts")
    call rt_comm_group_begin()
    call ranks(1)%gather(send=x(1), root=1)
    call ranks(2)%gather(whole(2), x(2), root=1)
    call ranks(1)%scatter(y(1), root=1)
    call ranks(2)%scatter(send=whole(2), root=1)
    call rt_comm_group_end()
    call holds(whole(2), [1, 2, 10, 20], "the gathered elements")
    call holds(y(1), [1, 2], "the scattered part")
    call rt_comm_group_begin()
    do i = 1, 2
      call ranks(i)%send(x(i), 2 - i)
      call ranks(i)%receive(y(i), 2 - i)
      call ranks(i)%barrier()
    end do
    call rt_comm_group_end()
    call holds(y(1), [10, 20], "what rank 1 sent")
    call holds(y(2), [1, 2], "what rank 0 sent")
  end subroutine operations

  subroutine more_communicators()
    type(rt_context) :: contexts(2)
    type(rt_communicator) :: ranks(2)
    type(rt_communicator) :: made(2)
    type(rtCommUniqueId_t) :: id
    integer :: i, stat
    character(300) :: errmsg
    call open_pair(contexts, ranks)
    call rt_comm_group_begin()
    do i = 1, 2
      call made(i)%create_split(ranks(i), 5, -i)
    end do
    call made(1)%barrier(stat=stat, errmsg=errmsg)
    call refused(RT_ERROR_INVALID_HANDLE, stat, errmsg, "its group is open")
    call expect(.not. made(1)%is_open(), "no rank before the end of the group")
    call rt_comm_group_end(made)
    call expect(made(1)%text() == "manyrt communicator rank 1 of 2" .and. made(2)%text() == "manyrt communicator rank 0 of 2", &
      "ranks in the order of the key, and got " // made(1)%text())
    call rt_comm_unique_id(id)
    call rt_comm_group_begin()
    do i = 1, 2
      call made(i)%create(id, i - 1, 2, contexts(i))
    end do
    call rt_comm_group_end()
    call expect(made(2)%is_open() .and. c_associated(made(2)%c_handle()), "a rank by an id")
    call made(1)%create(id, 0, 2, contexts(1), stat=stat, errmsg=errmsg)
    call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "used")
    call rt_comm_group_begin()
    call made(1)%create_split(ranks(1), 0)
    call made(2)%create_split(ranks(2), RT_COMM_NO_COLOR)
    call rt_comm_group_end()
    call expect(made(1)%is_open() .and. .not. made(2)%is_open(), "no rank without a color")
    call made(1)%close()
    call made(1)%close()
    call made(1)%barrier(stat=stat, errmsg=errmsg)
    call refused(RT_ERROR_INVALID_HANDLE, stat, errmsg, "closed")
  end subroutine more_communicators

  subroutine bad_input()
    type(rt_context) :: contexts(2)
    type(rt_communicator) :: ranks(2)
    type(rt_communicator) :: none(1)
    type(rt_context) :: closed(1)
    type(rt_array) :: two, three, four, floats, gone
    type(rt_stream) :: foreign, stream
    integer :: stat, status, rank
    character(300) :: errmsg
    character(:), allocatable :: message
    call open_pair(contexts, ranks)
    call ints(two, contexts(1), [1, 2])
    call ints(three, contexts(1), [1, 2, 3])
    call ints(four, contexts(1), [1, 2, 3, 4])
    call floats%create(contexts(1), rt_real32, 2_c_int64_t)
    associate (comm => ranks(1))
      call comm%all_reduce(two, three, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "'receive' has 2 elements and 'send' 3")
      call comm%all_gather(three, two, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "'receive' has 3 elements, which do not divide by the 2 ranks")
      call comm%reduce_scatter(four, four, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "takes 1 to 2")
      call comm%all_reduce(two, floats, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "'send' of rt_real32")
      call comm%all_reduce(gone, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_HANDLE, stat, errmsg, "closed")
      call comm%all_reduce(stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "neither receive nor send")
      call comm%all_reduce(two, reduction=77, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "77")
      call comm%send(two, 7, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "7")
      call foreign%create(contexts(2))
      call comm%all_reduce(two, stream=foreign, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_WRONG_CONTEXT, stat, errmsg, "context")
      call none(1)%create_from_environment(contexts(1), stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "WORLD_SIZE")
      call none(1)%create_from_environment(contexts(1), timeout=0.0_c_double, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "above 0")
      call none(1)%create_from_mpi(c_null_ptr, contexts(1), stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "mpi_comm")
      call rt_comm_create_all(none, contexts, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "1 ranks for 2 contexts")
      call rt_comm_create_all(none, closed, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_HANDLE, stat, errmsg, "context 1 is closed")
      call rt_comm_group_end(stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "group")
      call comm%failure(status)
      call expect(status == RT_SUCCESS, "no failure")

      call stream%create(contexts(1))
      call comm%all_reduce(two, stream=stream)
      call ranks(2)%abort()
      call comm%synchronize(stream, stat=stat, errmsg=errmsg)
      call refused(RT_ERROR_LAUNCH_FAILED, stat, errmsg, "rtCommAbort")
      call comm%failure(status, rank, message)
      call expect(status == RT_ERROR_LAUNCH_FAILED .and. rank == 1 .and. len(message) > 10, "the failure of rank 1")
    end associate
  end subroutine bad_input

  ! One of two processes.
  subroutine launched()
    type(rt_device) :: device
    type(rt_context) :: context
    type(rt_communicator) :: comm, turned
    type(rt_comm_info) :: info
    type(rt_stream) :: stream
    type(rt_array) :: x, own, whole, part, other
    real(c_float) :: got(1000)
    integer :: stat
    character(300) :: errmsg
    call device%create("cpu")
    call context%create(device)
    call comm%create_from_environment(context, timeout=60.0_c_double)
    call comm%info(info)
    call expect(comm%size == 2 .and. info%local_size == 1, "2 ranks")
    call expect(info%engine == "shared_memory", "the engine shared_memory, and got " // trim(info%engine))
    call stream%create(context)
    call x%create(context, rt_real32, 1000_c_int64_t)
    call x%fill(real(comm%rank + 1, c_float), stream)
    call comm%all_reduce(x, stream=stream)
    call x%download(got, stream)
    call comm%synchronize(stream)
    call expect(all(got == 3.0), "the sum 3")
    call ints(own, context, [comm%rank, comm%rank + 10])
    call ints(whole, context, [0, 0, 0, 0])
    call ints(part, context, [0])
    call ints(other, context, [0, 0])
    call comm%all_gather(whole, own)
    call comm%reduce_scatter(part, own)
    call comm%broadcast(other, own, root=1)
    call holds(whole, [0, 10, 1, 11], "the gathered elements")
    call holds(part, [merge(1, 21, comm%rank == 0)], "the sum of the part")
    call holds(other, [1, 11], "the elements of rank 1")
    call rt_comm_group_begin()
    call comm%send(own, 1 - comm%rank)
    call comm%receive(other, 1 - comm%rank)
    call rt_comm_group_end()
    call holds(other, [1 - comm%rank, 11 - comm%rank], "what the other rank sent")
    call turned%create_split(comm, 0, -comm%rank)
    call expect(turned%rank == 1 - comm%rank, "the ranks in the other order")
    call comm%all_reduce(whole, own, stat=stat, errmsg=errmsg)
    call refused(RT_ERROR_INVALID_VALUE, stat, errmsg, "'receive' has 4 elements and 'send' 2")
    call turned%barrier()
    call turned%synchronize() ! a rank that ends early is a failure of the other
    print "(2a)", "agrees: ", comm%text()
  end subroutine launched

end module cells

program main
  use cells
  implicit none
  character(20) :: how
  call get_command_argument(1, how)
  if (how == "launched") then
    call launched()
  else
    call operations()
    call more_communicators()
    call bad_input()
  end if
end program main
