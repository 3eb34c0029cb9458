// The mathematical functions in quadruple precision, as sums of two doubles: what the accuracy tests compare with.
// Special cases are those of OpenCL C where they differ from C's.

#include <math.h>
#include <quadmath.h>

typedef __float128 Quad;

static Quad half_turn_reduced(Quad x) { return x - 2 * rintq(x / 2); }

static Quad sinpi_quad(Quad x) {
  Quad r = half_turn_reduced(x);
  if (r == 0 || fabsq(r) == 1)
    return copysignq(0, x);
  if (fabsq(r) > 0.5Q)
    r = copysignq(1 - fabsq(r), r);
  return sinq(r * M_PIq);
}

static Quad cospi_quad(Quad x) {
  Quad r = fabsq(half_turn_reduced(x));
  return r == 0.5Q ? 0 : sinq((0.5Q - r) * M_PIq);
}

static Quad tanpi_quad(Quad x) {
  Quad s = sinpi_quad(x), c = cospi_quad(x);
  if (c == 0)
    return copysignq(HUGE_VALQ, half_turn_reduced(x));
  return s == 0 ? copysignq(0, fabsq(half_turn_reduced(x)) == 1 ? -x : x) : s / c;
}

static Quad powr_quad(Quad x, Quad y) {
  int end = x == 0 || isinfq(x);
  if (x < 0 || (end && y == 0) || (x == 1 && isinfq(y)) || isnanq(x) || isnanq(y))
    return nanq("");
  return powq(fabsq(x), y);
}

static Quad rootn_quad(Quad x, int n) {
  if (n == 0 || (x < 0 && n % 2 == 0))
    return nanq("");
  Quad root = powq(fabsq(x), 1 / (Quad)n);
  return n % 2 == 0 ? root : copysignq(root, x);
}

static Quad ldexp_quad(Quad x, int n) { return scalbnq(x, n > 5000 ? 5000 : n < -5000 ? -5000 : n); }

static Quad gamma_quad(Quad x) { return x < 0 && floorq(x) == x ? nanq("") : tgammaq(x); }

static Quad maxmag_quad(Quad x, Quad y) {
  return fabsq(x) > fabsq(y) ? x : fabsq(y) > fabsq(x) ? y : fmaxq(x, y);
}

static Quad minmag_quad(Quad x, Quad y) {
  return fabsq(x) < fabsq(y) ? x : fabsq(y) < fabsq(x) ? y : fminq(x, y);
}

#define REFERENCE(name, value)                                                                                         \
  void ref_##name(const double *xs, const double *ys, const double *zs, const int *ns, double *high, double *low,      \
                  unsigned long count) {                                                                               \
    for (unsigned long i = 0; i < count; i++) {                                                                        \
      Quad x = xs[i], y = ys[i], z = zs[i];                                                                            \
      int n = ns[i];                                                                                                   \
      (void)y, (void)z, (void)n;                                                                                       \
      Quad exact = value;                                                                                              \
      high[i] = (double)exact;                                                                                         \
      low[i] = isfinite(high[i]) ? (double)(exact - high[i]) : (double)(exact * 0x1p-1000Q);                           \
    }                                                                                                                  \
  }

REFERENCE(acos, acosq(x))
REFERENCE(acosh, acoshq(x))
REFERENCE(acospi, acosq(x) / M_PIq)
REFERENCE(asin, asinq(x))
REFERENCE(asinh, asinhq(x))
REFERENCE(asinpi, asinq(x) / M_PIq)
REFERENCE(atan, atanq(x))
REFERENCE(atan2, atan2q(x, y))
REFERENCE(atan2pi, atan2q(x, y) / M_PIq)
REFERENCE(atanh, atanhq(x))
REFERENCE(atanpi, atanq(x) / M_PIq)
REFERENCE(cbrt, cbrtq(x))
REFERENCE(ceil, ceilq(x))
REFERENCE(copysign, copysignq(x, y))
REFERENCE(cos, cosq(x))
REFERENCE(cosh, coshq(x))
REFERENCE(cospi, cospi_quad(x))
REFERENCE(erf, erfq(x))
REFERENCE(erfc, erfcq(x))
REFERENCE(exp, expq(x))
REFERENCE(exp10, powq(10, x))
REFERENCE(exp2, exp2q(x))
REFERENCE(expm1, expm1q(x))
REFERENCE(fabs, fabsq(x))
REFERENCE(fdim, fdimq(x, y))
REFERENCE(floor, floorq(x))
REFERENCE(fma, fmaq(x, y, z))
REFERENCE(fmax, fmaxq(x, y))
REFERENCE(fmin, fminq(x, y))
REFERENCE(fmod, fmodq(x, y))
REFERENCE(hypot, hypotq(x, y))
REFERENCE(ldexp, ldexp_quad(x, n))
REFERENCE(log, logq(x))
REFERENCE(log10, log10q(x))
REFERENCE(log1p, log1pq(x))
REFERENCE(log2, log2q(x))
REFERENCE(logb, logbq(x))
REFERENCE(maxmag, maxmag_quad(x, y))
REFERENCE(minmag, minmag_quad(x, y))
REFERENCE(pow, powq(x, y))
REFERENCE(pown, powq(x, n))
REFERENCE(powr, powr_quad(x, y))
REFERENCE(remainder, remainderq(x, y))
REFERENCE(rint, rintq(x))
REFERENCE(rootn, rootn_quad(x, n))
REFERENCE(round, roundq(x))
REFERENCE(rsqrt, 1 / sqrtq(x))
REFERENCE(sin, sinq(x))
REFERENCE(sinh, sinhq(x))
REFERENCE(sinpi, sinpi_quad(x))
REFERENCE(sqrt, sqrtq(x))
REFERENCE(tan, tanq(x))
REFERENCE(tanh, tanhq(x))
REFERENCE(tanpi, tanpi_quad(x))
REFERENCE(tgamma, gamma_quad(x))
REFERENCE(trunc, truncq(x))
