// Parts are built from the program as the image has it: names without folders, and the headers that #include found in memory.
// So an image does not depend on where it was made. Each target is a build of src/compiler; the container is
// backends/module_image.h.
#include "aot/image_builder.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "backends/module_image.h"
#include "compiler/unit.h"

namespace manyrt::aot {
namespace {

using backend::BuiltPart;
using backend::PartKind;

// As a shell reads it as one word.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

// Words that a shell leaves alone are not quoted: options are read by people, too.
std::string joined(const std::vector<std::string>& words) {
  constexpr char kPlain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=./,+:";
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : quoted(word));
  }
  return text;
}

std::string withoutFolder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

compiler::CudaTarget cudaTarget(const Target& target) {
  compiler::CudaTarget made;
  made.major = target.architecture / 10;
  made.minor = target.architecture % 10;
  made.code = target.ptx ? compiler::CudaTarget::Code::kPtx : compiler::CudaTarget::Code::kMachineCode;
  return made;
}

Status cudaImage(std::shared_ptr<const compiler::CudaImage>* image, const Target& target,
                 const compiler::BuildRequest& request) {
  const Status status = compiler::buildForCuda(image, cudaTarget(target), request);
  return status.ok() ? Status() : compiler::buildFailure(status, *image != nullptr ? (*image)->log : std::string());
}

// A part runs with the C library of Debian 11 and all later ones, if it can.
constexpr uint32_t kOldGlibc = 231;

std::string remarkOn(const compiler::CpuCode& code, const Target& target) {
  std::string text;
  if (!code.optimized)
    text = "The optimised code for " + target.name() + " could not be made, and simple code is in the image.";
  if (code.glibc <= kOldGlibc) return text;
  return text + (text.empty() ? "" : " ") + "The code for " + target.name() + " needs glibc " +
         std::to_string(code.glibc / 100) + "." + std::to_string(code.glibc % 100) + " or newer, for " + code.needs +
         ": an older system builds images for older ones.";
}

}  // namespace

// The texts that a request borrows, and the request. `on_disk`: #include looks for headers on the disk, under the names of the
// user.
struct ImageBuilder::Texts {
  std::string options, name;
  std::vector<std::string_view> more;
  compiler::BuildRequest request;

  Texts(const Program& program, const std::vector<compiler::Header>* headers) {
    std::vector<std::string> words = program.options;
    const bool on_disk = headers == nullptr;
    for (size_t i = 0; on_disk && i < program.folders.size(); ++i) words.push_back("-I" + program.folders[i]);
    options = joined(words);
    name = on_disk ? program.sources[0].path : withoutFolder(program.sources[0].path);
    request.source = program.sources[0].text;
    for (size_t i = 1; i < program.sources.size(); ++i) {
      request.more.push_back(program.sources[i].text);
      request.more_names.push_back(on_disk ? program.sources[i].path : withoutFolder(program.sources[i].path));
    }
    request.options = options.c_str();
    request.name = name.c_str();
    if (on_disk) {
      request.folder = ".";
    } else {
      request.headers = *headers;
    }
  }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
};

ImageBuilder::ImageBuilder(Program program) : program_(std::move(program)) {}

ImageBuilder::Texts ImageBuilder::texts() const { return Texts(program_, from_disk_ ? nullptr : &checked_.headers); }

Status ImageBuilder::check() { return compiler::checkSource(&checked_, Texts(program_, nullptr).request); }

Status ImageBuilder::checkSelfContained() {
  from_disk_ = true;
  if (!checked_.ambiguous.empty()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "Two headers are included as \"%s\", and the source in an image can have one of that name: give them "
                         "different names, or leave the source out.",
                         checked_.ambiguous.c_str());
  }
  compiler::CheckedSource again;
  const Status status = compiler::checkSource(&again, Texts(program_, &checked_.headers).request);
  if (!status.ok()) {
    const std::string reason = again.messages.empty() ? status.message() : again.messages[0].text;
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "The source cannot be in the image, since from its headers alone it is another program (%s): leave the "
        "source out.",
        reason.c_str());
  }
  from_disk_ = false;
  return Status();
}

Status ImageBuilder::buildPart(BuiltPart* part, std::string* remark, const Target& target) const {
  const Texts given = texts();
  switch (target.kind) {
    case Target::Kind::kCpu: {
      compiler::CpuCode code;
      const Status status = compiler::buildCpuCode(&code, *target.level, given.request);
      if (!status.ok()) return compiler::buildFailure(status, std::move(code.log));
      *remark = remarkOn(code, target);
      *part = {PartKind::kCpu, compiler::kUnitForm, target.level->target, compiler::cpuPart(code)};
      return Status();
    }
    case Target::Kind::kCuda: {
      std::shared_ptr<const compiler::CudaImage> image;
      RT_TRY(cudaImage(&image, target, given.request));
      *part = {PartKind::kCuda, compiler::kCudaPartForm,
               (target.ptx ? "PTX for sm_" : "sm_") + std::to_string(target.architecture), compiler::cudaPart(*image)};
      return Status();
    }
    case Target::Kind::kOpenCl: {
      compiler::OpenClText text;
      const Status status = compiler::lowerForOpenCl(&text, target.hidden_offsets, given.request);
      if (!status.ok()) return compiler::buildFailure(status, std::move(text.log));
      *part = {PartKind::kOpenCl, compiler::kOpenClTextPartForm, std::move(text.target), std::move(text.data)};
      return Status();
    }
  }
  return Status();
}

Status ImageBuilder::build(std::string* failed, const std::vector<Target>& targets) {
  parts_.assign(targets.size(), {});
  std::vector<std::string> remarks(targets.size());
  std::vector<Status> results(targets.size());
  std::atomic<size_t> next{0};
  // Threads take one target after the other. No exception may leave them: memory that is missing is a status.
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < targets.size(); i = next.fetch_add(1)) {
      try {
        results[i] = buildPart(&parts_[i], &remarks[i], targets[i]);
      } catch (const std::bad_alloc&) {
        results[i] = Status::bare(RT_ERROR_OUT_OF_MEMORY);
      }
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(targets.size());
  const size_t count = std::min<size_t>(targets.size(), std::max(std::thread::hardware_concurrency(), 1u));
  try {
    for (size_t i = 1; i < count; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {  // the threads that there are do all of it
  }
  work();
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (results[i].ok()) continue;
    *failed = targets[i].name();
    return std::move(results[i]);
  }
  remarks_.clear();
  for (std::string& remark : remarks) {
    if (!remark.empty()) remarks_.push_back(std::move(remark));
  }
  return Status();
}

std::string ImageBuilder::image(bool with_source) const {
  std::vector<BuiltPart> parts = parts_;
  if (with_source) {
    const Texts given(program_, &checked_.headers);
    backend::Image source;
    source.format = RT_IMAGE_OPENCL_C;
    source.data = given.request.source;
    source.more_count = static_cast<uint32_t>(given.request.more.size());
    source.more = given.request.more.data();
    source.options = given.request.options;
    source.name = given.request.name;
    std::vector<const char*> names, headers;
    for (const compiler::Header& header : given.request.headers) {
      names.push_back(header.name.c_str());
      headers.push_back(header.text.c_str());
    }
    source.header_count = static_cast<uint32_t>(headers.size());
    source.header_names = names.data();
    source.headers = headers.data();
    parts.push_back(backend::sourcePart(backend::sourceData(source)));
  }
  return backend::writeModuleImage(parts);
}

Status ImageBuilder::emit(std::string* text, Emit form, const Target& target) const {
  const Texts given = texts();
  std::string log;
  Status status;
  switch (form) {
    case Emit::kCpp:
    case Emit::kAssembly:
      status = compiler::cpuCodeText(text, &log, form == Emit::kCpp ? compiler::CpuText::kCpp : compiler::CpuText::kAssembly,
                                     *target.level, given.request);
      break;
    case Emit::kIr:
      status = compiler::irText(text, &log, *target.level, given.request);
      break;
    case Emit::kPtx: {
      std::shared_ptr<const compiler::CudaImage> image;
      RT_TRY(cudaImage(&image, target, given.request));
      text->assign(image->code.begin(), image->code.end());
      while (!text->empty() && text->back() == '\0') text->pop_back();
      return Status();
    }
    case Emit::kOpenCl: {
      compiler::OpenClText made;
      status = compiler::lowerForOpenCl(&made, target.hidden_offsets, given.request);
      *text = std::move(made.text);
      log = std::move(made.log);
      break;
    }
  }
  return status.ok() ? Status() : compiler::buildFailure(status, std::move(log));
}

}  // namespace manyrt::aot
