//! Arguments of a launch and their check against the kernel's parameters.

use oxcl_binary::archive::{AddressQualifier, Arg, ArgKind, Kernel};

use crate::buffer::Buffer;
use crate::launch::LaunchError;

/// One argument, in the order of the kernel's parameters.
pub type ArgValue<'a> = oxcl_driver::program::ArgValue<&'a Buffer, &'a [u8]>;

fn describe(value: &ArgValue<'_>) -> &'static str {
    match value {
        ArgValue::Buffer(_) => "a buffer",
        ArgValue::Null => "a null pointer",
        ArgValue::Pointer(_) => "an address",
        ArgValue::Local(_) => "a size of local memory",
        ArgValue::Value(_) => "a value",
    }
}

/// How messages call a parameter: its name, or its position where the archive does not know the name.
pub(crate) fn parameter_name(record: &Kernel, index: usize) -> String {
    match record.args.get(index) {
        Some(arg) if !arg.name.is_empty() => arg.name.clone(),
        _ => format!("#{index}"),
    }
}

/// Checks `values` against the kernel's parameters.
pub(crate) fn check(record: &Kernel, values: &[ArgValue<'_>]) -> Result<(), LaunchError> {
    // CL_INVALID_KERNEL_ARGS if an argument has not been set.
    if values.len() != record.args.len() {
        return Err(LaunchError::ArgumentCount {
            kernel: record.name.clone(),
            want: record.args.len(),
            given: values.len(),
            parameters: (0..record.args.len()).map(|index| parameter_name(record, index)).collect(),
        });
    }
    let mut arguments = record.args.iter().zip(values).enumerate();
    arguments.try_for_each(|(index, (arg, value))| check_one(record, index, arg, value))
}

fn check_one(record: &Kernel, index: usize, arg: &Arg, value: &ArgValue<'_>) -> Result<(), LaunchError> {
    let kernel = || record.name.clone();
    let argument = || parameter_name(record, index);
    let type_name = || arg.type_name.clone();
    let wrong_kind = |want: &'static str| LaunchError::ArgumentKind {
        kernel: kernel(),
        argument: argument(),
        type_name: type_name(),
        want,
        given: describe(value),
    };
    let not_yet = |what| LaunchError::ArgumentNotYet {
        kernel: kernel(),
        argument: argument(),
        type_name: type_name(),
        what,
    };
    match arg.kind {
        ArgKind::Image => Err(not_yet("images")),
        ArgKind::Sampler => Err(not_yet("samplers")),
        ArgKind::Pipe => Err(not_yet("pipes")),
        ArgKind::Pointer if arg.address == AddressQualifier::Local => match value {
            // CL_INVALID_ARG_SIZE if arg_size is zero and the argument is declared with the local qualifier.
            ArgValue::Local(0) => Err(LaunchError::EmptyLocal { kernel: kernel(), argument: argument() }),
            ArgValue::Local(_) => Ok(()),
            _ => Err(wrong_kind("a size of local memory")),
        },
        ArgKind::Pointer => match value {
            ArgValue::Buffer(_) | ArgValue::Pointer(_) | ArgValue::Null => Ok(()),
            _ => Err(wrong_kind("a buffer")),
        },
        ArgKind::Value => match value {
            // CL_INVALID_ARG_SIZE if arg_size does not match the size of the data type. Archives of PoCL 3.1 say 0 for
            // structures: nobody knows their size.
            ArgValue::Value(bytes) if arg.size != 0 && bytes.len() as u64 != u64::from(arg.size) => {
                Err(LaunchError::ArgumentSize {
                    kernel: kernel(),
                    argument: argument(),
                    type_name: type_name(),
                    want: arg.size,
                    given: bytes.len(),
                })
            }
            ArgValue::Value(_) => Ok(()),
            _ => Err(wrong_kind("a value")),
        },
    }
}
