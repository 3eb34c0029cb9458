// The operations among the lanes of a sub-group, where its work-items run one at a time.
//
// Each work-item has a *cell* in memory; the cells of a sub-group's work-items stand side by side in one *row*, in their
// order. An operation puts its value in its own cell, meets the others, and reads theirs or has one work-item, the
// leader, work on the whole row; then they meet again, after which the cells are free. Work-items that do not take part
// keep what is in their cells. Vectors of three elements have no cell of their own: they are put as four.

#include "combine.h"
#include "sub_group.h"

// The calling work-item's cell of so many bytes, a constant power of two.
__private void *oxcl_sub_group_cell(uint bytes);
// Right after a meeting: for one of those who met, the leader, who they are, a bit for each; for the others 0. Before it
// returns in the others the leader has gone on to the next meeting.
ulong oxcl_sub_group_lead(void);

// An operation: the compiler knows it by its name, and inlines it where it does not make it itself.
#define OPERATION(result, name) __attribute__((noinline)) result JOIN(oxcl_lanes_, name)
// What a leader does to a whole row: there once, and called, for a kernel may have many operations. The compiler knows these
// functions by how their names begin, and leaves them apart.
#define APART(name) static __attribute__((noinline)) void JOIN(oxcl_sub_group_row_, name)

#define FOR_LANES for (uint i = 0; i < SIZE; ++i) if (is_in(lanes, i))

// Declares `cell` with the value `x` in it, and meets.
#define PUT(type, x)                                                                                                   \
  __private type *cell = oxcl_sub_group_cell(sizeof(type));                                                            \
  *cell = x;                                                                                                           \
  oxcl_sub_group_meet();
// Does something as the leader, with `row` and `lanes`; then all meet, and the own cell's value is given.
#define LEAD(type, what)                                                                                               \
  ulong lanes = oxcl_sub_group_lead();                                                                                 \
  if (lanes != 0) {                                                                                                    \
    __private type *row = cell - own_lane();                                                                           \
    what;                                                                                                              \
  }                                                                                                                    \
  oxcl_sub_group_meet();                                                                                               \
  return *cell;

APART(votes)(__private ulong *row, ulong lanes) {
  ulong bits = 0;
  FOR_LANES bits |= row[i] << i;
  FOR_LANES row[i] = bits;
}
OPERATION(ulong, votes)(int predicate) {
  PUT(ulong, (ulong)(predicate != 0))
  LEAD(ulong, oxcl_sub_group_row_votes(row, lanes))
}

// The lane itself, or the own one where there is none of that number.
HELPER uint existing(uint lane) {
  uint own = (uint)get_local_linear_id(), me = own & (SIZE - 1);
  lane &= SIZE - 1;
  return own - me + lane < (uint)item_count() ? lane : me;
}

#define TAKEN(type, name)                                                                                              \
  OPERATION(type, name##_##type)(type x, uint lane) {                                                                  \
    PUT(type, x)                                                                                                       \
    type taken = (cell - own_lane())[existing(lane)];                                                                  \
    oxcl_sub_group_meet();                                                                                             \
    return taken;                                                                                                      \
  }
#define FROM_ANOTHER(type) TAKEN(type, pick) TAKEN(type, take)
#define FROM_ANOTHER_ALL(type) FROM_ANOTHER(type) FOR_VECTORS_OF(FROM_ANOTHER, type)
FOR_SCALARS(FROM_ANOTHER_ALL)

// Numbers are combined as a tree, in the same order whoever is there: the identity stands for those who are not.
#define NAMED(type, name, combine, identity)                                                                           \
  APART(reduce_##name##_##type)(__private type * row, ulong lanes, uint size) {                                        \
    type all[64];                                                                                                      \
    for (uint i = 0; i < SIZE; ++i)                                                                                    \
      all[i] = is_in(lanes, i) ? row[i] : (type)identity;                                                              \
    for (uint step = size / 2; step != 0; step /= 2)                                                                   \
      for (uint i = 0; i + step < SIZE; ++i)                                                                           \
        all[i] = combine(all[i], all[i + step]);                                                                       \
    FOR_LANES row[i] = all[i & -size];                                                                                 \
  }                                                                                                                    \
  HELPER void scan_##name(__private type * all, const __private type * row, ulong lanes) {                             \
    for (uint i = 0; i < SIZE; ++i)                                                                                    \
      all[i] = is_in(lanes, i) ? row[i] : (type)identity;                                                              \
    for (uint step = 1; step < SIZE; step *= 2)                                                                        \
      for (uint i = SIZE; i-- > step;)                                                                                 \
        all[i] = combine(all[i - step], all[i]);                                                                       \
  }                                                                                                                    \
  APART(inclusive_##name##_##type)(__private type * row, ulong lanes) {                                                \
    type all[64];                                                                                                      \
    scan_##name(all, row, lanes);                                                                                      \
    FOR_LANES row[i] = all[i];                                                                                         \
  }                                                                                                                    \
  APART(exclusive_##name##_##type)(__private type * row, ulong lanes) {                                                \
    type all[64];                                                                                                      \
    scan_##name(all, row, lanes);                                                                                      \
    FOR_LANES row[i] = i == 0 ? (type)identity : all[i - 1];                                                           \
  }                                                                                                                    \
  OPERATION(type, reduce_##name##_##type)(type x, uint size) {                                                         \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_reduce_##name##_##type(row, lanes, size))                                            \
  }                                                                                                                    \
  OPERATION(type, inclusive_##name##_##type)(type x) {                                                                 \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_inclusive_##name##_##type(row, lanes))                                               \
  }                                                                                                                    \
  OPERATION(type, exclusive_##name##_##type)(type x) {                                                                 \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_exclusive_##name##_##type(row, lanes))                                               \
  }
FOR_ALL_NAMED
