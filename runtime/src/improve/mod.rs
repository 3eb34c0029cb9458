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
//! is made that way when its kernel becomes hot, and gets on too slowly, is begun anew. Threads start with the first need
//! and end when nothing was wanted for a while.

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

use crate::cache::Material;
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
    cold: Line<Task>,
    /// What takes processors away from launches that need it.
    hot: Line<Task>,
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

/// Something to make for a program.
struct Task {
    program: Weak<Inner>,
    what: What,
    /// What the observer was told, where it is for a kernel that is hot.
    beginning: Option<Improvement>,
    /// Where it is made even if the program is released, or this process ends, before.
    _kept: Option<(Announced, Arc<Inner>)>,
}

#[derive(Clone)]
enum What {
    /// All kernels that are not made yet, begun with before this time.
    Rest {
        until: Instant,
    },
    /// A kernel that is launched and not hot; with barriers, for launches of a shape.
    Launched {
        kernel: usize,
        shape: Option<LaunchShape>,
    },
    Kernel {
        kernel: usize,
        heat: Heat,
    },
    Function {
        kernel: usize,
        shape: LaunchShape,
        heat: Heat,
    },
}

/// What a program needs to become better.
#[derive(Debug)]
pub(crate) struct Improving {
    improver: Improver,
    request: BuildRequest,
    /// Its material, which is long: digested once.
    material: OnceLock<Material>,
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

    /// Looks now and then how long the launches that `watch` counts have been running, from their first one on.
    fn glance_at(&self, watch: &Arc<Watch>) {
        if self.shared.process != std::process::id() {
            return;
        }
        let glance =
            Glance { watch: Arc::downgrade(watch), after: GLANCE, until: Instant::now() + FOR_GLANCES };
        Arc::clone(&self.shared).glance_later(glance);
    }

    /// Hands a task to a thread, which begins with the first one.
    fn ask(&self, program: &Weak<Inner>, what: What) {
        if self.shared.process != std::process::id() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let Some(task) = shared.task(program, what) else { return };
        if matches!(task.what, What::Rest { .. } | What::Launched { .. }) {
            // All of a line are put off for the same time, so the order is that of their coming.
            self.shared.cold.put(Instant::now() + REST, task, move || {
                let service = shared.service.in_background();
                while let Some(task) = shared.cold.next() {
                    shared.make_cold(&task, &service);
                }
            });
        } else {
            self.shared.hot.put(Instant::now(), task, move || {
                while let Some(task) = shared.hot.next() {
                    shared.make_hot(&task);
                }
            });
        }
    }
}

impl Shared {
    fn glance_later(self: Arc<Self>, glance: Glance) {
        let shared = Arc::clone(&self);
        self.glances.put(Instant::now() + glance.after, glance, move || {
            while let Some(Glance { watch, after, until }) = shared.glances.next() {
                let goes_on = watch.upgrade().is_some_and(|watch| watch.glance());
                if goes_on && Instant::now() < until {
                    let after = GLANCES.min(2 * after);
                    Arc::clone(&shared).glance_later(Glance { watch, after, until });
                }
            }
        });
    }

    /// A task, of which servers are told if it is for a kernel that is launched: other processes want what comes of it though this one
    /// ends, or releases the program, before it is done. The observer is told of those for hot ones. None if the program is gone.
    fn task(&self, program: &Weak<Inner>, what: What) -> Option<Task> {
        let known = program.upgrade()?;
        let improving = known.improving()?;
        let expected = |heat, shape: Option<&LaunchShape>| {
            let account = improving.account();
            let expected = if shape.is_some() { account.function() } else { account.kernel() };
            Some(Why::Hot { heat, expected })
        };
        let (kernel, shape, why) = match what {
            What::Rest { .. } => {
                let program = Weak::clone(program);
                return Some(Task { program, what, beginning: None, _kept: None });
            }
            What::Launched { kernel, ref shape } => (kernel, shape.clone(), None),
            What::Kernel { kernel, heat } => (kernel, None, expected(heat, None)),
            What::Function { kernel, ref shape, heat } => {
                (kernel, Some(shape.clone()), expected(heat, Some(shape)))
            }
        };
        let name = known.kernel_name(kernel);
        let request =
            shape.as_ref().map_or_else(|| improving.full(), |shape| improving.request_for(&name, shape));
        let beginning = why.map(|why| Improvement::beginning(Better::of(name.clone(), shape), why));
        beginning.iter().for_each(|beginning| self.tell(beginning));
        let kept = self.service.announce(&request, &name).map(|announced| (announced, known));
        Some(Task { program: Weak::clone(program), what, beginning, _kept: kept })
    }

    fn make_cold(&self, task: &Task, service: &Service) {
        match task.what {
            What::Rest { until } => self.make_rest(&task.program, until, service),
            What::Launched { kernel, .. } => {
                let Some(program) = task.program.upgrade() else { return };
                let attempt = Arc::new(Attempt::until(Instant::now() + FOR_REST + GRACE));
                if let Some(instead) = program.begin_idle(kernel, &attempt) {
                    self.make_idle(&program, kernel, instead.as_ref(), service, &attempt);
                }
            }
            What::Kernel { .. } | What::Function { .. } => {}
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
        if let Some(shape) = instead {
            let kept = self.make_function(program, kernel, shape, beginning, service, attempt);
            if kept == Some(true)
                && let Some(improving) = program.improving()
            {
                improving.account().was_kept();
            }
            program.end_function(kernel, attempt.is_abandoned());
        } else {
            self.make_kernel(program, kernel, beginning, service, attempt);
        }
        if attempt.is_abandoned() {
            thread::sleep(BUSY);
        }
    }

    fn make_hot(&self, task: &Task) {
        // A program that is gone, and that nobody else can have, needs nothing any more.
        let (Some(program), Some(beginning)) = (task.program.upgrade(), &task.beginning) else { return };
        let attempt = Arc::new(Attempt::default());
        let begins = loop {
            let begun = match task.what {
                What::Rest { .. } | What::Launched { .. } => return,
                What::Kernel { kernel, .. } => program.begin(kernel, &attempt),
                What::Function { kernel, ref shape, .. } => program.begin_function(kernel, shape, &attempt),
            };
            match begun {
                Begun::Yes => break true,
                Begun::Over => break false,
                Begun::Others(other) => {
                    // It is being made at idle priority.
                    if other.is_starved() {
                        other.abandon();
                    }
                    thread::sleep(LOOK);
                }
            }
        };
        if !begins {
            return;
        }
        let beginning = beginning.clone();
        match task.what {
            What::Rest { .. } | What::Launched { .. } => {}
            What::Kernel { kernel, .. } => {
                self.make_kernel(&program, kernel, beginning, &self.service, &attempt);
            }
            What::Function { kernel, ref shape, heat } => {
                let kept = self.make_function(&program, kernel, shape, beginning, &self.service, &attempt);
                program.end_function(kernel, false);
                if kept.is_none() && program.is_hurried(kernel) {
                    // Nothing else would be made of it.
                    if let Some(task) = self.task(&task.program, What::Kernel { kernel, heat }) {
                        self.make_hot(&task);
                    }
                }
            }
        }
    }

    /// Makes a kernel's function for launches of a shape that `attempt` was begun for; whether it was in the cache, none if there is no
    /// such function now.
    fn make_function(
        &self,
        program: &Inner,
        kernel: usize,
        shape: &LaunchShape,
        beginning: Improvement,
        service: &Service,
        attempt: &Attempt,
    ) -> Option<bool> {
        let request = program.improving()?.request_for(&program.kernel_name(kernel), shape);
        self.observed(beginning, || {
            let built = service.specialise_unless(&request, &program.kernel_name(kernel), attempt);
            let taken = |built: &Built| program.add_function(kernel, shape, &built.archive);
            (built.as_ref().map_err(BuildError::to_string).and_then(taken), built.ok())
        })
    }

    /// Makes a kernel that `attempt` was begun for.
    fn make_kernel(
        &self,
        program: &Inner,
        kernel: usize,
        beginning: Improvement,
        service: &Service,
        attempt: &Attempt,
    ) {
        let Some(improving) = program.improving() else { return };
        let name = program.kernel_name(kernel);
        self.observed(beginning, || {
            let built = service.complete_unless(&improving.full(), &name, attempt);
            let outcome = match &built {
                Ok(built) => program.replace_kernel(kernel, &built.archive),
                Err(error) => Err(error.to_string()),
            };
            program.end(kernel, !attempt.is_abandoned() || outcome.is_ok());
            if let Ok(Built { cached: true, .. }) = built {
                improving.account().was_kept();
            }
            (outcome, built.ok())
        });
    }

    fn tell(&self, improvement: &Improvement) {
        if let Some(observer) = &self.observer {
            observer(improvement);
        }
    }

    /// Tells the observer what becomes of what was begun; whether it was in the cache, none if it was not taken.
    fn observed(
        &self,
        beginning: Improvement,
        make: impl FnOnce() -> (Result<(), String>, Option<Built>),
    ) -> Option<bool> {
        let (outcome, built) = make();
        let elapsed = beginning.begun.elapsed();
        let (processor, cached) =
            built.map_or_else(Default::default, |built| (built.processor, built.cached));
        let kept = outcome.is_ok().then_some(cached);
        let end = Some(Ended { elapsed, processor, cached, outcome });
        self.tell(&Improvement { end, ..beginning });
        kept
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
        let (material, whole) = (OnceLock::new(), OnceLock::new());
        Self { improver, request, material, cached, resting: AtomicBool::new(false), whole, account }
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
        let service = &self.improver.shared.service;
        let material = self.material.get_or_init(|| service.material(&self.request));
        let request = BuildRequest { quality: Quality::Full, ..self.request.without_material() };
        let name = kernel.to_owned();
        match shape {
            Some(shape) => (material, for_shape(request, kernel, shape), Kernels::Specialised(name)),
            None => (material, request, Kernels::One(name)),
        }
    }

    /// The request for a kernel's function for launches of this shape.
    fn request_for(&self, kernel: &str, shape: &LaunchShape) -> BuildRequest {
        for_shape(self.full(), kernel, shape)
    }

    /// Has the kernels of `program` made when a processor is idle.
    pub(crate) fn ask_rest(&self, program: &Arc<Inner>) {
        // Relaxed: it guards nothing but itself.
        if self.resting.swap(true, Ordering::Relaxed) {
            return;
        }
        let what = What::Rest { until: Instant::now() + FOR_REST };
        self.improver.ask(&Arc::downgrade(program), what);
    }

    /// Has the whole program made in full quality, once, for a launch of `kernel` that nothing else serves; returns when that is
    /// done, or cannot be.
    pub(crate) fn make_whole(&self, program: &Program, kernel: String) {
        let shared = &self.improver.shared;
        if shared.process != std::process::id() {
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
        let (material, request, kernels) = self.to_look_for(kernel, shape);
        shared.earlier.of(shared.service.key(material, &request, kernels))
    }

    /// Watches the launches of a kernel that was built in a hurry, and has it made when it is hot.
    pub(crate) fn watch_kernel(&self, program: &Arc<Inner>, kernel: usize) -> Watch {
        self.ask_rest(program);
        let spent = self.spent(&program.kernel_name(kernel), None);
        self.watch_hurried(spent, program, kernel, None, move |improver, program, heat| {
            improver.ask(program, What::Kernel { kernel, heat });
        })
    }

    /// Watches the launches, with the first local size that there was, of a kernel that was built in a hurry and has barriers: when
    /// it is hot, the function for that size takes the place of its full code. The loops between barriers are what such a kernel
    /// consists of, and how long they are is known then.
    pub(crate) fn watch_function_instead(
        &self,
        program: &Arc<Inner>,
        kernel: usize,
        shape: LaunchShape,
    ) -> Watch {
        self.ask_rest(program);
        let spent = self.spent(&program.kernel_name(kernel), Some(&shape));
        self.watch_hurried(spent, program, kernel, Some(shape.clone()), move |improver, program, heat| {
            let Some(known) = program.upgrade() else { return };
            // It costs no more than the full code.
            let instead = known.begin_function_instead(kernel, &shape);
            let shape = shape.clone();
            let what =
                if instead { What::Function { kernel, shape, heat } } else { What::Kernel { kernel, heat } };
            improver.ask(program, what);
        })
    }

    /// Watches launches of a kernel that was built in a hurry: has it made in any case, once it is worth that, and calls `hot`.
    fn watch_hurried(
        &self,
        spent: Arc<Spent>,
        program: &Arc<Inner>,
        kernel: usize,
        shape: Option<LaunchShape>,
        hot: impl Fn(&Improver, &Weak<Inner>, Heat) + Send + Sync + 'static,
    ) -> Watch {
        let program = Arc::downgrade(program);
        let improver = self.improver.clone();
        let keeps = improver.shared.service.keeps();
        let wanted = self.account().kernel_is_wanted();
        let pays = self.account().kernel_pays();
        Watch::going_on(spent, if keeps { wanted } else { pays }, move |heat| {
            if heat.is_enough(pays) {
                hot(&improver, &program, heat);
                return None;
            }
            improver.ask(&program, What::Launched { kernel, shape: shape.clone() });
            Some(pays)
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
            improver.ask(&program, What::Function { kernel, shape: shape.clone(), heat });
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

/// A request for a kernel's function for launches of this shape.
fn for_shape(request: BuildRequest, kernel: &str, shape: &LaunchShape) -> BuildRequest {
    let LaunchShape { local, known } = shape.clone();
    let known = (!known.is_empty()).then(|| KnownOf { kernel: kernel.to_owned(), arguments: known });
    BuildRequest { local_sizes: vec![local], known: known.into_iter().collect(), ..request }
}
