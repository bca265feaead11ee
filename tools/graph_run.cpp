// `manyrt run`: arrays go into buffers, the graph runs once, arrays come out. An array fits a buffer that says its type and
// shape if they are the same, else if it has as many bytes.
#include <algorithm>

#include "check.h"
#include "graph_file.h"
#include "npy.h"

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

}  // namespace

void runGraph(const std::string& path, const std::string& device_name, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs) {
  const Loaded loaded = loadGraphFile(path);
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  CHECK(rtDeviceGetByName(&device, device_name.empty() ? nullptr : device_name.c_str()));
  CHECK(rtContextGetPrimary(&context, device));
  CHECK(rtStreamCreate(&stream, nullptr, context));

  std::vector<Array> contents(loaded.buffers.size());
  std::vector<bool> given(loaded.buffers.size());
  for (const std::string& each : inputs) {
    const Assignment input = parseAssignment(loaded, each, "--input");
    if (given[input.buffer]) throw Failure("The buffer \"" + loaded.buffers[input.buffer].name + "\" is given twice.");
    given[input.buffer] = true;
    contents[input.buffer] = readArray(input.path);
    checkFits(contents[input.buffer], loaded.buffers[input.buffer], input.path);
  }
  std::vector<Assignment> results;
  for (const std::string& each : outputs) results.push_back(parseAssignment(loaded, each, "--output"));

  rtGraphExec_t exec = nullptr;
  CHECK(rtGraphInstantiate(&exec, loaded.graph, context));
  std::vector<void*> memory(loaded.buffers.size());
  for (size_t i = 0; i < loaded.buffers.size(); ++i) {
    const FileBuffer& buffer = loaded.buffers[i];
    if (buffer.role == "temporary") continue;
    if (!given[i] && buffer.role != "output") {
      throw Failure("There is no --input for the buffer \"" + buffer.name + "\".");
    }
    CHECK(rtMalloc(&memory[i], buffer.bytes, context));
    if (given[i]) {
      CHECK(rtMemcpy(memory[i], contents[i].bytes.data(), buffer.bytes, RT_MEMCPY_HOST_TO_DEVICE));
    } else {
      CHECK(rtMemset(memory[i], 0, buffer.bytes));
    }
    CHECK(rtGraphExecBindBuffer(buffer.handle, memory[i], exec));
  }
  CHECK(rtGraphLaunch(exec, stream));
  CHECK(rtStreamSynchronize(stream));
  for (const Assignment& each : results) {
    const FileBuffer& buffer = loaded.buffers[each.buffer];
    Array array{buffer.type, buffer.shape, std::vector<unsigned char>(buffer.bytes)};
    if (buffer.type.empty()) {
      array.type = "u8";
      array.shape = {buffer.bytes};
    }
    CHECK(rtMemcpy(array.bytes.data(), memory[each.buffer], buffer.bytes, RT_MEMCPY_DEVICE_TO_HOST));
    writeArray(each.path, array);
  }
}
