// Sub-groups: their sizes and ids, barriers, votes, ballots, and values of other work-items (OpenCL C 3.0, section
// 6.15.19, and the extensions cl_khr_subgroup_extended_types, non_uniform_vote, ballot, shuffle, shuffle_relative and
// rotate).

#include "sub_group.h"

HELPER uint count_of(uint items) { return (items + SIZE - 1) / SIZE; }

OVERLOAD uint get_sub_group_size(void) {
  uint rest = item_count() - ((uint)get_local_linear_id() & -SIZE);
  return rest < SIZE ? rest : SIZE;
}
OVERLOAD uint get_max_sub_group_size(void) { return SIZE; }
OVERLOAD uint get_num_sub_groups(void) { return count_of(item_count()); }
OVERLOAD uint get_enqueued_num_sub_groups(void) {
  return count_of((uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2)));
}
OVERLOAD uint get_sub_group_id(void) { return (uint)get_local_linear_id() / SIZE; }
OVERLOAD uint get_sub_group_local_id(void) { return own_lane(); }

OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags) {
  (void)flags;
  oxcl_sub_group_meet();
}
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  (void)flags;
  (void)scope;
  oxcl_sub_group_meet();
}

APART(ulong, votes)(const __private int *row, ulong lanes) {
  ulong bits = 0;
  FOR_LANES bits |= (ulong)(row[i] != 0) << i;
  return bits;
}
APART(void, answer)(__private int *row, ulong lanes, int answer) { FOR_LANES row[i] = answer; }

#define VOTE(name, answer)                                                                                             \
  OVERLOAD int name(int predicate) {                                                                                   \
    PUT(int, predicate)                                                                                                \
    LEAD(int, {                                                                                                        \
      ulong bits = oxcl_sub_group_row_votes(row, lanes);                                                               \
      oxcl_sub_group_row_answer(row, lanes, answer);                                                                   \
    })                                                                                                                 \
    return *cell;                                                                                                      \
  }

VOTE(sub_group_all, bits == lanes)
VOTE(sub_group_any, bits != 0)
VOTE(sub_group_non_uniform_all, bits == lanes)
VOTE(sub_group_non_uniform_any, bits != 0)

OVERLOAD int sub_group_elect(void) {
  PUT(int, 0)
  LEAD(int, row[first_of(lanes)] = 1;)
  return *cell;
}

// Vectors of three elements have no cell of their own: they are put as four.
HELPER uint4 in_words(ulong bits) { return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0); }
HELPER ulong bits_of(uint4 words) { return ((ulong)words.y << 32 | words.x) & lanes_below(SIZE); }

APART(void, ballot)(__private ulong *row, ulong lanes) {
  ulong bits = 0;
  FOR_LANES bits |= row[i] << i;
  FOR_LANES row[i] = bits;
}

OVERLOAD uint4 sub_group_ballot(int predicate) {
  __private ulong *cell = oxcl_sub_group_cell(sizeof(ulong));
  *cell = (ulong)(predicate != 0);
  oxcl_sub_group_meet();
  LEAD(ulong, oxcl_sub_group_row_ballot(row, lanes);)
  return in_words(*cell);
}

OVERLOAD int sub_group_inverse_ballot(uint4 value) { return (int)(bits_of(value) >> own_lane() & 1); }
OVERLOAD int sub_group_ballot_bit_extract(uint4 value, uint index) {
  return (int)(bits_of(value) >> (index & 63) & (index < 64));
}
OVERLOAD uint sub_group_ballot_bit_count(uint4 value) { return (uint)__builtin_popcountl(bits_of(value)); }
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 value) {
  return (uint)__builtin_popcountl(bits_of(value) & lanes_below(own_lane() + 1));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 value) {
  return (uint)__builtin_popcountl(bits_of(value) & lanes_below(own_lane()));
}
OVERLOAD uint sub_group_ballot_find_lsb(uint4 value) {
  ulong bits = bits_of(value);
  return bits == 0 ? 0 : (uint)__builtin_ctzl(bits);
}
OVERLOAD uint sub_group_ballot_find_msb(uint4 value) {
  ulong bits = bits_of(value);
  return bits == 0 ? 0 : 63 - (uint)__builtin_clzl(bits);
}

OVERLOAD uint4 get_sub_group_eq_mask(void) { return in_words(1ul << own_lane()); }
OVERLOAD uint4 get_sub_group_ge_mask(void) { return in_words(lanes_below(SIZE) & ~lanes_below(own_lane())); }
OVERLOAD uint4 get_sub_group_gt_mask(void) { return in_words(lanes_below(SIZE) & ~lanes_below(own_lane() + 1)); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return in_words(lanes_below(own_lane() + 1)); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return in_words(lanes_below(own_lane())); }

#define FROM_ONE(type)                                                                                                 \
  OVERLOAD type sub_group_broadcast(type x, uint lane) {                                                               \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(lane))                                                                                         \
  }                                                                                                                    \
  OVERLOAD type sub_group_non_uniform_broadcast(type x, uint lane) {                                                   \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(lane))                                                                                         \
  }

#define FROM_OTHERS(type)                                                                                              \
  FROM_ONE(type)                                                                                                       \
  FOR_VECTORS_OF(FROM_ONE, type)                                                                                       \
  APART(void, first_##type)(__private type * row, ulong lanes) {                                                       \
    type first = row[first_of(lanes)];                                                                                 \
    FOR_LANES row[i] = first;                                                                                          \
  }                                                                                                                    \
  APART(void, equal_##type)(__private type * row, ulong lanes) {                                                       \
    type first = row[first_of(lanes)];                                                                                 \
    bool equal = true;                                                                                                 \
    FOR_LANES equal &= row[i] == first;                                                                                \
    FOR_LANES row[i] = (type)equal;                                                                                    \
  }                                                                                                                    \
  OVERLOAD type sub_group_broadcast_first(type x) {                                                                    \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_first_##type(row, lanes);)                                                           \
    return *cell;                                                                                                      \
  }                                                                                                                    \
  OVERLOAD type sub_group_shuffle(type x, uint lane) {                                                                 \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(lane))                                                                                         \
  }                                                                                                                    \
  OVERLOAD type sub_group_shuffle_xor(type x, uint value) {                                                            \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(own_lane() ^ value))                                                                           \
  }                                                                                                                    \
  OVERLOAD type sub_group_shuffle_up(type x, uint delta) {                                                             \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(own_lane() - delta))                                                                           \
  }                                                                                                                    \
  OVERLOAD type sub_group_shuffle_down(type x, uint delta) {                                                           \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(own_lane() + delta))                                                                           \
  }                                                                                                                    \
  OVERLOAD type sub_group_rotate(type x, int delta) {                                                                  \
    PUT(type, x)                                                                                                       \
    TAKE(type, existing(own_lane() + (uint)delta))                                                                     \
  }                                                                                                                    \
  OVERLOAD type sub_group_clustered_rotate(type x, int delta, uint size) {                                             \
    PUT(type, x)                                                                                                       \
    uint me = own_lane();                                                                                              \
    TAKE(type, existing((me & -size) | ((me + (uint)delta) & (size - 1))))                                             \
  }                                                                                                                    \
  OVERLOAD int sub_group_non_uniform_all_equal(type x) {                                                               \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_equal_##type(row, lanes);)                                                           \
    return *cell != (type)0;                                                                                           \
  }

FOR_SCALARS(FROM_OTHERS)
