// Nearest words and completion, from the tree of commands that CLI11 has.
#include "words.h"

#include <rt.h>

#include <algorithm>
#include <functional>

#include "aot/target.h"
#include "base/text.h"
#include "cc.h"
#include "check.h"
#include "completion_scripts.h"

namespace {

constexpr char kFiles[] = ":files";

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });  // a group "" hides it
}

// "--json", "-o", "--output": all names of options, without those of files.
std::vector<std::string> optionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options()) {
    if (each->get_group().empty()) continue;
    for (const std::string& name : each->get_snames()) names.push_back("-" + name);
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::Option* findOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::Option* each : app.get_options()) {
    if (name.size() > 1 && name[0] == '-' && each->check_name(name)) return each;
    const bool is_short = word.size() > 2 && word[0] == '-' && word[1] != '-';  // -Iinclude
    if (is_short && each->check_name(word.substr(0, 2))) return each;
  }
  return nullptr;
}

const CLI::App* findCommand(const CLI::App& app, const std::string& word) {
  for (const CLI::App* each : commandsOf(app)) {
    if (each->check_name(word)) return each;
  }
  return nullptr;
}

// With more than two letters that differ, or as many as it has, a word is another one.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string found;
  size_t least = 3;
  for (const std::string& each : known) {
    const size_t apart = manyrt::lettersApart(word, each);
    if (apart < least && apart + 1 < word.size()) {
      least = apart;
      found = each;
    }
  }
  return found;
}

std::string sentence(const std::string& what, const std::string& meant, const std::string& help) {
  return what + (meant.empty() ? ": " + help + " has them all." : ": did you mean \"" + meant + "\"?");
}

std::vector<std::string> devices() {
  std::vector<std::string> names;
  int32_t count = 0;
  if (rtDeviceGetCount(&count, RT_BACKEND_ALL) < 0) return names;
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device = nullptr;
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    if (rtDeviceGet(&device, RT_BACKEND_ALL, i) >= 0 && rtDeviceGetProperties(&properties, device) >= 0) {
      names.emplace_back(properties.id);
    }
  }
  return names;
}

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const manyrt::aot::Available& each : manyrt::aot::listTargets()) names.push_back(each.name);
  return names;
}

// The values of an option, or of a word without one. All others take a file.
struct Values {
  const char* option;
  std::function<std::vector<std::string>()> list;
};
const std::vector<Values>& values() {
  static const std::vector<Values> all = {
      {"--device", devices},
      {"--target", targets},
      {"--emit", cc::forms},
      {"SHELL",
       [] {
         return std::vector<std::string>{"bash", "zsh", "fish"};
       }},
  };
  return all;
}

std::vector<std::string> valuesOf(const CLI::Option& option) {
  for (const Values& each : values()) {
    if (option.check_name(each.option)) return each.list();
  }
  return {kFiles};
}

bool takesValue(const CLI::Option* option) { return option != nullptr && option->get_items_expected_max() > 0; }

}  // namespace

std::string mistyped(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path = "manyrt";
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word.size() > 1 && word[0] == '-') {
      const CLI::Option* option = findOption(*command, word);
      if (option == nullptr) {
        const std::string name = word.substr(0, word.find('='));
        return sentence("\"" + name + "\" is no option of " + path, nearest(name, optionsOf(*command)), path + " --help");
      }
      if (takesValue(option) && word.find('=') == std::string::npos && (word[1] == '-' || word.size() == 2)) ++i;
      continue;
    }
    const std::vector<const CLI::App*> commands = commandsOf(*command);
    if (commands.empty()) continue;  // a file
    const CLI::App* next = findCommand(*command, word);
    if (next == nullptr) {
      std::vector<std::string> names;
      for (const CLI::App* each : commands) names.push_back(each->get_name());
      const std::string above = path == "manyrt" ? "" : path.substr(path.find(' ') + 1) + ' ';
      return sentence("There is no command \"" + above + word + "\"", nearest(word, names), path + " --help");
    }
    command = next;
    path += ' ' + word;
  }
  return "";
}

std::string completionScript(const std::string& shell) {
  if (shell == "bash") return kBashCompletion;
  if (shell == "zsh") return kZshCompletion;
  if (shell == "fish") return kFishCompletion;
  throw Failure("There is no completion for the shell \"" + shell + "\": there are bash, zsh and fish.");
}

std::string candidates(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  const CLI::Option* waits = nullptr;  // an option whose value is the next word
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (waits != nullptr) {
      waits = nullptr;
      continue;
    }
    const CLI::Option* option = findOption(*command, words[i]);
    if (takesValue(option) && words[i].find('=') == std::string::npos) waits = option;
    if (option == nullptr) {
      if (const CLI::App* next = findCommand(*command, words[i])) command = next;
    }
  }
  const std::string current = words.empty() ? "" : words.back();
  std::string before;  // "--device=" of "--device=cu"
  std::vector<std::string> found;
  const size_t equals = current.find('=');
  if (waits != nullptr) {
    found = valuesOf(*waits);
  } else if (current.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = findOption(*command, current);
    if (option != nullptr) found = valuesOf(*option);
    before = current.substr(0, equals + 1);
  } else if (current.starts_with("-")) {
    found = optionsOf(*command);
  } else {
    for (const CLI::App* each : commandsOf(*command)) found.push_back(each->get_name());
    for (const CLI::Option* each : command->get_options()) {
      if (!each->get_positional()) continue;
      const std::vector<std::string> more = valuesOf(*each);
      found.insert(found.end(), more.begin(), more.end());
    }
  }
  std::string text;
  for (const std::string& each : found) {
    if (each == kFiles || (before + each).starts_with(current)) text += (each == kFiles ? "" : before) + each + '\n';
  }
  return text;
}
