//! The entry points, once: the list below makes the functions that the library exports, the dispatch table of the ICD
//! loader (whose order it is) and the look-up by name. What the linker exports it takes from the exported functions, so
//! the version script follows the list too.
//!
//! The words at the head of a line are explained in `entry.rs`.

#![expect(non_snake_case, reason = "the names are OpenCL's")]

use std::ffi::c_void;

use crate::args::{In, Memory, Out, Text};
use crate::context::{ContextNotify, Destructor};
use crate::device::Device;
use crate::event::{Event, EventNotify};
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::mem::{Mem, MemDestructor};
use crate::native::NativeKernel;
use crate::platform::Platform;
use crate::program::{Program, ProgramNotify};
use crate::queue::Queue;
use crate::sampler::Sampler;
use crate::svm::FreeNotify;
use crate::types::{Bitfield, Int, Property, Region, Uint, UserData};
use crate::{absent, border, buffer, build, callback, command, context, device, event, extension, image};
use crate::{image_commands, kernel, kernel_info, launch, map, mem, mem_info, native, partition, platform};
use crate::{
    program, program_info, queue, rect, sampler, sub_group, svm, svm_commands, timer, transfer, usm,
    usm_commands,
};

/// The dispatch table as the loader reads it.
#[repr(transparent)]
pub(crate) struct Table([*const (); DISPATCHED]);

// SAFETY: addresses of functions, never changed.
unsafe impl Sync for Table {}

/// The table that every object begins with.
pub(crate) fn dispatch() -> &'static Table {
    &DISPATCH
}

entry_points! {
    dispatch {
        [status clGetPlatformIDs(entries: Uint, platforms: Out<Handle<Platform>>, count: Out<Uint>) platform::get_ids]
        [status clGetPlatformInfo(platform: Handle<Platform>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) platform::get_info]
        [status clGetDeviceIDs(platform: Handle<Platform>, kind: Bitfield, entries: Uint, devices: Out<Handle<Device>>, count: Out<Uint>) device::get_ids]
        [status clGetDeviceInfo(device: Handle<Device>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) device::get_info]
        [object clCreateContext(properties: In<isize>, count: Uint, devices: In<Handle<Device>>, notify: ContextNotify, data: UserData) -> context::Context, context::create]
        [object clCreateContextFromType(properties: In<isize>, kind: Bitfield, notify: ContextNotify, data: UserData) -> context::Context, context::create_from_type]
        [status clRetainContext(context: Handle<context::Context>) context::retain]
        [status clReleaseContext(context: Handle<context::Context>) context::release]
        [status clGetContextInfo(context: Handle<context::Context>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) context::get_info]
        [object clCreateCommandQueue(context: Handle<context::Context>, device: Handle<Device>, properties: Bitfield) -> Queue, queue::create_plain]
        [status clRetainCommandQueue(queue: Handle<Queue>) queue::retain]
        [status clReleaseCommandQueue(queue: Handle<Queue>) queue::release]
        [status clGetCommandQueueInfo(queue: Handle<Queue>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) queue::get_info]
        [status clSetCommandQueueProperty(queue: Handle<Queue>, properties: Bitfield, enable: Uint, old: Out<Bitfield>) queue::set_property]
        [object clCreateBuffer(context: Handle<context::Context>, flags: Bitfield, size: usize, host: Memory) -> Mem, buffer::create]
        [object clCreateImage2D(context: Handle<context::Context>, flags: Bitfield, format: In<image::Format>, width: usize, height: usize, pitch: usize, host: Memory) -> Mem, image::create_2d]
        [object clCreateImage3D(context: Handle<context::Context>, flags: Bitfield, format: In<image::Format>, width: usize, height: usize, depth: usize, row: usize, slice: usize, host: Memory) -> Mem, image::create_3d]
        [status clRetainMemObject(object: Handle<Mem>) mem::retain]
        [status clReleaseMemObject(object: Handle<Mem>) mem::release]
        [status clGetSupportedImageFormats(context: Handle<context::Context>, flags: Bitfield, kind: Uint, entries: Uint, formats: Out<image::Format>, count: Out<Uint>) image::supported_formats]
        [status clGetMemObjectInfo(object: Handle<Mem>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) mem_info::get]
        [status clGetImageInfo(object: Handle<Mem>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) image::info]
        [object clCreateSampler(context: Handle<context::Context>, normalised: Uint, addressing: Uint, filter: Uint) -> Sampler, sampler::create]
        [status clRetainSampler(sampler: Handle<Sampler>) sampler::retain]
        [status clReleaseSampler(sampler: Handle<Sampler>) sampler::release]
        [status clGetSamplerInfo(sampler: Handle<Sampler>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) sampler::info]
        [object clCreateProgramWithSource(context: Handle<context::Context>, count: Uint, texts: In<Text>, lengths: In<usize>) -> Program, program::create_with_source]
        [object clCreateProgramWithBinary(context: Handle<context::Context>, count: Uint, devices: In<Handle<Device>>, lengths: In<usize>, binaries: In<Memory>, status: Out<Int>) -> Program, program::create_with_binary]
        [status clRetainProgram(program: Handle<Program>) program::retain]
        [status clReleaseProgram(program: Handle<Program>) program::release]
        [status clBuildProgram(program: Handle<Program>, count: Uint, devices: In<Handle<Device>>, options: Text, notify: ProgramNotify, data: UserData) build::build]
        [status clUnloadCompiler() platform::unload_compiler]
        [status clGetProgramInfo(program: Handle<Program>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) program_info::get]
        [status clGetProgramBuildInfo(program: Handle<Program>, device: Handle<Device>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) program_info::get_build]
        [object clCreateKernel(program: Handle<Program>, name: Text) -> Kernel, kernel::create]
        [status clCreateKernelsInProgram(program: Handle<Program>, entries: Uint, kernels: Out<Handle<Kernel>>, count: Out<Uint>) kernel::create_all]
        [status clRetainKernel(kernel: Handle<Kernel>) kernel::retain]
        [status clReleaseKernel(kernel: Handle<Kernel>) kernel::release]
        [status clSetKernelArg(kernel: Handle<Kernel>, index: Uint, size: usize, value: Memory) kernel::set_arg]
        [status clGetKernelInfo(kernel: Handle<Kernel>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) kernel_info::get]
        [status clGetKernelWorkGroupInfo(kernel: Handle<Kernel>, device: Handle<Device>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) kernel_info::get_work_group]
        [status clWaitForEvents(count: Uint, events: In<Handle<Event>>) event::wait]
        [status clGetEventInfo(event: Handle<Event>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) event::get_info]
        [status clRetainEvent(event: Handle<Event>) event::retain]
        [status clReleaseEvent(event: Handle<Event>) event::release]
        [status clGetEventProfilingInfo(event: Handle<Event>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) timer::get_profiling]
        [status clFlush(queue: Handle<Queue>) queue::flush]
        [status clFinish(queue: Handle<Queue>) queue::finish]
        [status clEnqueueReadBuffer(queue: Handle<Queue>, object: Handle<Mem>, blocking: Uint, offset: usize, size: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) transfer::read]
        [status clEnqueueWriteBuffer(queue: Handle<Queue>, object: Handle<Mem>, blocking: Uint, offset: usize, size: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) transfer::write]
        [status clEnqueueCopyBuffer(queue: Handle<Queue>, from: Handle<Mem>, to: Handle<Mem>, from_offset: usize, to_offset: usize, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) transfer::copy]
        [status clEnqueueReadImage(queue: Handle<Queue>, image: Handle<Mem>, blocking: Uint, origin: In<usize>, region: In<usize>, row: usize, slice: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::read]
        [status clEnqueueWriteImage(queue: Handle<Queue>, image: Handle<Mem>, blocking: Uint, origin: In<usize>, region: In<usize>, row: usize, slice: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::write]
        [status clEnqueueCopyImage(queue: Handle<Queue>, from: Handle<Mem>, to: Handle<Mem>, from_origin: In<usize>, to_origin: In<usize>, region: In<usize>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::copy]
        [status clEnqueueCopyImageToBuffer(queue: Handle<Queue>, from: Handle<Mem>, to: Handle<Mem>, origin: In<usize>, region: In<usize>, offset: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::copy_to_buffer]
        [status clEnqueueCopyBufferToImage(queue: Handle<Queue>, from: Handle<Mem>, to: Handle<Mem>, offset: usize, origin: In<usize>, region: In<usize>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::copy_from_buffer]
        [mapped clEnqueueMapBuffer(queue: Handle<Queue>, object: Handle<Mem>, blocking: Uint, flags: Bitfield, offset: usize, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) map::map]
        [mapped clEnqueueMapImage(queue: Handle<Queue>, image: Handle<Mem>, blocking: Uint, flags: Bitfield, origin: In<usize>, region: In<usize>, row: Out<usize>, slice: Out<usize>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::map]
        [status clEnqueueUnmapMemObject(queue: Handle<Queue>, object: Handle<Mem>, mapped: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) map::unmap]
        [status clEnqueueNDRangeKernel(queue: Handle<Queue>, kernel: Handle<Kernel>, dimensions: Uint, offset: In<usize>, global: In<usize>, local: In<usize>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) launch::nd_range]
        [status clEnqueueTask(queue: Handle<Queue>, kernel: Handle<Kernel>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) launch::task]
        [status clEnqueueNativeKernel(queue: Handle<Queue>, call: NativeKernel, args: Memory, size: usize, count: Uint, objects: In<Handle<Mem>>, places: In<Memory>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) native::enqueue]
        [status clEnqueueMarker(queue: Handle<Queue>, event: Out<Handle<Event>>) command::marker_plain]
        [status clEnqueueWaitForEvents(queue: Handle<Queue>, count: Uint, events: In<Handle<Event>>) command::wait_for_events]
        [status clEnqueueBarrier(queue: Handle<Queue>) command::barrier_plain]
        [address clGetExtensionFunctionAddress(name: Text) extension::address]
        [absent clCreateFromGLBuffer]
        [absent clCreateFromGLTexture2D]
        [absent clCreateFromGLTexture3D]
        [absent clCreateFromGLRenderbuffer]
        [absent clGetGLObjectInfo]
        [absent clGetGLTextureInfo]
        [absent clEnqueueAcquireGLObjects]
        [absent clEnqueueReleaseGLObjects]
        [absent clGetGLContextInfoKHR]
        [absent clGetDeviceIDsFromD3D10KHR]
        [absent clCreateFromD3D10BufferKHR]
        [absent clCreateFromD3D10Texture2DKHR]
        [absent clCreateFromD3D10Texture3DKHR]
        [absent clEnqueueAcquireD3D10ObjectsKHR]
        [absent clEnqueueReleaseD3D10ObjectsKHR]
        [status clSetEventCallback(event: Handle<Event>, kind: Int, notify: EventNotify, data: UserData) callback::set]
        [object clCreateSubBuffer(parent: Handle<Mem>, flags: Bitfield, kind: Uint, info: In<Region>) -> Mem, buffer::create_sub]
        [status clSetMemObjectDestructorCallback(object: Handle<Mem>, notify: MemDestructor, data: UserData) mem::set_destructor]
        [object clCreateUserEvent(context: Handle<context::Context>) -> Event, event::create_user]
        [status clSetUserEventStatus(event: Handle<Event>, status: Int) event::set_user_status]
        [status clEnqueueReadBufferRect(queue: Handle<Queue>, object: Handle<Mem>, blocking: Uint, origin: In<usize>, host_origin: In<usize>, region: In<usize>, row: usize, slice: usize, host_row: usize, host_slice: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) rect::read]
        [status clEnqueueWriteBufferRect(queue: Handle<Queue>, object: Handle<Mem>, blocking: Uint, origin: In<usize>, host_origin: In<usize>, region: In<usize>, row: usize, slice: usize, host_row: usize, host_slice: usize, host: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) rect::write]
        [status clEnqueueCopyBufferRect(queue: Handle<Queue>, from: Handle<Mem>, to: Handle<Mem>, from_origin: In<usize>, to_origin: In<usize>, region: In<usize>, from_row: usize, from_slice: usize, to_row: usize, to_slice: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) rect::copy]
        [absent clCreateSubDevicesEXT]
        [absent clRetainDeviceEXT]
        [absent clReleaseDeviceEXT]
        [absent clCreateEventFromGLsyncKHR]
        [status clCreateSubDevices(device: Handle<Device>, properties: In<isize>, entries: Uint, devices: Out<Handle<Device>>, count: Out<Uint>) partition::create]
        [status clRetainDevice(device: Handle<Device>) device::retain]
        [status clReleaseDevice(device: Handle<Device>) device::release]
        [object clCreateImage(context: Handle<context::Context>, flags: Bitfield, format: In<image::Format>, description: In<image::Description>, host: Memory) -> Mem, image::create]
        [object clCreateProgramWithBuiltInKernels(context: Handle<context::Context>, count: Uint, devices: In<Handle<Device>>, names: Text) -> Program, program::create_with_built_in]
        [status clCompileProgram(program: Handle<Program>, count: Uint, devices: In<Handle<Device>>, options: Text, headers: Uint, programs: In<Handle<Program>>, names: In<Text>, notify: ProgramNotify, data: UserData) build::compile]
        [linked clLinkProgram(context: Handle<context::Context>, count: Uint, devices: In<Handle<Device>>, options: Text, inputs: Uint, programs: In<Handle<Program>>, notify: ProgramNotify, data: UserData) -> Program, build::link]
        [status clUnloadPlatformCompiler(platform: Handle<Platform>) platform::unload_platform_compiler]
        [status clGetKernelArgInfo(kernel: Handle<Kernel>, index: Uint, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) kernel_info::get_arg]
        [status clEnqueueFillBuffer(queue: Handle<Queue>, object: Handle<Mem>, pattern: Memory, pattern_size: usize, offset: usize, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) transfer::fill]
        [status clEnqueueFillImage(queue: Handle<Queue>, image: Handle<Mem>, colour: Memory, origin: In<usize>, region: In<usize>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) image_commands::fill]
        [status clEnqueueMigrateMemObjects(queue: Handle<Queue>, count: Uint, objects: In<Handle<Mem>>, flags: Bitfield, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) map::migrate]
        [status clEnqueueMarkerWithWaitList(queue: Handle<Queue>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) command::marker]
        [status clEnqueueBarrierWithWaitList(queue: Handle<Queue>, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) command::barrier]
        [address clGetExtensionFunctionAddressForPlatform(platform: Handle<Platform>, name: Text) extension::address_for_platform]
        [absent clCreateFromGLTexture]
        [absent clGetDeviceIDsFromD3D11KHR]
        [absent clCreateFromD3D11BufferKHR]
        [absent clCreateFromD3D11Texture2DKHR]
        [absent clCreateFromD3D11Texture3DKHR]
        [absent clCreateFromDX9MediaSurfaceKHR]
        [absent clEnqueueAcquireD3D11ObjectsKHR]
        [absent clEnqueueReleaseD3D11ObjectsKHR]
        [absent clGetDeviceIDsFromDX9MediaAdapterKHR]
        [absent clEnqueueAcquireDX9MediaSurfacesKHR]
        [absent clEnqueueReleaseDX9MediaSurfacesKHR]
        [absent clCreateFromEGLImageKHR]
        [absent clEnqueueAcquireEGLObjectsKHR]
        [absent clEnqueueReleaseEGLObjectsKHR]
        [absent clCreateEventFromEGLSyncKHR]
        [object clCreateCommandQueueWithProperties(context: Handle<context::Context>, device: Handle<Device>, properties: In<Property>) -> Queue, queue::create]
        [object clCreatePipe(context: Handle<context::Context>, flags: Bitfield, packet: Uint, packets: Uint, properties: In<isize>) -> Mem, absent::create_pipe]
        [status clGetPipeInfo(pipe: Handle<Mem>, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) absent::pipe_info]
        [address clSVMAlloc(context: Handle<context::Context>, flags: Bitfield, size: usize, alignment: Uint) svm::alloc]
        [nothing clSVMFree(context: Handle<context::Context>, pointer: Memory) svm::free]
        [status clEnqueueSVMFree(queue: Handle<Queue>, count: Uint, pointers: In<Memory>, notify: FreeNotify, data: UserData, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::free]
        [status clEnqueueSVMMemcpy(queue: Handle<Queue>, blocking: Uint, to: Memory, from: Memory, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::copy]
        [status clEnqueueSVMMemFill(queue: Handle<Queue>, to: Memory, pattern: Memory, pattern_size: usize, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::fill]
        [status clEnqueueSVMMap(queue: Handle<Queue>, blocking: Uint, flags: Bitfield, pointer: Memory, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::map]
        [status clEnqueueSVMUnmap(queue: Handle<Queue>, pointer: Memory, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::unmap]
        [object clCreateSamplerWithProperties(context: Handle<context::Context>, properties: In<Property>) -> Sampler, sampler::create_with_properties]
        [status clSetKernelArgSVMPointer(kernel: Handle<Kernel>, index: Uint, pointer: Memory) kernel::set_arg_pointer]
        [status clSetKernelExecInfo(kernel: Handle<Kernel>, name: Uint, size: usize, value: Memory) kernel::set_exec_info]
        [status clGetKernelSubGroupInfoKHR(kernel: Handle<Kernel>, device: Handle<Device>, name: Uint, input_size: usize, input: Memory, size: usize, value: Memory, size_ret: Out<usize>) sub_group::info]
        [object clCloneKernel(kernel: Handle<Kernel>) -> Kernel, kernel::duplicate]
        [object clCreateProgramWithIL(context: Handle<context::Context>, il: Memory, length: usize) -> Program, program::create_with_il]
        [status clEnqueueSVMMigrateMem(queue: Handle<Queue>, count: Uint, pointers: In<Memory>, sizes: In<usize>, flags: Bitfield, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) svm_commands::migrate]
        [status clGetDeviceAndHostTimer(device: Handle<Device>, device_time: Out<u64>, host_time: Out<u64>) timer::device_and_host]
        [status clGetHostTimer(device: Handle<Device>, host_time: Out<u64>) timer::host]
        [status clGetKernelSubGroupInfo(kernel: Handle<Kernel>, device: Handle<Device>, name: Uint, input_size: usize, input: Memory, size: usize, value: Memory, size_ret: Out<usize>) sub_group::info]
        [status clSetDefaultDeviceCommandQueue(context: Handle<context::Context>, device: Handle<Device>, queue: Handle<Queue>) absent::set_default_queue]
        [status clSetProgramReleaseCallback(program: Handle<Program>, notify: ProgramNotify, data: UserData) absent::release_callback]
        [status clSetProgramSpecializationConstant(program: Handle<Program>, id: Uint, size: usize, value: Memory) program::specialise]
        [object clCreateBufferWithProperties(context: Handle<context::Context>, properties: In<Property>, flags: Bitfield, size: usize, host: Memory) -> Mem, buffer::create_with_properties]
        [object clCreateImageWithProperties(context: Handle<context::Context>, properties: In<Property>, flags: Bitfield, format: In<image::Format>, description: In<image::Description>, host: Memory) -> Mem, image::create_with_properties]
        [status clSetContextDestructorCallback(context: Handle<context::Context>, notify: Destructor, data: UserData) context::set_destructor]
        [status clGetKernelSuggestedLocalWorkSize(queue: Handle<Queue>, kernel: Handle<Kernel>, dimensions: Uint, offset: In<usize>, global: In<usize>, local: Out<usize>) launch::suggested_local_size]
    }
    loader {
        [status clIcdGetPlatformIDsKHR(entries: Uint, platforms: Out<Handle<Platform>>, count: Out<Uint>) platform::get_ids]
    }
    extensions {
        [address clHostMemAllocINTEL(context: Handle<context::Context>, properties: In<Property>, size: usize, alignment: Uint, errcode: Out<Int>) usm::alloc_host]
        [address clDeviceMemAllocINTEL(context: Handle<context::Context>, device: Handle<Device>, properties: In<Property>, size: usize, alignment: Uint, errcode: Out<Int>) usm::alloc_device]
        [address clSharedMemAllocINTEL(context: Handle<context::Context>, device: Handle<Device>, properties: In<Property>, size: usize, alignment: Uint, errcode: Out<Int>) usm::alloc_shared]
        [status clMemFreeINTEL(context: Handle<context::Context>, pointer: Memory) usm::free]
        [status clMemBlockingFreeINTEL(context: Handle<context::Context>, pointer: Memory) usm::blocking_free]
        [status clGetMemAllocInfoINTEL(context: Handle<context::Context>, pointer: Memory, name: Uint, size: usize, value: Memory, size_ret: Out<usize>) usm::get_info]
        [status clSetKernelArgMemPointerINTEL(kernel: Handle<Kernel>, index: Uint, pointer: Memory) kernel::set_arg_pointer]
        [status clEnqueueMemFillINTEL(queue: Handle<Queue>, to: Memory, pattern: Memory, pattern_size: usize, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) usm_commands::fill]
        [status clEnqueueMemcpyINTEL(queue: Handle<Queue>, blocking: Uint, to: Memory, from: Memory, size: usize, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) usm_commands::copy]
        [status clEnqueueMigrateMemINTEL(queue: Handle<Queue>, pointer: Memory, size: usize, flags: Bitfield, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) usm_commands::migrate]
        [status clEnqueueMemAdviseINTEL(queue: Handle<Queue>, pointer: Memory, size: usize, advice: Uint, waits: Uint, list: In<Handle<Event>>, event: Out<Handle<Event>>) usm_commands::advise]
        [status clSetKernelArgDevicePointerEXT(kernel: Handle<Kernel>, index: Uint, pointer: u64) kernel::set_arg_device_pointer]
    }
    aliases {
        clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties
        clCreateProgramWithILKHR = clCreateProgramWithIL
        clGetKernelSuggestedLocalWorkSizeKHR = clGetKernelSuggestedLocalWorkSize
    }
}
