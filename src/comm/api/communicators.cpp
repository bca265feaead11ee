// The life of communicators, questions about them, groups, and the last sentence.
#include <algorithm>

#include "base/structs.h"
#include "comm/bootstrap/create.h"
#include "comm/checks.h"
#include "comm/engine.h"
#include "comm/group.h"
#include "comm/guard.h"
#include "comm/handles.h"
#include "comm/info.h"
#include "comm/mpi/rank.h"
#include "comm/rendezvous.h"
#include "comm/unique_id.h"

using namespace manyrt;
using namespace manyrt::comm;

namespace {

constexpr uint32_t kMostContexts = kMostRanks;

Status createAll(rtComm_t* comms, const rtCommOptions_t* options, const rtContext_t* contexts, uint32_t count) {
  RT_CHECK_ARG(count >= 1 && count <= kMostContexts, "The count is %u; 1 to %u contexts make a communicator.", count,
               kMostContexts);
  RT_CHECK_ARG(contexts != nullptr, "The array \"contexts\" is NULL; count is %u.", count);
  Settings settings;
  RT_TRY(checkOptions(&settings, options));
  RT_TRY(start());
  // Places are checked for all ranks before the first is made.
  std::vector<Place> places(count);
  for (uint32_t rank = 0; rank < count; ++rank) RT_TRY(checkPlace(&places[rank], contexts[rank]));
  std::vector<std::shared_ptr<Communicator>> members;
  RT_TRY(createHere(&members, std::move(places), settings));
  // One line for all, since all ranks are alike here.
  tellMade(*members.front());
  uint32_t published = 0;
  try {
    for (; published < count; ++published) comms[published] = publish(members[published]);
  } catch (...) {  // the handles that were made are undone, and the guard tells
    std::shared_ptr<Communicator> retired;
    while (published != 0) (void)retire(&retired, comms[--published]);
    throw;
  }
  return Status();
}

Status create(rtComm_t* comm, const rtCommOptions_t* options, const rtCommUniqueId_t* id, int32_t rank, int32_t size,
              rtContext_t context) {
  RT_CHECK_OUTPUT(comm);
  RT_CHECK_ARG(id != nullptr, "\"id\" is NULL; rtCommGetUniqueId makes one.");
  Settings settings;
  Place place;
  RT_TRY(checkOptions(&settings, options));
  // After the checks of options: a refused call does not start the library (rt_comm.h, Fork).
  RT_TRY(start());
  RT_TRY(checkPlace(&place, context));
  RT_TRY(checkSeat(rank, size));
  // Shared by the two halves, which a group runs at different times.
  const auto seat = std::make_shared<std::shared_ptr<Seat>>();
  return createOrCollect({comm, [=, id = *id] { return come(seat.get(), id, rank, size, place, settings); },
                          [=](std::shared_ptr<Communicator>* made) { return (*seat)->take(made); }});
}

Status split(rtComm_t* comm, int32_t color, int32_t key, rtComm_t of) {
  RT_CHECK_OUTPUT(comm);
  RT_CHECK_ARG(color >= RT_COMM_NO_COLOR, "The color is %d; it is 0 or above, or RT_COMM_NO_COLOR.", color);
  std::shared_ptr<Communicator> parent;
  // `parent` is held by both halves: it may be destroyed between them.
  RT_TRY(find(&parent, of));
  // Written by the first half, and read by the second.
  const auto ticket = std::make_shared<uint64_t>(0);
  return createOrCollect({comm, [=] { return parent->announceSplit(color, key, ticket.get()); },
                          [=](std::shared_ptr<Communicator>* made) { return parent->takeSplit(*ticket, made); }});
}

// A failure of a call that may stand in a group is that of the group.
template <class Body>
Status orSpoilGroup(Body body) {
  const Status status = withoutThrowing(body);
  if (!status.ok()) spoilGroup(status);
  return status;
}

// Answers a question about the communicator of a handle.
template <class Answer>
Status ask(rtComm_t comm, Answer answer) {
  std::shared_ptr<Communicator> communicator;
  RT_TRY(find(&communicator, comm));
  return answer(*communicator);
}

}  // namespace

extern "C" {

rtStatus_t rtCommGetLastErrorMessage(char* buffer, size_t size, size_t* needed) {
  return guardedAnywhere(__func__, [&] { return copyText(buffer, size, needed, lastErrorMessage()); });
}

rtStatus_t rtCommCreateAll(rtComm_t* comms, const rtCommOptions_t* options, const rtContext_t* contexts, uint32_t count) {
  if (comms != nullptr && count <= kMostContexts) std::fill_n(comms, count, nullptr);
  const rtStatus_t code = guarded(__func__, [&] {
    RT_CHECK_OUTPUT(comms);
    return createAll(comms, options, contexts, count);
  });
  // After a failure no handle is left, whichever step failed. An array of a wrong count is not touched.
  if (code != RT_SUCCESS && comms != nullptr && count <= kMostContexts) std::fill_n(comms, count, nullptr);
  return code;
}

rtStatus_t rtCommCreateFromMpi(rtComm_t* comm, const rtCommOptions_t* options, const void* mpi_comm, rtContext_t context) {
  // Outputs are set before any check, so that a program which overlooks a failure has NULL, and no old handle.
  if (comm != nullptr) *comm = nullptr;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(comm);
    RT_CHECK_ARG(mpi_comm != nullptr, "\"mpi_comm\" is NULL; it points to an MPI_Comm.");
    Settings settings;
    Place place;
    RT_TRY(checkOptions(&settings, options));
    RT_TRY(start());
    RT_TRY(checkPlace(&place, context));
    std::shared_ptr<Communicator> made;
    RT_TRY(mpi::create(&made, place, settings, mpi_comm));
    tellMade(*made);
    *comm = publish(std::move(made));
    return Status();
  });
}

rtStatus_t rtCommCreateFromEnvironment(rtComm_t* comm, const rtCommOptions_t* options, rtContext_t context) {
  if (comm != nullptr) *comm = nullptr;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(comm);
    Settings settings;
    Place place;
    RT_TRY(checkOptions(&settings, options));
    RT_TRY(start());
    RT_TRY(checkPlace(&place, context));
    std::shared_ptr<Communicator> made;
    RT_TRY(bootstrap::create(&made, place, settings));
    tellMade(*made);
    *comm = publish(std::move(made));
    return Status();
  });
}

rtStatus_t rtCommGetUniqueId(rtCommUniqueId_t* id) {
  if (id != nullptr) *id = {};
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(id);
    RT_TRY(start());  // before the process draws its part of ids: no child has the same
    return makeUniqueId(id);
  });
}

rtStatus_t rtCommCreate(rtComm_t* comm, const rtCommOptions_t* options, const rtCommUniqueId_t* id, int32_t rank, int32_t size,
                        rtContext_t context) {
  if (comm != nullptr) *comm = nullptr;
  return guarded(__func__, [&] { return orSpoilGroup([&] { return create(comm, options, id, rank, size, context); }); });
}

rtStatus_t rtCommSplit(rtComm_t* comm, int32_t color, int32_t key, rtComm_t parent) {
  if (comm != nullptr) *comm = nullptr;
  return guarded(__func__, [&] { return orSpoilGroup([&] { return split(comm, color, key, parent); }); });
}

rtStatus_t rtCommDestroy(rtComm_t comm) {
  // Destructors of a program run in a forked child too.
  if (comm == nullptr || forked()) return RT_SUCCESS;
  return guarded(__func__, [&] {
    std::shared_ptr<Communicator> communicator;
    RT_TRY(retire(&communicator, comm));
    // The handle is gone by now: no new call finds the rank. Operations that were submitted still hold it.
    communicator->retire();
    return Status();
  });
}

rtStatus_t rtCommAbort(rtComm_t comm) {
  return guarded(__func__, [&] {
    return ask(comm, [](Communicator& of) {
      const std::string name = of.settings().label.empty() ? "" : " of \"" + of.settings().label + "\"";
      // Told as a failure, so that waits of all ranks end, here and elsewhere.
      of.fail(Status::error(RT_ERROR_LAUNCH_FAILED, "Rank %d%s called rtCommAbort.", of.rank(), name.c_str()));
      return Status();
    });
  });
}

rtStatus_t rtCommGetStatus(rtStatus_t* status, int32_t* rank, rtComm_t comm) {
  if (status != nullptr) *status = RT_SUCCESS;
  if (rank != nullptr) *rank = -1;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(status);
    return ask(comm, [&](Communicator& of) {
      // NCCL reports failures only when it is asked.
      of.hear();
      *status = of.monitor().failure(rank).code();
      return Status();
    });
  });
}

rtStatus_t rtCommGetStatusMessage(char* buffer, size_t size, size_t* needed, rtComm_t comm) {
  return guarded(__func__, [&] {
    return ask(comm, [&](Communicator& of) {
      of.hear();
      return copyText(buffer, size, needed, of.monitor().failure().message());
    });
  });
}

rtStatus_t rtCommGetRank(int32_t* rank, rtComm_t comm) {
  if (rank != nullptr) *rank = 0;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(rank);
    return ask(comm, [&](Communicator& of) { return *rank = of.rank(), Status(); });
  });
}

rtStatus_t rtCommGetSize(int32_t* size, rtComm_t comm) {
  if (size != nullptr) *size = 0;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(size);
    return ask(comm, [&](Communicator& of) { return *size = of.size(), Status(); });
  });
}

rtStatus_t rtCommGetContext(rtContext_t* context, rtComm_t comm) {
  if (context != nullptr) *context = nullptr;
  return guarded(__func__, [&]() -> Status {
    RT_CHECK_OUTPUT(context);
    return ask(comm, [&](Communicator& of) { return *context = of.place().context, Status(); });
  });
}

rtStatus_t rtCommGetInfo(rtCommInfo_t* info, rtComm_t comm) {
  return guarded(__func__, [&]() -> Status {
    RT_TRY(checkResult(info, "info"));
    return ask(comm, [&](const Communicator& of) { return writeResult(info, infoOf(of)), Status(); });
  });
}

rtStatus_t rtCommGroupBegin(void) {
  return guarded(__func__, [] { return beginGroup(), Status(); });
}

rtStatus_t rtCommGroupEnd(void) {
  return guarded(__func__, [] { return endGroup(); });
}

}  // extern "C"
