// The pieces of an exec, of which the driver runs some as graphs of its own. They are made when all buffers are bound. A step
// with other parameters changes its piece in place; if the driver cannot do that, all pieces are made again.
#include <algorithm>
#include <iterator>
#include <new>

#include "graph/exec/exec.h"

namespace manyrt::graph {

// A shorter run between other steps is not faster than single submissions.
constexpr uint32_t kMinRun = 4;

bool Exec::replays(uint32_t step, backend::ReplayStep::Work* work) const {
  backend::ReplayMaker* maker = resources_->native().replays();
  return maker != nullptr && steps_[step].replays(work) && maker->takes(*work);
}

Status Exec::makeReplay(Ref<backend::Replay>* replay, uint32_t first, uint32_t count) const {
  std::vector<backend::ReplayStep> steps(count);
  std::vector<std::vector<uint32_t>> before(count);
  for (uint32_t i = 0; i < count; ++i) {
    (void)steps_[first + i].replays(&steps[i].work);
    for (uint32_t earlier : plan_->steps()[first + i].before) {
      // Earlier steps are in earlier pieces. The stream orders pieces, as each begins at the end of the one before.
      if (earlier >= first) before[i].push_back(earlier - first);
    }
    steps[i].before = before[i];
    steps[i].branch = plan_->steps()[first + i].branch;
  }
  return resources_->native().replays()->make(replay, steps, slots_.list());
}

// Places all steps if they are stale, asks the driver which steps it takes, cuts the steps into pieces, and makes their
// replays. The old pieces stay until all of this has succeeded. A launch of them may be in flight: the next launch comes after
// it (awaitEarlier).
Status Exec::makePieces() {
  if (unfit_ != 0) stale_ = true;  // a later call has to make the steps fit, and then places all of them
  if (unbound_ != 0 || unfit_ != 0 || steps_.empty()) return Status();
  for (uint32_t i = 0; i < steps_.size() && stale_; ++i) RT_TRY(placeStep(i));
  const uint32_t count = static_cast<uint32_t>(steps_.size());
  std::vector<bool> replayable(count);
  backend::ReplayStep::Work work;
  uint32_t taken = 0;
  for (uint32_t i = 0; i < count; ++i) taken += (replayable[i] = replays(i, &work)) ? 1 : 0;
  std::vector<Piece> pieces;
  if (taken == count) {
    pieces.push_back({0, count, nullptr});
  } else if (plan_->branches() <= 1) {
    // With several branches a cut would have to join them all at each piece's end. So such a graph is one replay or none.
    for (uint32_t i = 0; i < count; ++i) {
      if (i == 0 || replayable[i] != replayable[i - 1]) pieces.push_back({i, 0, nullptr});
      ++pieces.back().count;
    }
  }
  for (Piece& piece : pieces) {
    if (!replayable[piece.first] || (piece.count < kMinRun && pieces.size() > 1)) continue;
    // A single piece is a replay at any length, so that a launch is one call.
    RT_TRY(makeReplay(&piece.replay, piece.first, piece.count));
  }
  std::vector<bool> alone(replayable);  // steps that the driver takes and that are in no replay
  for (const Piece& piece : pieces) {
    if (piece.replay) std::fill_n(alone.begin() + piece.first, piece.count, false);
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (alone[i]) RT_TRY(steps_[i].makeAlone(*resources_->native().replays()));
  }
  backend::Replay* whole = pieces.size() == 1 ? pieces.front().replay.get() : nullptr;
  if (whole == nullptr && plan_->branches() > 1) pieces.clear();
  if (pieces.empty()) RT_TRY(takeBranches());
  // All that fails has succeeded. A launch of the old whole has recorded no point, so its replay is kept: only the driver can
  // order work after it.
  if (whole_launched_) earlier_ = std::move(pieces_.front().replay);
  whole_launched_ = false;
  pieces_ = std::move(pieces);
  replayable_ = std::move(replayable);
  whole_ = whole;
  stale_ = false;
  return Status();
}

// Updates the pieces of steps with new parameters. A step that does not fit keeps its old parameters in the replay: the exec is
// not launched meanwhile.
Status Exec::refresh(uint32_t first, uint32_t count) try {
  if (replayable_.empty() || stale_) return makePieces();
  for (uint32_t index = first; index < first + count; ++index) {
    if (!steps_[index].fits()) continue;  // a later call makes it fit, or undoes the change
    backend::ReplayStep::Work work;
    // The cuts between pieces were made by this.
    if (replays(index, &work) != replayable_[index]) return makePieces();  // of all steps
    bool alone = replayable_[index];                                       // the driver takes it, but it is in no replay
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), index,
                                        [](uint32_t step, const Piece& each) { return step < each.first; });
    if (after != pieces_.begin() && std::prev(after)->replay) {  // pieces hold all steps, if there are any
      const Piece& piece = *std::prev(after);
      alone = false;
      bool changed = false;
      RT_TRY(piece.replay->change(&changed, index - piece.first, work));
      if (!changed) return makePieces();
    }
    if (alone) RT_TRY(steps_[index].makeAlone(*resources_->native().replays()));
  }
  return Status();
} catch (const std::bad_alloc&) {  // the caller has to undo the change
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

// Gives the pieces the value that a slot has now. Steps that are submitted one by one read the slot itself. Not changed: the
// steps that use it have to be refreshed.
Status Exec::refreshSlot(bool* changed, uint32_t slot) {
  *changed = true;
  for (const Piece& piece : pieces_) {
    bool taken = true;
    if (piece.replay) RT_TRY(piece.replay->setSlot(&taken, slot, slots_.at(slot)));
    *changed = *changed && taken;
  }
  return Status();
}

}  // namespace manyrt::graph
