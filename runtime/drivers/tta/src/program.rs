//! Programs: the units of an archive for one machine.
//!
//! In: an archive. Out: for each kernel its unit and the routines that it reaches, with names that tell code of different
//! archives apart: every name that a unit defines gets a mark from the unit's content and that of what it refers to. So
//! routines that are the same in two programs are loaded once, and kernels of one name do not meet. A program's variables at
//! program scope have memory on each device that runs one of its kernels, from the first launch there on.

use crate::platform::Shared;
use crate::variables::ProgramMemory;
use oxcl_binary::archive::Archive;
use oxcl_binary::hash::{Sha256, clipped_name, hex};
use oxcl_binary::meta::{PROGRAM_META_PATH, ProgramMeta, ProgramVariables};
use oxcl_binary::unit::{Needs, UNIT_ENDING, Unit, digest_text, kernel_path, routine_folder, routine_path};
use oxcl_driver::DriverError;
use oxcl_driver::capability::AddressSpace;
use oxcl_driver::program::Program;
use oxcl_tta::device_main;
use oxcl_tta::model::Machine;
use oxcl_tta::unit::UnitCode;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Digits of a mark.
const MARK: usize = 16;

/// The program that a device runs to get at kernels, from an archive.
#[derive(Debug)]
pub(crate) struct DeviceMain {
    pub(crate) code: UnitCode,
    /// Where its waiting loops begin, counted from its first instruction.
    pub(crate) heads: [u32; 2],
}

/// A kernel of a program.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// What starts it.
    pub(crate) main: Arc<DeviceMain>,
    /// Its unit, and the units of the routines that it reaches.
    pub(crate) units: Vec<Arc<UnitCode>>,
    /// Its start-up, as the image names it.
    pub(crate) entry: String,
    /// What it needs beside its code.
    pub(crate) needs: Needs,
    /// Bytes of its automatic local variables.
    pub(crate) locals: Vec<u64>,
}

/// A program for TTA devices.
#[derive(Debug)]
pub(crate) struct TtaProgram {
    /// With their names, in the archive's order.
    pub(crate) kernels: Vec<(String, Arc<Kernel>)>,
    variables: Option<ProgramVariables>,
    /// The variables' memory, by platform and device.
    memories: Mutex<BTreeMap<(AddressSpace, usize), Arc<ProgramMemory>>>,
}

impl Program for TtaProgram {
    fn kernels(&self) -> Vec<String> {
        self.kernels.iter().map(|(name, _)| name.clone()).collect()
    }

    fn program_scope_bytes(&self) -> u64 {
        self.variables.as_ref().map_or(0, |variables| variables.bytes)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn bad(reason: String) -> DriverError {
    DriverError::BadBinary { reason }
}

/// A routine as the archive has it, and as it is loaded.
struct Routine {
    unit: Unit,
    bytes: Vec<u8>,
    /// The routine with marks, once they are known.
    marked: Option<Marked>,
}

/// A routine whose names carry marks.
struct Marked {
    unit: Unit,
    code: Arc<UnitCode>,
    /// Its own mark.
    text: String,
}

impl TtaProgram {
    /// Reads the units of an archive for a machine with this digest.
    pub(crate) fn new(archive: &Archive, facts: &Machine, machine: &[u8; 20]) -> Result<Self, DriverError> {
        let folder = routine_folder(machine);
        let main_path = routine_path(machine, device_main::NAME);
        let mut main = None;
        let mut routines: BTreeMap<String, Routine> = BTreeMap::new();
        for file in archive.root.iter().flatten().filter(|f| f.path.starts_with(&folder)) {
            let unit = read(&file.path, &file.data, machine)?;
            if file.path == main_path {
                main = Some(Arc::new(device_program(&unit, facts)?));
                continue;
            }
            let routine = Routine { unit, bytes: file.data.clone(), marked: None };
            routines.insert(routine.unit.entry.clone(), routine);
        }
        let mut kernels = Vec::with_capacity(archive.kernels.len());
        for record in &archive.kernels {
            let path = kernel_path(&clipped_name(&record.name), machine);
            let Some(file) = record.files.iter().find(|f| f.path == path) else {
                return Err(bad(missing(record, machine)));
            };
            let unit = read(&path, &file.data, machine)?;
            let main = main
                .as_ref()
                .ok_or_else(|| bad(format!("it has no {main_path}, without which devices cannot run")))?;
            let main = Arc::clone(main);
            let (needs, locals) = (unit.needs, unit.locals.clone());
            let mut open = BTreeSet::new();
            let marks = marks_of(&unit, &mut routines, &mut open, facts);
            let own = mark(unit, &file.data, &marks);
            let mut units = vec![Arc::new(UnitCode::new(&own).checked(facts))];
            units.extend(reached(&own, &routines));
            let entry = own.entry;
            kernels.push((record.name.clone(), Arc::new(Kernel { main, units, entry, needs, locals })));
        }
        let facts = archive.root.iter().flatten().find(|f| f.path == PROGRAM_META_PATH);
        let facts = facts.map(|f| ProgramMeta::from_json(&f.data)).transpose();
        let facts = facts.map_err(|error| bad(error.to_string()))?;
        let variables = facts.and_then(|facts| facts.narrow_variables);
        Ok(Self { kernels, variables, memories: Mutex::default() })
    }

    /// The variables at program scope on a device, with their initial values at first; none where the program has none.
    pub(crate) fn memory(
        &self,
        shared: &Arc<Shared>,
        space: AddressSpace,
        device: usize,
    ) -> Result<Option<Arc<ProgramMemory>>, DriverError> {
        let Some(variables) = &self.variables else { return Ok(None) };
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = memories.get(&(space, device)) {
            return Ok(Some(Arc::clone(memory)));
        }
        let memory = Arc::new(ProgramMemory::new(shared, variables)?);
        memories.insert((space, device), Arc::clone(&memory));
        Ok(Some(memory))
    }
}

/// Checks that a device program is of the kind that this driver feeds.
fn device_program(unit: &Unit, machine: &Machine) -> Result<DeviceMain, DriverError> {
    let (found, own) = (device_main::facts(unit), device_main::VERSION);
    match found {
        Some((version, heads)) if version == own => {
            Ok(DeviceMain { code: UnitCode::new(unit).checked(machine), heads })
        }
        Some((version, _)) => Err(bad(format!(
            "its device program is of version {version}, this driver's is {own}; compile it again"
        ))),
        None => Err(bad(format!("its device program has no '{}'", device_main::FACTS))),
    }
}

fn read(path: &str, data: &[u8], machine: &[u8; 20]) -> Result<Unit, DriverError> {
    let unit = Unit::read(data).map_err(|error| bad(format!("{path}: {error}")))?;
    if unit.machine == *machine {
        return Ok(unit);
    }
    let (found, own) = (digest_text(&unit.machine), digest_text(machine));
    Err(bad(format!("{path} was compiled for the machine {found}, this device is the machine {own}")))
}

/// Why a kernel cannot run: it has units for other machines, or none at all.
fn missing(record: &oxcl_binary::archive::Kernel, machine: &[u8; 20]) -> String {
    let own = digest_text(machine);
    let units = record.files.iter().filter(|f| f.path.ends_with(UNIT_ENDING));
    let others: Vec<String> =
        units.filter_map(|f| Unit::read(&f.data).ok()).map(|u| digest_text(&u.machine)).collect();
    let name = &record.name;
    if others.is_empty() {
        return format!(
            "kernel '{name}' has no code for transport-triggered processors; this device is the machine {own}"
        );
    }
    let others = others.join(", ");
    format!("kernel '{name}' was compiled for the machine {others}, this device is the machine {own}")
}

/// The marks of the routines that a unit refers to; those are marked as well.
fn marks_of(
    unit: &Unit,
    routines: &mut BTreeMap<String, Routine>,
    open: &mut BTreeSet<String>,
    machine: &Machine,
) -> BTreeMap<String, String> {
    let mut marks = BTreeMap::new();
    for (name, _) in &unit.symbols {
        let Some(routine) = routines.get(name) else { continue };
        if defines(unit, name) {
            continue;
        }
        if routine.marked.is_none() && open.insert(name.clone()) {
            let (inner, bytes) = (routine.unit.clone(), routine.bytes.clone());
            let inner_marks = marks_of(&inner, routines, open, machine);
            let unit = mark(inner, &bytes, &inner_marks);
            let text = unit.entry.rsplit('@').next().unwrap_or_default().to_owned();
            let code = Arc::new(UnitCode::new(&unit).checked(machine));
            if let Some(routine) = routines.get_mut(name) {
                routine.marked = Some(Marked { unit, code, text });
            }
        }
        if let Some(marked) = routines.get(name).and_then(|r| r.marked.as_ref()) {
            marks.insert(name.clone(), marked.text.clone());
        }
    }
    marks
}

fn defines(unit: &Unit, name: &str) -> bool {
    unit.functions.iter().any(|f| f.name == name) || unit.objects.iter().any(|o| o.name == name)
}

/// A unit whose names carry marks: its own its own one, those of routines theirs.
fn mark(mut unit: Unit, bytes: &[u8], marks: &BTreeMap<String, String>) -> Unit {
    let mut content = Sha256::new();
    content.part(bytes);
    for (name, text) in marks {
        content.part(name.as_bytes());
        content.part(text.as_bytes());
    }
    let own = hex(&content.finish())[..MARK].to_owned();
    let marked: Vec<String> = unit
        .symbols
        .iter()
        .map(|(name, _)| {
            let text = if defines(&unit, name) { Some(&own) } else { marks.get(name) };
            text.map_or_else(|| name.clone(), |text| format!("{name}@{text}"))
        })
        .collect();
    for ((name, _), marked) in unit.symbols.iter_mut().zip(marked) {
        *name = marked;
    }
    let names =
        unit.functions.iter_mut().map(|f| &mut f.name).chain(unit.objects.iter_mut().map(|o| &mut o.name));
    for name in names.chain([&mut unit.entry]) {
        name.push('@');
        name.push_str(&own);
    }
    unit
}

/// The marked routines that a marked unit reaches.
fn reached(unit: &Unit, routines: &BTreeMap<String, Routine>) -> Vec<Arc<UnitCode>> {
    let marked = routines.values().filter_map(|r| r.marked.as_ref());
    let by_name: BTreeMap<&str, &Marked> = marked.map(|m| (m.unit.entry.as_str(), m)).collect();
    let mut found: BTreeMap<&str, Arc<UnitCode>> = BTreeMap::new();
    let mut waiting: Vec<&Unit> = vec![unit];
    while let Some(next) = waiting.pop() {
        for (name, _) in &next.symbols {
            if let Some((name, routine)) = by_name.get_key_value(name.as_str())
                && found.insert(name, Arc::clone(&routine.code)).is_none()
            {
                waiting.push(&routine.unit);
            }
        }
    }
    found.into_values().collect()
}
