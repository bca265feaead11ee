// Arrays go into buffers and values, the graph runs, arrays come out. An array fits a buffer that says its type and shape if
// they are the same. It fits any other buffer, and a value, if it has as many bytes.
#include "graph_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "array_values.h"
#include "check.h"
#include "graph_file.h"
#include "npy.h"
#include "terminal.h"
#include "units.h"

namespace {

struct Assignment {
  size_t buffer;
  std::string path;
};

Assignment parseAssignment(const Loaded& loaded, const std::string& text, const char* option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Failure(std::string(option) + ' ' + text + ": NAME=FILE is expected.");
  }
  const std::string name = text.substr(0, equals);
  const auto named = [&](const FileBuffer& buffer) { return buffer.name == name; };
  const auto found = std::find_if(loaded.buffers.begin(), loaded.buffers.end(), named);
  if (found == loaded.buffers.end()) throw Failure("The graph has no buffer \"" + name + "\".");
  if (std::count_if(loaded.buffers.begin(), loaded.buffers.end(), named) > 1) {
    throw Failure("The graph has several buffers \"" + name + "\".");
  }
  if (found->role == "temporary") throw Failure("The buffer \"" + name + "\" is a temporary: it has no contents outside.");
  return {static_cast<size_t>(found - loaded.buffers.begin()), text.substr(equals + 1)};
}

void checkFits(const Array& array, const FileBuffer& buffer, const std::string& path) {
  const bool same =
      buffer.type.empty() ? array.bytes.size() == buffer.bytes : array.type == buffer.type && array.shape == buffer.shape;
  if (same) return;
  const std::string wanted =
      buffer.type.empty() ? std::to_string(buffer.bytes) + " bytes" : buffer.type + ' ' + shapeText(buffer.shape);
  throw Failure(path + ": it has " + array.type + ' ' + shapeText(array.shape) + "; the buffer \"" + buffer.name + "\" takes " +
                wanted + '.');
}

Array emptyArray(const FileBuffer& buffer) {
  Array array{buffer.type, buffer.shape, std::vector<unsigned char>(buffer.bytes)};
  if (buffer.type.empty()) array.shape = {buffer.bytes};
  return array;
}

// A graph with memory for its buffers, on one device.
class Runner {
 public:
  Runner(const Loaded& loaded, const RunOptions& options) : loaded_(loaded), contents_(loaded.buffers.size()) {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGetByName(&device, options.device.empty() ? nullptr : options.device.c_str()));
    CHECK(rtContextGetPrimary(&context_, device));
    CHECK(rtStreamCreate(&stream_, nullptr, context_));
    values_.resize(loaded.values.size());
    for (const std::string& each : options.inputs) {
      if (!takeValue(each)) takeInput(parseAssignment(loaded, each, "--input"));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      if (loaded.values[i].has_initial || !values_[i].empty()) continue;
      throw Failure("There is no --input for the value \"" + loaded.values[i].name + "\".");
    }
    for (const std::string& each : options.outputs) outputs_.push_back(parseAssignment(loaded, each, "--output"));
    for (const std::string& each : options.expected) {
      const Assignment expected = parseAssignment(loaded, each, "--expect");
      Array array = readArray(expected.path);
      checkFits(array, loaded.buffers[expected.buffer], expected.path);
      expected_.emplace_back(expected.buffer, std::move(array));
    }
    for (size_t i = 0; i < loaded.buffers.size(); ++i) {
      const FileBuffer& buffer = loaded.buffers[i];
      if (buffer.role == "temporary" || buffer.role == "output" || !contents_[i].bytes.empty()) continue;
      if (!options.random) {
        throw Failure("There is no --input for the buffer \"" + buffer.name + "\"; --random fills such buffers.");
      }
      contents_[i] = emptyArray(buffer);
      fillRandom(&contents_[i], options.seed + i);
    }
    prepare(options.images);
  }

  // One run from the first contents, timed from the launch until it is complete.
  double run() {
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (memory_[i] == nullptr) continue;
      if (contents_[i].bytes.empty()) {
        CHECK(rtMemset(memory_[i], 0, loaded_.buffers[i].bytes));
      } else {
        CHECK(rtMemcpy(memory_[i], contents_[i].bytes.data(), loaded_.buffers[i].bytes, RT_MEMCPY_HOST_TO_DEVICE));
      }
    }
    const auto begin = std::chrono::steady_clock::now();
    CHECK(rtGraphLaunch(exec_, stream_));
    CHECK(rtStreamSynchronize(stream_));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void writeOutputs() const {
    for (const Assignment& each : outputs_) {
      Array array = read(each.buffer);
      if (array.type.empty()) array.type = "u8";
      writeArray(each.path, array);
    }
  }

  // A sentence about the first value that is not as expected; empty: there is none. `run`: which one it was.
  std::string unexpected(double tolerance, const std::string& run) const {
    for (const auto& [buffer, expected] : expected_) {
      Array found = read(buffer);
      found.type = expected.type;
      const std::string apart = difference(found, expected, tolerance);
      if (!apart.empty()) return "The buffer \"" + loaded_.buffers[buffer].name + "\"" + run + ": " + apart + '.';
    }
    return "";
  }

  std::string expectedText(double tolerance) const {
    std::string text;
    for (const auto& [buffer, expected] : expected_) {
      text += loaded_.buffers[buffer].name + ": as expected, " + (tolerance > 0 ? "within the tolerance" : "to the bit") + '\n';
    }
    return text;
  }

 private:
  // False: it is for no value of the graph.
  bool takeValue(const std::string& text) {
    const size_t equals = text.find('=');
    for (size_t i = 0; i < values_.size() && equals != std::string::npos && equals + 1 < text.size(); ++i) {
      const FileValue& value = loaded_.values[i];
      if (value.name != text.substr(0, equals)) continue;
      if (!values_[i].empty()) throw Failure("The value \"" + value.name + "\" is given twice.");
      const std::string path = text.substr(equals + 1);
      values_[i] = readArray(path).bytes;
      if (values_[i].size() == value.bytes) return true;
      throw Failure(path + ": it has " + std::to_string(values_[i].size()) + " bytes; the value \"" + value.name + "\" takes " +
                    std::to_string(value.bytes) + '.');
    }
    return false;
  }

  void takeInput(const Assignment& input) {
    const FileBuffer& buffer = loaded_.buffers[input.buffer];
    if (!contents_[input.buffer].bytes.empty()) throw Failure("The buffer \"" + buffer.name + "\" is given twice.");
    contents_[input.buffer] = readArray(input.path);
    checkFits(contents_[input.buffer], buffer, input.path);
  }

  void prepare(const std::vector<std::string>& images) {
    rtCapturePlan_t plan = makePlan(loaded_, images, context_);
    CHECK(rtGraphExecCreate(&exec_, plan));
    CHECK(rtCapturePlanDestroy(plan));
    memory_.resize(loaded_.buffers.size());
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (loaded_.buffers[i].role == "temporary") continue;
      CHECK(rtMalloc(&memory_[i], loaded_.buffers[i].bytes, context_));
      CHECK(rtGraphExecBindBuffer(loaded_.buffers[i].handle, memory_[i], exec_));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].empty()) continue;
      CHECK(rtGraphExecBindValue(loaded_.values[i].handle, values_[i].data(), values_[i].size(), exec_));
    }
  }

  Array read(size_t buffer) const {
    Array array = emptyArray(loaded_.buffers[buffer]);
    CHECK(rtMemcpy(array.bytes.data(), memory_[buffer], array.bytes.size(), RT_MEMCPY_DEVICE_TO_HOST));
    return array;
  }

  const Loaded& loaded_;
  rtContext_t context_ = nullptr;
  rtStream_t stream_ = nullptr;
  rtGraphExec_t exec_ = nullptr;
  std::vector<Array> contents_;                     // no bytes: zeros, or a temporary
  std::vector<std::vector<unsigned char>> values_;  // no bytes: what the file says
  std::vector<void*> memory_;
  std::vector<Assignment> outputs_;
  std::vector<std::pair<size_t, Array>> expected_;
};

std::string timesText(const std::vector<double>& times) {
  std::vector<double> later(times.begin() + 1, times.end());
  std::sort(later.begin(), later.end());
  return counted(times.size(), "run") + ": the first took " + secondsText(times[0]) + ", the others " +
         secondsText(later.front()) + " to " + secondsText(later.back()) + ", the median " +
         secondsText(later[later.size() / 2]) + '\n';
}

}  // namespace

void runGraph(const RunOptions& options) {
  if (!std::isfinite(options.tolerance) || options.tolerance < 0) throw Failure("--tolerance takes a number from 0.");
  const Loaded loaded = loadGraphFile(options.file);
  Runner runner(loaded, options);
  std::vector<double> times;
  std::string failed;
  {
    terminal::Progress progress(options.repeat);
    for (uint32_t i = 0; i < options.repeat && failed.empty(); ++i) {
      if (options.repeat > 1) progress.step("run " + std::to_string(i + 1));
      times.push_back(runner.run());
      failed = runner.unexpected(options.tolerance, i == 0 ? "" : ", in run " + std::to_string(i + 1));
    }
  }
  runner.writeOutputs();  // also where they are not as expected, to be looked at
  if (!failed.empty()) throw Failure(failed);
  if (times.size() > 1) terminal::print(timesText(times));
  terminal::print(runner.expectedText(options.tolerance));
}
