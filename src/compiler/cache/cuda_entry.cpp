// The order in which an entry has the parts of an image. Reading believes nothing that it has not looked at.
#include "compiler/cache/cuda_entry.h"

#include <cstdint>

#include "base/entry_bytes.h"
#include "compiler/cache/use_entry.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kCudaMagic = 0x3261647563746d72;  // "rmtcuda2"
constexpr uint64_t kMaxCudaArguments = 1 << 12;      // CUDA takes 32,764 bytes of them

void write(EntryWriter* out, const CudaKernel& kernel) {
  out->text(kernel.name);
  out->text(kernel.symbol);
  for (const uint32_t size : kernel.required_group) out->number(size);
  out->number(kernel.local_bytes);
  out->number(kernel.takes_offset);
  out->number(kernel.arguments.size());
  for (const CudaArgument& argument : kernel.arguments) {
    out->number(argument.size);
    out->number(static_cast<uint64_t>(argument.kind));
    out->text(argument.name);
    out->text(argument.type_name);
    out->number(argument.alignment);
    writeUse(out, argument.use);
  }
}

bool read(EntryReader* in, CudaArgument* argument) {
  uint32_t kind = 0;
  if (!in->number(&argument->size, UINT32_MAX) || !in->number(&kind, RT_ARG_LOCAL) || !in->text(&argument->name) ||
      !in->text(&argument->type_name) || !in->number(&argument->alignment, kCudaSharedAlignment) ||
      !readUse(in, &argument->use)) {
    return false;
  }
  argument->kind = static_cast<int32_t>(kind);
  return argument->alignment != 0 && (argument->alignment & (argument->alignment - 1)) == 0;
}

bool read(EntryReader* in, CudaKernel* kernel) {
  uint64_t count = 0;
  if (!in->text(&kernel->name) || !in->text(&kernel->symbol)) return false;
  for (uint32_t& size : kernel->required_group) {
    if (!in->number(&size, UINT32_MAX)) return false;
  }
  uint32_t takes_offset = 0;
  if (!in->number(&kernel->local_bytes, UINT64_MAX) || !in->number(&takes_offset, 1)) return false;
  kernel->takes_offset = takes_offset != 0;
  if (!in->count(&count) || count > kMaxCudaArguments) return false;
  kernel->arguments.resize(static_cast<size_t>(count));
  for (CudaArgument& argument : kernel->arguments) {
    if (!read(in, &argument)) return false;
  }
  return true;
}

bool read(EntryReader* in, CudaGlobal* global) {
  return in->text(&global->name) && in->text(&global->symbol) && in->number(&global->size, UINT64_MAX);
}

template <typename Element>
bool readList(EntryReader* in, std::vector<Element>* list) {
  uint64_t count = 0;
  if (!in->count(&count)) return false;
  list->clear();
  for (uint64_t i = 0; i < count; ++i) {
    if (!read(in, &list->emplace_back())) return false;
  }
  return true;
}

}  // namespace

std::vector<unsigned char> writeCudaEntry(const CudaImage& image) {
  EntryWriter out;
  out.number(kCudaMagic);
  out.text(image.log);
  out.number(image.kernels.size());
  for (const CudaKernel& kernel : image.kernels) write(&out, kernel);
  out.number(image.globals.size());
  for (const CudaGlobal& global : image.globals) {
    out.text(global.name);
    out.text(global.symbol);
    out.number(global.size);
  }
  out.number(image.is_cubin ? 1 : 0);
  out.block(image.code.data(), image.code.size());
  return out.take();
}

bool readCudaEntry(CudaImage* image, const unsigned char* data, size_t size) {
  EntryReader in(data, size);
  uint64_t magic = 0;
  uint64_t is_cubin = 0;
  const unsigned char* code = nullptr;
  uint64_t code_size = 0;
  if (!in.number(&magic, UINT64_MAX) || magic != kCudaMagic || !in.text(&image->log) || !readList(&in, &image->kernels) ||
      !readList(&in, &image->globals) || !in.number(&is_cubin, 1) || !in.block(&code, &code_size) || !in.atEnd()) {
    return false;
  }
  image->is_cubin = is_cubin != 0;
  image->code.assign(code, code + code_size);
  return code_size != 0 && (image->is_cubin || image->code.back() == 0);  // PTX is read as a text that ends
}

}  // namespace manyrt::compiler
