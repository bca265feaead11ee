// The order in which an entry has the parts of an image. Reading believes nothing that it has not looked at.
#include "compiler/cache/opencl_entry.h"

#include "base/entry_bytes.h"
#include "compiler/cache/use_entry.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kOpenClMagic = 0x356c636f63746d72;  // "rmtcocl5"
constexpr uint64_t kMaxOpenClArguments = 1 << 12;

bool read(EntryReader* in, OpenClArgument* argument) {
  uint32_t kind = 0, is_record = 0;
  if (!in->number(&argument->size, UINT32_MAX) || !in->number(&kind, RT_ARG_LOCAL) || !in->text(&argument->name) ||
      !in->text(&argument->type_name) || !in->number(&is_record, 1) || !readUse(in, &argument->use)) {
    return false;
  }
  argument->kind = static_cast<int32_t>(kind);
  argument->is_record = is_record != 0;
  return true;
}

bool read(EntryReader* in, OpenClKernel* kernel) {
  uint64_t count = 0;
  if (!in->text(&kernel->name) || !in->text(&kernel->symbol)) return false;
  for (uint32_t& size : kernel->required_group) {
    if (!in->number(&size, UINT32_MAX)) return false;
  }
  if (!in->number(&kernel->local_bytes, UINT64_MAX) || !in->count(&count) || count > kMaxOpenClArguments) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (!read(in, &kernel->arguments.emplace_back())) return false;
  }
  return true;
}

}  // namespace

std::vector<unsigned char> writeOpenClEntry(const OpenClImage& image) {
  EntryWriter out;
  out.number(kOpenClMagic);
  out.text(image.log);
  out.number(image.kernels.size());
  for (const OpenClKernel& kernel : image.kernels) {
    out.text(kernel.name);
    out.text(kernel.symbol);
    for (const uint32_t size : kernel.required_group) out.number(size);
    out.number(kernel.local_bytes);
    out.number(kernel.arguments.size());
    for (const OpenClArgument& argument : kernel.arguments) {
      out.number(argument.size);
      out.number(static_cast<uint64_t>(argument.kind));
      out.text(argument.name);
      out.text(argument.type_name);
      out.number(argument.is_record ? 1 : 0);
      writeUse(&out, argument.use);
    }
  }
  out.number(image.follows_addresses ? 1 : 0);
  out.number(image.optimized ? 1 : 0);
  out.block(image.binary.data(), image.binary.size());
  return out.take();
}

bool readOpenClEntry(OpenClImage* image, const unsigned char* data, size_t size) {
  EntryReader in(data, size);
  uint64_t magic = 0, kernels = 0, code_size = 0;
  const unsigned char* code = nullptr;
  if (!in.number(&magic, UINT64_MAX) || magic != kOpenClMagic || !in.text(&image->log) || !in.count(&kernels)) return false;
  image->kernels.clear();
  for (uint64_t i = 0; i < kernels; ++i) {
    if (!read(&in, &image->kernels.emplace_back())) return false;
  }
  uint64_t follows = 0, optimized = 0;
  if (!in.number(&follows, 1) || !in.number(&optimized, 1)) return false;
  image->follows_addresses = follows != 0;
  image->optimized = optimized != 0;
  if (!in.block(&code, &code_size) || !in.atEnd()) return false;
  image->binary.assign(code, code + code_size);
  return code_size != 0;
}

}  // namespace manyrt::compiler
