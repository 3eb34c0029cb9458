//! What modules may ask for: capabilities and extensions.

use rspirv::spirv::Capability;

macro_rules! capabilities {
    ($($name:ident),* $(,)?) => { &[$((Capability::$name, stringify!($name))),*] };
}

/// The capabilities that modules may declare.
pub(crate) const CAPABILITIES: &[(Capability, &str)] = capabilities![
    Addresses,
    AtomicFloat32AddEXT,
    AtomicFloat32MinMaxEXT,
    AtomicFloat64AddEXT,
    AtomicFloat64MinMaxEXT,
    BitInstructions,
    DenormPreserve,
    DotProduct,
    DotProductInput4x8Bit,
    DotProductInput4x8BitPacked,
    ExpectAssumeKHR,
    Float16,
    Float16Buffer,
    Float64,
    GenericPointer,
    GroupNonUniform,
    GroupNonUniformArithmetic,
    GroupNonUniformBallot,
    GroupNonUniformClustered,
    GroupNonUniformRotateKHR,
    GroupNonUniformShuffle,
    GroupNonUniformShuffleRelative,
    GroupNonUniformVote,
    GroupUniformArithmeticKHR,
    Groups,
    Image1D,
    ImageBasic,
    ImageBuffer,
    ImageReadWrite,
    Int16,
    Int64,
    Int64Atomics,
    Int8,
    Kernel,
    Linkage,
    LiteralSampler,
    OptNoneEXT,
    RoundingModeRTE,
    Sampled1D,
    SampledBuffer,
    SignedZeroInfNanPreserve,
    SubgroupBufferBlockIOINTEL,
    SubgroupDispatch,
    SubgroupShuffleINTEL,
    Vector16,
];

/// The extensions that modules may name.
pub(crate) const EXTENSIONS: &[&str] = &[
    "SPV_EXT_optnone",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_optnone",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_float_controls",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
];
