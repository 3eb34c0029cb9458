// Copies that a work-group makes together (OpenCL C 3.0, section 6.15.11), and prefetch.

void OVERLOAD barrier(cl_mem_fence_flags flags);
size_t OVERLOAD get_local_id(uint dimension);
size_t OVERLOAD get_local_size(uint dimension);

// Every work-item of the group copies its share at once, so an event has nothing to remember and waiting for one is
// meeting the others.
#define WAIT(space)                                                                                                    \
  OVERLOAD void wait_group_events(int count, space event_t *events) {                                                  \
    (void)count;                                                                                                       \
    (void)events;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                               \
  }
FOR_WRITABLE_SPACES(WAIT)
#undef WAIT

// The work-item's number in its group, and the group's size.
HELPER size_t item_number(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
HELPER size_t item_count(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

#define BODY "async_copy.inc"
#define TYPE_BODY "for_widths.h"
#include "for_integers.h"
#include "for_floats.h"
#include "for_half.h"
