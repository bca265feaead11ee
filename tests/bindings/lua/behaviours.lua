-- SPDX-License-Identifier: Apache-2.0
--
-- The fifteen behaviours of tests/bindings/README.md in LuaJIT: luajit behaviours.lua BEHAVIOUR DEVICE.
-- Ends with 0 if the behaviour is as documented, 77 if the device cannot do it, and 1 with the difference otherwise.
local ffi = require("ffi")

local function expect(condition, text, ...)
  if not condition then error(string.format("expected " .. text, ...), 2) end
end

-- The error of a call that has to fail; with a name, with that status.
local function refused(name, body, ...)
  local fine, problem = pcall(body, ...)
  expect(not fine, "%s, and the call was accepted", name)
  expect(type(problem) == "table" and problem.name == "RT_ERROR_" .. name, "%s, and got %s", name, tostring(problem))
  expect(#problem.message > 10, "a sentence, and got '%s'", problem.message)
  return problem.message
end

local function holds(text, ...)
  for _, part in ipairs({ ... }) do
    expect(text:find(part, 1, true), "'%s' in the message '%s'", part, text)
  end
end

local cells = {}

local source = [[
kernel void axpy(global float *y, const global float *x, const int n, const float a, local float *tile) {
  const int i = get_global_id(0);
  tile[get_local_id(0)] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) y[i] += a * tile[get_local_id(0)];
}
kernel void twice(global float *y) { y[get_global_id(0)] *= 2.0f; }
kernel void busy(global float *y, const int rounds) {
  float value = y[get_global_id(0)];
  for (int i = 0; i < rounds; i++) value = value * 1.0001f + 0.5f;
  y[get_global_id(0)] = value;
}
]]

local function numbers(count, first)
  local list = {}
  for index = 1, count do list[index] = (first or 0) + index end
  return list
end

local function equal(array, expected, stream)
  local values = array:totable(stream)
  expect(#values == #expected, "%d elements, and got %d", #expected, #values)
  for index, value in ipairs(expected) do
    expect(values[index] == value, "element %d to be %s, and got %s", index, value, values[index])
  end
end

function cells.create(rt, device)
  local before = rt.live_handles()
  local context = rt.device(device):context({ label = "cell" })
  local made = { context, context:stream({ label = "s" }), context:event(), context:fence(3), context:pool(), rt.graph() }
  for index, kind in ipairs({ "context", "stream", "event", "fence", "pool", "graph" }) do
    holds(tostring(made[index]), kind)
  end
  holds(tostring(rt.device(device)), "device", device)
  expect(rt.live_handles() == before + #made, "%d live handles, and got %s", before + #made, rt.live_handles())
  for index = #made, 1, -1 do
    made[index]:close()
    holds(tostring(made[index]), "closed")
  end
  expect(rt.live_handles() == before, "%d live handles after close, and got %s", before, rt.live_handles())
  -- What nothing refers to is closed by the collector, in any order.
  do
    local other = rt.device(device):context()
    other:stream()
    other:array("float", 10)
  end
  collectgarbage()
  collectgarbage()
  expect(rt.live_handles() == before, "%d live handles after the collector, and got %s", before, rt.live_handles())
end

function cells.copy(rt, device)
  local context = rt.device(device):context()
  local stream, values = context:stream(), numbers(1000)
  for _, used in ipairs({ "none", stream }) do
    local on = used ~= "none" and used or nil
    local a, b = context:array("float", 1000), context:array("float", 1000)
    a:upload(values, on)
    b:fill(0, on)
    b:copy_from(a, on)
    equal(b, values, on)
    b:slice(501, 1000):copy_from(a:slice(1, 500), on)
    local mixed = numbers(500)
    for index = 1, 500 do mixed[500 + index] = index end
    equal(b, mixed, on)
    equal(a:slice(3, 4), { 3, 4 }, on)
  end
  local from_c = ffi.new("float[4]", 5, 6, 7, 8)
  local pinned = context:array("float", 4, { memory = "host" }):upload(from_c)
  equal(pinned, { 5, 6, 7, 8 })
  pinned:set(2, 60)
  expect(pinned:get(2) == 60, "60 in element 2")
end

-- Settings that are not known are errors, and not defaults.
local function refuses_settings(rt, device)
  local context = rt.device(device):context({ label = "named" })
  holds(refused("INVALID_VALUE", context.device.context, context.device, { thread = 1 }), "'thread'", "label, threads")
  holds(refused("INVALID_VALUE", context.stream, context, { prio = -1 }), "'prio'", "label, priority")
  holds(refused("INVALID_VALUE", context.event, context, { timed = false }), "'timed'", "timing")
  holds(refused("INVALID_VALUE", context.pool, context, { max = 1 }), "'max'", "maximum")
  holds(refused("INVALID_VALUE", context.array, context, "float", 4, { kind = "host" }), "'kind'", "memory")
  holds(refused("INVALID_VALUE", context.stream, context, "fast"), "fast", "table")
  holds(refused("INVALID_VALUE", context.device.has, context.device, "WINGS"), "WINGS", "DOUBLE", "TIMING")
  holds(refused("INVALID_VALUE", context.device.attribute, context.device, "WINGS"), "WINGS", "COMPUTE_UNITS")
end

function cells.launch(rt, device)
  refuses_settings(rt, device)
  local context = rt.device(device):context()
  local stream, module = context:stream(), context:module(source)
  local axpy, n = module:kernel("axpy"), 1000
  local x = context:array("float", n):upload(numbers(n))
  local y = context:array("float", n):fill(1)
  local where, tile = { grid = 16, group = 64, stream = stream }, rt.local_memory("float", 64)
  axpy(where, y, x, n, 2.5, tile)
  local expected = {}
  for index = 1, n do expected[index] = 1 + 2.5 * index end
  equal(y, expected, stream)
  axpy({ grid = 1, group = 64, offset = 900, stream = stream }, y, x, n, 1, tile)
  for index = 901, 964 do expected[index] = expected[index] + index end
  equal(y, expected, stream)
  holds(refused("INVALID_VALUE", axpy, { grid = 1, group = 64, offset = -1 }, y, x, n, 1, tile), "offset")
  holds(refused("INVALID_VALUE", axpy, { grid = 1, group = 64, offset = { 1, 2 ^ 40 } }, y, x, n, 1, tile), "offset")
  holds(refused("INVALID_VALUE", axpy, where, y, x, n, 2.5), "axpy", "5 arguments, not 4", "argument 4 (tile)", "float*")
  holds(refused("INVALID_VALUE", axpy, { grid = 16, group = 64, strem = stream }, y, x, n, 2.5, tile), "'strem'", "stream")
  holds(refused("INVALID_VALUE", axpy, where, y, x, 2.5, 2.5, tile), "argument 2 (n)", "int")
  holds(refused("INVALID_VALUE", axpy, where, y, x, 2 ^ 31, 2.5, tile), "argument 2 (n)")
  holds(refused("INVALID_VALUE", axpy, where, y, x, n, "2.5", tile), "argument 3 (a)", "float", "string")
  holds(refused("INVALID_VALUE", axpy, where, 7, x, n, 2.5, tile), "argument 0 (y)", "array")
  holds(refused("INVALID_VALUE", axpy, where, y, context:array("double", n), n, 2.5, tile), "argument 1 (x)", "float", "double")
  holds(refused("INVALID_VALUE", axpy, where, y, x, n, 2.5, 64), "argument 4 (tile)", "local_memory")
  holds(refused("INVALID_VALUE", axpy, { grid = 1.5, group = 64 }, y, x, n, 2.5, tile), "grid")
  local names = module:kernels()
  expect(table.concat(names, " ") == "axpy twice busy", "the kernels' names, and got %s", table.concat(names, " "))
end

function cells.event_time(rt, device)
  local found = rt.device(device)
  if not found:has("TIMING") then return "the device has no timing" end
  local context = found:context()
  local stream, start, stop = context:stream(), context:event(), context:event()
  local y = context:array("float", 4096):fill(1)
  local busy = context:module(source):kernel("busy")
  ffi.cdef("struct manyrt_time { long seconds, nanoseconds; }; int clock_gettime(int clock, struct manyrt_time *time);")
  local function now()
    local time = ffi.new("struct manyrt_time")
    ffi.C.clock_gettime(1, time)
    return tonumber(time.seconds) + tonumber(time.nanoseconds) * 1e-9
  end
  local began = now()
  start:record(stream)
  busy({ grid = 64, group = 64, stream = stream }, y, 2000)
  stop:record(stream)
  expect(stop:wait(30), "the event within 30 s")
  local host = now() - began
  local device_time = stop:since(start)
  expect(device_time > 0 and device_time < host, "a time between 0 and %g s, and got %s", host, device_time)
  refused("INVALID_VALUE", function() return stop:since(context:event({ timing = false }):record(stream)) end)
end

function cells.cross_stream_wait(rt, device)
  local context = rt.device(device):context()
  local first, second = context:stream(), context:stream()
  local fence, event = context:fence(), context:event()
  local y = context:array("float", 64):fill(3)
  local twice = context:module(source):kernel("twice")
  first:wait(fence, 1)
  y:fill(5, first)
  event:record(first)
  second:wait(event)
  twice({ grid = 1, group = 64, stream = second }, y)
  expect(not second:done() and not event:done() and not second:synchronize(0.02), "the second stream to be held back")
  expect(not fence:wait(1, 0), "the fence below 1")
  fence:signal(1)
  local expected = {}
  for index = 1, 64 do expected[index] = 10 end
  equal(y, expected, second)
  -- A fence that nothing refers to lives until a stream has signalled it.
  local held = context:fence()
  first:wait(held, 1)
  do
    local forgotten = context:fence()
    second:wait(forgotten, 1)
    first:signal(forgotten, 1)
  end
  for _ = 1, 3 do collectgarbage() end
  held:signal(1)
  expect(second:synchronize(60), "the second stream to go on")
end

function cells.use_after_close(rt, device)
  local context = rt.device(device):context()
  local stream, array, module = context:stream(), context:array("float", 4), context:module(source)
  local kernel, slice = module:kernel("twice"), array:slice(1, 2)
  for _, object in ipairs({ stream, array, module }) do
    object:close()
    object:close()
  end
  holds(refused("INVALID_HANDLE", stream.synchronize, stream), "stream", "closed")
  holds(refused("INVALID_HANDLE", array.fill, array, 1), "array", "closed")
  refused("INVALID_HANDLE", slice.fill, slice, 1)
  refused("INVALID_HANDLE", kernel, { grid = 1, group = 4 }, array)
  local late = context:stream()
  context:close()
  refused("INVALID_HANDLE", late.synchronize, late)
  refused("INVALID_HANDLE", context.stream, context)
  late:close() -- its handle ended with the context: no error
end

function cells.wrong_size(rt, device)
  local context = rt.device(device):context()
  local a, b = context:array("float", 10), context:array("float", 5)
  holds(refused("INVALID_VALUE", a.upload, a, numbers(11)), "44", "40")
  holds(refused("INVALID_VALUE", a.upload, a, ffi.new("double[10]")), "80", "40")
  holds(refused("INVALID_VALUE", b.copy_from, b, a), "40", "20")
  holds(refused("INVALID_VALUE", a.slice, a, 5, 11), "11", "10")
  holds(refused("INVALID_VALUE", a.get, a, 11), "11", "10")
  holds(refused("INVALID_VALUE", a.get, a, 0), "0", "10")
  -- What LuaJIT would wrap, cut or reinterpret.
  holds(refused("INVALID_VALUE", context.array, context, "double", 2 ^ 61), "2^63 bytes")
  holds(refused("INVALID_VALUE", context.array, context, "float[?]", 1), "float[?]")
  holds(refused("INVALID_VALUE", a.upload, a, ffi.new("int[10]")), "int", "float")
  holds(refused("INVALID_VALUE", a.copy_from, a, context:array("int", 10)), "int", "float")
  refused("INVALID_VALUE", a.upload, a, numbers(10), "stream")
  refused("INVALID_VALUE", a.fill, a, nil)
  for _, value in ipairs({ -1, 1.5, 0 / 0, 2 ^ 64, "1", -1LL }) do
    holds(refused("INVALID_VALUE", context.fence, context, value), "64 bits")
    refused("INVALID_VALUE", context.pool, context, { maximum = value })
  end
  expect(context:fence(2 ^ 63):value() == 2ULL ^ 63 and context:fence(7ULL):value() == 7, "64-bit values")
  holds(refused("INVALID_VALUE", context.stream, context, { priority = 2 ^ 40 }), "priority")
  holds(refused("INVALID_VALUE", rt.device, "cpu\0"), "NUL")
  holds(refused("INVALID_VALUE", context.module, context, source .. "\0"), "NUL")
  local module = context:module(source)
  holds(refused("INVALID_VALUE", module.kernel, module, "twice\0"), "NUL")
end

function cells.build_error(rt, device)
  local context = rt.device(device):context()
  local wrong = "kernel void f(global float *y) {\n  y[0] = nonsense;\n}\n"
  holds(refused("BUILD_FAILED", context.module, context, wrong), "nonsense", ":2:")
end

function cells.callback(rt, device)
  local context = rt.device(device):context()
  local stream, event, fence = context:stream(), context:event(), context:fence()
  holds(refused("NOT_SUPPORTED", stream.host_function, stream, print), "thread", "event", "fence")
  holds(refused("NOT_SUPPORTED", rt.set_log_callback, print), "thread")
  local y, hold = context:array("float", 64):fill(1), context:fence()
  stream:wait(hold, 1)
  context:module(source):kernel("twice")({ grid = 1, group = 64, stream = stream }, y)
  event:record(stream)
  stream:signal(fence, 7)
  expect(not event:done() and fence:value() == 0, "event and fence to be pending")
  hold:signal(1)
  local polls = 0
  while not (event:done() and fence:value() == 7) do polls = polls + 1 end
  expect(y:get(1) == 2, "2 after %d polls, and got %s", polls, y:get(1))
  ffi.cdef([[
    struct manyrt_poll { int descriptor; short events, revents; };
    int poll(struct manyrt_poll *polled, unsigned long count, int milliseconds);
    int close(int descriptor);
  ]])
  local other = context:stream()
  y:fill(3, stream)
  other:wait(y)
  local descriptor = event:record(other):descriptor()
  local readable = 1 -- POLLIN
  local polled = ffi.new("struct manyrt_poll[1]", { { descriptor, readable, 0 } })
  expect(ffi.C.poll(polled, 1, 20000) == 1 and polled[0].revents == readable, "a descriptor that can be read after the event")
  expect(event:done(), "an event that is reached with its descriptor")
  expect(ffi.C.close(descriptor) == 0, "a descriptor that can be closed")
  expect(y:get(1) == 3, "3 after the descriptor")
end

function cells.out_of_memory(rt, device)
  local context = rt.device(device):context()
  holds(refused("OUT_OF_MEMORY", context.array, context, "uint8_t", 2 ^ 60), "1152921504606846976")
  equal(context:array("float", 3):upload({ 1, 2, 3 }), { 1, 2, 3 })
end

function cells.replay(rt, device)
  local context = rt.device(device):context()
  local stream, twice = context:stream(), context:module(source):kernel("twice")
  local data, result, second = context:array("float", 64), context:array("float", 64), context:array("float", 64)
  data:fill(1)
  local graph = stream:capture(function()
    expect(stream:capture_state() == "active", "an active capture")
    twice({ grid = 1, group = 64, stream = stream }, data)
    result:copy_from(data, stream)
  end)
  expect(graph:node_count() == 2, "2 nodes, and got %d", graph:node_count())
  local target = graph:buffer(result, "output", "target")
  local exec = graph:instantiate()
  exec:bind(target, result)
  for round = 1, 10 do
    if round == 6 then exec:bind(target, second) end
    exec:launch(stream)
    expect((round < 6 and result or second):download(stream)[63] == 2 ^ round, "2^%d", round)
  end
  expect(result:get(1) == 32, "32 in the first buffer, and got %s", result:get(1))
  refused("INVALID_VALUE", exec.bind, exec, target, context:array("float", 63))
  refused("INVALID_VALUE", stream.capture, stream, function() data:upload(numbers(64), stream) end)
  expect(stream:capture_state() == "none", "no capture after an error in it")
  holds(graph:dot(), "digraph")
  local clone = graph:clone()
  graph:close()
  expect(clone:node_count() == 2, "2 nodes in the copy")
end

function cells.two_devices(rt, device)
  local other = device == "cpu" and "null:0" or "cpu"
  local here, there = rt.device(device):context(), rt.device(other):context()
  local a = here:array("float", 100):upload(numbers(100))
  local b, back = there:array("float", 100), here:array("float", 100)
  b:copy_from(a)
  back:copy_from(b)
  equal(back, numbers(100))
  holds(refused("WRONG_CONTEXT", a.fill, a, 1, there:stream()), device, other)
end

function cells.version(rt)
  package.loaded.manyrt = nil
  expect(require("manyrt").VERSION == rt.VERSION, "the module to load again")
  expect(rt.VERSION:match("^%d+%.%d+%.%d+$"), "a version of the layer, and got %s", rt.VERSION)
  expect(rt.LIBRARY_VERSION:match("^%d+%.%d+%.%d+$"), "a version of the library, and got %s", rt.LIBRARY_VERSION)
  local constants = rt.constants
  local own = constants.MANYRT_VERSION_MAJOR * 10000 + constants.MANYRT_VERSION_MINOR * 100
  rt.check_version(own + 100)
  holds(refused("NOT_SUPPORTED", rt.check_version, own + 10000), "major version", rt.VERSION)
  holds(refused("NOT_SUPPORTED", rt.check_version, own - 100), "too old", rt.VERSION)
end

-- Another process without the library, and one without the file of declarations.
function cells.missing_library()
  local script = 'local fine, problem = pcall(require, "manyrt") print(fine, problem)'
  local pipe = io.popen("MANYRT_LIBRARY=./absent.so luajit -e '" .. script .. "' 2>&1")
  local said = pipe:read("*a")
  pipe:close()
  holds(said, "false", "absent.so", "libmanyrt0")
end

function cells.exit_with_work(rt, device)
  local context = rt.device(device):context()
  local stream, fence = context:stream(), context:fence()
  local y, z = context:array("float", 4096):fill(1), context:array("float", 4096)
  local busy = context:module(source):kernel("busy")
  stream:wait(fence, 1)
  for _ = 1, 20 do busy({ grid = 64, group = 64, stream = stream }, y, 5000) end
  z:copy_from(y, stream)
  expect(not stream:done(), "work in flight at the end")
  fence:signal(1)
  _G.kept = { context, stream, fence, y, z, busy }
end

local cell, device = cells[arg[1]], arg[2]
if not cell then error("there is no behaviour " .. tostring(arg[1])) end
local fine, outcome = pcall(function() return cell(arg[1] ~= "missing_library" and require("manyrt") or nil, device) end)
if not fine then
  print(outcome)
  os.exit(1)
elseif outcome then
  print(outcome)
  os.exit(77)
end
