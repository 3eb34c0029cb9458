//! What modules of SPIR-V may ask for: the compiler's reader takes this and nothing else, and devices report it.

use std::ffi::CStr;

/// Capabilities that modules may declare: numbers and names.
pub const CAPABILITIES: &[(u32, &str)] = &[
    (4, "Addresses"),
    (5, "Linkage"),
    (6, "Kernel"),
    (7, "Vector16"),
    (8, "Float16Buffer"),
    (9, "Float16"),
    (10, "Float64"),
    (11, "Int64"),
    (12, "Int64Atomics"),
    (13, "ImageBasic"),
    (14, "ImageReadWrite"),
    (15, "ImageMipmap"),
    (18, "Groups"),
    (20, "LiteralSampler"),
    (22, "Int16"),
    (38, "GenericPointer"),
    (39, "Int8"),
    (43, "Sampled1D"),
    (44, "Image1D"),
    (46, "SampledBuffer"),
    (47, "ImageBuffer"),
    (58, "SubgroupDispatch"),
    (61, "GroupNonUniform"),
    (62, "GroupNonUniformVote"),
    (63, "GroupNonUniformArithmetic"),
    (64, "GroupNonUniformBallot"),
    (65, "GroupNonUniformShuffle"),
    (66, "GroupNonUniformShuffleRelative"),
    (67, "GroupNonUniformClustered"),
    (71, "UniformDecoration"),
    (4464, "DenormPreserve"),
    (4466, "SignedZeroInfNanPreserve"),
    (4467, "RoundingModeRTE"),
    (5055, "ShaderClockKHR"),
    (5568, "SubgroupShuffleINTEL"),
    (5569, "SubgroupBufferBlockIOINTEL"),
    (5570, "SubgroupImageBlockIOINTEL"),
    (5612, "AtomicFloat32MinMaxEXT"),
    (5613, "AtomicFloat64MinMaxEXT"),
    (5616, "AtomicFloat16MinMaxEXT"),
    (5629, "ExpectAssumeKHR"),
    (5837, "FPFastMathModeINTEL"),
    // Of up to 64 bits.
    (5844, "ArbitraryPrecisionIntegersALTERA"),
    (5886, "UnstructuredLoopControlsINTEL"),
    (5910, "MemoryAccessAliasingINTEL"),
    (6017, "DotProductInput4x8Bit"),
    (6018, "DotProductInput4x8BitPacked"),
    (6019, "DotProduct"),
    (6025, "BitInstructions"),
    (6026, "GroupNonUniformRotateKHR"),
    (6033, "AtomicFloat32AddEXT"),
    (6034, "AtomicFloat64AddEXT"),
    (6094, "OptNoneEXT"),
    (6095, "AtomicFloat16AddEXT"),
    (6400, "GroupUniformArithmeticKHR"),
];

/// Extensions that modules may name, each with the zero that ends it.
pub const EXTENSIONS: &[&CStr] = &[
    c"SPV_ALTERA_arbitrary_precision_integers",
    c"SPV_EXT_optnone",
    c"SPV_EXT_shader_atomic_float16_add",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_INTEL_arbitrary_precision_integers",
    c"SPV_INTEL_fp_fast_math_mode",
    c"SPV_INTEL_memory_access_aliasing",
    c"SPV_INTEL_optnone",
    c"SPV_INTEL_subgroups",
    c"SPV_INTEL_unstructured_loop_controls",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_float_controls",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_uniform_group_instructions",
];

/// The set of OpenCL's own instructions.
pub const OPENCL_STD: &CStr = c"OpenCL.std";

/// Sets of instructions that modules may import; those whose names begin with [`NON_SEMANTIC`] as well.
pub const INSTRUCTION_SETS: &[&CStr] = &[OPENCL_STD, c"OpenCL.DebugInfo.100", c"DebugInfo"];

/// What the names of sets begin with that say nothing about what is computed.
pub const NON_SEMANTIC: &str = "NonSemantic.";
