// Reads the environment, meets the other ranks and creates the communicator, in this order. This file is what knows of both the
// network and the engines: meet.h takes it from here that an id cannot be used.
#include "comm/bootstrap/create.h"

#include <cstring>
#include <utility>

#include "comm/bootstrap/launch.h"
#include "comm/bootstrap/meet.h"
#include "comm/core_call.h"
#include "comm/rendezvous.h"

namespace manyrt::comm::bootstrap {
namespace {

// Drivers give a GPU a number that no other has, by which two ranks on one are found before NCCL fails on them.
Status describe(Party* party, const Place& place, const Settings& settings) {
  RT_TRY_CORE(rtGetVersion(&party->version));
  party->backend = place.backend;
  party->label = settings.label;
  party->timeout_ns = settings.timeout_ns;
  if (place.backend != RT_BACKEND_CUDA) return Status();
  rtDeviceProperties_t info = RT_DEVICE_PROPERTIES_INIT;
  RT_TRY_CORE(rtDeviceGetProperties(&info, place.device));
  // Zeros where the driver has no number: then two ranks on one device are not found here.
  memcpy(party->device, info.uuid, sizeof party->device);
  return Status();
}

// NCCL's ranks have a hub at the address of the launch, as they may be on several hosts.
Status makeHub(rtCommUniqueId_t* id, const Launch& launch) {
  Descriptor listening;
  Address address;
  RT_TRY(listenForHub(&listening, &address, launch));
  RT_TRY(setHub(id, address));
  UniqueId own;
  bool made_here = false;
  RT_TRY(readUniqueId(&own, &made_here, *id));
  return beginHub(std::move(listening), hubOf(own, launch.token), launch.size);
}

}  // namespace

Status create(std::shared_ptr<Communicator>* made, const Place& place, const Settings& given) {
  Settings settings = given;
  Party party;
  RT_TRY(readLaunch(&party.launch, fromEnvironment));
  RT_TRY(describe(&party, place, settings));
  settings.token = party.launch.token;
  const int32_t rank = party.launch.rank, size = party.launch.size;
  rtCommUniqueId_t id = {};
  if (rank == 0) {
    UniqueId own;
    bool made_here = false;
    RT_TRY(makeUniqueId(&id));
    RT_TRY(readUniqueId(&own, &made_here, id));
    party.own_devices = own.has_nccl != 0;
    if (party.own_devices && size > 1 && place.backend == RT_BACKEND_CUDA) RT_TRY(makeHub(&id, party.launch));
  }
  if (size > 1) {
    const Admit admit = [&](const rtCommUniqueId_t& with) { return checkAmongProcesses(with, place); };
    RT_TRY(rank == 0 ? meetAsHost(party, id, admit) : meetAsGuest(&id, party, admit));
  }
  std::shared_ptr<Seat> seat;
  // As rtCommCreate, with the id that rank 0 has made.
  RT_TRY(come(&seat, id, rank, size, place, settings, size > 1));
  return seat->take(made);
}

}  // namespace manyrt::comm::bootstrap
