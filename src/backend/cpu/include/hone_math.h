// Functions on whole vectors, element by element. Include it behind hone.h; it brings hone_lanes.h along.
//
//   hone_exp hone_log hone_log1p hone_tanh hone_erf hone_sqrt hone_abs hone_floor hone_sign
//   hone_number_max hone_number_min
//
// Against the exact result the functions of floats are off by at most 3 units in the last place (hone_exp, hone_log:
// 1.5), those of doubles by 2.5, hone_sqrt by half. Zeros, infinities, NaN, denormals and overflow come out as in the
// C library. The tests measure all this. Polynomials are fits of our own (Chebyshev, by mpmath), on the intervals named
// beside them.
//
// Overloads come in pairs, as in hone_lanes.h.
#pragma once

#include "hone_lanes.h"

// Larger and smaller where either may be NaN: the number is taken.
static inline f32v hone_number_max(f32v a, f32v b)
{
  return hone_select((a > b) | (b != b), a, b);
}

static inline f64v hone_number_max(f64v a, f64v b)
{
  return hone_select((a > b) | (b != b), a, b);
}

static inline f32v hone_number_min(f32v a, f32v b)
{
  return hone_select((a < b) | (b != b), a, b);
}

static inline f64v hone_number_min(f64v a, f64v b)
{
  return hone_select((a < b) | (b != b), a, b);
}

static inline f32v hone_abs(f32v x)
{
  return (f32v)(hone_bits(x) & 0x7fffffff);
}

static inline f64v hone_abs(f64v x)
{
  return (f64v)(hone_bits(x) & INT64_MAX);
}

// `size` with the sign of `from`.
static inline f32v hone_with_sign(f32v size, f32v from)
{
  return (f32v)(hone_bits(size) | (hone_bits(from) & INT32_MIN));
}

static inline f64v hone_with_sign(f64v size, f64v from)
{
  return (f64v)(hone_bits(size) | (hone_bits(from) & INT64_MIN));
}

static inline f32v hone_sqrt(f32v x)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_sqrtps512_mask(x, x, (uint16_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_sqrtps256(x);
#else
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    x[lane] = sqrtf(x[lane]);
  }
  return x;
#endif
}

static inline f64v hone_sqrt(f64v x)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd512_mask(x, x, (uint8_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd256(x);
#else
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    x[lane] = sqrt(x[lane]);
  }
  return x;
#endif
}

static inline f32v hone_floor(f32v x)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_rndscaleps_mask(x, 9, x, (uint16_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_roundps256(x, 9);
#else
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    x[lane] = floorf(x[lane]);
  }
  return x;
#endif
}

static inline f64v hone_floor(f64v x)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_rndscalepd_mask(x, 9, x, (uint8_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_roundpd256(x, 9);
#else
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    x[lane] = floor(x[lane]);
  }
  return x;
#endif
}

static inline f32v hone_sign(f32v x)
{
  const f32v zero = {};
  return hone_select(x > zero, zero + 1, hone_select(x < zero, zero - 1, zero));
}

static inline f64v hone_sign(f64v x)
{
  const f64v zero = {};
  return hone_select(x > zero, zero + 1, hone_select(x < zero, zero - 1, zero));
}

// x, but no more than `most`, or no less than `least`; NaN stays.
static inline f32v hone_at_most(f32v x, float most)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_minps512_mask(hone_broadcast(most), x, x, (uint16_t)-1, 4);
#else
  return hone_min(hone_broadcast(most), x);
#endif
}

static inline f64v hone_at_most(f64v x, double most)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_minpd512_mask(hone_broadcast(most), x, x, (uint8_t)-1, 4);
#else
  return hone_min(hone_broadcast(most), x);
#endif
}

static inline f32v hone_at_least(f32v x, float least)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_maxps512_mask(hone_broadcast(least), x, x, (uint16_t)-1, 4);
#else
  return hone_max(hone_broadcast(least), x);
#endif
}

static inline f64v hone_at_least(f64v x, double least)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_maxpd512_mask(hone_broadcast(least), x, x, (uint8_t)-1, 4);
#else
  return hone_max(hone_broadcast(least), x);
#endif
}

// x * 2^n for a whole n, `bits` being n as an integer. Where there is no instruction for it, in two steps, so that
// denormal results are rounded once and no factor overflows.
static inline f32v hone_scale(f32v x, f32v n, i32v bits)
{
#if defined(__AVX512F__) && !defined(__clang__)
  (void)bits;
  return __builtin_ia32_scalefps512_mask(x, n, x, (uint16_t)-1, 4);
#else
  (void)n;
  const i32v half = bits >> 1;
  return x * (f32v)((half + 127) << 23) * (f32v)((bits - half + 127) << 23);
#endif
}

static inline f64v hone_scale(f64v x, f64v n, i64v bits)
{
#if defined(__AVX512F__) && !defined(__clang__)
  (void)bits;
  return __builtin_ia32_scalefpd512_mask(x, n, x, (uint8_t)-1, 4);
#else
  (void)n;
  const i64v half = bits >> 1;
  return x * (f64v)((half + 1023) << 52) * (f64v)((bits - half + 1023) << 52);
#endif
}

// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= 0.35, where e^r = 1 + r + r^2 P(r), P a fit with error 7e-8.
static inline f32v hone_exp(f32v x)
{
  const f32v inside = hone_at_most(hone_at_least(x, -104.0f), 89.0f);
  const float round = 12582912.0f; // 1.5 * 2^23: what is added to it is rounded to a whole number
  const f32v rounded = inside * 1.44269504f + round;
  const f32v n = rounded - round;
  const f32v r = (inside - n * 0.693359375f) - n * -2.12194440e-4f;
  f32v p = r * 0.00139269181f + 0.00836376702f;
  p = p * r + 0.0416665502f;
  p = p * r + 0.166665734f;
  p = p * r + 0.5f;
  p = p * r * r + r;
  return hone_scale(p + 1.0f, n, hone_bits(rounded) - 0x4b400000);
}

// The same in double: P with error 1.6e-18.
static inline f64v hone_exp(f64v x)
{
  const f64v inside = hone_at_most(hone_at_least(x, -746.0), 710.0);
  const double round = 6755399441055744.0; // 1.5 * 2^52
  const f64v rounded = inside * 1.4426950408889634 + round;
  const f64v n = rounded - round;
  const f64v r = (inside - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  f64v p = r * 2.0915433598076004516e-9 + 2.5106262550879078672e-8;
  p = p * r + 2.7557271831536129671e-7;
  p = p * r + 2.755725286336732037e-6;
  p = p * r + 0.000024801587326990048826;
  p = p * r + 0.00019841269876840355864;
  p = p * r + 0.0013888888888883331673;
  p = p * r + 0.0083333333333255516999;
  p = p * r + 0.041666666666666670071;
  p = p * r + 0.16666666666666671433;
  p = p * r + 0.5;
  p = p * r * r + r;
  return hone_scale(p + 1.0, n, hone_bits(rounded) - 0x4338000000000000);
}

// log x = e ln 2 + log(1 + f) with 1 + f between sqrt(1/2) and sqrt(2), where log(1 + f) = f - f^2 / 2 + f^3 Q(f), Q a
// fit with error 3e-8.
static inline f32v hone_log(f32v x)
{
  const f32v zero = {};
  const i32v small = x < 1.17549435e-38f;
  const f32v normal = hone_select(small, x * 8388608.0f, x);
  const i32v from_half = hone_bits(normal) - 0x3f3504f3; // of sqrt(1/2)
  const i32v exponent = from_half >> 23;
  const f32v f = (f32v)((from_half & 0x7fffff) + 0x3f3504f3) - 1.0f;
  const f32v e = __builtin_convertvector(exponent, f32v) - hone_select(small, zero + 23.0f, zero);
  f32v q = f * 0.0696910402f - 0.115134313f;
  q = q * f + 0.117016026f;
  q = q * f - 0.124223596f;
  q = q * f + 0.142472182f;
  q = q * f - 0.166678788f;
  q = q * f + 0.200007671f;
  q = q * f - 0.249999967f;
  q = q * f + 0.333333310f;
  const f32v square = f * f;
  const f32v low = q * f * square + e * -2.12194440e-4f - square * 0.5f;
  const f32v out = (f + low) + e * 0.693359375f;
  const f32v below = hone_select(x == zero, zero - INFINITY, x); // infinity and NaN stay
  const f32v edge = hone_select(x < zero, zero + NAN, below);
  return hone_select((x > zero) & (x < INFINITY), out, edge);
}

// The same in double, by log(1 + f) = 2 s + s^3 R(s^2) with s = f / (2 + f), R a fit with error 2e-18.
static inline f64v hone_log(f64v x)
{
  const f64v zero = {};
  const i64v small = x < 2.2250738585072014e-308;
  const f64v normal = hone_select(small, x * 4503599627370496.0, x);
  const i64v from_half = hone_bits(normal) - 0x3fe6a09e667f3bcd;
  const i64v exponent = from_half >> 52;
  const f64v f = (f64v)((from_half & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
  const f64v e = __builtin_convertvector(exponent, f64v) - hone_select(small, zero + 52.0, zero);
  const f64v s = f / (f + 2.0);
  const f64v z = s * s;
  f64v q = z * 0.13114834869597498495 + 0.13266048812203002227;
  q = q * z + 0.1538634244964514425;
  q = q * z + 0.1818179373211175407;
  q = q * z + 0.22222222409750114086;
  q = q * z + 0.28571428570723249274;
  q = q * z + 0.40000000000001009569;
  q = q * z + 0.6666666666666666643;
  const f64v half_square = f * f * 0.5; // 2 s = f - s f: the large part of the result is f itself
  const f64v low = e * 1.90821492927058770002e-10 + s * (half_square + z * q);
  const f64v out = e * 0.693147180369123816490 + (f - (half_square - low));
  const f64v below = hone_select(x == zero, zero - (double)INFINITY, x);
  const f64v edge = hone_select(x < zero, zero + (double)NAN, below);
  return hone_select((x > zero) & (x < (double)INFINITY), out, edge);
}

// log u with u = 1 + x as it is rounded, put right by what the rounding lost.
static inline f32v hone_log1p(f32v x)
{
  const f32v u = x + 1.0f;
  const f32v lost = (x - (u - 1.0f)) / u;
  const f32v out = hone_log(u) + lost;
  return hone_select((x == INFINITY) | (x <= -1.0f), hone_log(u), hone_select(x == 0.0f, x, out));
}

// 1 - e^-y for y from 0 to 80, to the last places near 0 too: (1 - 2^n) - 2^n (e^r - 1), with n and r as in e^x.
// `low` is what y is too small by.
static inline f32v hone_one_minus_exp(f32v y, f32v low)
{
  const float round = 12582912.0f;
  const f32v rounded = round - y * 1.44269504f;
  const f32v n = rounded - round;
  const f32v r = -(y + n * 0.693359375f) - n * -2.12194440e-4f;
  f32v p = r * 0.00139269181f + 0.00836376702f;
  p = p * r + 0.0416665502f;
  p = p * r + 0.166665734f;
  p = p * r + 0.5f;
  p = (p * r * r - low) + r;
  const f32v scale = (f32v)((hone_bits(rounded) - 0x4b400000 + 127) << 23);
  return (1.0f - scale) - scale * p;
}

// With t = 1 - e^-2x: t / (2 - t). From 20 on it is 1.
static inline f32v hone_tanh(f32v x)
{
  const f32v size = hone_abs(x);
  const f32v inside = hone_at_most(size, 20.0f);
  const f32v t = hone_one_minus_exp(inside + inside, f32v{});
  return hone_with_sign(t / (2.0f - t), x);
}

// With 16 lanes a vector holds a number for each of 16 intervals of |x| from 0 to 4, where erf is 1: x times a fit of
// erf(x) / x around the middle of its interval, off by 2 units in the last place. Otherwise 1 - e^-y with
// y = -log(1 - erf x) = x H(x), H a fit of weighted error 4e-9.
static inline f32v hone_erf(f32v x)
{
#if defined(__AVX512F__) && !defined(__clang__)
  const f32v c0 = {1.12252963f,  1.07764506f,  0.997185409f, 0.896085799f, 0.789678454f, 0.689578235f,
                   0.602119207f, 0.529061377f, 0.469339281f, 0.420722961f, 0.380874157f, 0.347809434f,
                   0.319996834f, 0.296295762f, 0.275861979f, 0.258064508f};
  const f32v c1 = {-0.0931549519f, -0.259446084f,  -0.373897403f,  -0.424389422f, -0.419026196f, -0.377613425f,
                   -0.32101351f,   -0.264274955f,  -0.215058103f,  -0.175459579f, -0.144657627f, -0.120876245f,
                   -0.102378264f,  -0.0877875611f, -0.0760992467f, -0.0665972009f};
  const f32v c2 = {-0.365642309f, -0.288495272f, -0.16526486f, -0.0397309512f, 0.0541918091f, 0.104267411f,
                   0.117074735f,  0.107401393f,  0.088863492f, 0.069871515f,   0.0539598949f, 0.0417536981f,
                   0.0326962695f, 0.0259983577f, 0.020990666f, 0.0171860252f};
  const f32v c3 = {0.055377692f,    0.142986208f,   0.175345793f,    0.151602298f,   0.0962304026f,  0.0390330814f,
                   -0.00137431896f, -0.0213118009f, -0.0262709763f,  -0.0236383155f, -0.0186931659f, -0.0140004288f,
                   -0.0103348121f,  -0.0076757893f, -0.00578537816f, -0.00443425495f};
  const f32v c4 = {0.10605453f,    0.0626982898f,  0.00198062882f,   -0.0443999805f, -0.0603374057f, -0.0504389443f,
                   -0.0297868811f, -0.011271474f,  -0.000127392996f, 0.00437601795f, 0.00504130917f, 0.00421292847f,
                   0.00313142478f, 0.00223550154f, 0.00158987404f,   0.00114451104f};
  const f32v c5 = {-0.0194673929f,   -0.0462688766f,   -0.0465112254f,   -0.0255787428f,
                   -0.000676680706f, 0.0144002596f,    0.0169277489f,    0.0120633049f,
                   0.00591950398f,   0.00167752628f,   -0.000307631883f, -0.000865142152f,
                   -0.000815426291f, -0.000613132957f, -0.000427459017f, -0.000293190329f};
  const f32v inside = hone_at_most(hone_abs(x), 4.0f);
  const float round = 12582912.0f;
  const f32v rounded = hone_at_most(inside * 4.0f - 0.5f, 15.0f) + round;
  const i32v which = hone_bits(rounded); // the interval in its last four bits
  const f32v t = (inside - 0.125f) - (rounded - round) * 0.25f;
  f32v p = __builtin_shuffle(c5, which) * t + __builtin_shuffle(c4, which);
  p = p * t + __builtin_shuffle(c3, which);
  p = p * t + __builtin_shuffle(c2, which);
  p = p * t + __builtin_shuffle(c1, which);
  p = p * t + __builtin_shuffle(c0, which);
  return hone_with_sign(hone_at_most(p * inside, 1.0f), x);
#else
  const f32v size = hone_abs(x);
  const f32v inside = hone_at_most(size, 4.0f);
  f32v h = inside * -9.25275257e-6f + 0.000117613861f;
  h = h * inside - 0.000632756464f;
  h = h * inside + 0.00166691621f;
  h = h * inside - 0.000160320656f;
  h = h * inside - 0.0191530896f;
  h = h * inside + 0.102777837f;
  h = h * inside + 0.636619381f;
  h = h * inside + 1.12837917f;
  const f32v y = h * inside;
  const f32v low = inside * -5.4e-8f; // by the last constant, which is 1.128379172
  return hone_with_sign(hone_one_minus_exp(y, low), x);
#endif
}

// For each lane the entry that the last four bits of `which` name.
static inline f64v hone_entries(const double* of_16, i64v which)
{
#if defined(__AVX512F__) && !defined(__clang__)
  const f64v low = {of_16[0], of_16[1], of_16[2], of_16[3], of_16[4], of_16[5], of_16[6], of_16[7]};
  const f64v high = {of_16[8], of_16[9], of_16[10], of_16[11], of_16[12], of_16[13], of_16[14], of_16[15]};
  return __builtin_shuffle(low, high, which);
#else
  f64v out = {};
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = of_16[which[lane] & 15];
  }
  return out;
#endif
}

static inline f64v hone_log1p(f64v x)
{
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    x[lane] = log1p(x[lane]);
  }
  return x;
}

static inline f64v hone_tanh(f64v x)
{
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    x[lane] = tanh(x[lane]);
  }
  return x;
}

// x times a fit of erf(x) / x around the middle of one of 16 intervals of |x| from 0 to 6, where erf is 1: off by 2
// units in the last place.
static inline f64v hone_erf(f64v x)
{
  static const double fits[14][16] = {
    {1.1152942776500046, 1.0198657006499412, 0.8694425611033598, 0.7135760569229628, 0.582512424653024,
     0.4831339398180801, 0.41002398225453124, 0.35553079084288264, 0.31372343524681534, 0.2807016224314838,
     0.2539682474414754, 0.23188405772319917, 0.2133333333261295, 0.19753086419737087, 0.18390804597700877,
     0.17204301075268813},
    {-0.13810919558633175, -0.3511899403122373, -0.42762450582182576, -0.39013907900825917, -0.30642307632867133,
     -0.22647332155607403, -0.166998247530008, -0.12626370802169332, -0.09840934530502729, -0.07879246312720893,
     -0.06449981940296909, -0.05377021409150958, -0.045511111040564545, -0.039018442308941345, -0.033822169375052114,
     -0.02959879754884916},
    {-0.3528164270171312, -0.19798368755810827, -0.012411780685450614, 0.09573030637690826, 0.11616056188341405,
     0.09377253270638874, 0.06554634765063579, 0.04447965082028746, 0.03082987300865398, 0.022113710091397048,
     0.016380697972755154, 0.01246844598794536, 0.009709036698503929, 0.007707346620571377, 0.006220169080306452,
     0.005092266244960899},
    {0.08115347723261016, 0.17303996360542132, 0.13948596864462967, 0.05221201939102017, -0.008157626961185091,
     -0.026011634218199846, -0.022477032387771004, -0.015087606843085811, -0.00958393136362018, -0.00619943485033156,
     -0.004159647493798132, -0.0028912074039906467, -0.002071260174465831, -0.0015224388109823601,
     -0.0011439391406252487, -0.0008760888163282063},
    {0.09911446426985586, 0.016804871791395455, -0.05178166171524934, -0.05473703854168261, -0.02455530610005986,
     -0.0021058290903076026, 0.004830640651274669, 0.004479641489997338, 0.002880726700514433, 0.0017272380337450648,
     0.001055444942255672, 0.0006703710273433574, 0.00044186662969942467, 0.00030072858681972036, 0.0002103796105449813,
     0.0001507249576220629},
    {-0.028345211761983468, -0.04919309827475879, -0.019016512592443465, 0.012011729091920241, 0.01618569643708969,
     0.007326819875113975, 0.0009750039558362208, -0.0008155293922522067, -0.0007695670915570713,
     -0.0004687557147599856, -0.0002666752264149395, -0.00015536334922360972, -9.426103826714166e-05,
     -5.940304985509838e-05, -3.86904999481275e-05, -2.5931175447630426e-05},
    {-0.02194091881199144, 0.004561419239490372, 0.01761992845376511, 0.007827141743588032, -0.0026736879207534875,
     -0.00396296834398227, -0.0016315509612229106, -0.00020273143341759215, 0.00013245477804790394,
     0.00011593640614375372, 6.618288725021321e-05, 3.591845672430793e-05, 2.010360589556139e-05, 1.17337380515123e-05,
     7.11548895738423e-06, 4.46127739233717e-06},
    {0.007181494809034035, 0.009812365100563568, -0.00040228541932586857, -0.005260951301508186, -0.0021401213048480297,
     0.0006619989500255695, 0.000823039138467044, 0.0002829446286625664, 2.574334039635488e-05, -2.0449340766472257e-05,
     -1.5398388805548792e-05, -8.21629831143606e-06, -4.2824311563433954e-06, -2.317519852111441e-06,
     -1.3085882060060106e-06, -7.675314352560407e-07},
    {0.003943443432702259, -0.0022016406349004442, -0.0033106595051594963, 0.00013946389058653368,
     0.0013571125341943862, 0.0004164093629985665, -0.00016740547399261932, -0.0001432871267864336,
     -3.835181336194384e-05, -1.678920756155079e-06, 2.8536588843950293e-06, 1.806916529676034e-06,
     9.073182840236535e-07, 4.5750061569106927e-07, 2.406508867885004e-07, 1.320482105056187e-07},
    {-0.0014347584284014326, -0.0014760360973321007, 0.0007342056777069142, 0.000885550538583188,
     -0.00011333519201994382, -0.000294969340573967, -5.342372091564365e-05, 3.662337809350992e-05,
     2.0391399851490543e-05, 3.9930699261202765e-06, -7.39863270209061e-08, -3.4667789035733186e-07,
     -1.8826553212651265e-07, -9.010396750651776e-08, -4.424819356381393e-08, -2.2717732756713132e-08},
    {-0.0005929647544787083, 0.000520586282149944, 0.0004061614422469543, -0.0002472173277496612,
     -0.0001818238429338092, 5.031012641930729e-05, 5.117922811616526e-05, 2.6248052648423377e-06,
     -6.3446311285369245e-06, -2.31135656886095e-06, -3.0574087903569455e-07, 3.550643726946696e-08,
     3.6314933146315856e-08, 1.7578533936552916e-08, 8.128895316513586e-09, 3.908166742856197e-09},
    {0.00023703264651601065, 0.00017151263215923432, -0.0001782268206515907, -7.592353399059814e-05,
     7.10731281230802e-05, 2.5597777643954163e-05, -1.398087405611372e-05, -6.5900157805827685e-06,
     5.915780439997688e-07, 8.435363253389233e-07, 2.0352055204827657e-07, 1.5135383884304398e-08,
     -5.3324191462672075e-09, -3.31359098419297e-09, -1.4879540232969504e-09, -6.721578650408566e-10},
    {7.532938872165198e-05, -8.75889884989418e-05, -2.990320458972031e-05, 5.012668270541018e-05, 6.136082781384991e-06,
     -1.5367391362882027e-05, -1.622059093918706e-06, 2.597048766462033e-06, 5.59487405999065e-07,
     -1.6860832826635917e-07, -8.548420792913824e-08, -1.3779815942865599e-08, -2.113580396812309e-10,
     5.517464106462199e-10, 2.694110335955702e-10, 1.1587729291442139e-10},
    {-3.291716582657288e-05, -1.4935668372632517e-05, 2.728858666338787e-05, 3.378162210097305e-08,
     -1.0700704096797853e-05, 1.4153737267124075e-06, 2.3667341103715243e-06, -2.4344043198522223e-07,
     -3.350400273611252e-07, -1.602032447896842e-08, 2.397416448240589e-08, 6.5312217200975005e-09,
     6.529825716356189e-10, -5.156495518893238e-11, -4.6195525816459926e-11, -1.9806568740926975e-11},
  };
  const f64v inside = hone_at_most(hone_abs(x), 6.0);
  const double round = 6755399441055744.0;
  const f64v rounded = hone_at_most(inside * (8.0 / 3) - 0.5, 15.0) + round;
  const f64v t = (inside - 0.1875) - (rounded - round) * 0.375;
  f64v p = {};
  for (int power = 13; power >= 0; --power) {
    p = p * t + hone_entries(fits[power], hone_bits(rounded));
  }
  return hone_with_sign(hone_at_most(p * inside, 1.0), x);
}
