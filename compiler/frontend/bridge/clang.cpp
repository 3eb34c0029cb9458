// Runs clang's front end on an in-memory file system and hands the LLVM module over.
//
// What is left out on purpose: clang's back-end driver (`BackendConsumer`), which would build a pass pipeline only to
// run nothing; the AST consumer here is clang's code generator alone.
//
// A crash inside clang, or its `exit` after a fatal error, ends in `CrashRecoveryContext` and becomes an outcome.
// Diagnostics are collected first and delivered afterwards, so that no frame of the caller's is ever jumped over.

#include "clang.h"
#include "crash_guard.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace {

using clang::CharSourceRange;
using clang::SourceLocation;
using clang::SourceManager;

llvm::StringRef view(OxclText text) { return {text.data, text.size}; }
OxclText view(const std::string &text) { return {text.data(), text.size()}; }

struct StoredFixIt {
  OxclRange replace;
  std::string text;
};

struct Stored {
  OxclSeverity severity = OXCL_ERROR;
  std::string message, option, file, sourceLine;
  OxclPosition position = {0, 0, 0};
  std::vector<OxclRange> ranges;
  std::vector<StoredFixIt> fixIts;
};

// Turns locations of one file into positions; lines are as `#line` presents them.
class FileView {
public:
  FileView(const SourceManager &sources, SourceLocation place)
      : sources(sources), file(sources.getFileID(place)) {
    auto presumed = sources.getPresumedLoc(place);
    if (presumed.isValid())
      shift = int64_t(presumed.getLine()) - int64_t(sources.getLineNumber(file, sources.getFileOffset(place)));
  }

  bool contains(SourceLocation place) const { return sources.getFileID(place) == file; }

  OxclPosition position(SourceLocation place) const {
    unsigned offset = sources.getFileOffset(place);
    return {offset, uint32_t(sources.getLineNumber(file, offset) + shift), sources.getColumnNumber(file, offset)};
  }

  std::string line(SourceLocation place) const {
    bool invalid = false;
    llvm::StringRef text = sources.getBufferData(file, &invalid);
    if (invalid)
      return {};
    size_t offset = sources.getFileOffset(place);
    size_t begin = text.take_front(offset).rfind('\n');
    begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
    return text.slice(begin, text.find('\n', offset)).rtrim('\r').str();
  }

private:
  const SourceManager &sources;
  clang::FileID file;
  int64_t shift = 0;
};

class Collector : public clang::DiagnosticConsumer {
public:
  std::vector<Stored> stored;

  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *) override { language = &options; }
  void EndSourceFile() override { language = nullptr; }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    Stored next;
    switch (level) {
    case clang::DiagnosticsEngine::Ignored: return;
    case clang::DiagnosticsEngine::Note: next.severity = OXCL_NOTE; break;
    case clang::DiagnosticsEngine::Remark: next.severity = OXCL_REMARK; break;
    case clang::DiagnosticsEngine::Warning: next.severity = OXCL_WARNING; break;
    case clang::DiagnosticsEngine::Error: next.severity = OXCL_ERROR; break;
    case clang::DiagnosticsEngine::Fatal: next.severity = OXCL_FATAL; break;
    }
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    next.message = message.str().str();
    next.option = info.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(info.getID()).str();
    if (!info.getLocation().isValid() || !info.hasSourceManager()) {
      stored.push_back(std::move(next));
      return;
    }
    const SourceManager &sources = info.getSourceManager();
    SourceLocation place = sources.getFileLoc(info.getLocation());
    locate(next, sources, place);
    FileView file(sources, place);
    for (const CharSourceRange &range : info.getRanges())
      if (auto mapped = map(sources, file, range))
        next.ranges.push_back(*mapped);
    for (const clang::FixItHint &hint : info.getFixItHints())
      if (!hint.isNull() && hint.InsertFromRange.isInvalid())
        if (auto mapped = map(sources, file, hint.RemoveRange))
          next.fixIts.push_back({*mapped, hint.CodeToInsert});
    bool note = next.severity == OXCL_NOTE;
    stored.push_back(std::move(next));
    addMacros(sources, info.getLocation());
    if (!note)
      addIncludes(sources, place);
  }

private:
  const clang::LangOptions *language = nullptr;

  static void locate(Stored &into, const SourceManager &sources, SourceLocation place) {
    auto presumed = sources.getPresumedLoc(place);
    if (presumed.isInvalid())
      return;
    FileView file(sources, place);
    into.file = presumed.getFilename();
    into.position = file.position(place);
    into.sourceLine = file.line(place);
  }

  std::optional<OxclRange> map(const SourceManager &sources, const FileView &file, CharSourceRange range) const {
    if (range.isInvalid() || !language)
      return std::nullopt;
    CharSourceRange inFile = clang::Lexer::makeFileCharRange(range, sources, *language);
    if (inFile.isInvalid()) {
      // The range begins or ends inside a macro: take what the file shows of it.
      SourceLocation begin = sources.getFileLoc(range.getBegin());
      SourceLocation end = sources.getFileLoc(range.getEnd());
      inFile = clang::Lexer::makeFileCharRange(CharSourceRange::getTokenRange(begin, end), sources, *language);
      if (inFile.isInvalid())
        return std::nullopt;
    }
    if (!file.contains(inFile.getBegin()) || !file.contains(inFile.getEnd()))
      return std::nullopt;
    OxclRange mapped = {file.position(inFile.getBegin()), file.position(inFile.getEnd())};
    if (mapped.end.offset < mapped.begin.offset)
      return std::nullopt;
    return mapped;
  }

  void addNote(const SourceManager &sources, SourceLocation place, std::string message) {
    Stored note;
    note.severity = OXCL_NOTE;
    note.message = std::move(message);
    locate(note, sources, place);
    if (!note.file.empty())
      stored.push_back(std::move(note));
  }

  void addMacros(const SourceManager &sources, SourceLocation place) {
    // A deep chain of macros helps nobody: the innermost few say enough.
    for (int depth = 0; language && place.isMacroID() && depth < 8; ++depth) {
      if (sources.isMacroArgExpansion(place)) {
        place = sources.getImmediateSpellingLoc(place);
        continue;
      }
      std::string name = clang::Lexer::getImmediateMacroName(place, sources, *language).str();
      addNote(sources, sources.getSpellingLoc(place), "expanded from macro '" + name + "'");
      place = sources.getImmediateMacroCallerLoc(place);
    }
  }

  void addIncludes(const SourceManager &sources, SourceLocation place) {
    for (int depth = 0; depth < 8; ++depth) {
      auto presumed = sources.getPresumedLoc(place);
      if (presumed.isInvalid() || presumed.getIncludeLoc().isInvalid())
        return;
      place = presumed.getIncludeLoc();
      addNote(sources, place, "in file included from here");
    }
  }
};

// clang's code generator as the only consumer, building into a context of the caller's.
class GenerateModule : public clang::ASTFrontendAction {
public:
  explicit GenerateModule(llvm::LLVMContext &context) : context(context) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef file) override {
    auto made = clang::CreateLLVMCodeGen(instance, file, context);
    generator = made.get();
    return made;
  }

  void EndSourceFileAction() override {
    if (generator && !getCompilerInstance().getDiagnostics().hasErrorOccurred())
      module = generator->ReleaseModule();
  }

  std::unique_ptr<llvm::Module> module;

private:
  llvm::LLVMContext &context;
  clang::CodeGenerator *generator = nullptr;
};

// What was asked of the disk: files that were there, and paths at which nothing was.
struct Asked {
  std::set<std::string> found, missing;
  std::map<std::string, std::string> contents;
};

// The real file system, listening.
class RecordingFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  RecordingFileSystem(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real, Asked &asked)
      : ProxyFileSystem(std::move(real)), asked(asked) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    auto result = ProxyFileSystem::status(path);
    if (!result)
      asked.missing.insert(path.str());
    else if (!result->isDirectory())
      asked.found.insert(path.str());
    return result;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    auto result = ProxyFileSystem::openFileForRead(path);
    (result ? asked.found : asked.missing).insert(path.str());
    return result;
  }

  bool exists(const llvm::Twine &path) override { return bool(status(path)); }

private:
  Asked &asked;
};

// Keeps the texts of the files that were read, as they were read.
void keepContents(clang::CompilerInstance &instance, Asked &asked) {
  if (!instance.hasSourceManager())
    return;
  SourceManager &sources = instance.getSourceManager();
  for (auto entry = sources.fileinfo_begin(); entry != sources.fileinfo_end(); ++entry) {
    if (auto buffer = entry->second ? entry->second->getBufferIfLoaded() : std::nullopt)
      asked.contents[entry->first.getName().str()] = buffer->getBuffer().str();
  }
}

std::unique_ptr<llvm::Module> compile(const OxclJob &job, Collector &collector, Asked &asked) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<RecordingFileSystem>(llvm::vfs::getRealFileSystem(), asked));
  if (auto here = files->getCurrentWorkingDirectory())
    memory->setCurrentWorkingDirectory(*here);
  for (size_t i = 0; i < job.file_count; ++i)
    // A copy, because clang's lexer needs a zero behind the text.
    memory->addFile(view(job.files[i].path), 0,
                    llvm::MemoryBuffer::getMemBufferCopy(view(job.files[i].text), view(job.files[i].path)));
  files->pushOverlay(memory);

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine early(clang::DiagnosticIDs::create(), options, &collector, /*ShouldOwnClient=*/false);
  llvm::ArrayRef<const char *> arguments(job.arguments, job.argument_count);
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, early))
    return nullptr;
  auto &inputs = invocation->getFrontendOpts().Inputs;
  // The language is the one that `-x` among the arguments names.
  clang::InputKind language = inputs.empty() ? clang::InputKind(clang::Language::OpenCL) : inputs[0].getKind();
  inputs.clear();
  inputs.emplace_back(view(job.files[0].path), language);
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ShowCarets = false; // or clang prints how many errors there were
  // Later passes say where in the source they stumble; no debug information is made of these locations.
  if (invocation->getCodeGenOpts().getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
    invocation->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LocTrackingOnly);

  clang::CompilerInstance instance(std::move(invocation));
  instance.setVirtualFileSystem(files);
  instance.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  instance.setFileManager(llvm::makeIntrusiveRefCnt<clang::FileManager>(instance.getFileSystemOpts(), files));
  GenerateModule action(*llvm::unwrap(job.context));
  bool done = instance.ExecuteAction(action);
  keepContents(instance, asked);
  return done ? std::move(action.module) : nullptr;
}

// Files that were found but not read, by `__has_include` for example, are told without contents.
void deliver(const Asked &asked, OxclDependencySink sink, void *user) {
  for (const std::string &path : asked.found) {
    auto known = asked.contents.find(path);
    OxclDependency file = {view(path), known == asked.contents.end() ? 2u : 1u, {nullptr, 0}};
    if (known != asked.contents.end())
      file.contents = view(known->second);
    sink(user, &file);
  }
  for (const std::string &path : asked.missing) {
    OxclDependency nothing = {view(path), 0, {nullptr, 0}};
    sink(user, &nothing);
  }
}

void deliver(const Stored &stored, OxclDiagnosticSink sink, void *user) {
  std::vector<OxclFixIt> fixIts;
  for (const StoredFixIt &fix : stored.fixIts)
    fixIts.push_back({fix.replace, view(fix.text)});
  OxclDiagnostic shown = {stored.severity,         view(stored.message),  view(stored.option), view(stored.file),
                          view(stored.sourceLine), stored.position,       stored.ranges.data(), stored.ranges.size(),
                          fixIts.data(),           fixIts.size()};
  sink(user, &shown);
}

} // namespace

OxclOutcome oxcl_clang_compile(const OxclJob *job, LLVMModuleRef *module, OxclDiagnosticSink sink,
                               OxclDependencySink dependencies, void *user) {
  // Not freed after a crash: what clang was doing with them is unknown.
  auto *collector = new Collector;
  auto *asked = new Asked;
  std::unique_ptr<llvm::Module> made;
  std::string fatal;
  bool whole = oxcl::runGuarded(*llvm::unwrap(job->context), fatal, [&] {
    clang::noteBottomOfStack(/*ForceSet=*/true);
    made = compile(*job, *collector, *asked);
  });

  for (const Stored &stored : collector->stored)
    deliver(stored, sink, user);
  if (!whole) {
    Stored last;
    last.severity = OXCL_FATAL;
    last.message = fatal.empty() ? "clang crashed on this source" : "clang gave up on this source: " + fatal;
    deliver(last, sink, user);
    return OXCL_CRASHED;
  }
  deliver(*asked, dependencies, user);
  delete asked;
  delete collector;
  if (!made)
    return OXCL_REJECTED;
  *module = llvm::wrap(made.release());
  return OXCL_COMPILED;
}
