// Sub-groups: their sizes and ids, barriers, votes, ballots, and values of other work-items (OpenCL C 3.0, section
// 6.15.19, and the extensions cl_khr_subgroup_extended_types, non_uniform_vote, ballot, shuffle, shuffle_relative and
// rotate).

#include "sub_group.h"

HELPER uint count_of(uint items) { return (items + SIZE - 1) / SIZE; }

OVERLOAD uint get_sub_group_size(void) {
  uint rest = (uint)item_count() - (uint)oxcl_sub_group_number() * SIZE;
  return rest < SIZE ? rest : SIZE;
}
OVERLOAD uint get_max_sub_group_size(void) { return SIZE; }
OVERLOAD uint get_num_sub_groups(void) { return count_of((uint)item_count()); }
OVERLOAD uint get_enqueued_num_sub_groups(void) {
  return count_of((uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2)));
}
OVERLOAD uint get_sub_group_id(void) { return (uint)oxcl_sub_group_number(); }
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

#define VOTE(name, answer)                                                                                             \
  OVERLOAD int name(int predicate) { return answer; }

VOTE(sub_group_all, oxcl_lanes_votes(predicate == 0) == 0)
VOTE(sub_group_any, oxcl_lanes_votes(predicate) != 0)
VOTE(sub_group_non_uniform_all, oxcl_lanes_votes(predicate == 0) == 0)
VOTE(sub_group_non_uniform_any, oxcl_lanes_votes(predicate) != 0)

// The first of those who come by.
HELPER uint first_here(void) { return first_of(oxcl_lanes_votes(1)); }

OVERLOAD int sub_group_elect(void) { return first_here() == own_lane(); }

HELPER uint4 in_words(ulong bits) { return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0); }
HELPER ulong bits_of(uint4 words) { return ((ulong)words.y << 32 | words.x) & lanes_below(SIZE); }

OVERLOAD uint4 sub_group_ballot(int predicate) { return in_words(oxcl_lanes_votes(predicate)); }

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
  OVERLOAD type sub_group_broadcast(type x, uint lane) { return oxcl_lanes_pick_##type(x, lane); }                     \
  OVERLOAD type sub_group_non_uniform_broadcast(type x, uint lane) { return oxcl_lanes_pick_##type(x, lane); }

#define FROM_OTHERS(type)                                                                                              \
  FROM_ONE(type)                                                                                                       \
  FOR_VECTORS_OF(FROM_ONE, type)                                                                                       \
  OVERLOAD type sub_group_broadcast_first(type x) { return oxcl_lanes_pick_##type(x, first_here()); }                  \
  OVERLOAD type sub_group_shuffle(type x, uint lane) { return oxcl_lanes_take_##type(x, lane); }                       \
  OVERLOAD type sub_group_shuffle_xor(type x, uint value) { return oxcl_lanes_take_##type(x, own_lane() ^ value); }    \
  OVERLOAD type sub_group_shuffle_up(type x, uint delta) { return oxcl_lanes_take_##type(x, own_lane() - delta); }     \
  OVERLOAD type sub_group_shuffle_down(type x, uint delta) { return oxcl_lanes_take_##type(x, own_lane() + delta); }   \
  OVERLOAD type sub_group_rotate(type x, int delta) { return oxcl_lanes_take_##type(x, own_lane() + (uint)delta); }    \
  OVERLOAD type sub_group_clustered_rotate(type x, int delta, uint size) {                                             \
    uint me = own_lane();                                                                                              \
    return oxcl_lanes_take_##type(x, (me & -size) | ((me + (uint)delta) & (size - 1)));                                \
  }                                                                                                                    \
  OVERLOAD int sub_group_non_uniform_all_equal(type x) {                                                               \
    type first = oxcl_lanes_pick_##type(x, first_here());                                                              \
    return oxcl_lanes_votes(x != first) == 0;                                                                          \
  }

FOR_SCALARS(FROM_OTHERS)
