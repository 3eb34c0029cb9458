//! Devices of drivers that the runtime does not know: kernels run on them through the driver interface alone, with memory
//! of the host's and with memory of their own.

#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};

use oxcl_driver::capability::{AddressSpace, Execution};
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest, Program as DriverProgram};
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, Failure, HostSpan, Lane, Launch,
    NullDriver, Submission, command, conformance, lock,
};
use oxcl_runtime::{Buffer, Context, ContextOptions, LaunchError, NdRange, Program, QueueProperties};
use support::step_archive;

fn context() -> Context {
    Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap()
}

fn numbers(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

/// The memory of a far device: blocks of bytes by their addresses.
type Memory = Arc<Mutex<BTreeMap<u64, Vec<u8>>>>;

/// A device across an imagined bus: nobody but its thread and its operations sees its memory, and the thread knows one
/// kernel, `step`, by heart.
#[derive(Debug)]
struct Far {
    capabilities: Capabilities,
    memory: Memory,
    commands: Mutex<mpsc::Sender<Arc<dyn Submission>>>,
}

#[derive(Debug)]
struct FarProgram;

struct Step {
    memory: Memory,
    data: ArgMemory,
    range: std::ops::Range<u64>,
}

impl Far {
    fn new() -> Self {
        let (sender, receiver) = mpsc::channel::<Arc<dyn Submission>>();
        std::thread::spawn(move || {
            for submission in receiver {
                command::execute(submission.as_ref(), Lane { index: 0 });
            }
        });
        let capabilities = Capabilities {
            address_space: AddressSpace(1 << 40),
            execution: Execution::Device,
            ..Capabilities::host("far device")
        };
        Self { capabilities, memory: Memory::default(), commands: Mutex::new(sender) }
    }

    fn part(offset: u64, length: u64) -> std::ops::Range<usize> {
        offset as usize..(offset + length) as usize
    }
}

fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: the bytes are borrowed by whoever uses the span at once.
    unsafe { HostSpan::new(std::ptr::NonNull::from(bytes).cast(), length) }
}

impl DriverProgram for FarProgram {
    fn kernels(&self) -> Vec<String> {
        vec!["step".to_owned()]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Launch for Step {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        let mut memory = lock(&self.memory);
        let block = memory.get_mut(&self.data.allocation.token).expect("it was not freed");
        for item in self.range.clone() {
            let number = &mut block[Far::part(self.data.offset + 4 * item, 4)];
            let old = i32::from_le_bytes(number.try_into().expect("four bytes"));
            number.copy_from_slice(&(3 * old + 1).to_le_bytes());
        }
        Ok(())
    }

    fn label(&self) -> &str {
        "step"
    }
}

impl Driver for Far {
    fn name(&self) -> &str {
        "far"
    }

    fn probe(&self) -> Result<u32, DriverError> {
        Ok(1)
    }

    fn init(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
        let available = self.capabilities.max_allocation;
        if request.size > available {
            return Err(DriverError::OutOfMemory { needed: request.size, available });
        }
        let mut memory = lock(&self.memory);
        let end = memory.last_key_value().map_or(128, |(at, block)| at + block.len() as u64);
        let address = end.next_multiple_of(128);
        memory.insert(address, vec![0; request.size as usize]);
        Ok(Allocation { size: request.size, address, host: None, token: address })
    }

    fn free(&self, allocation: Allocation) {
        lock(&self.memory).remove(&allocation.token);
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        lock(&self.commands).send(submission).expect("the thread is there");
        Ok(())
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn DriverProgram>, DriverError> {
        match binary.position("step") {
            Some(0) => Ok(Arc::new(FarProgram)),
            _ => Err(DriverError::BadBinary { reason: "it has more than a step".to_owned() }),
        }
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        let [ArgValue::Buffer(data)] = request.args else {
            return Err(DriverError::BadLaunch { reason: "a step has one buffer".to_owned() });
        };
        let (memory, data) = (Arc::clone(&self.memory), data.clone());
        Ok(Arc::new(Step { memory, data, range: 0..request.geometry.global[0] }))
    }

    fn read(&self, from: &Allocation, offset: u64, to: HostSpan) -> Result<(), DriverError> {
        if let Some(host) = from.host {
            to.copy_from(host.part(offset, to.length())?);
            return Ok(());
        }
        from.check(offset, to.length())?;
        let mut bytes = lock(&self.memory)[&from.token][Far::part(offset, to.length())].to_vec();
        to.copy_from(span(&mut bytes));
        Ok(())
    }

    fn write(&self, to: &Allocation, offset: u64, from: HostSpan) -> Result<(), DriverError> {
        if let Some(host) = to.host {
            host.part(offset, from.length())?.copy_from(from);
            return Ok(());
        }
        to.check(offset, from.length())?;
        let mut memory = lock(&self.memory);
        let block = memory.get_mut(&to.token).expect("it was not freed");
        span(&mut block[Far::part(offset, from.length())]).copy_from(from);
        Ok(())
    }
}

#[test]
fn the_far_device_conforms() {
    let driver: Arc<dyn Driver> = Arc::new(Far::new());
    let report = conformance::run(&driver);
    assert!(report.passed(), "{report}");
}

#[test]
fn a_kernel_runs_on_a_driver_that_only_its_program_knows() {
    let context = context();
    let device = context.open(Arc::new(Far::new())).unwrap();
    assert_eq!((device.info().name.as_str(), device.info().own_memory), ("far", true));
    let kernel = Program::from_archive(&step_archive()).unwrap().kernel("step").unwrap();
    let range = NdRange::new(&[64]).unwrap();
    let data = Buffer::from_bytes(&numbers(0..64)).unwrap();
    // Twice there, once on the host's processor, once more there: content goes where it is used.
    device.launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
    let host = context.device("cpu").unwrap();
    let queues = [&device, &host].map(|device| context.queue(device, QueueProperties::default()).unwrap());
    let [far, near] = &queues;
    let first = far.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &[]).unwrap();
    let second = near.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &[first]).unwrap();
    let third = far.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &[second]).unwrap();
    third.wait().unwrap();
    assert_eq!(data.to_vec(), numbers((0..64).map(|number| (0..4).fold(number, |n, _| 3 * n + 1))));
}

#[test]
fn what_only_the_driver_can_refuse_is_an_error_of_the_launch() {
    let context = context();
    let device = context.open(Arc::new(Far::new())).unwrap();
    let kernel = Program::from_archive(&step_archive()).unwrap().kernel("step").unwrap();
    let range = NdRange::new(&[64]).unwrap();
    let own = [0_u8; 256];
    let address = ArgValue::Pointer(own.as_ptr() as u64);
    let error = device.launch(&kernel, &range, &[address]).unwrap_err();
    assert!(matches!(&error, LaunchError::NotShared { device, .. } if device == "far"), "{error}");
    let error = device.launch(&kernel, &range, &[ArgValue::Null]).unwrap_err();
    assert!(error.to_string().contains("a step has one buffer"), "{error}");
}

#[test]
fn the_null_device_takes_every_launch_and_computes_nothing() {
    let device = context().open(Arc::new(NullDriver::new())).unwrap();
    let kernel = Program::from_archive(&step_archive()).unwrap().kernel("step").unwrap();
    let range = NdRange::new(&[64]).unwrap().with_local(&[8]).unwrap();
    let data = Buffer::from_bytes(&numbers(0..64)).unwrap();
    let report = device.launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
    assert_eq!((report.groups, report.width), ([8, 1, 1], 1));
    assert_eq!(data.to_vec(), numbers(0..64));
}

#[test]
fn a_driver_without_a_device_is_refused() {
    #[derive(Debug)]
    struct Absent(NullDriver);
    impl Driver for Absent {
        fn name(&self) -> &str {
            "absent"
        }
        fn probe(&self) -> Result<u32, DriverError> {
            Ok(0)
        }
        fn init(&self) -> Result<(), DriverError> {
            Ok(())
        }
        fn capabilities(&self) -> &Capabilities {
            self.0.capabilities()
        }
        fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
            self.0.allocate(request)
        }
        fn free(&self, allocation: Allocation) {
            self.0.free(allocation);
        }
    }
    let error = context().open(Arc::new(Absent(NullDriver::new()))).unwrap_err();
    assert_eq!(error.to_string(), "driver 'absent' has no device here: it finds none");
}
