// Copies that a work-group makes together (OpenCL C 3.0, section 6.15.11), and prefetch.

#include "group.h"

void OVERLOAD barrier(cl_mem_fence_flags flags);

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

#define BODY "async_copy.inc"
#define TYPE_BODY "for_widths.h"
#include "for_integers.h"
#include "for_floats.h"
#include "for_half.h"

// Copies of lines and planes (cl_khr_extended_async_copies): offsets and lengths count elements, and a total length is from the
// beginning of one line or plane to that of the next.
HELPER void copy_bytes(__local uchar *d, const __global uchar *s, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    d[i] = s[i];
}
HELPER void copy_bytes(__global uchar *d, const __local uchar *s, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    d[i] = s[i];
}

#define COPY_LINES(to, from)                                                                                           \
  OVERLOAD event_t async_work_group_copy_3D3D(to void *d, size_t d_offset, const from void *s, size_t s_offset,        \
                                              size_t element, size_t length, size_t lines, size_t planes,              \
                                              size_t s_line, size_t s_plane, size_t d_line, size_t d_plane,            \
                                              event_t event) {                                                         \
    size_t all = length * lines * planes, step = item_count();                                                         \
    for (size_t i = item_number(); i < all; i += step) {                                                               \
      size_t x = i % length, y = i / length % lines, z = i / length / lines;                                           \
      copy_bytes((to uchar *)d + (d_offset + z * d_plane + y * d_line + x) * element,                                  \
                 (const from uchar *)s + (s_offset + z * s_plane + y * s_line + x) * element, element);                \
    }                                                                                                                  \
    return event;                                                                                                      \
  }                                                                                                                    \
  OVERLOAD event_t async_work_group_copy_2D2D(to void *d, size_t d_offset, const from void *s, size_t s_offset,        \
                                              size_t element, size_t length, size_t lines, size_t s_line,              \
                                              size_t d_line, event_t event) {                                          \
    return async_work_group_copy_3D3D(d, d_offset, s, s_offset, element, length, lines, 1, s_line, 0, d_line, 0, event); \
  }
COPY_LINES(__local, __global)
COPY_LINES(__global, __local)

// Every work-item has copied its share: what comes after waits for those of the others.
OVERLOAD void async_work_group_copy_fence(cl_mem_fence_flags flags) { barrier(flags); }
