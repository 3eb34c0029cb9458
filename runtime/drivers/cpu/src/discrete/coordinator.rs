//! The thread that runs the device: it takes commands in the order in which they became ready, makes what they use
//! resident, hands the copies and the kernels to the other threads, and says when commands have ended.
//!
//! A command goes the seven steps here. *Reserve*: all its objects at once, or none; where memory is short the command
//! stays at the head of the list until a running one has ended. *Wait*: the pool gives nothing away that a running
//! command uses. *Validate*: pages move out, in, or within, as the pool's plan says, before anything else is reserved.
//! *Patch*: addresses are looked up, argument cells are made. *Submit*: a thread executes. *Fence*: the command's number
//! holds its objects until then. *Release*: the number has passed, the list's head is tried again.
//!
//! Nothing here waits but for the next message, so no two devices can wait for each other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use oxcl_driver::{Allocation, DriverError, Failure, HostMemory, HostSpan, Submission};
use oxcl_memory::{
    Fence, Located, NoMemory, ObjectId, Place, Pool, PoolError, PoolUsage, Shortage, Source, Use,
};

use super::Shared;
use super::engine::{Engines, Job};
use super::lending::{self, DeviceCopy};
use super::operation::{Addresses, Need, Operation, Part};
use super::paging::{Backing, Paging, Step, part_of};

/// What the thread is told.
pub(super) enum Message {
    /// A command is ready.
    Submit(Arc<dyn Submission>),
    /// Somebody waits for an operation.
    Call { operation: Operation, reply: SyncSender<Result<(), Failure>> },
    /// There is a new allocation.
    Create { token: u64, size: u64, home: Option<HostSpan>, reply: SyncSender<Result<(), DriverError>> },
    /// An allocation is gone.
    Free { token: u64 },
    /// How full is the memory?
    Usage { reply: SyncSender<PoolUsage> },
    /// A thread has done its job.
    Done { fence: Fence, result: Result<(), Failure> },
    /// It is this device's turn to copy from another one.
    Turn { ticket: u64 },
    /// Another device wants to read an allocation.
    Lend { from: Arc<Allocation>, ticket: u64, borrower: Sender<Message> },
    /// The other device's memory can be read.
    Lent { ticket: u64, result: Result<(Vec<Part>, Fence), Failure> },
    /// The other device has read.
    Return { fence: Fence },
    /// The device goes away.
    Stop,
}

/// Who wants to know how a command ended.
enum Customer {
    Submission(Arc<dyn Submission>),
    Caller(SyncSender<Result<(), Failure>>),
    /// A device that borrows memory; it says when it is done.
    Borrower {
        ticket: u64,
        borrower: Sender<Message>,
    },
    /// A command that borrowed from `source`, which gets it back.
    Debtor {
        customer: Box<Customer>,
        source: Sender<Message>,
        lent: Fence,
    },
}

struct Pending {
    operation: Operation,
    customer: Customer,
}

/// A command whose objects are reserved.
struct Running {
    operation: Arc<Operation>,
    customer: Customer,
    needs: Vec<Need>,
    /// What is still to be paged; none once that is over.
    paging: Option<Paging>,
    /// Where what it lends lies.
    lent: Option<Resolved>,
}

/// A copy from another device that waits for its turn, or for the other device.
struct Borrowing {
    customer: Customer,
    copy: Arc<dyn oxcl_driver::Launch>,
}

/// Something that the pool is told.
enum Change {
    CanClobber(u64, bool),
    Passed(Fence),
    Released(ObjectId),
}

/// An allocation.
pub(super) struct Object {
    pub(super) id: ObjectId,
    pub(super) size: u64,
    /// The host's memory for the same content.
    pub(super) home: Option<HostSpan>,
    /// Whatever is valid here is at home too.
    clean: bool,
    /// Where pages go.
    pub(super) backing: Option<Arc<HostMemory>>,
}

pub(super) struct Coordinator {
    shared: Arc<Shared>,
    pool: Pool,
    engines: Engines,
    inbox: Receiver<Message>,
    own: Sender<Message>,
    objects: HashMap<u64, Object>,
    backing: Backing,
    /// What other devices wait for, and what they have lent: comes first, as they hold something meanwhile.
    urgent: VecDeque<Pending>,
    pending: VecDeque<Pending>,
    running: HashMap<Fence, Running>,
    borrowing: HashMap<u64, Borrowing>,
    /// The command whose pages move.
    paging: Option<Fence>,
    /// What the pool is told when they have moved: until then its plan has to stay one that can be taken back.
    later: Vec<Change>,
    next: u64,
}

/// Where the objects of one command lie.
#[derive(Default)]
struct Resolved {
    objects: Vec<(u64, Vec<Part>)>,
    /// Pages outside of the device's memory, which may be given up meanwhile.
    _backing: Vec<Arc<HostMemory>>,
}

impl Addresses for Resolved {
    fn parts(&self, allocation: &Allocation) -> Result<&[Part], DriverError> {
        let known = self.objects.iter().find(|(token, _)| *token == allocation.token);
        let gone = || DriverError::Device { reason: "an allocation is not known to the device".to_owned() };
        known.map(|(_, parts)| &parts[..]).ok_or_else(gone)
    }
}

fn end(customer: Customer, result: Result<(), Failure>) {
    match customer {
        Customer::Submission(submission) => submission.ended(result.map_err(Arc::new)),
        Customer::Caller(reply) => drop(reply.send(result)),
        Customer::Borrower { ticket, borrower } => {
            if let Err(failure) = result {
                let _ = borrower.send(Message::Lent { ticket, result: Err(failure) });
            }
        }
        Customer::Debtor { customer, source, lent } => {
            let _ = source.send(Message::Return { fence: lent });
            lending::end_turn();
            end(*customer, result);
        }
    }
}

impl Coordinator {
    pub(super) fn new(
        shared: Arc<Shared>,
        pool: Pool,
        engines: Engines,
        inbox: Receiver<Message>,
        own: Sender<Message>,
    ) -> Self {
        let backing = Backing::new(shared.region.len() as u64);
        Self {
            shared,
            pool,
            engines,
            inbox,
            own,
            objects: HashMap::new(),
            backing,
            urgent: VecDeque::new(),
            pending: VecDeque::new(),
            running: HashMap::new(),
            borrowing: HashMap::new(),
            paging: None,
            later: Vec::new(),
            next: 1,
        }
    }

    /// Runs until the device goes away.
    pub(super) fn run(mut self) {
        while let Ok(message) = self.inbox.recv() {
            if matches!(message, Message::Stop) {
                break;
            }
            self.handle(message);
            self.admit();
        }
        self.engines.stop();
        // What the threads still did is reported behind the end; nobody may wait forever.
        let running = self.running.into_values().map(|running| running.customer);
        let pending = self.urgent.into_iter().chain(self.pending).map(|pending| pending.customer);
        let borrowing = self.borrowing.into_values().map(|borrowing| borrowing.customer);
        for customer in running.chain(pending).chain(borrowing).collect::<Vec<_>>() {
            end(customer, Err(Failure::ShutDown));
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Submit(submission) => self.submit(submission),
            Message::Call { operation, reply } => self.accept(operation, Customer::Caller(reply)),
            Message::Create { token, size, home, reply } => {
                let room = self.objects.try_reserve(1).map_err(|_| NoMemory.into());
                let created = room.and_then(|()| self.pool.create(size)).map_err(|error| match error {
                    PoolError::TooLarge { needed, capacity } => {
                        DriverError::OutOfMemory { needed, available: capacity }
                    }
                    PoolError::HostMemory(_) => DriverError::OutOfMemory { needed: size, available: 0 },
                    error => DriverError::Device { reason: error.to_string() },
                });
                let result = created.map(|id| {
                    self.objects.insert(token, Object { id, size, home, clean: true, backing: None });
                });
                let _ = reply.send(result);
            }
            Message::Free { token } => {
                if let Some(mut object) = self.objects.remove(&token) {
                    self.backing.take_back(&mut object);
                    self.tell_pool(Change::Released(object.id));
                }
            }
            Message::Usage { reply } => drop(reply.send(self.pool.usage())),
            Message::Done { fence, result } => self.done(fence, result),
            Message::Turn { ticket } => self.borrow(ticket),
            Message::Lend { from, ticket, borrower } => {
                let customer = Customer::Borrower { ticket, borrower };
                self.urgent.push_back(Pending { operation: Operation::Lend { from }, customer });
            }
            Message::Lent { ticket, result } => self.lent(ticket, result),
            Message::Return { fence } => {
                self.running.remove(&fence);
                self.tell_pool(Change::Passed(fence));
            }
            Message::Stop => {}
        }
    }

    fn submit(&mut self, submission: Arc<dyn Submission>) {
        if let Some(cause) = submission.refusal() {
            submission.ended(Err(cause));
            return;
        }
        let Some(work) = submission.work().cloned() else {
            submission.started();
            submission.ended(Ok(()));
            return;
        };
        let customer = Customer::Submission(submission);
        if DeviceCopy::of(&work).is_some() {
            self.next += 1;
            let ticket = self.next;
            self.borrowing.insert(ticket, Borrowing { customer, copy: work });
            lending::ask_turn(ticket, &self.own);
        } else {
            self.accept(Operation::of(&work), customer);
        }
    }

    fn accept(&mut self, operation: Operation, customer: Customer) {
        self.pending.push_back(Pending { operation, customer });
    }

    /// It is our turn to copy from another device: asks that one for its memory.
    fn borrow(&mut self, ticket: u64) {
        let Some(copy) = self.borrowing.get(&ticket).and_then(|borrowing| DeviceCopy::of(&borrowing.copy))
        else {
            lending::end_turn();
            return;
        };
        let message = Message::Lend { from: Arc::clone(&copy.from), ticket, borrower: self.own.clone() };
        if copy.source.send(message).is_err() {
            self.lent(ticket, Err(Failure::ShutDown));
        }
    }

    /// The other device has lent its memory, or cannot.
    fn lent(&mut self, ticket: u64, result: Result<(Vec<Part>, Fence), Failure>) {
        let Some(Borrowing { customer, copy }) = self.borrowing.remove(&ticket) else { return };
        let known = DeviceCopy::of(&copy);
        match (result, known) {
            (Ok((parts, lent)), Some(copy)) => {
                let (to, offset, length) = (Arc::clone(&copy.to), copy.offset, copy.length);
                let operation = Operation::Receive { parts, to, offset, length };
                let (customer, source) = (Box::new(customer), copy.source.clone());
                let customer = Customer::Debtor { customer, source, lent };
                self.urgent.push_back(Pending { operation, customer });
            }
            (result, _) => {
                lending::end_turn();
                end(customer, result.map(drop));
            }
        }
    }

    /// Starts as many commands as there is memory for, in their order.
    fn admit(&mut self) {
        while self.paging.is_none() {
            let urgent = !self.urgent.is_empty();
            let list = if urgent { &mut self.urgent } else { &mut self.pending };
            let Some(pending) = list.pop_front() else { return };
            if let Some(back) = self.reserve(pending) {
                let list = if urgent { &mut self.urgent } else { &mut self.pending };
                list.push_front(back);
                return;
            }
        }
    }

    /// Reserves a command's objects. The command comes back if it has to wait.
    fn reserve(&mut self, pending: Pending) -> Option<Pending> {
        let (mut needs, mut set) = (Vec::new(), Vec::new());
        let most = pending.operation.most_needs();
        let room = self.shared.room(&mut needs, most).and_then(|()| self.shared.room(&mut set, most));
        let room = room.and_then(|()| self.running.try_reserve(1).map_err(|_| Failure::OutOfHostMemory));
        if let Err(failure) = room {
            end(pending.customer, Err(failure));
            return None;
        }
        let home = |token| self.objects.get(&token).and_then(|object| object.home);
        pending.operation.needs(&mut needs, home);
        for need in &needs {
            let Some(object) = self.objects.get(&need.token) else {
                let reason = "a command uses memory of another device".to_owned();
                end(pending.customer, Err(DriverError::BadLaunch { reason }.into()));
                return None;
            };
            set.push(Use { object: object.id, access: need.access });
        }
        let fence = Fence(self.next);
        let plan = match self.pool.reserve(&set, fence) {
            Ok(plan) => plan,
            Err(Shortage::Wait { .. } | Shortage::Locked(_)) if !self.running.is_empty() => {
                return Some(pending);
            }
            Err(shortage) => {
                end(pending.customer, Err(refusal(&shortage)));
                return None;
            }
        };
        self.next += 1;
        match Paging::new(plan, &mut self.objects, &mut self.backing, &self.shared) {
            Ok(paging) => {
                if let Customer::Submission(submission) = innermost(&pending.customer) {
                    submission.started();
                }
                let Pending { operation, customer } = pending;
                let operation = Arc::new(operation);
                self.running
                    .insert(fence, Running { operation, customer, needs, paging: Some(paging), lent: None });
                self.paging = Some(fence);
                self.go_on(fence);
            }
            Err(refused) => {
                let (failure, mut plan) = *refused;
                // Nothing was reserved since, so this undoes all of it.
                let _ = self.pool.roll_back(&mut plan, 0);
                self.pool.passed(fence);
                end(pending.customer, Err(failure));
            }
        }
        None
    }

    /// The next step of a command's paging; after the last one the command itself.
    fn go_on(&mut self, fence: Fence) {
        let Some(running) = self.running.get_mut(&fence) else { return };
        if let Some(Step { engine, run }) = running.paging.as_mut().and_then(Paging::next) {
            self.engines.post(engine, Job { fence, run });
            return;
        }
        running.paging = None;
        self.pages_are_still();
        let Some(running) = self.running.get(&fence) else { return };
        let resolved = match self.resolve(&running.needs) {
            Ok(resolved) => resolved,
            Err(failure) => {
                // What it was to write is as it was.
                self.pool.passed(fence);
                if let Some(running) = self.running.remove(&fence) {
                    end(running.customer, Err(failure));
                }
                return;
            }
        };
        if let Customer::Borrower { ticket, borrower } = &running.customer {
            let parts = resolved.objects.first().map(|(_, parts)| parts.clone()).unwrap_or_default();
            let message = Message::Lent { ticket: *ticket, result: Ok((parts, fence)) };
            if borrower.send(message).is_err() {
                self.running.remove(&fence);
                self.pool.passed(fence);
            } else if let Some(running) = self.running.get_mut(&fence) {
                running.lent = Some(resolved);
            }
            return;
        }
        let operation = Arc::clone(&running.operation);
        let shared = Arc::clone(&self.shared);
        let engine = operation.engine();
        let run = Box::new(move || {
            shared.fault()?;
            let begin = shared.now();
            operation.execute(&resolved)?;
            shared.count(&operation, begin);
            Ok(())
        });
        self.engines.post(engine, Job { fence, run });
    }

    /// Where the bytes of objects are. An object that is gone has none; whoever uses it is told so.
    fn resolve(&self, needs: &[Need]) -> Result<Resolved, Failure> {
        let mut resolved = Resolved::default();
        self.shared.room(&mut resolved.objects, needs.len())?;
        self.shared.room(&mut resolved._backing, needs.len())?;
        for need in needs {
            let Some(object) = self.objects.get(&need.token) else { continue };
            let place = |located: Located| {
                let Located { offset, size, place } = located;
                let (span, home) = match place {
                    Place::Resident(address) => (self.shared.span(address, size)?, false),
                    Place::Saved(Source::Backing) => {
                        (part_of(object.backing.as_ref()?, offset, size).ok()?, false)
                    }
                    Place::Saved(Source::Owner) => (object.home?.part(offset, size).ok()?, true),
                    Place::Undefined => return None,
                };
                Some(Part { offset, span, home })
            };
            let located = match self.pool.locate(object.id) {
                Err(PoolError::HostMemory(_)) => return Err(Failure::OutOfHostMemory),
                other => other.unwrap_or_default(),
            };
            let mut parts = Vec::new();
            self.shared.room(&mut parts, located.len())?;
            parts.extend(located.into_iter().filter_map(place));
            resolved.objects.push((need.token, parts));
            resolved._backing.extend(object.backing.clone());
        }
        Ok(resolved)
    }

    /// Tells the pool now, or when no pages move any more.
    fn tell_pool(&mut self, change: Change) {
        if self.paging.is_some() {
            self.later.push(change);
            return;
        }
        // The pool knows every object that was in the table, until it is told of its end.
        let _ = match change {
            Change::CanClobber(token, can) => match self.objects.get_mut(&token) {
                Some(object) => {
                    if can {
                        // All of it is at home, so no page is needed any more.
                        self.backing.take_back(object);
                    }
                    self.pool.set_can_clobber(object.id, can)
                }
                None => Ok(()),
            },
            Change::Released(id) => self.pool.release(id),
            Change::Passed(fence) => {
                self.pool.passed(fence);
                Ok(())
            }
        };
    }

    /// The pages that had to move have moved, or have been taken back.
    fn pages_are_still(&mut self) {
        self.paging = None;
        for change in std::mem::take(&mut self.later) {
            self.tell_pool(change);
        }
    }

    /// A thread has done what it was given for a command.
    fn done(&mut self, fence: Fence, result: Result<(), Failure>) {
        let Some(running) = self.running.get_mut(&fence) else { return };
        if let Some(paging) = &mut running.paging {
            if result.is_ok() {
                paging.step_done();
                self.go_on(fence);
                return;
            }
            // Nothing is reserved while pages move, so the steps that were not made are undone.
            let executed = paging.executed();
            let Some(Running { customer, paging: Some(paging), .. }) = self.running.remove(&fence) else {
                return;
            };
            let _ = self.pool.roll_back(&mut paging.into_plan(), executed);
            self.pages_are_still();
            self.pool.passed(fence);
            end(customer, result);
            return;
        }
        let Some(Running { customer, needs, .. }) = self.running.remove(&fence) else { return };
        let mut changes = Vec::new();
        for need in needs {
            let Some(object) = self.objects.get_mut(&need.token) else { continue };
            let written = need.access.writes();
            if written && (!need.from_home || result.is_err()) {
                object.clean = false;
            }
            object.clean |= need.to_home && result.is_ok();
            changes.push(Change::CanClobber(need.token, object.clean && object.home.is_some()));
        }
        changes.push(Change::Passed(fence));
        changes.into_iter().for_each(|change| self.tell_pool(change));
        end(customer, result);
    }
}

/// The command itself, of a command that borrowed.
fn innermost(customer: &Customer) -> &Customer {
    match customer {
        Customer::Debtor { customer, .. } => innermost(customer),
        other => other,
    }
}

/// Why a command's memory can never be had.
pub(super) fn refusal(shortage: &Shortage) -> Failure {
    match *shortage {
        Shortage::Wait { needed, available, pinned, .. }
        | Shortage::TooLarge { needed, available, pinned } => {
            DriverError::DeviceMemory { needed, available, pinned }.into()
        }
        Shortage::Object(PoolError::HostMemory(_)) => Failure::OutOfHostMemory,
        ref other => DriverError::Device { reason: other.to_string() }.into(),
    }
}
