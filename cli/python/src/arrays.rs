//! NumPy arrays as memory of kernels: the array's own bytes, no copy.
//!
//! An array fits if its elements lie one after another in the order of its indices, are of the type that the parameter points
//! to, in this machine's byte order and aligned for it, and if it may be written where the kernel writes. The kernel sees the
//! same memory as Python does; whoever runs it keeps the arrays alive until it has ended.

use std::ptr::NonNull;

use numpy::npyffi::{_PyArray_GET_ITEM_DATA, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescrMethods as _, PyUntypedArray, PyUntypedArrayMethods as _};
use oxcl_runtime::{Buffer, HostSpan};
use oxcl_workload::data::element::{Element, Scalar};
use oxcl_workload::host::Refused;
use pyo3::prelude::*;

use crate::raised::{Misfit, Raised};

/// The memory of an array, and what it is.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    address: usize,
    /// Number of bytes.
    pub(crate) bytes: usize,
    writable: bool,
    contiguous: bool,
    native: bool,
    /// What the elements are, where OpenCL has a name for it.
    pub(crate) scalar: Option<Scalar>,
    /// NumPy's name of it.
    dtype: String,
    /// The last dimension.
    last: usize,
    /// The elements have fields, or are bytes of any kind.
    structured: bool,
}

/// The array that an object is, or that has the memory of an object with the buffer protocol; none where it is neither.
pub(crate) fn of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    let py = object.py();
    // Its C interface is loaded at the first cast, which cannot fail otherwise.
    let numpy = py.import("numpy")?;
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(Some(array.clone()));
    }
    // NumPy's own scalars have the buffer protocol, and are values.
    if object.is_instance(&numpy.getattr("generic")?)? {
        return Ok(None);
    }
    match py.import("builtins")?.call_method1("memoryview", (object,)) {
        Ok(view) => Ok(numpy.call_method1("asarray", (view,))?.cast_into::<PyUntypedArray>().ok()),
        Err(_) => Ok(None),
    }
}

impl Span {
    /// What an array is.
    pub(crate) fn new(array: &Bound<'_, PyUntypedArray>) -> PyResult<Self> {
        let dtype = array.dtype();
        // SAFETY: the array is alive, and this thread is attached to the interpreter.
        let fields = unsafe { _PyArray_GET_ITEM_DATA(array.as_array_ptr()) };
        // SAFETY: the fields are valid as long as the array is alive, and nothing changes them while this thread is attached.
        let fields = unsafe { &*fields };
        let (address, flags) = (fields.data as usize, fields.flags);
        let (kind, size) = (dtype.kind(), dtype.itemsize());
        Ok(Self {
            address,
            bytes: array.len() * size,
            writable: flags & NPY_ARRAY_WRITEABLE != 0,
            contiguous: array.is_c_contiguous(),
            native: dtype.is_native_byteorder().unwrap_or(true),
            scalar: scalar(kind, size),
            dtype: dtype.str()?.to_string(),
            last: array.shape().last().copied().unwrap_or(1),
            structured: kind == b'V' || kind == b'S',
        })
    }

    /// Writes the array's bytes; none if there are not as many.
    ///
    /// # Safety
    /// The array is alive and writable, and nobody else uses it meanwhile.
    pub(crate) unsafe fn fill(&mut self, bytes: &[u8]) -> Option<()> {
        if bytes.len() != self.bytes {
            return None;
        }
        // SAFETY: the array has as many bytes, by the check above and the caller's promise; they do not overlap others'.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address as *mut u8, bytes.len()) };
        Some(())
    }

    /// Whether the array can be the memory behind `name`, which points to elements of type `want` where that is known.
    pub(crate) fn check(&self, name: &str, want: Option<Element>, writes: bool) -> Result<(), Raised> {
        let dtype = &self.dtype;
        if let Some(want) = want
            && self.scalar != Some(want.scalar)
        {
            let fits = numpy_name(want.scalar);
            return Err(Raised::argument(
                Misfit::Type,
                &format!("{name} takes elements of type {want}, and the array's dtype is {dtype}"),
                Some(&format!("an array of dtype {fits} fits: x.astype(numpy.{fits})")),
            ));
        }
        if want.is_none() && self.scalar.is_none() && !self.structured {
            return Err(Raised::argument(
                Misfit::Type,
                &format!("{name}: OpenCL has no type like dtype {dtype}"),
                None,
            ));
        }
        if !self.native {
            let help = "x.astype(x.dtype.newbyteorder('='))";
            return Err(Raised::argument(
                Misfit::Type,
                &format!("{name}: dtype {dtype} has another byte order than this machine"),
                Some(help),
            ));
        }
        if !self.contiguous {
            return Err(Raised::argument(
                Misfit::Gaps,
                &format!("{name}: the array's elements do not lie one after another in memory (C order)"),
                Some("give numpy.ascontiguousarray(x), and copy the result back where the kernel writes"),
            ));
        }
        if writes && !self.writable {
            return Err(Raised::argument(
                Misfit::ReadOnly,
                &format!("{name}: the kernel may write there, and the array is read-only"),
                Some("give a copy, or declare the parameter const in the kernel"),
            ));
        }
        if self.bytes == 0 {
            return Err(Raised::argument(Misfit::Size, &format!("{name}: the array is empty"), None));
        }
        let Some(want) = want else { return Ok(()) };
        let padded = want.lanes == 3 && self.last != 4;
        if padded || !self.bytes.is_multiple_of(want.size()) {
            let bytes = self.bytes;
            return Err(Raised::argument(
                Misfit::Size,
                &format!("{name}: the array's {bytes} bytes are no whole number of {want} elements"),
                padded.then_some("vectors of three take the room of four: the last dimension is 4"),
            ));
        }
        if !self.address.is_multiple_of(want.size()) {
            return Err(Raised::argument(
                Misfit::Alignment,
                &format!(
                    "{name}: {want} begins at multiples of {} bytes, and the array does not",
                    want.size()
                ),
                Some("oxcl.empty(shape, dtype) gives an array that is aligned for all types"),
            ));
        }
        Ok(())
    }
}

/// Buffers over the memory of arrays. Arrays that overlap share one memory, as they do in Python.
///
/// # Safety
/// The arrays live until the last clone of the buffers is gone and the last command that uses them has ended, and those that
/// commands write are writable.
pub(crate) unsafe fn buffers(spans: &[Span]) -> Result<Vec<Buffer>, Raised> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_unstable_by_key(|index| spans[*index].address);
    let mut made: Vec<Option<Buffer>> = vec![None; spans.len()];
    let mut at = 0;
    while at < order.len() {
        let begin = spans[order[at]].address;
        let mut end = begin;
        let mut next = at;
        while next < order.len() && (next == at || spans[order[next]].address < end) {
            end = end.max(spans[order[next]].address + spans[order[next]].bytes);
            next += 1;
        }
        let address = NonNull::new(begin as *mut u8).unwrap_or(NonNull::dangling());
        // SAFETY: the caller's promise; arrays that overlap are parts of one allocation, and so is what they cover together.
        let span = unsafe { HostSpan::new(address, (end - begin) as u64) };
        // SAFETY: as above.
        let whole = unsafe { Buffer::over(span) }.map_err(Refused::from)?;
        for index in &order[at..next] {
            let span = &spans[*index];
            let part = whole.part((span.address - begin) as u64, span.bytes as u64);
            made[*index] = Some(part.map_err(Refused::from)?);
        }
        at = next;
    }
    Ok(made.into_iter().flatten().collect())
}

/// The scalar type of a NumPy kind; a complex number is two.
fn scalar(kind: u8, size: usize) -> Option<Scalar> {
    Some(match (kind, size) {
        (b'i', 1) => Scalar::Char,
        (b'u' | b'b', 1) => Scalar::UChar,
        (b'i', 2) => Scalar::Short,
        (b'u', 2) => Scalar::UShort,
        (b'i', 4) => Scalar::Int,
        (b'u', 4) => Scalar::UInt,
        (b'i', 8) => Scalar::Long,
        (b'u', 8) => Scalar::ULong,
        (b'f', 2) => Scalar::Half,
        (b'f', 4) | (b'c', 8) => Scalar::Float,
        (b'f', 8) | (b'c', 16) => Scalar::Double,
        _ => return None,
    })
}

/// NumPy's name of a scalar type.
pub(crate) fn numpy_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Char => "int8",
        Scalar::UChar => "uint8",
        Scalar::Short => "int16",
        Scalar::UShort => "uint16",
        Scalar::Int => "int32",
        Scalar::UInt => "uint32",
        Scalar::Long => "int64",
        Scalar::ULong => "uint64",
        Scalar::Half => "float16",
        Scalar::Float => "float32",
        Scalar::Double => "float64",
    }
}
