//! The functions of the library by name: where each is written and how accurate it must be.
//!
//! One row serves all overloads of a name. Conversions (`convert_<type>...`) have no rows: they are exact by their
//! rounding mode, and [`find`] knows them by their form. A test holds the table to the bitcode, both ways.

/// The accuracy that the full profile asks of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Exact, or correctly rounded.
    Exact,
    /// At most this many units in the last place off the exact value.
    Ulp {
        /// For `float`.
        single: f64,
        /// For `double`.
        double: f64,
    },
    /// Not limited, or by a formula of the function's own.
    Unbounded,
}

/// One function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Function {
    /// Its name in OpenCL C.
    pub name: &'static str,
    /// The source under `src/cl` that defines its overloads (for `clamp`, `max` and `min` of integers: `integer`; for all
    /// mathematics of half: `half_math`).
    pub source: &'static str,
    /// How accurate it must be.
    pub accuracy: Accuracy,
}

const fn exact(name: &'static str, source: &'static str) -> Function {
    Function { name, source, accuracy: Accuracy::Exact }
}

const fn ulp(name: &'static str, source: &'static str, single: f64, double: f64) -> Function {
    Function { name, source, accuracy: Accuracy::Ulp { single, double } }
}

const fn unbounded(name: &'static str, source: &'static str) -> Function {
    Function { name, source, accuracy: Accuracy::Unbounded }
}

/// All functions, sorted by name.
#[must_use]
pub fn catalogue() -> &'static [Function] {
    FUNCTIONS
}

/// The function of a name.
#[must_use]
pub fn find(name: &str) -> Option<Function> {
    if let Ok(index) = FUNCTIONS.binary_search_by(|function| function.name.cmp(name)) {
        return Some(FUNCTIONS[index]);
    }
    is_conversion(name).then_some(Function { name: "convert_", source: "convert", accuracy: Accuracy::Exact })
}

/// `convert_`, a type, perhaps a width, perhaps `_sat`, perhaps a rounding mode.
fn is_conversion(name: &str) -> bool {
    const TYPES: [&str; 11] =
        ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];
    let Some(rest) = name.strip_prefix("convert_") else { return false };
    let (vector, modes) = rest.split_once('_').map_or((rest, ""), |(vector, modes)| (vector, modes));
    let element = vector.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = &vector[element.len()..];
    let rounding = match modes.strip_prefix("sat") {
        Some("") => "",
        Some(rest) => rest.strip_prefix('_').unwrap_or(rest),
        None => modes,
    };
    TYPES.contains(&element)
        && ["", "2", "3", "4", "8", "16"].contains(&width)
        && ["", "rte", "rtz", "rtp", "rtn"].contains(&rounding)
}

const FUNCTIONS: &[Function] = &[
    exact("abs", "integer"),
    exact("abs_diff", "integer"),
    ulp("acos", "inverse", 4.0, 4.0),
    ulp("acosh", "hyperbolic", 4.0, 4.0),
    ulp("acospi", "inverse", 5.0, 5.0),
    exact("add_sat", "integer"),
    exact("all", "relational"),
    exact("any", "relational"),
    ulp("asin", "inverse", 4.0, 4.0),
    ulp("asinh", "hyperbolic", 4.0, 4.0),
    ulp("asinpi", "inverse", 5.0, 5.0),
    exact("async_work_group_copy", "async_copy"),
    exact("async_work_group_strided_copy", "async_copy"),
    ulp("atan", "inverse", 5.0, 5.0),
    ulp("atan2", "inverse", 6.0, 6.0),
    ulp("atan2pi", "inverse", 6.0, 6.0),
    ulp("atanh", "hyperbolic", 5.0, 5.0),
    ulp("atanpi", "inverse", 5.0, 5.0),
    exact("atom_add", "atomic"),
    exact("atom_and", "atomic"),
    exact("atom_cmpxchg", "atomic"),
    exact("atom_dec", "atomic"),
    exact("atom_inc", "atomic"),
    exact("atom_max", "atomic"),
    exact("atom_min", "atomic"),
    exact("atom_or", "atomic"),
    exact("atom_sub", "atomic"),
    exact("atom_xchg", "atomic"),
    exact("atom_xor", "atomic"),
    exact("atomic_add", "atomic"),
    exact("atomic_and", "atomic"),
    exact("atomic_cmpxchg", "atomic"),
    exact("atomic_compare_exchange_strong", "atomic"),
    exact("atomic_compare_exchange_strong_explicit", "atomic"),
    exact("atomic_compare_exchange_weak", "atomic"),
    exact("atomic_compare_exchange_weak_explicit", "atomic"),
    exact("atomic_dec", "atomic"),
    exact("atomic_exchange", "atomic"),
    exact("atomic_exchange_explicit", "atomic"),
    exact("atomic_fetch_add", "atomic"),
    exact("atomic_fetch_add_explicit", "atomic"),
    exact("atomic_fetch_and", "atomic"),
    exact("atomic_fetch_and_explicit", "atomic"),
    exact("atomic_fetch_max", "atomic"),
    exact("atomic_fetch_max_explicit", "atomic"),
    exact("atomic_fetch_min", "atomic"),
    exact("atomic_fetch_min_explicit", "atomic"),
    exact("atomic_fetch_or", "atomic"),
    exact("atomic_fetch_or_explicit", "atomic"),
    exact("atomic_fetch_sub", "atomic"),
    exact("atomic_fetch_sub_explicit", "atomic"),
    exact("atomic_fetch_xor", "atomic"),
    exact("atomic_fetch_xor_explicit", "atomic"),
    exact("atomic_flag_clear", "atomic"),
    exact("atomic_flag_clear_explicit", "atomic"),
    exact("atomic_flag_test_and_set", "atomic"),
    exact("atomic_flag_test_and_set_explicit", "atomic"),
    exact("atomic_inc", "atomic"),
    exact("atomic_init", "atomic"),
    exact("atomic_load", "atomic"),
    exact("atomic_load_explicit", "atomic"),
    exact("atomic_max", "atomic"),
    exact("atomic_min", "atomic"),
    exact("atomic_or", "atomic"),
    exact("atomic_store", "atomic"),
    exact("atomic_store_explicit", "atomic"),
    exact("atomic_sub", "atomic"),
    exact("atomic_work_item_fence", "fence"),
    exact("atomic_xchg", "atomic"),
    exact("atomic_xor", "atomic"),
    exact("bit_reverse", "bits"),
    exact("bitfield_extract_signed", "bits"),
    exact("bitfield_extract_unsigned", "bits"),
    exact("bitfield_insert", "bits"),
    exact("bitselect", "relational"),
    ulp("cbrt", "root", 2.0, 2.0),
    exact("ceil", "basic"),
    unbounded("clamp", "common"),
    exact("clock_read_device", "clock"),
    exact("clock_read_hilo_device", "clock"),
    exact("clock_read_hilo_work_group", "clock"),
    exact("clock_read_work_group", "clock"),
    exact("clz", "integer"),
    exact("copysign", "basic"),
    ulp("cos", "trig", 4.0, 4.0),
    ulp("cosh", "hyperbolic", 4.0, 4.0),
    ulp("cospi", "trigpi", 4.0, 4.0),
    unbounded("cross", "geometric"),
    exact("ctz", "integer"),
    unbounded("degrees", "common"),
    unbounded("distance", "geometric"),
    unbounded("dot", "geometric"),
    exact("dot_4x8packed_ss_int", "integer_dot"),
    exact("dot_4x8packed_su_int", "integer_dot"),
    exact("dot_4x8packed_us_int", "integer_dot"),
    exact("dot_4x8packed_uu_uint", "integer_dot"),
    exact("dot_acc_sat", "integer_dot"),
    exact("dot_acc_sat_4x8packed_ss_int", "integer_dot"),
    exact("dot_acc_sat_4x8packed_su_int", "integer_dot"),
    exact("dot_acc_sat_4x8packed_us_int", "integer_dot"),
    exact("dot_acc_sat_4x8packed_uu_uint", "integer_dot"),
    ulp("erf", "erf", 16.0, 16.0),
    ulp("erfc", "erf", 16.0, 16.0),
    ulp("exp", "exp", 3.0, 3.0),
    ulp("exp10", "exp", 3.0, 3.0),
    ulp("exp2", "exp", 3.0, 3.0),
    ulp("expm1", "exp", 3.0, 3.0),
    exact("fabs", "basic"),
    unbounded("fast_distance", "geometric"),
    unbounded("fast_length", "geometric"),
    unbounded("fast_normalize", "geometric"),
    exact("fdim", "basic"),
    exact("floor", "basic"),
    exact("fma", "basic"),
    exact("fmax", "basic"),
    exact("fmin", "basic"),
    exact("fmod", "remainder"),
    exact("fract", "basic"),
    exact("frexp", "basic"),
    exact("get_fence", "generic"),
    exact("get_image_array_size", "image_query"),
    exact("get_image_channel_data_type", "image_query"),
    exact("get_image_channel_order", "image_query"),
    exact("get_image_depth", "image_query"),
    exact("get_image_dim", "image_query"),
    exact("get_image_height", "image_query"),
    exact("get_image_width", "image_query"),
    exact("hadd", "integer"),
    ulp("half_cos", "trig", 8192.0, 8192.0),
    ulp("half_divide", "basic", 8192.0, 8192.0),
    ulp("half_exp", "exp", 8192.0, 8192.0),
    ulp("half_exp10", "exp", 8192.0, 8192.0),
    ulp("half_exp2", "exp", 8192.0, 8192.0),
    ulp("half_log", "log", 8192.0, 8192.0),
    ulp("half_log10", "log", 8192.0, 8192.0),
    ulp("half_log2", "log", 8192.0, 8192.0),
    ulp("half_powr", "pow", 8192.0, 8192.0),
    ulp("half_recip", "basic", 8192.0, 8192.0),
    ulp("half_rsqrt", "basic", 8192.0, 8192.0),
    ulp("half_sin", "trig", 8192.0, 8192.0),
    ulp("half_sqrt", "basic", 8192.0, 8192.0),
    ulp("half_tan", "trig", 8192.0, 8192.0),
    ulp("hypot", "root", 4.0, 4.0),
    exact("ilogb", "basic"),
    exact("isequal", "relational"),
    exact("isfinite", "relational"),
    exact("isgreater", "relational"),
    exact("isgreaterequal", "relational"),
    exact("isinf", "relational"),
    exact("isless", "relational"),
    exact("islessequal", "relational"),
    exact("islessgreater", "relational"),
    exact("isnan", "relational"),
    exact("isnormal", "relational"),
    exact("isnotequal", "relational"),
    exact("isordered", "relational"),
    exact("isunordered", "relational"),
    exact("ldexp", "basic"),
    unbounded("length", "geometric"),
    unbounded("lgamma", "gamma"),
    unbounded("lgamma_r", "gamma"),
    ulp("log", "log", 3.0, 3.0),
    ulp("log10", "log", 3.0, 3.0),
    ulp("log1p", "log", 2.0, 2.0),
    ulp("log2", "log", 3.0, 3.0),
    exact("logb", "basic"),
    unbounded("mad", "basic"),
    exact("mad24", "integer"),
    exact("mad_hi", "integer"),
    exact("mad_sat", "integer"),
    unbounded("max", "common"),
    exact("maxmag", "basic"),
    exact("mem_fence", "fence"),
    unbounded("min", "common"),
    exact("minmag", "basic"),
    unbounded("mix", "common"),
    exact("modf", "basic"),
    exact("mul24", "integer"),
    exact("mul_hi", "integer"),
    exact("nan", "basic"),
    unbounded("native_cos", "trig"),
    unbounded("native_divide", "basic"),
    unbounded("native_exp", "exp"),
    unbounded("native_exp10", "exp"),
    unbounded("native_exp2", "exp"),
    unbounded("native_log", "log"),
    unbounded("native_log10", "log"),
    unbounded("native_log2", "log"),
    unbounded("native_powr", "pow"),
    unbounded("native_recip", "basic"),
    unbounded("native_rsqrt", "basic"),
    unbounded("native_sin", "trig"),
    unbounded("native_sqrt", "basic"),
    unbounded("native_tan", "trig"),
    exact("nextafter", "basic"),
    unbounded("normalize", "geometric"),
    exact("popcount", "integer"),
    ulp("pow", "pow", 16.0, 16.0),
    ulp("pown", "pow", 16.0, 16.0),
    ulp("powr", "pow", 16.0, 16.0),
    exact("prefetch", "async_copy"),
    unbounded("radians", "common"),
    exact("read_imagef", "image_read_float"),
    exact("read_imageh", "image_read_half"),
    exact("read_imagei", "image_read_int"),
    exact("read_imageui", "image_read_uint"),
    exact("read_mem_fence", "fence"),
    exact("remainder", "remainder"),
    exact("remquo", "remainder"),
    exact("rhadd", "integer"),
    exact("rint", "basic"),
    ulp("rootn", "pow", 16.0, 16.0),
    exact("rotate", "integer"),
    exact("round", "basic"),
    ulp("rsqrt", "basic", 2.0, 2.0),
    exact("select", "relational"),
    exact("shuffle", "shuffle"),
    exact("shuffle2", "shuffle"),
    unbounded("sign", "common"),
    exact("signbit", "relational"),
    ulp("sin", "trig", 4.0, 4.0),
    ulp("sincos", "trig", 4.0, 4.0),
    ulp("sinh", "hyperbolic", 4.0, 4.0),
    ulp("sinpi", "trigpi", 4.0, 4.0),
    unbounded("smoothstep", "common"),
    ulp("sqrt", "basic", 3.0, 0.5),
    unbounded("step", "common"),
    exact("sub_sat", "integer"),
    ulp("tan", "trig", 5.0, 5.0),
    ulp("tanh", "hyperbolic", 5.0, 5.0),
    ulp("tanpi", "trigpi", 6.0, 6.0),
    ulp("tgamma", "gamma", 16.0, 16.0),
    exact("trunc", "basic"),
    exact("upsample", "integer"),
    exact("vload16", "vload"),
    exact("vload2", "vload"),
    exact("vload3", "vload"),
    exact("vload4", "vload"),
    exact("vload8", "vload"),
    exact("vload_half", "half"),
    exact("vload_half16", "half"),
    exact("vload_half2", "half"),
    exact("vload_half3", "half"),
    exact("vload_half4", "half"),
    exact("vload_half8", "half"),
    exact("vloada_half", "half"),
    exact("vloada_half16", "half"),
    exact("vloada_half2", "half"),
    exact("vloada_half3", "half"),
    exact("vloada_half4", "half"),
    exact("vloada_half8", "half"),
    exact("vstore16", "vload"),
    exact("vstore2", "vload"),
    exact("vstore3", "vload"),
    exact("vstore4", "vload"),
    exact("vstore8", "vload"),
    exact("vstore_half", "half"),
    exact("vstore_half16", "half"),
    exact("vstore_half16_rte", "half"),
    exact("vstore_half16_rtn", "half"),
    exact("vstore_half16_rtp", "half"),
    exact("vstore_half16_rtz", "half"),
    exact("vstore_half2", "half"),
    exact("vstore_half2_rte", "half"),
    exact("vstore_half2_rtn", "half"),
    exact("vstore_half2_rtp", "half"),
    exact("vstore_half2_rtz", "half"),
    exact("vstore_half3", "half"),
    exact("vstore_half3_rte", "half"),
    exact("vstore_half3_rtn", "half"),
    exact("vstore_half3_rtp", "half"),
    exact("vstore_half3_rtz", "half"),
    exact("vstore_half4", "half"),
    exact("vstore_half4_rte", "half"),
    exact("vstore_half4_rtn", "half"),
    exact("vstore_half4_rtp", "half"),
    exact("vstore_half4_rtz", "half"),
    exact("vstore_half8", "half"),
    exact("vstore_half8_rte", "half"),
    exact("vstore_half8_rtn", "half"),
    exact("vstore_half8_rtp", "half"),
    exact("vstore_half8_rtz", "half"),
    exact("vstore_half_rte", "half"),
    exact("vstore_half_rtn", "half"),
    exact("vstore_half_rtp", "half"),
    exact("vstore_half_rtz", "half"),
    exact("vstorea_half", "half"),
    exact("vstorea_half16", "half"),
    exact("vstorea_half16_rte", "half"),
    exact("vstorea_half16_rtn", "half"),
    exact("vstorea_half16_rtp", "half"),
    exact("vstorea_half16_rtz", "half"),
    exact("vstorea_half2", "half"),
    exact("vstorea_half2_rte", "half"),
    exact("vstorea_half2_rtn", "half"),
    exact("vstorea_half2_rtp", "half"),
    exact("vstorea_half2_rtz", "half"),
    exact("vstorea_half3", "half"),
    exact("vstorea_half3_rte", "half"),
    exact("vstorea_half3_rtn", "half"),
    exact("vstorea_half3_rtp", "half"),
    exact("vstorea_half3_rtz", "half"),
    exact("vstorea_half4", "half"),
    exact("vstorea_half4_rte", "half"),
    exact("vstorea_half4_rtn", "half"),
    exact("vstorea_half4_rtp", "half"),
    exact("vstorea_half4_rtz", "half"),
    exact("vstorea_half8", "half"),
    exact("vstorea_half8_rte", "half"),
    exact("vstorea_half8_rtn", "half"),
    exact("vstorea_half8_rtp", "half"),
    exact("vstorea_half8_rtz", "half"),
    exact("vstorea_half_rte", "half"),
    exact("vstorea_half_rtn", "half"),
    exact("vstorea_half_rtp", "half"),
    exact("vstorea_half_rtz", "half"),
    exact("wait_group_events", "async_copy"),
    exact("work_group_all", "collective"),
    exact("work_group_any", "collective"),
    exact("work_group_broadcast", "collective"),
    exact("work_group_reduce_add", "collective"),
    exact("work_group_reduce_max", "collective"),
    exact("work_group_reduce_min", "collective"),
    exact("work_group_scan_exclusive_add", "collective"),
    exact("work_group_scan_exclusive_max", "collective"),
    exact("work_group_scan_exclusive_min", "collective"),
    exact("work_group_scan_inclusive_add", "collective"),
    exact("work_group_scan_inclusive_max", "collective"),
    exact("work_group_scan_inclusive_min", "collective"),
    exact("write_imagef", "image_write"),
    exact("write_imageh", "image_write"),
    exact("write_imagei", "image_write"),
    exact("write_imageui", "image_write"),
    exact("write_mem_fence", "fence"),
];

#[cfg(test)]
mod tests {
    use super::{catalogue, find};
    use crate::symbols::{AddressBits, symbols};

    /// `_Z3sinDv4_f` is an overload of `sin`.
    fn source_name(symbol: &str) -> Option<&str> {
        let rest = symbol.strip_prefix("_Z")?;
        let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let length: usize = rest[..rest.len() - name.len()].parse().ok()?;
        name.get(..length)
    }

    #[test]
    fn rows_are_sorted_and_unique() {
        assert!(catalogue().windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn every_row_is_defined_and_every_definition_has_a_row() {
        for bits in [AddressBits::Bits32, AddressBits::Bits64] {
            let mut names: Vec<&str> = symbols(bits).filter_map(source_name).collect();
            names.sort_unstable();
            names.dedup();
            for name in &names {
                assert!(find(name).is_some(), "{name} is in the library but not in the catalogue");
            }
            // Only 64-bit devices have clocks.
            let is_there = |name: &str| bits == AddressBits::Bits64 || !name.starts_with("clock_read");
            for function in catalogue().iter().filter(|function| is_there(function.name)) {
                assert!(names.binary_search(&function.name).is_ok(), "{} is not defined", function.name);
            }
        }
    }

    #[test]
    fn conversions_are_known_by_their_form() {
        for name in ["convert_int", "convert_uchar16_sat", "convert_float3_rtz", "convert_half4_rte"] {
            assert!(find(name).is_some(), "{name}");
        }
        for name in ["convert_", "convert_quad", "convert_int5", "convert_int_saturated", "convert_int_up"] {
            assert_eq!(find(name), None, "{name}");
        }
    }
}
