//! What a result is found by. In: a job, the compiler's identity. Out: a SHA-256.
//!
//! A job's own content gives the first key. What it includes from disk is not known before it was compiled once: then
//! the first key leads to a list of paths, and the state of these (contents, or nothing there) gives the next key, which
//! leads to the result or, where other states led to other includes, to a longer list.

use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::fs;
use std::sync::OnceLock;

use oxcl_binary::hash::{Sha256, hex};
use oxcl_binary::pipe::{Job, Seen};

/// Changes with the meaning of keys and files.
pub(super) const SCHEMA: u32 = 4;

/// What a result is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub(super) digest: [u8; 32],
}

/// What a program is made of: all of a job that may be long, by a digest. The jobs for single kernels of a program have it in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Material {
    digest: [u8; 32],
}

impl Material {
    /// That of a job.
    #[must_use]
    pub(crate) fn of(job: &Job) -> Self {
        let mut hash = Sha256::new();
        let count = |hash: &mut Sha256, count: usize| hash.part(&(count as u64).to_le_bytes());
        for texts in [&job.sources, &job.headers] {
            count(&mut hash, texts.len());
            for text in texts {
                hash.part(text.name.as_bytes());
                hash.part(text.text.as_bytes());
            }
        }
        count(&mut hash, job.il.len());
        for il in &job.il {
            hash.part(il.name.as_bytes());
            hash.part(&il.bytes);
            count(&mut hash, il.constants.len());
            for (number, bytes) in &il.constants {
                hash.part(&number.to_le_bytes());
                hash.part(bytes);
            }
        }
        count(&mut hash, job.inputs.len());
        job.inputs.iter().for_each(|input| hash.part(input));
        count(&mut hash, job.machines.len());
        job.machines.iter().for_each(|machine| hash.part(machine.as_bytes()));
        Self { digest: hash.finish() }
    }
}

/// A job without its material, and without what has no part in its key: where relative paths start from is in the state of what
/// they lead to.
fn without_material(job: &Job) -> Job {
    Job {
        action: job.action,
        directory: String::new(),
        sources: Vec::new(),
        il: Vec::new(),
        headers: Vec::new(),
        inputs: Vec::new(),
        options: job.options.clone(),
        cpu: job.cpu,
        reference: job.reference,
        cpus: job.cpus.clone(),
        local_sizes: job.local_sizes.clone(),
        known: job.known.clone(),
        version: job.version,
        kernels: job.kernels.clone(),
        quality: job.quality,
        width: job.width,
        machines: Vec::new(),
    }
}

impl Key {
    /// The key of a job that a compiler of this identity does on this machine.
    #[must_use]
    pub fn of(job: &Job, identity: &[u8; 32]) -> Self {
        Self::of_made_of(&Material::of(job), job, identity)
    }

    /// The same for a job with this material, whatever the job itself has of it.
    #[must_use]
    pub(crate) fn of_made_of(material: &Material, job: &Job, identity: &[u8; 32]) -> Self {
        let mut hash = Sha256::new();
        hash.part(b"job");
        hash.part(&SCHEMA.to_le_bytes());
        hash.part(identity);
        if job.cpus.is_empty() {
            hash.part(this_cpu());
        }
        hash.part(&material.digest);
        hash.part(&without_material(job).encode());
        Self { digest: hash.finish() }
    }

    /// The key that follows this one when the paths are in these states.
    pub(super) fn with(&self, states: &[(&str, Seen)]) -> Self {
        let mut hash = Sha256::new();
        hash.part(b"states");
        hash.part(&self.digest);
        for (path, seen) in states {
            hash.part(path.as_bytes());
            match seen {
                Seen::Absent => hash.part(b""),
                Seen::File(contents) => hash.part(contents),
            }
        }
        Self { digest: hash.finish() }
    }

    /// As a file's name.
    #[must_use]
    pub fn name(&self) -> String {
        hex(&self.digest)
    }
}

/// The present state of a path.
pub(super) fn state_of(path: &str) -> Seen {
    match fs::read(path) {
        Ok(contents) => Seen::File(Sha256::of(&contents)),
        Err(_) => Seen::Absent,
    }
}

/// What CPUID says of this machine's features and model. All that LLVM looks at to choose a CPU by itself is in it.
pub(crate) fn this_cpu() -> &'static [u8] {
    static CPU: OnceLock<Vec<u8>> = OnceLock::new();
    CPU.get_or_init(|| {
        let mut out = Vec::new();
        let mut add = |words: [u32; 4]| words.iter().for_each(|word| out.extend(word.to_le_bytes()));
        let vendor = __cpuid(0);
        add([vendor.eax, vendor.ebx, vendor.ecx, vendor.edx]);
        let model = __cpuid(1);
        // EBX has the number of the core that asks.
        add([model.eax, 0, model.ecx, model.edx]);
        for (leaf, subleaf) in [(7, 0), (7, 1), (0xd, 1), (0x19, 0), (0x24, 0)] {
            if leaf <= vendor.eax {
                let found = __cpuid_count(leaf, subleaf);
                // Of 0xd only EAX is about features, the rest changes with what is switched on.
                let rest = if leaf == 0xd { [0; 3] } else { [found.ebx, found.ecx, found.edx] };
                add([found.eax, rest[0], rest[1], rest[2]]);
            }
        }
        let last = __cpuid(0x8000_0000).eax;
        for leaf in [0x8000_0001, 0x8000_0008] {
            if leaf <= last {
                let found = __cpuid(leaf);
                add([if leaf == 0x8000_0001 { found.eax } else { 0 }, found.ebx, 0, found.edx]);
                add([if leaf == 0x8000_0001 { found.ecx } else { 0 }, 0, 0, 0]);
            }
        }
        if model.ecx & (1 << 27) != 0 {
            // SAFETY: bit 27 says that the instruction may be used.
            let enabled = unsafe { _xgetbv(0) };
            out.extend(enabled.to_le_bytes());
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxcl_binary::known::{KnownArgument, KnownArguments, KnownOf};
    use oxcl_binary::pipe::{Action, Il, Kernels, Quality, Text};

    fn job() -> Job {
        Job {
            action: Action::Build,
            directory: "/somewhere".into(),
            sources: vec![Text { name: "a.cl".into(), text: "kernel".into() }],
            il: vec![Il { name: "m".into(), bytes: vec![3], constants: vec![(1, vec![2])] }],
            headers: vec![Text { name: "h".into(), text: "x".into() }],
            inputs: vec![],
            options: "-DX".into(),
            cpu: true,
            reference: false,
            cpus: vec![],
            local_sizes: vec![[8, 1, 1]],
            known: vec![KnownOf {
                kernel: "k".into(),
                arguments: KnownArguments(vec![KnownArgument { index: 0, value: 1 }]),
            }],
            version: 0,
            kernels: Kernels::All,
            quality: Quality::Full,
            width: 0,
            machines: Vec::new(),
        }
    }

    #[test]
    fn whatever_changes_the_code_changes_the_key_and_nothing_else_does() {
        let key = Key::of(&job(), &[1; 32]);
        assert_eq!(Key::of(&Job { directory: "/elsewhere".into(), ..job() }, &[1; 32]), key);
        let mut others = vec![Key::of(&job(), &[2; 32])];
        for change in [
            (|job| job.options = "-DY".into()) as fn(&mut Job),
            |job| job.sources[0].text = "kernel ".into(),
            |job| job.il[0].bytes = vec![4],
            |job| job.il[0].constants[0].0 = 2,
            |job| job.il[0].constants[0].1 = vec![3],
            |job| job.il[0].constants.clear(),
            |job| job.headers[0].text = "y".into(),
            |job| job.headers.clear(),
            // The same text elsewhere.
            |job| job.sources.append(&mut job.headers),
            |job| job.reference = true,
            |job| job.cpus.push("x86-64-v3".into()),
            |job| job.local_sizes.clear(),
            |job| job.known.clear(),
            |job| job.known[0].kernel = "l".into(),
            |job| job.known[0].arguments.0[0].index = 1,
            |job| job.known[0].arguments.0[0].value = 2,
            |job| job.version = 9,
            |job| job.action = Action::Compile,
            |job| job.inputs.push(vec![1]),
            |job| job.quality = Quality::First,
            |job| job.width = 8,
            |job| job.machines = vec!["<adf/>".to_owned()],
        ] {
            let mut changed = job();
            change(&mut changed);
            others.push(Key::of(&changed, &[1; 32]));
        }
        for (index, other) in others.iter().enumerate() {
            assert!(*other != key && !others[..index].contains(other), "change {index}");
        }
    }

    #[test]
    fn a_job_without_its_material_has_the_same_key_with_it() {
        let light = without_material(&job());
        let key = Key::of_made_of(&Material::of(&job()), &light, &[1; 32]);
        assert_eq!(key, Key::of(&job(), &[1; 32]));
        assert_ne!(key, Key::of(&light, &[1; 32]));
    }

    #[test]
    fn states_of_paths_lead_to_different_keys() {
        let key = Key::of(&job(), &[0; 32]);
        let here = key.with(&[("a", Seen::File([1; 32]))]);
        assert_ne!(here, key.with(&[("a", Seen::File([2; 32]))]));
        assert_ne!(here, key.with(&[("a", Seen::Absent)]));
        assert_ne!(here, key.with(&[("b", Seen::File([1; 32]))]));
        assert_eq!(state_of("/nowhere/at/all"), Seen::Absent);
    }
}
