//! Sub-devices: parts of a device with fewer compute units. Launches of a queue on one run on at most that many threads
//! at the same time, each launch for itself. Parts along affinity domains have CPUs, and threads keep to them while they
//! execute for such a part.

use std::path::Path;

use crate::args::{In, Out};
use crate::cl;
use crate::device::Device;
use crate::handle::{Handle, Live};
use crate::status::{Answer, Status, ensure, refuse};
use crate::topology;
use crate::types::{Bitfield, Uint};

/// Properties at most: a list of counts has one for each compute unit.
const LONGEST: usize = 4096;

/// The ways in which the device can be cut: none where it has one compute unit.
pub(crate) fn properties(device: &Live<Device>) -> Vec<isize> {
    if device.units > 1 {
        let mut ways = vec![cl::DEVICE_PARTITION_EQUALLY, cl::DEVICE_PARTITION_BY_COUNTS];
        if affinity_domains(device) != 0 {
            ways.push(cl::DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        }
        ways
    } else {
        // An empty list is written as one 0 (table 5).
        vec![0]
    }
}

/// The parts along a domain: none where all CPUs are in one, or where compute units are not CPUs.
fn parts(device: &Live<Device>, domain: Bitfield) -> Vec<Vec<usize>> {
    if device.cpus.len() != device.units {
        return Vec::new();
    }
    let groups = topology::groups(Path::new(topology::ROOT), domain, &device.cpus);
    if groups.len() > 1 { groups } else { Vec::new() }
}

/// Domains that the device can be cut along: those of which it has several.
pub(crate) fn affinity_domains(device: &Live<Device>) -> Bitfield {
    let several = topology::DOMAINS.iter().filter(|domain| !parts(device, **domain).is_empty());
    let all = several.fold(0, |all, domain| all | domain);
    if all == 0 { 0 } else { all | cl::DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE }
}

/// The domain that is asked for, and the parts along it.
fn by_domain(device: &Live<Device>, asked: &[isize]) -> Answer<(Bitfield, Vec<Vec<usize>>)> {
    let wanted = asked.first().and_then(|domain| Bitfield::try_from(*domain).ok()).unwrap_or(0);
    let next = wanted == cl::DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    // CL_INVALID_VALUE for a number that is no domain (4.3).
    ensure(next || topology::DOMAINS.contains(&wanted), cl::INVALID_VALUE)?;
    // The outermost along which the device can be cut, as the specification says of NEXT_PARTITIONABLE.
    let fitting = topology::DOMAINS.iter().filter(|domain| next || **domain == wanted);
    let found = fitting.map(|domain| (*domain, parts(device, *domain))).find(|(_, parts)| !parts.is_empty());
    // CL_DEVICE_PARTITION_FAILED if the device cannot be cut so (4.3).
    found.ok_or(Status(cl::DEVICE_PARTITION_FAILED))
}

/// `clCreateSubDevices`.
pub(crate) fn create(
    device: Handle<Device>,
    properties: In<isize>,
    entries: Uint,
    devices: Out<Handle<Device>>,
    count: Out<Uint>,
) -> Answer {
    let parent = device.get()?;
    let list = properties.until(LONGEST, 1, |word| *word == 0);
    // CL_INVALID_VALUE if properties is none of the supported ways (4.3).
    let Some((&way, rest)) = list.split_first() else { return refuse(cl::INVALID_VALUE) };
    ensure(self::properties(&parent).contains(&way), cl::INVALID_VALUE)?;
    let mut kept = list.clone();
    // Each part's compute units and CPUs; parts that are not cut along a domain run wherever the whole does.
    let anywhere = |units: Vec<usize>| units.into_iter().map(|units| (units, parent.cpus.clone())).collect();
    let sizes: Vec<(usize, Vec<usize>)> = match way {
        cl::DEVICE_PARTITION_EQUALLY => anywhere(equally(parent.units, rest)?),
        cl::DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
            let (domain, parts) = by_domain(&parent, rest)?;
            // What was chosen, where the choice was ours.
            kept = vec![way, isize::try_from(domain).unwrap_or(0)];
            parts.into_iter().map(|cpus| (cpus.len(), cpus)).collect()
        }
        _ => anywhere(by_counts(parent.units, rest)?),
    };
    // CL_INVALID_VALUE if out_devices is not NULL and num_devices is less than what would be made (4.3).
    ensure(devices.is_null() || entries as usize >= sizes.len(), cl::INVALID_VALUE)?;
    ensure(!devices.is_null() || !count.is_null(), cl::INVALID_VALUE)?;
    if way == cl::DEVICE_PARTITION_BY_COUNTS {
        kept.push(cl::DEVICE_PARTITION_BY_COUNTS_LIST_END);
    }
    kept.push(0);
    if !devices.is_null() {
        let mut made = Vec::new();
        for (units, cpus) in sizes.iter().cloned() {
            let (index, info, partition) = (parent.index, parent.info.clone(), kept.clone());
            made.push(Live::begin(Device {
                parent: Some(parent.clone()),
                index,
                info,
                units,
                partition,
                cpus,
            })?);
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
