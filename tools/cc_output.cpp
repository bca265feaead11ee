// The output of manyrt cc: messages, rules of dependencies, C arrays, files.
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cc.h"
#include "check.h"
#include "terminal.h"

namespace cc {
namespace {

using manyrt::compiler::Message;

constexpr const char* kColours[] = {terminal::kRed, terminal::kMagenta, terminal::kCyan};  // by Message::Kind

std::string folderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string fileOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A name in a rule: make takes spaces, $ and # for its own, and a backslash before them.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (letter == ' ' || letter == '#' || letter == '\\' || letter == ':') text += '\\';
    if (letter == '$') text += '$';
    text += letter;
  }
  return text;
}

std::string identifierOf(const std::string& path) {
  std::string name = fileOf(path);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot != 0) name.resize(dot);
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 || static_cast<unsigned char>(letter) >= 0x80) letter = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "_" + name;
  return name;
}

[[noreturn]] void cannotWrite(const std::string& path, int error) {
  throw Failure("The output \"" + path + "\" cannot be written: " + std::strerror(error) + ".");
}

void writeAll(const std::string& path, const std::string& shown, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) cannotWrite(shown, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int error = written ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0) return;
  if (path != shown) (void)unlink(path.c_str());
  cannotWrite(shown, error);
}

}  // namespace

std::string messageText(const Message& message, bool colours) {
  const auto in = [&](const char* colour, const std::string& text) {
    return terminal::coloured(colours ? colour : nullptr, text);
  };
  std::string text;
  if (!message.file.empty()) {
    text +=
        in(terminal::kBold, message.file + ":" + std::to_string(message.line) + ":" + std::to_string(message.column) + ":") +
        " ";
  }
  const auto kind = static_cast<size_t>(message.kind);
  text += in(kColours[kind], std::string(manyrt::compiler::kMessageWords[kind]) + ":") + " ";
  text += (message.kind == Message::Kind::kNote ? message.text : in(terminal::kBold, message.text)) + "\n";
  const size_t caret = message.shown.rfind('^');
  if (caret == std::string::npos) return text + message.shown;
  return text + message.shown.substr(0, caret) + in(terminal::kGreen, "^") + message.shown.substr(caret + 1);
}

std::string dependencyRule(const std::string& output, const std::vector<std::string>& files) {
  std::string text = escaped(output) + ":";
  for (const std::string& file : files) text += " \\\n  " + escaped(file);
  return text + "\n";
}

std::string embeddedText(const std::string& path, std::string_view bytes) {
  const std::string name = identifierOf(path);
  std::string guard = name + "_IMAGE_H";
  for (char& letter : guard) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  constexpr size_t kLine = 24;  // numbers
  std::string text = "/* Made by manyrt cc: an image for rtModuleLoadData. */\n#ifndef " + guard + "\n#define " + guard +
                     "\n\n#include <stddef.h>\n\nstatic const unsigned char " + name + "_image[" +
                     std::to_string(bytes.size()) + "] = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    text += i % kLine == 0 ? "\n    " : " ";
    text += std::to_string(static_cast<unsigned char>(bytes[i])) + (i + 1 < bytes.size() ? "," : "");
  }
  return text + "};\nstatic const size_t " + name + "_image_size = sizeof " + name + "_image;\n\n#endif\n";
}

void checkFolder(const std::string& path) {
  const std::string folder = folderOf(path);
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0) {
    const std::string reason = errno == ENOENT ? "does not exist" : std::string("cannot be reached: ") + std::strerror(errno);
    throw Failure("The folder \"" + folder + "\" of the output \"" + path + "\" " + reason + ".");
  }
  if (!S_ISDIR(about.st_mode)) throw Failure("\"" + folder + "\", of the output \"" + path + "\", is not a folder.");
  if (stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
    throw Failure("The output \"" + path + "\" is a folder.");
  }
}

// Beside it and renamed: a program that has the old file open or mapped keeps it. A pipe or a device is written as it is.
void writeFile(const std::string& path, std::string_view bytes) {
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode)) {
    writeAll(path, path, bytes);
    return;
  }
  const std::string beside = path + "." + std::to_string(getpid()) + ".tmp";
  writeAll(beside, path, bytes);
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    (void)unlink(beside.c_str());
    cannotWrite(path, error);
  }
}

}  // namespace cc
