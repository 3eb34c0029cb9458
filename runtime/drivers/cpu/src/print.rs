//! What a launch prints: from the threads' print buffers to its [`Printer`].
//!
//! In: the records that work-groups have written. Out: their text, and buffers that are empty again.

use std::ffi::CStr;

use oxcl_binary::abi::PrintBlock;
use oxcl_driver::print;
use oxcl_driver::printer::Printer;

/// Takes the records out of a block and leaves it empty. `image` is where the kernel's constants lie.
///
/// # Safety
/// The block's buffer and position are valid, and nobody else uses the block meanwhile. A format that a record
/// points to inside the image is a constant of the kernel's, which ends with a zero.
pub(crate) unsafe fn drain(printer: &Printer, block: *mut PrintBlock, image: (usize, usize)) {
    // SAFETY: by the caller's promise.
    let PrintBlock { buffer, position, capacity, dropped } = unsafe { block.read() };
    // SAFETY: by the caller's promise.
    let used = unsafe { position.read() }.min(capacity);
    if used > 0 {
        // SAFETY: the kernel has written that many bytes from the buffer's start, and they do not exceed its size.
        let records = unsafe { std::slice::from_raw_parts(buffer, used as usize) };
        let text_at = |address: u64| {
            let address = usize::try_from(address).ok()?;
            let inside = (image.0..image.1).contains(&address);
            // SAFETY: by the caller's promise about formats.
            inside.then(|| unsafe { CStr::from_ptr(address as *const std::ffi::c_char) }.to_bytes().into())
        };
        printer.add(&print::text(records, &text_at), 0);
    }
    printer.add(&[], u64::from(dropped));
    // SAFETY: by the caller's promise.
    unsafe { position.write(0) };
    // SAFETY: the field lies inside the block.
    let dropped = unsafe { &raw mut (*block).dropped };
    // SAFETY: by the caller's promise.
    unsafe { dropped.write(0) };
}
