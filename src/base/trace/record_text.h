// The text of a timeline's records. It names each device and each track with its first event, since a stream may be older than
// the timeline. Used by one thread at a time; knows nothing of files and locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/trace/line.h"
#include "base/trace/record.h"

namespace manyrt::trace::record {

// Where text goes.
class Output {
 public:
  virtual ~Output() = default;
  // Room for so many bytes; null: the file takes no more.
  virtual char* room(size_t bytes) = 0;
  virtual void used(size_t bytes) = 0;  // of the room that was given last
};

class Text {
 public:
  // Forgets what a file has: the next one begins.
  void begin();
  // Writes each record. False: the file takes no more.
  bool write(const char* records, size_t size, Output& output);
  // Ends the file.
  bool end(Output& output);

 private:
  // A launch as its spans have it, but for its number and times. A launch in a loop is formatted from these.
  struct Shape {
    uint64_t track = 0;
    const char *name = "", *module = "", *tier = "";
    uint32_t grid[3] = {}, group[3] = {};
    uint16_t lane = 0;
    bool in_graph = false;
    bool operator==(const Shape&) const = default;
  };
  struct KeptShape {
    static constexpr size_t kBytes = 640;
    Shape shape;
    size_t head = 0, tail = 0, place = 0;  // lengths; no head: nothing is kept
    char text[kBytes];
  };
  static constexpr size_t kShapes = 16;
  static Shape shapeOf(const Work& record);

  template <class Body>
  void line(Output& output, Body body);
  int process(const char* device, Output& output);
  void nameTrack(const Work& record, int pid, uint64_t tid, Output& output);
  KeptShape* placeOf(const Work& record);
  const KeptShape* keep(const Work& record, int pid, uint64_t tid);
  void launch(const Work& record, const KeptShape& kept, Output& output);
  void work(const Work& record, Output& output);

  bool first_ = true;
  bool fails_ = false;
  std::unordered_set<uint64_t> named_;  // tracks
  std::vector<const char*> devices_;    // in the order of their numbers
  KeptShape shapes_[kShapes];
};

}  // namespace manyrt::trace::record
