//! What a block takes of buses, units and ports, whatever its schedule: see [`super`] for what is counted.

use super::interval::{Need, least_length};
use super::path::{Origin, Paths, Use, into_control};
use super::sharing::apart;
use super::{Facts, Jump, Limits};
use crate::model::{Direction, FileId};
use crate::schedule::block::place::Target;
use crate::schedule::block::{Input, Scheduler};
use crate::schedule::table::Number;
use crate::schedule::wires::Buses;
use std::collections::{BTreeMap, BTreeSet};

/// Where numbers are wanted: over which buses, and how many cycles follow.
type Wanted = BTreeMap<Number, Vec<(Buses, i64)>>;

impl Limits<'_> {
    /// Every move that a schedule must contain, and the slots that long immediates take.
    pub(super) fn moves(&mut self, scheduler: &Scheduler<'_>, paths: &Paths, exits: &[Jump]) -> Vec<Need> {
        let mut needs = Vec::new();
        self.operands(scheduler, paths, &mut needs);
        for value in 0..scheduler.values.len() {
            self.way(scheduler, paths, value, &mut needs);
        }
        for _ in exits {
            needs.push(Need::one(into_control(self), paths.jump(), paths.slots()));
        }
        let numbers = self.numbers(scheduler, paths, exits);
        for (number, wanted) in &numbers {
            self.long(*number, wanted, &mut needs);
        }
        needs
    }

    /// The moves to operand ports, and those of copies.
    fn operands(&mut self, scheduler: &Scheduler<'_>, paths: &Paths, needs: &mut Vec<Need>) {
        // What operations leave in ports: by group of units and input the one that is followed by most.
        let mut left: BTreeMap<(u64, Input), Need> = BTreeMap::new();
        let mut pairs: Vec<(u64, (usize, Input, Input))> = Vec::new();
        let groups = self.groups(scheduler);
        for (number, work) in scheduler.work.iter().enumerate() {
            let (start, tail) = (paths.starts[number], paths.tails[number]);
            let Some(facts) = self.facts(scheduler, number) else {
                if let Some(output) = work.outputs.first() {
                    let to = self.wires.file_input(scheduler.values[*output].register.file);
                    needs.push(Need::one(to, start, tail));
                }
                continue;
            };
            let group = groups.iter().copied().find(|g| g & facts.units != 0).unwrap_or(0);
            let mut trigger: Option<i64> = None;
            for (at, input) in work.inputs.iter().enumerate().filter(|(at, _)| facts.can_trigger[*at]) {
                let arrival = self.arrive(scheduler, paths, *input, &facts, at);
                trigger = Some(trigger.map_or(arrival, |t| t.min(arrival)));
            }
            if let Some(head) = trigger {
                needs.push(Need::one(facts.triggers, head, tail));
            }
            if let [a, b] = work.inputs[..]
                && a != b
                && facts.can_stay == [true, true]
            {
                pairs.push((group, (number, a, b)));
                continue;
            }
            for (at, input) in work.inputs.iter().enumerate() {
                let stays = facts.can_stay[at] && (work.inputs.len() <= 2 || !facts.can_trigger[at]);
                if !stays {
                    continue;
                }
                let head = self.arrive(scheduler, paths, *input, &facts, at);
                let need = Need::one(facts.others, head, tail);
                let known = left.entry((group, *input)).or_insert_with(|| need.clone());
                if known.tail < tail {
                    *known = need;
                }
            }
        }
        for group in groups {
            let is_left = |input: Input| left.contains_key(&(group, input));
            let own: Vec<_> = pairs
                .iter()
                .filter(|(g, (_, a, b))| *g == group && !is_left(*a) && !is_left(*b))
                .map(|(_, pair)| *pair)
                .collect();
            for number in apart(&own) {
                let Some(facts) = self.facts(scheduler, number) else { continue };
                needs.push(Need::one(
                    facts.others,
                    self.other(scheduler, paths, number, &facts),
                    paths.tails[number],
                ));
            }
        }
        needs.extend(left.into_values());
    }

    /// When what an operation moves beside its trigger can be moved: one of its two inputs goes each way.
    fn other(&mut self, scheduler: &Scheduler<'_>, paths: &Paths, number: usize, facts: &Facts) -> i64 {
        let inputs = scheduler.work[number].inputs.iter().enumerate();
        let all: Vec<i64> =
            inputs.map(|(at, input)| self.arrive(scheduler, paths, *input, facts, at)).collect();
        // Over the same buses it does not matter which of the moves is which: the later input is one of them.
        let same = facts.triggers == facts.others;
        if same { all.into_iter().max() } else { all.into_iter().min() }.unwrap_or(0)
    }

    fn arrive(
        &mut self,
        scheduler: &Scheduler<'_>,
        paths: &Paths,
        input: Input,
        facts: &Facts,
        at: usize,
    ) -> i64 {
        paths.arrival(self, scheduler, input, facts.operands[at]).max(0)
    }

    /// Units that share no operation with others, as sets.
    fn groups(&mut self, scheduler: &Scheduler<'_>) -> Vec<u64> {
        let mut groups: Vec<u64> = Vec::new();
        for number in 0..scheduler.work.len() {
            let Some(facts) = self.facts(scheduler, number) else { continue };
            let mut joined = facts.units;
            groups.retain(|group| {
                let apart = group & joined == 0;
                if !apart {
                    joined |= group;
                }
                apart
            });
            groups.push(joined);
        }
        groups
    }

    /// The moves that a value takes besides those to operands: to its register, and to stops on its way.
    fn way(&mut self, scheduler: &Scheduler<'_>, paths: &Paths, value: usize, needs: &mut Vec<Need>) {
        let file = scheduler.values[value].register.file;
        let (into, out) = (self.wires.file_input(file), self.wires.file_output(file));
        let (write, after) = (paths.writes[value], paths.after[value]);
        let mut shown: Buses = 0;
        let mut there = (out, write + 1);
        if let Origin::Shown(node, position) | Origin::Merged(node, position) = paths.origins[value]
            && let Some(facts) = self.facts(scheduler, node)
        {
            let results = &facts.results[position];
            shown = results.iter().map(|r| r.1).fold(0, |a, b| a | b);
            let first = paths.starts[node] + results.iter().map(|r| r.0).min().unwrap_or(1);
            if paths.in_register(scheduler, value) {
                needs.push(Need::one(into, write, after));
                let stops = self.distances.between(shown, into);
                if stops > 0 {
                    needs.push(Need::one(shown, first, stops + after));
                }
            }
            if matches!(paths.origins[value], Origin::Shown(..)) {
                there = (shown, first);
            }
        }
        // The operands that no bus joins with where the value is.
        let (from, first) = there;
        let mut far: Vec<(Buses, i64)> = Vec::new();
        for wanted in &paths.uses[value] {
            let (to, tail) = match wanted {
                Use::Operand { node, to } => (*to, paths.tails[*node]),
                Use::Address { to } => (*to, paths.slots()),
                Use::Guard { .. } | Use::Kept { .. } | Use::Branch => continue,
            };
            if to != 0 && self.distances.between(from, to) > 0 {
                far.push((to, tail));
            }
        }
        if from == shown && paths.in_register(scheduler, value) {
            // The register is a stop that is paid for already; another way to it has stops that serve as well.
            if self.distances.between(shown, into) > 0 {
                return;
            }
            far.retain(|(to, _)| to & out == 0);
            if let Some(tail) = far.iter().map(|f| f.1).max() {
                needs.push(Need::one(self.wires.every(), first, 1 + tail));
            }
            return;
        }
        let first = first.max(0);
        let tails: Vec<i64> = far.iter().map(|(to, tail)| self.distances.between(from, *to) + tail).collect();
        let Some(tail) = tails.into_iter().max() else { return };
        needs.push(Need::one(from, first, tail));
        let places: Vec<Buses> = far.iter().map(|f| f.0).collect();
        if !self.distances.one_stop(from, &places) {
            needs.push(Need::one(self.wires.every(), first, 1));
        }
    }

    /// Where numbers are wanted.
    fn numbers(&mut self, scheduler: &Scheduler<'_>, paths: &Paths, exits: &[Jump]) -> Wanted {
        let mut numbers = Wanted::new();
        for (number, work) in scheduler.work.iter().enumerate() {
            let facts = self.facts(scheduler, number);
            for (at, input) in work.inputs.iter().enumerate() {
                let Input::Number(constant) = input else { continue };
                let to = match (&facts, work.outputs.first()) {
                    (Some(facts), _) => facts.operands[at],
                    (None, Some(output)) => self.wires.file_input(scheduler.values[*output].register.file),
                    (None, None) => continue,
                };
                numbers.entry(*constant).or_default().push((to, paths.tails[number]));
            }
        }
        for (_, _, target) in exits {
            if let Target::Number(constant) = target {
                numbers.entry(*constant).or_default().push((into_control(self), paths.slots()));
            }
        }
        numbers
    }

    /// A number that no short immediate brings to some of where it is wanted takes a long one, or a stop.
    fn long(&mut self, number: Number, wanted: &[(Buses, i64)], needs: &mut Vec<Need>) {
        let short = self.wires.fitting(self.machine, number.value);
        let Some(tail) = wanted.iter().filter(|(to, _)| to & short == 0).map(|w| w.1).max() else { return };
        let mut ways: Vec<Vec<u64>> = Vec::new();
        let mut latency = 1;
        for way in self.distances.ways(self.machine, number.value) {
            latency = latency.min(way.latency());
            ways.push((0..64).map(|bus| way.taken & 1 << bus).filter(|bus| *bus != 0).collect());
        }
        if short != 0 {
            ways.push(vec![short]);
        }
        if !ways.is_empty() {
            needs.push(Need { ways, head: 0, tail: tail + latency });
        }
    }

    /// Operations over units, and what units hold.
    pub(super) fn units(&mut self, scheduler: &Scheduler<'_>, paths: &Paths) -> i64 {
        let mut needs = Vec::new();
        let mut held: BTreeMap<(usize, String), i64> = BTreeMap::new();
        for (number, work) in scheduler.work.iter().enumerate() {
            let Some(facts) = self.facts(scheduler, number) else { continue };
            let pure = scheduler.nodes[number].op.is_some_and(|op| op.info().is_pure());
            // Two operations of which one happens at most could start in one cycle.
            if pure || work.predicate.is_none_or(|(_, inverted)| !inverted) {
                needs.push(Need::one(facts.units, paths.starts[number], paths.tails[number]));
                if let [(unit, resources)] = facts.resources.as_slice() {
                    for (name, cycles) in resources {
                        *held.entry((*unit, name.clone())).or_default() += cycles;
                    }
                }
            }
        }
        least_length(&needs).max(held.into_values().max().unwrap_or(0))
    }

    /// Registers read and written over the ports of their files. What a condition guards may share a port with what its
    /// opposite guards, and is left out.
    pub(super) fn ports(&self, scheduler: &Scheduler<'_>, paths: &Paths) -> i64 {
        let mut reads: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
        let mut writes: BTreeMap<FileId, i64> = BTreeMap::new();
        for work in scheduler.work.iter().filter(|w| w.predicate.is_none()) {
            for input in &work.inputs {
                if let Input::Value(value) = input
                    && !matches!(paths.origins[*value], Origin::Shown(..))
                {
                    reads.entry(scheduler.values[*value].register.file).or_default().insert(*value);
                }
            }
            for value in work.outputs.iter().filter(|v| paths.in_register(scheduler, **v)) {
                *writes.entry(scheduler.values[*value].register.file).or_default() += 1;
            }
        }
        let reads = reads.iter().map(|(file, values)| {
            (i64::try_from(values.len()).unwrap_or(0), self.file_ports(*file, Direction::Output))
        });
        let writes = writes.iter().map(|(file, count)| (*count, self.file_ports(*file, Direction::Input)));
        reads.chain(writes).map(|(count, ports)| (count + ports - 1) / ports).max().unwrap_or(0)
    }

    /// The ports of a file in a direction, at least one.
    fn file_ports(&self, file: FileId, way: Direction) -> i64 {
        let sockets = self.machine.register_files[file.index()].ports.iter().filter_map(|p| p.socket);
        let count = sockets.filter(|s| self.machine.sockets[s.index()].direction == way).count();
        i64::try_from(count.max(1)).unwrap_or(1)
    }
}
