// What the functions on images share: the image's description in memory, where a pixel is, and what its bytes mean (OpenCL C 3.0,
// section 6.15.15).
//
// A kernel's image is a pointer to `image_data`, a sampler is its bits; the compiler makes them so after linking, and
// answers `oxcl_image` and `oxcl_sampler` then. Nothing here is decided for a pixel but by fields of the description and bits of the
// sampler, in constant memory or constants: branches on them are the same for all work-items, and gone where they are known.

// PoCL's layout, so that either runs what the other has made.
typedef struct {
  __global uchar *data;
  uint width, height, depth, array_size;
  uint row_pitch, slice_pitch;
  uint levels, samples;
  uint order, type, channels, element;
} image_data;
typedef __constant const image_data *image;

// The description of an image, and the bits of a sampler: calls that the compiler takes away.
#define ASK_IMAGE(type)                                                                                                \
  __attribute__((const)) image OVERLOAD oxcl_image(read_only type);                                                    \
  __attribute__((const)) image OVERLOAD oxcl_image(write_only type);                                                   \
  __attribute__((const)) image OVERLOAD oxcl_image(read_write type);
ASK_IMAGE(image1d_t)
ASK_IMAGE(image1d_buffer_t)
ASK_IMAGE(image1d_array_t)
ASK_IMAGE(image2d_t)
ASK_IMAGE(image2d_array_t)
ASK_IMAGE(image2d_depth_t)
ASK_IMAGE(image2d_array_depth_t)
ASK_IMAGE(image3d_t)
#undef ASK_IMAGE
__attribute__((const)) size_t OVERLOAD oxcl_sampler(sampler_t);
// Whether code is made for images of less than 2^31 bytes alone, all levels together.
__attribute__((const)) bool oxcl_has_few_pixels(image);

// Bits of a sampler. What a sampler says of mipmaps is in higher bits (image_level.h), which a literal has not.
enum { NORMALISED = 1, ADDRESS = 0xe, TO_EDGE = 2, TO_BORDER = 4, REPEAT = 6, MIRROR = 8, LINEAR = 0x20 };

// The levels of a mipmap (cl_khr_mipmap_image) are descriptions one behind the other, the image's own the first: each has its sizes,
// its pitches and where its pixels are, and all have one format, which is asked of the image so that it is the same for all
// work-items whatever levels these read.
HELPER int levels_of(image i) { return __builtin_elementwise_max((int)i->levels, 1); }
HELPER image level_of(image i, int level) { return i + level; }

// Orders of channels that clang's header does not name in every version.
enum {
  ORDER_R = 0x10b0,
  ORDER_A,
  ORDER_RG,
  ORDER_RA,
  ORDER_RGB,
  ORDER_RGBA,
  ORDER_BGRA,
  ORDER_ARGB,
  ORDER_INTENSITY,
  ORDER_LUMINANCE,
  ORDER_RX,
  ORDER_RGX,
  ORDER_RGBX,
  ORDER_DEPTH,
  ORDER_DEPTH_STENCIL,
  ORDER_SRGB,
  ORDER_SRGBX,
  ORDER_SRGBA,
  ORDER_SBGRA,
  ORDER_ABGR
};

// Types of channels.
enum {
  TYPE_SNORM8 = 0x10d0,
  TYPE_SNORM16,
  TYPE_UNORM8,
  TYPE_UNORM16,
  TYPE_565,
  TYPE_555,
  TYPE_101010,
  TYPE_S8,
  TYPE_S16,
  TYPE_S32,
  TYPE_U8,
  TYPE_U16,
  TYPE_U32,
  TYPE_HALF,
  TYPE_FLOAT,
  TYPE_UNORM24,
  TYPE_101010_2
};

// A format is compared as a whole: order and type are one number. The few that pictures are mostly in are known where pixels are
// read and written, beside functions that know all, `oxcl_image_pixel_...`; a branch on the format is the same for all work-items, and taken
// once for as many as run at a time. The work-group pass makes those functions part of kernels that call them little.
#define FORMAT(order, type) ((ulong)(type) << 32 | (order))
enum { ANY_FORMAT, RGBA_UNORM8, R_UNORM8, RGBA_FLOAT, R_FLOAT };
HELPER int quick_format(image i) {
  ulong format = *(__constant const ulong *)&i->order;
  return format == FORMAT(ORDER_RGBA, TYPE_UNORM8)  ? RGBA_UNORM8
         : format == FORMAT(ORDER_RGBA, TYPE_FLOAT) ? RGBA_FLOAT
         : format == FORMAT(ORDER_R, TYPE_FLOAT)    ? R_FLOAT
         : format == FORMAT(ORDER_R, TYPE_UNORM8)   ? R_UNORM8
                                                    : ANY_FORMAT;
}

// The bytes of a pixel: `channels` elements of `element` bytes, one where all channels are in one number.
HELPER long pixel_size(image i) { return (long)(i->channels * i->element); }

// Elements as they are in memory. An image of a buffer's, or of the host's memory, may begin anywhere.
typedef uint uint_any __attribute__((aligned(1)));
typedef ushort ushort_any __attribute__((aligned(1)));
typedef uint2 uint2_any __attribute__((aligned(1)));
typedef uint4 uint4_any __attribute__((aligned(1)));

// A pixel: where it is, by whole numbers. `z` is the slice of a 3-D image, or the element of an array.
typedef struct {
  int x, y, z;
} place;

// What the coordinates of each kind of image name: how many dimensions it has, and whether the number after them names
// an element of an array.
enum { ONE, ONE_ARRAY, TWO, TWO_ARRAY, THREE };

HELPER int4 whole(int c) { return (int4)(c, 0, 0, 0); }
HELPER int4 whole(int2 c) { return (int4)(c.x, c.y, 0, 0); }
HELPER int4 whole(int4 c) { return c; }
HELPER float4 whole(float c) { return (float4)(c, 0.0f, 0.0f, 0.0f); }
HELPER float4 whole(float2 c) { return (float4)(c.x, c.y, 0.0f, 0.0f); }
HELPER float4 whole(float4 c) { return c; }

// The place that coordinates name directly.
HELPER place place_of(int kind, int4 c) {
  place at = {c.x, 0, 0};
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    at.y = c.y;
  if (kind == ONE_ARRAY)
    at.z = c.y;
  if (kind == TWO_ARRAY || kind == THREE)
    at.z = c.z;
  return at;
}

// The row of pixels that a place of a level is in. Pixels are elements of it, by whole numbers and of a size that is known where they are read and
// written: so the compiler sees of neighbours that they lie one behind the other, or what to ask to know it.
HELPER __global uchar *row_of(image level, place at, int kind) {
  __global uchar *p = level->data;
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    p += (long)at.y * level->row_pitch;
  if (kind == ONE_ARRAY || kind == TWO_ARRAY || kind == THREE)
    p += (long)at.z * level->slice_pitch;
  return p;
}

// Where a pixel is read: an element, by a whole number, of a row or of all pixels of a level.
typedef struct {
  __global uchar *from;
  int index;
} spot;

// Of all pixels where the compiler knows that these are few enough: then one number of 32 bits is what differs among work-items, as for
// buffers, and gathers take it as it is. Sizes of pixels are powers of two, and pitches are multiples of them.
HELPER spot spot_of(image i, image level, place at, int kind) {
  if (!oxcl_has_few_pixels(i))
    return (spot){row_of(level, at, kind), at.x};
  int size = (int)pixel_size(i), index = at.x;
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    index += at.y * (int)(level->row_pitch >> __builtin_ctz(size));
  if (kind == ONE_ARRAY || kind == TWO_ARRAY || kind == THREE)
    index += at.z * (int)(level->slice_pitch >> __builtin_ctz(size));
  return (spot){level->data, index};
}

// How many pixels there are in a direction.
HELPER int slices(image i, int kind) { return kind == THREE ? i->depth : kind == TWO || kind == ONE ? 1 : i->array_size; }
