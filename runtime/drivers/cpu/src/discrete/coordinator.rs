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

use oxcl_driver::{Allocation, DriverError, Failure, HostSpan, Submission};
use oxcl_memory::{Fence, ObjectId, Pool, PoolUsage, Shortage, Use};

use super::Shared;
use super::engine::{Engines, Job};
use super::lending::{self, DeviceCopy};
use super::operation::{Addresses, Need, Operation};
use super::paging::{Paging, Step};
use crate::memory::HostMemory;

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
    Lent { ticket: u64, result: Result<(HostSpan, Fence), Failure> },
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
}

/// A copy from another device that waits for its turn, or for the other device.
struct Borrowing {
    customer: Customer,
    copy: Arc<dyn oxcl_driver::Launch>,
}

/// Something that the pool is told.
enum Change {
    CanClobber(ObjectId, bool),
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
struct Resolved {
    spans: Vec<(u64, HostSpan)>,
}

impl Addresses for Resolved {
    fn span(&self, allocation: &Allocation) -> Result<HostSpan, DriverError> {
        if let Some(host) = allocation.host {
            return Ok(host);
        }
        let known = self.spans.iter().find(|(token, _)| *token == allocation.token);
        let gone = || DriverError::Device { reason: "an allocation is not known to the device".to_owned() };
        known.map(|(_, span)| *span).ok_or_else(gone)
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
        Self {
            shared,
            pool,
            engines,
            inbox,
            own,
            objects: HashMap::new(),
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
                let created = self.pool.create(size).map_err(|error| match error {
                    oxcl_memory::PoolError::TooLarge { needed, capacity } => {
                        DriverError::OutOfMemory { needed, available: capacity }
                    }
                    error => DriverError::Device { reason: error.to_string() },
                });
                let result = created.map(|id| {
                    self.objects.insert(token, Object { id, size, home, clean: true, backing: None });
                });
                let _ = reply.send(result);
            }
            Message::Free { token } => {
                if let Some(object) = self.objects.remove(&token) {
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
    fn lent(&mut self, ticket: u64, result: Result<(HostSpan, Fence), Failure>) {
        let Some(Borrowing { customer, copy }) = self.borrowing.remove(&ticket) else { return };
        let known = DeviceCopy::of(&copy);
        match (result, known) {
            (Ok((span, lent)), Some(copy)) => {
                let (to, offset) = (Arc::clone(&copy.to), copy.offset);
                let operation = match span.part(copy.offset, copy.length) {
                    Ok(span) => Operation::Receive { span, to, offset },
                    Err(error) => {
                        let source = copy.source.clone();
                        let customer = Box::new(customer);
                        end(Customer::Debtor { customer, source, lent }, Err(error.into()));
                        return;
                    }
                };
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
        let needs = pending.operation.needs(|token| self.objects.get(&token).and_then(|object| object.home));
        let mut set = Vec::with_capacity(needs.len());
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
                end(pending.customer, Err(refusal(&shortage).into()));
                return None;
            }
        };
        self.next += 1;
        match Paging::new(plan, &mut self.objects, &self.shared) {
            Ok(paging) => {
                if let Customer::Submission(submission) = innermost(&pending.customer) {
                    submission.started();
                }
                let Pending { operation, customer } = pending;
                let operation = Arc::new(operation);
                self.running.insert(fence, Running { operation, customer, needs, paging: Some(paging) });
                self.paging = Some(fence);
                self.go_on(fence);
            }
            Err((error, plan)) => {
                // Nothing was reserved since, so this undoes all of it.
                let _ = self.pool.roll_back(&plan, 0);
                self.pool.passed(fence);
                end(pending.customer, Err(error.into()));
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
        let spans = running.needs.iter().filter_map(|need| {
            let object = self.objects.get(&need.token)?;
            let span = self.shared.span(self.pool.address(object.id)?, object.size)?;
            Some((need.token, span))
        });
        let resolved = Resolved { spans: spans.collect() };
        if let (Customer::Borrower { ticket, borrower }, Some((_, span))) =
            (&running.customer, resolved.spans.first())
        {
            let message = Message::Lent { ticket: *ticket, result: Ok((*span, fence)) };
            if borrower.send(message).is_err() {
                self.running.remove(&fence);
                self.pool.passed(fence);
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

    /// Tells the pool now, or when no pages move any more.
    fn tell_pool(&mut self, change: Change) {
        if self.paging.is_some() {
            self.later.push(change);
            return;
        }
        // The pool knows every object that was in the table, until it is told of its end.
        let _ = match change {
            Change::CanClobber(id, can) => self.pool.set_can_clobber(id, can),
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
            let _ = self.pool.roll_back(&paging.into_plan(), executed);
            self.pages_are_still();
            self.pool.passed(fence);
            end(customer, result);
            return;
        }
        let Some(Running { customer, needs, .. }) = self.running.remove(&fence) else { return };
        let mut changes = Vec::new();
        for need in needs {
            let Some(object) = self.objects.get_mut(&need.token) else { continue };
            let written = need.access != oxcl_memory::Access::Read;
            if written && (!need.from_home || result.is_err()) {
                object.clean = false;
            }
            object.clean |= need.to_home && result.is_ok();
            changes.push(Change::CanClobber(object.id, object.clean && object.home.is_some()));
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
fn refusal(shortage: &Shortage) -> DriverError {
    match *shortage {
        Shortage::Wait { needed, available, pinned, .. }
        | Shortage::TooLarge { needed, available, pinned } => {
            DriverError::DeviceMemory { needed, available, pinned }
        }
        ref other => DriverError::Device { reason: other.to_string() },
    }
}
