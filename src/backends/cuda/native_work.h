// The work that a native function of the program submits, as a native graph. The function is called once, with a private stream
// that is being captured. Made by the maker of replays, which puts the graph into its own as a child.
#pragma once

#include "backends/backend.h"
#include "backends/cuda/declarations.h"

namespace manyrt::cuda {

class Context;

class NativeWork final : public backend::NativeWork {
 public:
  // Calls the program. Fails with the function's failure, or with what CUDA says of a call that cannot be captured.
  static Status record(Ref<backend::NativeWork>* work, Context& context, const backend::NativeCall& submit);
  ~NativeWork() override;
  NativeGraph graph() const { return graph_; }

 private:
  explicit NativeWork(Context& context);

  const Ref<Context> context_;
  NativeGraph graph_ = nullptr;
};

}  // namespace manyrt::cuda
