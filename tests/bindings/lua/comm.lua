-- SPDX-License-Identifier: Apache-2.0
--
-- manyrt.comm on the CPU: luajit comm.lua has two ranks in this process, and does what is wrong; luajit comm.lua launched is one
-- of two processes that a launcher started. Ends with 0, or an error with what differed.
local ffi = require("ffi")
local rt, comm = require("manyrt"), require("manyrt.comm")

local function expect(condition, text, ...)
  if not condition then error(string.format("expected " .. text, ...), 2) end
end

local function same(array, ...)
  local values, wanted = array:totable(), { ... }
  expect(#values == #wanted, "%d elements, and got %d", #wanted, #values)
  for index, value in ipairs(wanted) do
    expect(values[index] == value, "element %d to be %s, and got %s", index, value, values[index])
  end
end

-- A call that has to fail with this status and a sentence that has this part.
local function refused(name, part, body, ...)
  local fine, problem = pcall(body, ...)
  expect(not fine, "%s, and the call was accepted", name)
  expect(rt.is_error(problem, name), "%s, and got %s", name, tostring(problem))
  expect(problem.message:find(part, 1, true), "'%s' in '%s'", part, problem.message)
end

local function ints(context, ...)
  local values = { ... }
  return context:array("int32_t", #values):upload(values)
end

local function pair()
  local contexts = { rt.device("cpu"):context(), rt.device("cpu"):context() }
  return contexts, comm.create_all(contexts, { timeout = 60, label = "pair" })
end

local function each(ranks, call)
  comm.group(function()
    for index, rank in ipairs(ranks) do call(rank, index) end
  end)
end

local function operations()
  local contexts, ranks = pair()
  local x, y, all, turned = {}, {}, {}, {}
  for index, context in ipairs(contexts) do
    x[index], y[index] = ints(context, 1 * 10 ^ (index - 1), 2 * 10 ^ (index - 1)), ints(context, 0, 0)
    all[index], turned[index] = ints(context, 0, 0, 0, 0), ints(context, 0, 0, 0, 0)
  end
  each(ranks, function(rank, i) rank:all_reduce(y[i], x[i]) end)
  same(y[1], 11, 22)
  same(y[2], 11, 22)
  each(ranks, function(rank, i) rank:all_reduce(y[i], nil, { reduction = "average" }) end)
  same(y[1], 11, 22)
  each(ranks, function(rank, i) rank:reduce(y[i], x[i], { reduction = "product", root = 1 }) end)
  same(y[1], 11, 22)
  same(y[2], 10, 40)
  each(ranks, function(rank, i) rank:broadcast(y[i], x[i]) end)
  same(y[2], 1, 2)
  each(ranks, function(rank, i) rank:all_gather(all[i], x[i]) end)
  same(all[1], 1, 2, 10, 20)
  each(ranks, function(rank, i) rank:reduce_scatter(y[i], all[i]) end)
  same(y[1], 2, 4)
  same(y[2], 20, 40)
  each(ranks, function(rank, i) rank:reduce_scatter(nil, all[i]) end)
  same(all[1], 2, 4, 10, 20)
  same(all[2], 1, 2, 20, 40)
  each(ranks, function(rank, i) rank:all_to_all(turned[i], all[i]) end)
  same(turned[1], 2, 4, 1, 2)
  same(turned[2], 10, 20, 20, 40)
  each(ranks, function(rank, i) rank:gather(i == 2 and all[i] or nil, x[i], { root = 1 }) end)
  same(all[2], 1, 2, 10, 20)
  each(ranks, function(rank, i) rank:scatter(i == 1 and y[i] or nil, i == 2 and all[i] or nil, { root = 1 }) end)
  same(y[1], 1, 2)
  same(all[2], 1, 2, 10, 20)
  each(ranks, function(rank, i)
    rank:send(x[i], 2 - i)
    rank:receive(y[i], 2 - i)
    rank:barrier()
  end)
  same(y[1], 10, 20)
  same(y[2], 1, 2)

  local streams, halves = {}, {}
  for index, context in ipairs(contexts) do
    streams[index] = context:stream()
    halves[index] = context:array("uint16_t", 1):upload({ 0x3F80 })
    ranks[index]:all_reduce(halves[index], nil, { stream = streams[index], type = "bfloat16" })
  end
  for index, rank in ipairs(ranks) do
    rank:synchronize(streams[index])
    same(halves[index], 0x4000)
  end
end

local function more_communicators()
  local contexts, ranks = pair()
  local made, id = {}, comm.unique_id()
  each(ranks, function(rank, i) made[i] = rank:split(5, -i) end)
  expect(made[1].rank == 1 and made[2].rank == 0 and made[1].size == 2, "ranks in the order of the key")
  each(ranks, function(rank, i) made[i] = rank:split(i == 1 and 0 or nil) end)
  expect(made[1].size == 1 and made[2] == nil, "no rank for the color nil")
  comm.group(function()
    for index, context in ipairs(contexts) do made[index] = comm.create(id, index - 1, 2, context) end
    refused("INVALID_HANDLE", "closed", made[1].barrier, made[1])
  end)
  expect(made[2].rank == 1 and made[2].size == 2, "a rank by an id")
  expect(tostring(made[2]):find("communicator on cpu", 1, true), "a text, and got %s", tostring(made[2]))
  made[2]:close()
  made[2]:close()
  refused("INVALID_HANDLE", "closed", made[2].barrier, made[2])
  refused("INVALID_VALUE", "used", comm.create, id, 0, 2, contexts[1])
end

local function bad_input()
  local contexts, ranks = pair()
  local rank, context = ranks[1], contexts[1]
  local two, three, four = ints(context, 1, 2), ints(context, 1, 2, 3), ints(context, 1, 2, 3, 4)
  refused("INVALID_VALUE", "'receive' has 2 elements and 'send' 3", rank.all_reduce, rank, two, three)
  refused("INVALID_VALUE", "'receive' has 3 elements, which do not divide by the 2 ranks", rank.all_gather, rank, three, two)
  refused("INVALID_VALUE", "takes 1 to 2", rank.reduce_scatter, rank, four, four)
  refused("INVALID_VALUE", "'send' of float", rank.all_reduce, rank, two, context:array("float", 2))
  refused("INVALID_VALUE", "has to be an array", rank.all_reduce, rank, { 1, 2 })
  refused("INVALID_VALUE", "lacks the argument", rank.all_reduce, rank)
  refused("INVALID_VALUE", "are not sent", rank.all_reduce, rank, context:array("struct { int x, y; }", 2))
  refused("INVALID_VALUE", "16 bits", rank.all_reduce, rank, two, nil, { type = "bfloat16" })
  refused("INVALID_VALUE", "reduction 'mean'", rank.all_reduce, rank, two, nil, { reduction = "mean" })
  refused("INVALID_VALUE", "no setting 'op'", rank.all_reduce, rank, two, nil, { op = "sum" })
  refused("INVALID_VALUE", "root", rank.broadcast, rank, two, two, { root = 0.5 })
  refused("INVALID_VALUE", "7", rank.send, rank, two, 7)
  refused("WRONG_CONTEXT", "", rank.all_reduce, rank, two, nil, { stream = contexts[2]:stream() })
  local gone = ints(context, 1)
  gone:close()
  refused("INVALID_HANDLE", "closed", rank.all_reduce, rank, gone)
  refused("INVALID_VALUE", "table of at least one context", comm.create_all, {})
  refused("INVALID_VALUE", "above 0", comm.create_all, contexts, { timeout = 0 })
  refused("INVALID_VALUE", "string of 256 bytes", comm.create, "id", 0, 2, context)
  refused("INVALID_VALUE", "WORLD_SIZE", comm.create_from_environment, context)
  refused("INVALID_VALUE", "pointer of C", comm.create_from_mpi, 5, context)
  refused("INVALID_VALUE", "", comm.create_from_mpi, ffi.new("void*"), context)
  refused("INVALID_VALUE", "function", comm.group, 5)
  local fine, problem = pcall(comm.group, function()
    rank:all_reduce(two)
    refused("INVALID_VALUE", "no part of a group", comm.create_from_environment, context)
    error("of the program", 0)
  end)
  expect(not fine and problem == "of the program", "the error of the body, and got %s", tostring(problem))
  rank:synchronize() -- nothing of the group was submitted
  expect(rank:failure() == nil, "no failure")

  local stream = context:stream()
  rank:all_reduce(two, nil, { stream = stream })
  ranks[2]:abort()
  refused("LAUNCH_FAILED", "rtCommAbort", rank.synchronize, rank, stream)
  expect(rank:failure().rank == 1, "the rank of the failure, and got %s", tostring(rank:failure().rank))
end

-- One of two processes.
local function launched()
  local context = rt.device("cpu"):context()
  local ranks = comm.create_from_environment(context, { timeout = 60 })
  local rank, info = ranks.rank, ranks:info()
  expect(ranks.size == 2 and info.local_size == 1, "2 ranks, and got %d", ranks.size)
  expect(info.engine == "shared_memory", "the engine shared_memory, and got %s", info.engine)
  local stream, x = context:stream(), context:array("float", 1000):fill(rank + 1)
  ranks:all_reduce(x, nil, { stream = stream })
  ranks:synchronize(stream)
  expect(x:get(1) == 3 and x:get(1000) == 3, "the sum 3, and got %s", x:get(1))
  local own, all = ints(context, rank, rank + 10), ints(context, 0, 0, 0, 0)
  local part, other = ints(context, 0), ints(context, 0, 0)
  ranks:all_gather(all, own)
  same(all, 0, 10, 1, 11)
  ranks:reduce_scatter(part, own)
  same(part, rank == 0 and 1 or 21)
  ranks:broadcast(other, own, { root = 1 })
  same(other, 1, 11)
  comm.group(function()
    ranks:send(own, 1 - rank)
    ranks:receive(other, 1 - rank)
  end)
  same(other, 1 - rank, 11 - rank)
  local turned = ranks:split(0, -rank)
  expect(turned.rank == 1 - rank, "the ranks in the other order")
  refused("INVALID_VALUE", "'receive' has 4 elements and 'send' 2", ranks.all_reduce, ranks, all, own)
  turned:barrier() -- a rank that ends early is a failure of the other
  print(string.format("rank %d of %d", rank, ranks.size))
end

if arg[1] == "launched" then
  launched()
else
  for _, name in ipairs(require("manyrt_comm_cdef").functions) do assert(comm.call[name], name) end
  operations()
  more_communicators()
  bad_input()
end
