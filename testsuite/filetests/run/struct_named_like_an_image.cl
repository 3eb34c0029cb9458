// A structure whose name reads like that of an image type.
// test: run
// run: area global=1 (info=int[6,7], out=zeros:1) -> out=[42]
typedef struct { int width, height; } image_info_t;
kernel void area(image_info_t info, global int *out) { out[0] = info.width * info.height; }
