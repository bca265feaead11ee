// Makes a team and a member of it for each place; split.cpp does the same for parts of a team.
#include "comm/in_process/create.h"

#include <utility>

#include "comm/in_process/member.h"

namespace manyrt::comm {

Status createInProcess(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places,
                       const Settings& settings) {
  const auto monitor = std::make_shared<Monitor>();
  const auto team = std::make_shared<Team>(std::move(places), settings, monitor, createInProcess);
  members->resize(static_cast<size_t>(team->size()));
  for (int32_t rank = 0; rank < team->size(); ++rank) {
    // A member that cannot be made undoes those before it: no rank has been published yet.
    RT_TRY(Member::create(&(*members)[rank], team, settings, rank, monitor));
  }
  return Status();
}

}  // namespace manyrt::comm
