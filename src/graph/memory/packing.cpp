// The walk over places: depth first, with a list for each turn of those that may come next.
#include "graph/memory/packing.h"

#include <algorithm>
#include <utility>

namespace manyrt::graph {

Packing::Packing(const Tenants& tenants, const Crowds& crowds)
    : tenants_(tenants),
      crowds_(crowds),
      crowd_begin_(tenants.count() + 1),
      conflicts_(tenants.count()),
      touched_(crowds.size()) {
  for (const std::vector<uint32_t>& crowd : crowds) {
    for (uint32_t member : crowd) ++crowd_begin_[member + 1];
  }
  for (uint32_t i = 0; i < tenants.count(); ++i) {
    crowd_begin_[i + 1] += crowd_begin_[i];
    mean_size_ += static_cast<double>(tenants.size[i]) / tenants.count();
    conflicts_[i] = tenants.conflictsOf(i);
  }
  std::vector<uint32_t> at = crowd_begin_;
  crowd_list_.resize(crowd_begin_.back());
  for (uint32_t c = 0; c < crowds.size(); ++c) {
    for (uint32_t member : crowds[c]) crowd_list_[at[member]++] = c;
  }
}

uint64_t Packing::bytes() const {
  uint64_t result = 0;
  for (uint32_t i = 0; i < tenants_.count(); ++i) result = std::max(result, floor_[i] + tenants_.size[i]);
  return result;
}

void Packing::begin(const PackingTaste& taste) {
  const uint32_t count = tenants_.count();
  floor_.assign(count, 0);
  open_.assign(tenants_.apart.words(), 0);
  bias_.clear();
  for (uint32_t i = 0; i < count; ++i) {
    open_[i / 64] |= uint64_t{1} << (i % 64);
    bias_.push_back(taste.conflicts * mean_size_ * conflicts_[i] + taste.size * static_cast<double>(tenants_.size[i]));
  }
  left_ = count;
  lowest_.assign(crowds_.size(), 0);
  weight_.clear();
  for (const std::vector<uint32_t>& crowd : crowds_) weight_.push_back(tenants_.sumOf(crowd));
  turns_.clear();
  raised_.clear();
  sunk_.clear();
  candidates_.clear();
  looked_ = count + crowds_.size();
}

// Whether what is open may still fit above `level`.
bool Packing::fits(uint64_t level, uint64_t most, uint64_t* lowest_end) const {
  for (size_t c = 0; c < crowds_.size(); ++c) {
    if (weight_[c] != 0 && std::max(lowest_[c], level) + weight_[c] > most) return false;
  }
  bool all = true;
  *lowest_end = UINT64_MAX;
  forEachBit(open_.data(), open_.size(), [&](uint32_t i) {
    const uint64_t end = std::max(floor_[i], level) + tenants_.size[i];
    all = all && end <= most;
    *lowest_end = std::min(*lowest_end, end);
  });
  return all;
}

// Places never go down from turn to turn, and whoever would leave room below for another one has to let that one go first.
void Packing::listCandidates(uint64_t level, uint64_t lowest_end, double chance) {
  const auto first = static_cast<ptrdiff_t>(candidates_.size());
  forEachBit(open_.data(), open_.size(), [&](uint32_t i) {
    if (floor_[i] < level || floor_[i] >= lowest_end) return;
    double key = static_cast<double>(floor_[i]) - bias_[i];
    if (chance != 0) {
      random_ ^= random_ << 13;
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      key -= chance * mean_size_ * static_cast<double>(random_ >> 32) / 4294967296.0;
    }
    candidates_.push_back({key, i});
  });
  std::sort(candidates_.begin() + first, candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.key != b.key ? a.key < b.key : a.tenant < b.tenant; });
}

// Notes the crowds of whose open members the tenant was a lowest one.
void Packing::touch(uint32_t tenant, uint64_t floor) {
  for (uint32_t c : crowdsOf(tenant)) {
    if (lowest_[c] != floor || touched_[c]) continue;
    touched_[c] = true;
    touched_list_.push_back(c);
  }
  looked_ += crowdsOf(tenant).size();
}

void Packing::lookAgain(uint32_t crowd) {
  touched_[crowd] = false;
  looked_ += crowds_[crowd].size();
  uint64_t lowest = UINT64_MAX;
  for (uint32_t i : crowds_[crowd]) {
    if (isOpen(i)) lowest = std::min(lowest, floor_[i]);
  }
  sunk_.push_back({crowd, lowest_[crowd]});
  lowest_[crowd] = lowest;
}

void Packing::put(uint32_t tenant) {
  open_[tenant / 64] &= ~(uint64_t{1} << (tenant % 64));
  --left_;
  for (uint32_t c : crowdsOf(tenant)) weight_[c] -= tenants_.size[tenant];
  touch(tenant, floor_[tenant]);
  const uint64_t end = floor_[tenant] + tenants_.size[tenant];
  const uint64_t* apart = tenants_.apart.row(tenant);
  for (size_t w = 0; w < open_.size(); ++w) {
    const uint64_t both = apart[w] & open_[w];
    forEachBit(&both, 1, [&](uint32_t bit) {
      const auto other = static_cast<uint32_t>(w * 64 + bit);
      if (floor_[other] >= end) return;
      raised_.push_back({other, floor_[other]});
      touch(other, std::exchange(floor_[other], end));
    });
  }
  for (uint32_t c : touched_list_) lookAgain(c);
  touched_list_.clear();
}

void Packing::takeBack(const Turn& turn) {
  for (; raised_.size() > turn.raised; raised_.pop_back()) floor_[raised_.back().index] = raised_.back().value;
  for (; sunk_.size() > turn.sunk; sunk_.pop_back()) lowest_[sunk_.back().index] = sunk_.back().value;
  open_[turn.tenant / 64] |= uint64_t{1} << (turn.tenant % 64);
  ++left_;
  for (uint32_t c : crowdsOf(turn.tenant)) weight_[c] += tenants_.size[turn.tenant];
}

bool Packing::find(uint64_t most, const PackingTaste& taste, uint64_t* work) {
  begin(taste);
  for (uint64_t level = 0; left_ != 0;) {
    looked_ += crowds_.size() + left_ + open_.size();
    *work -= std::min(*work, std::exchange(looked_, 0));
    if (*work == 0) return false;
    turns_.push_back({UINT32_MAX, raised_.size(), sunk_.size(), candidates_.size(), candidates_.size()});
    if (uint64_t lowest_end; fits(level, most, &lowest_end)) listCandidates(level, lowest_end, taste.chance);
    while (turns_.back().next == candidates_.size()) {  // none is left here: the turn before goes on
      candidates_.resize(turns_.back().candidates);
      turns_.pop_back();
      if (turns_.empty()) return false;
      takeBack(turns_.back());
    }
    Turn& turn = turns_.back();
    turn.tenant = candidates_[turn.next++].tenant;
    level = floor_[turn.tenant];
    put(turn.tenant);
  }
  return true;
}

}  // namespace manyrt::graph
