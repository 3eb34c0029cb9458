/* Modules of SPIR-V, as words, with the assembly that they were made of.
 *
 * fill:
 *            OpCapability Addresses
 *            OpCapability Linkage
 *            OpCapability Kernel
 *            OpCapability Int64
 *            OpMemoryModel Physical64 OpenCL
 *            OpEntryPoint Kernel %fill "fill" %id
 *            OpName %out "out"
 *            OpName %fill "fill"
 *            OpDecorate %id BuiltIn GlobalInvocationId
 *            OpDecorate %id Constant
 *            OpDecorate %factor SpecId 7
 *            OpDecorate %offset SpecId 9
 *            OpDecorate %upwards SpecId 12
 *    %void = OpTypeVoid
 *    %bool = OpTypeBool
 *    %uint = OpTypeInt 32 0
 *   %ulong = OpTypeInt 64 0
 *       %v3ulong = OpTypeVector %ulong 3
 *     %ptr_input = OpTypePointer Input %v3ulong
 *      %ptr_uint = OpTypePointer CrossWorkgroup %uint
 *     %kernel_ty = OpTypeFunction %void %ptr_uint
 *        %factor = OpSpecConstant %uint 3
 *        %offset = OpSpecConstant %ulong 100
 *       %upwards = OpSpecConstantTrue %bool
 *        %narrow = OpSpecConstantOp %uint UConvert %offset
 *      %negative = OpSpecConstantOp %uint SNegate %narrow
 *   %added = OpSpecConstantOp %uint Select %upwards %narrow %negative
 *      %id = OpVariable %ptr_input Input
 *    %fill = OpFunction %void None %kernel_ty
 *     %out = OpFunctionParameter %ptr_uint
 *   %entry = OpLabel
 *     %ids = OpLoad %v3ulong %id Aligned 32
 *       %i = OpCompositeExtract %ulong %ids 0
 *        %number = OpUConvert %uint %i
 *       %product = OpIMul %uint %number %factor
 *     %sum = OpIAdd %uint %product %added
 *   %place = OpInBoundsPtrAccessChain %ptr_uint %out %i
 *            OpStore %place %sum Aligned 4
 *            OpReturn
 *            OpFunctionEnd
 *
 * call:
 *            OpCapability Addresses
 *            OpCapability Linkage
 *            OpCapability Kernel
 *            OpCapability Int64
 *            OpMemoryModel Physical64 OpenCL
 *            OpEntryPoint Kernel %call "call" %id
 *            OpName %out "out"
 *            OpDecorate %id BuiltIn GlobalInvocationId
 *            OpDecorate %id Constant
 *            OpDecorate %twist LinkageAttributes "twist" Import
 *    %void = OpTypeVoid
 *    %uint = OpTypeInt 32 0
 *   %ulong = OpTypeInt 64 0
 *       %v3ulong = OpTypeVector %ulong 3
 *     %ptr_input = OpTypePointer Input %v3ulong
 *      %ptr_uint = OpTypePointer CrossWorkgroup %uint
 *     %kernel_ty = OpTypeFunction %void %ptr_uint
 *      %twist_ty = OpTypeFunction %uint %uint
 *      %id = OpVariable %ptr_input Input
 *   %twist = OpFunction %uint None %twist_ty
 *        %number = OpFunctionParameter %uint
 *            OpFunctionEnd
 *    %call = OpFunction %void None %kernel_ty
 *     %out = OpFunctionParameter %ptr_uint
 *   %entry = OpLabel
 *     %ids = OpLoad %v3ulong %id Aligned 32
 *       %i = OpCompositeExtract %ulong %ids 0
 *        %narrow = OpUConvert %uint %i
 *       %twisted = OpFunctionCall %uint %twist %narrow
 *   %place = OpInBoundsPtrAccessChain %ptr_uint %out %i
 *            OpStore %place %twisted Aligned 4
 *            OpReturn
 *            OpFunctionEnd
 */
static const unsigned fill_module[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000019, 0x00000000, 0x00020011, 0x00000004, 0x00020011, 0x00000005, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002, 0x0006000f, 0x00000006, 0x00000001, 0x6c6c6966,
    0x00000000, 0x00000002, 0x00030005, 0x00000003, 0x0074756f, 0x00040005, 0x00000001, 0x6c6c6966, 0x00000000, 0x00040047,
    0x00000002, 0x0000000b, 0x0000001c, 0x00030047, 0x00000002, 0x00000016, 0x00040047, 0x00000004, 0x00000001, 0x00000007,
    0x00040047, 0x00000005, 0x00000001, 0x00000009, 0x00040047, 0x00000006, 0x00000001, 0x0000000c, 0x00020013, 0x00000007,
    0x00020014, 0x00000008, 0x00040015, 0x00000009, 0x00000020, 0x00000000, 0x00040015, 0x0000000a, 0x00000040, 0x00000000,
    0x00040017, 0x0000000b, 0x0000000a, 0x00000003, 0x00040020, 0x0000000c, 0x00000001, 0x0000000b, 0x00040020, 0x0000000d,
    0x00000005, 0x00000009, 0x00040021, 0x0000000e, 0x00000007, 0x0000000d, 0x00040032, 0x00000009, 0x00000004, 0x00000003,
    0x00050032, 0x0000000a, 0x00000005, 0x00000064, 0x00000000, 0x00030030, 0x00000008, 0x00000006, 0x00050034, 0x00000009,
    0x0000000f, 0x00000071, 0x00000005, 0x00050034, 0x00000009, 0x00000010, 0x0000007e, 0x0000000f, 0x00070034, 0x00000009,
    0x00000011, 0x000000a9, 0x00000006, 0x0000000f, 0x00000010, 0x0004003b, 0x0000000c, 0x00000002, 0x00000001, 0x00050036,
    0x00000007, 0x00000001, 0x00000000, 0x0000000e, 0x00030037, 0x0000000d, 0x00000003, 0x000200f8, 0x00000012, 0x0006003d,
    0x0000000b, 0x00000013, 0x00000002, 0x00000002, 0x00000020, 0x00050051, 0x0000000a, 0x00000014, 0x00000013, 0x00000000,
    0x00040071, 0x00000009, 0x00000015, 0x00000014, 0x00050084, 0x00000009, 0x00000016, 0x00000015, 0x00000004, 0x00050080,
    0x00000009, 0x00000017, 0x00000016, 0x00000011, 0x00050046, 0x0000000d, 0x00000018, 0x00000003, 0x00000014, 0x0005003e,
    0x00000018, 0x00000017, 0x00000002, 0x00000004, 0x000100fd, 0x00010038,
};
static const unsigned call_module[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000014, 0x00000000, 0x00020011, 0x00000004, 0x00020011, 0x00000005, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002, 0x0006000f, 0x00000006, 0x00000001, 0x6c6c6163,
    0x00000000, 0x00000002, 0x00030005, 0x00000003, 0x0074756f, 0x00040047, 0x00000002, 0x0000000b, 0x0000001c, 0x00030047,
    0x00000002, 0x00000016, 0x00060047, 0x00000004, 0x00000029, 0x73697774, 0x00000074, 0x00000001, 0x00020013, 0x00000005,
    0x00040015, 0x00000006, 0x00000020, 0x00000000, 0x00040015, 0x00000007, 0x00000040, 0x00000000, 0x00040017, 0x00000008,
    0x00000007, 0x00000003, 0x00040020, 0x00000009, 0x00000001, 0x00000008, 0x00040020, 0x0000000a, 0x00000005, 0x00000006,
    0x00040021, 0x0000000b, 0x00000005, 0x0000000a, 0x00040021, 0x0000000c, 0x00000006, 0x00000006, 0x0004003b, 0x00000009,
    0x00000002, 0x00000001, 0x00050036, 0x00000006, 0x00000004, 0x00000000, 0x0000000c, 0x00030037, 0x00000006, 0x0000000d,
    0x00010038, 0x00050036, 0x00000005, 0x00000001, 0x00000000, 0x0000000b, 0x00030037, 0x0000000a, 0x00000003, 0x000200f8,
    0x0000000e, 0x0006003d, 0x00000008, 0x0000000f, 0x00000002, 0x00000002, 0x00000020, 0x00050051, 0x00000007, 0x00000010,
    0x0000000f, 0x00000000, 0x00040071, 0x00000006, 0x00000011, 0x00000010, 0x00050039, 0x00000006, 0x00000012, 0x00000004,
    0x00000011, 0x00050046, 0x0000000a, 0x00000013, 0x00000003, 0x00000010, 0x0005003e, 0x00000013, 0x00000012, 0x00000002,
    0x00000004, 0x000100fd, 0x00010038,
};
