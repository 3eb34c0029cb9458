//! Build options: the one parser for the string that `clBuildProgram` gets, for argument vectors, and the printer that
//! gives the same options back.
//!
//! An option that is not known is an error that names it and the nearest one that is. Options are kept in the order
//! given where order matters (macros, include folders, warnings, extensions).

use std::fmt;

use crate::compile::Bits;
use crate::features;
use crate::words::{self, nearest};

pub use crate::words::QuoteError;

/// Versions of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Standard {
    /// OpenCL C 1.0
    Cl10,
    /// OpenCL C 1.1
    Cl11,
    /// OpenCL C 1.2
    #[default]
    Cl12,
    /// OpenCL C 2.0
    Cl20,
    /// OpenCL C 3.0
    Cl30,
    /// OpenCL C 3.1
    Cl31,
}

impl Standard {
    /// All versions.
    pub const ALL: [Self; 6] = [Self::Cl10, Self::Cl11, Self::Cl12, Self::Cl20, Self::Cl30, Self::Cl31];

    /// The name that `-cl-std=` takes: `CL1.2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cl10 => "CL1.0",
            Self::Cl11 => "CL1.1",
            Self::Cl12 => "CL1.2",
            Self::Cl20 => "CL2.0",
            Self::Cl30 => "CL3.0",
            Self::Cl31 => "CL3.1",
        }
    }

    /// What clang takes for it: it knows no 3.1, which is 3.0 with other values of macros (`features::clang_macros`).
    fn clang_name(self) -> &'static str {
        match self {
            Self::Cl31 => Self::Cl30.name(),
            other => other.name(),
        }
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How hard LLVM works on the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum OptLevel {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3`
    #[default]
    O3,
}

impl OptLevel {
    fn print(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
            Self::O3 => "-O3",
        }
    }
}

/// What becomes of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warnings {
    /// They are reported.
    #[default]
    Report,
    /// `-w`: they are not.
    Off,
    /// `-Werror`: they reject the source.
    Error,
}

/// Switches that are on or off.
///
/// Each option's meaning is the OpenCL specification's. What one of them implies is not set here: ask the methods of
/// [`BuildOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    bits: u16,
}

/// One of [`Switches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Switch {
    /// `-cl-single-precision-constant`
    SinglePrecisionConstant = 1,
    /// `-cl-denorms-are-zero`
    DenormsAreZero = 2,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    CorrectlyRoundedDivideSqrt = 4,
    /// `-cl-opt-disable`
    OptDisable = 8,
    /// `-cl-mad-enable`
    MadEnable = 16,
    /// `-cl-no-signed-zeros`
    NoSignedZeros = 32,
    /// `-cl-unsafe-math-optimizations`
    UnsafeMath = 64,
    /// `-cl-finite-math-only`
    FiniteMathOnly = 128,
    /// `-cl-fast-relaxed-math`
    FastRelaxedMath = 256,
    /// `-cl-uniform-work-group-size`
    UniformWorkGroupSize = 512,
    /// `-cl-no-subgroup-ifp`
    NoSubgroupIfp = 1024,
    /// `-cl-kernel-arg-info`
    KernelArgInfo = 2048,
    /// `-g`
    Debug = 4096,
    /// `-oxcl-zero-local`: local memory is zero where a work-group begins
    ZeroLocal = 8192,
    /// `-oxcl-zero-private`: private memory is zero where a work-item begins
    ZeroPrivate = 16384,
}

/// Every switch with its option, in the order in which they are printed.
const SWITCHES: [(&str, Switch); 15] = [
    ("-cl-single-precision-constant", Switch::SinglePrecisionConstant),
    ("-cl-denorms-are-zero", Switch::DenormsAreZero),
    ("-cl-fp32-correctly-rounded-divide-sqrt", Switch::CorrectlyRoundedDivideSqrt),
    ("-cl-opt-disable", Switch::OptDisable),
    ("-cl-mad-enable", Switch::MadEnable),
    ("-cl-no-signed-zeros", Switch::NoSignedZeros),
    ("-cl-unsafe-math-optimizations", Switch::UnsafeMath),
    ("-cl-finite-math-only", Switch::FiniteMathOnly),
    ("-cl-fast-relaxed-math", Switch::FastRelaxedMath),
    ("-cl-uniform-work-group-size", Switch::UniformWorkGroupSize),
    ("-cl-no-subgroup-ifp", Switch::NoSubgroupIfp),
    ("-cl-kernel-arg-info", Switch::KernelArgInfo),
    ("-g", Switch::Debug),
    ("-oxcl-zero-local", Switch::ZeroLocal),
    ("-oxcl-zero-private", Switch::ZeroPrivate),
];

/// The options that programs are linked with. Those of OpenCL are permissions: what was compiled without them stays as it is.
const LINK_OPTIONS: [&str; 8] = [
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
    "-oxcl-zero-local",
    "-oxcl-zero-private",
];

/// Options of earlier versions of OpenCL that say nothing any more: programs that were written for them still give them.
const OLD_OPTIONS: [&str; 1] = ["-cl-strict-aliasing"];

/// What else is known, for the nearest name in an error.
const OTHER_OPTIONS: [&str; 13] =
    ["-D", "-I", "-O0", "-O1", "-O2", "-O3", "-U", "-W", "-Werror", "-cl-ext=", "-cl-std=", "-w", "-x"];

impl Switches {
    /// Whether the switch was given.
    #[must_use]
    pub fn has(self, switch: Switch) -> bool {
        self.bits & switch as u16 != 0
    }

    /// Turns a switch on.
    pub fn set(&mut self, switch: Switch) {
        self.bits |= switch as u16;
    }
}

/// A change to the macros, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Macro {
    /// `-D NAME` or `-D NAME=VALUE`, as written.
    Define(String),
    /// `-U NAME`
    Undefine(String),
}

/// `+NAME` or `-NAME` in `-cl-ext=`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionToggle {
    /// The extension, or `all`.
    pub name: String,
    /// On or off.
    pub on: bool,
}

/// Parsed build options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildOptions {
    /// `-D` and `-U`.
    pub macros: Vec<Macro>,
    /// `-I`.
    pub include_dirs: Vec<String>,
    /// `-cl-std=`, if given.
    pub standard: Option<Standard>,
    /// What is on or off.
    pub switches: Switches,
    /// `-O`, if given.
    pub optimisation: Option<OptLevel>,
    /// `-w` and `-Werror`.
    pub warnings: Warnings,
    /// `-WNAME` and `-Wno-NAME`, without `-W`.
    pub warning_names: Vec<String>,
    /// `-cl-ext=`.
    pub extensions: Vec<ExtensionToggle>,
}

/// Why options were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown build option '{option}'{}", suggestion(.nearest))]
    Unknown {
        /// The option as given.
        option: String,
        /// The known option that looks most like it.
        nearest: Option<String>,
    },
    /// The option needs a value and none follows.
    #[error("build option '{option}' needs a value: {expected}")]
    MissingValue {
        /// The option.
        option: String,
        /// What would do.
        expected: &'static str,
    },
    /// The option's value is none that it takes.
    #[error("build option '{option}' does not take '{value}': it takes {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// The value given.
        value: String,
        /// What would do.
        expected: &'static str,
    },
    /// The option asks for something that this compiler does not do.
    #[error("build option '{option}' is not supported: {reason}")]
    Unsupported {
        /// The option.
        option: String,
        /// What is missing.
        reason: &'static str,
    },
    /// The string cannot be split into words.
    #[error(transparent)]
    Quote(#[from] QuoteError),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; the nearest known one is '{name}'"))
}

const STANDARDS: &str = "CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1";

impl BuildOptions {
    /// Whether the local size of every launch divides its global size: in the versions before OpenCL C 2.0, and wherever
    /// the options promise it.
    #[must_use]
    pub fn has_uniform_groups(&self) -> bool {
        self.standard() < Standard::Cl20 || self.switches.has(Switch::UniformWorkGroupSize)
    }

    /// Parses the string that `clBuildProgram` and `clCompileProgram` take.
    ///
    /// # Errors
    /// An option that is not known or lacks its value, an unclosed quote.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        Self::from_arguments(words::split(text)?)
    }

    /// Parses options that are separate already.
    ///
    /// # Errors
    /// An option that is not known or lacks its value.
    pub fn from_arguments<I>(arguments: I) -> Result<Self, OptionError>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter().map(Into::into);
        while let Some(argument) = arguments.next() {
            options.take(&argument, &mut arguments)?;
        }
        Ok(options)
    }

    fn take(&mut self, argument: &str, rest: &mut dyn Iterator<Item = String>) -> Result<(), OptionError> {
        if let Some((_, switch)) = SWITCHES.iter().find(|(name, _)| *name == argument) {
            self.switches.set(*switch);
            return Ok(());
        }
        let mut value = |option: &'static str, expected: &'static str| {
            let own = argument.strip_prefix(option).unwrap_or_default();
            if own.is_empty() { rest.next().filter(|next| !next.is_empty()) } else { Some(own.to_owned()) }
                .ok_or(OptionError::MissingValue { option: option.to_owned(), expected })
        };
        match argument {
            "-O0" => self.optimisation = Some(OptLevel::O0),
            "-O1" => self.optimisation = Some(OptLevel::O1),
            "-O2" => self.optimisation = Some(OptLevel::O2),
            "-O3" => self.optimisation = Some(OptLevel::O3),
            "-w" => self.warnings = Warnings::Off,
            "-Werror" => self.warnings = Warnings::Error,
            _ if OLD_OPTIONS.contains(&argument) => {}
            _ if argument.starts_with("-D") => {
                let definition = value("-D", "NAME or NAME=VALUE")?;
                check_macro("-D", &definition)?;
                self.macros.push(Macro::Define(definition));
            }
            _ if argument.starts_with("-U") => {
                let name = value("-U", "NAME")?;
                check_macro("-U", &name)?;
                self.macros.push(Macro::Undefine(name));
            }
            _ if argument.starts_with("-I") => self.include_dirs.push(value("-I", "a folder")?),
            _ if argument.starts_with("-x") => {
                let language = value("-x", "cl")?;
                match language.as_str() {
                    "cl" => {}
                    "spir" | "spirv" => {
                        return Err(OptionError::Unsupported {
                            option: format!("-x {language}"),
                            reason: "programs are given as OpenCL C or as pocl-binary",
                        });
                    }
                    _ => {
                        return Err(OptionError::BadValue {
                            option: "-x".into(),
                            value: language,
                            expected: "cl",
                        });
                    }
                }
            }
            _ if argument.starts_with("-cl-std=") => {
                let name = &argument["-cl-std=".len()..];
                let known = Standard::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(name));
                self.standard = Some(known.ok_or_else(|| OptionError::BadValue {
                    option: "-cl-std=".into(),
                    value: name.to_owned(),
                    expected: STANDARDS,
                })?);
            }
            _ if argument.starts_with("-cl-ext=") => {
                for word in argument["-cl-ext=".len()..].split(',').filter(|word| !word.is_empty()) {
                    let on = word.starts_with('+');
                    let name = word.strip_prefix(['+', '-']).unwrap_or_default();
                    if name.is_empty() {
                        return Err(OptionError::BadValue {
                            option: "-cl-ext=".into(),
                            value: word.to_owned(),
                            expected: "+NAME or -NAME, separated by commas",
                        });
                    }
                    self.extensions.push(ExtensionToggle { name: name.to_owned(), on });
                }
            }
            _ if argument.starts_with("-W") && argument.len() > 2 => {
                self.warning_names.push(argument[2..].to_owned());
            }
            _ => {
                let known = SWITCHES.iter().map(|(name, _)| *name).chain(OTHER_OPTIONS);
                let nearest = nearest(argument, known).map(str::to_owned);
                return Err(OptionError::Unknown { option: argument.to_owned(), nearest });
            }
        }
        Ok(())
    }

    /// Parses the string that `clLinkProgram` takes. The second value: `-create-library` is in it.
    ///
    /// # Errors
    /// An option that does not go with linking, or `-enable-link-options` without `-create-library`.
    pub fn parse_link(text: &str) -> Result<(Self, bool), OptionError> {
        let mut words = words::split(text)?;
        let mut take = |name: &str| {
            let before = words.len();
            words.retain(|word| word != name);
            words.len() < before
        };
        let (library, link_options) = (take("-create-library"), take("-enable-link-options"));
        if let Some(option) = words.iter().find(|word| !LINK_OPTIONS.contains(&word.as_str())) {
            let known = LINK_OPTIONS.into_iter().chain(["-create-library", "-enable-link-options"]);
            let nearest = nearest(option, known).map(str::to_owned);
            return Err(OptionError::Unknown { option: option.clone(), nearest });
        }
        if link_options && !library {
            return Err(OptionError::Unsupported {
                option: "-enable-link-options".to_owned(),
                reason: "it goes with -create-library only",
            });
        }
        Ok((Self::from_arguments(words)?, library))
    }

    /// The version of the language that the source is in.
    #[must_use]
    pub fn standard(&self) -> Standard {
        self.standard.unwrap_or_default()
    }

    /// The level that code is optimised at: `-cl-opt-disable` is `-O0`.
    #[must_use]
    pub fn opt_level(&self) -> OptLevel {
        if self.switches.has(Switch::OptDisable) {
            OptLevel::O0
        } else {
            self.optimisation.unwrap_or_default()
        }
    }

    /// The options one by one; [`BuildOptions::from_arguments`] of it is the same options.
    #[must_use]
    pub fn to_arguments(&self) -> Vec<String> {
        let mut out = Vec::new();
        for item in &self.macros {
            out.push(match item {
                Macro::Define(definition) => format!("-D{definition}"),
                Macro::Undefine(name) => format!("-U{name}"),
            });
        }
        out.extend(self.include_dirs.iter().map(|dir| format!("-I{dir}")));
        out.extend(self.standard.map(|standard| format!("-cl-std={standard}")));
        out.extend(
            SWITCHES
                .iter()
                .filter(|(_, switch)| self.switches.has(*switch))
                .map(|(name, _)| (*name).to_owned()),
        );
        out.extend(self.optimisation.map(|level| level.print().to_owned()));
        match self.warnings {
            Warnings::Report => {}
            Warnings::Off => out.push("-w".into()),
            Warnings::Error => out.push("-Werror".into()),
        }
        out.extend(self.warning_names.iter().map(|name| format!("-W{name}")));
        if !self.extensions.is_empty() {
            let toggles: Vec<String> = self
                .extensions
                .iter()
                .map(|toggle| format!("{}{}", if toggle.on { '+' } else { '-' }, toggle.name))
                .collect();
            out.push(format!("-cl-ext={}", toggles.join(",")));
        }
        out
    }

    /// What `clang -cc1` is told because of these options.
    pub(crate) fn clang_arguments(&self, bits: Bits) -> Vec<String> {
        let standard = self.standard();
        let mut out = vec![format!("-cl-std={}", standard.clang_name())];
        out.push(format!("-cl-ext={}", features::clang_extensions(standard, bits)));
        let is_off = |name: &str| {
            let mut toggles = self.extensions.iter().rev();
            toggles
                .find(|toggle| toggle.name == name || toggle.name == "all")
                .is_some_and(|toggle| !toggle.on)
        };
        out.extend(features::clang_macros(standard, bits, is_off));
        for toggle in &self.extensions {
            // What is not in the table stays off: its functions have no definition.
            let known = features::has_switch(&toggle.name) || toggle.name == "all";
            if !toggle.on && known {
                out.push(format!("-cl-ext=-{}", toggle.name));
            }
        }
        // `-cl-denorms-are-zero` is a permission; the one who runs the kernel sets the floating-point unit. Told to
        // clang it would only make calls to builtins not inlinable. Nor does clang need to know of `-cl-opt-disable`
        // and `-O`: no LLVM pass runs here.
        for (name, switch) in SWITCHES {
            let passed = match switch {
                Switch::SinglePrecisionConstant
                | Switch::CorrectlyRoundedDivideSqrt
                | Switch::MadEnable
                | Switch::NoSignedZeros
                | Switch::UnsafeMath
                | Switch::FiniteMathOnly
                | Switch::FastRelaxedMath => self.switches.has(switch),
                Switch::DenormsAreZero
                | Switch::OptDisable
                | Switch::UniformWorkGroupSize
                | Switch::NoSubgroupIfp
                | Switch::KernelArgInfo
                | Switch::Debug
                | Switch::ZeroLocal
                | Switch::ZeroPrivate => false,
            };
            if passed {
                out.push(name.to_owned());
            }
        }
        if self.switches.has(Switch::Debug) {
            out.extend(["-debug-info-kind=constructor".to_owned(), "-dwarf-version=5".to_owned()]);
        }
        match self.warnings {
            Warnings::Report => {}
            Warnings::Off => out.push("-w".into()),
            Warnings::Error => out.push("-Werror".into()),
        }
        out.extend(self.warning_names.iter().map(|name| format!("-W{name}")));
        for item in &self.macros {
            let (option, text) = match item {
                Macro::Define(definition) => ("-D", definition),
                Macro::Undefine(name) => ("-U", name),
            };
            out.extend([option.to_owned(), text.clone()]);
        }
        for dir in &self.include_dirs {
            out.extend(["-I".to_owned(), dir.clone()]);
        }
        out
    }
}

/// The name in `-D NAME…` or `-U NAME` must be one: clang would take it for something else or warn at length.
fn check_macro(option: &str, text: &str) -> Result<(), OptionError> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let mut bytes = name.bytes();
    let good = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_' || b >= 0x80)
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
    if good && !text.contains('\0') {
        return Ok(());
    }
    Err(OptionError::BadValue {
        option: option.to_owned(),
        value: text.replace('\0', "\\0"),
        expected: "a macro's name, then '=VALUE' if it has one",
    })
}

/// One string that [`BuildOptions::parse`] takes back.
impl fmt::Display for BuildOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words::join(&self.to_arguments()))
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
