// SPDX-License-Identifier: Apache-2.0
//
// rt_comm.hpp - communicators for C++17, header only, over the C interface rt_comm.h. Programs link manyrt-comm too.
//
//   auto ranks = rt::Comm::fromEnvironment({}, context);
//   ranks.allReduce(x, rt::inPlace, RT_COMM_SUM, stream);
//   ranks.synchronize(stream);
//
// A Comm is one rank. Operations take a Buffer, a DeviceSpan, a Span or a container of the rank's memory, and count all its
// elements. They return at once: the memory lives until the stream has passed them. Errors are those of rt.hpp.
#ifndef MANYRT_RT_COMM_HPP_
#define MANYRT_RT_COMM_HPP_

#include <rt_comm.h>

#include <memory>
#include <optional>
#include <rt.hpp>
#include <string>
#include <vector>

namespace rt {

/** Elements of 16 bits, by their bits. */
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

/** The rtCommType of an element; a program specialises it for types of its own: `static constexpr rtCommType value`. bool goes
 *  as U8, and is not reduced. */
template <class T, class = void>
struct CommType;
template <class T>
struct CommType<T, std::enable_if_t<std::is_integral_v<T>>> {
  static constexpr int kPlace = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
  static constexpr rtCommType value = static_cast<rtCommType>(RT_COMM_I8 + kPlace + (std::is_signed_v<T> ? 0 : 1));
};
template <>
struct CommType<float> {
  static constexpr rtCommType value = RT_COMM_F32;
};
template <>
struct CommType<double> {
  static constexpr rtCommType value = RT_COMM_F64;
};
template <>
struct CommType<Float16> {
  static constexpr rtCommType value = RT_COMM_F16;
};
template <>
struct CommType<BFloat16> {
  static constexpr rtCommType value = RT_COMM_BF16;
};

/** In the place of one range of an operation: it is in the other one, as the comments of rt_comm.h say. */
struct InPlace {};
inline constexpr InPlace inPlace{};

/** In the place of a range that this rank does not have, because another is the root. */
struct NoMemory {};
inline constexpr NoMemory noMemory{};

struct CommOptions : rtCommOptions_t {
  CommOptions() noexcept : rtCommOptions_t RT_COMM_OPTIONS_INIT {}
  void setLabel(std::string_view text) noexcept { detail::setLabel(label, text); }
  /** How long a rank waits for the others, above 0. */
  void setTimeout(Timeout timeout) noexcept { timeout_ns = detail::nanoseconds(timeout); }
};

/** The first failure of a communicator, and the rank that it is about: -1 if there is none. */
struct CommFailure : Failure {
  std::int32_t rank = -1;
};

namespace detail {

/** The text of a function of rt_comm.h with (buffer, size, needed, owner...); empty where that fails. */
template <class... P, class... A>
std::string commText(rtStatus_t (*function)(char*, std::size_t, std::size_t*, P...), A... arguments) {
  std::string text;
  std::size_t needed = 0;
  do {
    text.resize(needed);
    if (function(text.data(), text.size(), &needed, arguments...) < 0) return std::string();
  } while (needed > text.size());
  text.resize(needed > 0 ? needed - 1 : 0);
  return text;
}

/** As failureOf, with the sentence of the library of communicators. */
inline Failure commFailureOf(rtStatus_t status) {
  std::string text = commText(rtCommGetLastErrorMessage);
  return Failure{status, text.empty() ? std::string(rtGetErrorString(status)) : std::move(text)};
}

template <class E>
Outcome<E, void> commDone(rtStatus_t status) {
  if (status < 0) return refuse<E, void>(commFailureOf(status));
  return Outcome<E, void>();
}

template <class E, class T, class V>
Outcome<E, T> commGive(rtStatus_t status, V&& value) {
  if (status < 0) return refuse<E, T>(commFailureOf(status));
  return T(std::forward<V>(value));
}

/** The groups of this thread that are open. */
inline int& openCommGroups() noexcept {
  static thread_local int count = 0;
  return count;
}

/** Within a group the library writes a new rank at the group's end, into memory that a CommGroup has. */
inline Result<void> outsideGroup(const char* call) {
  if (openCommGroups() == 0) return {};
  return Failure{RT_ERROR_INVALID_VALUE, std::string(call) + " was called within a CommGroup: call it on the group."};
}

/** A range of an operation: how often its elements are those that the call counts, and what was given. */
template <class X>
struct CommRange {
  static constexpr bool kInPlace = std::is_same_v<std::decay_t<X>, InPlace>;
  static constexpr bool kNone = std::is_same_v<std::decay_t<X>, NoMemory>;
  static constexpr bool kGiven = !kInPlace && !kNone;
  // A temporary of the call would end before the operation. Spans and tags own nothing.
  static_assert(!kGiven || std::is_lvalue_reference_v<X> || IsSpan<std::decay_t<X>>::value,
                "memory of an operation is a temporary, which ends before the operation");
};

template <class X, class = void>
struct CommElement {
  using Type = void;
};
template <class X>
struct CommElement<X, std::enable_if_t<CommRange<X&>::kGiven>> {
  using Type = ElementOf<X>;
};
/** The element of a range, const where it is; void for a tag. */
template <class X>
using CommElementOf = typename CommElement<X>::Type;

/** The arguments of a C function for both ranges, checked as far as sizes tell. */
struct CommMemory {
  void* receive = nullptr;
  const void* send = nullptr;
  std::uint64_t count = 0;
  std::int32_t type = RT_COMM_TYPE_INVALID;
};

inline Failure unequalParts(const char* side, std::size_t size, std::size_t parts) {
  return Failure{RT_ERROR_INVALID_VALUE, std::string("'") + side + "' has " + std::to_string(size) +
                                             " elements, which do not divide by the " + std::to_string(parts) + " ranks."};
}

/** A range of X as address, elements per part; null and 0 for a tag. */
template <class X>
Result<Span<char>> commPart(X& range, const char* side, std::size_t parts) {
  if constexpr (CommRange<X&>::kGiven) {
    if (isClosed(range)) return closedBuffer(std::string("'") + side + "' of an operation");
    const auto view = viewOf(range);
    if (view.size() % parts != 0) return unequalParts(side, view.size(), parts);
    return Span<char>(reinterpret_cast<char*>(const_cast<std::remove_const_t<CommElementOf<X>>*>(view.data())),
                      view.size() / parts);
  } else {
    (void)range;
    (void)side;
    (void)parts;
    return Span<char>();
  }
}

/** parts: how often the elements of a range are those that the call counts. */
template <bool Reduces, class R, class S>
Result<CommMemory> commMemory(R& receive, std::size_t receiveParts, S& send, std::size_t sendParts, std::size_t rank) {
  using To = CommRange<R&>;
  using From = CommRange<S&>;
  using Element = std::conditional_t<To::kGiven, CommElementOf<R>, CommElementOf<S>>;
  using T = std::remove_cv_t<Element>;
  static_assert(To::kGiven || From::kGiven, "an operation has at least one range of memory");
  static_assert(!To::kGiven || !From::kGiven || std::is_same_v<T, std::remove_cv_t<CommElementOf<S>>>,
                "the ranges of an operation have different element types");
  static_assert(!(To::kGiven || To::kInPlace) || !std::is_const_v<Element>, "memory that receives is const");
  static_assert(std::is_trivially_copyable_v<T>, "elements of an operation are trivially copyable");
  static_assert(!Reduces || !std::is_same_v<T, bool>, "bool is not reduced");
  const Result<Span<char>> to = commPart(receive, "receive", receiveParts);
  if (!to) return to.failure();
  const Result<Span<char>> from = commPart(send, "send", sendParts);
  if (!from) return from.failure();
  CommMemory memory{to->data(), from->data(), To::kGiven ? to->size() : from->size(), CommType<T>::value};
  if (To::kGiven && From::kGiven && to->size() != from->size()) {
    return Failure{RT_ERROR_INVALID_VALUE, "'receive' has " + std::to_string(to->size() * receiveParts) +
                                               " elements and 'send' " + std::to_string(from->size() * sendParts) +
                                               ": the operation takes " + std::to_string(receiveParts) + " to " +
                                               std::to_string(sendParts) + "."};
  }
  // In place the smaller range is this rank's part of the larger.
  const std::size_t part = rank * memory.count * sizeof(T);
  if (To::kInPlace) memory.receive = from->data() + (sendParts > receiveParts ? part : 0);
  if (From::kInPlace) memory.send = to->data() + (receiveParts > sendParts ? part : 0);
  return memory;
}

}  // namespace detail

/** One rank of a communicator. Every rank calls the same operations in the same order, with as many elements. */
class CommRef : public Borrowed<rtComm_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, std::int32_t> rank(E = {}) const {
    std::int32_t rank = 0;
    const rtStatus_t status = rtCommGetRank(&rank, get());
    return detail::commGive<E, std::int32_t>(status, rank);
  }
  template <class E = DefaultMode>
  Outcome<E, std::int32_t> size(E = {}) const {
    std::int32_t size = 0;
    const rtStatus_t status = rtCommGetSize(&size, get());
    return detail::commGive<E, std::int32_t>(status, size);
  }
  template <class E = DefaultMode>
  Outcome<E, ContextRef> context(E = {}) const {
    rtContext_t context = nullptr;
    const rtStatus_t status = rtCommGetContext(&context, get());
    return detail::commGive<E, ContextRef>(status, context);
  }
  /** Which engine runs the operations, and how. */
  template <class E = DefaultMode>
  Outcome<E, rtCommInfo_t> info(E = {}) const {
    rtCommInfo_t info = RT_COMM_INFO_INIT;
    const rtStatus_t status = rtCommGetInfo(&info, get());
    return detail::commGive<E, rtCommInfo_t>(status, info);
  }

  /** The communicator's first failure; empty if it has not failed. */
  template <class E = DefaultMode>
  Outcome<E, std::optional<CommFailure>> failure(E = {}) const {
    CommFailure found;
    const rtStatus_t status = rtCommGetStatus(&found.status, &found.rank, get());
    if (status >= 0 && found.status >= 0) return std::optional<CommFailure>();
    if (status >= 0) found.message = detail::commText(rtCommGetStatusMessage, get());
    return detail::commGive<E, std::optional<CommFailure>>(status, std::move(found));
  }
  /** Fails the communicator on all its ranks with LAUNCH_FAILED, from any thread. */
  template <class E = DefaultMode>
  Outcome<E, void> abort(E = {}) const {
    return detail::commDone<E>(rtCommAbort(get()));
  }
  /** As stream.synchronize(); where the communicator has failed, the failure is its own, with its sentence. */
  template <class E = DefaultMode>
  Outcome<E, void> synchronize(const StreamRef& stream = {}, E = {}) const {
    const Result<StreamRef> where = streamOf(stream);
    if (!where) return detail::refuse<E, void>(where.failure());
    const Result<void> waited = where->synchronize(noThrow);
    if (waited) return Outcome<E, void>();
    const Result<std::optional<CommFailure>> own = failure(noThrow);
    return detail::refuse<E, void>(own && own->has_value() ? Failure(**own) : waited.failure());
  }

  /** Reduces the elements of all ranks and gives every rank the result. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> allReduce(R&& receive, S&& send, rtCommReduction reduction = RT_COMM_SUM, const StreamRef& stream = {},
                             E = {}) const {
    return run<E, true, R, S>(receive, false, send, false, [&](const detail::CommMemory& m) {
      return rtCommAllReduce(m.receive, m.send, m.count, m.type, reduction, stream.get(), get());
    });
  }
  /** Reduces the elements of all ranks and gives root the result; other ranks have no `receive`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> reduce(R&& receive, S&& send, rtCommReduction reduction, std::int32_t root, const StreamRef& stream = {},
                          E = {}) const {
    return run<E, true, R, S>(receive, false, send, false, [&](const detail::CommMemory& m) {
      return rtCommReduce(m.receive, m.send, m.count, m.type, reduction, root, stream.get(), get());
    });
  }
  /** Gives every rank the elements of root; other ranks have no `send`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> broadcast(R&& receive, S&& send, std::int32_t root, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, S>(receive, false, send, false, [&](const detail::CommMemory& m) {
      return rtCommBroadcast(m.receive, m.send, m.count, m.type, root, stream.get(), get());
    });
  }
  /** Gives every rank the elements of all, in rank order: `receive` has size() times the elements of `send`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> allGather(R&& receive, S&& send, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, S>(receive, true, send, false, [&](const detail::CommMemory& m) {
      return rtCommAllGather(m.receive, m.send, m.count, m.type, stream.get(), get());
    });
  }
  /** Reduces the elements of all ranks and gives rank i the i-th part: `send` has size() times the elements of `receive`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> reduceScatter(R&& receive, S&& send, rtCommReduction reduction = RT_COMM_SUM, const StreamRef& stream = {},
                                 E = {}) const {
    return run<E, true, R, S>(receive, false, send, true, [&](const detail::CommMemory& m) {
      return rtCommReduceScatter(m.receive, m.send, m.count, m.type, reduction, stream.get(), get());
    });
  }
  /** Gives rank i the i-th part of every rank, in rank order. In place on all ranks or on none. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> allToAll(R&& receive, S&& send, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, S>(receive, true, send, true, [&](const detail::CommMemory& m) {
      return rtCommAllToAll(m.receive, m.send, m.count, m.type, stream.get(), get());
    });
  }
  /** Gives root the elements of all ranks, in rank order; other ranks have no `receive`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> gather(R&& receive, S&& send, std::int32_t root, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, S>(receive, true, send, false, [&](const detail::CommMemory& m) {
      return rtCommGather(m.receive, m.send, m.count, m.type, root, stream.get(), get());
    });
  }
  /** Gives rank i the i-th part of the elements of root; other ranks have no `send`. */
  template <class R, class S, class E = DefaultMode>
  Outcome<E, void> scatter(R&& receive, S&& send, std::int32_t root, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, S>(receive, false, send, true, [&](const detail::CommMemory& m) {
      return rtCommScatter(m.receive, m.send, m.count, m.type, root, stream.get(), get());
    });
  }
  /** Sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups. */
  template <class S, class E = DefaultMode>
  Outcome<E, void> send(S&& send, std::int32_t peer, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, const NoMemory&, S>(noMemory, false, send, false, [&](const detail::CommMemory& m) {
      return rtCommSend(m.send, m.count, m.type, peer, stream.get(), get());
    });
  }
  /** Receives what a rank sends. */
  template <class R, class E = DefaultMode>
  Outcome<E, void> receive(R&& receive, std::int32_t peer, const StreamRef& stream = {}, E = {}) const {
    return run<E, false, R, const NoMemory&>(receive, false, noMemory, false, [&](const detail::CommMemory& m) {
      return rtCommReceive(m.receive, m.count, m.type, peer, stream.get(), get());
    });
  }
  /** Later work of the stream waits until the streams of all ranks have come here. */
  template <class E = DefaultMode>
  Outcome<E, void> barrier(const StreamRef& stream = {}, E = {}) const {
    return detail::commDone<E>(rtCommBarrier(stream.get(), get()));
  }

 private:
  /** A null stream is the default one of the rank's context, which need not be the current one. */
  Result<StreamRef> streamOf(const StreamRef& stream) const {
    if (stream) return stream;
    const Result<ContextRef> where = context(noThrow);
    if (!where) return where.failure();
    return where->defaultStream(noThrow);
  }

  /** receiveParts, sendParts: the range has a part for each rank. */
  template <class E, bool Reduces, class R, class S, class Call>
  Outcome<E, void> run(R& receive, bool receiveParts, S& send, bool sendParts, Call call) const {
    (void)detail::CommRange<R>();  // refuses temporaries
    (void)detail::CommRange<S>();
    std::int32_t rank = 0;
    std::int32_t size = 0;
    rtStatus_t status = rtCommGetRank(&rank, get());
    if (status >= 0) status = rtCommGetSize(&size, get());
    if (status < 0) return detail::refuse<E, void>(detail::commFailureOf(status));
    const auto parts = [size](bool each) { return each ? static_cast<std::size_t>(size) : std::size_t{1}; };
    const Result<detail::CommMemory> memory =
        detail::commMemory<Reduces>(receive, parts(receiveParts), send, parts(sendParts), static_cast<std::size_t>(rank));
    if (!memory) return detail::refuse<E, void>(memory.failure());
    return detail::commDone<E>(call(*memory));
  }
};

/** Owns a rank. Its end does not wait: operations in flight go on, and what other ranks still expect of it fails after them. */
class Comm : public Owner<CommRef, rtCommDestroy> {
 public:
  using Owner::Owner;

  /** A communicator of contexts of this process: rank i works in contexts[i]. */
  template <class E = DefaultMode>
  static Outcome<E, std::vector<Comm>> createAll(const std::vector<ContextRef>& contexts, const CommOptions& options = {},
                                                 E = {}) {
    std::vector<rtContext_t> handles;
    handles.reserve(contexts.size());
    for (const ContextRef& context : contexts) handles.push_back(context.get());
    std::vector<rtComm_t> made(contexts.empty() ? 1 : contexts.size());
    const auto count = static_cast<std::uint32_t>(contexts.size());
    const rtStatus_t status = rtCommCreateAll(made.data(), &options, handles.data(), count);
    if (status < 0) return detail::refuse<E, std::vector<Comm>>(detail::commFailureOf(status));
    std::vector<Comm> ranks;
    ranks.reserve(made.size());
    for (const rtComm_t handle : made) ranks.emplace_back(handle);
    return ranks;
  }
  /** An id for one communicator of create(): one rank makes it and hands it to the others. */
  template <class E = DefaultMode>
  static Outcome<E, rtCommUniqueId_t> uniqueId(E = {}) {
    rtCommUniqueId_t id = {};
    const rtStatus_t status = rtCommGetUniqueId(&id);
    return detail::commGive<E, rtCommUniqueId_t>(status, id);
  }
  /** One rank of a communicator, by an id. Waits for the others, each of which calls it on a thread of its own; a thread that
   *  has several ranks calls CommGroup::create. */
  template <class E = DefaultMode>
  static Outcome<E, Comm> create(const rtCommUniqueId_t& id, std::int32_t rank, std::int32_t size,
                                 const CommOptions& options = {}, const ContextRef& context = {}, E = {}) {
    return made<E>("Comm::create",
                   [&](rtComm_t* comm) { return rtCommCreate(comm, &options, &id, rank, size, context.get()); });
  }
  /** The rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and WORLD_SIZE. */
  template <class E = DefaultMode>
  static Outcome<E, Comm> fromEnvironment(const CommOptions& options = {}, const ContextRef& context = {}, E = {}) {
    return made<E>("Comm::fromEnvironment",
                   [&](rtComm_t* comm) { return rtCommCreateFromEnvironment(comm, &options, context.get()); });
  }
  /** The rank that this process has in a communicator of MPI; mpiComm points to an MPI_Comm. */
  template <class E = DefaultMode>
  static Outcome<E, Comm> fromMpi(const void* mpiComm, const CommOptions& options = {}, const ContextRef& context = {},
                                  E = {}) {
    return made<E>("Comm::fromMpi",
                   [&](rtComm_t* comm) { return rtCommCreateFromMpi(comm, &options, mpiComm, context.get()); });
  }
  /** The rank of a new communicator of all ranks with this color, in the order of key and then of rank. Owns nothing for
   *  RT_COMM_NO_COLOR. Waits for the other ranks; a thread that has several calls CommGroup::split. */
  template <class E = DefaultMode>
  static Outcome<E, Comm> split(const CommRef& parent, std::int32_t color, std::int32_t key = 0, E = {}) {
    return made<E>("Comm::split", [&](rtComm_t* comm) { return rtCommSplit(comm, color, key, parent.get()); });
  }

 private:
  template <class E, class Call>
  static Outcome<E, Comm> made(const char* name, Call call) {
    const Result<void> allowed = detail::outsideGroup(name);
    if (!allowed) return detail::refuse<E, Comm>(allowed.failure());
    rtComm_t comm = nullptr;
    const rtStatus_t status = call(&comm);
    return detail::commGive<E, Comm>(status, comm);
  }
};

/** A group of this thread: the operations until end() are checked at once and submitted by end(), those of one rank and stream
 *  as one. Groups nest; the outermost counts. A group that ends without end(), by an exception, submits nothing. */
class CommGroup {
 public:
  CommGroup() noexcept : status_(rtCommGroupBegin()), open_(status_ >= 0) {
    if (open_) ++detail::openCommGroups();
  }
  CommGroup(const CommGroup&) = delete;
  CommGroup& operator=(const CommGroup&) = delete;
  ~CommGroup() {
    if (!open_) return;
    (void)rtCommBarrier(nullptr, nullptr);  // refused, so that nothing of the group is submitted
    (void)close();
    for (const auto& rank : pending_) (void)rtCommDestroy(*rank);
  }

  /** As Comm::create; the rank is made by end(). Only on the outermost group. */
  template <class E = DefaultMode>
  Outcome<E, void> create(const rtCommUniqueId_t& id, std::int32_t rank, std::int32_t size, const CommOptions& options = {},
                          const ContextRef& context = {}, E = {}) {
    return add<E>([&](rtComm_t* comm) { return rtCommCreate(comm, &options, &id, rank, size, context.get()); });
  }
  /** As Comm::split; the rank is made by end(). Only on the outermost group. */
  template <class E = DefaultMode>
  Outcome<E, void> split(const CommRef& parent, std::int32_t color, std::int32_t key = 0, E = {}) {
    return add<E>([&](rtComm_t* comm) { return rtCommSplit(comm, color, key, parent.get()); });
  }
  /** Submits the operations, and gives the ranks of create() and split() in the order of these calls. After a failure of a call
   *  in the group, nothing is submitted, and that failure is this call's. */
  template <class E = DefaultMode>
  Outcome<E, std::vector<Comm>> end(E = {}) {
    if (!open_) {
      if (status_ < 0) return detail::refuse<E, std::vector<Comm>>(detail::commFailureOf(status_));
      return detail::refuse<E, std::vector<Comm>>(RT_ERROR_INVALID_VALUE, "The group has ended before.");
    }
    const rtStatus_t status = close();
    std::vector<Comm> ranks;
    ranks.reserve(pending_.size());
    for (const auto& rank : pending_) ranks.emplace_back(*rank);  // owned also after a failure of others: destroyed then
    pending_.clear();
    return detail::commGive<E, std::vector<Comm>>(status, std::move(ranks));
  }

 private:
  template <class E, class Call>
  Outcome<E, void> add(Call call) {
    if (!open_ || detail::openCommGroups() != 1) {
      return detail::refuse<E, void>(RT_ERROR_INVALID_VALUE, "Ranks are made on the outermost CommGroup, before its end.");
    }
    pending_.push_back(std::make_unique<rtComm_t>(nullptr));
    return detail::commDone<E>(call(pending_.back().get()));
  }
  rtStatus_t close() noexcept {
    open_ = false;
    --detail::openCommGroups();
    return rtCommGroupEnd();
  }

  rtStatus_t status_;
  bool open_;
  std::vector<std::unique_ptr<rtComm_t>> pending_;  // written by rtCommGroupEnd
};

}  // namespace rt

#endif  // MANYRT_RT_COMM_HPP_
