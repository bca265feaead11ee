// SPDX-License-Identifier: Apache-2.0
//
// rt_comm.hpp on the CPU. `comm` calls every function of rt_comm.h on two ranks of this process, and does what is wrong;
// `comm launched` is one of two processes that a launcher started. functions.py compares what the object file refers to with
// rt_comm.json: no function of it is named here. Ends with 0, or 1 after the lines that say what failed.
#include <cstdio>
#include <cstring>
#include <rt_comm.hpp>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::printf("line %d: expected: %s\n", line, what);
  ++failures;
}
#define EXPECT(condition) check((condition), #condition, __LINE__)

/** Runs `action`, which has to throw a Kind whose sentence has `part`. */
template <class Kind, class F>
void expectError(F action, const std::string& part, int line) {
  try {
    action();
    check(false, "an error", line);
  } catch (const Kind& error) {
    if (std::string(error.what()).find(part) == std::string::npos) check(false, error.what(), line);
  } catch (const std::exception& error) {
    check(false, error.what(), line);
  }
}
#define EXPECT_ERROR(Kind, part, action) expectError<rt::Kind>([&] { action; }, part, __LINE__)

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

/** Ranks of one thread, which calls for both within a group. */
struct Pair {
  rt::Context contexts[2] = {rt::Context::create(rt::Device::byName("cpu")), rt::Context::create(rt::Device::byName("cpu"))};
  std::vector<rt::Comm> ranks = rt::Comm::createAll({contexts[0], contexts[1]}, options());

  static rt::CommOptions options() {
    rt::CommOptions options;
    options.setLabel("pair");
    options.setTimeout(std::chrono::seconds(60));
    return options;
  }
  template <class F>
  void each(F call) {
    rt::CommGroup group;
    for (int rank = 0; rank < 2; ++rank) call(rank, ranks[static_cast<std::size_t>(rank)]);
    EXPECT(group.end().empty());
    for (const rt::Comm& rank : ranks) rank.synchronize();
  }
};

void everyOperation(Pair& pair) {
  Ints x[2] = {{1, 2}, {10, 20}};
  Ints y[2] = {{0, 0}, {0, 0}};
  Ints all[2] = {Ints(4), Ints(4)};
  pair.each([&](int r, const rt::Comm& comm) { comm.allReduce(y[r], x[r]); });
  EXPECT(y[0] == (Ints{11, 22}) && y[1] == y[0]);
  pair.each([&](int r, const rt::Comm& comm) { comm.allReduce(y[r], rt::inPlace, RT_COMM_MAXIMUM); });
  EXPECT(y[0] == (Ints{11, 22}) && y[1] == y[0]);
  pair.each([&](int r, const rt::Comm& comm) { comm.reduce(y[r], x[r], RT_COMM_PRODUCT, 1); });
  EXPECT(y[1] == (Ints{10, 40}) && y[0] == (Ints{11, 22}));
  pair.each([&](int r, const rt::Comm& comm) {
    if (r == 0) {
      comm.broadcast(y[r], x[r], 0);
    } else {
      comm.broadcast(y[r], rt::noMemory, 0);
    }
  });
  EXPECT(y[1] == x[0]);
  pair.each([&](int r, const rt::Comm& comm) { comm.allGather(all[r], x[r]); });
  EXPECT(all[0] == (Ints{1, 2, 10, 20}) && all[1] == all[0]);
  pair.each([&](int r, const rt::Comm& comm) { comm.allGather(all[r], rt::inPlace); });
  EXPECT(all[0] == (Ints{1, 2, 10, 20}) && all[1] == all[0]);
  pair.each([&](int r, const rt::Comm& comm) { comm.reduceScatter(y[r], all[r]); });
  EXPECT(y[0] == (Ints{2, 4}) && y[1] == (Ints{20, 40}));
  pair.each([&](int r, const rt::Comm& comm) { comm.reduceScatter(rt::inPlace, all[r]); });
  EXPECT(all[0] == (Ints{2, 4, 10, 20}) && all[1] == (Ints{1, 2, 20, 40}));
  Ints turned[2] = {Ints(4), Ints(4)};
  pair.each([&](int r, const rt::Comm& comm) { comm.allToAll(turned[r], all[r]); });
  EXPECT(turned[0] == (Ints{2, 4, 1, 2}) && turned[1] == (Ints{10, 20, 20, 40}));
  pair.each([&](int r, const rt::Comm& comm) {
    if (r == 1) {
      comm.gather(all[r], x[r], 1);
    } else {
      comm.gather(rt::noMemory, x[r], 1);
    }
  });
  EXPECT(all[1] == (Ints{1, 2, 10, 20}));
  pair.each([&](int r, const rt::Comm& comm) {
    if (r == 1) {
      comm.scatter(rt::inPlace, all[r], 1);
    } else {
      comm.scatter(y[r], rt::noMemory, 1);
    }
  });
  EXPECT(y[0] == (Ints{1, 2}) && all[1] == (Ints{1, 2, 10, 20}));
  pair.each([&](int r, const rt::Comm& comm) {
    comm.send(x[r], 1 - r);
    comm.receive(y[r], 1 - r);
    comm.barrier();
  });
  EXPECT(y[0] == x[1] && y[1] == x[0]);
}

void buffersAndTypes(Pair& pair) {
  std::vector<rt::Buffer<double>> device;
  std::vector<rt::Stream> streams;
  for (int r = 0; r < 2; ++r) {
    device.push_back(rt::Buffer<double>::create(3, pair.contexts[r]));
    streams.push_back(rt::Stream::create(pair.contexts[r]));
    streams.back().copy(device.back(), std::vector<double>(3, r + 0.5));
  }
  for (std::size_t r = 0; r < 2; ++r) {  // a stream for each rank: one thread submits for both without a group
    pair.ranks[r].allReduce(device[r], rt::inPlace, RT_COMM_AVERAGE, streams[r]);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    pair.ranks[r].synchronize(streams[r]);
    std::vector<double> got(3);
    rt::copy(got, device[r]);
    EXPECT(got == std::vector<double>(3, 1.0));
  }
  rt::BFloat16 one[2] = {{0x3F80}, {0x3F80}};
  pair.each([&](int r, const rt::Comm& comm) { comm.allReduce(rt::Span<rt::BFloat16>(&one[r], 1), rt::inPlace); });
  EXPECT(one[0].bits == 0x4000 && one[1].bits == 0x4000);
  static_assert(rt::CommType<std::uint64_t>::value == RT_COMM_U64 && rt::CommType<std::int16_t>::value == RT_COMM_I16);
  static_assert(rt::CommType<bool>::value == RT_COMM_U8 && rt::CommType<rt::Float16>::value == RT_COMM_F16);
}

void moreCommunicators(Pair& pair) {
  rt::CommGroup parts;
  parts.split(pair.ranks[0], 5, 1);
  parts.split(pair.ranks[1], 5, 0);
  const std::vector<rt::Comm> turned = parts.end();
  EXPECT(turned.size() == 2 && turned[0].rank() == 1 && turned[1].rank() == 0);
  rt::CommGroup none;
  none.split(pair.ranks[0], RT_COMM_NO_COLOR);
  none.split(pair.ranks[1], 0);
  const std::vector<rt::Comm> one = none.end();
  EXPECT(!one[0] && one[1] && one[1].size() == 1);
  EXPECT_ERROR(InvalidHandle, "", one[0].barrier());

  const rtCommUniqueId_t id = rt::Comm::uniqueId();
  rt::CommGroup group;
  for (int r = 0; r < 2; ++r) group.create(id, r, 2, {}, pair.contexts[r]);
  const std::vector<rt::Comm> made = group.end();
  EXPECT(made.size() == 2 && made[1].rank() == 1 && made[1].context() == rt::ContextRef(pair.contexts[1]));
  const rt::Comm alone = rt::Comm::create(rt::Comm::uniqueId(), 0, 1, {}, pair.contexts[0]);
  const rt::Comm again = rt::Comm::split(alone, 0);
  EXPECT(alone.size() == 1 && again.rank() == 0);
  EXPECT_ERROR(InvalidValue, "used", rt::Comm::create(id, 0, 2, {}, pair.contexts[0]));
}

void badInput(Pair& pair) {
  const rt::Comm& comm = pair.ranks[0];
  Ints two(2), three(3), four(4);
  EXPECT_ERROR(InvalidValue, "'receive' has 2 elements and 'send' 3", comm.allReduce(two, three));
  EXPECT_ERROR(InvalidValue, "'receive' has 3 elements, which do not divide by the 2 ranks", comm.allGather(three, two));
  EXPECT_ERROR(InvalidValue, "the operation takes 1 to 2", comm.reduceScatter(four, four));
  EXPECT(comm.allReduce(two, three, RT_COMM_SUM, {}, rt::noThrow).status() == RT_ERROR_INVALID_VALUE);
  EXPECT_ERROR(InvalidValue, "", comm.send(two, 7));
  EXPECT_ERROR(InvalidValue, "", comm.broadcast(two, rt::inPlace, -1));
  const rt::Stream foreign = rt::Stream::create(pair.contexts[1]);
  EXPECT_ERROR(WrongContext, "", comm.allReduce(two, rt::inPlace, RT_COMM_SUM, foreign));
  rt::Buffer<float> closed = rt::Buffer<float>::create(2, pair.contexts[0]);
  closed.close();
  EXPECT_ERROR(InvalidHandle, "closed or moved", comm.allReduce(closed, rt::inPlace));
  EXPECT_ERROR(InvalidHandle, "", rt::Comm().allReduce(two, rt::inPlace));
  EXPECT_ERROR(InvalidHandle, "", rt::Comm().barrier());
  EXPECT_ERROR(InvalidValue, "", rt::Comm::createAll({}));
  EXPECT_ERROR(InvalidValue, "", rt::Comm::fromMpi(nullptr));
  EXPECT_ERROR(InvalidValue, "WORLD_SIZE", rt::Comm::fromEnvironment());

  const rtCommUniqueId_t id = rt::Comm::uniqueId();
  {
    rt::CommGroup group;
    EXPECT_ERROR(InvalidValue, "call it on the group", rt::Comm::create(id, 0, 1));
    EXPECT_ERROR(InvalidValue, "call it on the group", rt::Comm::split(comm, 0));
    rt::CommGroup inner;
    EXPECT_ERROR(InvalidValue, "outermost", inner.create(id, 0, 1));
    inner.end();
    EXPECT_ERROR(InvalidValue, "ended before", inner.end());
    comm.allReduce(two, rt::inPlace);  // submitted by nothing: the group ends without end()
  }
  comm.synchronize();
  EXPECT(!comm.failure());
}

void failed(Pair& pair) {
  Ints x(2);
  const rt::Stream stream = rt::Stream::create(pair.contexts[0]);
  pair.ranks[0].allReduce(x, rt::inPlace, RT_COMM_SUM, stream);
  pair.ranks[1].abort();
  EXPECT_ERROR(LaunchFailed, "CommAbort", pair.ranks[0].synchronize(stream));
  const std::optional<rt::CommFailure> failure = pair.ranks[0].failure();
  EXPECT(failure && failure->status == RT_ERROR_LAUNCH_FAILED && failure->rank == 1 && !failure->message.empty());
}

/** One of two processes. */
void launched() {
  const rt::Context context = rt::Context::create(rt::Device::byName("cpu"));
  const rt::Comm comm = rt::Comm::fromEnvironment(Pair::options(), context);
  const std::int32_t rank = comm.rank();
  const rtCommInfo_t info = comm.info();
  EXPECT(comm.size() == 2 && info.size == 2 && info.rank == rank && info.local_size == 1);
  EXPECT(std::strcmp(info.engine_name, "shared_memory") == 0);
  const rt::Stream stream = rt::Stream::create(context);
  const auto x = rt::Buffer<float>::create(1000, context);
  stream.fill(x, static_cast<float>(rank + 1));
  comm.allReduce(x, rt::inPlace, RT_COMM_SUM, stream);
  Floats got(1000);
  stream.copy(got, x);
  comm.synchronize(stream);
  EXPECT(got == Floats(1000, 3.0f));

  Ints own{rank, rank + 10}, all(4), part(1), other(2);
  comm.allGather(all, own);
  comm.reduceScatter(part, own);
  comm.broadcast(other, own, 1);
  comm.synchronize();
  EXPECT(all == (Ints{0, 10, 1, 11}) && part[0] == (rank == 0 ? 1 : 21) && other == (Ints{1, 11}));
  rt::CommGroup group;
  comm.send(own, 1 - rank);
  comm.receive(other, 1 - rank);
  group.end();
  comm.barrier();
  comm.synchronize();
  EXPECT(other == (Ints{1 - rank, 11 - rank}));
  const rt::Comm turned = rt::Comm::split(comm, 0, -rank);
  EXPECT(turned.rank() == 1 - rank && turned.size() == 2);
  EXPECT_ERROR(InvalidValue, "'receive' has 4 elements and 'send' 2", comm.allReduce(all, own));
  turned.barrier();
  turned.synchronize();  // a rank that ends early is a failure of the other
  std::printf("rank %d of %d: %d failures\n", rank, comm.size(), failures);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::strcmp(argv[1], "launched") == 0) {
      launched();
    } else {
      Pair pair;
      everyOperation(pair);
      buffersAndTypes(pair);
      moreCommunicators(pair);
      badInput(pair);
      failed(pair);
    }
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
