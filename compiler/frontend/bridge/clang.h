// The C interface between bridge/*.cpp and src/bridge.rs: plain data, borrowed for the length of a call.
// Every structure here has a twin of the same layout in src/bridge.rs; change both together.
#ifndef OXCL_FRONTEND_CLANG_H
#define OXCL_FRONTEND_CLANG_H

#include <stddef.h>
#include <stdint.h>

#include "llvm-c/Types.h"

extern "C" {

struct OxclText {
  const char *data;
  size_t size;
};

struct OxclFile {
  OxclText path;
  OxclText text;
};

// A position in a file: byte offset from 0, line and byte column from 1.
struct OxclPosition {
  uint32_t offset;
  uint32_t line;
  uint32_t column;
};

struct OxclRange {
  OxclPosition begin;
  OxclPosition end;
};

struct OxclFixIt {
  OxclRange replace;
  OxclText text;
};

// Severities in `OxclDiagnostic`; a note belongs to the last diagnostic that is none.
enum OxclSeverity : uint32_t {
  OXCL_NOTE = 0,
  OXCL_REMARK = 1,
  OXCL_WARNING = 2,
  OXCL_ERROR = 3,
  OXCL_FATAL = 4,
};

struct OxclDiagnostic {
  OxclSeverity severity;
  OxclText message;
  OxclText option;
  OxclText file; // empty: no location
  OxclText source_line;
  OxclPosition position;
  const OxclRange *ranges;
  size_t range_count;
  const OxclFixIt *fix_its;
  size_t fix_it_count;
};

// Something on disk that was read, or looked for and not found. Files that exist in memory only are not among them.
struct OxclDependency {
  OxclText path;
  uint32_t present; // 0: not found, 1: read, 2: there, but not read
  OxclText contents;
};

typedef void (*OxclDependencySink)(void *user, const OxclDependency *);
typedef void (*OxclDiagnosticSink)(void *user, const OxclDiagnostic *);

// Outcomes of `oxcl_clang_compile`.
enum OxclOutcome : uint32_t {
  OXCL_COMPILED = 0,
  OXCL_REJECTED = 1, // diagnostics say why
  OXCL_CRASHED = 2,  // clang crashed or met a fatal error; the context must not be used again
};

struct OxclJob {
  LLVMContextRef context;
  const OxclFile *files; // files[0] is the main file
  size_t file_count;
  const char *const *arguments; // of `clang -cc1`, without the input
  size_t argument_count;
};

OxclOutcome oxcl_clang_compile(const OxclJob *job, LLVMModuleRef *module,
                               OxclDiagnosticSink sink, OxclDependencySink dependencies, void *user);

} // extern "C"

#endif
