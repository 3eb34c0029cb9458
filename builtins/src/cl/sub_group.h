// What the functions of sub-groups are made of (OpenCL C 3.0, section 6.15.19).
//
// A sub-group is so many consecutive work-items of a group, counted by linear ids; the last one of a group may be short.
// Each work-item has a *cell* in memory; the cells of a sub-group's work-items stand side by side in one *row*, in their
// order. An operation puts its value in its own cell, meets the others, and reads theirs or has one work-item, the
// leader, work on the whole row; then they meet again, after which the cells are free. Work-items that do not take part
// keep what is in their cells.

// The size of all sub-groups but the last: a power of two, at most 64. Known when a kernel is compiled.
__attribute__((const)) uint oxcl_sub_group_size(void);
// The calling work-item's cell of so many bytes, a constant power of two.
__private void *oxcl_sub_group_cell(uint bytes);
// Returns when all work-items of the sub-group that can come here are here.
void oxcl_sub_group_meet(void);
// Right after a meeting: for one of those who met, the leader, who they are, a bit for each; for the others 0. Before it
// returns in the others the leader has gone on to the next meeting.
ulong oxcl_sub_group_lead(void);

size_t OVERLOAD get_local_linear_id(void);
size_t OVERLOAD get_local_size(uint dimension);
size_t OVERLOAD get_enqueued_local_size(uint dimension);

#define SIZE oxcl_sub_group_size()

HELPER uint own_lane(void) { return (uint)get_local_linear_id() & (SIZE - 1); }
HELPER uint item_count(void) { return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }
HELPER ulong lanes_below(uint count) { return count == 0 ? 0 : ~0ul >> (64 - count); }
HELPER bool is_in(ulong lanes, uint lane) { return lanes >> lane & 1; }
HELPER uint first_of(ulong lanes) { return (uint)__builtin_ctzl(lanes); }

// The lane itself, or the own one where there is none of that number.
HELPER uint existing(uint lane) {
  uint own = (uint)get_local_linear_id(), me = own & (SIZE - 1);
  lane &= SIZE - 1;
  return own - me + lane < item_count() ? lane : me;
}

// Declares `cell` with the value `x` in it, and meets.
#define PUT(type, x)                                                                                                   \
  __private type *cell = oxcl_sub_group_cell(sizeof(type));                                                            \
  *cell = x;                                                                                                           \
  oxcl_sub_group_meet();
// Does something as the leader, with `row` and `lanes`; then all meet.
#define LEAD(type, what)                                                                                               \
  ulong lanes = oxcl_sub_group_lead();                                                                                 \
  if (lanes != 0) {                                                                                                    \
    __private type *row = cell - own_lane();                                                                           \
    what                                                                                                               \
  }                                                                                                                    \
  oxcl_sub_group_meet();
// Gives what lane `from` has put.
#define TAKE(type, from)                                                                                               \
  type taken = (cell - own_lane())[from];                                                                              \
  oxcl_sub_group_meet();                                                                                               \
  return taken;

// What a leader does to a whole row: there once, and called, for a kernel may have many operations. The compiler knows these
// functions by how their names begin, and leaves them apart.
#define APART(result, name) static __attribute__((noinline)) result JOIN(oxcl_sub_group_row_, name)

#define FOR_LANES for (uint i = 0; i < SIZE; ++i) if (is_in(lanes, i))

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define LOGICAL_AND(a, b) ((a) && (b))
#define LOGICAL_OR(a, b) ((a) || (b))
#define LOGICAL_XOR(a, b) (!(a) != !(b))

// `M(type)` for each type of one element.
#define FOR_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define FOR_FLOATS(M) M(half) M(float) M(double)
#define FOR_SCALARS(M) FOR_INTEGERS(M) FOR_FLOATS(M)
#define FOR_VECTORS_OF(M, type) M(type##2) M(type##3) M(type##4) M(type##8) M(type##16)

// The limits of a type, by its name.
#define LEAST_char CHAR_MIN
#define MOST_char CHAR_MAX
#define LEAST_uchar 0
#define MOST_uchar UCHAR_MAX
#define LEAST_short SHRT_MIN
#define MOST_short SHRT_MAX
#define LEAST_ushort 0
#define MOST_ushort USHRT_MAX
#define LEAST_int INT_MIN
#define MOST_int INT_MAX
#define LEAST_uint 0
#define MOST_uint UINT_MAX
#define LEAST_long LONG_MIN
#define MOST_long LONG_MAX
#define LEAST_ulong 0
#define MOST_ulong ULONG_MAX
#define LEAST_half -(half)INFINITY
#define MOST_half (half)INFINITY
#define LEAST_float -INFINITY
#define MOST_float INFINITY
#define LEAST_double -INFINITY
#define MOST_double INFINITY

// What a row of combined values is made by. Where all lanes take part the values are combined as a tree, in the same
// order whatever runs it; else one after another.
#define COMBINERS(label, type, combine, identity)                                                                      \
  APART(void, reduce_##label)(__private type * row, ulong lanes, uint size) {                                          \
    for (uint base = 0; base < SIZE; base += size) {                                                                   \
      ulong mine = lanes >> base & lanes_below(size);                                                                  \
      if (mine == 0)                                                                                                   \
        continue;                                                                                                      \
      __private type *part = row + base;                                                                               \
      type all;                                                                                                        \
      if (mine == lanes_below(size)) {                                                                                 \
        for (uint step = size / 2; step != 0; step /= 2)                                                               \
          for (uint i = 0; i < step; ++i)                                                                              \
            part[i] = combine(part[i], part[i + step]);                                                                \
        all = part[0];                                                                                                 \
        for (uint i = 0; i < size; ++i)                                                                                \
          part[i] = all;                                                                                               \
      } else {                                                                                                         \
        uint first = first_of(mine);                                                                                   \
        all = part[first];                                                                                             \
        for (uint i = first + 1; i < size; ++i)                                                                        \
          if (is_in(mine, i))                                                                                          \
            all = combine(all, part[i]);                                                                               \
        for (uint i = 0; i < size; ++i)                                                                                \
          if (is_in(mine, i))                                                                                          \
            part[i] = all;                                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  APART(void, inclusive_##label)(__private type * row, ulong lanes) {                                                  \
    if (lanes == lanes_below(SIZE)) {                                                                                  \
      for (uint step = 1; step < SIZE; step *= 2)                                                                      \
        for (uint i = SIZE; i-- > step;)                                                                               \
          row[i] = combine(row[i - step], row[i]);                                                                     \
    } else {                                                                                                           \
      uint first = first_of(lanes);                                                                                    \
      type all = row[first];                                                                                           \
      for (uint i = first + 1; i < SIZE; ++i)                                                                          \
        if (is_in(lanes, i))                                                                                           \
          row[i] = all = combine(all, row[i]);                                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  APART(void, exclusive_##label)(__private type * row, ulong lanes) {                                                  \
    oxcl_sub_group_row_inclusive_##label(row, lanes);                                                                  \
    type before = identity;                                                                                            \
    FOR_LANES {                                                                                                        \
      type next = row[i];                                                                                              \
      row[i] = before;                                                                                                 \
      before = next;                                                                                                   \
    }                                                                                                                  \
  }

#define REDUCES(name, label, type)                                                                                     \
  OVERLOAD type name(type x) {                                                                                         \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_reduce_##label(row, lanes, SIZE);)                                                   \
    return *cell;                                                                                                      \
  }
#define SCAN(name, kind, label, type)                                                                                  \
  OVERLOAD type name(type x) {                                                                                         \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_##kind##label(row, lanes);)                                                          \
    return *cell;                                                                                                      \
  }
