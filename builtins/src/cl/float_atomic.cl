// Atomic operations on floating values (cl_ext_float_atomics), on 64-bit devices.

#if __SIZEOF_POINTER__ == 8

#define FOR_ATOMIC_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)
#define EVERYWHERE memory_scope_all_svm_devices

// The three forms of a function: sequentially consistent, with an order, with order and scope.
#define FORMS(space, type, name)                                                                                       \
  OVERLOAD type JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, type value, memory_order order,          \
                                      memory_scope scope) {                                                            \
    (void)scope;                                                                                                       \
    return JOIN(own_, name)(p, value, order);                                                                          \
  }                                                                                                                    \
  OVERLOAD type JOIN(name, _explicit)(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {        \
    return JOIN(own_, name)(p, value, order);                                                                          \
  }                                                                                                                    \
  OVERLOAD type name(volatile space JOIN(atomic_, type) * p, type value) {                                             \
    return JOIN(own_, name)(p, value, memory_order_seq_cst);                                                           \
  }
#define FETCH(space, type, name)                                                                                       \
  HELPER type JOIN(own_, name)(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {               \
    return JOIN(__opencl_, name)(p, value, order, EVERYWHERE);                                                         \
  }                                                                                                                    \
  FORMS(space, type, name)
#define FETCHES(space, type)                                                                                           \
  FETCH(space, type, atomic_fetch_add)                                                                                 \
  FETCH(space, type, atomic_fetch_sub)                                                                                 \
  FETCH(space, type, atomic_fetch_min)                                                                                 \
  FETCH(space, type, atomic_fetch_max)

#define MOVES(space, type)                                                                                             \
  FETCH(space, type, atomic_exchange)                                                                                  \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order, memory_scope scope) { \
    (void)scope;                                                                                                       \
    return __opencl_atomic_load(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load_explicit(volatile space JOIN(atomic_, type) * p, memory_order order) {                     \
    return __opencl_atomic_load(p, order, EVERYWHERE);                                                                 \
  }                                                                                                                    \
  OVERLOAD type atomic_load(volatile space JOIN(atomic_, type) * p) {                                                  \
    return __opencl_atomic_load(p, memory_order_seq_cst, EVERYWHERE);                                                  \
  }                                                                                                                    \
  HELPER void own_atomic_store(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {               \
    __opencl_atomic_store(p, value, order, EVERYWHERE);                                                                \
  }                                                                                                                    \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order,          \
                                      memory_scope scope) {                                                            \
    (void)scope;                                                                                                       \
    own_atomic_store(p, value, order);                                                                                 \
  }                                                                                                                    \
  OVERLOAD void atomic_store_explicit(volatile space JOIN(atomic_, type) * p, type value, memory_order order) {        \
    own_atomic_store(p, value, order);                                                                                 \
  }                                                                                                                    \
  OVERLOAD void atomic_store(volatile space JOIN(atomic_, type) * p, type value) {                                     \
    own_atomic_store(p, value, memory_order_seq_cst);                                                                  \
  }

FOR_ATOMIC_SPACES(FETCHES, float)
FOR_ATOMIC_SPACES(FETCHES, double)
FOR_ATOMIC_SPACES(FETCHES, half)
FOR_ATOMIC_SPACES(MOVES, half)

// clang's own declarations of stores of half take the value as an atomic type, which is in the names of the calls.
#define NAMED(name, number, rest) __asm__("_Z" name "PU3AS" #number "VU7_AtomicDhS_" rest)
#define STORES_BY_NAME(space, number)                                                                                  \
  void store_##number(volatile space atomic_half *p, half value) NAMED("12atomic_store", number, "");                  \
  void store_##number(volatile space atomic_half *p, half value) {                                                     \
    own_atomic_store(p, value, memory_order_seq_cst);                                                                  \
  }                                                                                                                    \
  void store_ordered_##number(volatile space atomic_half *p, half value, memory_order order)                           \
      NAMED("21atomic_store_explicit", number, "12memory_order");                                                      \
  void store_ordered_##number(volatile space atomic_half *p, half value, memory_order order) {                         \
    own_atomic_store(p, value, order);                                                                                 \
  }                                                                                                                    \
  void store_scoped_##number(volatile space atomic_half *p, half value, memory_order order, memory_scope scope)        \
      NAMED("21atomic_store_explicit", number, "12memory_order12memory_scope");                                        \
  void store_scoped_##number(volatile space atomic_half *p, half value, memory_order order, memory_scope scope) {      \
    (void)scope;                                                                                                       \
    own_atomic_store(p, value, order);                                                                                 \
  }
STORES_BY_NAME(__global, 1)
STORES_BY_NAME(__local, 3)
STORES_BY_NAME(__generic, 4)
#endif
