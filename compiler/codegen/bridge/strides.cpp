// See the header.

#include "strides.h"
#include "places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace oxcl;

namespace {

// Elements from lane to lane, at most.
constexpr int64_t longestStride = 8;
// A register of a processor with vectors has no fewer.
constexpr uint64_t leastBits = 128;
// What a lane of a gather takes, where a shuffle takes 1 and a load of a register 0.5.
constexpr double gatheredLane = 0.75;

// A gather or a scatter whose lanes lie `stride` elements apart.
struct Access {
  IntrinsicInst *call;
  Place place;
  // What all lanes add to the base, with it.
  const SCEV *first;
  // Bytes from `first` to lane 0's element that are in what each lane adds.
  int64_t own;
  int64_t stride;
  // Bytes of an element, and lanes.
  int64_t size;
  unsigned lanes;
  bool stores;

  Type *type() const { return stores ? call->getArgOperand(0)->getType() : call->getType(); }
  Align alignment() const { return call->getParamAlign(stores ? 1 : 0).valueOrOne(); }
};

// What a lane adds to its address, if that is a constant.
std::optional<int64_t> added(const Place &place, unsigned lane) {
  int64_t sum = 0;
  for (const Summand &summand : place.own) {
    auto *constant = dyn_cast<Constant>(static_cast<Value *>(summand.number));
    auto *number = constant ? dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane)) : nullptr;
    if (!number)
      return std::nullopt;
    sum += (summand.extension == Extension::Zero ? int64_t(number->getZExtValue()) : number->getSExtValue()) * summand.bytes;
  }
  return sum;
}

std::optional<Access> accessOf(Instruction &instruction, const DataLayout &layout, ScalarEvolution &evolution) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || (call->getIntrinsicID() != Intrinsic::masked_gather && call->getIntrinsicID() != Intrinsic::masked_scatter))
    return std::nullopt;
  bool stores = call->getIntrinsicID() == Intrinsic::masked_scatter;
  auto *type = dyn_cast<FixedVectorType>(stores ? call->getArgOperand(0)->getType() : call->getType());
  if (!type || type->getElementType()->isPointerTy() || !match(call->getArgOperand(stores ? 2 : 1), m_AllOnes()))
    return std::nullopt;
  unsigned lanes = type->getNumElements();
  int64_t size = type->getScalarSizeInBits() / 8;
  if (!isPowerOf2_64(size) || size > 8 || type->getScalarSizeInBits() != 8 * size || !isPowerOf2_32(lanes))
    return std::nullopt;
  std::optional<Place> place = placeOf(call->getArgOperand(stores ? 1 : 0), layout);
  if (!place || place->base->getType()->isVectorTy() || place->own.empty())
    return std::nullopt;
  std::optional<int64_t> begin = added(*place, 0), second = added(*place, 1);
  if (!begin || !second || *second <= *begin || (*second - *begin) % size != 0)
    return std::nullopt;
  int64_t apart = *second - *begin;
  for (unsigned lane = 2; lane < lanes; ++lane)
    if (added(*place, lane) != std::optional(*begin + apart * lane))
      return std::nullopt;
  if (apart < 2 * size || apart > longestStride * size)
    return std::nullopt;
  return Access{call, *place, common(*place, evolution), *begin, apart / size, size, lanes, stores};
}

// Joins the accesses of one function.
class Joiner {
public:
  Joiner(Function &function, ScalarEvolution &evolution, uint64_t registerBytes)
      : layout(function.getDataLayout()), evolution(evolution), registerBytes(registerBytes) {}

  bool block(BasicBlock &block) {
    SmallVector<Access, 16> loads, stores;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(block)) {
      std::optional<Access> access = accessOf(instruction, layout, evolution);
      // Loads move up and stores down: neither passes what may be in the same place, nor what may not return.
      auto isApart = [&](const Access &store) { return disjoint(store, *access); };
      bool passes = access ? access->stores || all_of(stores, isApart)
                           : !instruction.mayWriteToMemory() && !(instruction.mayReadFromMemory() && !stores.empty());
      if (!passes || !isGuaranteedToTransferExecutionToSuccessor(&instruction)) {
        changed |= groups(loads);
        changed |= groups(stores);
        loads.clear();
        stores.clear();
      }
      if (access)
        (access->stores ? stores : loads).push_back(std::move(*access));
    }
    changed |= groups(loads);
    changed |= groups(stores);
    return changed;
  }

private:
  const DataLayout &layout;
  ScalarEvolution &evolution;
  uint64_t registerBytes;

  // An access, and how many elements behind the group's first one lane 0's is.
  struct Member {
    Access *access;
    int64_t offset;
  };

  // The bytes between what lanes 0 of two accesses read or write.
  std::optional<int64_t> distance(const Access &from, const Access &to) {
    auto *apart = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(to.first, from.first));
    return apart ? std::optional(apart->getAPInt().getSExtValue() + to.own - from.own) : std::nullopt;
  }

  // Whether two accesses are known to have no byte in common, as different fields of structures have none, whichever lanes they are.
  bool disjoint(const Access &one, const Access &other) {
    int64_t period = one.stride * one.size;
    if (other.stride * other.size != period)
      return false;
    std::optional<int64_t> apart = distance(one, other);
    if (!apart)
      return false;
    int64_t within = (*apart % period + period) % period;
    return within >= one.size && within + other.size <= period;
  }

  // Whether two accesses can be of one group.
  static bool alike(const Access &one, const Access &other) {
    return one.size == other.size && one.lanes == other.lanes && one.stride == other.stride;
  }

  bool groups(MutableArrayRef<Access> known) {
    bool changed = false;
    SmallVector<bool, 16> taken(known.size());
    for (size_t first = 0; first < known.size(); ++first) {
      if (taken[first])
        continue;
      SmallVector<std::pair<Member, size_t>, 8> apart{{{&known[first], 0}, first}};
      for (size_t other = first + 1; other < known.size(); ++other)
        if (!taken[other] && alike(known[first], known[other]))
          if (std::optional<int64_t> bytes = distance(known[first], known[other]); bytes && *bytes % known[first].size == 0)
            apart.push_back({{&known[other], *bytes / known[first].size}, other});
      llvm::stable_sort(apart, [](const auto &a, const auto &b) { return a.first.offset < b.first.offset; });
      // From the lowest one on, those that lie within one stride.
      for (size_t begin = 0; begin < apart.size();) {
        SmallVector<Member, 8> members;
        size_t end = begin;
        for (; end < apart.size() && apart[end].first.offset < apart[begin].first.offset + known[first].stride; ++end) {
          members.push_back({apart[end].first.access, apart[end].first.offset - apart[begin].first.offset});
          taken[apart[end].second] = true;
        }
        // Nothing that may write to the same place is between stores that are moved.
        auto [least, most] = std::minmax_element(apart.begin() + begin, apart.begin() + end,
                                                 [](const auto &a, const auto &b) { return a.second < b.second; });
        bool alone = most->second - least->second < end - begin;
        changed |= !known[first].stores ? take(members) : alone && join(members);
        begin = end;
      }
    }
    return changed;
  }

  // Lanes that a register holds.
  unsigned held(const Access &access) const { return std::min<uint64_t>(access.lanes, registerBytes / access.size); }

  // Where the first element of a group is, of which this is a member.
  static Value *begin(const Member &member, IRBuilder<> &b) {
    const Access &access = *member.access;
    return b.CreateGEP(b.getInt8Ty(), access.place.base, shared(access.place, access.own - member.offset * access.size, b));
  }

  // The address so many elements behind.
  static Value *behind(Value *start, int64_t elements, int64_t size, IRBuilder<> &b) {
    return b.CreateGEP(b.getInt8Ty(), start, b.getInt64(elements * size));
  }

  static Align alignment(ArrayRef<Member> members) {
    Align least = members[0].access->alignment();
    for (const Member &member : members)
      least = std::min(least, member.access->alignment());
    return least;
  }

  static AAMDNodes aliases(ArrayRef<Member> members) {
    AAMDNodes nodes = members[0].access->call->getAAMetadata();
    for (const Member &member : members)
      nodes = nodes.concat(member.access->call->getAAMetadata());
    return nodes;
  }

  static void erase(ArrayRef<Member> members) {
    for (const Member &member : members)
      member.access->call->eraseFromParent();
  }

  // Makes loads of a group of gathers.
  bool take(ArrayRef<Member> members) {
    const Member *first = &members[0];
    for (const Member &member : members)
      if (member.access->call->comesBefore(first->access->call))
        first = &member;
    const Access &access = *first->access;
    unsigned count = held(access), registers = access.lanes / count;
    int64_t stride = access.stride;
    // The elements of a register's lanes are in so many registers.
    int64_t all = int64_t(count - 1) * stride + members.back().offset + 1;
    unsigned pieces = divideCeil(all, count);
    double shuffles = stride % 2 ? 0.5 * (pieces - 1) + 1.0 : pieces - 1;
    // Where most elements are wanted, taking all of them apart together is less.
    double together = double(stride * Log2_64(stride)) / members.size();
    bool isWhole = isPowerOf2_64(stride) && all == count * stride && together < shuffles;
    if (isWhole)
      shuffles = together;
    if (count < 2 || shuffles + 0.5 * pieces / members.size() > gatheredLane * count)
      return false;
    IRBuilder<> b(access.call);
    Type *element = access.type()->getScalarType();
    auto *part = FixedVectorType::get(element, count);
    Align least = alignment(members);
    AAMDNodes nodes = aliases(members);
    Value *start = begin(*first, b);
    SmallVector<SmallVector<Value *, 4>, 8> made(members.size());
    for (unsigned number = 0; number < registers; ++number) {
      int64_t row = int64_t(number) * count * stride;
      // What is behind the last lane's element is not read: the last load begins so much earlier.
      int64_t earlier = number + 1 == registers ? int64_t(pieces) * count - all : 0;
      SmallVector<Value *, 8> loaded;
      for (unsigned piece = 0; piece < pieces; ++piece) {
        int64_t at = row + int64_t(piece) * count - (piece + 1 == pieces ? earlier : 0);
        LoadInst *load = b.CreateAlignedLoad(part, behind(start, at, access.size, b), least);
        load->setAAMetadata(nodes);
        loaded.push_back(load);
      }
      SmallVector<Value *, 8> parted = isWhole ? unzipped(loaded, count, b) : SmallVector<Value *, 8>();
      for (auto [member, lanes] : zip(members, made)) {
        if (isWhole) {
          lanes.push_back(parted[member.offset]);
          continue;
        }
        SmallVector<Wanted, 16> wanted;
        for (unsigned lane = 0; lane < count; ++lane) {
          int64_t at = lane * stride + member.offset;
          unsigned piece = at / count;
          wanted.push_back({piece, unsigned(at % count + (piece + 1 == pieces ? earlier : 0))});
        }
        lanes.push_back(picked(loaded, wanted, b));
      }
    }
    for (auto [member, lanes] : zip(members, made)) {
      Value *whole = lanes.size() == 1 ? lanes[0] : concatenateVectors(b, lanes);
      whole = b.CreateBitCast(whole, member.access->type());
      member.access->call->replaceAllUsesWith(whole);
    }
    erase(members);
    return true;
  }

  // An element of one of several registers.
  struct Wanted {
    unsigned source;
    unsigned at;
  };

  // A register of elements of others.
  Value *picked(ArrayRef<Value *> sources, ArrayRef<Wanted> wanted, IRBuilder<> &b) {
    unsigned count = wanted.size();
    // Where no two elements are at the same place, blends bring them into one register, and that is turned once.
    SmallVector<int, 16> from(count, -1);
    bool apart = true;
    for (const Wanted &one : wanted) {
      apart &= from[one.at] < 0;
      from[one.at] = one.source;
    }
    if (apart) {
      Value *blended = sources[wanted[0].source];
      for (unsigned source = wanted[0].source + 1; source < sources.size(); ++source) {
        if (!is_contained(from, int(source)))
          continue;
        SmallVector<int, 16> order;
        for (unsigned at = 0; at < count; ++at)
          order.push_back(from[at] == int(source) ? count + at : at);
        blended = b.CreateShuffleVector(blended, sources[source], order);
      }
      SmallVector<int, 16> order;
      for (const Wanted &one : wanted)
        order.push_back(one.at);
      return b.CreateShuffleVector(blended, order);
    }
    // Two and two: what is wanted of both stands at the beginning of one.
    SmallVector<std::pair<Value *, SmallVector<int, 16>>, 8> parts;
    for (const Wanted &one : wanted) {
      if (parts.empty() || parts.back().first != sources[one.source])
        parts.push_back({sources[one.source], {}});
      parts.back().second.push_back(one.at);
    }
    while (parts.size() > 1) {
      SmallVector<std::pair<Value *, SmallVector<int, 16>>, 8> fewer;
      for (size_t number = 0; number < parts.size(); number += 2) {
        if (number + 1 == parts.size()) {
          fewer.push_back(parts[number]);
          continue;
        }
        SmallVector<int, 16> order(parts[number].second), places;
        for (int at : parts[number + 1].second)
          order.push_back(at + int(count));
        for (unsigned at = 0; at < order.size(); ++at)
          places.push_back(at);
        order.resize(count, -1);
        fewer.push_back({b.CreateShuffleVector(parts[number].first, parts[number + 1].first, order), places});
      }
      parts = std::move(fewer);
    }
    return parts[0].second.size() == count ? parts[0].first : nullptr;
  }

  // Makes stores of a group of scatters that come one behind the other, if they write every element.
  bool join(ArrayRef<Member> members) {
    const Access &access = *members[0].access;
    unsigned count = held(access), registers = access.lanes / count;
    auto stride = unsigned(access.stride);
    bool all = members.size() == stride && (stride % 2 || isPowerOf2_32(stride));
    for (auto [number, member] : enumerate(members))
      all &= member.offset == int64_t(number);
    if (!all || count < 2)
      return false;
    const Member *last = &members[0];
    for (const Member &member : members)
      if (last->access->call->comesBefore(member.access->call))
        last = &member;
    IRBuilder<> b(last->access->call);
    Align least = alignment(members);
    AAMDNodes nodes = aliases(members);
    Type *type = access.type();
    Value *start = begin(*last, b);
    SmallVector<Value *, 8> wholes;
    for (const Member &member : members)
      wholes.push_back(b.CreateBitCast(member.access->call->getArgOperand(0), type));
    for (unsigned number = 0; number < registers; ++number) {
      SmallVector<Value *, 8> parts;
      for (Value *whole : wholes) {
        SmallVector<int, 16> order;
        for (unsigned lane = 0; lane < count; ++lane)
          order.push_back(number * count + lane);
        parts.push_back(registers == 1 ? whole : b.CreateShuffleVector(whole, order));
      }
      SmallVector<Value *, 8> woven = stride % 2 ? turned(parts, count, b) : zipped(parts, count, b);
      for (unsigned piece = 0; piece < stride; ++piece) {
        int64_t at = (int64_t(number) * stride + piece) * count;
        StoreInst *store = b.CreateAlignedStore(woven[piece], behind(start, at, access.size, b), least);
        store->setAAMetadata(nodes);
      }
    }
    erase(members);
    return true;
  }

  // The elements of an odd number of registers in turns: each register is turned once so that all of its elements stand where they go to,
  // in one register or another, and blends bring them together.
  static SmallVector<Value *, 8> turned(ArrayRef<Value *> parts, unsigned count, IRBuilder<> &b) {
    auto stride = unsigned(parts.size());
    SmallVector<Value *, 8> placed, woven;
    for (unsigned number = 0; number < stride; ++number) {
      SmallVector<int, 16> order(count);
      for (unsigned lane = 0; lane < count; ++lane)
        order[(lane * stride + number) % count] = lane;
      placed.push_back(b.CreateShuffleVector(parts[number], order));
    }
    for (unsigned piece = 0; piece < stride; ++piece) {
      Value *blended = placed[0];
      for (unsigned number = 1; number < stride; ++number) {
        SmallVector<int, 16> order;
        for (unsigned at = 0; at < count; ++at)
          order.push_back((piece * count + at) % stride == number ? count + at : at);
        blended = b.CreateShuffleVector(blended, placed[number], order);
      }
      woven.push_back(blended);
    }
    return woven;
  }

  // Of 2, 4, … registers of elements those that are as many apart: the first, the second, ….
  static SmallVector<Value *, 8> unzipped(ArrayRef<Value *> parts, unsigned count, IRBuilder<> &b) {
    if (parts.size() == 1)
      return {parts[0]};
    SmallVector<Value *, 8> halves[2], apart(parts.size());
    for (size_t number = 0; number < parts.size(); number += 2)
      for (unsigned odd : {0, 1}) {
        SmallVector<int, 16> order;
        for (unsigned at = 0; at < count; ++at)
          order.push_back(2 * at + odd);
        halves[odd].push_back(b.CreateShuffleVector(parts[number], parts[number + 1], order));
      }
    for (unsigned odd : {0, 1})
      for (auto [number, one] : enumerate(unzipped(halves[odd], count, b)))
        apart[2 * number + odd] = one;
    return apart;
  }

  // The elements of 2, 4, … registers in turns.
  static SmallVector<Value *, 8> zipped(ArrayRef<Value *> parts, unsigned count, IRBuilder<> &b) {
    if (parts.size() == 1)
      return {parts[0]};
    SmallVector<Value *, 8> even, odd, woven;
    for (auto [number, one] : enumerate(parts))
      (number % 2 ? odd : even).push_back(one);
    even = zipped(even, count, b);
    odd = zipped(odd, count, b);
    for (auto [left, right] : zip(even, odd))
      for (unsigned half : {0, 1}) {
        SmallVector<int, 16> order;
        for (unsigned at = 0; at < count / 2; ++at)
          for (unsigned source : {0, 1})
            order.push_back(source * count + half * (count / 2) + at);
        woven.push_back(b.CreateShuffleVector(left, right, order));
      }
    return woven;
  }
};

} // namespace

PreservedAnalyses oxcl::JoinStrides::run(Function &function, FunctionAnalysisManager &functions) {
  auto &costs = functions.getResult<TargetIRAnalysis>(function);
  uint64_t bits = costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  if (bits < leastBits)
    return PreservedAnalyses::all();
  Joiner joiner(function, functions.getResult<ScalarEvolutionAnalysis>(function), bits / 8);
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= joiner.block(block);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
