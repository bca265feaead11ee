// For suites that have every function of rt.h on the first device of each kind. Gives their parameters, the names of their
// tests, and which statuses rt.h allows a function.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "support/device_test.h"
#include "support/function_table.h"

namespace rttest {

using FunctionAndDevice = std::tuple<size_t, std::string>;  // an index into calls::functions(), a device's name

inline const manyrt::calls::Function& functionNamed(const std::string& name) {
  return *std::ranges::find(manyrt::calls::functions(), name, &manyrt::calls::Function::name);
}

inline std::string nameOf(const testing::TestParamInfo<FunctionAndDevice>& info) {
  return manyrt::calls::functions()[std::get<0>(info.param)].name + "_" + testName({std::get<1>(info.param), 0});
}

inline auto everyFunctionOn(const std::vector<std::string>& devices) {
  std::vector<std::string> first;
  for (const std::string& name : devices) {
    if (name == "cpu" || name.ends_with(":0")) first.push_back(name);
  }
  return testing::Combine(testing::Range(size_t{0}, manyrt::calls::functions().size()), testing::ValuesIn(first));
}

// Whether the comment of the function, or the head of rt.h, has the failure. `message` is the one that the call has left.
inline bool isDocumented(const manyrt::calls::Function& function, rtStatus_t status, const std::string& message) {
  if (std::ranges::count(function.errors, status) > 0) return true;
  if (std::ranges::count(manyrt::calls::generalErrors(), status) == 0) return false;
  // The head allows this one where another thread resets the context, and nowhere else.
  return status != RT_ERROR_BUSY || message.find("being reset") != std::string::npos;
}

}  // namespace rttest
