// Our own declarations of NVRTC beside those of a toolkit; compiled where CMake finds one. There is nothing to run.
#include <nvrtc.h>

#include <type_traits>

#include "compiler/toolchain/nvrtc_api.h"

namespace manyrt::compiler::nvrtc {

static_assert(kSuccess == NVRTC_SUCCESS);
static_assert(kOutOfMemory == NVRTC_ERROR_OUT_OF_MEMORY);
static_assert(kInvalidOption == NVRTC_ERROR_INVALID_OPTION);
static_assert(kCompilation == NVRTC_ERROR_COMPILATION);
static_assert(kBuiltinOperationFailure == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
static_assert(sizeof(Result) == sizeof(nvrtcResult));
static_assert(sizeof(Program) == sizeof(nvrtcProgram) && std::is_pointer_v<nvrtcProgram>);

// Theirs with our words for the enumeration and the opaque pointer.
template <typename T>
struct Ours {
  using Type = T;
};
template <>
struct Ours<nvrtcResult> {
  using Type = Result;
};
template <>
struct Ours<nvrtcProgram> {
  using Type = Program;
};
template <>
struct Ours<nvrtcProgram*> {
  using Type = Program*;
};
template <typename R, typename... P>
struct Ours<R(P...)> {
  using Type = typename Ours<R>::Type(typename Ours<P>::Type...);
};

#define X(id, symbol, result, parameters) \
  static_assert(std::is_same_v<Ours<decltype(::symbol)>::Type*, decltype(Table::id)>, #symbol);
RT_NVRTC_TABLE(X)
#undef X

}  // namespace manyrt::compiler::nvrtc
