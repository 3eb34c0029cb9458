//! The estimate of reciprocal square roots for x86-64 with AVX-512, as LLVM's IR: for machine code made of the library before any
//! compiler of ours is there.
//!
//! In: a line of IR. Out: where it declares the estimate, a definition by the processor's operation. Shared by the build script and the tests.

/// What the symbols of all its forms begin with.
pub(crate) const SYMBOL: &str = "_Z19oxcl_rsqrt_estimate";

/// The estimate of reciprocal square roots that a line declares: of whole registers where the vector is some, else element by
/// element.
pub(crate) fn body(declaration: &str) -> Option<String> {
    let (_, rest) = declaration.strip_prefix("declare ")?.split_once(&format!("@{SYMBOL}"))?;
    let (suffix, rest) = rest.split_once('(')?;
    let (ty, _) = rest.split_once([')', '\"'])?;
    // A vector's own angle brackets end before any attribute.
    let ty = ty.find('>').map_or_else(|| ty.split(' ').next().unwrap_or(ty), |end| &ty[..=end]);
    let element = if suffix.ends_with('f') { "float" } else { "double" };
    let (bits, form) = if element == "float" { (32, "ps") } else { (64, "pd") };
    let lanes: usize = match ty.strip_prefix('<') {
        Some(rest) => rest.split(' ').next()?.parse().ok()?,
        None => 1,
    };
    let head = format!("define internal {ty} @{SYMBOL}{suffix}({ty} %x) alwaysinline {{\n");
    let operation = |register: usize| {
        let (wide, mask) = (format!("<{} x {element}>", register / bits), (register / bits).max(8));
        let name = format!("@llvm.x86.avx512.rsqrt14.{form}.{register}");
        (wide.clone(), move |value: &str| {
            format!("call {wide} {name}({wide} {value}, {wide} zeroinitializer, i{mask} -1)")
        })
    };
    if [128, 256, 512].contains(&(lanes * bits)) && lanes > 1 {
        let (wide, call) = operation(lanes * bits);
        return Some(format!("{head}  %y = {}\n  ret {wide} %y\n}}\n", call("%x")));
    }
    let (wide, call) = operation(128);
    let mut text = head;
    let mut all = "poison".to_owned();
    for lane in 0..lanes {
        let vector = ty.starts_with('<');
        let one = if vector { format!("%x{lane}") } else { "%x".to_owned() };
        if vector {
            text.push_str(&format!("  {one} = extractelement {ty} %x, i32 {lane}\n"));
        }
        text.push_str(&format!("  %in{lane} = insertelement {wide} poison, {element} {one}, i32 0\n"));
        text.push_str(&format!("  %est{lane} = {}\n", call(&format!("%in{lane}"))));
        text.push_str(&format!("  %out{lane} = extractelement {wide} %est{lane}, i32 0\n"));
        if vector {
            text.push_str(&format!(
                "  %all{lane} = insertelement {ty} {all}, {element} %out{lane}, i32 {lane}\n"
            ));
            all = format!("%all{lane}");
        } else {
            all = format!("%out{lane}");
        }
    }
    text.push_str(&format!("  ret {ty} {all}\n}}\n"));
    Some(text)
}

/// Declarations of the operations that the definitions use.
pub(crate) fn operations() -> String {
    let mut out = String::new();
    for (form, element, bits) in [("ps", "float", 32), ("pd", "double", 64)] {
        for register in [128, 256, 512] {
            let wide = format!("<{} x {element}>", register / bits);
            out.push_str(&format!(
                "declare {wide} @llvm.x86.avx512.rsqrt14.{form}.{register}({wide}, {wide}, i{})\n",
                (register / bits).max(8)
            ));
        }
    }
    out
}
