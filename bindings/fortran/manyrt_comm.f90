! SPDX-License-Identifier: Apache-2.0

! The owner of a rank. Its finaliser is in a module of its own, as that of rt_owner in manyrt.f90.
module manyrt_comm_owner
  use manyrt_c, only: RT_SUCCESS
  use manyrt_comm_c
  implicit none
  private

  type, public :: rt_comm_owner
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr), pointer :: pending => null() ! written by rtCommGroupEnd, where the rank was made within a group
  contains
    procedure :: adopt
    procedure :: made
    procedure :: destroy
    final :: owner_final
  end type rt_comm_owner

contains

  ! Takes over the rank that the end of a group has made.
  subroutine adopt(self)
    class(rt_comm_owner), intent(inout) :: self
    if (.not. associated(self%pending)) return
    if (.not. c_associated(self%pending)) return
    self%handle = self%pending
    deallocate (self%pending)
  end subroutine adopt

  ! The handle, also of a rank that is not taken over yet.
  pure type(c_ptr) function made(self)
    class(rt_comm_owner), intent(in) :: self
    made = self%handle
    if (associated(self%pending)) made = self%pending
  end function made

  integer(c_int32_t) function destroy(self) result(status)
    class(rt_comm_owner), intent(inout) :: self
    call self%adopt()
    nullify (self%pending) ! the library may still write there: it stays
    status = RT_SUCCESS
    if (c_associated(self%handle)) status = rtCommDestroy(self%handle)
    self%handle = c_null_ptr
  end function destroy

  impure elemental subroutine owner_final(self)
    type(rt_comm_owner), intent(inout) :: self
    integer(c_int32_t) :: status
    status = self%destroy()
    if (status < 0) nullify (self%pending)
  end subroutine owner_final

end module manyrt_comm_owner

! Communicators of manyrt for Fortran 2018: collective operations between contexts, of this process, of processes of one host,
! and of several hosts. An rt_communicator is one rank. Its library is libmanyrt-comm, which programs link too.
!
! Operations take an rt_array for receive and for send, and count all its elements; where one is left out, the operation is in
! place in the other. They return at once, in the order of the stream, or of the context's default stream, which downloads
! without a stream follow. Ranks, roots and peers begin with 0, as in C. Procedures end with stat and errmsg, as those of the
! module manyrt. The module manyrt_comm_c, which is public here, has every function of rt_comm.h.
module manyrt_comm
  use manyrt
  use manyrt_comm_c
  use manyrt_comm_owner, only: rt_comm_owner
  use manyrt_text, only: c_text, fixed_text
  implicit none
  public
  private :: c_text, fixed_text, rt_comm_owner, finish, usable, error_text, options_of, opened, run, count_of, place, call_c
  private :: start_creation, finish_creation, is_there, failure_text

  type, extends(rt_comm_owner) :: rt_communicator
    integer :: rank = -1
    integer :: size = 0
    logical, private :: known = .false. ! whether rank and size were asked for
  contains
    procedure :: create => comm_create
    procedure :: create_from_environment => comm_create_from_environment
    procedure :: create_from_mpi => comm_create_from_mpi
    procedure :: create_split => comm_create_split
    procedure :: close => comm_close
    procedure :: is_open => comm_is_open
    procedure :: c_handle => comm_c_handle
    procedure :: text => comm_text
    procedure :: info => comm_info
    procedure :: failure => comm_failure
    procedure :: abort => comm_abort
    procedure :: synchronize => comm_synchronize
    procedure :: all_reduce => comm_all_reduce
    procedure :: reduce => comm_reduce
    procedure :: broadcast => comm_broadcast
    procedure :: all_gather => comm_all_gather
    procedure :: reduce_scatter => comm_reduce_scatter
    procedure :: all_to_all => comm_all_to_all
    procedure :: gather => comm_gather
    procedure :: scatter => comm_scatter
    procedure :: send => comm_send
    procedure :: receive => comm_receive
    procedure :: barrier => comm_barrier
    procedure, private :: refuse_assignment
    generic :: assignment(=) => refuse_assignment
  end type rt_communicator

  ! What runs the operations of a rank; the words are those of rtCommInfo_t.
  type :: rt_comm_info
    character(32) :: engine = ""
    character(96) :: version = ""
    character(32) :: transport = ""
    character(256) :: reason = ""
    integer :: local_size = 0
  end type rt_comm_info

  enum, bind(C)
    enumerator :: op_all_reduce, op_reduce, op_broadcast, op_all_gather, op_reduce_scatter, op_all_to_all, op_gather, &
      op_scatter, op_send, op_receive
  end enum
  private :: op_all_reduce, op_reduce, op_broadcast, op_all_gather, op_reduce_scatter, op_all_to_all, op_gather, op_scatter, &
    op_send, op_receive
  character(14), parameter, private :: op_names(0:9) = ["all_reduce    ", "reduce        ", "broadcast     ", "all_gather    ", &
    "reduce_scatter", "all_to_all    ", "gather        ", "scatter       ", "send          ", "receive       "]
  integer(c_int32_t), parameter, private :: comm_types(5) = [RT_COMM_F32, RT_COMM_F64, RT_COMM_I32, RT_COMM_I64, RT_COMM_I8]
  integer, parameter, private :: element_bytes(5) = [4, 8, 4, 8, 1]
  character(10), parameter, private :: element_names(5) = ["rt_real32 ", "rt_real64 ", "rt_int32  ", "rt_int64  ", "rt_int8   "]

contains

  ! ---- Errors --------------------------------------------------------------------------------------------------------------

  ! The sentence of this thread's last failed call of the library of communicators.
  function error_text() result(text)
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status
    status = rtCommGetLastErrorMessage(size=0_c_size_t, needed=needed)
    allocate (buffer(max(needed, 1_c_size_t)))
    status = rtCommGetLastErrorMessage(buffer, size(buffer, kind=c_size_t), needed)
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
    else
      message = message // error_text()
    end if
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop message
  end subroutine finish

  ! Whether the rank is there, also one that a group has made; reports INVALID_HANDLE if it is not.
  logical function usable(self, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    call self%adopt()
    usable = c_associated(self%handle)
    if (.not. usable) then
      call finish(RT_ERROR_INVALID_HANDLE, stat, errmsg, "the communicator is closed, was never created, or its group is open")
      return
    end if
    if (self%known) return
    status = opened(self)
    usable = status >= 0
    if (.not. usable) call finish(status, stat, errmsg)
  end function usable

  ! Asks for rank and size.
  integer(c_int32_t) function opened(self) result(status)
    class(rt_communicator), intent(inout) :: self
    integer(c_int32_t) :: number
    status = rtCommGetRank(number, self%handle)
    if (status < 0) return
    self%rank = number
    status = rtCommGetSize(number, self%handle)
    if (status < 0) return
    self%size = number
    self%known = .true.
  end function opened

  impure elemental subroutine refuse_assignment(self, other)
    class(rt_communicator), intent(inout) :: self
    class(rt_communicator), intent(in) :: other
    character(120) :: text
    write (text, "(a,i0,a,i0,a)") "rank ", other%rank, " is not assigned to the communicator of rank ", self%rank, &
      ": pass it on as an argument"
    error stop "RT_ERROR_INVALID_VALUE: " // trim(text)
  end subroutine refuse_assignment

  ! ---- Making communicators ------------------------------------------------------------------------------------------------

  ! timeout: seconds that a rank waits for the others; 300 if it is left out.
  logical function options_of(options, timeout, label, stat, errmsg) result(fine)
    type(rtCommOptions_t), intent(out) :: options
    real(c_double), intent(in), optional :: timeout
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: index
    fine = .false.
    if (present(timeout)) then
      options%timeout_ns = RT_TIMEOUT_INFINITE
      if (timeout < 9.0e9_c_double) options%timeout_ns = int(max(timeout, 0.0_c_double) * 1.0e9_c_double, c_int64_t)
      if (options%timeout_ns == 0) then
        call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "the timeout has to be above 0 seconds")
        return
      end if
    end if
    if (present(label)) then
      do index = 1, min(len(label), size(options%label) - 1)
        options%label(index) = label(index:index)
      end do
    end if
    fine = .true.
  end function options_of

  ! Takes over what a call has made: at once, or, within a group, when that has ended.
  subroutine finish_creation(self, status, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: outcome
    outcome = status
    if (status < 0) then
      deallocate (self%pending)
    else
      call self%adopt()
      if (c_associated(self%handle)) outcome = opened(self)
    end if
    call finish(outcome, stat, errmsg)
  end subroutine finish_creation

  ! Ends the object and makes the place that a call writes its handle to.
  subroutine start_creation(self)
    class(rt_communicator), intent(inout) :: self
    call self%close()
    allocate (self%pending)
    self%pending = c_null_ptr
  end subroutine start_creation

  ! A communicator of contexts of this process: ranks(i) is rank i - 1, in contexts(i).
  subroutine rt_comm_create_all(ranks, contexts, timeout, label, stat, errmsg)
    type(rt_communicator), intent(inout) :: ranks(:)
    type(rt_context), intent(in) :: contexts(:)
    real(c_double), intent(in), optional :: timeout
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtCommOptions_t) :: options
    type(c_ptr), allocatable :: handles(:), made(:)
    integer(c_int32_t) :: status
    character(120) :: text
    integer :: index
    if (size(ranks) /= size(contexts) .or. size(ranks) == 0) then
      write (text, "(a,i0,a,i0,a)") "there are ", size(ranks), " ranks for ", size(contexts), " contexts"
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
      return
    end if
    if (.not. options_of(options, timeout, label, stat, errmsg)) return
    allocate (handles(size(ranks)), made(size(ranks)))
    do index = 1, size(ranks)
      handles(index) = contexts(index)%c_handle()
      if (.not. c_associated(handles(index))) then
        write (text, "(a,i0,a)") "context ", index, " is closed, or was never created"
        call finish(RT_ERROR_INVALID_HANDLE, stat, errmsg, trim(text))
        return
      end if
      call ranks(index)%close()
    end do
    made = c_null_ptr
    status = rtCommCreateAll(made, options, handles, size(ranks))
    do index = 1, size(ranks)
      if (status < 0) exit
      ranks(index)%handle = made(index)
      status = opened(ranks(index))
    end do
    call finish(status, stat, errmsg)
  end subroutine rt_comm_create_all

  ! An id for one communicator of create: one rank makes it and hands its bytes to the others.
  subroutine rt_comm_unique_id(id, stat, errmsg)
    type(rtCommUniqueId_t), intent(out) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(rtCommGetUniqueId(id), stat, errmsg)
  end subroutine rt_comm_unique_id

  ! One rank, 0 to size - 1, of a communicator by an id. Waits for the other ranks; within a group, its end does.
  subroutine comm_create(self, id, rank, size, context, timeout, label, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    type(rtCommUniqueId_t), intent(in) :: id
    integer, intent(in) :: rank, size
    class(rt_context), intent(in) :: context
    real(c_double), intent(in), optional :: timeout
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtCommOptions_t) :: options
    if (.not. options_of(options, timeout, label, stat, errmsg)) return
    if (.not. is_there(context, stat, errmsg)) return
    call start_creation(self)
    call finish_creation(self, rtCommCreate(self%pending, options, id, rank, size, context%c_handle()), stat, errmsg)
  end subroutine comm_create

  ! The rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and WORLD_SIZE. Waits for the
  ! other ranks, and is no part of a group.
  subroutine comm_create_from_environment(self, context, timeout, label, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_context), intent(in) :: context
    real(c_double), intent(in), optional :: timeout
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtCommOptions_t) :: options
    if (.not. options_of(options, timeout, label, stat, errmsg)) return
    if (.not. is_there(context, stat, errmsg)) return
    call start_creation(self)
    call finish_creation(self, rtCommCreateFromEnvironment(self%pending, options, context%c_handle()), stat, errmsg)
  end subroutine comm_create_from_environment

  ! The rank that this process has in a communicator of MPI; mpi_comm is the address of an MPI_Comm of C (MPI_Comm_f2c).
  subroutine comm_create_from_mpi(self, mpi_comm, context, timeout, label, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    type(c_ptr), intent(in) :: mpi_comm
    class(rt_context), intent(in) :: context
    real(c_double), intent(in), optional :: timeout
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtCommOptions_t) :: options
    if (.not. options_of(options, timeout, label, stat, errmsg)) return
    if (.not. is_there(context, stat, errmsg)) return
    call start_creation(self)
    call finish_creation(self, rtCommCreateFromMpi(self%pending, options, mpi_comm, context%c_handle()), stat, errmsg)
  end subroutine comm_create_from_mpi

  ! The rank of a new communicator of all ranks with this color, in the order of key and then of rank; with RT_COMM_NO_COLOR it
  ! stays closed. Every rank calls it and waits for the others; within a group, its end does.
  subroutine comm_create_split(self, parent, color, key, stat, errmsg)
    class(rt_communicator), intent(inout) :: self, parent
    integer, intent(in) :: color
    integer, intent(in), optional :: key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: order
    order = 0
    if (present(key)) order = key
    if (.not. usable(parent, stat, errmsg)) return
    call start_creation(self)
    call finish_creation(self, rtCommSplit(self%pending, color, order, parent%handle), stat, errmsg)
  end subroutine comm_create_split

  logical function is_there(context, stat, errmsg)
    class(rt_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    is_there = context%is_open()
    if (.not. is_there) call finish(RT_ERROR_INVALID_HANDLE, stat, errmsg, "the context is closed, or was never created")
  end function is_there

  ! ---- Groups --------------------------------------------------------------------------------------------------------------

  ! Begins a group of this thread: operations until its end are checked at once and submitted by the end, those of one rank and
  ! stream as one. Ranks that are made inside can be used after it. Groups nest; the outermost counts.
  subroutine rt_comm_group_begin(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(rtCommGroupBegin(), stat, errmsg)
  end subroutine rt_comm_group_begin

  ! Ends the group. After a failure of a call inside, nothing is submitted, and that failure is this one's. ranks: those that were
  ! made inside, so that their rank and size are told; of others they are at the first call.
  subroutine rt_comm_group_end(ranks, stat, errmsg)
    type(rt_communicator), intent(inout), optional :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer :: index
    status = rtCommGroupEnd()
    if (present(ranks)) then
      do index = 1, size(ranks)
        if (status < 0) exit
        call ranks(index)%adopt()
        if (c_associated(ranks(index)%handle)) status = opened(ranks(index))
      end do
    end if
    call finish(status, stat, errmsg)
  end subroutine rt_comm_group_end

  ! ---- What a communicator says --------------------------------------------------------------------------------------------

  ! Ends the rank; a second call does nothing. Operations in flight go on.
  subroutine comm_close(self, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    self%known = .false.
    self%rank = -1
    self%size = 0
    call finish(self%destroy(), stat, errmsg)
  end subroutine comm_close

  pure logical function comm_is_open(self)
    class(rt_communicator), intent(in) :: self
    comm_is_open = c_associated(self%made())
  end function comm_is_open

  ! The handle, for functions of manyrt_comm_c; valid until close.
  pure type(c_ptr) function comm_c_handle(self)
    class(rt_communicator), intent(in) :: self
    comm_c_handle = self%made()
  end function comm_c_handle

  ! What the object is: "manyrt communicator rank 0 of 2".
  pure function comm_text(self) result(text)
    class(rt_communicator), intent(in) :: self
    character(:), allocatable :: text
    character(60) :: words
    text = "manyrt communicator (closed)"
    if (.not. self%is_open()) return
    write (words, "(a,i0,a,i0)") "manyrt communicator rank ", self%rank, " of ", self%size
    text = trim(words)
  end function comm_text

  subroutine comm_info(self, info, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    type(rt_comm_info), intent(out) :: info
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rtCommInfo_t) :: found
    integer(c_int32_t) :: status
    if (.not. usable(self, stat, errmsg)) return
    status = rtCommGetInfo(found, self%handle)
    info = rt_comm_info(fixed_text(found%engine_name), fixed_text(found%engine_version), fixed_text(found%transport_name), &
      fixed_text(found%reason), found%local_size)
    call finish(status, stat, errmsg)
  end subroutine comm_info

  ! The first failure of the communicator: its status, RT_SUCCESS if there is none, the rank that it is about, -1 if it is about
  ! none, and the sentence.
  subroutine comm_failure(self, status, rank, message, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer, intent(out) :: status
    integer, intent(out), optional :: rank
    character(:), allocatable, intent(out), optional :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: found, about
    status = RT_SUCCESS
    if (present(rank)) rank = -1
    if (present(message)) message = ""
    if (.not. usable(self, stat, errmsg)) return
    call finish(rtCommGetStatus(found, about, self%handle), stat, errmsg)
    status = found
    if (present(rank)) rank = about
    if (present(message)) message = failure_text(self)
  end subroutine comm_failure

  function failure_text(self) result(text)
    class(rt_communicator), intent(in) :: self
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status
    text = ""
    status = rtCommGetStatusMessage(size=0_c_size_t, needed=needed, comm=self%handle)
    if (status < 0) return
    allocate (buffer(max(needed, 1_c_size_t)))
    status = rtCommGetStatusMessage(buffer, size(buffer, kind=c_size_t), needed, self%handle)
    if (status == RT_SUCCESS) text = fixed_text(buffer)
  end function failure_text

  ! Fails the communicator on all its ranks, and ends their waits.
  subroutine comm_abort(self, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (usable(self, stat, errmsg)) call finish(rtCommAbort(self%handle), stat, errmsg)
  end subroutine comm_abort

  ! Waits for the work of the stream, or of the context's default one. Where the communicator has failed, the outcome is its
  ! failure, with its sentence.
  subroutine comm_synchronize(self, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, own, about
    type(c_ptr) :: where
    if (.not. usable(self, stat, errmsg)) return
    status = place(self, stream, where)
    if (status < 0) then
      call finish(status, stat, errmsg, "the stream is closed, or there is no default stream")
      return
    end if
    status = rtStreamSynchronize(where)
    if (status < 0) then
      if (rtCommGetStatus(own, about, self%handle) >= 0 .and. own < 0) then
        call finish(own, stat, errmsg, failure_text(self))
      else
        call finish(status, stat, errmsg, c_text(rtGetErrorString(status)))
      end if
      return
    end if
    call finish(status, stat, errmsg)
  end subroutine comm_synchronize

  ! ---- Operations ----------------------------------------------------------------------------------------------------------

  ! Reduces the elements of all ranks and gives every rank the result. reduction: RT_COMM_SUM if it is left out.
  subroutine comm_all_reduce(self, receive, send, reduction, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer(c_int32_t), intent(in), optional :: reduction
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_all_reduce, .false., .false., receive, send, reduction, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_all_reduce

  ! Reduces the elements of all ranks and gives root the result; other ranks need no receive.
  subroutine comm_reduce(self, receive, send, reduction, root, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer(c_int32_t), intent(in), optional :: reduction
    integer, intent(in), optional :: root
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_reduce, .false., .false., receive, send, reduction, root, stream, stat, errmsg)
  end subroutine comm_reduce

  ! Gives every rank the elements of root; other ranks need no send. root: 0 if it is left out, here and below.
  subroutine comm_broadcast(self, receive, send, root, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer, intent(in), optional :: root
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_broadcast, .false., .false., receive, send, root=root, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_broadcast

  ! Gives every rank the elements of all, in rank order: receive has size times the elements of send.
  subroutine comm_all_gather(self, receive, send, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_all_gather, .true., .false., receive, send, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_all_gather

  ! Reduces the elements of all ranks and gives each rank its part: send has size times the elements of receive.
  subroutine comm_reduce_scatter(self, receive, send, reduction, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer(c_int32_t), intent(in), optional :: reduction
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_reduce_scatter, .false., .true., receive, send, reduction, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_reduce_scatter

  ! Gives each rank its part of every rank, in rank order. In place on all ranks or on none.
  subroutine comm_all_to_all(self, receive, send, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_all_to_all, .true., .true., receive, send, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_all_to_all

  ! Gives root the elements of all ranks, in rank order; other ranks need no receive.
  subroutine comm_gather(self, receive, send, root, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer, intent(in), optional :: root
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_gather, .true., .false., receive, send, root=root, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_gather

  ! Gives each rank its part of the elements of root; other ranks need no send.
  subroutine comm_scatter(self, receive, send, root, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in), optional :: receive, send
    integer, intent(in), optional :: root
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_scatter, .false., .true., receive, send, root=root, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_scatter

  ! Sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups.
  subroutine comm_send(self, send, peer, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in) :: send
    integer, intent(in) :: peer
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_send, .false., .false., send=send, root=peer, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_send

  ! Receives what a rank sends.
  subroutine comm_receive(self, receive, peer, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_array), intent(in) :: receive
    integer, intent(in) :: peer
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run(self, op_receive, .false., .false., receive, root=peer, stream=stream, stat=stat, errmsg=errmsg)
  end subroutine comm_receive

  ! Later work of the stream waits until the streams of all ranks have come here.
  subroutine comm_barrier(self, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: where
    integer(c_int32_t) :: status
    if (.not. usable(self, stat, errmsg)) return
    status = place(self, stream, where)
    if (status < 0) then
      call finish(status, stat, errmsg, "the stream is closed, or there is no default stream")
      return
    end if
    call finish(rtCommBarrier(where, self%handle), stat, errmsg)
  end subroutine comm_barrier

  ! The stream, or the default one of the rank's context.
  integer(c_int32_t) function place(self, stream, where) result(status)
    class(rt_communicator), intent(in) :: self
    class(rt_stream), intent(in), optional :: stream
    type(c_ptr), intent(out) :: where
    type(c_ptr) :: context
    status = RT_SUCCESS
    if (present(stream)) then
      where = stream%c_handle()
      if (.not. c_associated(where)) status = RT_ERROR_INVALID_HANDLE
    else
      status = rtCommGetContext(context, self%handle)
      if (status == RT_SUCCESS) status = rtContextGetDefaultStream(where, context)
    end if
  end function place

  ! How many elements of the array the call counts: parts is how often it has them. -1 after an error.
  integer(c_int64_t) function count_of(array, side, parts, stat, errmsg) result(count)
    class(rt_array), intent(in) :: array
    character(*), intent(in) :: side
    integer, intent(in) :: parts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(120) :: text
    count = -1
    if (.not. array%is_open()) then
      call finish(RT_ERROR_INVALID_HANDLE, stat, errmsg, "the array of '" // side // "' is closed, or was never created")
    else if (modulo(array%count, int(parts, c_int64_t)) /= 0) then
      write (text, "(3a,i0,a,i0,a)") "'", side, "' has ", array%count, " elements, which do not divide by the ", parts, " ranks"
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
    else
      count = array%count / parts
    end if
  end function count_of

  ! Checks and submits an operation. receive_each, send_each: the range has a part for each rank.
  subroutine run(self, op, receive_each, send_each, receive, send, reduction, root, stream, stat, errmsg)
    class(rt_communicator), intent(inout) :: self
    integer(kind(op_all_reduce)), intent(in) :: op
    logical, intent(in) :: receive_each, send_each
    class(rt_array), intent(in), optional :: receive, send
    integer(c_int32_t), intent(in), optional :: reduction
    integer, intent(in), optional :: root
    class(rt_stream), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: where, target, source
    integer(c_int64_t) :: count, other
    integer(c_int32_t) :: status, how, peer
    integer :: to_parts, from_parts, element
    character(160) :: text
    if (.not. usable(self, stat, errmsg)) return
    to_parts = merge(self%size, 1, receive_each)
    from_parts = merge(self%size, 1, send_each)
    if (.not. present(receive) .and. .not. present(send)) then
      call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(op_names(op)) // " has neither receive nor send")
      return
    end if
    count = 0
    element = 1
    target = c_null_ptr
    source = c_null_ptr
    if (present(receive)) then
      count = count_of(receive, "receive", to_parts, stat, errmsg)
      if (count < 0) return
      element = receive%element
      target = receive%c_handle()
    end if
    if (present(send)) then
      other = count_of(send, "send", from_parts, stat, errmsg)
      if (other < 0) return
      if (present(receive)) then
        if (other /= count) then
          write (text, "(a,i0,a,i0,3a,i0,a,i0,a,i0)") "'receive' has ", receive%count, " elements and 'send' ", send%count, ": ", &
            trim(op_names(op)), " among ", self%size, " ranks takes ", to_parts, " to ", from_parts
          call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, trim(text))
          return
        end if
        if (receive%element /= send%element) then
          call finish(RT_ERROR_INVALID_VALUE, stat, errmsg, "'receive' has elements of " // &
            trim(element_names(receive%element)) // ", 'send' of " // trim(element_names(send%element)))
          return
        end if
      end if
      count = other
      element = send%element
      source = send%c_handle()
    end if
    ! In place the smaller range is this rank's part of the larger.
    if (.not. present(receive)) target = part_of(source, merge(count, 0_c_int64_t, from_parts > to_parts))
    if (.not. present(send)) source = part_of(target, merge(count, 0_c_int64_t, to_parts > from_parts))
    status = place(self, stream, where)
    if (status < 0) then
      call finish(status, stat, errmsg, "the stream is closed, or there is no default stream")
      return
    end if
    how = RT_COMM_SUM
    if (present(reduction)) how = reduction
    peer = 0
    if (present(root)) peer = root
    call finish(call_c(self, op, target, source, count, comm_types(element), how, peer, where), stat, errmsg)

  contains

    type(c_ptr) function part_of(address, elements)
      type(c_ptr), intent(in) :: address
      integer(c_int64_t), intent(in) :: elements
      part_of = transfer(transfer(address, 0_c_intptr_t) + self%rank * elements * element_bytes(element), address)
    end function part_of

  end subroutine run

  integer(c_int32_t) function call_c(self, op, target, source, count, type, reduction, root, stream) result(status)
    class(rt_communicator), intent(in) :: self
    integer(kind(op_all_reduce)), intent(in) :: op
    type(c_ptr), intent(in) :: target, source, stream
    integer(c_int64_t), intent(in) :: count
    integer(c_int32_t), intent(in) :: type, reduction, root
    select case (op)
    case (op_all_reduce)
      status = rtCommAllReduce(target, source, count, type, reduction, stream, self%handle)
    case (op_reduce)
      status = rtCommReduce(target, source, count, type, reduction, root, stream, self%handle)
    case (op_broadcast)
      status = rtCommBroadcast(target, source, count, type, root, stream, self%handle)
    case (op_all_gather)
      status = rtCommAllGather(target, source, count, type, stream, self%handle)
    case (op_reduce_scatter)
      status = rtCommReduceScatter(target, source, count, type, reduction, stream, self%handle)
    case (op_all_to_all)
      status = rtCommAllToAll(target, source, count, type, stream, self%handle)
    case (op_gather)
      status = rtCommGather(target, source, count, type, root, stream, self%handle)
    case (op_scatter)
      status = rtCommScatter(target, source, count, type, root, stream, self%handle)
    case (op_send)
      status = rtCommSend(source, count, type, root, stream, self%handle)
    case default
      status = rtCommReceive(target, count, type, root, stream, self%handle)
    end select
  end function call_c

end module manyrt_comm
