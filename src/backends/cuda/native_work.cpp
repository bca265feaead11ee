// The capture is relaxed: it concerns the private stream alone. So a library may allocate or load code in its first call, and
// calls of other threads do not end the capture. A call that needs the work to be done, such as a synchronise of the stream,
// does end it.
#include "backends/cuda/native_work.h"

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/error.h"

namespace manyrt::cuda {
namespace {

struct PrivateStream {
  PrivateStream() = default;
  PrivateStream(const PrivateStream&) = delete;
  PrivateStream& operator=(const PrivateStream&) = delete;
  ~PrivateStream() {
    if (native != nullptr) (void)table().cudaStreamDestroy(native);
  }
  NativeStream native = nullptr;
};

Status notRecorded(Error error) {
  const Status cause = failure("cuStreamEndCapture", error);
  return Status::error(
      cause.code(), "The native function made a call that cannot be part of a graph, such as a synchronise of its stream: %s",
      cause.message());
}

}  // namespace

NativeWork::NativeWork(Context& context) : context_(&context) {}

NativeWork::~NativeWork() {
  if (graph_ == nullptr) return;
  Current current(context_->native());
  (void)table().cuGraphDestroy(graph_);
}

Status NativeWork::record(Ref<backend::NativeWork>* out, Context& context, const backend::NativeCall& submit) {
  Ref<NativeWork> work = Ref<NativeWork>::adopt(new NativeWork(context));
  Current current(context.native());
  PrivateStream stream;
  RT_CUDA_TRY(cudaStreamCreateWithPriority, &stream.native, kStreamNonBlocking, 0);
  RT_CUDA_TRY(cuStreamBeginCapture, stream.native, kCaptureRelaxed);
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(stream.native), 0};
  Status submitted = submit(native);
  // Also after a failure of the function: the private stream may not be destroyed while it is captured.
  const Error ended = RT_CUDA_CALL(cuStreamEndCapture, stream.native, &work->graph_);
  // A capture that failed gives no graph, whatever it wrote.
  if (ended != kSuccess) work->graph_ = nullptr;
  RT_TRY(std::move(submitted));
  if (ended != kSuccess) return notRecorded(ended);
  *out = std::move(work);
  return Status();
}

}  // namespace manyrt::cuda
