//! Lists that are asked for room before anything changes, so that a host without memory is an error and not the end of the
//! process. Whoever plans takes the room first; what is done afterwards cannot fail.

/// The host has no memory for a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host has no memory for the lists that say where things lie")]
pub struct NoMemory;

/// Room for `more` members beyond those that a list has.
pub(crate) fn room<T>(list: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    list.try_reserve(more).map_err(|_| NoMemory)
}

/// Adds a member.
pub(crate) fn push<T>(list: &mut Vec<T>, member: T) -> Result<(), NoMemory> {
    room(list, 1)?;
    list.push(member);
    Ok(())
}

/// A list of what an iterator gives.
pub(crate) fn collect<T>(members: impl IntoIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let members = members.into_iter();
    let mut list = Vec::new();
    room(&mut list, members.size_hint().0)?;
    for member in members {
        push(&mut list, member)?;
    }
    Ok(list)
}
