//! Exact values of the mathematical functions: `reference.c`, made by the C compiler.

use std::path::Path;

use libloading::Library;
use tempfile::TempDir;

use super::run;

/// Arguments of a reference function: x, y, z, n; the result's two parts; how many.
type Entry = unsafe extern "C" fn(*const f64, *const f64, *const f64, *const i32, *mut f64, *mut f64, u64);

/// The reference functions.
pub(crate) struct References {
    library: Library,
    _folder: TempDir,
}

/// Inputs of a function; it reads those that it has parameters for.
#[derive(Debug, Default, Clone)]
pub(crate) struct Inputs {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) n: Vec<i32>,
}

impl References {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let object = folder.path().join("reference.so").display().to_string();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/reference.c");
        run(Path::new("gcc"), &["-O1", "-shared", "-fPIC", "-o", &object, source, "-lquadmath", "-lm"]);
        // SAFETY: the object was made a moment ago from functions without initialisers.
        let library = unsafe { Library::new(&object) }.unwrap();
        Self { library, _folder: folder }
    }

    /// The exact values, each as a sum of two.
    pub(crate) fn values(&self, name: &str, inputs: &Inputs) -> (Vec<f64>, Vec<f64>) {
        let count = inputs.x.len();
        assert!(inputs.y.len() == count && inputs.z.len() == count && inputs.n.len() == count);
        let (mut high, mut low) = (vec![0.0; count], vec![0.0; count]);
        // SAFETY: every function of the file with this prefix has this type.
        let entry = unsafe { self.library.get::<Entry>(format!("ref_{name}").as_bytes()) }.unwrap();
        let [x, y, z] = [&inputs.x, &inputs.y, &inputs.z].map(|values| values.as_ptr());
        // SAFETY: all arrays hold `count` elements.
        unsafe { entry(x, y, z, inputs.n.as_ptr(), high.as_mut_ptr(), low.as_mut_ptr(), count as u64) };
        (high, low)
    }
}
