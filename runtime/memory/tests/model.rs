//! Random sequences of everything a pool can do, against a model that really has the bytes: a region, a backing store and
//! the owners' copies. Plans are carried out, or fail at a random step and are taken back. After every reservation each
//! byte that was ever written has to be where the pool says, with the value written last.

use oxcl_memory::policy::{Adaptive, Lru, Mru, ReclaimPolicy, SegmentedLru};
use oxcl_memory::{
    Access, Action, DevicePart, Engine, Extent, Fence, Located, ObjectId, Place, Plan, Pool, Shortage,
    Source, Use,
};
use proptest::prelude::{ProptestConfig, any, prop_oneof, proptest};
use proptest::strategy::Strategy;
use std::collections::BTreeMap;

const ALIGNMENT: u64 = 64;
const REGION: u64 = 4096;
const BASE: u64 = 1 << 32;

/// What the model knows of an object.
#[derive(Debug, Clone)]
struct Known {
    id: ObjectId,
    /// Bytes with the value that they must have.
    content: Vec<Option<u8>>,
    backing: Vec<u8>,
    /// The owner's copy, while it is good.
    own: Option<Vec<Option<u8>>>,
    resident: Vec<bool>,
    pins: u32,
}

#[derive(Debug, Clone)]
enum Step {
    Create(u64),
    Release(usize),
    Reserve { set: Vec<(usize, u8)>, fails: Option<usize>, steps: bool, engine: u16 },
    Pass(usize),
    Pin(usize),
    Unpin(usize),
    Clobber(usize, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![1u64..200, 1u64..1500, 500u64..4096];
    let set = proptest::collection::vec((any::<usize>(), 0u8..4), 1..5);
    let fails = prop_oneof![6 => any::<bool>().prop_map(|_| None), 1 => (0usize..8).prop_map(Some)];
    let step = prop_oneof![
        3 => size.prop_map(Step::Create),
        1 => any::<usize>().prop_map(Step::Release),
        8 => (set, fails, any::<bool>(), 0u16..2)
            .prop_map(|(set, fails, steps, engine)| Step::Reserve { set, fails, steps, engine }),
        6 => any::<usize>().prop_map(Step::Pass),
        1 => any::<usize>().prop_map(Step::Pin),
        2 => any::<usize>().prop_map(Step::Unpin),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(at, can)| Step::Clobber(at, can)),
    ];
    proptest::collection::vec(step, 1..120)
}

struct Model {
    pool: Pool,
    memory: Vec<u8>,
    objects: Vec<Known>,
    /// Fences that have not passed, and whom they hold; released objects too.
    fences: BTreeMap<Fence, Vec<ObjectId>>,
    next_fence: u64,
    value: u8,
}

impl Model {
    fn new(policy: Box<dyn ReclaimPolicy>, granule: u64) -> Self {
        let pool = Pool::new(BASE..BASE + REGION, ALIGNMENT, policy).unwrap().with_granule(granule);
        Self {
            pool,
            memory: vec![0; REGION as usize],
            objects: Vec::new(),
            fences: BTreeMap::new(),
            next_fence: 0,
            value: 0,
        }
    }

    fn known(&mut self, id: ObjectId) -> Option<&mut Known> {
        self.objects.iter_mut().find(|known| known.id == id)
    }

    fn busy(&self, id: ObjectId) -> bool {
        self.fences.values().any(|held| held.contains(&id))
    }

    /// The owner of an extent as far as it has not been released, and its bytes in the region and in the object.
    fn places(extent: &Extent) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let at = (extent.address - BASE) as usize;
        let offset = extent.offset as usize;
        (at..at + extent.size as usize, offset..offset + extent.size as usize)
    }

    fn carry_out(&mut self, action: &Action) {
        match *action {
            Action::Clobber(extent) => self.leave(&extent),
            Action::PageOut(extent) => {
                let (there, here) = Self::places(&extent);
                let bytes = self.memory[there.clone()].to_vec();
                let known = self.known(extent.object).expect("only live objects are paged out");
                known.backing[here].copy_from_slice(&bytes);
                self.leave(&extent);
            }
            Action::PageIn { extent, source } => {
                let (there, here) = Self::places(&extent);
                let known = self.known(extent.object).expect("only live objects come in");
                let bytes: Vec<u8> = match source {
                    Source::Backing => known.backing[here.clone()].to_vec(),
                    Source::Owner => known.own.as_ref().expect("a promised copy")[here.clone()]
                        .iter()
                        .map(|byte| byte.unwrap_or(0xEE))
                        .collect(),
                };
                known.resident[here].fill(true);
                self.memory[there].copy_from_slice(&bytes);
            }
            Action::Commit(extent) => {
                let (there, here) = Self::places(&extent);
                self.memory[there].fill(0xCC);
                let known = self.known(extent.object).expect("only live objects get memory");
                known.resident[here].fill(true);
            }
            Action::Move { object, from, to, size, .. } => {
                assert!(!self.busy(object), "what runs is not moved");
                let (from, to, size) = ((from - BASE) as usize, (to - BASE) as usize, size as usize);
                assert!(from.abs_diff(to) >= size, "the places do not overlap");
                self.memory.copy_within(from..from + size, to);
            }
            Action::Exchange { .. } => unreachable!("plans are not combined here"),
        }
    }

    fn leave(&mut self, extent: &Extent) {
        let (there, here) = Self::places(extent);
        assert!(!self.busy(extent.object), "what runs is not reclaimed");
        if let Some(known) = self.known(extent.object) {
            assert_eq!(known.pins, 0, "what is pinned is not reclaimed");
            known.resident[here].fill(false);
        }
        self.memory[there].fill(0xDD);
    }

    fn set(&self, wanted: &[(usize, u8)]) -> Vec<Use> {
        let access =
            |number| [Access::Read, Access::Discard, Access::Write, Access::Peek][usize::from(number)];
        let one = |&(at, number): &(usize, u8)| Use {
            object: self.objects[at % self.objects.len()].id,
            access: access(number),
        };
        wanted.iter().map(one).collect()
    }

    fn fence(&mut self) -> Fence {
        self.next_fence += 1;
        Fence(self.next_fence)
    }

    fn reserve(&mut self, set: &[Use], fails: Option<usize>, steps: bool, engine: Engine) {
        let fence = self.fence();
        let mut before: Vec<_> = self.pool.blocks().collect();
        let mut ids: Vec<ObjectId> = set.iter().map(|one| one.object).collect();
        ids.sort_unstable();
        ids.dedup();
        let (result, mut reservation) = if steps {
            let reservation = self.pool.lock(set, engine).unwrap();
            assert!(matches!(self.pool.lock(set, engine), Err(Shortage::Locked(_))));
            for fence in self.pool.waits(&reservation).unwrap() {
                self.pool.passed(fence);
                self.fences.remove(&fence);
            }
            before = self.pool.blocks().collect();
            (self.pool.validate(&reservation), Some(reservation))
        } else {
            (self.pool.reserve(set, fence), None)
        };
        let mut plan = match result {
            Ok(plan) => plan,
            Err(shortage) => {
                self.refused(set, &before, shortage);
                if let Some(reservation) = reservation {
                    self.pool.unlock(reservation);
                }
                return;
            }
        };
        let failed = fails.filter(|&at| at < plan.actions().len());
        for action in &plan.actions()[..failed.unwrap_or(plan.actions().len())] {
            self.carry_out(action);
        }
        if let Some(at) = failed {
            self.fail(&mut plan, at, set);
        } else {
            self.check(set);
            if let Some(reservation) = &mut reservation {
                for patch in self.pool.patches(reservation).unwrap() {
                    assert_eq!(self.pool.address(patch.object), Some(patch.new));
                }
                assert!(self.pool.patches(reservation).unwrap().is_empty());
                self.pool.fence(reservation, fence, DevicePart::default());
            }
            self.fences.insert(fence, ids);
        }
        if let Some(reservation) = reservation {
            self.pool.unlock(reservation);
        } else if failed.is_some() {
            self.pool.passed(fence);
        }
    }

    /// A refusal is right, and has changed nothing.
    fn refused(&mut self, set: &[Use], before: &[oxcl_memory::Block], shortage: Shortage) {
        assert_eq!(before, self.pool.blocks().collect::<Vec<_>>());
        let rounded = |id: &ObjectId| {
            let known = self.objects.iter().find(|known| known.id == *id).expect("a live object");
            (known.content.len() as u64).next_multiple_of(ALIGNMENT)
        };
        let resident = set.iter().filter(|one| one.access != Access::Peek);
        let mut ids: Vec<ObjectId> = resident.map(|one| one.object).collect();
        ids.sort_unstable();
        ids.dedup();
        let sum: u64 = ids.iter().map(rounded).sum();
        let pinned = self.objects.iter().any(|known| known.pins > 0);
        match shortage {
            Shortage::TooLarge { needed, available, .. } => {
                assert_eq!(needed, sum);
                assert!(needed > available || pinned, "{shortage}");
            }
            Shortage::Wait { fence, needed, .. } => {
                assert_eq!(needed, sum);
                assert!(needed <= REGION);
                assert_eq!(fence, self.fences.keys().next().copied());
                assert!(fence.is_some());
            }
            other => panic!("{other}"),
        }
    }

    /// Step `at` of a plan fails and spoils where it would have written.
    fn fail(&mut self, plan: &mut Plan, at: usize, set: &[Use]) {
        match plan.actions()[at] {
            Action::PageIn { extent, .. } | Action::Commit(extent) => {
                self.memory[Self::places(&extent).0].fill(0xBB);
            }
            Action::Move { to, size, .. } => {
                let to = (to - BASE) as usize;
                self.memory[to..to + size as usize].fill(0xBB);
            }
            Action::PageOut(extent) => {
                let here = Self::places(&extent).1;
                self.known(extent.object).expect("a live object").backing[here].fill(0xAA);
            }
            _ => {}
        }
        self.pool.roll_back(plan, at).unwrap();
        let held: Vec<(ObjectId, u64, u64)> =
            self.pool.blocks().map(|block| (block.owner, block.sequence, block.size)).collect();
        for known in &mut self.objects {
            known.resident.fill(false);
            for &(_, sequence, size) in held.iter().filter(|block| block.0 == known.id) {
                let end = ((sequence + size) as usize).min(known.resident.len());
                known.resident[sequence as usize..end].fill(true);
            }
        }
        for one in set {
            let known = self.known(one.object).expect("a live object");
            if one.access == Access::Discard {
                // Its command was to overwrite it, so nobody has saved it.
                known.content.fill(None);
            }
            if one.access.writes() && known.own.is_some() {
                let id = known.id;
                known.own = None;
                // The pool may or may not have kept the promise; take it back for certain.
                self.withdraw(id);
            }
        }
    }

    /// Every object of the set is where the pool says, with its bytes; then the command writes.
    fn check(&mut self, set: &[Use]) {
        for one in set {
            if set.iter().all(|other| other.object != one.object || other.access == Access::Peek) {
                self.look(one.object);
                continue;
            }
            let address = self.pool.address(one.object).expect("resident");
            assert!(address.is_multiple_of(ALIGNMENT) && !self.pool.was_lost(one.object).unwrap());
            let at = (address - BASE) as usize;
            let discards =
                set.iter().all(|other| other.object != one.object || other.access == Access::Discard);
            let size = self.known(one.object).expect("a live object").content.len();
            let memory = self.memory[at..at + size].to_vec();
            let known = self.known(one.object).expect("a live object");
            assert!(known.resident.iter().all(|&resident| resident));
            for (offset, byte) in known.content.iter().enumerate().filter(|_| !discards) {
                assert!(byte.is_none_or(|byte| byte == memory[offset]), "byte {offset} of {:?}", known.id);
            }
        }
        for one in set.iter().filter(|one| one.access.writes()) {
            self.value = self.value.wrapping_add(1);
            let value = self.value;
            let at = (self.pool.address(one.object).expect("resident") - BASE) as usize;
            let known = self.known(one.object).expect("a live object");
            let size = known.content.len();
            let from = if one.access == Access::Discard { 0 } else { size / 3 };
            known.content[from..].fill(Some(value));
            known.own = None;
            self.memory[at + from..at + size].fill(value);
        }
    }

    /// Every byte of an object is where the pool says that it is.
    fn look(&mut self, id: ObjectId) {
        let parts = self.pool.locate(id).expect("a live object");
        let known = self.objects.iter().find(|known| known.id == id).expect("a live object");
        let mut next = 0;
        for Located { offset, size, place } in parts {
            assert_eq!(offset, next);
            next = offset + size;
            for at in offset as usize..next as usize {
                let found = match place {
                    Place::Resident(address) => self.memory[(address + at as u64 - offset - BASE) as usize],
                    Place::Saved(Source::Backing) => known.backing[at],
                    Place::Saved(Source::Owner) => {
                        known.own.as_ref().expect("a promised copy")[at].unwrap_or(0xEE)
                    }
                    Place::Undefined => 0xEE,
                };
                assert_eq!(matches!(place, Place::Resident(_)), known.resident[at]);
                assert!(known.content[at].is_none_or(|byte| byte == found), "byte {at} of {id:?}");
            }
        }
        assert_eq!(next, known.content.len() as u64);
    }

    fn withdraw(&mut self, id: ObjectId) {
        self.pool.set_can_clobber(id, false).unwrap();
        let known = self.known(id).expect("a live object");
        for (byte, resident) in known.content.iter_mut().zip(&known.resident) {
            if !resident {
                *byte = None;
            }
        }
    }

    fn step(&mut self, step: &Step) {
        let count = self.objects.len();
        match step {
            Step::Create(size) => {
                let id = self.pool.create(*size).unwrap();
                let bytes = *size as usize;
                self.objects.push(Known {
                    id,
                    content: vec![None; bytes],
                    backing: vec![0; bytes],
                    own: None,
                    resident: vec![false; bytes],
                    pins: 0,
                });
            }
            Step::Pass(which) => {
                if let Some(&fence) = self.fences.keys().nth(which % self.fences.len().max(1)) {
                    assert!(self.pool.is_pending(fence));
                    self.pool.passed(fence);
                    self.fences.remove(&fence);
                }
            }
            _ if count == 0 => {}
            Step::Release(which) => {
                let known = self.objects.swap_remove(which % count);
                self.pool.release(known.id).unwrap();
                assert!(self.pool.release(known.id).is_err());
            }
            Step::Reserve { set, fails, steps, engine } => {
                let set = self.set(set);
                self.reserve(&set, *fails, *steps, Engine(*engine));
            }
            Step::Pin(which) => {
                let known = &mut self.objects[which % count];
                known.pins += u32::from(self.pool.pin(known.id).is_ok());
            }
            Step::Unpin(which) => {
                let known = &mut self.objects[which % count];
                assert_eq!(self.pool.unpin(known.id).is_ok(), known.pins > 0);
                known.pins = known.pins.saturating_sub(1);
            }
            Step::Clobber(which, true) => {
                let known = &mut self.objects[which % count];
                self.pool.set_can_clobber(known.id, true).unwrap();
                known.own = Some(known.content.clone());
            }
            Step::Clobber(which, false) => {
                let known = &mut self.objects[which % count];
                if known.own.take().is_some() {
                    let id = known.id;
                    self.withdraw(id);
                } else {
                    self.pool.set_can_clobber(known.id, false).unwrap();
                }
            }
        }
    }

    /// Blocks do not overlap, and the pool's sums are theirs.
    fn invariants(&self) {
        let mut end = BASE;
        let mut used = 0;
        for block in self.pool.blocks() {
            assert!(block.address >= end);
            end = block.address + block.size;
            used += block.size;
        }
        assert!(end <= BASE + REGION);
        let usage = self.pool.usage();
        assert_eq!((usage.used, usage.free), (used, REGION - used));
    }
}

fn run(policy: Box<dyn ReclaimPolicy>, granule: u64, steps: &[Step]) {
    let mut model = Model::new(policy, granule);
    for step in steps {
        model.step(step);
        model.invariants();
    }
    for fence in std::mem::take(&mut model.fences).into_keys() {
        model.pool.passed(fence);
    }
    for at in 0..model.objects.len() {
        let (id, size) = (model.objects[at].id, model.objects[at].content.len());
        while model.pool.unpin(id).is_ok() {}
        model.objects[at].pins = 0;
        assert!(size > 0);
    }
    // Idle, everything can be had, one after the other, and nothing was lost on the way.
    for at in 0..model.objects.len() {
        let id = model.objects[at].id;
        let set = [Use::read(id)];
        let fence = model.fence();
        let plan = model.pool.reserve(&set, fence).expect("an idle pool holds any object");
        plan.actions().iter().for_each(|action| model.carry_out(action));
        model.check(&set);
        model.pool.passed(fence);
    }
    for known in std::mem::take(&mut model.objects) {
        model.pool.release(known.id).unwrap();
    }
    let usage = model.pool.usage();
    assert_eq!((usage.used, usage.largest_free, usage.objects), (0, REGION, 0), "nothing is leaked");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn content_survives_everything(steps in steps(), policy in 0u8..4, granule in 0u8..3) {
        let policy: Box<dyn ReclaimPolicy> = match policy {
            0 => Box::new(Lru::new()),
            1 => Box::new(Mru::new()),
            2 => Box::new(Adaptive::new(REGION)),
            _ => Box::new(SegmentedLru::new(REGION / 2)),
        };
        run(policy, [ALIGNMENT, 256, u64::MAX][usize::from(granule)], &steps);
    }
}
