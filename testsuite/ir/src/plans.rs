//! Plans as text: what is printed of a kernel's plan, and what becomes of the kernel when that text, or an edited one, is
//! given back.
//!
//! In: the path of a file test on IR. Out: texts of plans. Steps of the file that come before a plan are done first.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use oxcl_ir::{Context, module as ir_module, read_module};
use oxcl_workgroup::analysis::{Step, plan_text, run_step};
use oxcl_workgroup::{FormError, PlanText, Width};

use crate::directive::parse;

/// The plan of the kernel in a file, for a W, or as `plan` says; none where the file is about other steps than those before
/// a plan, or lanes cannot run its kernel.
///
/// # Errors
/// The plan cannot be understood or followed.
///
/// # Panics
/// The file is no file test, or the kernel has no plan because of anything else.
pub fn of_file(path: &Path, width: u32, plan: Option<&str>) -> Result<Option<String>, String> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).expect("the file is there");
    let test = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    if test.fails_with.is_some() || test.steps.iter().any(|step| matches!(step, Step::Emit | Step::Launch)) {
        return Ok(None);
    }
    let context = Context::create();
    let module = read_module(&context, text.as_bytes(), &name).expect("the file is IR");
    ir_module::set_target(&module, crate::TRIPLE, crate::LAYOUT);
    let function = crate::kernel(&module, &test).unwrap_or_else(|error| panic!("{name}: {error}"));
    // What comes before a plan makes loops of one entry.
    if function.is_irreducible() {
        return Ok(None);
    }
    let kernel = function.name();
    let mut options = crate::options(&test);
    options.width = Width::Fixed(width);
    if let Some(plan) = plan {
        let read = PlanText::read(plan).map_err(|error| error.to_string())?;
        let own = read.of(&kernel).ok_or_else(|| format!("there is no plan for '{kernel}'"))?;
        options.plan = Some(Arc::new(own.clone()));
    }
    for &step in &test.steps {
        run_step(&module, &kernel, &options, step).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    match plan_text(&module, &kernel, &options) {
        Ok(text) => Ok(Some(text)),
        Err(FormError::CannotVectorise { .. }) if plan.is_none() => Ok(None),
        Err(error @ FormError::Plan { .. }) => Err(error.to_string()),
        Err(error) => panic!("{name}: {error}"),
    }
}
