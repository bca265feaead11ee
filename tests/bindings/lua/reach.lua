-- SPDX-License-Identifier: Apache-2.0
--
-- Fails if a function of rt.json is not declared for LuaJIT, or not found in the library, and if rt.call does not check.
local rt, generated = require("manyrt"), require("manyrt_cdef")
local missing = 0
for _, name in ipairs(generated.functions) do
  local fine, problem = pcall(function() return rt.call[name] end)
  if not fine then
    missing = missing + 1
    print(name .. ": " .. tostring(problem))
  end
end
assert(#generated.functions > 100, "the list of functions is too short")
local fine, problem = pcall(rt.call.rtEventQuery, nil)
assert(not fine and rt.is_error(problem, "INVALID_HANDLE"), "rt.call raises a failed status")
assert(require("ffi").string(rt.call.rtGetErrorName(-5)) == "RT_ERROR_OUT_OF_MEMORY", "rt.call returns a text as it is")
print(#generated.functions .. " functions, " .. missing .. " cannot be called")
os.exit(missing == 0 and 0 or 1)
