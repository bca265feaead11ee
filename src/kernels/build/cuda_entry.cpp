// Numbers have eight bytes, texts and lists their length before them. Every length is held against what is left.
#include "kernels/build/cuda_entry.h"

#include <cstdint>
#include <cstring>

#include "rt.h"

namespace manyrt::kernels {
namespace {

constexpr uint64_t kMagic = 0x3161647563746d72;  // "rmtcuda1"
constexpr uint64_t kMostArguments = 1 << 12;     // CUDA takes 32,764 bytes of them

class Writer {
 public:
  void number(uint64_t value) { bytes(&value, sizeof value); }
  void text(const std::string& value) { block(value.data(), value.size()); }
  void block(const void* data, size_t size) {
    number(size);
    bytes(data, size);
  }
  std::vector<unsigned char> take() { return std::move(out_); }

 private:
  void bytes(const void* data, size_t size) {
    const auto* begin = static_cast<const unsigned char*>(data);
    out_.insert(out_.end(), begin, begin + size);
  }
  std::vector<unsigned char> out_;
};

class Reader {
 public:
  Reader(const unsigned char* data, size_t size) : at_(data), left_(size) {}

  bool number(uint64_t* value, uint64_t most) {
    if (left_ < sizeof *value) return false;
    memcpy(value, at_, sizeof *value);
    skip(sizeof *value);
    return *value <= most;
  }
  bool number(uint32_t* value, uint64_t most) {
    uint64_t wide = 0;
    if (!number(&wide, most)) return false;
    *value = static_cast<uint32_t>(wide);
    return true;
  }
  // The next list's length; each of its elements takes eight bytes at least.
  bool count(uint64_t* value) { return number(value, left_ / sizeof *value); }
  bool block(const unsigned char** data, uint64_t* size) {
    if (!number(size, left_) || *size > left_) return false;
    *data = at_;
    skip(static_cast<size_t>(*size));
    return true;
  }
  bool text(std::string* value) {
    const unsigned char* data = nullptr;
    uint64_t size = 0;
    if (!block(&data, &size)) return false;
    value->assign(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    return true;
  }
  bool atEnd() const { return left_ == 0; }

 private:
  void skip(size_t size) {
    at_ += size;
    left_ -= size;
  }
  const unsigned char* at_;
  size_t left_;
};

void write(Writer* out, const CudaKernel& kernel) {
  out->text(kernel.name);
  out->text(kernel.symbol);
  for (const uint32_t size : kernel.required_group) out->number(size);
  out->number(kernel.local_bytes);
  out->number(kernel.arguments.size());
  for (const CudaArgument& argument : kernel.arguments) {
    out->number(argument.size);
    out->number(static_cast<uint64_t>(argument.kind));
    out->text(argument.name);
    out->text(argument.type_name);
    out->number(argument.alignment);
  }
}

bool read(Reader* in, CudaArgument* argument) {
  uint32_t kind = 0;
  if (!in->number(&argument->size, UINT32_MAX) || !in->number(&kind, RT_ARG_LOCAL) || !in->text(&argument->name) ||
      !in->text(&argument->type_name) || !in->number(&argument->alignment, kCudaSharedAlignment)) {
    return false;
  }
  argument->kind = static_cast<int32_t>(kind);
  return argument->alignment != 0 && (argument->alignment & (argument->alignment - 1)) == 0;
}

bool read(Reader* in, CudaKernel* kernel) {
  uint64_t count = 0;
  if (!in->text(&kernel->name) || !in->text(&kernel->symbol)) return false;
  for (uint32_t& size : kernel->required_group) {
    if (!in->number(&size, UINT32_MAX)) return false;
  }
  if (!in->number(&kernel->local_bytes, UINT64_MAX) || !in->count(&count) || count > kMostArguments) return false;
  kernel->arguments.resize(static_cast<size_t>(count));
  for (CudaArgument& argument : kernel->arguments) {
    if (!read(in, &argument)) return false;
  }
  return true;
}

bool read(Reader* in, CudaGlobal* global) {
  return in->text(&global->name) && in->text(&global->symbol) && in->number(&global->size, UINT64_MAX);
}

template <typename Element>
bool readList(Reader* in, std::vector<Element>* list) {
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
  Writer out;
  out.number(kMagic);
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
  Reader in(data, size);
  uint64_t magic = 0;
  uint64_t is_cubin = 0;
  const unsigned char* code = nullptr;
  uint64_t code_size = 0;
  if (!in.number(&magic, UINT64_MAX) || magic != kMagic || !in.text(&image->log) || !readList(&in, &image->kernels) ||
      !readList(&in, &image->globals) || !in.number(&is_cubin, 1) || !in.block(&code, &code_size) || !in.atEnd()) {
    return false;
  }
  image->is_cubin = is_cubin != 0;
  image->code.assign(code, code + code_size);
  return code_size != 0 && (image->is_cubin || image->code.back() == 0);  // PTX is read as a text that ends
}

}  // namespace manyrt::kernels
