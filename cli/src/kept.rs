//! Archives that were made before, in the cache that the OpenCL library uses too. In: a request, and its options as they
//! were written. Out: the archive, from the cache or compiled in this process and then kept.
//!
//! A result is found by the same key as one of the compile service, whose jobs say everything that makes code. What they
//! cannot say (the id of a device, work-items at a time or a plan that are asked for) is compiled every time. Only archives are kept, no texts and
//! objects of single stages. Whoever compiles the same thing at the same time does so too: nobody waits.

use crate::build::{self, Built};
use crate::error::CliError;
use crate::serve;
use crate::ui::Ui;
use oxcl_binary::pipe::{Action, Done, Il, Job, Text};
use oxcl_compiler::{Colour, DeviceId, Emit, IlFile, Request, render};
use oxcl_runtime::{Cache, CacheKey, CachedBuild};
use oxcl_tta::adf;
use std::time::Instant;

/// Makes the archive that `request` asks for; `words` are its options. Without `use_cache` the cache is left alone.
pub(crate) fn archive(
    request: &Request<'_>,
    words: &[String],
    use_cache: bool,
    ui: &mut Ui,
) -> Result<Built, CliError> {
    let cache = if use_cache { Cache::from_environment() } else { None };
    let Some((cache, job)) = cache.zip(job(request, words)) else {
        return Ok(Built::new(build::compile(request, Emit::Archive, None, ui)?));
    };
    let start = Instant::now();
    let key = CacheKey::of(&job, &serve::identity().0);
    if let Some(CachedBuild { archive, log, .. }) = cache.find(&key)
        // Messages are kept as text. Whoever wants them in another form gets them from the compiler.
        && (log.is_empty() || !ui.json)
    {
        if !log.is_empty() && !ui.quiet {
            ui.message(&log);
        }
        ui.detail("taken from the cache");
        let stages = vec![("cache".to_owned(), start.elapsed())];
        return Ok(Built { bytes: archive, stages, kernels: Vec::new(), cached: true });
    }
    let begun = serve::processor_time();
    let compiled = build::compile(request, Emit::Archive, None, ui)?;
    let processor = serve::processor_time().saturating_sub(begun);
    let messages = &compiled.diagnostics;
    let done = Done {
        archive: compiled.bytes.clone(),
        log: if messages.is_empty() { String::new() } else { render(messages, Colour::Never) },
        kernels: compiled.kernels.clone(),
        repeatable: serve::is_repeatable(&job, &compiled.dependencies),
        quality: compiled.quality,
        dependencies: compiled.dependencies.clone(),
        processor: u64::try_from(processor.as_micros()).unwrap_or(u64::MAX),
    };
    if cache.keep(&key, &done) > 0 && cache.wants_tidying() {
        cache.tidy();
    }
    Ok(Built::new(compiled))
}

/// The job that the compile service would get for this request; none where it cannot be asked for that.
fn job(request: &Request<'_>, words: &[String]) -> Option<Job> {
    if request.device_id != DeviceId::OfTarget
        || request.width.is_some()
        || request.plan.is_some()
        || !request.objects.is_empty()
    {
        return None;
    }
    let texts = |sources: &mut dyn Iterator<Item = (&str, &str)>| {
        sources.map(|(name, text)| Text { name: name.to_owned(), text: text.to_owned() }).collect()
    };
    Some(Job {
        action: Action::Build,
        directory: String::new(),
        sources: texts(&mut request.sources.iter().map(|s| (s.name.as_str(), s.text.as_str()))),
        il: request.il.iter().map(il).collect(),
        headers: texts(&mut request.headers.iter().map(|h| (h.name, h.text))),
        inputs: Vec::new(),
        options: one_text(words),
        cpu: request.devices.cpu,
        reference: request.devices.reference,
        cpus: request.cpus.clone(),
        local_sizes: request.local_sizes.clone(),
        known: request.known.clone(),
        version: request.version.map_or(0, |version| version.number()),
        kernels: request.kernels.clone(),
        quality: request.quality,
        width: request.preferred_width.unwrap_or(0),
        machines: request.machines.iter().map(adf::write).collect(),
    })
}

fn il(file: &IlFile) -> Il {
    Il { name: file.name.clone(), bytes: file.bytes.clone(), constants: file.constants.clone() }
}

/// Options as OpenCL's functions take them: different words are different texts.
fn one_text(words: &[String]) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\');
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) { word.clone() } else { format!("{word:?}") }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::one_text;

    #[test]
    fn different_options_are_different_texts() {
        let texts = [
            &["-DX=1", "-w"][..],
            &["-DX=1 -w"],
            &["-DX=\"1", "-w\""],
            &["-DX=1", "", "-w"],
            &["-DX=1\\", "-w"],
        ];
        let texts: Vec<String> = texts
            .iter()
            .map(|words| one_text(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()))
            .collect();
        assert_eq!(texts[0], "-DX=1 -w");
        for (index, text) in texts.iter().enumerate() {
            assert!(!texts[..index].contains(text), "{text}");
        }
    }
}
