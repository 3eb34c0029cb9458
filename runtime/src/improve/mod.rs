//! Better code for programs that run already: made in the background, taken by the launches that come after.
//!
//! In: a program, the request that it was built from, and how much processor time its launches take
//! ([`Watch`]). Out: each kernel in full quality, where the program was built in a hurry, and then functions that are specialised
//! for the local sizes that are launched, and for the formats and samplers that go with them; of a kernel with barriers, once it is
//! launched, such a function at once, for the first local size. Launches take what is better between work-groups; nobody waits
//! for anything here but a launch whose global ids the first code does not serve. Whatever goes wrong (the compiler is killed,
//! the program goes away meanwhile) leaves the program as it was.
//!
//! A kernel that is hot ([`worth`]) is made at once, by the servers that builds have: where it runs there is no idle
//! processor. All others are made one after the other by a server that lets everything else on the machine go first; those
//! whose launches have taken a little even if their program is released, or the process ends, before. What
//! is made that way when its kernel becomes hot, and gets on too slowly, is begun anew. Threads start with the first need, the
//! one that looks at launches with the first program that can get better, and end when nothing was wanted for a while.

mod earlier;
mod line;
mod worth;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_binary::known::{KnownArguments, KnownOf};
use oxcl_binary::pipe::Kernels;
use oxcl_driver::program::LaunchShape;
use oxcl_driver::watch::{Heat, Spent, Watch};

use crate::cache::{Key, Material};
use crate::compiler::{BuildError, BuildRequest, Built, CompilerService, Quality};
use crate::program::{Begun, Inner, Program};
use crate::service::{Announced, Attempt, Service};
use earlier::Earlier;
use line::Line;
use worth::Account;

/// For so many local sizes of a kernel, or known arguments with them, the first ones that are launched, functions are made.
pub(crate) const SIZES: usize = 4;
/// When kernels that are not hot are begun with after the build: most that are hot are by then, and need the warm servers.
const REST: Duration = Duration::from_millis(100);
/// How long kernels that are not hot are begun with after a program was built, or a kernel was launched first: nothing goes
/// on for long after a program has come to rest.
const FOR_REST: Duration = Duration::from_secs(8);
/// How much longer the last of them may take.
const GRACE: Duration = Duration::from_secs(2);
/// How long nothing more is begun after one of them was given up, and its server with it: no processor is idle, and the next
/// is likely to become hot too.
const BUSY: Duration = Duration::from_secs(1);
/// How often it is looked how a kernel gets on that became hot while it is made at idle priority.
const LOOK: Duration = Duration::from_millis(2);

/// When it is looked first how long a kernel's work-groups have been running; then after twice as long each time, up to
/// [`GLANCES`].
const GLANCE: Duration = Duration::from_millis(5);
/// The longest time between two looks.
const GLANCES: Duration = Duration::from_millis(200);
/// For so long after a kernel's first launch.
const FOR_GLANCES: Duration = Duration::from_secs(8);

/// What is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Better {
    /// A kernel's function for any local size, of a program that was built in a hurry.
    Kernel(String),
    /// A kernel's function for one local size, and for arguments that are known.
    Function {
        /// The kernel's name.
        kernel: String,
        /// The local size.
        local: [u64; 3],
        /// Formats of images and bits of samplers.
        known: KnownArguments,
    },
}

/// Why something is made, and so who goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A processor is idle. Everything else on the machine goes first.
    Idle,
    /// A launch has global ids of 2^31 and more, and waits for code that serves them: the whole program is made.
    LargeIds,
    /// Launches take long: ordinary priority.
    Hot {
        /// What they have taken.
        heat: Heat,
        /// Processor time that a compiler is expected to take.
        expected: Duration,
    },
}

/// The making of something better.
#[derive(Debug, Clone)]
pub struct Improvement {
    /// What it is.
    pub better: Better,
    /// Why it is made.
    pub why: Why,
    /// When it was begun with.
    pub begun: Instant,
    /// What became of it; none: it has just begun.
    pub end: Option<Ended>,
}

/// What became of the making of something better.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How long it took.
    pub elapsed: Duration,
    /// Processor time that the compiler took, in this process or in an earlier one.
    pub processor: Duration,
    /// It was in the cache.
    pub cached: bool,
    /// Whether launches take it from now on; if not, why not.
    pub outcome: Result<(), String>,
}

/// Is told of the beginning and the end of every improvement, on a thread of the improver's or, when a kernel is promoted, one
/// that executes work-groups.
pub type ImprovementObserver = Arc<dyn Fn(&Improvement) + Send + Sync>;

/// Makes better functions in the background. Clones are the same.
#[derive(Clone)]
pub struct Improver {
    shared: Arc<Shared>,
}

struct Shared {
    /// A child of a fork has no such thread, and may find the lock held for ever.
    process: u32,
    service: Service,
    observer: Option<ImprovementObserver>,
    /// What can wait for an idle processor.
    cold: Line<Cold>,
    /// What takes processors away from launches that need it.
    hot: Line<Hot>,
    /// Kernels whose launches run in a hurry.
    glances: Line<Glance>,
    earlier: Earlier,
}

/// Somebody has to look how long a kernel's work-groups have been running: where one takes seconds, nobody else would know
/// before it ends.
struct Glance {
    watch: Weak<Watch>,
    /// How long after the one before.
    after: Duration,
    until: Instant,
}

/// The promise of a thread that looks at launches: it starts when this is dropped.
struct Glancing(Arc<Shared>);

impl Glancing {
    /// None if there is such a thread.
    fn promise(shared: &Arc<Shared>) -> Option<Self> {
        shared.glances.promise().then(|| Self(Arc::clone(shared)))
    }
}

impl Drop for Glancing {
    fn drop(&mut self) {
        let shared = Arc::clone(&self.0);
        self.0.glances.start(move || shared.glance());
    }
}

/// What can wait.
enum Cold {
    /// All kernels of a program that are not made yet, begun with before this time.
    Rest { program: Weak<Inner>, until: Instant },
    /// A kernel that is launched: it is made even if the program is released, or this process ends, before.
    Launched { program: Arc<Inner>, kernel: usize, _announced: Option<Announced> },
}

/// A kernel that is hot, or its function for launches of a shape.
struct Hot {
    program: Weak<Inner>,
    kernel: usize,
    shape: Option<LaunchShape>,
    heat: Heat,
    /// What the observer was told.
    beginning: Improvement,
    /// Where it is made even if the program is released, or this process ends, before.
    _kept: Option<(Announced, Arc<Inner>)>,
}

/// What a program needs to become better.
#[derive(Debug)]
pub(crate) struct Improving {
    improver: Improver,
    request: BuildRequest,
    /// Its material, which is long: digested once.
    material: OnceLock<Material>,
    /// What tells the program apart from all others in this process.
    key: OnceLock<Key>,
    /// The program was in the cache, and so may be what was made of it.
    cached: bool,
    /// Somebody makes what is not hot, or is about to.
    resting: AtomicBool,
    /// The whole program was made, or could not be, for a launch that what was there did not serve.
    whole: OnceLock<()>,
    account: Mutex<Account>,
}

impl fmt::Debug for Improver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Improver").field("service", &self.shared.service).finish_non_exhaustive()
    }
}

impl Improver {
    /// An improver that builds as `service` does, and keeps results where it does, with a server of its own beside.
    #[must_use]
    pub fn new(service: Service, observer: Option<ImprovementObserver>) -> Self {
        let process = std::process::id();
        let hot = Line::new(service.servers());
        let (cold, glances) = (Line::new(1), Line::new(1));
        let earlier = Earlier::default();
        Self { shared: Arc::new(Shared { process, service, observer, cold, hot, glances, earlier }) }
    }

    /// Whether this process is a child of the one whose threads and locks these are.
    fn is_forked(&self) -> bool {
        self.shared.process != std::process::id()
    }

    /// Looks now and then how long the launches that `watch` counts have been running, from their first one on.
    fn glance_at(&self, watch: &Arc<Watch>) {
        if self.is_forked() {
            return;
        }
        let glance =
            Glance { watch: Arc::downgrade(watch), after: GLANCE, until: Instant::now() + FOR_GLANCES };
        Arc::clone(&self.shared).glance_later(glance);
    }

    /// Hands something that can wait to a thread, which begins with the first one.
    fn ask_cold(&self, task: Cold) {
        if self.is_forked() {
            return;
        }
        // All of a line are put off for the same time, so the order is that of their coming.
        if !self.shared.cold.put(Instant::now() + REST, task) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        // Kernels that are built are launched soon, and a launch does not start two threads if the first can start the other.
        let glancing = Glancing::promise(&shared);
        self.shared.cold.start(move || {
            if let Some(glancing) = glancing {
                // It is wanted when the first launch has taken a while. What this launch maps would wait for what it maps, and a
                // program of a few short launches is over by then.
                thread::sleep(GLANCE);
                drop(glancing);
            }
            let service = shared.service.in_background();
            while let Some(task) = shared.cold.next() {
                shared.make_cold(&task, &service);
            }
        });
    }

    /// Has a launched kernel made in any case, or its function for launches of a shape.
    fn ask_launched(&self, program: &Weak<Inner>, kernel: usize, shape: Option<&LaunchShape>) {
        let Some(program) = program.upgrade().filter(|_| !self.is_forked()) else { return };
        let announced = self.shared.announce(&program, kernel, shape);
        self.ask_cold(Cold::Launched { program, kernel, _announced: announced });
    }

    /// The same of a hot one, at once.
    fn ask_hot(&self, program: &Weak<Inner>, kernel: usize, shape: Option<LaunchShape>, heat: Heat) {
        if self.is_forked() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let Some(task) = shared.hot(program, kernel, shape, heat) else { return };
        if self.shared.hot.put(Instant::now(), task) {
            self.shared.hot.start(move || {
                while let Some(task) = shared.hot.next() {
                    shared.make_hot(&task);
                }
            });
        }
    }
}

impl Shared {
    fn glance_later(self: Arc<Self>, glance: Glance) {
        if self.glances.put(Instant::now() + glance.after, glance) {
            let shared = Arc::clone(&self);
            self.glances.start(move || shared.glance());
        }
    }

    /// What the thread does that looks at launches.
    fn glance(self: Arc<Self>) {
        while let Some(Glance { watch, after, until }) = self.glances.next() {
            let goes_on = watch.upgrade().is_some_and(|watch| watch.glance());
            if goes_on && Instant::now() < until {
                let after = GLANCES.min(2 * after);
                Arc::clone(&self).glance_later(Glance { watch, after, until });
            }
        }
    }

    /// Tells servers of what other processes want though this one ends, or releases the program, before it is done.
    fn announce(&self, program: &Inner, kernel: usize, shape: Option<&LaunchShape>) -> Option<Announced> {
        let (request, kernels) = program.improving()?.to_make(&program.kernel_name(kernel), shape);
        self.service.announce(&request, kernels)
    }

    /// A task for a kernel that is hot, of which the observer and servers are told. None if the program is gone.
    fn hot(
        &self,
        program: &Weak<Inner>,
        kernel: usize,
        shape: Option<LaunchShape>,
        heat: Heat,
    ) -> Option<Hot> {
        let known = program.upgrade()?;
        let expected = {
            let account = known.improving()?.account();
            if shape.is_some() { account.function() } else { account.kernel() }
        };
        let better = Better::of(known.kernel_name(kernel), shape.clone());
        let beginning = Improvement::beginning(better, Why::Hot { heat, expected });
        self.tell(&beginning);
        let announced = self.announce(&known, kernel, shape.as_ref());
        let kept = announced.map(|announced| (announced, known));
        Some(Hot { program: Weak::clone(program), kernel, shape, heat, beginning, _kept: kept })
    }

    fn make_cold(&self, task: &Cold, service: &Service) {
        match task {
            Cold::Rest { program, until } => self.make_rest(program, *until, service),
            Cold::Launched { program, kernel, .. } => {
                let attempt = Arc::new(Attempt::until(Instant::now() + FOR_REST + GRACE));
                if let Some(instead) = program.begin_idle(*kernel, &attempt) {
                    self.make_idle(program, *kernel, instead.as_ref(), service, &attempt);
                }
            }
        }
    }

    /// Makes the kernels of a program that nobody else has made or makes, while the program is there.
    fn make_rest(&self, program: &Weak<Inner>, until: Instant, service: &Service) {
        loop {
            let Some(program) = program.upgrade() else { return };
            let Some(improving) = program.improving() else { return };
            let attempt = Arc::new(Attempt::until(until + GRACE));
            let next = if Instant::now() < until { program.begin_any(&attempt) } else { None };
            let Some((kernel, instead)) = next else {
                // Relaxed: whoever asks meanwhile in vain asks for what is hot again.
                improving.resting.store(false, Ordering::Relaxed);
                return;
            };
            self.make_idle(&program, kernel, instead.as_ref(), service, &attempt);
        }
    }

    /// Makes a kernel that `attempt` was begun for at idle priority, or its function `instead`.
    fn make_idle(
        &self,
        program: &Inner,
        kernel: usize,
        instead: Option<&LaunchShape>,
        service: &Service,
        attempt: &Attempt,
    ) {
        let better = Better::of(program.kernel_name(kernel), instead.cloned());
        let beginning = Improvement::beginning(better, Why::Idle);
        self.tell(&beginning);
        self.make(program, kernel, instead, beginning, service, attempt);
        if attempt.is_abandoned() {
            thread::sleep(BUSY);
        }
    }

    fn make_hot(&self, task: &Hot) {
        // A program that is gone, and that nobody else can have, needs nothing any more.
        let Some(program) = task.program.upgrade() else { return };
        let (kernel, shape) = (task.kernel, task.shape.as_ref());
        let attempt = Arc::new(Attempt::default());
        loop {
            match program.begin(kernel, shape, &attempt) {
                Begun::Yes => break,
                Begun::Over => return,
                Begun::Others(other) => {
                    // It is being made at idle priority.
                    if other.is_starved() {
                        other.abandon();
                    }
                    thread::sleep(LOOK);
                }
            }
        }
        let is_taken = self.make(&program, kernel, shape, task.beginning.clone(), &self.service, &attempt);
        if !is_taken
            && shape.is_some()
            && program.is_hurried(kernel)
            // Nothing else would be made of it.
            && let Some(task) = self.hot(&task.program, kernel, None, task.heat)
        {
            self.make_hot(&task);
        }
    }

    /// Makes a kernel, or its function for launches of a shape, that `attempt` was begun for; whether launches take it now.
    fn make(
        &self,
        program: &Inner,
        kernel: usize,
        shape: Option<&LaunchShape>,
        beginning: Improvement,
        service: &Service,
        attempt: &Attempt,
    ) -> bool {
        let Some(improving) = program.improving() else { return false };
        let (request, kernels) = improving.to_make(&program.kernel_name(kernel), shape);
        self.observed(beginning, || {
            let built = service.make_unless(&request, kernels, attempt);
            let taken = |built: &Built| match shape {
                Some(shape) => program.add_function(kernel, shape, &built.archive),
                None => program.replace_kernel(kernel, &built.archive),
            };
            let outcome = built.as_ref().map_err(BuildError::to_string).and_then(taken);
            match shape {
                Some(_) => program.end_function(kernel, attempt.is_abandoned()),
                None => program.end(kernel, !attempt.is_abandoned() || outcome.is_ok()),
            }
            if let Ok(Built { cached: true, .. }) = built {
                // Nothing was spent on it.
                improving.account().was_kept();
            }
            (outcome, built.ok())
        })
    }

    fn tell(&self, improvement: &Improvement) {
        if let Some(observer) = &self.observer {
            observer(improvement);
        }
    }

    /// Tells the observer what becomes of what was begun; whether it was taken.
    fn observed(
        &self,
        beginning: Improvement,
        make: impl FnOnce() -> (Result<(), String>, Option<Built>),
    ) -> bool {
        let (outcome, built) = make();
        let elapsed = beginning.begun.elapsed();
        let (processor, cached) =
            built.map_or_else(Default::default, |built| (built.processor, built.cached));
        let is_taken = outcome.is_ok();
        let end = Some(Ended { elapsed, processor, cached, outcome });
        self.tell(&Improvement { end, ..beginning });
        is_taken
    }
}

impl Better {
    fn of(kernel: String, shape: Option<LaunchShape>) -> Self {
        match shape {
            Some(LaunchShape { local, known }) => Self::Function { kernel, local, known },
            None => Self::Kernel(kernel),
        }
    }
}

impl Improvement {
    fn beginning(better: Better, why: Why) -> Self {
        Self { better, why, begun: Instant::now(), end: None }
    }
}

impl Improving {
    /// `cost` is the processor time that building the program took, here or in an earlier process.
    pub(crate) fn new(
        improver: Improver,
        request: BuildRequest,
        kernels: usize,
        quality: Quality,
        cost: Duration,
        cached: bool,
    ) -> Self {
        let account = Mutex::new(Account::new(kernels, quality, cost, cached));
        let (material, key, whole) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { improver, request, material, key, cached, resting: AtomicBool::new(false), whole, account }
    }

    fn account(&self) -> std::sync::MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request for all code in full quality.
    fn full(&self) -> BuildRequest {
        BuildRequest { quality: Quality::Full, ..self.request.clone() }
    }

    /// What a kernel in full quality, or its function for launches of a shape, is found by: the program's material, and a request
    /// without it.
    fn to_look_for(&self, kernel: &str, shape: Option<&LaunchShape>) -> (&Material, BuildRequest, Kernels) {
        let request = BuildRequest { quality: Quality::Full, ..self.request.without_material() };
        let (request, kernels) = for_shape(request, kernel, shape);
        (self.material(), request, kernels)
    }

    fn material(&self) -> &Material {
        self.material.get_or_init(|| self.improver.shared.service.material(&self.request))
    }

    /// What a kernel in full quality is made of, or its function for launches of a shape.
    fn to_make(&self, kernel: &str, shape: Option<&LaunchShape>) -> (BuildRequest, Kernels) {
        for_shape(self.full(), kernel, shape)
    }

    /// Has the kernels of `program` made when a processor is idle.
    pub(crate) fn ask_rest(&self, program: &Arc<Inner>) {
        // Relaxed: it guards nothing but itself.
        if self.resting.swap(true, Ordering::Relaxed) {
            return;
        }
        let (program, until) = (Arc::downgrade(program), Instant::now() + FOR_REST);
        self.improver.ask_cold(Cold::Rest { program, until });
    }

    /// Has the whole program made in full quality, once, for a launch of `kernel` that nothing else serves; returns when that is
    /// done, or cannot be.
    pub(crate) fn make_whole(&self, program: &Program, kernel: String) {
        let shared = &self.improver.shared;
        if self.improver.is_forked() {
            return;
        }
        self.whole.get_or_init(|| {
            let better = Better::Kernel(kernel);
            let beginning = Improvement::beginning(better, Why::LargeIds);
            shared.tell(&beginning);
            shared.observed(beginning, || {
                let built = shared.service.build(&self.full());
                let taken = |built: &Built| program.replace_code(&built.archive);
                (built.as_ref().map_err(BuildError::to_string).and_then(taken), built.ok())
            });
        });
    }

    /// What launches of a kernel, or of those with a shape, have taken in this process, with earlier programs made of the same
    /// too: some build their programs again each time they need them. Only where what is made is kept: elsewhere each of them would
    /// have it made for itself.
    fn spent(&self, kernel: &str, shape: Option<&LaunchShape>) -> Arc<Spent> {
        let shared = &self.improver.shared;
        if !shared.service.keeps() {
            return Arc::default();
        }
        let key =
            self.key.get_or_init(|| shared.service.key(self.material(), &self.request.without_material()));
        shared.earlier.of((*key, kernel.to_owned(), shape.cloned()))
    }

    /// Watches the launches of a kernel that was built in a hurry: has it made in any case once they have taken a little, and at once
    /// when it is hot. With a `shape`, the first that a kernel with barriers was launched with, only launches of that are watched,
    /// and the function for it takes the place of the full code: the loops between barriers are what such a kernel consists of, and how
    /// long they are is known then.
    pub(crate) fn watch_hurried(
        &self,
        program: &Arc<Inner>,
        kernel: usize,
        shape: Option<LaunchShape>,
    ) -> Watch {
        self.ask_rest(program);
        let spent = self.spent(&program.kernel_name(kernel), shape.as_ref());
        let wanted = self.account().kernel_is_wanted();
        let pays = self.account().kernel_pays();
        let program = Arc::downgrade(program);
        let improver = self.improver.clone();
        // Later processes find it only where it is kept; of programs made of the same the first has asked for it.
        let asks = improver.shared.service.keeps() && !spent.heat().is_enough(wanted);
        Watch::going_on(spent, if asks { wanted } else { pays }, move |heat| {
            if !heat.is_enough(pays) {
                improver.ask_launched(&program, kernel, shape.as_ref());
                return Some(pays);
            }
            // It costs no more than the full code.
            let begins = |shape: &&LaunchShape| {
                program.upgrade().is_some_and(|program| program.begin_function_instead(kernel, shape))
            };
            improver.ask_hot(&program, kernel, shape.as_ref().filter(begins).cloned(), heat);
            None
        })
    }

    /// Watches the launches of a kernel with a local size and known arguments, and has a function made for it when that pays.
    pub(crate) fn watch_function(&self, program: &Arc<Inner>, kernel: usize, shape: LaunchShape) -> Watch {
        let spent = self.spent(&program.kernel_name(kernel), Some(&shape));
        let program = Arc::downgrade(program);
        let improver = self.improver.clone();
        Watch::going_on(spent, self.account().function_pays(), move |heat| {
            let known = program.upgrade()?;
            if let Err(later) = known.improving()?.account().take_function(heat) {
                return Some(later);
            }
            improver.ask_hot(&program, kernel, Some(shape.clone()), heat);
            None
        })
    }

    /// Looks now and then at launches of a kernel that was built in a hurry.
    pub(crate) fn glance_at(&self, watch: &Arc<Watch>) {
        self.improver.glance_at(watch);
    }

    /// The archive with a kernel in full quality, where an earlier process had it made.
    pub(crate) fn kept_kernel(&self, kernel: &str) -> Option<Vec<u8>> {
        if !self.cached {
            return None;
        }
        let (material, request, kernels) = self.to_look_for(kernel, None);
        let built = self.improver.shared.service.kept(material, &request, kernels)?;
        self.account().was_kept();
        Some(built.archive)
    }

    /// The archive with the function for a local size and known arguments, where an earlier process had it made.
    pub(crate) fn kept_function(&self, kernel: &str, shape: &LaunchShape) -> Option<Vec<u8>> {
        if !self.cached {
            return None;
        }
        let (material, request, kernels) = self.to_look_for(kernel, Some(shape));
        let service = &self.improver.shared.service;
        service.kept(material, &request, kernels).map(|built| built.archive)
    }

    /// A function that an earlier process had made takes the place of a kernel's full code.
    pub(crate) fn was_kept(&self) {
        self.account().was_kept();
    }
}

/// What is asked of a compiler for a kernel, or for its function for launches of a shape.
fn for_shape(request: BuildRequest, kernel: &str, shape: Option<&LaunchShape>) -> (BuildRequest, Kernels) {
    let name = kernel.to_owned();
    let Some(LaunchShape { local, known }) = shape.cloned() else { return (request, Kernels::One(name)) };
    let known = (!known.is_empty()).then(|| KnownOf { kernel: name.clone(), arguments: known });
    let known = known.into_iter().collect();
    (BuildRequest { local_sizes: vec![local], known, ..request }, Kernels::Specialised(name))
}
