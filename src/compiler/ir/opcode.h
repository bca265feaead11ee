// The operations of the IR, in one table: the name in text, and the shape, which says what operands and results a verifier
// expects. An operation with a sign, a width or a rounding has it in its name; nothing follows from the type of an operand.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyrt::compiler::ir {

enum class Shape : uint8_t {
  kConstant,         // -> any; `numbers` are the bits of each component
  kIntegers,         // (T, T) -> T of integers
  kBits,             // the same, also of bools
  kFloats,           // (T, T) -> T of floating types
  kFloat,            // (T) -> T
  kFused,            // (T, T, T) -> T of floating types
  kCompareBits,      // (T, T) -> bool of integers, bools and pointers
  kCompareIntegers,  // (T, T) -> bool of integers and pointers
  kCompareFloats,    // (T, T) -> bool of floating types
  kSelect,           // (bool, T, T) -> T; the bool has one component or as many as T
  kNarrow,           // an integer to one of fewer bits
  kWiden,            // a bool or an integer to an integer of more bits
  kFloatNarrow,
  kFloatWiden,
  kFloatToInteger,
  kIntegerToFloat,
  kBitcast,      // any but pointers, the same number of bits in all
  kFromPointer,  // a pointer to i64
  kToPointer,    // i64 to a pointer
  kSplat,        // (element) -> vector
  kBuild,        // (element, ...) -> vector
  kExtract,      // (vector) -> element; `numbers`: which
  kInsert,       // (vector, element) -> vector; `numbers`: which
  kShuffle,      // (vector) -> vector; `numbers`: which component each is
  kSpread,       // (T) -> T with lanes, the same in each
  kSteps,        // (an integer or a pointer) -> the same with lanes; each has `numbers[0]` more than the one before it
  kLane,         // (T with lanes, i32) -> T
  kAny,          // (bool with lanes) -> bool: whether it holds in one
  kAddress,      // -> pointer to `object`
  kOffset,       // (pointer, i64) -> pointer; bytes, which wrap
  // (pointer) -> any but void and bool; `alignment`, `is_volatile`. With lanes: each from its own pointer, or `numbers[0]`
  // bytes after the one before it, or as many as a further operand says, an i64. A last operand, a bool with lanes: only where
  // it holds, else 0. With `in_order`, which all of a row of vectors side by side may be, the elements are in the order of
  // memory: component k of lane l is element k * lanes + l of the row, not element l * components + k.
  kLoad,
  kStore,     // (value, pointer), and as a load; where several lanes share a place, one of them stays
  kCopy,      // (to, from), `bytes`; the two are the same object or do not meet
  kFill,      // (to), `bytes` of zeros
  kWorkItem,  // (i32 dimension) or () -> i64 or i32; `work_item`
  kBuiltin,   // as `signature` says
  kCall,      // as `callee` says
  kBarrier,   // every item of the group comes here; `numbers`: the flags
  kSubGroup,  // as `signature` says: every item of the sub-group that has not ended comes to one, and gives a value
  kFence,     // `numbers`: the flags
  kPrefetch,  // (pointer): asks a cache for what lies `numbers[0]` bytes after it, wherever that is
  kIf,        // (bool) { then } { else }; results are those of the yields
  kLoop,      // (start values...) { body: one parameter for each } { step: as `continue` gives them }; results as `break` has
  // (i64 limits...) { for each work-item of the group that has not ended }; results as the last one's yield has. `numbers`, of
  // each limit: twice its dimension, where items whose local id is less do nothing; one more, where those do that reach it.
  // With lanes, along a dimension: a first region for as many neighbours as `lanes` says, and a second one for fewer, whose
  // parameter says which. An id in there is that of the first neighbour. No item of the first region is beyond the limits. With
  // `jam`, along a dimension: a third region, for as many vectors of the first one, which lie side by side.
  kItems,
  // (bool with lanes) { (i32 lane) for each lane where it holds, in their order }; results with lanes, as the yields have
  // them. Ids in there are the lane's.
  kEach,
  kSwitch,       // (integer, values...) a region for each of `cases`, whose parameters are the values; results as `leave` has
  kEnd,          // (bool with lanes): the items of these lanes have ended
  kYield,        // ends a region of an if, of items or of each
  kContinue,     // ends a body: to the step of the innermost loop
  kNext,         // ends a step: to the body
  kBreak,        // ends the innermost loop, from its body or its step
  kLeave,        // ends the innermost switch
  kFallThrough,  // to the next region of the innermost switch
  kReturn        // (value) or ()
};

// name, text, shape
#define MANYRT_IR_OPCODES(X)                   \
  X(kConstant, "constant", kConstant)          \
  X(kAdd, "add", kIntegers)                    \
  X(kSub, "sub", kIntegers)                    \
  X(kMul, "mul", kIntegers)                    \
  X(kSDiv, "sdiv", kIntegers)                  \
  X(kUDiv, "udiv", kIntegers)                  \
  X(kSRem, "srem", kIntegers)                  \
  X(kURem, "urem", kIntegers)                  \
  X(kShl, "shl", kIntegers)                    \
  X(kLShr, "lshr", kIntegers)                  \
  X(kAShr, "ashr", kIntegers)                  \
  X(kAnd, "and", kBits)                        \
  X(kOr, "or", kBits)                          \
  X(kXor, "xor", kBits)                        \
  X(kFAdd, "fadd", kFloats)                    \
  X(kFSub, "fsub", kFloats)                    \
  X(kFMul, "fmul", kFloats)                    \
  X(kFDiv, "fdiv", kFloats)                    \
  X(kFNeg, "fneg", kFloat)                     \
  X(kFma, "fma", kFused)                       \
  X(kEq, "eq", kCompareBits)                   \
  X(kNe, "ne", kCompareBits)                   \
  X(kSLt, "slt", kCompareIntegers)             \
  X(kSLe, "sle", kCompareIntegers)             \
  X(kULt, "ult", kCompareIntegers)             \
  X(kULe, "ule", kCompareIntegers)             \
  X(kFEq, "feq", kCompareFloats)               \
  X(kFNe, "fne", kCompareFloats)               \
  X(kFLt, "flt", kCompareFloats)               \
  X(kFLe, "fle", kCompareFloats)               \
  X(kSelect, "select", kSelect)                \
  X(kTrunc, "trunc", kNarrow)                  \
  X(kZExt, "zext", kWiden)                     \
  X(kSExt, "sext", kWiden)                     \
  X(kFPTrunc, "fptrunc", kFloatNarrow)         \
  X(kFPExt, "fpext", kFloatWiden)              \
  X(kFPToSI, "fptosi", kFloatToInteger)        \
  X(kFPToUI, "fptoui", kFloatToInteger)        \
  X(kSIToFP, "sitofp", kIntegerToFloat)        \
  X(kUIToFP, "uitofp", kIntegerToFloat)        \
  X(kBitcast, "bitcast", kBitcast)             \
  X(kPtrToInt, "ptrtoint", kFromPointer)       \
  X(kIntToPtr, "inttoptr", kToPointer)         \
  X(kSplat, "splat", kSplat)                   \
  X(kBuild, "build", kBuild)                   \
  X(kExtract, "extract", kExtract)             \
  X(kInsert, "insert", kInsert)                \
  X(kShuffle, "shuffle", kShuffle)             \
  X(kSpread, "spread", kSpread)                \
  X(kSteps, "steps", kSteps)                   \
  X(kLane, "lane", kLane)                      \
  X(kAny, "any", kAny)                         \
  X(kAddress, "address", kAddress)             \
  X(kOffset, "offset", kOffset)                \
  X(kLoad, "load", kLoad)                      \
  X(kStore, "store", kStore)                   \
  X(kCopy, "copy", kCopy)                      \
  X(kFill, "fill", kFill)                      \
  X(kWorkItem, "workitem", kWorkItem)          \
  X(kBuiltin, "builtin", kBuiltin)             \
  X(kCall, "call", kCall)                      \
  X(kBarrier, "barrier", kBarrier)             \
  X(kSubGroup, "subgroup", kSubGroup)          \
  X(kFence, "fence", kFence)                   \
  X(kPrefetch, "prefetch", kPrefetch)          \
  X(kIf, "if", kIf)                            \
  X(kLoop, "loop", kLoop)                      \
  X(kItems, "items", kItems)                   \
  X(kEach, "each", kEach)                      \
  X(kSwitch, "switch", kSwitch)                \
  X(kEnd, "end", kEnd)                         \
  X(kYield, "yield", kYield)                   \
  X(kContinue, "continue", kContinue)          \
  X(kNext, "next", kNext)                      \
  X(kBreak, "break", kBreak)                   \
  X(kLeave, "leave", kLeave)                   \
  X(kFallThrough, "fallthrough", kFallThrough) \
  X(kReturn, "return", kReturn)

enum class Opcode : uint8_t {
#define X(name, text, shape) name,
  MANYRT_IR_OPCODES(X)
#undef X
};

const char* spell(Opcode op);
Shape shapeOf(Opcode op);
bool findOpcode(std::string_view text, Opcode* op);  // false: there is none of this name
bool isTerminator(Opcode op);                        // ends a region
// A value of its operands and attributes alone: it may be computed twice, or not at all.
bool isPure(Opcode op);

}  // namespace manyrt::compiler::ir
