// Listing, summing and emptying the folder of compiled kernels. The library's own rules say which files are its own and whether
// the folder is one that it would use. A folder that belongs to another user, or is open to others, is named and not touched.
#include "cache_command.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "check.h"
#include "compiler/cache/cache.h"
#include "terminal.h"
#include "units.h"

namespace {

namespace cache = manyrt::compiler::cache;
using Json = nlohmann::ordered_json;

cache::Contents usable() {
  cache::Contents found = cache::contents();
  if (!found.reason.empty() && !found.off) {
    throw Failure(found.path.empty() ? "No folder keeps compiled kernels: " + found.reason + "."
                                     : "The folder \"" + found.path + "\" is not used: " + found.reason + ".");
  }
  return found;
}

uint64_t sumOf(const cache::Contents& contents) {
  uint64_t bytes = 0;
  for (const cache::Stored& each : contents.entries) bytes += each.bytes;
  return bytes;
}

Json summaryJson(const cache::Contents& contents) {
  return Json{{"folder", contents.path.empty() ? Json(nullptr) : Json(contents.path)},
              {"exists", contents.exists},
              {"entries", contents.entries.size()},
              {"bytes", sumOf(contents)},
              {"unfinished_bytes", contents.temporary},
              {"max_bytes", contents.max_bytes}};
}

std::string summaryText(const cache::Contents& contents) {
  if (contents.off) return "Nothing is kept: RT_CACHE_DIR is off.\n";
  if (!contents.exists) return contents.path + ": not there yet; the first build makes it.\n";
  std::string text = contents.path + ": " + counted(contents.entries.size(), "entry", "entries") + ", " +
                     bytesText(sumOf(contents)) + " of at most " + bytesText(contents.max_bytes);
  if (contents.temporary != 0) text += ", and " + bytesText(contents.temporary) + " of files that are being written";
  return text + '\n';
}

std::string dateText(int64_t seconds, const char* form) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[64] = "";
  if (gmtime_r(&time, &parts) != nullptr) (void)std::strftime(text, sizeof text, form, &parts);
  return text;
}

void print(const Json& json) { terminal::write(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'); }

}  // namespace

void runCacheList(bool json) {
  const cache::Contents contents = usable();
  if (json) {
    Json all = summaryJson(contents);
    all["list"] = Json::array();
    for (const cache::Stored& each : contents.entries) {
      all["list"].push_back(
          {{"key", each.key}, {"bytes", each.bytes}, {"last_used", dateText(each.used_at, "%Y-%m-%dT%H:%M:%SZ")}});
    }
    print(all);
    return;
  }
  if (!contents.entries.empty()) {
    terminal::Table table{{"entry", "size", "last used (UTC)"}, {}};
    constexpr size_t kShown = 16;  // letters of a key, which tell any two apart
    for (const cache::Stored& each : contents.entries) {
      table.rows.push_back({each.key.substr(0, kShown), bytesText(each.bytes), dateText(each.used_at, "%Y-%m-%d %H:%M")});
    }
    terminal::write(terminal::tableText(table, terminal::columns(stdout)));
  }
  terminal::print(summaryText(contents));
}

void runCacheSize(bool json) {
  const cache::Contents contents = usable();
  if (json) {
    print(summaryJson(contents));
  } else {
    terminal::print(summaryText(contents));
  }
}

void runCacheClear(bool json) {
  const cache::Contents before = usable();
  const cache::Cleared cleared = cache::clear();
  if (json) {
    print({{"folder", before.path.empty() ? Json(nullptr) : Json(before.path)},
           {"removed", cleared.entries},
           {"bytes", cleared.bytes},
           {"failed", cleared.failed}});
  } else if (before.off || !before.exists) {
    terminal::print(summaryText(before));
  } else {
    terminal::print(before.path + ": " + counted(cleared.entries, "entry", "entries") + " of " + bytesText(cleared.bytes) +
                    (cleared.entries == 1 ? " was" : " were") + " removed.\n");
  }
  if (cleared.failed != 0) {
    throw Failure(counted(cleared.failed, "file") + " in \"" + before.path + "\" cannot be removed: " + cleared.reason + ".");
  }
}
