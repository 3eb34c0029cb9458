// Polynomials of the mathematics, low order first: minimax approximations by Remez exchange in high precision, then
// rounded to the type. NAME(t) chooses by FP. The error is the largest of the exact polynomial, relative to the function.

// Horner's scheme.
#define HORNER1(t, a) ((GT)(a))
#define HORNER2(t, a, ...) multiply_add(t, HORNER1(t, __VA_ARGS__), (GT)(a))
#define HORNER3(t, a, ...) multiply_add(t, HORNER2(t, __VA_ARGS__), (GT)(a))
#define HORNER4(t, a, ...) multiply_add(t, HORNER3(t, __VA_ARGS__), (GT)(a))
#define HORNER5(t, a, ...) multiply_add(t, HORNER4(t, __VA_ARGS__), (GT)(a))
#define HORNER6(t, a, ...) multiply_add(t, HORNER5(t, __VA_ARGS__), (GT)(a))
#define HORNER7(t, a, ...) multiply_add(t, HORNER6(t, __VA_ARGS__), (GT)(a))
#define HORNER8(t, a, ...) multiply_add(t, HORNER7(t, __VA_ARGS__), (GT)(a))
#define HORNER9(t, a, ...) multiply_add(t, HORNER8(t, __VA_ARGS__), (GT)(a))
#define HORNER10(t, a, ...) multiply_add(t, HORNER9(t, __VA_ARGS__), (GT)(a))
#define HORNER11(t, a, ...) multiply_add(t, HORNER10(t, __VA_ARGS__), (GT)(a))
#define HORNER12(t, a, ...) multiply_add(t, HORNER11(t, __VA_ARGS__), (GT)(a))
#define HORNER13(t, a, ...) multiply_add(t, HORNER12(t, __VA_ARGS__), (GT)(a))
#define HORNER14(t, a, ...) multiply_add(t, HORNER13(t, __VA_ARGS__), (GT)(a))
#define HORNER15(t, a, ...) multiply_add(t, HORNER14(t, __VA_ARGS__), (GT)(a))
#define HORNER16(t, a, ...) multiply_add(t, HORNER15(t, __VA_ARGS__), (GT)(a))
#define HORNER17(t, a, ...) multiply_add(t, HORNER16(t, __VA_ARGS__), (GT)(a))
#define HORNER18(t, a, ...) multiply_add(t, HORNER17(t, __VA_ARGS__), (GT)(a))
#define HORNER19(t, a, ...) multiply_add(t, HORNER18(t, __VA_ARGS__), (GT)(a))
#define HORNER20(t, a, ...) multiply_add(t, HORNER19(t, __VA_ARGS__), (GT)(a))
#define HORNER21(t, a, ...) multiply_add(t, HORNER20(t, __VA_ARGS__), (GT)(a))
#define HORNER22(t, a, ...) multiply_add(t, HORNER21(t, __VA_ARGS__), (GT)(a))
#define HORNER23(t, a, ...) multiply_add(t, HORNER22(t, __VA_ARGS__), (GT)(a))
#define HORNER24(t, a, ...) multiply_add(t, HORNER23(t, __VA_ARGS__), (GT)(a))

// e^t = 1 + t + t^2 EXP_Q(t) for |t| <= ln(2)/2. Error 2^-28.2 and 2^-58.0.
#define EXP_Q_32(t)                                                                                                   \
  HORNER5(t, 0x1p-1f, 0x1.55548ep-3f, 0x1.55545ep-5f, 0x1.123b92p-7f, 0x1.6db458p-10f)
#define EXP_Q_64(t)                                                                                                   \
  HORNER10(t, 0x1.000000000000cp-1, 0x1.5555555555561p-3, 0x1.555555554ffe9p-5, 0x1.111111110d611p-7,                 \
    0x1.6c16c185b73c6p-10, 0x1.a01a01baf07a3p-13, 0x1.a019966772e6fp-16, 0x1.71dddfaad3eddp-19,                       \
    0x1.28b0731497fbfp-22, 0x1.af85bdeb51238p-26)
#define EXP_Q(t) JOIN(EXP_Q_, FP)(t)

// 2^t = 1 + t EXP2_P(t) for |t| <= 1/2. Error 2^-29.0 and 2^-58.0.
#define EXP2_P_32(t)                                                                                                  \
  HORNER6(t, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6aecep-5f, 0x1.3b29aap-7f, 0x1.5f4894p-10f, 0x1.44907ep-13f)
#define EXP2_P_64(t)                                                                                                  \
  HORNER11(t, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a5p-3, 0x1.c6b08d704a0d7p-5, 0x1.3b2ab6fb9feb2p-7,                 \
    0x1.5d87fe78a0d99p-10, 0x1.4309130f52c2dp-13, 0x1.ffcbfc7c757dbp-17, 0x1.62bfc66e6a546p-20,                       \
    0x1.b524cd8734b2ap-24, 0x1.e61d542edb542p-28, 0x1.ea18e00f99b9ap-32)
#define EXP2_P(t) JOIN(EXP2_P_, FP)(t)

// 10^t = 1 + t EXP10_P(t) for |t| <= log10(2)/2. Error 2^-29.0 and 2^-58.0.
#define EXP10_P_32(t)                                                                                                 \
  HORNER6(t, 0x1.26bb1cp1f, 0x1.53524ep1f, 0x1.046f5ap1f, 0x1.2bd66p0f, 0x1.158c12p-1f, 0x1.a9ee98p-3f)
#define EXP10_P_64(t)                                                                                                 \
  HORNER11(t, 0x1.26bb1bbb55516p1, 0x1.53524c73cea78p1, 0x1.0470591de2cb2p1, 0x1.2bd7609fd4d2ep0,                     \
    0x1.1429ffd1d06f5p-1, 0x1.a7ed70a272bb9p-3, 0x1.16e4dfd6b6fecp-4, 0x1.41165d744b178p-6, 0x1.48977092e51d6p-8,     \
    0x1.2f7577e8ac376p-10, 0x1.fc29e723cf64ep-13)
#define EXP10_P(t) JOIN(EXP10_P_, FP)(t)

// log(1 + t) = t - t^2/2 + t^3 LOG_R(t) for 1 + t from sqrt(1/2) to sqrt(2). Error 2^-30.3.
#define LOG_R_32(t)                                                                                                   \
  HORNER9(t, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a4b6p-3f, -0x1.555c4ep-3f, 0x1.233768p-3f, -0x1.fc21fcp-4f,       \
    0x1.e6f05ep-4f, -0x1.de3c4ep-4f, 0x1.145802p-4f)
#define LOG_R(t) JOIN(LOG_R_, FP)(t)

// 2 atanh(s) = 2 s + s^3 ATANH_R(s^2) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1). Error 2^-36.6 and 2^-58.5.
#define ATANH_R_32(t)                                                                                                 \
  HORNER4(t, 0x1.555554p-1f, 0x1.999a7cp-2f, 0x1.2438a8p-2f, 0x1.e2fdcep-3f)
#define ATANH_R_64(t)                                                                                                 \
  HORNER7(t, 0x1.5555555555593p-1, 0x1.999999997fb34p-2, 0x1.2492494217931p-2, 0x1.c71c51e7fa84ap-3,                  \
    0x1.7466462d2b51ep-3, 0x1.39a0f4d99803dp-3, 0x1.2f0d90f521452p-3)
#define ATANH_R(t) JOIN(ATANH_R_, FP)(t)

// 2 atanh(s) = 2 s + 2/3 s^3 + s^5 ATANH_R2(s^2) in the same range. Error 2^-35.8 and 2^-65.3.
#define ATANH_R2_32(t)                                                                                                \
  HORNER3(t, 0x1.999ap-2f, 0x1.245278p-2f, 0x1.dfa346p-3f)
#define ATANH_R2_64(t)                                                                                                \
  HORNER7(t, 0x1.9999999999b33p-2, 0x1.24924924577fcp-2, 0x1.c71c722de424cp-3, 0x1.745ce9b688448p-3,                  \
    0x1.3b1ef46af2849p-3, 0x1.0f7f1fdca5bbcp-3, 0x1.0e4a374717626p-3)
#define ATANH_R2(t) JOIN(ATANH_R2_, FP)(t)

// sin(t) = t + t^3 SIN_S(t^2) for |t| <= pi/4. Error 2^-28.0 and 2^-58.0.
#define SIN_S_32(t)                                                                                                   \
  HORNER3(t, -0x1.555546p-3f, 0x1.110756p-7f, -0x1.994b3ep-13f)
#define SIN_S_64(t)                                                                                                   \
  HORNER6(t, -0x1.5555555555549p-3, 0x1.111111110f842p-7, -0x1.a01a019c0a315p-13, 0x1.71de357103aep-19,               \
    -0x1.ae5e60c8c051dp-26, 0x1.5d915f1cad70fp-33)
#define SIN_S(t) JOIN(SIN_S_, FP)(t)

// cos(t) = 1 - t^2/2 + t^4 COS_C(t^2) for |t| <= pi/4. Error 2^-33.3 and 2^-64.2.
#define COS_C_32(t)                                                                                                   \
  HORNER3(t, 0x1.55554ap-5f, -0x1.6c0c82p-10f, 0x1.99ff4p-16f)
#define COS_C_64(t)                                                                                                   \
  HORNER6(t, 0x1.555555555554cp-5, -0x1.6c16c16c1514p-10, 0x1.a01a019cab6d2p-16, -0x1.27e4f8052f1e1p-22,              \
    0x1.1ee9e88dd715fp-29, -0x1.8faccff6bf30cp-37)
#define COS_C(t) JOIN(COS_C_, FP)(t)

// atan(t) = t + t^3 ATAN_A(t^2) for |t| <= tan(pi/8). Error 2^-25.6 and 2^-54.7.
#define ATAN_A_32(t)                                                                                                  \
  HORNER4(t, -0x1.555456p-2f, 0x1.99259p-3f, -0x1.1c3ebep-3f, 0x1.4a0d06p-4f)
#define ATAN_A_64(t)                                                                                                  \
  HORNER10(t, -0x1.555555555531fp-2, 0x1.999999994a327p-3, -0x1.24924905b46e7p-3, 0x1.c71c65df4fbcfp-4,               \
    -0x1.745bc4712dcddp-4, 0x1.3afc44b22cd2ap-4, -0x1.1005a10e1231bp-4, 0x1.d258ecc709823p-5, -0x1.6521af8272cp-5,    \
    0x1.5c638286f1d19p-6)
#define ATAN_A(t) JOIN(ATAN_A_, FP)(t)

// asin(t) = t + t^3 ASIN_A(t^2) for |t| <= 1/2. Error 2^-27.6 and 2^-55.8.
#define ASIN_A_32(t)                                                                                                  \
  HORNER5(t, 0x1.5555ccp-3f, 0x1.3300d4p-4f, 0x1.749974p-5f, 0x1.8b1792p-6f, 0x1.5a586ep-5f)
#define ASIN_A_64(t)                                                                                                  \
  HORNER12(t, 0x1.555555555537ap-3, 0x1.333333337121p-4, 0x1.6db6db40c374ep-5, 0x1.f1c72cc7afc55p-6,                  \
    0x1.6e89e6c981a04p-6, 0x1.1c6caddf2c8ap-6, 0x1.c6edeb521567p-7, 0x1.8f2b6d1653597p-7, 0x1.a844576b2eb97p-8,       \
    0x1.426397cd67654p-6, -0x1.0da84f56d43b2p-6, 0x1.06beed307e59fp-5)
#define ASIN_A(t) JOIN(ASIN_A_, FP)(t)

// erf(t) = t ERF_E(t^2) for |t| <= 1. Error 2^-29.6 and 2^-56.9.
#define ERF_E_32(t)                                                                                                   \
  HORNER7(t, 0x1.20dd74p0f, -0x1.81273ep-2f, 0x1.ce2d1ep-4f, -0x1.b7fb86p-6f, 0x1.54186cp-8f, -0x1.a479e6p-11f,       \
    0x1.4ac1bcp-14f)
#define ERF_E_64(t)                                                                                                   \
  HORNER12(t, 0x1.20dd750429b6dp0, -0x1.812746b0379c1p-2, 0x1.ce2f21a040fd4p-4, -0x1.b82ce312050c7p-6,                \
    0x1.565bccfa73f94p-8, -0x1.c02db06cf3a16p-11, 0x1.f9a2bedf66079p-14, -0x1.f4ca8b689e9e1p-17,                      \
    0x1.b9821deae5e74p-20, -0x1.5c149a1953d58p-23, 0x1.d77467c0af997p-27, -0x1.acaeac926312ep-31)
#define ERF_E(t) JOIN(ERF_E_, FP)(t)

// erfc(x) = exp(-x^2) t ERFC_F(1 - 2 K t) with t = 1 / (x + K) from 0 to where it vanishes; K is 3 and 4. Error 2^-28.6 and 2^-57.5.
#define ERFC_F_32(t)                                                                                                  \
  HORNER10(t, 0x1.12f21ep0f, -0x1.c44c48p-1f, 0x1.2e326ap-1f, -0x1.3deac8p-2f, 0x1.e996acp-4f, -0x1.b7c16cp-6f,       \
    -0x1.410024p-10f, 0x1.94072ap-9f, -0x1.fc2b52p-12f, -0x1.56d8aap-12f)
#define ERFC_F_64(t)                                                                                                  \
  HORNER23(t, 0x1.18932bf08e154p0, -0x1.f3fe31ecb49cp-1, 0x1.8be202d26c70cp-1, -0x1.14eacb1ad02c5p-1,                 \
    0x1.52cac2370fe77p-2, -0x1.645fd8a4c0297p-3, 0x1.38dbd2c8f1951p-4, -0x1.b00c052a1d172p-6, 0x1.908f4719f8c1ep-8,   \
    -0x1.269b56e90079ap-12, -0x1.dd284147dd73ap-12, 0x1.72cddc4cce168p-13, -0x1.e7f085e2162d4p-19,                    \
    -0x1.3c7480580ceb8p-16, 0x1.3b12802449f79p-18, 0x1.7f144e4b05ee5p-20, -0x1.c696299ca8dfp-21,                      \
    -0x1.5539bb947bc77p-24, 0x1.0ad7f98293f61p-23, 0x1.073313a25d7c2p-28, -0x1.0588ec53e8b31p-26,                     \
    -0x1.c057df04ae22ep-31, 0x1.d2dbd4f027ce2p-31)
#define ERFC_F(t) JOIN(ERFC_F_, FP)(t)

// log gamma(x) = (x - 1/2) log(x) - x + log(2 pi)/2 + STIRLING_S(1/x^2)/x for x >= 8. Error 2^-28.3 and 2^-63.6.
#define STIRLING_S_32(t)                                                                                              \
  HORNER2(t, 0x1.55554ep-4f, -0x1.6a7b6ep-9f)
#define STIRLING_S_64(t)                                                                                              \
  HORNER7(t, 0x1.5555555555555p-4, -0x1.6c16c16c14af7p-9, 0x1.a01a017e8adc5p-11, -0x1.38134e166afcdp-11,              \
    0x1.b92c938d403d2p-11, -0x1.ef980c25087d8p-10, 0x1.4c3829132c98bp-8)
#define STIRLING_S(t) JOIN(STIRLING_S_, FP)(t)

// log gamma(2 + t) = t LGAMMA_2(t) for |t| <= 1/2. Error 2^-28.7 and 2^-59.4.
#define LGAMMA_2_32(t)                                                                                                \
  HORNER9(t, 0x1.b0ee6p-2f, 0x1.4a34ccp-2f, -0x1.13dfecp-4f, 0x1.513584p-6f, -0x1.e424aap-8f, 0x1.795b82p-9f,         \
    -0x1.34bf2cp-10f, 0x1.2ad17ep-11f, -0x1.1b12fep-12f)
#define LGAMMA_2_64(t)                                                                                                \
  HORNER19(t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557616p-4, 0x1.51322ac7d7ff6p-6,                \
    -0x1.e404fc21886d1p-8, 0x1.7add6eae57e5bp-9, -0x1.38ac5c30ae075p-10, 0x1.0b36af357d7a9p-11,                       \
    -0x1.d3fd49394363fp-13, 0x1.a127dc9d63f03p-14, -0x1.78deff5f0a015p-15, 0x1.5806e61c03139p-16,                     \
    -0x1.3ca91586a3568p-17, 0x1.263fbdb0f1cecp-18, -0x1.131f54222b1c5p-19, 0x1.ee0240e5c447cp-21,                     \
    -0x1.c2e19c072c8d4p-22, 0x1.2b31d3d9155cp-22, -0x1.33ef9c38aa132p-23)
#define LGAMMA_2(t) JOIN(LGAMMA_2_, FP)(t)

// 1 / cbrt(t), coarse, for t from sqrt(1/2) to sqrt(2). Error 2^-17.4 and 2^-25.4.
#define CBRT_INVERSE_32(t)                                                                                            \
  HORNER6(t, 0x1.002e0ep1f, -0x1.3fa0ecp1f, 0x1.6839p1f, -0x1.eb653ap0f, 0x1.6c0392p-1f, -0x1.c2884ap-4f)
#define CBRT_INVERSE_64(t)                                                                                            \
  HORNER9(t, 0x1.26e6115ed7281p1, -0x1.26a997e23f242p2, 0x1.2434328960904p3, -0x1.929efdbd78767p3,                    \
    0x1.7a2c11cb8fefbp3, -0x1.dcb09a4bdbdc9p2, 0x1.82636133bf6acp1, -0x1.6c7301a0b3fd1p-1, 0x1.3052f4cac0fc4p-4)
#define CBRT_INVERSE(t) JOIN(CBRT_INVERSE_, FP)(t)
