// See the header.

#include "gather_rows.h"
#include "places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace oxcl;

namespace {

// Bytes of the longest row, and of the part of a register that shuffles stay in.
constexpr uint64_t longestRow = 32;
constexpr uint64_t part = 16;
// Rounds of a loop with more instructions than this are not repeated.
constexpr size_t mostInstructions = 64;

// A gather for all lanes.
struct Gather {
  IntrinsicInst *call;
  Place place;
  // What all lanes add to their addresses, and the base where it is one for all.
  const SCEV *common;
  // Bytes and number of its lanes' elements.
  uint64_t size;
  unsigned lanes;
};

std::optional<Gather> gatherOf(Instruction &instruction, const DataLayout &layout, ScalarEvolution &evolution) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_gather || !match(call->getArgOperand(1), m_AllOnes()))
    return std::nullopt;
  auto *type = dyn_cast<FixedVectorType>(call->getType());
  if (!type || type->getElementType()->isPointerTy())
    return std::nullopt;
  uint64_t size = type->getScalarSizeInBits() / 8;
  if ((size != 4 && size != 8) || !isPowerOf2_32(type->getNumElements()))
    return std::nullopt;
  std::optional<Place> place = placeOf(call->getArgOperand(0), layout);
  if (!place)
    return std::nullopt;
  return Gather{call, *place, common(*place, evolution), size, type->getNumElements()};
}

// How many bytes the lanes' addresses of a gather lie behind those of another.
std::optional<int64_t> distance(const Gather &before, const Gather &behind, ScalarEvolution &evolution) {
  const Place &from = before.place, &to = behind.place;
  bool each = from.base->getType()->isVectorTy(), other = to.base->getType()->isVectorTy();
  if (each != other || (each && from.base != to.base) || from.own != to.own)
    return std::nullopt;
  auto *apart = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(behind.common, before.common));
  return apart ? std::optional(apart->getAPInt().getSExtValue()) : std::nullopt;
}

// Whether lanes go on to the next element from round to round.
bool walks(const Gather &gather, const Loop &loop, ScalarEvolution &evolution) {
  auto stays = [&](const Summand &summand) { return loop.isLoopInvariant(summand.number); };
  if (!all_of(gather.place.own, stays) || (gather.place.base->getType()->isVectorTy() && !loop.isLoopInvariant(gather.place.base)))
    return false;
  auto *along = dyn_cast<SCEVAddRecExpr>(gather.common);
  if (!along || along->getLoop() != &loop)
    return false;
  auto *step = dyn_cast<SCEVConstant>(along->getStepRecurrence(evolution));
  return step && step->getAPInt() == gather.size;
}

Value *joined(IRBuilder<> &b, ArrayRef<Value *> vectors) {
  return vectors.size() == 1 ? vectors[0] : concatenateVectors(b, vectors);
}

// Makes rows of one function's gathers.
class Weaver {
public:
  Weaver(Function &function, ScalarEvolution &evolution, uint64_t registerBytes)
      : layout(function.getDataLayout()), evolution(evolution), registerBytes(registerBytes) {}

  bool block(BasicBlock &block) {
    SmallVector<Gather, 16> known;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (instruction.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&instruction)) {
        changed |= group(known);
        known.clear();
      } else if (std::optional<Gather> gather = gatherOf(instruction, layout, evolution)) {
        known.push_back(std::move(*gather));
      }
    }
    return group(known) | changed;
  }

private:
  const DataLayout &layout;
  ScalarEvolution &evolution;
  uint64_t registerBytes;

  // The gathers of a list that lie constants apart, and how far they lie from the first.
  struct Member {
    Gather *gather;
    int64_t offset;
  };

  bool group(MutableArrayRef<Gather> known) {
    bool changed = false;
    SmallVector<bool, 16> taken(known.size());
    for (size_t first = 0; first < known.size(); ++first) {
      if (taken[first])
        continue;
      SmallVector<Member, 8> members{{&known[first], 0}};
      SmallVector<size_t, 8> numbers{first};
      for (size_t other = first + 1; other < known.size(); ++other) {
        if (taken[other] || known[other].size != known[first].size || known[other].lanes != known[first].lanes)
          continue;
        if (std::optional<int64_t> apart = distance(known[first], known[other], evolution)) {
          members.push_back({&known[other], *apart});
          numbers.push_back(other);
        }
      }
      for (size_t number : numbers)
        taken[number] = true;
      changed |= windows(members);
    }
    return changed;
  }

  // Takes rows off a group, from its lowest address on.
  bool windows(SmallVectorImpl<Member> &members) {
    auto size = int64_t(members[0].gather->size);
    llvm::stable_sort(members, [](const Member &a, const Member &b) { return a.offset < b.offset; });
    bool changed = false;
    for (size_t begin = 0; begin < members.size();) {
      size_t taken = 0;
      for (uint64_t bytes : {longestRow, part}) {
        // What is read reaches from one element that is asked for to another.
        int64_t last = members[begin].offset + int64_t(bytes) - size;
        size_t end = begin;
        bool fits = bytes / size <= lanesOfRegister(*members[begin].gather);
        unsigned places = 0;
        for (int64_t before = members[begin].offset - 1; end < members.size() && members[end].offset <= last; ++end) {
          fits &= (members[end].offset - members[begin].offset) % size == 0;
          places += members[end].offset != before;
          before = members[end].offset;
        }
        bool reaches = end > begin && members[end - 1].offset == last;
        if (fits && reaches && places * 4 >= bytes / size * 3) {
          rows(ArrayRef(members).slice(begin, end - begin), bytes / size);
          taken = end - begin;
          break;
        }
      }
      changed |= taken != 0;
      begin += taken ? taken : 1;
    }
    return changed;
  }

  // How many lanes a register holds of a gather's elements.
  uint64_t lanesOfRegister(const Gather &gather) const {
    return std::min<uint64_t>(gather.lanes, registerBytes / gather.size);
  }

  // The lanes' addresses `offset` bytes behind those of a gather.
  SmallVector<Value *, 16> addresses(const Gather &gather, int64_t offset, IRBuilder<> &b) {
    const Place &place = gather.place;
    Type *byte = b.getInt8Ty();
    bool each = place.base->getType()->isVectorTy();
    auto behind = [&](Value *address, Value *bytes) { return b.CreateGEP(byte, address, bytes); };
    Value *same = shared(place, offset, b);
    Value *start = each ? nullptr : behind(place.base, same);
    SmallVector<Value *, 16> all;
    for (unsigned lane = 0; lane < gather.lanes; ++lane) {
      Value *address = each ? behind(b.CreateExtractElement(place.base, b.getInt64(lane)), same) : start;
      for (const Summand &summand : place.own) {
        // Beside the vector, so that what a loop does not change is made before it.
        IRBuilder<> there(b.GetInsertBlock(), b.GetInsertPoint());
        if (auto *maker = dyn_cast<Instruction>(summand.number); maker && !maker->isTerminator())
          if (auto next = maker->getInsertionPointAfterDef())
            there.SetInsertPoint(*next);
        Value *number = lanes(summand.number, lane, there);
        address = behind(address, times(there, extended(there, number, summand.extension), summand.bytes));
      }
      all.push_back(address);
    }
    return all;
  }

  // One lane's number of a vector.
  Value *lanes(Value *vector, unsigned lane, IRBuilder<> &b) {
    // From memory again, if that is where it has just come from.
    if (auto *load = dyn_cast<LoadInst>(vector); load && load->isSimple()) {
      Type *element = load->getType()->getScalarType();
      uint64_t bytes = layout.getTypeStoreSize(element);
      Value *at = b.CreateGEP(element, load->getPointerOperand(), b.getInt64(lane));
      return b.CreateAlignedLoad(element, at, commonAlignment(load->getAlign(), lane * bytes));
    }
    return b.CreateExtractElement(vector, b.getInt64(lane));
  }

  // Replaces gathers by rows of `count` elements from the lowest address on.
  void rows(ArrayRef<Member> members, uint64_t count) {
    const Member *first = &members[0];
    for (const Member &member : members)
      if (member.gather->call->comesBefore(first->gather->call))
        first = &member;
    Gather &gather = *first->gather;
    IRBuilder<> b(gather.call);
    Type *element = gather.size == 4 ? b.getFloatTy() : b.getDoubleTy();
    SmallVector<Value *, 16> starts = addresses(gather, members[0].offset - first->offset, b);
    Align alignment = gather.call->getParamAlign(0).valueOrOne();
    for (const Member &member : members)
      alignment = std::min(alignment, member.gather->call->getParamAlign(0).valueOrOne());
    SmallVector<Value *, 16> loaded;
    for (Value *start : starts)
      loaded.push_back(b.CreateAlignedLoad(FixedVectorType::get(element, count), start, alignment));
    uint64_t held = lanesOfRegister(gather);
    SmallVector<SmallVector<Value *, 4>, 8> columns(count);
    for (uint64_t begin = 0; begin < loaded.size(); begin += held) {
      SmallVector<Value *, 8> turned = transpose(ArrayRef(loaded).slice(begin, held), count, part / gather.size, b);
      for (uint64_t column = 0; column < count; ++column)
        columns[column].push_back(turned[column]);
    }
    SmallVector<Value *, 8> wholes;
    for (const Member &member : members) {
      auto &column = columns[(member.offset - members[0].offset) / int64_t(gather.size)];
      wholes.push_back(b.CreateBitCast(joined(b, column), member.gather->call->getType()));
    }
    for (auto [member, whole] : zip(members, wholes)) {
      whole->takeName(member.gather->call);
      member.gather->call->replaceAllUsesWith(whole);
      member.gather->call->eraseFromParent();
    }
  }

  // The columns of `rows.size()` rows of `count` elements, which are one or two parts of `quarter` elements: registers of rows are
  // turned within their parts, and these are exchanged where a row has two.
  SmallVector<Value *, 8> transpose(ArrayRef<Value *> rows, uint64_t count, uint64_t quarter, IRBuilder<> &b) {
    uint64_t held = rows.size(), blocks = held / count;
    SmallVector<Value *, 8> registers;
    for (uint64_t number = 0; number < count; ++number) {
      // So that the parts stand in order after the exchange.
      uint64_t half = number / quarter, within = number % quarter;
      SmallVector<Value *, 4> together;
      for (uint64_t block = 0; block < blocks; ++block)
        together.push_back(rows[half * blocks * quarter + block * quarter + within]);
      registers.push_back(joined(b, together));
    }
    // Within parts: pairs of elements, then pairs of pairs.
    for (uint64_t width = 1; width < quarter; width *= 2)
      registers = interleaved(registers, width, quarter, b);
    // The numbers of columns have their bits in the other order now.
    for (uint64_t begin = 0; quarter == 4 && begin < count; begin += quarter)
      std::swap(registers[begin + 1], registers[begin + 2]);
    if (count == quarter)
      return registers;
    SmallVector<Value *, 8> columns(count);
    for (uint64_t column = 0; column < quarter; ++column)
      for (uint64_t odd : {0, 1}) {
        SmallVector<int, 16> order;
        for (uint64_t source : {0, 1})
          for (uint64_t block = 0; block < blocks; ++block)
            for (uint64_t at = 0; at < quarter; ++at)
              order.push_back(int(source * held + (2 * block + odd) * quarter + at));
        columns[odd * quarter + column] = b.CreateShuffleVector(registers[column], registers[quarter + column], order);
      }
    return columns;
  }

  // In each part, units of `width` elements of two registers in turns: those of the part's lower half, and those of its upper half.
  // Registers that lie `width` apart go together.
  SmallVector<Value *, 8> interleaved(ArrayRef<Value *> registers, uint64_t width, uint64_t quarter, IRBuilder<> &b) {
    SmallVector<Value *, 8> made(registers.size());
    auto held = cast<FixedVectorType>(registers[0]->getType())->getNumElements();
    for (uint64_t number = 0; number < registers.size(); ++number) {
      if (number & width)
        continue;
      for (uint64_t upper : {0, 1}) {
        SmallVector<int, 16> order;
        for (uint64_t begin = 0; begin < held; begin += quarter)
          for (uint64_t at = 0; at < quarter; at += 2 * width)
            for (uint64_t source : {0, 1})
              for (uint64_t unit = 0; unit < width; ++unit)
                order.push_back(int(source * held + begin + upper * (quarter / 2) + at / 2 + unit));
        made[number + upper * width] = b.CreateShuffleVector(registers[number], registers[number + width], order);
      }
    }
    return made;
  }
};

} // namespace

PreservedAnalyses oxcl::UnrollWalks::run(Function &function, FunctionAnalysisManager &functions) {
  auto &evolution = functions.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : functions.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || loop->getNumBlocks() != 1 || hasUnrollTransformation(loop) != TM_Unspecified)
      continue;
    BasicBlock &block = *loop->getHeader();
    bool writes = any_of(block, [](Instruction &instruction) { return instruction.mayWriteToMemory(); });
    if (writes || block.size() > mostInstructions)
      continue;
    uint64_t rounds = 0;
    for (Instruction &instruction : block)
      if (std::optional<Gather> gather = gatherOf(instruction, function.getDataLayout(), evolution))
        if (walks(*gather, *loop, evolution))
          rounds = std::max(rounds, longestRow / gather->size);
    if (rounds)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", rounds);
  }
  return PreservedAnalyses::all();
}

PreservedAnalyses oxcl::GatherRows::run(Function &function, FunctionAnalysisManager &functions) {
  auto &costs = functions.getResult<TargetIRAnalysis>(function);
  uint64_t bits = costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  if (bits < 8 * part)
    return PreservedAnalyses::all();
  Weaver weaver(function, functions.getResult<ScalarEvolutionAnalysis>(function), bits / 8);
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= weaver.block(block);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
