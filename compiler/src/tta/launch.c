// The program around a kernel: runs all work-groups of the launch that `oxcl_launch` describes.

#define GLOBAL __attribute__((address_space(1)))

void ENTRY(GLOBAL void *args, GLOBAL void *context, unsigned gx, unsigned gy, unsigned gz, unsigned count,
           void *scratch);

// Addresses of the array of argument cells, the context and the scratch memory, then the number of work-groups in each
// dimension.
volatile struct {
  GLOBAL void *args;
  GLOBAL void *context;
  void *scratch;
  unsigned groups[3];
} oxcl_launch;

int main(void) {
  for (unsigned z = 0; z < oxcl_launch.groups[2]; z++)
    for (unsigned y = 0; y < oxcl_launch.groups[1]; y++)
      ENTRY(oxcl_launch.args, oxcl_launch.context, 0, y, z, oxcl_launch.groups[0], oxcl_launch.scratch);
  return 0;
}
