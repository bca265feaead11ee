-- SPDX-License-Identifier: Apache-2.0
--
-- The layer of manyrt for LuaJIT 2.1: devices, contexts, streams, events, fences, arrays, pools, modules, kernels, graphs.
--
--     local rt = require("manyrt")
--     local context = rt.device("cpu"):context()
--     local x = context:array("float", 1000)
--
-- Every object that owns something has close(); the collector closes what is left. An object keeps its context alive. A failed
-- call is a Lua error whose value is a table {status, name, message}. Sizes and indices are in elements and begin with 1, times
-- are in seconds. No function of this module is called back from a thread of the library, because LuaJIT cannot run there.
-- rt.call has every function of rt.h by name, for what the layer has no method for.
local ffi = require("ffi")
local generated = require("manyrt_cdef")

if not pcall(ffi.typeof, "rtContextOptions_t") then ffi.cdef(generated.cdef) end -- once: this file may be loaded again
local const = generated.constants
local rt = { VERSION = generated.version, constants = const }

---- Errors ----------------------------------------------------------------------------------------------------------------

local Error = {}
Error.__index = Error
Error.__tostring = function(self) return self.name .. ": " .. self.message end

-- Raises an error of the layer or of the library. status is a number of rtStatusCode.
local function fail(status, message)
  error(setmetatable({ status = status, name = generated.statuses[status] or "RT_STATUS_" .. status, message = message },
    Error), 0)
end

local function invalid(text, ...) fail(const.RT_ERROR_INVALID_VALUE, string.format(text, ...)) end

-- Whether value is an error of this module, as pcall returns it; with a name, whether it is that one: "OUT_OF_MEMORY".
function rt.is_error(value, name)
  return getmetatable(value) == Error and (name == nil or value.name == "RT_ERROR_" .. name)
end

---- The library -----------------------------------------------------------------------------------------------------------

local path = os.getenv("MANYRT_LIBRARY") or "libmanyrt.so.0"
local loaded, C = pcall(ffi.load, path) -- its symbols stay local to this handle
if not loaded then
  fail(const.RT_ERROR_NOT_FOUND, "the library " .. path .. " cannot be loaded (" .. tostring(C) ..
    "); install the Debian package libmanyrt0, or set MANYRT_LIBRARY to the path of libmanyrt.so.0")
end

-- Refuses a library of another major version, and one that is older than these declarations (patches apart).
-- number is as rtGetVersion gives it: major * 10000 + minor * 100 + patch.
function rt.check_version(number)
  local major, minor = math.floor(number / 10000), math.floor(number / 100) % 100
  local wanted_major, wanted_minor = const.MANYRT_VERSION_MAJOR, const.MANYRT_VERSION_MINOR
  local found = string.format("%d.%d.%d", major, minor, number % 100)
  if major ~= wanted_major then
    fail(const.RT_ERROR_NOT_SUPPORTED, string.format("the library is manyrt %s, of another major version than the Lua layer %s",
      found, rt.VERSION))
  elseif minor < wanted_minor then
    fail(const.RT_ERROR_NOT_SUPPORTED, string.format("the library is manyrt %s, too old for the Lua layer %s", found,
      rt.VERSION))
  end
  return found
end

local version = ffi.new("uint32_t[1]")
C.rtGetVersion(version)
rt.LIBRARY_VERSION = rt.check_version(version[0])

-- The text that a function with (buffer, size, needed, owner) writes.
local function text_of(call, owner)
  local needed = ffi.new("size_t[1]")
  call(nil, 0, needed, owner)
  local size = tonumber(needed[0])
  local buffer = ffi.new("char[?]", size + 1)
  call(buffer, size + 1, needed, owner)
  return ffi.string(buffer)
end

-- A text as an argument of C, which would end it at a NUL character; nil stays nil.
local function text(value, what)
  if value ~= nil and type(value) ~= "string" then invalid("%s has to be a string, not a %s", what, type(value)) end
  local at = value and value:find("\0", 1, true)
  if at then invalid("%s has a NUL character at byte %d", what, at) end
  return value
end

-- A whole number from 0, or from lowest, to 2^bits - 1: LuaJIT would wrap and cut others. 64-bit integers of C are taken, too.
local function whole(value, bits, what, lowest)
  if ffi.istype("uint64_t", value) or ffi.istype("int64_t", value) and value >= 0 then return value end
  if type(value) ~= "number" or value % 1 ~= 0 or value < (lowest or 0) or value >= 2 ^ bits then
    invalid("%s has to be a whole number of %d bits, not %s", what, bits, tostring(value))
  end
  return value
end

-- Raises the failure of a call, with the sentence of this thread.
local function raise(status)
  if status == const.RT_ERROR_TIMEOUT then fail(status, ffi.string(C.rtGetErrorString(status))) end -- it leaves no sentence
  local message = text_of(function(buffer, size, needed) return C.rtGetLastErrorMessage(buffer, size, needed) end)
  fail(status, message ~= "" and message or ffi.string(C.rtGetErrorString(status)))
end

-- Raises a failure, else returns the status: RT_SUCCESS or RT_NOT_READY. Without a closure, so that LuaJIT compiles it.
local function check(status)
  if status < 0 then raise(status) end
  return status
end

-- rt.call.rtNounVerb(...): any function of rt.h with its C arguments; a failed status is raised, another value is returned.
local is_status = { rtGetErrorName = false, rtGetErrorString = false }
rt.call = setmetatable({}, { __index = function(self, name)
  local call = C[name]
  local checked = is_status[name] == false and call or function(...) return check(call(...)) end
  rawset(self, name, checked)
  return checked
end })

-- The number of live handles that the program has made, of all kinds.
function rt.live_handles()
  local count = ffi.new("uint64_t[1]")
  check(C.rtGetLiveHandleCount(count, const.RT_HANDLE_ALL))
  return tonumber(count[0])
end

-- Ends the library for good; waits for work in flight.
function rt.shutdown() check(C.rtShutdown()) end

local function no_callbacks(what)
  fail(const.RT_ERROR_NOT_SUPPORTED, what .. " is refused: the library would call it on a thread of its own, where LuaJIT " ..
    "cannot run. Record an event and poll event:done(), or let the stream signal a fence and poll fence:value()")
end

function rt.set_log_callback() no_callbacks("a log callback") end

---- Objects with a handle -------------------------------------------------------------------------------------------------

-- The owner of one handle, a C struct whose metatype destroys the handle when the collector finds it.
local function owner_type(handle_type, destroy)
  return ffi.metatype(ffi.typeof("struct { $ handle; }", ffi.typeof(handle_type)), {
    __gc = function(self)
      if self.handle ~= nil then
        destroy(self.handle)
        self.handle = nil
      end
    end,
  })
end

local function class(kind, handle_type, destroy)
  local methods = { kind = kind }
  local meta = { __index = methods, new_owner = handle_type and owner_type(handle_type, destroy) }
  meta.__tostring = function(self)
    if self.closed then return "manyrt " .. kind .. " (closed)" end
    return "manyrt " .. kind .. " " .. (self.label or tostring(self._owner.handle):match("0x%x+") or "")
  end
  -- Ends the object; a second call does nothing. Work in flight completes.
  function methods:close()
    if self.closed then return end
    self.closed = true
    local handle = self._owner.handle
    self._owner.handle = nil
    if self.borrowed then return end
    local status = destroy(handle)
    local context = rawget(self, "context")
    -- Destroying a context ends the handles of its children.
    if not (status == const.RT_ERROR_INVALID_HANDLE and context and context.closed) then check(status) end
  end
  meta.methods = methods
  return meta
end

local function own(meta, handle, fields)
  local object = fields or {}
  object._owner = object.borrowed and { handle = handle } or meta.new_owner(handle)
  return setmetatable(object, meta)
end

local function refuse_closed_parent(meta, parent, name)
  if parent and parent.closed then
    fail(const.RT_ERROR_INVALID_HANDLE, string.format("the %s is closed with its %s", meta.methods.kind, name))
  end
end

-- The handle of an object of a class; an object of another class, and a closed one, are errors of their own kinds.
local function handle_of(object, meta, what)
  if getmetatable(object) ~= meta then
    invalid("%s has to be a %s, not %s", what or "the argument", meta.methods.kind, tostring(object))
  end
  if object.closed then fail(const.RT_ERROR_INVALID_HANDLE, "the " .. meta.methods.kind .. " is closed") end
  refuse_closed_parent(meta, rawget(object, "module"), "module")
  refuse_closed_parent(meta, rawget(object, "graph"), "graph")
  refuse_closed_parent(meta, rawget(object, "context"), "context")
  return object._owner.handle
end

local Device, Context = class("device"), class("context", "rtContext_t", function(h) return C.rtContextDestroy(h) end)
local Stream = class("stream", "rtStream_t", function(h) return C.rtStreamDestroy(h) end)
local Event = class("event", "rtEvent_t", function(h) return C.rtEventDestroy(h) end)
local Fence = class("fence", "rtFence_t", function(h) return C.rtFenceDestroy(h) end)
local Pool = class("pool", "rtMemPool_t", function(h) return C.rtMemPoolDestroy(h) end)
local Module = class("module", "rtModule_t", function(h) return C.rtModuleDestroy(h) end)
local Graph = class("graph", "rtGraph_t", function(h) return C.rtGraphDestroy(h) end)
local Exec = class("graph exec", "rtGraphExec_t", function(h) return C.rtGraphExecDestroy(h) end)
local Array = class("array", "void*", function(p) return C.rtFree(p) end)
local Kernel, Buffer = class("kernel"), class("graph buffer")

-- "copies on cpu", for texts.
local function place(label, device) return (label and label .. " " or "") .. "on " .. device.id end

local function out(handle_type) return ffi.new(handle_type .. "[1]") end

-- A struct with its size set, and the label, if there is one.
local function options(struct, label)
  local made = ffi.new(struct)
  made.struct_size = ffi.sizeof(made)
  if label then
    if #label > 63 then invalid("the label has %d bytes; 63 fit", #label) end
    ffi.copy(made.label, label)
  end
  return made
end

-- The settings of a call, of which no other names are known: a name that is mistyped is an error, and no default.
local function known(settings, what, allowed)
  if settings == nil then return {} end
  if type(settings) ~= "table" or getmetatable(settings) ~= nil then
    invalid("the settings of %s are a table such as {%s = ...}, not %s", what, allowed[1], tostring(settings))
  end
  for name in pairs(settings) do
    local found = false
    for _, each in ipairs(allowed) do found = found or each == name end
    if not found then invalid("%s has no setting '%s': %s", what, tostring(name), table.concat(allowed, ", ")) end
  end
  return settings
end

-- What constants with a prefix are called without it, for the text of an error.
local function names_of(prefix)
  local names = {}
  for name, value in pairs(const) do
    if name:sub(1, #prefix) == prefix and tonumber(value) >= 0 then names[#names + 1] = name:sub(#prefix + 1) end
  end
  table.sort(names)
  return table.concat(names, ", ")
end

-- Nanoseconds of a timeout in seconds; nil waits for ever.
local function nanoseconds(seconds)
  if seconds == nil then return const.RT_TIMEOUT_INFINITE end
  if type(seconds) ~= "number" or not (seconds >= 0) then
    invalid("the timeout is %s, not a number of seconds", tostring(seconds))
  end
  return seconds >= 1e9 and const.RT_TIMEOUT_INFINITE or ffi.cast("uint64_t", seconds * 1e9)
end

-- True for a wait that ended, false for one whose time passed.
local function waited(status)
  if status == const.RT_ERROR_TIMEOUT then return false end
  check(status)
  return true
end

-- A 64-bit number of C: a Lua number where that is exact.
local function number(value)
  return value <= 9007199254740992ULL and tonumber(value) or value
end

-- The handle, for rt.call; valid until close().
for _, meta in ipairs({ Device, Context, Stream, Event, Fence, Pool, Module, Graph, Exec, Array, Kernel, Buffer }) do
  function meta.methods:handle() return handle_of(self, meta) end
end

---- Devices ---------------------------------------------------------------------------------------------------------------

local function device_of(handle)
  local properties = options("rtDeviceProperties_t")
  check(C.rtDeviceGetProperties(properties, handle))
  return own(Device, handle, { borrowed = true, label = ffi.string(properties.id), id = ffi.string(properties.id),
    name = ffi.string(properties.name), properties = properties })
end

-- A device by its id, "cpu" or "opencl:0"; nil: the one that RT_DEVICE names, else the best.
function rt.device(id)
  local handle = out("rtDevice_t")
  check(C.rtDeviceGetByName(handle, text(id, "the id of a device")))
  return device_of(handle[0])
end

-- All devices but those of the null backend.
function rt.devices()
  local count, found = ffi.new("int32_t[1]"), {}
  check(C.rtDeviceGetCount(count, const.RT_BACKEND_ALL))
  for ordinal = 0, count[0] - 1 do
    local handle = out("rtDevice_t")
    check(C.rtDeviceGet(handle, const.RT_BACKEND_ALL, ordinal))
    found[#found + 1] = device_of(handle[0])
  end
  return found
end

-- Whether the device has a capability: "TIMING", "SHARED_MEMORY", ...
function Device.methods:has(capability)
  local index, has = const["RT_CAPABILITY_" .. tostring(capability)], ffi.new("int32_t[1]")
  if index == nil then invalid("there is no capability '%s': %s", tostring(capability), names_of("RT_CAPABILITY_")) end
  check(C.rtDeviceHasCapability(has, index, handle_of(self, Device)))
  return has[0] == 1
end

-- A number of the device: "COMPUTE_UNITS", "MEMORY_BYTES", ...
function Device.methods:attribute(name)
  local index, value = const["RT_ATTRIBUTE_" .. tostring(name)], ffi.new("int64_t[1]")
  if index == nil then invalid("there is no attribute '%s': %s", tostring(name), names_of("RT_ATTRIBUTE_")) end
  check(C.rtDeviceGetAttribute(value, index, handle_of(self, Device)))
  return tonumber(value[0])
end

-- Free and total bytes of the device's memory.
function Device.methods:memory()
  local free, total = ffi.new("uint64_t[1]"), ffi.new("uint64_t[1]")
  check(C.rtDeviceGetMemInfo(free, total, handle_of(self, Device)))
  return tonumber(free[0]), tonumber(total[0])
end

-- Waits for all work of the device.
function Device.methods:synchronize() check(C.rtDeviceSynchronize(handle_of(self, Device))) end

-- A context of its own. settings: label, threads (CPU: threads that run kernels).
function Device.methods:context(settings)
  settings = known(settings, "a context", { "label", "threads" })
  local made, handle = options("rtContextOptions_t", settings.label), out("rtContext_t")
  made.cpu_threads = whole(settings.threads or 0, 32, "threads")
  check(C.rtContextCreate(handle, made, handle_of(self, Device)))
  return own(Context, handle[0], { device = self, label = place(settings.label, self) })
end

-- The context of the device that all parts of the program share; close() leaves it alone.
function Device.methods:primary_context()
  local handle = out("rtContext_t")
  check(C.rtContextGetPrimary(handle, handle_of(self, Device)))
  return own(Context, handle[0], { device = self, borrowed = true, label = "primary on " .. self.id })
end

---- Contexts --------------------------------------------------------------------------------------------------------------

-- Waits for all work of the context.
function Context.methods:synchronize() check(C.rtContextSynchronize(handle_of(self, Context))) end

-- The counts of its streams, events and points, as a struct rtContextStats_t of C.
function Context.methods:stats()
  local stats = options("rtContextStats_t")
  check(C.rtContextGetStats(stats, handle_of(self, Context)))
  return stats
end

-- A stream. settings: label, priority (0 or negative, which is higher).
function Context.methods:stream(settings)
  settings = known(settings, "a stream", { "label", "priority" })
  local made, handle = options("rtStreamOptions_t", settings.label), out("rtStream_t")
  made.priority = whole(settings.priority or 0, 31, "the priority", -2 ^ 31)
  check(C.rtStreamCreate(handle, made, handle_of(self, Context)))
  return own(Stream, handle[0], { context = self, label = place(settings.label, self.device) })
end

-- The stream that every context has; close() leaves it alone.
function Context.methods:default_stream()
  local handle = out("rtStream_t")
  check(C.rtContextGetDefaultStream(handle, handle_of(self, Context)))
  return own(Stream, handle[0], { context = self, borrowed = true, label = "default on " .. self.device.id })
end

-- An event; timed unless settings.timing is false.
function Context.methods:event(settings)
  settings = known(settings, "an event", { "timing" })
  local made, handle = options("rtEventOptions_t"), out("rtEvent_t")
  made.flags = settings.timing == false and const.RT_EVENT_DISABLE_TIMING or 0
  check(C.rtEventCreate(handle, made, handle_of(self, Context)))
  return own(Event, handle[0], { context = self, label = "on " .. self.device.id })
end

-- A fence with a first value, 0 if nil.
function Context.methods:fence(value)
  local handle = out("rtFence_t")
  check(C.rtFenceCreate(handle, whole(value or 0, 64, "the value"), handle_of(self, Context)))
  return own(Fence, handle[0], { context = self, label = "on " .. self.device.id })
end

local memory_kinds = { device = const.RT_MEMORY_DEVICE, host = const.RT_MEMORY_HOST, shared = const.RT_MEMORY_SHARED }

local function memory_kind(name)
  return memory_kinds[name or "device"] or invalid("there is no kind of memory '%s': device, host or shared", tostring(name))
end

-- A pool. settings: kind ("device", "host", "shared"), initial, maximum, threshold (bytes), label.
function Context.methods:pool(settings)
  settings = known(settings, "a pool", { "kind", "initial", "maximum", "threshold", "label" })
  local made, handle = options("rtMemPoolOptions_t", settings.label), out("rtMemPool_t")
  made.kind = memory_kind(settings.kind)
  made.initial_bytes = whole(settings.initial or 0, 64, "initial")
  made.maximum_bytes = whole(settings.maximum or 0, 64, "maximum")
  made.release_threshold = whole(settings.threshold or 0, 64, "threshold")
  check(C.rtMemPoolCreate(handle, made, handle_of(self, Context)))
  return own(Pool, handle[0], { context = self, memory = settings.kind or "device", label = place(settings.label,
    self.device) })
end

-- The address of the first byte, and the array that owns it; closed arrays are refused, also through their slices.
local function address_of(array, what)
  if getmetatable(array) ~= Array then invalid("%s has to be an array, not %s", what or "the argument", tostring(array)) end
  local owner = array.parent or array
  if array.closed or owner.closed then
    fail(const.RT_ERROR_INVALID_HANDLE, "the array " .. (array.label or "") .. " is closed")
  end
  return ffi.cast("char*", array._owner.handle)
end

---- Streams ---------------------------------------------------------------------------------------------------------------

-- The handle of a stream, or the default stream of a context where stream is nil.
local function stream_handle(stream, context)
  if stream ~= nil then return handle_of(stream, Stream, "the stream") end
  local handle = out("rtStream_t")
  check(C.rtContextGetDefaultStream(handle, handle_of(context, Context)))
  return handle[0]
end

-- Waits for the work of the stream, at most so many seconds; false if they passed. Raises, and without a limit clears, the
-- stream's failure.
function Stream.methods:synchronize(seconds)
  local handle = handle_of(self, Stream)
  if seconds == nil then
    check(C.rtStreamSynchronize(handle))
    return true
  end
  return waited(C.rtStreamSynchronizeFor(nanoseconds(seconds), handle))
end

-- Whether all work submitted so far is complete; raises the stream's failure.
function Stream.methods:done() return check(C.rtStreamQuery(handle_of(self, Stream))) == const.RT_SUCCESS end

-- Makes later work wait: for an event's record, the work of another stream or context, the last use of an array, or until a
-- fence has reached a value.
function Stream.methods:wait(other, value)
  local handle, meta = handle_of(self, Stream), getmetatable(other)
  if meta == Event then
    check(C.rtStreamWaitEvent(handle_of(other, Event), handle))
  elseif meta == Stream then
    check(C.rtStreamWaitStream(handle_of(other, Stream), handle))
  elseif meta == Context then
    check(C.rtStreamWaitContext(handle_of(other, Context), handle))
  elseif meta == Array then
    check(C.rtStreamWaitPointer(address_of(other), handle))
  elseif meta == Fence then
    check(C.rtStreamWaitFence(handle_of(other, Fence), whole(value, 64, "the value of a fence"), handle))
  else
    invalid("a stream waits for an event, a stream, a context, an array or a fence, not for %s", tostring(other))
  end
end

-- Fences that a stream will signal, with the value. The end of a fence fails what waits for it: the collector waits for this.
local signalled = {}

-- Raises a fence to a value when the stream's earlier work is complete.
function Stream.methods:signal(fence, value)
  check(C.rtStreamSignalFence(handle_of(fence, Fence, "the fence"), whole(value, 64, "the value"), handle_of(self, Stream)))
  local reached = ffi.new("uint64_t[1]")
  for other, last in pairs(signalled) do
    if other.closed or C.rtFenceGetValue(reached, other._owner.handle) < 0 or reached[0] >= last then
      signalled[other] = nil
    end
  end
  local last = ffi.cast("uint64_t", value)
  if not signalled[fence] or signalled[fence] < last then signalled[fence] = last end
end

function Stream.methods:host_function() no_callbacks("a host function") end

function Stream.methods:priority()
  local priority = ffi.new("int32_t[1]")
  check(C.rtStreamGetPriority(priority, handle_of(self, Stream)))
  return priority[0]
end

-- "none", "active" or "invalidated".
function Stream.methods:capture_state()
  local state = ffi.new("int32_t[1]")
  check(C.rtStreamIsCapturing(state, handle_of(self, Stream)))
  return ({ [0] = "none", "active", "invalidated" })[state[0]]
end

-- Records what body submits to the stream as a graph. An error in body ends the capture and is raised again.
function Stream.methods:capture(body)
  local handle, graph = handle_of(self, Stream), out("rtGraph_t")
  check(C.rtStreamBeginCapture(handle))
  local fine, problem = pcall(body, self)
  local status = C.rtStreamEndCapture(graph, handle)
  if not fine then
    if status == const.RT_SUCCESS then C.rtGraphDestroy(graph[0]) end
    error(problem, 0)
  end
  check(status)
  return own(Graph, graph[0], { origin = self.context })
end

---- Events and fences -----------------------------------------------------------------------------------------------------

-- Records the work that the stream has now.
function Event.methods:record(stream)
  check(C.rtEventRecord(handle_of(self, Event), stream_handle(stream, self.context)))
  return self
end

-- Whether the last record is complete; raises the failure before it.
function Event.methods:done() return check(C.rtEventQuery(handle_of(self, Event))) == const.RT_SUCCESS end

-- Waits for the last record, at most so many seconds; false if they passed.
function Event.methods:wait(seconds)
  return waited(C.rtEventSynchronizeFor(nanoseconds(seconds), handle_of(self, Event)))
end

-- An eventfd that can be read once the last record is reached, for event loops. The caller closes it with close() of C.
function Event.methods:descriptor()
  local descriptor = ffi.new("int32_t[1]")
  check(C.rtEventGetDescriptor(descriptor, handle_of(self, Event)))
  return descriptor[0]
end

-- Seconds of the device's clock from the record of start to this one; nil while one of the two is pending.
function Event.methods:since(start)
  local elapsed = ffi.new("int64_t[1]")
  local status = C.rtEventElapsedNanoseconds(elapsed, handle_of(start, Event, "the start"), handle_of(self, Event))
  if check(status) == const.RT_NOT_READY then return nil end
  return tonumber(elapsed[0]) * 1e-9
end

-- The present value; a 64-bit integer of C where it is above 2^53.
function Fence.methods:value()
  local value = ffi.new("uint64_t[1]")
  check(C.rtFenceGetValue(value, handle_of(self, Fence)))
  return number(value[0])
end

-- Raises the fence from the host.
function Fence.methods:signal(value) check(C.rtFenceSignal(whole(value, 64, "the value"), handle_of(self, Fence))) end

-- Waits until the fence has reached a value, at most so many seconds; false if they passed.
function Fence.methods:wait(value, seconds)
  return waited(C.rtFenceWaitFor(nanoseconds(seconds), whole(value, 64, "the value"), handle_of(self, Fence)))
end

---- Arrays ----------------------------------------------------------------------------------------------------------------

local function element_type(name)
  local fine, made = pcall(ffi.typeof, name)
  local sized, size = pcall(ffi.sizeof, made)
  if not fine or not sized or not size or size == 0 then invalid("'%s' is no C type with a size", tostring(name)) end
  return made, size
end

local function array_of(pointer, context, type_name, count, memory, bytes_each)
  local element, size = element_type(type_name)
  return own(Array, pointer, { context = context, element = element, type_name = type_name, count = count, memory = memory,
    element_bytes = bytes_each or size, bytes = count * size, label = string.format("%s[%d] on %s", type_name, count,
    context.device.id) })
end

local function element_count(count, size)
  if type(count) ~= "number" or count ~= math.floor(count) or count < 1 or count * size >= 2 ^ 63 then
    invalid("an array has at least 1 element, a whole number of them, and fewer than 2^63 bytes, not %s elements",
      tostring(count))
  end
  return count
end

-- An array of count elements of a C type such as "float". settings: memory ("device", "host", which is pinned, or "shared"),
-- stream (allocated in its order), label. Contents are undefined.
function Context.methods:array(type_name, count, settings)
  settings = known(settings, "an array", { "memory", "stream", "label" })
  local _, size = element_type(type_name)
  local pointer, bytes = out("void*"), element_count(count, size) * size
  if settings.stream then
    if settings.memory then invalid("an array in a stream's order is in device memory") end
    check(C.rtMallocAsync(pointer, bytes, stream_handle(settings.stream)))
  else
    local made = options("rtMallocOptions_t", settings.label)
    made.kind = memory_kind(settings.memory)
    check(C.rtMallocWithOptions(pointer, bytes, made, handle_of(self, Context)))
  end
  return array_of(pointer[0], self, type_name, count, settings.memory or "device")
end

-- An array from the pool, in the order of a stream (nil: the default one).
function Pool.methods:array(type_name, count, stream)
  local _, size = element_type(type_name)
  local pointer = out("void*")
  check(C.rtMallocFromPool(pointer, element_count(count, size) * size, 0, stream_handle(stream, self.context), handle_of(self, Pool)))
  return array_of(pointer[0], self.context, type_name, count, self.memory)
end

-- Gives unused memory but keep bytes back to the driver.
function Pool.methods:trim(keep) check(C.rtMemPoolTrim(whole(keep or 0, 64, "keep"), handle_of(self, Pool))) end

-- Limits what the pool takes from the driver; 0: no limit.
function Pool.methods:set_limit(bytes) check(C.rtMemPoolSetLimit(whole(bytes, 64, "the limit"), handle_of(self, Pool))) end

-- The statistics, as a struct rtMemPoolStats_t of C.
function Pool.methods:stats()
  local stats = options("rtMemPoolStats_t")
  check(C.rtMemPoolGetStats(stats, handle_of(self, Pool)))
  return stats
end

-- Blocks and statistics as JSON.
function Pool.methods:json()
  return text_of(function(...) return check(C.rtMemPoolDumpJson(...)) end, handle_of(self, Pool))
end

-- The elements first to last, as a view that keeps the array alive; its close() frees nothing.
function Array.methods:slice(first, last)
  local base = address_of(self)
  last = last or self.count
  if type(first) ~= "number" or type(last) ~= "number" or first % 1 ~= 0 or last % 1 ~= 0 or first < 1 or last < first or
    last > self.count then
    invalid("the elements %s to %s are outside of an array of %d", tostring(first), tostring(last), self.count)
  end
  local count = last - first + 1
  return own(Array, ffi.cast("void*", base + (first - 1) * self.element_bytes), { borrowed = true, parent = self.parent or self,
    context = self.context, element = self.element, type_name = self.type_name, count = count, memory = self.memory,
    element_bytes = self.element_bytes, bytes = count * self.element_bytes,
    label = string.format("%s[%d] on %s", self.type_name, count, self.context.device.id) })
end

-- Elements of a Lua table or of an array of C as memory of C, and its bytes.
local function host_memory(array, values)
  if type(values) == "table" and getmetatable(values) == nil then
    return ffi.new(ffi.typeof("$[?]", array.element), #values, values), #values * array.element_bytes
  elseif type(values) == "cdata" and ffi.sizeof(values) then
    local full = tostring(ffi.typeof(values))
    local given = full:gsub(" ?%[[%d?]*%]", "")
    local wanted = tostring(array.element)
    local bytes = given == "ctype<char>" or given == "ctype<unsigned char>" -- of anything
    if ffi.sizeof(values) == array.bytes and full:find("[", 1, true) and given ~= wanted and not bytes then
      invalid("the values are of type %s, the array is of %s", given:match("<(.*)>"), array.type_name)
    end
    return values, ffi.sizeof(values)
  end
  invalid("values come as a table of numbers or as an array of C, not as %s", tostring(values))
end

-- Copies values, a table or an array of C (ffi.new), to the array; as many as it has. With a stream in its order: the values
-- have been read when the call returns.
function Array.methods:upload(values, stream)
  local target = address_of(self)
  local source, bytes = host_memory(self, values)
  if bytes ~= self.bytes then invalid("the values have %d bytes, the array has %d", bytes, self.bytes) end
  if stream ~= nil then handle_of(stream, Stream, "the stream") end
  if stream == nil then
    check(C.rtMemcpy(target, source, bytes, const.RT_MEMCPY_DEFAULT))
    return self
  end
  if stream:capture_state() ~= "none" then
    invalid("a graph cannot read values of Lua when it is launched: copy from an array with memory = 'host'")
  end
  check(C.rtMemcpyAsync(target, source, bytes, const.RT_MEMCPY_DEFAULT, handle_of(stream, Stream, "the stream")))
  return self
end

-- Memory that a copy may still write to: where the wait for its stream was refused, and no later one tells that it is over.
local abandoned = {}

-- The elements as a new array of C, whose indices begin with 0. With a stream after its earlier work. Waits for the copy,
-- because the collector could move on without it; copy_from a stream does not wait.
function Array.methods:download(stream)
  local source = address_of(self)
  local target = ffi.new(ffi.typeof("$[?]", self.element), self.count)
  if stream == nil then
    check(C.rtMemcpy(target, source, self.bytes, const.RT_MEMCPY_DEFAULT))
  else
    local handle = handle_of(stream, Stream, "the stream")
    if stream:capture_state() ~= "none" then
      invalid("a graph cannot write values of Lua when it is launched: copy to an array with memory = 'host'")
    end
    check(C.rtMemcpyAsync(target, source, self.bytes, const.RT_MEMCPY_DEFAULT, handle))
    local fine, problem = pcall(check, C.rtStreamSynchronize(handle))
    if not fine then
      -- The first wait has cleared a failure of the stream. If the second one fails, too, no wait took place.
      if C.rtStreamSynchronize(handle) < 0 then abandoned[#abandoned + 1] = target end
      error(problem, 0)
    end
  end
  return target
end

-- The elements as a Lua table; 64-bit integers stay integers of C.
function Array.methods:totable(stream)
  local values, list = self:download(stream), {}
  for index = 1, self.count do list[index] = values[index - 1] end
  return list
end

-- Copies all elements of another array, of any device, to this one of the same size. With a stream in its order.
function Array.methods:copy_from(other, stream)
  local target, source = address_of(self), address_of(other, "the source")
  if other.element ~= self.element then
    invalid("the source is of type %s, the array is of %s", other.type_name, self.type_name)
  elseif other.bytes ~= self.bytes then
    invalid("the source has %d bytes, the array has %d", other.bytes, self.bytes)
  end
  if stream == nil then
    check(C.rtMemcpy(target, source, self.bytes, const.RT_MEMCPY_DEFAULT))
  else
    check(C.rtMemcpyAsync(target, source, self.bytes, const.RT_MEMCPY_DEFAULT, handle_of(stream, Stream, "the stream")))
  end
  return self
end

-- Sets every element to one value. With a stream in its order, else it waits.
function Array.methods:fill(value, stream)
  local target, handle = address_of(self), stream_handle(stream, self.context)
  if value == nil then invalid("a fill needs a value") end
  local pattern = ffi.new(ffi.typeof("$[1]", self.element), { value })
  check(C.rtMemFillAsync(target, pattern, self.element_bytes, self.count, handle))
  if stream == nil then check(C.rtStreamSynchronize(handle)) end
  return self
end

-- One element; each call is a copy.
function Array.methods:get(index) return self:slice(index, index):download()[0] end

-- Sets one element; each call is a copy.
function Array.methods:set(index, value) self:slice(index, index):upload({ value }) end

-- Frees the memory in a stream's order: later work of the stream must not use it.
function Array.methods:close_after(stream)
  local handle = handle_of(stream, Stream, "the stream")
  if self.borrowed then invalid("a slice does not own its memory") end
  check(C.rtFreeAsync(address_of(self), handle))
  self._owner.handle, self.closed = nil, true
end

-- The address, as void* of C, for rt.call and other libraries; valid until close().
function Array.methods:handle() return ffi.cast("void*", address_of(self)) end

---- Modules and kernels ---------------------------------------------------------------------------------------------------

-- A module from OpenCL C source. build_options are those of clBuildProgram. May block while a compiler runs.
function Context.methods:module(source, build_options)
  local handle = out("rtModule_t")
  check(C.rtModuleCreateFromSource(handle, text(source, "the source"), text(build_options, "the build options"),
    handle_of(self, Context)))
  return own(Module, handle[0], { context = self, label = "on " .. self.device.id })
end

-- A module from a file: source, or machine code of a format that the device takes.
function Context.methods:module_file(file, build_options)
  local handle, made = out("rtModule_t"), options("rtModuleOptions_t")
  made.build_options = build_options
  check(C.rtModuleLoadFile(handle, text(file, "the path"), made, handle_of(self, Context)))
  return own(Module, handle[0], { context = self, label = "on " .. self.device.id })
end

-- The compiler's remarks on a source that it accepted.
function Module.methods:build_log()
  return text_of(function(...) return check(C.rtModuleGetBuildLog(...)) end, handle_of(self, Module))
end

-- Waits until launches run the code that stays, at most so many seconds; false if they passed.
function Module.methods:wait_optimized(seconds)
  return waited(C.rtModuleWait(handle_of(self, Module), const.RT_MODULE_OPTIMIZED, nanoseconds(seconds)))
end

-- A kernel by its name. It ends with the module, and keeps it alive.
function Module.methods:kernel(name)
  local handle, info = out("rtKernel_t"), options("rtKernelInfo_t")
  check(C.rtModuleGetKernel(handle, text(name, "the name of a kernel"), handle_of(self, Module)))
  check(C.rtKernelGetInfo(info, handle[0]))
  local arguments = {}
  for index = 0, info.arg_count - 1 do
    local argument = options("rtKernelArgInfo_t")
    check(C.rtKernelGetArgInfo(argument, index, handle[0]))
    local name_text, type_text = ffi.string(argument.name), ffi.string(argument.type_name)
    arguments[index + 1] = { kind = argument.kind, size = argument.size, type_name = type_text,
      text = string.format("argument %d%s of kernel %s", index, name_text ~= "" and " (" .. name_text .. ")" or "", name) }
  end
  return own(Kernel, handle[0], { borrowed = true, module = self, context = self.context, name = name, label = name,
    arguments = arguments })
end

-- The names of the kernels, in the order of the source.
function Module.methods:kernels()
  local handle, count, names = handle_of(self, Module), ffi.new("uint32_t[1]"), {}
  check(C.rtModuleGetKernelCount(count, handle))
  for index = 0, count[0] - 1 do
    local kernel = out("rtKernel_t")
    check(C.rtModuleGetKernelByIndex(kernel, index, handle))
    names[index + 1] = text_of(function(...) return check(C.rtKernelGetName(...)) end, kernel[0])
  end
  return names
end

local Local = {}

-- Local memory of a kernel, for count elements of a C type.
function rt.local_memory(type_name, count)
  local _, size = element_type(type_name)
  return setmetatable({ bytes = element_count(count, size) * size }, Local)
end

-- Types of OpenCL C as LuaJIT names them, and the range of the integers.
local scalars = { float = "float", double = "double" }
local ranges = {}
for name, bits in pairs({ char = 8, short = 16, int = 32, long = 64 }) do
  scalars[name], scalars["u" .. name] = "int" .. bits .. "_t", "uint" .. bits .. "_t"
  ranges[name], ranges["u" .. name] = { -2 ^ (bits - 1), 2 ^ (bits - 1) }, { 0, 2 ^ bits }
end

local spelled = { ["unsigned char"] = "uchar", ["unsigned short"] = "ushort", ["unsigned int"] = "uint",
  ["unsigned long"] = "ulong", ["signed char"] = "char" }

-- The name of a type without qualifiers and blanks at its ends.
local function plain_type(name)
  name = (" " .. name .. " "):gsub("%*", " ")
  for _, word in ipairs({ "const", "volatile", "restrict", "__global", "global", "__constant", "constant" }) do
    name = name:gsub(" " .. word .. " ", " "):gsub(" " .. word .. " ", " ")
  end
  name = name:gsub("%s+", " "):match("^ ?(.-) ?$")
  return spelled[name] or name
end

-- What writes a checked value into memory of its own, made once for each argument of a kernel: the memory, and the function.
-- A launch copies the values before it returns, so that one place for each argument is enough, and LuaJIT compiles such calls.
local function pointer_argument(argument)
  local slot = ffi.new("void*[1]")
  local pointed = plain_type(argument.type_name)
  local wanted = scalars[pointed] and ffi.typeof(scalars[pointed])
  return slot, function(value)
    if getmetatable(value) ~= Array then invalid("%s has to be an array, not %s", argument.text, tostring(value)) end
    if wanted and wanted ~= value.element then
      invalid("%s points to %s, not to %s", argument.text, pointed, value.type_name)
    end
    slot[0] = address_of(value, argument.text)
  end
end

local function scalar_argument(argument, name)
  local range = ranges[name]
  local slot = ffi.new(ffi.typeof("$[1]", ffi.typeof(scalars[name])))
  return slot, function(value)
    local plain, whole = value, false
    if type(value) == "cdata" then
      plain, whole = tonumber(value), ffi.sizeof(value) == argument.size
      if plain == nil then invalid("%s has to be a %s, not %s", argument.text, name, tostring(value)) end
    elseif type(value) ~= "number" then
      invalid("%s has to be a %s, not %s", argument.text, name, type(value))
    end
    if range and (plain ~= math.floor(plain) or ((plain < range[1] or plain >= range[2]) and not whole)) then
      invalid("%s has to be a %s, and %s is none", argument.text, name, tostring(value))
    end
    slot[0] = value
  end
end

local function value_argument(argument)
  local name = plain_type(argument.type_name)
  if scalars[name] then return scalar_argument(argument, name) end
  local slot = ffi.new("uint8_t[?]", argument.size)
  return slot, function(value)
    if type(value) ~= "cdata" or ffi.sizeof(value) ~= argument.size then
      invalid("%s (%s) has to be a value of C with %d bytes, not %s", argument.text, argument.type_name, argument.size,
        type(value) == "cdata" and string.format("one with %d", ffi.sizeof(value) or 0) or type(value))
    end
    ffi.copy(slot, value, argument.size)
  end
end

local function local_argument(argument)
  local slot = ffi.new("size_t[1]")
  return slot, function(value)
    if getmetatable(value) ~= Local then
      invalid("%s has to be rt.local_memory(type, count), not %s", argument.text, tostring(value))
    end
    slot[0] = value.bytes
  end
end

local packers = { [const.RT_ARG_POINTER] = pointer_argument, [const.RT_ARG_VALUE] = value_argument,
  [const.RT_ARG_LOCAL] = local_argument }

local function size_of(size, what)
  if type(size) ~= "number" or size % 1 ~= 0 or size < 0 or size >= 2 ^ 32 then
    invalid("%s has %s, which is no size", what, tostring(size))
  end
  return size
end

-- Three sizes from a number or a table of up to three.
local function three(sizes, what)
  if type(sizes) == "number" then return size_of(sizes, what), 1, 1 end
  if type(sizes) ~= "table" or #sizes < 1 or #sizes > 3 then invalid("%s has to be 1 to 3 numbers", what) end
  local x, y, z = sizes[1], sizes[2], sizes[3]
  return size_of(x, what), y and size_of(y, what) or 1, z and size_of(z, what) or 1
end

-- The options of a launch whose ids begin at an offset: a number or a table of up to three.
local function options_from(offset)
  local made = options("rtLaunchOptions_t")
  if type(offset) == "number" then offset = { offset } end
  if type(offset) ~= "table" or #offset < 1 or #offset > 3 then invalid("offset has to be 1 to 3 numbers") end
  for index, value in ipairs(offset) do
    if type(value) ~= "number" or value % 1 ~= 0 or value < 0 or value >= 2 ^ 53 then
      invalid("offset has %s, which is no offset", tostring(value))
    end
    made.global_offset[index - 1] = value
  end
  return made
end

-- Names a setting of a launch that is not known.
local function refuse_unknown(where)
  for name in pairs(where) do
    if name ~= "grid" and name ~= "group" and name ~= "stream" and name ~= "offset" then
      invalid("a launch has no setting '%s': grid, group, offset, stream", tostring(name))
    end
  end
end

-- How a kernel is launched: a function of its own, without loops, which LuaJIT compiles together with the caller's.
local function launcher(kernel)
  local pointers, packs, lines = ffi.new("void*[?]", math.max(#kernel.arguments, 1)), {}, {}
  for index, argument in ipairs(kernel.arguments) do
    pointers[index - 1], packs[index] = packers[argument.kind](argument) -- the function keeps its memory alive
    lines[index] = string.format("pack%d(a%d)", index, index)
  end
  local function names(letter)
    local list = {}
    for index = 1, #packs do list[index] = letter .. index end
    return table.concat(list, ", ")
  end
  local body = #packs == 0 and "return function() end" or string.format(
    "local %s = ...\nreturn function(%s)\n%s\nend", names("pack"), names("a"), table.concat(lines, "\n"))
  local pack, count = assert(loadstring(body, "=kernel"))(unpack(packs)), #packs
  return function(self, where, ...)
    local handle = handle_of(self, Kernel)
    if type(where) ~= "table" then
      invalid("the first argument of a kernel is {grid = ..., group = ..., stream = ...}")
    end
    refuse_unknown(where)
    if select("#", ...) ~= count then
      local missing = self.arguments[select("#", ...) + 1]
      invalid("kernel %s takes %d argument%s, not %d%s", self.name, count, count == 1 and "" or "s", select("#", ...),
        missing and "; " .. missing.text .. ", of type " .. missing.type_name .. ", is missing" or "")
    end
    local grid_x, grid_y, grid_z = three(where.grid, "grid")
    local group_x, group_y, group_z = three(where.group, "group")
    local stream = stream_handle(where.stream, self.context)
    pack(...)
    if where.offset == nil then
      check(C.rtLaunchKernel(handle, grid_x, grid_y, grid_z, group_x, group_y, group_z, 0, stream, pointers, count))
    else
      local grid, group = ffi.new("uint32_t[3]", grid_x, grid_y, grid_z), ffi.new("uint32_t[3]", group_x, group_y, group_z)
      check(C.rtLaunchKernelWithOptions(handle, grid, group, 0, options_from(where.offset), pointers, count, stream))
    end
  end
end

-- kernel({grid = 4, group = 64, stream = s}, ...): launches it with one argument for each of the source. grid is in
-- work-groups, group in work-items, both a number or up to three; offset, where given, is what get_global_id of the first
-- work-item returns. Pointers are arrays, local memory is rt.local_memory, and
-- vectors and structs are values of C with the right size. Does not wait.
function Kernel.__call(self, where, ...)
  local launch = rawget(self, "launcher")
  if launch == nil then
    launch = launcher(self)
    self.launcher = launch
  end
  launch(self, where, ...)
end

-- A good work-group for a number of work-items: three sizes.
function Kernel.methods:suggest_group(items)
  local wanted, group = ffi.new("uint32_t[3]", { three(items, "items") }), ffi.new("uint32_t[3]")
  check(C.rtKernelSuggestGroupSize(group, wanted, 0, handle_of(self, Kernel)))
  return { group[0], group[1], group[2] }
end

---- Graphs ----------------------------------------------------------------------------------------------------------------

local roles = { input = const.RT_GRAPH_BUFFER_INPUT, output = const.RT_GRAPH_BUFFER_OUTPUT,
  constant = const.RT_GRAPH_BUFFER_CONSTANT, temporary = const.RT_GRAPH_BUFFER_TEMPORARY }

-- An empty graph; stream:capture makes one with nodes.
function rt.graph()
  local handle = out("rtGraph_t")
  check(C.rtGraphCreate(handle))
  return own(Graph, handle[0])
end

-- A graph from what save() gave.
function rt.load_graph(data)
  local handle = out("rtGraph_t")
  check(C.rtGraphLoad(handle, data, #data))
  return own(Graph, handle[0])
end

-- The graph as bytes in a string.
function Graph.methods:save()
  local handle, needed = handle_of(self, Graph), ffi.new("size_t[1]")
  check(C.rtGraphSave(nil, 0, needed, handle))
  local size = tonumber(needed[0])
  local data = ffi.new("char[?]", size)
  check(C.rtGraphSave(data, size, needed, handle))
  return ffi.string(data, size)
end

-- A copy with nodes and buffers of its own.
function Graph.methods:clone()
  local handle = out("rtGraph_t")
  check(C.rtGraphClone(handle, handle_of(self, Graph)))
  return own(Graph, handle[0], { origin = self.origin })
end

-- The graph in the language of Graphviz.
function Graph.methods:dot()
  return text_of(function(...) return check(C.rtGraphExportDot(...)) end, handle_of(self, Graph))
end

-- How many nodes the graph has.
function Graph.methods:node_count()
  local count = ffi.new("uint32_t[1]")
  check(C.rtGraphGetNodes(nil, 0, count, handle_of(self, Graph)))
  return count[0]
end

-- Turns an array that the graph's nodes use into a buffer, to which execs bind other arrays. role: "input", "output",
-- "constant" or "temporary".
function Graph.methods:buffer(array, role, name)
  local handle = out("rtGraphBuffer_t")
  if roles[role] == nil then invalid("there is no role '%s': input, output, constant or temporary", tostring(role)) end
  check(C.rtGraphMakeBuffer(handle, address_of(array), array.bytes, roles[role], name, handle_of(self, Graph)))
  return own(Buffer, handle[0], { borrowed = true, graph = self, label = name, bytes = array.bytes })
end

-- Makes the graph executable in a context; nil: that of the capture.
function Graph.methods:instantiate(context)
  context = context or self.origin
  local handle = out("rtGraphExec_t")
  if context == nil then invalid("a graph that was not captured needs a context") end
  check(C.rtGraphInstantiate(handle, handle_of(self, Graph), handle_of(context, Context, "the context")))
  return own(Exec, handle[0], { context = context, bound = {} })
end

-- Binds an array to a buffer of the graph, from the next launch on.
function Exec.methods:bind(buffer, array)
  local address = address_of(array)
  if array.bytes < buffer.bytes then invalid("the array has %d bytes, the buffer has %d", array.bytes, buffer.bytes) end
  check(C.rtGraphExecBindBuffer(handle_of(buffer, Buffer, "the buffer"), address, handle_of(self, Exec)))
  self.bound[buffer] = array -- kept alive as long as launches write to it
end

-- Runs the graph in a stream's order.
function Exec.methods:launch(stream)
  check(C.rtGraphLaunch(handle_of(self, Exec), stream_handle(stream, self.context)))
end

-- For the modules beside this one (manyrt.comm), and no part of the interface: what makes errors and objects.
rt.internal = { Array = Array, Context = Context, Stream = Stream, address_of = address_of, class = class, fail = fail,
  handle_of = handle_of, invalid = invalid, known = known, nanoseconds = nanoseconds, options = options, out = out, own = own,
  place = place, stream_handle = stream_handle, text = text, text_of = text_of, whole = whole }

return rt
