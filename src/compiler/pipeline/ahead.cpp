// Work that needs no device and no compiler: checking a source, and the IR as text.
#include "compiler/ahead.h"

#include <algorithm>

#include "compiler/pipeline/cpu_unit.h"
#include "compiler/pipeline/front_end.h"
#include "compiler/toolchain/compiler.h"

namespace manyrt::compiler {
namespace {

Message::Kind kindOf(Diagnostic::Kind kind) {
  return kind == Diagnostic::Kind::kError     ? Message::Kind::kError
         : kind == Diagnostic::Kind::kWarning ? Message::Kind::kWarning
                                              : Message::Kind::kNote;
}

// Without warnings and the notes that belong to them, where -w leaves them out.
std::vector<Message> messagesOf(const FrontEnd& front_end) {
  std::vector<Message> messages;
  bool shown = true;
  for (const Diagnostic& each : front_end.diagnostics().list()) {
    if (each.kind != Diagnostic::Kind::kNote) {
      shown = each.kind == Diagnostic::Kind::kError || !front_end.options().no_warnings;
    }
    if (!shown) continue;
    Message& message = messages.emplace_back();
    message.kind = kindOf(each.kind);
    message.text = each.text;
    message.shown = each.shown;
    if (each.where.line == 0) continue;
    message.file = front_end.sources().name(each.where.file);
    message.line = each.where.line;
    message.column = each.where.column;
  }
  return messages;
}

void addHeaders(CheckedSource* checked, const std::vector<FoundHeader>& found) {
  for (const FoundHeader& each : found) {
    if (std::find(checked->files.begin(), checked->files.end(), each.path) == checked->files.end()) {
      checked->files.push_back(each.path);
    }
    const auto known = std::find_if(checked->headers.begin(), checked->headers.end(),
                                    [&](const Header& header) { return header.name == each.name; });
    if (known == checked->headers.end()) {
      checked->headers.push_back({each.name, std::string(each.text)});
    } else if (known->text != each.text) {
      checked->ambiguous = each.name;
    }
  }
}

}  // namespace

Status checkSource(CheckedSource* checked, const BuildRequest& request) {
  *checked = CheckedSource();
  FrontEnd front_end(request);
  RT_TRY(front_end.readOptions());
  std::vector<FoundHeader> found;
  front_end.noteHeaders(&found);
  std::string log;
  Status status = front_end.translate(&log, [](Program&, const Sources&, const BuildOptions&, Diagnostics&) { return true; });
  checked->messages = messagesOf(front_end);
  addHeaders(checked, found);
  return status;
}

Status irText(std::string* text, std::string* log, const CpuLevel& level, const BuildRequest& request) {
  FrontEnd front_end(request);
  RT_TRY(front_end.readOptions());
  std::string why_not;
  RT_TRY(front_end.translate(log, [&](Program& program, const Sources&, const BuildOptions& options, Diagnostics& diagnostics) {
    BuildOptions own = options;
    own.lanes = level.lanes;
    return irAfterPasses(text, &why_not, program, own, diagnostics) || !diagnostics.failed();
  }));
  if (why_not.empty()) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The IR has no room for \"%s\": %s.", front_end.name(), why_not.c_str());
}

Status cpuCompilerPath(std::string* path) {
  Compiler compiler;
  RT_TRY(findCompiler(&compiler));
  *path = compiler.path;
  return Status();
}

}  // namespace manyrt::compiler
