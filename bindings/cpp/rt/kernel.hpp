// SPDX-License-Identifier: Apache-2.0
//
// Modules and kernels. Module owns a program, and KernelRef is a kernel with the C form of a launch. KernelFunction is one with
// its parameters as C++ types. They are compared with the kernel's own once, and with each call by the compiler.
#ifndef MANYRT_RT_KERNEL_HPP_
#define MANYRT_RT_KERNEL_HPP_

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "memory.hpp"

namespace rt {

using Size3 = std::array<std::uint32_t, 3>;

/** Local memory for `count` elements, as the argument of a __local pointer. */
template <class T>
struct Local {
  explicit constexpr Local(std::size_t elements = 0) noexcept : count(elements) {}
  std::size_t count;
};

/** The range of a launch. It is work-items, rounded up to whole work-groups, so that the kernel itself leaves out those after
 *  the last one; or an exact number of work-groups. */
class Range {
 public:
  explicit constexpr Range(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) noexcept : items_{x, y, z} {}

  /** The same range with this work-group, instead of the one that rtKernelSuggestGroupSize gives. */
  constexpr Range inGroupsOf(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) const noexcept {
    Range range(*this);
    range.group_ = {x, y, z};
    return range;
  }
  /** Exactly `grid` work-groups of `group` work-items each. */
  static constexpr Range ofGroups(Size3 grid, Size3 group) noexcept {
    Range range(grid[0], grid[1], grid[2]);
    range.group_ = group;
    range.exact_ = true;
    return range;
  }

  /** The same range with ids that begin at this offset: what get_global_id() of the first work-item returns. */
  constexpr Range from(std::uint64_t x, std::uint64_t y = 0, std::uint64_t z = 0) const noexcept {
    Range range(*this);
    range.offset_ = {x, y, z};
    return range;
  }
  constexpr const std::array<std::uint64_t, 3>& offset() const noexcept { return offset_; }
  constexpr bool hasOffset() const noexcept { return (offset_[0] | offset_[1] | offset_[2]) != 0; }

  /** The work-groups and their size for a kernel with this much local memory. */
  Result<std::pair<Size3, Size3>> resolve(rtKernel_t kernel, std::uint32_t localBytes) const {
    if (exact_) return std::pair(items_, group_);
    if (items_[0] == 0 || items_[1] == 0 || items_[2] == 0) return std::pair(Size3{0, 0, 0}, Size3{1, 1, 1});
    Size3 group = group_;
    if (group == Size3{0, 0, 0}) {
      const rtStatus_t status = rtKernelSuggestGroupSize(group.data(), items_.data(), localBytes, kernel);
      if (status < 0) return detail::failureOf(status);
    }
    Size3 grid{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (group[i] == 0) return Failure{RT_ERROR_INVALID_VALUE, "A Range in work-groups with a size of 0."};
      grid[i] = items_[i] / group[i] + (items_[i] % group[i] != 0 ? 1 : 0);
    }
    return std::pair(grid, group);
  }

 private:
  Size3 items_;
  Size3 group_{0, 0, 0};
  std::array<std::uint64_t, 3> offset_{0, 0, 0};
  bool exact_ = false;
};

template <class... Parameters>
class KernelFunction;

class KernelRef : public Borrowed<rtKernel_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, std::string> name(E = {}) const {
    return detail::fetchText<E>(rtKernelGetName, true, get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtKernelInfo_t> info(E = {}) const {
    return detail::fetchStruct<E>(rtKernelInfo_t RT_KERNEL_INFO_INIT, rtKernelGetInfo, get());
  }
  /** One argument; no name for PTX and cubin. */
  template <class E = DefaultMode>
  Outcome<E, rtKernelArgInfo_t> argInfo(std::uint32_t index, E = {}) const {
    return detail::fetchStruct<E>(rtKernelArgInfo_t RT_KERNEL_ARG_INFO_INIT, rtKernelGetArgInfo, index, get());
  }
  /** A good work-group for this number of work-items. */
  template <class E = DefaultMode>
  Outcome<E, Size3> suggestGroupSize(Size3 items, std::uint32_t localBytes = 0, E = {}) const {
    Size3 group{};
    const rtStatus_t status = rtKernelSuggestGroupSize(group.data(), items.data(), localBytes, get());
    return detail::give<E, Size3>(status, group);
  }
  /** Work-groups of this size that the device runs at the same time. */
  template <class E = DefaultMode>
  Outcome<E, std::uint32_t> maxActiveGroups(std::uint32_t groupItems, std::uint32_t localBytes = 0, E = {}) const {
    return detail::fetch<E, std::uint32_t>(rtKernelGetMaxActiveGroups, groupItems, localBytes, get());
  }
  /** The C form of a launch: pointers to the values, which are copied. */
  template <class E = DefaultMode>
  Outcome<E, void> launch(const StreamRef& stream, const Range& range, Span<void* const> arguments,
                          std::uint32_t localBytes = 0, E = {}) const {
    if (range.hasOffset()) return launch(stream, range, arguments, rtLaunchOptions_t RT_LAUNCH_OPTIONS_INIT, localBytes, E{});
    const auto size = range.resolve(get(), localBytes);
    if (!size) return detail::refuse<E, void>(size.failure());
    const auto& [grid, group] = *size;
    return detail::done<E>(rtLaunchKernel(get(), grid[0], grid[1], grid[2], group[0], group[1], group[2], localBytes,
                                          stream.get(), arguments.data(), static_cast<std::uint32_t>(arguments.size())));
  }
  /** The same with options: a cooperative launch, sizes of the arguments. The offset of the range, where it has one, stands
   *  above that of the options. */
  template <class E = DefaultMode>
  Outcome<E, void> launch(const StreamRef& stream, const Range& range, Span<void* const> arguments,
                          const rtLaunchOptions_t& options, std::uint32_t localBytes = 0, E = {}) const {
    const auto size = range.resolve(get(), localBytes);
    if (!size) return detail::refuse<E, void>(size.failure());
    rtLaunchOptions_t chosen = options;
    if (range.hasOffset()) {
      chosen.struct_size = sizeof chosen;
      for (std::size_t i = 0; i < 3; ++i) chosen.global_offset[i] = range.offset()[i];
    }
    return detail::done<E>(rtLaunchKernelWithOptions(get(), size->first.data(), size->second.data(), localBytes, &chosen,
                                                     arguments.data(), static_cast<std::uint32_t>(arguments.size()),
                                                     stream.get()));
  }
  /** The kernel as a function of these parameters: INVALID_VALUE names the first one that the kernel has otherwise. */
  template <class... Parameters, class E = DefaultMode>
  Outcome<E, KernelFunction<Parameters...>> typed(E = {}) const {
    return detail::finish<E>(KernelFunction<Parameters...>::make(*this));
  }
};

/** Owns a kernel that is a function of the host. Kernels of a module end with it. */
class Kernel : public Owner<KernelRef, rtKernelDestroy> {
 public:
  using Owner::Owner;

  /** host.function stays loaded until the last launch is complete, and throws nothing. */
  template <class E = DefaultMode>
  static Outcome<E, Kernel> fromHost(const rtHostKernel_t& host, const ContextRef& context = {}, E = {}) {
    return detail::fetch<E, Kernel>(rtKernelCreateFromHost, &host, context.get());
  }
};

struct ModuleOptions : rtModuleOptions_t {
  ModuleOptions() noexcept : rtModuleOptions_t RT_MODULE_OPTIONS_INIT {}
};

class Module : public Owner<Borrowed<rtModule_t>, rtModuleDestroy> {
 public:
  using Owner::Owner;

  /** Builds OpenCL C 1.2. Blocks while a compiler runs; BUILD_FAILED carries its log. options: as clBuildProgram takes them. */
  template <class E = DefaultMode>
  static Outcome<E, Module> fromSource(const std::string& source, const ContextRef& context = {},
                                       const std::string& options = {}, E = {}) {
    return detail::fetch<E, Module>(rtModuleCreateFromSource, source.c_str(), options.c_str(), context.get());
  }
  /** Builds one module from several sources of OpenCL C, each with macros of its own. */
  template <class E = DefaultMode>
  static Outcome<E, Module> fromSources(const std::vector<std::string>& sources, const ContextRef& context = {},
                                        const std::string& options = {}, E = {}) {
    std::vector<const char*> texts;
    for (const std::string& source : sources) texts.push_back(source.c_str());
    return detail::fetch<E, Module>(rtModuleCreateFromSources, static_cast<const char* const*>(texts.data()),
                                    static_cast<std::uint32_t>(texts.size()), options.c_str(), context.get());
  }
  /** Builds many modules side by side, each from a source of its own: a module or a failure for each, in their order. The
   *  first failure has the compiler's log. options: none, or those of each source. */
  static std::vector<Result<Module>> buildMany(const std::vector<std::string>& sources, const ContextRef& context = {},
                                               const std::vector<ModuleOptions>& options = {}) {
    std::vector<const char*> texts;
    std::vector<const rtModuleOptions_t*> given;
    std::vector<rtModule_t> handles(sources.size());
    std::vector<rtStatus_t> statuses(sources.size());
    std::vector<Result<Module>> modules;
    for (const std::string& source : sources) texts.push_back(source.c_str());
    for (const ModuleOptions& each : options) given.push_back(&each);
    if (!given.empty()) given.resize(sources.size());
    modules.reserve(sources.size());
    if (sources.empty()) return modules;
    const rtStatus_t status =
        rtModuleBuildMany(handles.data(), statuses.data(), texts.data(), static_cast<std::uint32_t>(texts.size()),
                          given.empty() ? nullptr : given.data(), context.get());
    bool told = false;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (statuses[i] >= 0) {
        modules.push_back(Module(handles[i]));
      } else {
        modules.push_back(told ? Failure{statuses[i], rtGetErrorString(statuses[i])} : detail::failureOf(status));
        told = true;
      }
    }
    return modules;
  }
  /** Loads source, PTX, cubin, SPIR-V or a host object from memory: a string, a container or span of bytes or words. */
  template <class M, class E = DefaultMode>
  static Outcome<E, Module> fromData(const M& image, const ContextRef& context = {}, const ModuleOptions& options = {},
                                     E = {}) {
    const auto bytes = detail::viewOf(image);
    return detail::fetch<E, Module>(rtModuleLoadData, static_cast<const void*>(bytes.data()), bytes.bytes(), &options,
                                    context.get());
  }
  template <class E = DefaultMode>
  static Outcome<E, Module> fromFile(const std::string& path, const ContextRef& context = {}, const ModuleOptions& options = {},
                                     E = {}) {
    return detail::fetch<E, Module>(rtModuleLoadFile, path.c_str(), &options, context.get());
  }

  /** The compiler's log, warnings included. */
  template <class E = DefaultMode>
  Outcome<E, std::string> buildLog(E = {}) const {
    return detail::fetchText<E>(rtModuleGetBuildLog, true, get());
  }
  /** The code and the source as an image, which fromData and fromFile take on any machine: rtModuleGetImage. */
  template <class E = DefaultMode>
  Outcome<E, std::string> image(bool withSource = true, E = {}) const {
    rtImageOptions_t options RT_IMAGE_OPTIONS_INIT;
    if (!withSource) options.flags = RT_IMAGE_WITHOUT_SOURCE;
    return detail::fetchText<E>(rtModuleGetImage, false, static_cast<const rtImageOptions_t*>(&options), get());
  }
  /** Which code launches run, where it came from and how long that took. */
  template <class E = DefaultMode>
  Outcome<E, rtModuleInfo_t> info(E = {}) const {
    return detail::fetchStruct<E>(rtModuleInfo_t RT_MODULE_INFO_INIT, rtModuleGetInfo, get());
  }
  /** Blocks until launches run the code that stays, which the CPU has some time after the first one: false if the time passed
   *  first. */
  template <class E = DefaultMode>
  Outcome<E, bool> waitOptimized(Timeout timeout = waitForever, E = {}) const {
    return detail::reached<E>(rtModuleWait(get(), RT_MODULE_OPTIMIZED, detail::nanoseconds(timeout)), RT_ERROR_TIMEOUT);
  }
  /** A kernel with these parameters: module.kernel<float*, const float*, float, std::uint32_t>("saxpy"). It ends with the
   *  module. INVALID_VALUE names the first parameter that the kernel has otherwise. */
  template <class... Parameters, class E = DefaultMode>
  Outcome<E, KernelFunction<Parameters...>> kernel(const std::string& name, E = {}) const {
    const Result<KernelRef> found = kernelRef(name, noThrow);
    if (!found) return detail::refuse<E, KernelFunction<Parameters...>>(found.failure());
    return found->typed<Parameters...>(E{});
  }
  template <class E = DefaultMode>
  Outcome<E, KernelRef> kernelRef(const std::string& name, E = {}) const {
    return detail::fetch<E, KernelRef>(rtModuleGetKernel, name.c_str(), get());
  }
  template <class E = DefaultMode>
  Outcome<E, std::uint32_t> kernelCount(E = {}) const {
    return detail::fetch<E, std::uint32_t>(rtModuleGetKernelCount, get());
  }
  template <class E = DefaultMode>
  Outcome<E, KernelRef> kernelAt(std::uint32_t index, E = {}) const {
    return detail::fetch<E, KernelRef>(rtModuleGetKernelByIndex, index, get());
  }
  /** A variable of program scope; borrowed until the module ends. */
  template <class E = DefaultMode>
  Outcome<E, DeviceSpan<std::byte>> global(const std::string& name, E = {}) const {
    void* pointer = nullptr;
    std::uint64_t size = 0;
    const rtStatus_t status = rtModuleGetGlobal(&pointer, &size, name.c_str(), get());
    return detail::give<E, DeviceSpan<std::byte>>(status, DeviceSpan(static_cast<std::byte*>(pointer), size));
  }
  /** The driver's module; borrowed. */
  template <class E = DefaultMode>
  Outcome<E, Native> native(E = {}) const {
    return detail::fetchNative<E>(rtModuleGetNative, get());
  }
};

namespace detail {

template <class T>
struct IsLocal : std::false_type {};
template <class T>
struct IsLocal<Local<T>> : std::true_type {
  using Element = T;
};

/** The name that a kernel gives to a C++ type; nullptr for structs, vectors and void, of which the size alone is compared. */
template <class T>
constexpr const char* typeName() {
  if constexpr (std::is_same_v<T, char>) {
    return "char";  // whose sign differs between architectures on the host
  } else if constexpr (std::is_integral_v<T>) {
    constexpr const char* names[2][4] = {{"uchar", "ushort", "uint", "ulong"}, {"char", "short", "int", "long"}};
    constexpr std::size_t index = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return names[std::is_signed_v<T>][index];
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else {
    return nullptr;
  }
}

/** A parameter as it is compared with rtKernelGetArgInfo. */
struct Parameter {
  std::int32_t kind;
  std::uint32_t size;
  const char* type;  // of the value, or of what is pointed to; nullptr: not compared

  std::string text() const {
    std::string name = type != nullptr ? type : kind == RT_ARG_VALUE ? "a value" : "void";
    if (kind == RT_ARG_LOCAL) name = "__local " + name;
    if (kind != RT_ARG_VALUE) name += "*";
    return name + " of " + std::to_string(size) + " bytes";
  }
};

template <class P>
constexpr Parameter describe() {
  static_assert(!std::is_reference_v<P> && !std::is_same_v<P, bool> && std::is_trivially_copyable_v<P>,
                "a parameter of a kernel is a pointer, a number, a struct without constructors or rt::Local");
  if constexpr (IsLocal<P>::value) {
    return {RT_ARG_LOCAL, 8, typeName<typename IsLocal<P>::Element>()};
  } else if constexpr (std::is_pointer_v<P>) {
    return {RT_ARG_POINTER, 8, typeName<std::remove_cv_t<std::remove_pointer_t<P>>>()};
  } else {
    return {RT_ARG_VALUE, sizeof(P), typeName<P>()};
  }
}

/** Says whether an argument of type A is exactly what a parameter P takes: no number changes its width, sign or kind. */
template <class P, class A>
constexpr bool takes() {
  if constexpr (std::is_pointer_v<P>) {
    if constexpr (std::is_null_pointer_v<A>) {
      return true;
    } else if constexpr (std::is_pointer_v<A>) {
      return std::is_convertible_v<A, P>;
    } else if constexpr (HasSpan<A>::value || IsSpan<A>::value) {
      return std::is_convertible_v<decltype(std::declval<const A&>().data()), P>;
    } else {
      return false;
    }
  } else if constexpr (std::is_integral_v<P> && std::is_integral_v<A>) {
    return sizeof(P) == sizeof(A) && std::is_signed_v<P> == std::is_signed_v<A> && !std::is_same_v<A, bool>;
  } else {
    return std::is_same_v<P, A>;
  }
}

/** The value that a launch passes for a parameter: an address, the bytes of local memory, or the value. */
template <class P, class A>
auto valueOf(const A& argument) {
  if constexpr (IsLocal<P>::value) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max(), size = sizeof(typename IsLocal<P>::Element);
    return argument.count > most / size ? most : argument.count * size;  // too much stays too much
  } else if constexpr (std::is_pointer_v<P> && !std::is_pointer_v<A> && !std::is_null_pointer_v<A>) {
    return static_cast<P>(argument.data());
  } else {
    return static_cast<P>(argument);
  }
}

/** The index of the first argument that is a closed Buffer, which would be a null address; the number of arguments if none. */
template <class... Arguments>
std::size_t firstClosed(const Arguments&... arguments) noexcept {
  std::size_t index = 0;
  (void)((!isClosed(arguments) && (++index, true)) && ...);
  return index;
}
inline Failure closedArgument(std::size_t index) {
  return closedBuffer("Argument " + std::to_string(index) + " of the kernel");
}

}  // namespace detail

/** A kernel as a function: saxpy(stream, rt::Range(n), y, x, 2.0f, n). A pointer parameter takes a Buffer, a DeviceSpan, an
 *  address or nullptr; every other one takes its own type alone, so that 2.0 for a float does not compile. */
template <class... Parameters>
class KernelFunction {
 public:
  const KernelRef& kernel() const noexcept { return kernel_; }

  /** Launches in the stream's order; values are copied before it returns. */
  template <class... Arguments>
  Outcome<DefaultMode, void> operator()(const StreamRef& stream, const Range& range, const Arguments&... arguments) const {
    return launch<DefaultMode>(stream, range, arguments...);
  }
  /** The same, with a Result. */
  template <class... Arguments>
  Result<void> operator()(NoThrow, const StreamRef& stream, const Range& range, const Arguments&... arguments) const {
    return launch<NoThrow>(stream, range, arguments...);
  }

  /** Compares the parameters with the kernel's. */
  static Result<KernelFunction> make(const KernelRef& kernel) {
    const Result<rtKernelInfo_t> info = kernel.info(noThrow);
    if (!info) {
      // An image may carry nothing about its kernels: the sizes then go with each launch.
      if (info.status() == RT_ERROR_NOT_SUPPORTED) return KernelFunction(kernel, false);
      return info.failure();
    }
    const std::string name = "The kernel \"" + std::string(info->name) + "\"";
    if (info->arg_count != sizeof...(Parameters)) {
      return Failure{RT_ERROR_INVALID_VALUE, name + " has " + std::to_string(info->arg_count) +
                                                 (info->arg_count == 1 ? " argument" : " arguments") +
                                                 ", and the program declares " + std::to_string(sizeof...(Parameters)) + "."};
    }
    const std::array<detail::Parameter, sizeof...(Parameters)> declared{detail::describe<Parameters>()...};
    for (std::uint32_t i = 0; i < declared.size(); ++i) {
      const Result<rtKernelArgInfo_t> found = kernel.argInfo(i, noThrow);
      if (!found) return found.failure();
      std::string type = found->type_name;
      const bool pointer = !type.empty() && type.back() == '*';
      if (pointer) type.pop_back();
      const bool sameType = declared[i].type == nullptr || type.empty() || type == declared[i].type;
      if (found->kind == declared[i].kind && found->size == declared[i].size && sameType) continue;
      const std::string argument = found->name[0] != '\0' ? " \"" + std::string(found->name) + "\"" : std::string();
      const detail::Parameter actual{found->kind, found->size, type.empty() ? nullptr : type.c_str()};
      return Failure{RT_ERROR_INVALID_VALUE, name + ": argument " + std::to_string(i) + argument + " is " + actual.text() +
                                                 ", and the program declares " + declared[i].text() + "."};
    }
    return KernelFunction(kernel, true);
  }

 private:
  KernelFunction(const KernelRef& kernel, bool checked) noexcept : kernel_(kernel), checked_(checked) {}

  template <class E, class... Arguments>
  Outcome<E, void> launch(const StreamRef& stream, const Range& range, const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "the kernel has another number of arguments");
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      static_assert((detail::takes<Parameters, Arguments>() && ...),
                    "an argument has not exactly the type of the kernel's parameter: write 2.0f for float, 2u for uint32_t");
      if constexpr ((detail::takes<Parameters, Arguments>() && ...)) {
        const std::size_t closed = detail::firstClosed(arguments...);
        if (closed < sizeof...(Arguments)) return detail::refuse<E, void>(detail::closedArgument(closed));
        return launchValues<E>(stream, range, detail::valueOf<Parameters>(arguments)...);
      }
    }
  }

  template <class E, class... Values>
  Outcome<E, void> launchValues(const StreamRef& stream, const Range& range, Values... values) const {
    // One more element than there are values, since an array has at least one.
    void* const pointers[] = {static_cast<void*>(&values)..., nullptr};
    const Span<void* const> arguments(pointers, sizeof...(Values));
    if (checked_) return kernel_.launch(stream, range, arguments, 0, E{});
    const std::uint32_t sizes[] = {detail::describe<Parameters>().size..., 0};
    rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
    options.arg_sizes = sizes;
    options.arg_size_count = sizeof...(Values);
    return kernel_.launch(stream, range, arguments, options, 0, E{});
  }

  KernelRef kernel_;
  bool checked_;
};

}  // namespace rt

#endif  // MANYRT_RT_KERNEL_HPP_
