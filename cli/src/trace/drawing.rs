//! A timeline as a picture: what each worker executed when, or, where simulated processors took part, what each of these did, in
//! cycles. In: the records of a run. Left out is what commands would be too short to see beside: the compiler's stages, and what the
//! reference executor did to check the others.

use super::{Kept, lane_name};
use crate::ui::timeline::{Span, Timeline, Unit};
use oxcl_workload::device::Device;
use std::collections::{BTreeMap, BTreeSet};

impl Kept {
    /// The picture.
    pub(super) fn drawing(&self) -> Timeline {
        if self.cycles.iter().any(|cycles| !cycles.spans.is_empty()) {
            self.processors()
        } else {
            self.workers()
        }
    }

    fn processors(&self) -> Timeline {
        let mut cores: Vec<_> =
            self.cycles.iter().map(|cycles| (cycles.position, cycles.device.name())).collect();
        cores.sort_unstable();
        // Two devices of one machine have one name.
        let name = |position: usize| {
            let known = cores.iter().find(|(core, _)| *core == position);
            format!("{position}: {}", known.map_or("", |(_, name)| machine(name)))
        };
        let spans = self.cycles.iter().flat_map(|cycles| &cycles.spans);
        let spans = spans.map(|span| Span {
            lane: name(span.device),
            label: span.kernel.clone(),
            start: span.started,
            end: span.ended,
        });
        Timeline {
            title: "processors".to_owned(),
            unit: Unit::Cycles,
            lanes: cores.iter().map(|(position, _)| name(*position)).collect(),
            spans: spans.collect(),
        }
    }

    fn workers(&self) -> Timeline {
        let mut shared: BTreeMap<u64, Vec<(usize, u64, u64)>> = BTreeMap::new();
        for share in &self.shares {
            shared.entry(share.event).or_default().push((share.lane, share.started, share.ended));
        }
        let mut lanes = BTreeSet::new();
        let mut spans = Vec::new();
        let checked = self.names.values().any(|named| named.device != Device::Ref);
        for record in &self.records {
            let named = self.names.get(&record.event);
            if checked && named.is_some_and(|named| named.device == Device::Ref) {
                continue;
            }
            let whole = record.lane.map(|lane| (lane, record.times.started, record.times.ended));
            let parts = shared.remove(&record.event).unwrap_or_else(|| whole.into_iter().collect());
            let label = named.map_or(&record.label, |named| &named.command);
            for (lane, start, end) in parts {
                lanes.insert(lane);
                spans.push(Span { lane: lane_name(lane), label: label.clone(), start, end: end.max(start) });
            }
        }
        Timeline {
            title: "commands".to_owned(),
            unit: Unit::Milliseconds,
            lanes: lanes.into_iter().map(lane_name).collect(),
            spans,
        }
    }
}

/// A processor's name without the folder that its file is in.
fn machine(name: &str) -> &str {
    let name = name.strip_prefix("ttasim:").unwrap_or(name);
    name.rsplit('/').next().unwrap_or(name)
}
