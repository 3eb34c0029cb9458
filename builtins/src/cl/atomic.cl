// Atomic functions: those of OpenCL C 1.x (`atomic_*` and `atom_*`) and those in the manner of C11 (OpenCL C 3.0,
// section 6.15.12). All work on any address space. Every operation is atomic with regard to the whole system: on the
// devices that run this library a narrower scope would not be cheaper.

#define FOR_ATOMIC_SPACES(M, ...)                                                                                      \
  M(__global, __VA_ARGS__)                                                                                             \
  M(__local, __VA_ARGS__)                                                                                              \
  M(__generic, __VA_ARGS__)

#define EVERYWHERE memory_scope_all_svm_devices

// Which operations a function is made of: the processor's, or plain accesses.
#define WHOLE __opencl_atomic_

#if __SIZEOF_POINTER__ == 4
// 32-bit devices access 64-bit words in two halves. They execute one work-item after another and nothing interrupts them,
// so to the work-items of one device plain accesses are atomic.
#define WIDE plain_

#define PLAIN_FETCH(space, type, name, next)                                                                           \
  HELPER type JOIN(plain_, name)(volatile space JOIN(atomic_, type) * atom, type value, memory_order order,            \
                                 memory_scope scope) {                                                                 \
    (void)order, (void)scope;                                                                                          \
    volatile space type *p = (volatile space type *)atom;                                                              \
    type old = *p;                                                                                                     \
    *p = next;                                                                                                         \
    return old;                                                                                                        \
  }
#define PLAIN_EXCHANGE_IF(space, type, name)                                                                           \
  HELPER bool JOIN(plain_, name)(volatile space JOIN(atomic_, type) * atom, __private type * expected, type value,     \
                                 memory_order success, memory_order failure, memory_scope scope) {                     \
    (void)success, (void)failure, (void)scope;                                                                         \
    volatile space type *p = (volatile space type *)atom;                                                              \
    type old = *p;                                                                                                     \
    bool same = old == *expected;                                                                                      \
    *p = same ? value : old;                                                                                           \
    *expected = old;                                                                                                   \
    return same;                                                                                                       \
  }
#define PLAIN(space, type)                                                                                             \
  HELPER void plain_init(volatile space JOIN(atomic_, type) * atom, type value) {                                      \
    *(volatile space type *)atom = value;                                                                              \
  }                                                                                                                    \
  HELPER void plain_store(volatile space JOIN(atomic_, type) * atom, type value, memory_order order,                   \
                          memory_scope scope) {                                                                        \
    (void)order, (void)scope;                                                                                          \
    *(volatile space type *)atom = value;                                                                              \
  }                                                                                                                    \
  HELPER type plain_load(volatile space JOIN(atomic_, type) * atom, memory_order order, memory_scope scope) {          \
    (void)order, (void)scope;                                                                                          \
    return *(volatile space type *)atom;                                                                               \
  }                                                                                                                    \
  PLAIN_FETCH(space, type, exchange, value)                                                                            \
  PLAIN_FETCH(space, type, fetch_add, old + value)                                                                     \
  PLAIN_FETCH(space, type, fetch_sub, old - value)                                                                     \
  PLAIN_FETCH(space, type, fetch_or, old | value)                                                                      \
  PLAIN_FETCH(space, type, fetch_xor, old ^ value)                                                                     \
  PLAIN_FETCH(space, type, fetch_and, old & value)                                                                     \
  PLAIN_FETCH(space, type, fetch_min, value < old ? value : old)                                                       \
  PLAIN_FETCH(space, type, fetch_max, value > old ? value : old)                                                       \
  PLAIN_EXCHANGE_IF(space, type, compare_exchange_strong)                                                              \
  PLAIN_EXCHANGE_IF(space, type, compare_exchange_weak)

FOR_ATOMIC_SPACES(PLAIN, long)
FOR_ATOMIC_SPACES(PLAIN, ulong)
#else
#define WIDE WHOLE
#endif

// The functions of OpenCL C 1.x: relaxed, and on plain integers.

#define OLD_BINARY(space, type, name, operation)                                                                       \
  OVERLOAD type name(volatile space type *p, type value) {                                                             \
    return operation((volatile space JOIN(atomic_, type) *)p, value, memory_order_relaxed, EVERYWHERE);                      \
  }
#define OLD_UNARY(space, type, name, operation)                                                                        \
  OVERLOAD type name(volatile space type *p) {                                                                         \
    return operation((volatile space JOIN(atomic_, type) *)p, (type)1, memory_order_relaxed, EVERYWHERE);                    \
  }
#define OLD_EXCHANGE_IF(space, type, name, operation)                                                                             \
  OVERLOAD type name(volatile space type *p, type expected, type value) {                                              \
    operation((volatile space JOIN(atomic_, type) *)p, &expected, value,                       \
                                            memory_order_relaxed, memory_order_relaxed, EVERYWHERE);                   \
    return expected;                                                                                                   \
  }
#define OLD(space, type, prefix, by)                                                                                       \
  OLD_BINARY(space, type, JOIN(prefix, add), JOIN(by, fetch_add))                                                \
  OLD_BINARY(space, type, JOIN(prefix, sub), JOIN(by, fetch_sub))                                                \
  OLD_BINARY(space, type, JOIN(prefix, xchg), JOIN(by, exchange))                                                \
  OLD_BINARY(space, type, JOIN(prefix, min), JOIN(by, fetch_min))                                                \
  OLD_BINARY(space, type, JOIN(prefix, max), JOIN(by, fetch_max))                                                \
  OLD_BINARY(space, type, JOIN(prefix, and), JOIN(by, fetch_and))                                                \
  OLD_BINARY(space, type, JOIN(prefix, or), JOIN(by, fetch_or))                                                  \
  OLD_BINARY(space, type, JOIN(prefix, xor), JOIN(by, fetch_xor))                                                \
  OLD_UNARY(space, type, JOIN(prefix, inc), JOIN(by, fetch_add))                                                 \
  OLD_UNARY(space, type, JOIN(prefix, dec), JOIN(by, fetch_sub))                                                 \
  OLD_EXCHANGE_IF(space, type, JOIN(prefix, cmpxchg), JOIN(by, compare_exchange_strong))

FOR_ATOMIC_SPACES(OLD, int, atomic_, WHOLE)
FOR_ATOMIC_SPACES(OLD, uint, atomic_, WHOLE)
FOR_ATOMIC_SPACES(OLD, int, atom_, WHOLE)
FOR_ATOMIC_SPACES(OLD, uint, atom_, WHOLE)
FOR_ATOMIC_SPACES(OLD, long, atom_, WIDE)
FOR_ATOMIC_SPACES(OLD, ulong, atom_, WIDE)
FOR_ATOMIC_SPACES(OLD_BINARY, float, atomic_xchg, __opencl_atomic_exchange)

// The functions in the manner of C11, each in three forms: sequentially consistent, with an order, with order and scope.

#define NEW_BINARY(space, type, operand, name, operation)                                                              \
  OVERLOAD type JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, operand value, memory_order order,             \
                                      memory_scope scope) {                                                            \
    (void)scope;                                                                                                       \
    return operation(p, (type)value, order, EVERYWHERE);                                                               \
  }                                                                                                                    \
  OVERLOAD type JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, operand value, memory_order order) {           \
    return operation(p, (type)value, order, EVERYWHERE);                                                               \
  }                                                                                                                    \
  OVERLOAD type name(volatile space JOIN(atomic_, type) * p, operand value) {                                                \
    return operation(p, (type)value, memory_order_seq_cst, EVERYWHERE);                                                \
  }

#define NEW_EXCHANGE_IF(space, type, expected_space, name, operation)                                                  \
  OVERLOAD bool JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, expected_space type * expected, type value,    \
                                      memory_order success, memory_order failure, memory_scope scope) {                \
    (void)scope;                                                                                                       \
    type seen = *expected;                                                                                             \
    bool done = operation(p, &seen, value, success, failure, EVERYWHERE);                                              \
    *expected = seen;                                                                                                  \
    return done;                                                                                                       \
  }                                                                                                                    \
  OVERLOAD bool JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, expected_space type * expected, type value,    \
                                      memory_order success, memory_order failure) {                                    \
    return JOIN(name, _explicit)(p, expected, value, success, failure, memory_scope_device);                           \
  }                                                                                                                    \
  OVERLOAD bool name(volatile space JOIN(atomic_, type) * p, expected_space type * expected, type value) {                   \
    return JOIN(name, _explicit)(p, expected, value, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device); \
  }

#define NEW_EXCHANGE_IF_BOTH(space, type, expected_space, by)                                                              \
  NEW_EXCHANGE_IF(space, type, expected_space, atomic_compare_exchange_strong,                                         \
                  JOIN(by, compare_exchange_strong))                                                             \
  NEW_EXCHANGE_IF(space, type, expected_space, atomic_compare_exchange_weak, JOIN(by, compare_exchange_weak))

#define NEW_ANY(space, type, by)                                                                                           \
  OVERLOAD void atomic_init(volatile space JOIN(atomic_, type) * p, type value) { JOIN(by, init)(p, value); }          \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order,                \
                                      memory_scope scope) {                                                            \
    (void)scope;                                                                                                       \
    JOIN(by, store)(p, value, order, EVERYWHERE);                                                                \
  }                                                                                                                    \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {              \
    JOIN(by, store)(p, value, order, EVERYWHERE);                                                                \
  }                                                                                                                    \
  OVERLOAD void atomic_store(volatile space JOIN(atomic_, type) * p, type value) {                                           \
    JOIN(by, store)(p, value, memory_order_seq_cst, EVERYWHERE);                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order, memory_scope scope) {       \
    (void)scope;                                                                                                       \
    return JOIN(by, load)(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order) {                           \
    return JOIN(by, load)(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load(volatile space JOIN(atomic_, type) * p) {                                                        \
    return JOIN(by, load)(p, memory_order_seq_cst, EVERYWHERE);                                                  \
  }                                                                                                                    \
  NEW_BINARY(space, type, type, atomic_exchange, JOIN(by, exchange))                                             \
  NEW_EXCHANGE_IF_BOTH(space, type, __global, by)                                                                          \
  NEW_EXCHANGE_IF_BOTH(space, type, __local, by)                                                                           \
  NEW_EXCHANGE_IF_BOTH(space, type, __private, by)                                                                         \
  NEW_EXCHANGE_IF_BOTH(space, type, __generic, by)

#define NEW_FETCH(space, type, operand, by)                                                                                \
  NEW_BINARY(space, type, operand, atomic_fetch_add, JOIN(by, fetch_add))                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_sub, JOIN(by, fetch_sub))                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_or, JOIN(by, fetch_or))                                          \
  NEW_BINARY(space, type, operand, atomic_fetch_xor, JOIN(by, fetch_xor))                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_and, JOIN(by, fetch_and))                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_min, JOIN(by, fetch_min))                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_max, JOIN(by, fetch_max))

#define NEW_INTEGER(space, type, by)                                                                                       \
  NEW_ANY(space, type, by)                                                                                                 \
  NEW_FETCH(space, type, type, by)

FOR_ATOMIC_SPACES(NEW_INTEGER, int, WHOLE)
FOR_ATOMIC_SPACES(NEW_INTEGER, uint, WHOLE)
FOR_ATOMIC_SPACES(NEW_ANY, float, WHOLE)

FOR_ATOMIC_SPACES(NEW_INTEGER, long, WIDE)
FOR_ATOMIC_SPACES(NEW_INTEGER, ulong, WIDE)
// Only 64-bit devices have doubles.
#if __SIZEOF_POINTER__ == 8
FOR_ATOMIC_SPACES(NEW_ANY, double, WHOLE)
#endif

// Pointer-sized integers take an operand of the other signedness: atomic_uintptr_t with a ptrdiff_t, for one.
#if __SIZEOF_POINTER__ == 8
FOR_ATOMIC_SPACES(NEW_FETCH, ulong, long, WHOLE)
FOR_ATOMIC_SPACES(NEW_FETCH, long, ulong, WHOLE)
#else
FOR_ATOMIC_SPACES(NEW_FETCH, uint, int, WHOLE)
FOR_ATOMIC_SPACES(NEW_FETCH, int, uint, WHOLE)
#endif

// A flag is an integer that is 0 (clear) or 1 (set).
#define FLAG(space, ...)                                                                                               \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order,                   \
                                                  memory_scope scope) {                                                \
    (void)scope;                                                                                                       \
    return __opencl_atomic_exchange((volatile space atomic_int *)p, 1, order, EVERYWHERE) != 0;                        \
  }                                                                                                                    \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order) {                 \
    return __opencl_atomic_exchange((volatile space atomic_int *)p, 1, order, EVERYWHERE) != 0;                        \
  }                                                                                                                    \
  OVERLOAD bool atomic_flag_test_and_set(volatile space atomic_flag *p) {                                              \
    return __opencl_atomic_exchange((volatile space atomic_int *)p, 1, memory_order_seq_cst, EVERYWHERE) != 0;         \
  }                                                                                                                    \
  OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order, memory_scope scope) {    \
    (void)scope;                                                                                                       \
    __opencl_atomic_store((volatile space atomic_int *)p, 0, order, EVERYWHERE);                                       \
  }                                                                                                                    \
  OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order) {                        \
    __opencl_atomic_store((volatile space atomic_int *)p, 0, order, EVERYWHERE);                                       \
  }                                                                                                                    \
  OVERLOAD void atomic_flag_clear(volatile space atomic_flag *p) {                                                     \
    __opencl_atomic_store((volatile space atomic_int *)p, 0, memory_order_seq_cst, EVERYWHERE);                        \
  }
FOR_ATOMIC_SPACES(FLAG, )
