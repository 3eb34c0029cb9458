// Atomic functions: those of OpenCL C 1.x (`atomic_*` and `atom_*`) and those in the manner of C11 (OpenCL C 3.0,
// section 6.15.12). All work on any address space. Every operation is atomic with regard to the whole system: on the
// devices that run this library a narrower scope would not be cheaper.

#define FOR_ATOMIC_SPACES(M, ...)                                                                                      \
  M(__global, __VA_ARGS__)                                                                                             \
  M(__local, __VA_ARGS__)                                                                                              \
  M(__generic, __VA_ARGS__)

#define EVERYWHERE memory_scope_all_svm_devices

// The functions of OpenCL C 1.x: relaxed, and on plain integers.

#define OLD_BINARY(space, type, name, operation)                                                                       \
  OVERLOAD type name(volatile space type *p, type value) {                                                             \
    return operation((volatile space JOIN(atomic_, type) *)p, value, memory_order_relaxed, EVERYWHERE);                      \
  }
#define OLD_UNARY(space, type, name, operation)                                                                        \
  OVERLOAD type name(volatile space type *p) {                                                                         \
    return operation((volatile space JOIN(atomic_, type) *)p, (type)1, memory_order_relaxed, EVERYWHERE);                    \
  }
#define OLD_EXCHANGE_IF(space, type, name)                                                                             \
  OVERLOAD type name(volatile space type *p, type expected, type value) {                                              \
    __opencl_atomic_compare_exchange_strong((volatile space JOIN(atomic_, type) *)p, &expected, value,                       \
                                            memory_order_relaxed, memory_order_relaxed, EVERYWHERE);                   \
    return expected;                                                                                                   \
  }
#define OLD(space, type, prefix)                                                                                       \
  OLD_BINARY(space, type, JOIN(prefix, add), __opencl_atomic_fetch_add)                                                \
  OLD_BINARY(space, type, JOIN(prefix, sub), __opencl_atomic_fetch_sub)                                                \
  OLD_BINARY(space, type, JOIN(prefix, xchg), __opencl_atomic_exchange)                                                \
  OLD_BINARY(space, type, JOIN(prefix, min), __opencl_atomic_fetch_min)                                                \
  OLD_BINARY(space, type, JOIN(prefix, max), __opencl_atomic_fetch_max)                                                \
  OLD_BINARY(space, type, JOIN(prefix, and), __opencl_atomic_fetch_and)                                                \
  OLD_BINARY(space, type, JOIN(prefix, or), __opencl_atomic_fetch_or)                                                  \
  OLD_BINARY(space, type, JOIN(prefix, xor), __opencl_atomic_fetch_xor)                                                \
  OLD_UNARY(space, type, JOIN(prefix, inc), __opencl_atomic_fetch_add)                                                 \
  OLD_UNARY(space, type, JOIN(prefix, dec), __opencl_atomic_fetch_sub)                                                 \
  OLD_EXCHANGE_IF(space, type, JOIN(prefix, cmpxchg))

FOR_ATOMIC_SPACES(OLD, int, atomic_)
FOR_ATOMIC_SPACES(OLD, uint, atomic_)
FOR_ATOMIC_SPACES(OLD, int, atom_)
FOR_ATOMIC_SPACES(OLD, uint, atom_)
#if __SIZEOF_POINTER__ == 8
FOR_ATOMIC_SPACES(OLD, long, atom_)
FOR_ATOMIC_SPACES(OLD, ulong, atom_)
#endif
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

#define NEW_EXCHANGE_IF_BOTH(space, type, expected_space)                                                              \
  NEW_EXCHANGE_IF(space, type, expected_space, atomic_compare_exchange_strong,                                         \
                  __opencl_atomic_compare_exchange_strong)                                                             \
  NEW_EXCHANGE_IF(space, type, expected_space, atomic_compare_exchange_weak, __opencl_atomic_compare_exchange_weak)

#define NEW_ANY(space, type)                                                                                           \
  OVERLOAD void atomic_init(volatile space JOIN(atomic_, type) * p, type value) { __opencl_atomic_init(p, value); }          \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order,                \
                                      memory_scope scope) {                                                            \
    (void)scope;                                                                                                       \
    __opencl_atomic_store(p, value, order, EVERYWHERE);                                                                \
  }                                                                                                                    \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {              \
    __opencl_atomic_store(p, value, order, EVERYWHERE);                                                                \
  }                                                                                                                    \
  OVERLOAD void atomic_store(volatile space JOIN(atomic_, type) * p, type value) {                                           \
    __opencl_atomic_store(p, value, memory_order_seq_cst, EVERYWHERE);                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order, memory_scope scope) {       \
    (void)scope;                                                                                                       \
    return __opencl_atomic_load(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order) {                           \
    return __opencl_atomic_load(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load(volatile space JOIN(atomic_, type) * p) {                                                        \
    return __opencl_atomic_load(p, memory_order_seq_cst, EVERYWHERE);                                                  \
  }                                                                                                                    \
  NEW_BINARY(space, type, type, atomic_exchange, __opencl_atomic_exchange)                                             \
  NEW_EXCHANGE_IF_BOTH(space, type, __global)                                                                          \
  NEW_EXCHANGE_IF_BOTH(space, type, __local)                                                                           \
  NEW_EXCHANGE_IF_BOTH(space, type, __private)                                                                         \
  NEW_EXCHANGE_IF_BOTH(space, type, __generic)

#define NEW_FETCH(space, type, operand)                                                                                \
  NEW_BINARY(space, type, operand, atomic_fetch_add, __opencl_atomic_fetch_add)                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_sub, __opencl_atomic_fetch_sub)                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_or, __opencl_atomic_fetch_or)                                          \
  NEW_BINARY(space, type, operand, atomic_fetch_xor, __opencl_atomic_fetch_xor)                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_and, __opencl_atomic_fetch_and)                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_min, __opencl_atomic_fetch_min)                                        \
  NEW_BINARY(space, type, operand, atomic_fetch_max, __opencl_atomic_fetch_max)

#define NEW_INTEGER(space, type)                                                                                       \
  NEW_ANY(space, type)                                                                                                 \
  NEW_FETCH(space, type, type)

FOR_ATOMIC_SPACES(NEW_INTEGER, int)
FOR_ATOMIC_SPACES(NEW_INTEGER, uint)
FOR_ATOMIC_SPACES(NEW_ANY, float)

// Only 64-bit devices have 64-bit atomics.
#if __SIZEOF_POINTER__ == 8
FOR_ATOMIC_SPACES(NEW_INTEGER, long)
FOR_ATOMIC_SPACES(NEW_INTEGER, ulong)
FOR_ATOMIC_SPACES(NEW_ANY, double)
#endif

// Pointer-sized integers take an operand of the other signedness: atomic_uintptr_t with a ptrdiff_t, for one.
#if __SIZEOF_POINTER__ == 8
FOR_ATOMIC_SPACES(NEW_FETCH, ulong, long)
FOR_ATOMIC_SPACES(NEW_FETCH, long, ulong)
#else
FOR_ATOMIC_SPACES(NEW_FETCH, uint, int)
FOR_ATOMIC_SPACES(NEW_FETCH, int, uint)
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
