-- SPDX-License-Identifier: Apache-2.0
--
-- What launch, record and query cost from LuaJIT: overhead.lua DEVICE CALLS RUNS.
local ffi = require("ffi")
local rt = require("manyrt")
local device, calls, runs = arg[1], tonumber(arg[2]), tonumber(arg[3])

ffi.cdef("struct overhead_time { long seconds, nanoseconds; }; int clock_gettime(int clock, struct overhead_time *time);")
local clock = ffi.new("struct overhead_time")
local function now()
  ffi.C.clock_gettime(1, clock)
  return tonumber(clock.seconds) * 1e9 + tonumber(clock.nanoseconds)
end

local function measure(name, call)
  local began = now()
  for _ = 1, calls do call() end
  print(name, (now() - began) / calls)
end

local context = rt.device(device):context()
local stream, event, fence = context:stream(), context:event(), context:fence(0)
local data = context:array("float", 64)
local kernel = context:module("kernel void f(global float *x, int n, float y) { x[n] = y; }"):kernel("f")
local where = { grid = 1, group = 1, stream = stream }
local held = 0
for _ = 1, runs do
  held = held + 1
  stream:wait(fence, held)
  measure("launch", function() kernel(where, data, 1, 2) end)
  fence:signal(held)
  stream:synchronize()
  held = held + 1
  stream:wait(fence, held)
  measure("record", function() event:record(stream) end)
  fence:signal(held)
  stream:synchronize()
  measure("query", function() stream:done() end)
end
