//! The ways to compile and run a program in this process.

use std::fmt;
use std::str::FromStr;

use oxcl_compiler::{
    BuildOptions, CompileError, Devices, Emit, FormError, IlFile, Quality, Request, SourceFile, compile,
};
use oxcl_runtime::{Device, Program};
use serde::{Deserialize, Serialize};

use super::trial::{Trial, Verdict};
use crate::interop::launch_here;
use crate::processors;

/// The most cycles that a launch may take on a simulated processor.
const LONGEST_LAUNCH: u64 = 200_000_000;

/// What runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Engine {
    /// All cores.
    Cpu,
    /// The caller's thread.
    Basic,
    /// The reference executor.
    Ref,
    /// A simulated processor: its number among the machines of the file tests.
    Tta(u8),
}

/// A CPU level that code is made for in place of this machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CpuLevel {
    /// SSE4.2.
    V2,
    /// AVX2.
    V3,
    /// AVX-512.
    V4,
}

impl CpuLevel {
    /// All.
    pub const ALL: [CpuLevel; 3] = [CpuLevel::V2, CpuLevel::V3, CpuLevel::V4];

    /// LLVM's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CpuLevel::V2 => "x86-64-v2",
            CpuLevel::V3 => "x86-64-v3",
            CpuLevel::V4 => "x86-64-v4",
        }
    }
}

impl FromStr for CpuLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name);
        let at = names.iter().position(|name| *name == text);
        at.map(|at| Self::ALL[at]).ok_or_else(|| format!("'{text}' is none of {}", names.join(", ")))
    }
}

/// An engine, and how the program is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Configuration {
    /// What runs it.
    pub engine: Engine,
    /// With functions specialised for the launches' local sizes.
    pub special: bool,
    /// Made in a hurry.
    pub hurried: bool,
    /// With `-cl-opt-disable`.
    pub plain: bool,
    /// Work-items at a time; none: the compiler's choice.
    pub width: Option<u32>,
    /// The CPU that code is made for; none: this one.
    pub cpu: Option<CpuLevel>,
    /// By way of SPIR-V: the module that the compiler makes of the program is what it compiles.
    pub spirv: bool,
}

impl Configuration {
    const fn new(engine: Engine) -> Self {
        Self { engine, special: false, hurried: false, plain: false, width: None, cpu: None, spirv: false }
    }

    /// Every way on the CPU that a user can meet.
    #[must_use]
    pub fn of_cpu() -> Vec<Self> {
        let cpu = Self::new(Engine::Cpu);
        vec![
            cpu,
            Self { special: true, ..cpu },
            Self { hurried: true, ..cpu },
            Self { plain: true, ..cpu },
            Self { special: true, plain: true, ..cpu },
            Self::new(Engine::Basic),
        ]
    }

    /// The reference executor.
    #[must_use]
    pub fn of_ref() -> Vec<Self> {
        vec![Self::new(Engine::Ref)]
    }

    /// By way of SPIR-V, to the compiler's choice of lanes and to the reference executor.
    #[must_use]
    pub fn of_spirv() -> Vec<Self> {
        [Engine::Cpu, Engine::Ref].map(|engine| Self { spirv: true, ..Self::new(engine) }).to_vec()
    }

    /// Two simulated processors, which change with the seed.
    #[must_use]
    pub fn of_tta(seed: u64) -> Vec<Self> {
        let count = processors::MACHINES.len() as u64;
        let machine = |number: u64| Self::new(Engine::Tta((number % count) as u8));
        vec![machine(seed), machine(seed + count / 2)]
    }

    /// The same for another CPU, where it is a CPU that the code is for.
    #[must_use]
    pub fn for_cpu(self, cpu: CpuLevel) -> Self {
        match self.engine {
            Engine::Cpu | Engine::Basic => Self { cpu: Some(cpu), ..self },
            Engine::Ref | Engine::Tta(_) => self,
        }
    }

    /// Several work-items at a time.
    #[must_use]
    pub fn of_wide() -> Vec<Self> {
        [1, 4, 8, 16, 32, 64].map(|width| Self { width: Some(width), ..Self::new(Engine::Cpu) }).to_vec()
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.engine {
            Engine::Cpu => write!(f, "cpu")?,
            Engine::Basic => write!(f, "basic")?,
            Engine::Ref => write!(f, "ref")?,
            Engine::Tta(number) => {
                write!(f, "tta.{}", processors::MACHINES.get(usize::from(number)).unwrap_or(&"?"))?;
            }
        }
        for (flag, word) in [
            (self.special, ".special"),
            (self.hurried, ".hurried"),
            (self.plain, ".opt-disable"),
            (self.spirv, ".spirv"),
        ] {
            if flag {
                write!(f, "{word}")?;
            }
        }
        if let Some(width) = self.width {
            write!(f, ".w{width}")?;
        }
        if let Some(cpu) = self.cpu {
            write!(f, ".{}", cpu.name())?;
        }
        Ok(())
    }
}

impl FromStr for Configuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::of_cpu();
        all.extend(Self::of_ref());
        all.extend(Self::of_wide());
        all.extend(Self::of_spirv());
        all.extend((0..processors::MACHINES.len() as u8).map(|number| Self::new(Engine::Tta(number))));
        for cpu in CpuLevel::ALL {
            let own = all.iter().filter(|configuration| configuration.cpu.is_none());
            let more: Vec<Self> = own.map(|configuration| configuration.for_cpu(cpu)).collect();
            all.extend(more.into_iter().filter(|configuration| configuration.cpu.is_some()));
        }
        let known: Vec<String> = all.iter().map(ToString::to_string).collect();
        let at = known.iter().position(|name| name == text);
        at.map(|at| all[at]).ok_or_else(|| format!("'{text}' is none of {}", known.join(", ")))
    }
}

/// Compiles and runs a trial.
#[must_use]
pub(super) fn run(trial: &Trial, configuration: Configuration) -> Verdict {
    let (archive, device) = match prepare(trial, configuration) {
        Ok(prepared) => prepared,
        Err(verdict) => return verdict,
    };
    let device = match Device::by_name(&device) {
        Ok(device) => device,
        Err(error) => return Verdict::Rejected(error.to_string()),
    };
    if let Some(core) = device.processor_core() {
        core.give_up_after(LONGEST_LAUNCH);
    }
    let program = match Program::from_archive(&archive) {
        Ok(program) => program,
        Err(error) => return Verdict::Rejected(error.to_string()),
    };
    for (number, (launch, expected)) in trial.launches.iter().zip(&trial.expected).enumerate() {
        let buffers = match launch_here(&device, &program, launch).map_err(|error| error.to_string()) {
            Ok(buffers) => buffers,
            Err(error) => return Verdict::Rejected(format!("launch {number}: {error}")),
        };
        if let Some(difference) = difference(expected, &buffers) {
            return Verdict::Wrong(format!("launch {number} of '{}': {difference}", launch.kernel));
        }
    }
    Verdict::Same
}

/// Where buffers differ first.
pub(super) fn difference(expected: &[Vec<u8>], found: &[Vec<u8>]) -> Option<String> {
    for (number, (want, have)) in expected.iter().zip(found).enumerate() {
        if let Some(at) = want.iter().zip(have).position(|(a, b)| a != b) {
            let start = at / 4 * 4;
            let word = |bytes: &[u8]| bytes[start..(start + 4).min(bytes.len())].to_vec();
            return Some(format!("buffer {number}, byte {at}: {:?} instead of {:?}", word(have), word(want)));
        }
    }
    None
}

/// What the compiler is asked for.
fn request(trial: &Trial, more_options: &str) -> Result<Request<'static>, Verdict> {
    let sources = vec![SourceFile { name: "random.cl".to_owned(), text: trial.source.clone() }];
    let mut request = Request::new(sources);
    let options = BuildOptions::parse(&format!("{}{more_options}", trial.options));
    request.options = options.map_err(|error| Verdict::Rejected(error.to_string()))?;
    Ok(request)
}

/// The module of SPIR-V that is made of a trial's program.
///
/// # Errors
/// There is none: the verdict says why.
pub fn spirv_of(trial: &Trial) -> Result<Vec<u8>, Verdict> {
    let mut request = request(trial, "")?;
    by_way_of_spirv(&mut request)?;
    Ok(request.il.swap_remove(0).bytes)
}

/// The archive for a configuration, and the device's name.
fn prepare(trial: &Trial, configuration: Configuration) -> Result<(Vec<u8>, String), Verdict> {
    let mut request = request(trial, if configuration.plain { " -cl-opt-disable" } else { "" })?;
    request.width = configuration.width;
    request.strict = true;
    request.cpus = configuration.cpu.map(|cpu| cpu.name().to_owned()).into_iter().collect();
    if configuration.hurried {
        request.quality = Quality::First;
    }
    if configuration.special {
        for launch in &trial.launches {
            let size = std::array::from_fn(|d| launch.local.get(d).map_or(1, |size| *size as u64));
            if !request.local_sizes.contains(&size) {
                request.local_sizes.push(size);
            }
        }
    }
    if configuration.spirv {
        by_way_of_spirv(&mut request)?;
    }
    let device = match configuration.engine {
        Engine::Cpu => "cpu".to_owned(),
        Engine::Basic => "basic".to_owned(),
        Engine::Ref => {
            request.devices = Devices { cpu: false, reference: true };
            "ref".to_owned()
        }
        Engine::Tta(number) => {
            if trial.doubles {
                return Err(Verdict::NotFor("64-bit floats on 32-bit devices".to_owned()));
            }
            if trial.asks_spaces {
                return Err(Verdict::NotFor("processors do not say where their memories lie".to_owned()));
            }
            let name = processors::MACHINES.get(usize::from(number)).copied().unwrap_or_default();
            let file = processors::load(name.to_owned()).map_err(Verdict::Rejected)?;
            if trial.generic && !file.has_one_memory() {
                return Err(Verdict::NotFor("generic pointers where memories are apart".to_owned()));
            }
            request.devices = Devices { cpu: false, reference: false };
            request.machines = vec![file.machine];
            file.word
        }
    };
    match compile(&request, Emit::Archive, None) {
        Ok(compiled) => Ok((compiled.bytes, device)),
        Err(CompileError::Kernel { error: error @ FormError::CannotVectorise { .. }, .. })
            if configuration.width.is_some() =>
        {
            Err(Verdict::NotFor(error.to_string()))
        }
        Err(error) => Err(rejected(&error)),
    }
}

fn rejected(error: &CompileError) -> Verdict {
    let mut text = error.to_string();
    if let Some(diagnostics) = error.diagnostics() {
        text.push_str(&oxcl_compiler::render(diagnostics, oxcl_compiler::Colour::Never));
    }
    Verdict::Rejected(format!("[{}] {text}", error.code()))
}

/// Puts the module of SPIR-V that is made of a request's source in its place.
fn by_way_of_spirv(request: &mut Request<'_>) -> Result<(), Verdict> {
    for file in &mut request.sources {
        // Where products and sums become one operation is not said in SPIR-V as it is in C.
        file.text = crate::filetest::not_contracted(&file.text);
    }
    let bytes = match compile(request, Emit::Spirv, None) {
        Ok(compiled) => compiled.bytes,
        Err(error @ CompileError::NoSpirv { .. }) => return Err(Verdict::NotFor(error.to_string())),
        Err(error) => return Err(rejected(&error)),
    };
    request.sources.clear();
    request.il = vec![IlFile { name: "random.spv".to_owned(), bytes, constants: Vec::new() }];
    Ok(())
}
