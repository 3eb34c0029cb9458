//! Sub-devices: parts of a device with fewer compute units. Commands of a queue on one run on at most that many threads
//! at the same time, each command for itself.

use crate::args::{In, Out};
use crate::cl;
use crate::device::Device;
use crate::handle::{Handle, Live};
use crate::status::{Answer, ensure, refuse};
use crate::types::{Bitfield, Uint};

/// Properties at most: a list of counts has one for each compute unit.
const LONGEST: usize = 4096;

/// The ways in which the device can be cut: none where it has one compute unit.
pub(crate) fn properties(device: &Live<Device>) -> Vec<isize> {
    if device.units > 1 {
        vec![cl::DEVICE_PARTITION_EQUALLY, cl::DEVICE_PARTITION_BY_COUNTS]
    } else {
        // An empty list is written as one 0 (table 5).
        vec![0]
    }
}

/// Domains that the device can be cut along. Threads move between CPUs as the system likes, so there is none.
pub(crate) fn affinity_domains(_device: &Live<Device>) -> Bitfield {
    0
}

/// `clCreateSubDevices`.
pub(crate) fn create(
    device: Handle<Device>,
    properties: In<isize>,
    entries: Uint,
    devices: Out<Handle<Device>>,
    count: Out<Uint>,
) -> Answer {
    let parent = device.shared()?;
    let list = properties.until(LONGEST, 1, |word| *word == 0);
    // CL_INVALID_VALUE if properties is none of the supported ways (4.3).
    let Some((&way, rest)) = list.split_first() else { return refuse(cl::INVALID_VALUE) };
    ensure(self::properties(&parent).contains(&way), cl::INVALID_VALUE)?;
    let sizes = match way {
        cl::DEVICE_PARTITION_EQUALLY => equally(parent.units, rest)?,
        _ => by_counts(parent.units, rest)?,
    };
    // CL_INVALID_VALUE if out_devices is not NULL and num_devices is less than what would be made (4.3).
    ensure(devices.is_null() || entries as usize >= sizes.len(), cl::INVALID_VALUE)?;
    ensure(!devices.is_null() || !count.is_null(), cl::INVALID_VALUE)?;
    let mut kept = list;
    if way == cl::DEVICE_PARTITION_BY_COUNTS {
        kept.push(cl::DEVICE_PARTITION_BY_COUNTS_LIST_END);
    }
    kept.push(0);
    if !devices.is_null() {
        let mut made = Vec::new();
        for &units in &sizes {
            let (index, info, partition) = (parent.index, parent.info.clone(), kept.clone());
            made.push(Live::new(Device { parent: Some(parent.clone()), index, info, units, partition })?);
        }
        for (index, device) in made.into_iter().enumerate() {
            devices.set_at(index, device.give());
        }
    }
    count.set(sizes.len() as Uint);
    Ok(())
}

/// As many parts of `units[0]` compute units as there can be.
fn equally(all: usize, units: &[isize]) -> Answer<Vec<usize>> {
    let each = units.first().and_then(|units| usize::try_from(*units).ok()).unwrap_or(0);
    // CL_INVALID_VALUE for a number that is none (4.3).
    ensure(each > 0, cl::INVALID_VALUE)?;
    // CL_INVALID_DEVICE_PARTITION_COUNT if a part is more than the device has (4.3).
    ensure(each <= all, cl::INVALID_DEVICE_PARTITION_COUNT)?;
    // CL_DEVICE_PARTITION_FAILED if the device cannot be cut so: a part is less than the whole (4.3).
    ensure(each < all, cl::DEVICE_PARTITION_FAILED)?;
    Ok(vec![each; all / each])
}

/// A part for each count.
fn by_counts(all: usize, counts: &[isize]) -> Answer<Vec<usize>> {
    let mut sizes = Vec::new();
    for count in counts {
        // CL_INVALID_DEVICE_PARTITION_COUNT if a count is not positive (4.3).
        let Some(count) = usize::try_from(*count).ok().filter(|count| *count > 0) else {
            return refuse(cl::INVALID_DEVICE_PARTITION_COUNT);
        };
        sizes.push(count);
    }
    // CL_INVALID_DEVICE_PARTITION_COUNT if there are more parts than there can be, or their sum is more than the
    // device has (4.3).
    let sum = sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(*size));
    ensure(!sizes.is_empty() && sizes.len() <= all && sum <= all, cl::INVALID_DEVICE_PARTITION_COUNT)?;
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::{by_counts, equally};
    use crate::cl;
    use crate::status::Status;

    #[test]
    fn parts_do_not_exceed_the_whole() {
        assert_eq!(equally(7, &[2]), Ok(vec![2, 2, 2]));
        assert_eq!(equally(2, &[3]), Err(Status(cl::INVALID_DEVICE_PARTITION_COUNT)));
        assert_eq!(equally(2, &[2]), Err(Status(cl::DEVICE_PARTITION_FAILED)));
        assert_eq!(equally(2, &[0]), Err(Status(cl::INVALID_VALUE)));
        assert_eq!(by_counts(4, &[1, 3]), Ok(vec![1, 3]));
        for wrong in [&[][..], &[5], &[2, 3], &[-1], &[1, 1, 1, 1, 1]] {
            assert_eq!(by_counts(4, wrong), Err(Status(cl::INVALID_DEVICE_PARTITION_COUNT)), "{wrong:?}");
        }
    }
}
