//! Calls of functions that have vector forms: one call for several lanes.
//!
//! In: a call of a declared function of numbers that names its vector forms as LLVM's vectoriser reads them
//! (`_ZGV_LLVM_N8v_exp(exp8)`). Out: as many calls of the longest form that fits as the lanes take, operands cut into
//! pieces and results joined. Lanes that are off are computed too: such a function does nothing else.

use super::items::RegionEmitter;
use super::lanes::{Lanes, join, widen};
use oxcl_ir::{Builder, Function, Place, Value};

/// The attribute that names the vector forms of a function.
const FORMS: &str = "vector-function-abi-variant";

/// A vector form of a called function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WideForm {
    /// The lanes of one call.
    pub(crate) lanes: u32,
}

impl WideForm {
    /// The longest form for a call that `width` lanes can use.
    pub(crate) fn of(call: Value<'_>, width: u32) -> Option<Self> {
        Self::all(call, width).into_iter().max_by_key(|form| form.lanes)
    }

    /// The forms for a call that `width` lanes can use.
    pub(crate) fn all(call: Value<'_>, width: u32) -> Vec<Self> {
        let scalars =
            call.ty().is_scalar() && call.arguments().iter().all(|argument| argument.ty().is_scalar());
        let forms = call.callee().filter(|_| scalars).map(forms).unwrap_or_default();
        let lanes = forms.into_iter().map(|(lanes, _)| lanes);
        let fits = |&lanes: &u32| lanes > 1 && lanes <= width && width.is_multiple_of(lanes);
        lanes.filter(fits).map(|lanes| WideForm { lanes }).collect()
    }
}

/// Whether a function has vector forms: it computes from its arguments and does nothing else.
pub(crate) fn has_wide_forms(function: Function<'_>) -> bool {
    function.is_declaration() && !forms(function).is_empty()
}

/// The forms of a function: how many lanes, and the symbol.
fn forms(function: Function<'_>) -> Vec<(u32, String)> {
    let Some(text) = function.string_attribute(FORMS) else { return Vec::new() };
    let form = |entry: &str| {
        let rest = entry.trim().strip_prefix("_ZGV_LLVM_N")?;
        let (lanes, rest) = rest.split_once('v')?;
        let (_, symbol) = rest.strip_suffix(')')?.split_once('(')?;
        Some((lanes.parse().ok()?, symbol.to_owned()))
    };
    text.split(',').filter_map(form).collect()
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// The calls of a vector form for all lanes.
    pub(super) fn wide_call(
        &self,
        b: &Builder<'c>,
        call: Value<'c>,
        inputs: &[Lanes<'c>],
        form: WideForm,
    ) -> Option<Lanes<'c>> {
        let callee = call.callee()?;
        let (_, symbol) = forms(callee).into_iter().find(|(lanes, _)| *lanes == form.lanes)?;
        let module = self.frame.kernel.module;
        let function = Function::find(module, &symbol).unwrap_or_else(|| {
            let parameters: Vec<_> =
                call.arguments().iter().map(|argument| argument.ty().vector(form.lanes)).collect();
            let result = call.ty().vector(form.lanes);
            let made = Function::add(module, &symbol, call.types().function(result, &parameters));
            mark(made);
            made
        });
        let wide: Vec<Value<'c>> = inputs.iter().map(|lanes| widen(b, lanes, self.width())[0]).collect();
        let pieces = self.width() / form.lanes;
        let results: Vec<Value<'c>> = (0..pieces)
            .map(|piece| {
                let arguments: Vec<Value<'c>> =
                    wide.iter().map(|&whole| cut(b, whole, piece, form.lanes, pieces)).collect();
                b.call(function, &arguments, &call.name())
            })
            .collect();
        Some(Lanes::Each(vec![join(b, &results, form.lanes)]))
    }
}

/// What is known of the library's machine code: it computes and does nothing else, and is linked to this code alone.
fn mark(function: Function<'_>) {
    for name in ["nounwind", "willreturn", "nofree", "nosync"] {
        function.add_attribute(Place::Function, name);
    }
    // Its value, 0, is what LLVM writes as `none`.
    function.add_attribute_value(Place::Function, "memory", 0);
    function.set_hidden();
}

/// One piece of a vector.
fn cut<'c>(b: &Builder<'c>, whole: Value<'c>, piece: u32, lanes: u32, pieces: u32) -> Value<'c> {
    if pieces == 1 {
        return whole;
    }
    let first = (piece * lanes).cast_signed();
    let order: Vec<i32> = (first..first + lanes.cast_signed()).collect();
    b.shuffle(whole, whole.ty().poison(), &order, "")
}
