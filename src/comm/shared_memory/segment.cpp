// The file, its locks and its end. Record locks (fcntl) belong to the process, whatever its threads and children of fork do,
// and need no common numbers of processes. They are lost when the process closes any descriptor of the file, so each has one.
//
// kGate is held while ranks come or leave, and while the name is taken away. kOpen is held, shared, by each process that has
// the file open: a file without it is what dead processes left. A process whose rank has come holds that rank's byte.
#include "comm/shared_memory/segment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/os/file_size_signal.h"
#include "base/os/random.h"
#include "base/os/shared_futex.h"
#include "base/text.h"

namespace manyrt::comm::shared_memory {
namespace {

constexpr char kFolder[] = "/dev/shm", kPrefix[] = "manyrt-";
constexpr off_t kGate = 1 << 20, kOpenByte = kGate + 1;  // bytes of the locks; a rank's is its number
constexpr uint64_t kGateTime = 10'000'000'000;           // nanoseconds: it is held for microseconds
constexpr timespec kNap = {0, 100'000};
constexpr int32_t kLooks = 64;  // processes that one look asks for

int lock(int file, int command, short type, off_t byte) {
  struct flock of = {};
  of.l_type = type;
  of.l_whence = SEEK_SET;
  of.l_start = byte;
  of.l_len = 1;
  int result = 0;
  do {
    result = fcntl(file, command, &of);
  } while (result != 0 && errno == EINTR);
  // F_GETLK answers with the lock that would be in the way: none means that its holder is gone.
  return command == F_GETLK && result == 0 ? (of.l_type == F_UNLCK ? 0 : 1) : result;
}

bool isOurs(const struct stat& about) {
  // The folder is open to all users: a file that another one could write would let it change results.
  return S_ISREG(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

// The names that this process has open: it must not open one twice.
struct Names {
  std::mutex mutex;
  std::set<std::string> open;
};
Names* const names = new Names;  // never destroyed, as handles are not

// Takes away what dead processes left: files of this user that no process has open. Under the lock of the names.
void sweepLocked() {
  DIR* const folder = opendir(kFolder);
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (strncmp(entry->d_name, kPrefix, sizeof kPrefix - 1) != 0) continue;
    const std::string name = std::string("/") + entry->d_name;
    // Closing a second descriptor of a file would drop this process's locks on it.
    if (names->open.count(name) != 0) continue;
    const Descriptor file(shm_open(name.c_str(), O_RDWR, 0));
    struct stat about = {};
    if (!file.valid() || fstat(file.get(), &about) != 0 || !isOurs(about)) continue;
    // A process holds the gate while it makes the file, before it has its other lock.
    if (lock(file.get(), F_SETLK, F_WRLCK, kGate) != 0) continue;
    // With the gate held no process can open it in between. The gate goes with the descriptor.
    if (lock(file.get(), F_GETLK, F_WRLCK, kOpenByte) == 0) (void)shm_unlink(name.c_str());
  }
  (void)closedir(folder);
}

Host readHost() {
  Host host = {};
  struct stat about = {};
  char text[64] = "";
  FILE* const file = fopen("/proc/sys/kernel/random/boot_id", "re");
  // Zeros: no two processes are taken for neighbours then.
  if (file == nullptr) return host;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  (void)fclose(file);
  int digits = 0;
  for (size_t i = 0; i < length; ++i) {
    unsigned digit = 0;
    if (sscanf(&text[i], "%1x", &digit) != 1 || text[i] == '-') continue;
    uint64_t& half = host[digits++ < 16 ? 0 : 1];
    half = half << 4 | digit;
  }
  // A mount of its own has another number of the device: containers with folders of their own are hosts of their own.
  if (digits != 32 || stat(kFolder, &about) != 0 || !S_ISDIR(about.st_mode)) return {};
  host[2] = 1 + static_cast<uint64_t>(about.st_dev);
  return host;
}

Status failedCall(const char* what, int error) {
  const bool memory = error == ENOSPC || error == ENOMEM || error == EFBIG || error == EDQUOT;
  return Status::error(memory ? RT_ERROR_OUT_OF_MEMORY : RT_ERROR_IO, "The memory that the ranks share, in %s, %s: %s.",
                       kFolder, what, strerror(error));
}

Status used() {
  return Status::error(
      RT_ERROR_INVALID_VALUE,
      "The id has been used: its ranks have met, or their time had passed. Each communicator needs an id of its "
      "own.");
}

}  // namespace

Host thisHost() {
  static const Host host = readHost();
  return host;
}

std::string nameOf(const uint8_t token[16], uint64_t number, uint64_t part) {
  std::string name = std::string("/") + kPrefix;
  char text[40];
  for (int i = 0; i < 16; ++i) {
    snprintf(text, sizeof text, "%02x", token[i]);
    name += text;
  }
  snprintf(text, sizeof text, "-%llx-%llx", static_cast<unsigned long long>(number), static_cast<unsigned long long>(part));
  return name + text;
}

// One process at a time, and of its threads one.
class Segment::Gate {
 public:
  explicit Gate(Segment& of) : threads_(of.mutex_), file_(of.file_.get()) {
    const Deadline deadline = Deadline::after(kGateTime);
    // F_SETLK and naps: a wait in the system could not be given up.
    while (lock(file_, F_SETLK, F_WRLCK, kGate) != 0) {
      if ((errno != EAGAIN && errno != EACCES) || deadline.passed()) return;
      (void)nanosleep(&kNap, nullptr);
    }
    held_ = true;
  }
  ~Gate() {
    if (held_) (void)lock(file_, F_SETLK, F_UNLCK, kGate);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  Status status() const {
    if (held_) return Status();
    return Status::error(RT_ERROR_IO, "A process holds the memory that the ranks share, in %s, and does not go on.", kFolder);
  }

 private:
  const std::lock_guard<std::mutex> threads_;
  const int file_;
  bool held_ = false;
};

// ---- Opening ----

Status Segment::open(std::shared_ptr<Segment>* out, const std::string& name, int32_t size, bool create) {
  out->reset();
  if (size > kMostOnHost && !create) return Status();
  if (size > kMostOnHost) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The ranks of processes that share memory are %d at most, and there are %d here. More of them meet "
                         "through MPI: rtCommCreateFromMpi.",
                         kMostOnHost, size);
  }
  for (;;) {
    bool again = false, absent = false;
    // A fresh object for each try: its end closes the file, and with it all locks.
    const auto made = std::make_shared<Segment>(name, size);
    RT_TRY(made->attach(create, &again, &absent));
    if (again) continue;
    if (!absent) *out = made;
    return Status();
  }
}

Status Segment::attach(bool create, bool* again, bool* absent) {
  {
    const std::lock_guard guard(names->mutex);
    if (names->open.count(name_) != 0) return used();  // by other ranks of this process
    if (create) sweepLocked();
    file_ = Descriptor(shm_open(name_.c_str(), O_RDWR | (create ? O_CREAT : 0), S_IRUSR | S_IWUSR));
    *absent = !file_.valid() && errno == ENOENT && !create;
    if (*absent) return Status();
    if (!file_.valid()) return failedCall("cannot be opened", errno);
    // Under the lock of the names, so that a sweep of another thread leaves the file alone.
    names->open.insert(name_);
    listed_ = true;
  }
  RT_TRY(checkFile());
  const Gate gate(*this);
  RT_TRY(gate.status());
  struct stat about = {};
  Header seen = {};
  if (fstat(file_.get(), &about) != 0) return failedCall("cannot be read", errno);
  // Read and not mapped: the file may be shorter than its head, and a mapped page beyond the end is a signal.
  const bool written = pread(file_.get(), static_cast<void*>(&seen), sizeof seen, 0) == sizeof seen && seen.mark != 0;
  // Its name is gone: the file is complete, given up, or was taken away by a sweep between the opening and the gate.
  if (about.st_nlink == 0) {
    if (written && seen.state.load(std::memory_order_relaxed) != State::kOpen) return used();
    *again = true;  // another process took it for what a dead one left
    return Status();
  }
  if (!written && !create) {
    *absent = true;  // its first process is about to write it
    return Status();
  }
  // Under the gate: a sweep that comes now finds the file in use.
  if (lock(file_.get(), F_SETLK, F_RDLCK, kOpenByte) != 0) return failedCall("cannot be locked", errno);
  if (!written) {
    const Status allocated = allocate();
    if (!allocated.ok()) {
      (void)shm_unlink(name_.c_str());
      return allocated;
    }
    RT_TRY(map());
    begin();
    return Status();
  }
  RT_CHECK_ARG(seen.mark == kMark && seen.version == kVersion,
               "Another process has come with this id that has another release of this library.");
  RT_CHECK_ARG(seen.size == size_, "A rank came with a size of %d, and a rank of another process with %d.", size_, seen.size);
  return map();
}

Status Segment::checkFile() const {
  struct stat about = {};
  if (fstat(file_.get(), &about) != 0) return failedCall("cannot be read", errno);
  if (isOurs(about)) return Status();
  return Status::error(RT_ERROR_IO, "The memory that the ranks share, in %s, is of another user, or open to others.", kFolder);
}

// All of it now: a page that is missing later would end the process by a signal.
Status Segment::allocate() {
  FileSizeSignal signal;
  int error = 0;
  do {
    error = posix_fallocate(file_.get(), 0, static_cast<off_t>(layout_.bytes()));
  } while (error == EINTR);
  signal.exceeded = error == EFBIG;
  if (error == 0) return Status();
  char what[96];
  snprintf(what, sizeof what, "cannot have the %llu bytes that %d ranks take", static_cast<unsigned long long>(layout_.bytes()),
           size_);
  return failedCall(what, error);
}

Status Segment::map() {
  void* const memory = mmap(nullptr, layout_.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) return failedCall("cannot be mapped", errno);
  base_ = static_cast<char*>(memory);
  return Status();
}

void Segment::begin() {
  Header& of = header();
  of.version = kVersion;
  of.size = size_;
  if (!randomBytes(of.token, sizeof of.token)) {
    const int64_t now = nowNanoseconds();  // unlike others of this host, which is all that the name of a split needs
    memcpy(of.token, &now, sizeof now);
  }
  // Last: a file without its mark may not be used yet.
  of.mark = kMark;
}

Segment::~Segment() {
  if (base_ != nullptr) {
    for (int32_t rank = 0; rank < size_; ++rank) {
      // Ranks that came and never met: others may still take their seats.
      if (isLocal(rank) && header().state.load(std::memory_order_acquire) == State::kOpen) withdraw(rank);
    }
    (void)munmap(base_, layout_.bytes());
  }
  const std::lock_guard guard(names->mutex);
  file_.close();  // and with it the locks
  if (listed_) names->open.erase(name_);
}

// ---- Until all have come ----

Status Segment::come(int32_t rank) {
  const Gate gate(*this);
  RT_TRY(gate.status());
  if (failed()) return failure(nullptr);
  if (header().state.load(std::memory_order_acquire) != State::kOpen) return used();
  RT_CHECK_ARG(post(rank).present.load(std::memory_order_acquire) == 0 && lock(file_.get(), F_SETLK, F_WRLCK, rank) == 0,
               "Rank %d of this id has come already.", rank);
  // The lock says that the process lives, `present` that the rank has come: others look at both.
  local_[static_cast<size_t>(rank)] = 1;
  post(rank).present.store(1, std::memory_order_release);
  // Under the gate, so that of two last ranks one sees the other.
  const std::vector<bool> here = present();
  // The last one takes the name away: nothing is left to clean up, whatever ends the processes.
  if (std::all_of(here.begin(), here.end(), [](bool is) { return is; })) endLocked(State::kComplete);
  return Status();
}

void Segment::withdraw(int32_t rank) {
  const Gate gate(*this);
  if (header().state.load(std::memory_order_acquire) != State::kOpen) {
    // Complete: the name is gone, and the others count on this rank. They have to hear of its end.
    post(rank).parted.store(1, std::memory_order_seq_cst);
    ringAll();
    return;
  }
  post(rank).present.store(0, std::memory_order_release);
  local_[static_cast<size_t>(rank)] = 0;
  // After `present`: one that finds the lock free would report a dead process else.
  (void)lock(file_.get(), F_SETLK, F_UNLCK, rank);
  const std::vector<bool> here = present();
  if (std::none_of(here.begin(), here.end(), [](bool is) { return is; })) endLocked(State::kOver);
}

Status Segment::look(bool* complete) {
  *complete = header().state.load(std::memory_order_acquire) == State::kComplete;
  if (*complete) return Status();
  if (failed()) return failure(nullptr);
  // A few at a time: each takes a call of the system, and looks follow each other.
  for (int32_t step = 0; step < std::min(size_, kLooks); ++step) {
    const int32_t rank = looked_.fetch_add(1, std::memory_order_relaxed) % static_cast<uint32_t>(size_);
    if (post(rank).present.load(std::memory_order_acquire) == 0 || lives(rank)) continue;
    if (post(rank).present.load(std::memory_order_acquire) == 0) continue;  // it withdrew
    const Status ended = Status::error(RT_ERROR_LAUNCH_FAILED, "The process of rank %d ended before all ranks had come.", rank);
    // False: all have come in this moment, and the failure is one of the communicator.
    if (giveUp(ended, rank)) return ended;
  }
  return Status();
}

bool Segment::giveUp(const Status& status, int32_t rank) {
  const Gate gate(*this);
  if (header().state.load(std::memory_order_acquire) == State::kComplete) return false;
  // The report first: a process that sees the state finds the reason.
  report(status, rank, -1);
  endLocked(State::kOver);
  return true;
}

void Segment::endLocked(State state) {
  // The state goes first. A process that finds the name gone reads from it why.
  header().state.store(state, std::memory_order_release);
  (void)shm_unlink(name_.c_str());
}

std::vector<bool> Segment::present() const {
  std::vector<bool> here(static_cast<size_t>(size_));
  for (int32_t rank = 0; rank < size_; ++rank) {
    here[static_cast<size_t>(rank)] = post(rank).present.load(std::memory_order_acquire) != 0;
  }
  return here;
}

// ---- From then on ----

// A lock of this process is in no other's way, so ranks here are known without asking.
bool Segment::lives(int32_t rank) const { return isLocal(rank) || lock(file_.get(), F_GETLK, F_WRLCK, rank) != 0; }

void Segment::fail(const Status& status, int32_t rank, int32_t by) {
  report(status, rank, by);
  wakeAll();
}

void Segment::report(const Status& status, int32_t rank, int32_t by) {
  Header& of = header();
  uint32_t none = 0;
  // One rank writes the report. Its number stands there first, so that others can tell if it dies while it writes.
  if (!of.failing.compare_exchange_strong(none, static_cast<uint32_t>(by + 2), std::memory_order_acq_rel)) return;
  of.report.code = status.code();
  of.report.rank = rank;
  copyLetters(of.report.text, sizeof of.report.text, status.message());
  // In one order with the sleepers' own words: a rank that sleeps after this has seen it.
  of.failed.store(1, std::memory_order_seq_cst);
}

Status Segment::failure(int32_t* rank) const {
  const Report& of = header().report;
  if (rank != nullptr) *rank = of.rank;
  return Status::error(of.code, "%.*s", static_cast<int>(sizeof of.text), of.text);
}

void Segment::wake(int32_t rank) {
  Post& of = post(rank);
  // Most ranks spin: then ringing costs one load.
  if (of.sleeping.load(std::memory_order_seq_cst) == 0) return;
  // The word changes before the wake-up: a rank that is about to sleep does not.
  of.bell.fetch_add(1, std::memory_order_seq_cst);
  sharedFutexWakeAll(&of.bell);
}

void Segment::wakeAll() {
  for (int32_t rank = 0; rank < size_; ++rank) wake(rank);
}

}  // namespace manyrt::comm::shared_memory
