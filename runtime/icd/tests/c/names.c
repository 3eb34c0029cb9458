/* The names that a program sees are the user's choice: WANT_NAME and WANT_VENDOR say what that comes to. Everything else
   stays what it is, the number of the vendor among it. */
#include "client.h"

static void expect_text(cl_int outcome, const char *text, const char *want) {
  OK(outcome);
  TRUE(strcmp(text, want) == 0);
}

int main(void) {
  char text[256];
  const char *name = getenv("WANT_NAME"), *vendor = getenv("WANT_VENDOR");
  TRUE(name && vendor);
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  expect_text(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL), text, name);
  expect_text(clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof text, text, NULL), text, vendor);
  expect_text(clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof text, text, NULL), text, vendor);
  OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
  TRUE(strstr(text, " oxcl ") != NULL);
  cl_uint number = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof number, &number, NULL));
  EQ(number, 0x6f78);
  return 0;
}
