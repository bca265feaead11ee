// The known word that was meant by one that is not known, for messages about names and options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace manyrt {

// The nearest of the words that are considered, of which a third of the letters may differ at most.
class NearestWord {
 public:
  explicit NearestWord(std::string_view name) : name_(name), least_(name.size() / kLettersOfOneMistake + 1) {}
  void consider(std::string_view known) {
    if (const size_t apart = lettersApart(name_, known); apart < least_) {
      least_ = apart;
      nearest_ = known;
    }
  }
  // The end of a message: ": did you mean "count"?", or "." where none is near.
  std::string sentence() const { return nearest_.empty() ? "." : ": did you mean \"" + nearest_ + "\"?"; }

 private:
  static constexpr size_t kLettersOfOneMistake = 3;
  const std::string_view name_;
  size_t least_;
  std::string nearest_;
};

}  // namespace manyrt
