-- SPDX-License-Identifier: Apache-2.0
--
-- Communicators for LuaJIT: collective operations between contexts, of this process, of other processes, or of other hosts.
--
--     local rt, comm = require("manyrt"), require("manyrt.comm")
--     local context = rt.device("cpu"):context()
--     local ranks = comm.create_from_environment(context)
--     local x = context:array("float", 2):upload({ ranks.rank, 1 })
--     ranks:all_reduce(x)
--
-- A communicator object is one rank. Operations take arrays of its context and count all elements; where `send` or `receive` is
-- nil, they are in place. With a stream they return at once, in order with its other work; without one they are complete when
-- they return, or at the end of their group. A program that has several ranks gives each a stream, or calls within comm.group.
-- The library is libmanyrt-comm.so.0, or the file that MANYRT_COMM_LIBRARY names. Errors are those of manyrt.
-- comm.call has every function of rt_comm.h by name.
local ffi = require("ffi")
local rt, generated = require("manyrt"), require("manyrt_comm_cdef")
local layer = rt.internal
local fail, invalid, handle_of, known = layer.fail, layer.invalid, layer.handle_of, layer.known
local Array, Context, Stream = layer.Array, layer.Context, layer.Stream

if not pcall(ffi.typeof, "rtCommOptions_t") then ffi.cdef(generated.cdef) end -- once: this file may be loaded again
local const = generated.constants
local comm = { VERSION = generated.version, constants = const }

local path = os.getenv("MANYRT_COMM_LIBRARY") or "libmanyrt-comm.so.0"
local loaded, C = pcall(ffi.load, path)
if not loaded then
  fail(rt.constants.RT_ERROR_NOT_FOUND, "the library " .. path .. " cannot be loaded (" .. tostring(C) ..
    "); install the Debian package libmanyrt-comm0, or set MANYRT_COMM_LIBRARY to the path of libmanyrt-comm.so.0")
end

---- Errors ----------------------------------------------------------------------------------------------------------------

local function sentence(status)
  local message = layer.text_of(function(buffer, size, needed) return C.rtCommGetLastErrorMessage(buffer, size, needed) end)
  return message ~= "" and message or ffi.string(rt.call.rtGetErrorString(status))
end

-- Raises the failure of a call, with the sentence of this thread, else returns the status.
local function check(status)
  if status < 0 then fail(status, sentence(status)) end
  return status
end

-- comm.call.rtCommVerb(...): any function of rt_comm.h with its C arguments; a failed status is raised.
comm.call = setmetatable({}, { __index = function(self, name)
  local call = C[name]
  local checked = function(...) return check(call(...)) end
  rawset(self, name, checked)
  return checked
end })

---- Groups ----------------------------------------------------------------------------------------------------------------

local Communicator = layer.class("communicator", "rtComm_t", function(h) return C.rtCommDestroy(h) end)
local depth = 0
local pending, waits, memory = {}, {}, {} -- of the open group: ranks that it makes, calls without a stream, arrays

-- Fills an object with a new rank. settings come from its creation.
local function opened(object, handle)
  local number = ffi.new("int32_t[1]")
  object._owner = Communicator.new_owner(handle)
  object.closed = nil
  check(C.rtCommGetRank(number, handle))
  object.rank = number[0]
  check(C.rtCommGetSize(number, handle))
  object.size = number[0]
  return object
end

-- Ends the outermost group after rtCommGroupEnd: what it made becomes usable, or is destroyed where others have failed.
local function settle(succeeded)
  local made, waiting = pending, waits
  pending, waits, memory = {}, {}, {}
  for _, each in ipairs(made) do
    if each.handle[0] ~= nil then
      if succeeded and each.object then
        opened(each.object, each.handle[0])
      else
        C.rtCommDestroy(each.handle[0])
      end
    end
  end
  if not succeeded then return end
  for _, each in ipairs(waiting) do each.object:synchronize(each.stream) end
end

-- Calls body and submits its operations at the end, as one, so that sends and receives do not wait for each other. Ranks that
-- are made inside can be used after it. After an error in body nothing is submitted, and it is raised again. Groups nest.
function comm.group(body)
  if type(body) ~= "function" then invalid("a group takes a function, not %s", tostring(body)) end
  check(C.rtCommGroupBegin())
  depth = depth + 1
  local fine, problem = pcall(body)
  if not fine then C.rtCommBarrier(nil, nil) end -- refused, so that nothing of the group is submitted
  local status = C.rtCommGroupEnd()
  local message = status < 0 and sentence(status)
  depth = depth - 1
  if depth == 0 then settle(fine and status >= 0) end
  if not fine then error(problem, 0) end
  if message then fail(status, message) end
end

---- Making communicators --------------------------------------------------------------------------------------------------

-- settings: timeout (seconds that a rank waits for the others, 300 if nil), label.
local function options_of(settings)
  settings = known(settings, "a communicator", { "timeout", "label" })
  local made = layer.options("rtCommOptions_t", settings.label)
  if settings.timeout ~= nil then
    made.timeout_ns = layer.nanoseconds(settings.timeout)
    if made.timeout_ns == 0 then invalid("the timeout is %s seconds: it has to be above 0", tostring(settings.timeout)) end
  end
  return made, settings.label
end

local function object_of(context, label)
  return setmetatable({ context = context, label = layer.place(label, context.device), closed = true }, Communicator)
end

-- A rank that call(handle) makes: in a group at its end.
local function made(context, label, call)
  local object, handle = object_of(context, label), layer.out("rtComm_t")
  check(call(handle))
  if depth > 0 then
    pending[#pending + 1] = { object = object, handle = handle }
    return object
  end
  return opened(object, handle[0])
end

local function outside_group(name)
  if depth > 0 then invalid("comm.%s is no part of a group", name) end
end

-- A communicator of contexts of this process, of any devices: a list, whose element i is rank i - 1 in contexts[i].
function comm.create_all(contexts, settings)
  local given, label = options_of(settings)
  if type(contexts) ~= "table" or getmetatable(contexts) ~= nil or #contexts == 0 then
    invalid("contexts have to be a table of at least one context")
  end
  local handles, out = ffi.new("rtContext_t[?]", #contexts), ffi.new("rtComm_t[?]", #contexts)
  for index, context in ipairs(contexts) do handles[index - 1] = handle_of(context, Context, "context " .. index) end
  check(C.rtCommCreateAll(out, given, handles, #contexts))
  local ranks = {}
  for index, context in ipairs(contexts) do ranks[index] = opened(object_of(context, label), out[index - 1]) end
  return ranks
end

-- An id for one communicator of comm.create, as a string: one rank makes it and hands it to the others, by any means.
function comm.unique_id()
  local id = ffi.new("rtCommUniqueId_t")
  check(C.rtCommGetUniqueId(id))
  return ffi.string(id.bytes, ffi.sizeof(id))
end

-- One rank of a communicator by an id; rank is 0 to size - 1. Waits for the other ranks.
function comm.create(id, rank, size, context, settings)
  local given, label = options_of(settings)
  local bytes = ffi.new("rtCommUniqueId_t")
  if type(id) ~= "string" or #id ~= ffi.sizeof(bytes) then
    invalid("the id has to be a string of %d bytes, as unique_id returns it", ffi.sizeof(bytes))
  end
  ffi.copy(bytes, id, #id)
  layer.whole(rank, 31, "the rank", -2 ^ 31)
  layer.whole(size, 31, "the size", -2 ^ 31)
  local handle = handle_of(context, Context, "the context")
  return made(context, label, function(out) return C.rtCommCreate(out, given, bytes, rank, size, handle) end)
end

-- The rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and WORLD_SIZE.
function comm.create_from_environment(context, settings)
  outside_group("create_from_environment")
  local given, label = options_of(settings)
  local handle = handle_of(context, Context, "the context")
  return made(context, label, function(out) return C.rtCommCreateFromEnvironment(out, given, handle) end)
end

-- A communicator of processes of MPI; mpi_comm is the address of an MPI_Comm, as a pointer of C.
function comm.create_from_mpi(mpi_comm, context, settings)
  outside_group("create_from_mpi")
  local given, label = options_of(settings)
  local handle = handle_of(context, Context, "the context")
  if type(mpi_comm) ~= "cdata" then invalid("mpi_comm has to be a pointer of C to an MPI_Comm, not %s", tostring(mpi_comm)) end
  return made(context, label, function(out) return C.rtCommCreateFromMpi(out, given, mpi_comm, handle) end)
end

-- The rank of a new communicator of all ranks with this color, in the order of key and then of rank; nil for the color nil.
-- Every rank calls it; a program that has several ranks within a group.
function Communicator.methods:split(color, key)
  local handle = handle_of(self, Communicator)
  key = layer.whole(key or 0, 31, "the key", -2 ^ 31)
  if color ~= nil then
    layer.whole(color, 31, "the color")
    return made(self.context, nil, function(out) return C.rtCommSplit(out, color, key, handle) end)
  end
  local out = layer.out("rtComm_t")
  check(C.rtCommSplit(out, const.RT_COMM_NO_COLOR, key, handle))
  if depth > 0 then pending[#pending + 1] = { handle = out } end
end

---- What a communicator says ----------------------------------------------------------------------------------------------

-- The handle, for comm.call; valid until close().
function Communicator.methods:handle() return handle_of(self, Communicator) end

-- What runs the operations: a table of engine, version, transport, local_size and reason, as in rtCommInfo_t.
function Communicator.methods:info()
  local info = layer.options("rtCommInfo_t")
  check(C.rtCommGetInfo(info, handle_of(self, Communicator)))
  return { engine = ffi.string(info.engine_name), version = ffi.string(info.engine_version),
    transport = ffi.string(info.transport_name), local_size = info.local_size, reason = ffi.string(info.reason) }
end

-- The first failure, as an error value with its rank (nil if it is about none), or nil.
function Communicator.methods:failure()
  local handle, status, rank = handle_of(self, Communicator), ffi.new("int32_t[1]"), ffi.new("int32_t[1]")
  check(C.rtCommGetStatus(status, rank, handle))
  if status[0] >= 0 then return nil end
  local message = layer.text_of(function(...) return C.rtCommGetStatusMessage(...) end, handle)
  local _, problem = pcall(fail, status[0], message)
  problem.rank = rank[0] >= 0 and rank[0] or nil
  return problem
end

-- Fails the communicator on all its ranks, and ends their waits.
function Communicator.methods:abort() check(C.rtCommAbort(handle_of(self, Communicator))) end

-- Waits for the work of the stream (nil: the context's default one). Where the communicator has failed, the error is its
-- failure, with its sentence.
function Communicator.methods:synchronize(stream)
  handle_of(self, Communicator)
  stream = stream or self.context:default_stream()
  local fine, problem = pcall(stream.synchronize, stream)
  if not fine then error(self:failure() or problem, 0) end
end

---- Operations ------------------------------------------------------------------------------------------------------------

local types = {}
for name, value in pairs({ int8_t = const.RT_COMM_I8, uint8_t = const.RT_COMM_U8, int16_t = const.RT_COMM_I16,
  uint16_t = const.RT_COMM_U16, int32_t = const.RT_COMM_I32, uint32_t = const.RT_COMM_U32, int64_t = const.RT_COMM_I64,
  uint64_t = const.RT_COMM_U64, float = const.RT_COMM_F32, double = const.RT_COMM_F64 }) do
  types[tonumber(ffi.typeof(name))] = value
end
local half_types = { float16 = const.RT_COMM_F16, bfloat16 = const.RT_COMM_BF16 }
local reductions = { sum = const.RT_COMM_SUM, product = const.RT_COMM_PRODUCT, minimum = const.RT_COMM_MINIMUM,
  maximum = const.RT_COMM_MAXIMUM, average = const.RT_COMM_AVERAGE }

local function reduction_of(settings)
  return reductions[settings.reduction or "sum"] or
    invalid("there is no reduction '%s': sum, product, minimum, maximum or average", tostring(settings.reduction))
end

local function root_of(settings) return layer.whole(settings.root or 0, 31, "the root", -2 ^ 31) end

local function type_of(array, wanted)
  if wanted ~= nil then
    local value = half_types[wanted]
    if not value then invalid("there is no type '%s': float16 or bfloat16", tostring(wanted)) end
    if array.element_bytes ~= 2 then invalid("elements of %s are no %s: it has 16 bits", array.type_name, wanted) end
    return value
  end
  return types[tonumber(array.element)] or invalid("elements of type %s are not sent", array.type_name)
end

-- How many elements the call counts; parts is how often the array has them.
local function count_of(self, array, side, parts)
  if getmetatable(array) ~= Array then invalid("'%s' has to be an array, not %s", side, tostring(array)) end
  if array.count % parts ~= 0 then
    invalid("'%s' has %d elements, which do not divide by the %d ranks", side, array.count, self.size)
  end
  return array.count / parts
end

local ABSENT = {} -- a range that this rank does not have

-- Submits an operation. receive and send are an array, nil (in place, in the other one) or ABSENT; the parts are how often
-- their elements are those that the call counts. call(receive, send, count, type, stream, handle) is the function of C.
local function run(self, name, receive, receive_parts, send, send_parts, settings, call)
  local handle = handle_of(self, Communicator)
  local to, from = receive ~= nil and receive ~= ABSENT, send ~= nil and send ~= ABSENT
  if not to and not from or receive == nil and not from or send == nil and not to then
    invalid("%s of rank %d of %d lacks the argument '%s'", name, self.rank, self.size, send == nil and "send" or "receive")
  end
  local count = to and count_of(self, receive, "receive", receive_parts) or count_of(self, send, "send", send_parts)
  local array = to and receive or send
  if to and from then
    if count_of(self, send, "send", send_parts) ~= count then
      invalid("'receive' has %d elements and 'send' %d: %s among %d ranks takes %d to %d", receive.count, send.count, name,
        self.size, receive_parts, send_parts)
    end
    if receive.element ~= send.element then
      invalid("'receive' has elements of %s, 'send' of %s", receive.type_name, send.type_name)
    end
  end
  local target, source = to and layer.address_of(receive) or nil, from and layer.address_of(send) or nil
  local part = self.rank * count * array.element_bytes -- in place the smaller range is this rank's part of the larger
  if receive == nil then target = source + (send_parts > receive_parts and part or 0) end
  if send == nil then source = target + (receive_parts > send_parts and part or 0) end
  local stream = settings.stream
  local where = stream ~= nil and stream or self.context:default_stream()
  check(call(target, source, count, type_of(array, settings.type), handle_of(where, Stream, "the stream"), handle))
  if depth > 0 then -- submitted at the end of the group
    memory[#memory + 1] = receive
    memory[#memory + 1] = send
    if stream == nil then waits[#waits + 1] = { object = self, stream = where } end
  elseif stream == nil then
    self:synchronize(where)
  end
end

-- Operations end with settings: stream; reduction ("sum", "product", "minimum", "maximum", "average"), root (0 if nil) and type
-- ("float16" or "bfloat16", for elements of 16 bits) where they are of use.

-- Reduces the elements of all ranks and gives every rank the result.
function Communicator.methods:all_reduce(receive, send, settings)
  settings = known(settings, "all_reduce", { "stream", "reduction", "type" })
  local reduction = reduction_of(settings)
  run(self, "all_reduce", receive, 1, send, 1, settings, function(to, from, count, type, stream, handle)
    return C.rtCommAllReduce(to, from, count, type, reduction, stream, handle)
  end)
end

-- Reduces the elements of all ranks and gives root the result. Where one array is given, root is in place in it, and the others
-- send it.
function Communicator.methods:reduce(receive, send, settings)
  settings = known(settings, "reduce", { "stream", "reduction", "root", "type" })
  local reduction, root = reduction_of(settings), root_of(settings)
  if self.rank ~= root then
    if send == nil then send = receive end
    receive = ABSENT
  end
  run(self, "reduce", receive, 1, send, 1, settings, function(to, from, count, type, stream, handle)
    return C.rtCommReduce(to, from, count, type, reduction, root, stream, handle)
  end)
end

-- Gives every rank the elements of root: those of send there, or of receive where send is nil.
function Communicator.methods:broadcast(receive, send, settings)
  settings = known(settings, "broadcast", { "stream", "root", "type" })
  local root = root_of(settings)
  if self.rank ~= root then send = ABSENT end
  run(self, "broadcast", receive, 1, send, 1, settings, function(to, from, count, type, stream, handle)
    return C.rtCommBroadcast(to, from, count, type, root, stream, handle)
  end)
end

-- Gives every rank the elements of all, in rank order.
function Communicator.methods:all_gather(receive, send, settings)
  settings = known(settings, "all_gather", { "stream", "type" })
  run(self, "all_gather", receive, self.size, send, 1, settings, function(to, from, count, type, stream, handle)
    return C.rtCommAllGather(to, from, count, type, stream, handle)
  end)
end

-- Reduces the elements of all ranks and gives each rank its part. Where receive is nil, that is its part of send.
function Communicator.methods:reduce_scatter(receive, send, settings)
  settings = known(settings, "reduce_scatter", { "stream", "reduction", "type" })
  local reduction = reduction_of(settings)
  run(self, "reduce_scatter", receive, 1, send, self.size, settings, function(to, from, count, type, stream, handle)
    return C.rtCommReduceScatter(to, from, count, type, reduction, stream, handle)
  end)
end

-- Gives each rank its part of every rank, in rank order. In place on all ranks or on none.
function Communicator.methods:all_to_all(receive, send, settings)
  settings = known(settings, "all_to_all", { "stream", "type" })
  run(self, "all_to_all", receive, self.size, send, self.size, settings, function(to, from, count, type, stream, handle)
    return C.rtCommAllToAll(to, from, count, type, stream, handle)
  end)
end

-- Gives root the elements of all, in rank order. Where send is nil, root has its own in its part of receive.
function Communicator.methods:gather(receive, send, settings)
  settings = known(settings, "gather", { "stream", "root", "type" })
  local root = root_of(settings)
  if self.rank ~= root then receive = ABSENT end
  run(self, "gather", receive, self.size, send, 1, settings, function(to, from, count, type, stream, handle)
    return C.rtCommGather(to, from, count, type, root, stream, handle)
  end)
end

-- Gives each rank its part of root's elements. Where receive is nil, root keeps its own in its part of send.
function Communicator.methods:scatter(receive, send, settings)
  settings = known(settings, "scatter", { "stream", "root", "type" })
  local root = root_of(settings)
  if self.rank ~= root then send = ABSENT end
  run(self, "scatter", receive, 1, send, self.size, settings, function(to, from, count, type, stream, handle)
    return C.rtCommScatter(to, from, count, type, root, stream, handle)
  end)
end

-- Sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups.
function Communicator.methods:send(send, peer, settings)
  settings = known(settings, "send", { "stream", "type" })
  layer.whole(peer, 31, "the peer", -2 ^ 31)
  run(self, "send", ABSENT, 1, send, 1, settings, function(_, from, count, type, stream, handle)
    return C.rtCommSend(from, count, type, peer, stream, handle)
  end)
end

-- Receives what a rank sends.
function Communicator.methods:receive(receive, peer, settings)
  settings = known(settings, "receive", { "stream", "type" })
  layer.whole(peer, 31, "the peer", -2 ^ 31)
  run(self, "receive", receive, 1, ABSENT, 1, settings, function(to, _, count, type, stream, handle)
    return C.rtCommReceive(to, count, type, peer, stream, handle)
  end)
end

-- Later work of the stream waits until the streams of all ranks have come here; without a stream, the caller waits.
function Communicator.methods:barrier(stream)
  local handle = handle_of(self, Communicator)
  local where = stream or self.context:default_stream()
  check(C.rtCommBarrier(handle_of(where, Stream, "the stream"), handle))
  if stream ~= nil then return end
  if depth > 0 then
    waits[#waits + 1] = { object = self, stream = where }
  else
    self:synchronize(where)
  end
end

return comm
