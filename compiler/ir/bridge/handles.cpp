// Slots that Rust's handles go through: each names one value of LLVM for as long as LLVM keeps that value, whoever ends it
// (an edit of ours, a pass, the linker, the end of its module).
//
// On entry: a live value. On exit: its one slot. A slot is emptied, and its generation raised, by LLVM's own notice that
// the value is deleted; it names another value later, under the new generation. Slots are as many as a context ever had
// handles to at one time; they end with the context, as no handle outlives it (a lifetime of Rust's sees to that).
//
// A context and what is in it belong to one thread at a time, and so does its registry. Only the list of registries is
// shared: it has a lock. Where LLVM fails in a context, all its slots are emptied and none is watched or used again.

#include "crash_guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Value.h"
#include "llvm/IR/ValueHandle.h"
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

using namespace llvm;

namespace {

// What Rust reads; its twin is `Slot` in src/handle.rs.
struct Slot {
  LLVMValueRef Raw;
  // Of the handles that are good now; 0 in a slot that has had all generations and stays empty.
  uint32_t Generation;
};

class Registry;

// A slot, and LLVM's notice of the end of what it names.
class Entry final : public CallbackVH {
public:
  explicit Entry(Registry &Home) : Home(Home) {}

  void name(Value *V, bool Watched) {
    Shown.Raw = wrap(V);
    if (Watched)
      setValPtr(V);
  }
  // Returns whether the slot can name another value.
  bool end() {
    setValPtr(nullptr);
    Shown.Raw = nullptr;
    return ++Shown.Generation != 0;
  }
  void abandon() {
    Shown.Raw = nullptr;
    ++Shown.Generation;
  }
  void deleted() override;

  Slot Shown = {nullptr, 1};

private:
  Registry &Home;
};

// Raised whenever a registry ends: then no thread may trust the one that it used last.
std::atomic<uint64_t> RegistriesEnded{0};

// The slots of one context.
class Registry {
public:
  // The context ends when it deletes a node that nothing else has.
  explicit Registry(LLVMContext &C) : Context(C), Last(*this) {
    Last.name(MetadataAsValue::get(C, MDNode::getDistinct(C, {})), true);
  }

  const Slot *slot(Value *V) {
    auto [At, IsNew] = Known.try_emplace(V);
    if (IsNew) {
      if (Free.empty()) {
        At->second = &Entries.emplace_back(*this);
      } else {
        At->second = Free.back();
        Free.pop_back();
      }
      // These the context keeps to its end, and they are half of all operands.
      At->second->name(V, !isa<ConstantInt, ConstantFP, ConstantPointerNull, UndefValue>(V));
    }
    return &At->second->Shown;
  }

  void deleted(Entry &E);

  // Makes every handle stale, without asking LLVM anything: it failed in this context, which is left as it is for good.
  void abandon() {
    for (auto [V, E] : Known)
      E->abandon();
    Known.clear();
  }

private:
  LLVMContext &Context;
  Entry Last;
  DenseMap<const Value *, Entry *> Known;
  std::deque<Entry> Entries;
  std::vector<Entry *> Free;
};

struct Registries {
  std::mutex Lock;
  DenseMap<const LLVMContext *, std::unique_ptr<Registry>> OfContext;
};

// Never destroyed: contexts may end while the process does.
Registries &registries() {
  static auto *All = new Registries;
  return *All;
}

void Registry::deleted(Entry &E) {
  if (&E != &Last) {
    Known.erase(unwrap(E.Shown.Raw));
    if (E.end())
      Free.push_back(&E);
    return;
  }
  std::unique_ptr<Registry> Ended;
  {
    std::lock_guard<std::mutex> Held(registries().Lock);
    auto At = registries().OfContext.find(&Context);
    Ended = std::move(At->second);
    registries().OfContext.erase(At);
    // Pairs with the load in `registryOf`: who sees a context at this address again was told of it after this.
    RegistriesEnded.fetch_add(1, std::memory_order_release);
  }
}

void abandon(const LLVMContext &C) {
  std::lock_guard<std::mutex> Held(registries().Lock);
  auto At = registries().OfContext.find(&C);
  if (At != registries().OfContext.end())
    At->second->abandon();
}

void Entry::deleted() { Home.deleted(*this); }

Registry &registryOf(LLVMContext &C) {
  thread_local struct {
    const LLVMContext *Context = nullptr;
    Registry *Of = nullptr;
    uint64_t Ended = 0;
  } Recent;
  uint64_t Ended = RegistriesEnded.load(std::memory_order_acquire);
  if (Recent.Context == &C && Recent.Ended == Ended)
    return *Recent.Of;
  std::lock_guard<std::mutex> Held(registries().Lock);
  std::unique_ptr<Registry> &Of = registries().OfContext[&C];
  if (!Of) {
    Of = std::make_unique<Registry>(C);
    oxcl::onWreck.store(abandon);
  }
  Recent = {&C, Of.get(), Ended};
  return *Of;
}

} // namespace

extern "C" {

// The slot of a live value.
const Slot *oxcl_ir_slot(LLVMValueRef V) { return registryOf(unwrap(V)->getContext()).slot(unwrap(V)); }

} // extern "C"
