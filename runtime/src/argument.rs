//! Arguments of a launch and their check against the kernel's parameters.

use oxcl_binary::archive::{AddressQualifier, Arg, ArgKind, Kernel};
use oxcl_driver::image::{ImageDescription, ImageKind, order};

use crate::buffer::Buffer;
use crate::image::Image;
use crate::launch::LaunchError;

/// One argument, in the order of the kernel's parameters.
pub type ArgValue<'a> = oxcl_driver::program::ArgValue<&'a Buffer, &'a [u8]>;

impl Image {
    /// Whether parameters of a type take it; where the type has another name, which a program may give it, nobody knows.
    #[must_use]
    pub fn fits(&self, type_name: &str) -> bool {
        takes(type_name).is_none_or(|takes| takes == type_of(self.description()))
    }

    /// The image as an argument.
    #[must_use]
    pub fn argument(&self) -> ArgValue<'_> {
        ArgValue::Image(self.buffer(), *self.description())
    }
}

fn describe(value: &ArgValue<'_>) -> &'static str {
    match value {
        ArgValue::Buffer(_) => "a buffer",
        ArgValue::Null => "a null pointer",
        ArgValue::Pointer(_) => "an address",
        ArgValue::Local(_) => "a size of local memory",
        ArgValue::Value(_) => "a value",
        ArgValue::Image(..) => "an image",
        ArgValue::Sampler(_) => "a sampler",
    }
}

/// How messages call a parameter: its name, or its position where the archive does not know the name.
pub(crate) fn parameter_name(record: &Kernel, index: usize) -> String {
    match record.args.get(index) {
        Some(arg) if !arg.name.is_empty() => arg.name.clone(),
        _ => format!("#{index}"),
    }
}

/// The type of parameters that take an image.
fn type_of(image: &ImageDescription) -> &'static str {
    image.kind.type_name(image.format.channel_order == order::DEPTH)
}

/// The type of images that a parameter takes; none where it has another name, which a program may give it.
fn takes(type_name: &str) -> Option<&'static str> {
    ImageKind::of_type_name(type_name).map(|(kind, is_depth)| kind.type_name(is_depth))
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
        ArgKind::Image => match value {
            // CL_INVALID_ARG_VALUE if the image is none of the kind that the argument is declared as.
            ArgValue::Image(_, image) => match takes(&arg.type_name) {
                Some(want) if want != type_of(image) => {
                    let given = type_of(image);
                    Err(LaunchError::ArgumentKind {
                        kernel: kernel(),
                        argument: argument(),
                        type_name: type_name(),
                        want,
                        given,
                    })
                }
                _ => Ok(()),
            },
            _ => Err(wrong_kind("an image")),
        },
        ArgKind::Sampler => match value {
            ArgValue::Sampler(_) => Ok(()),
            _ => Err(wrong_kind("a sampler")),
        },
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
