//! What an ADF may not hold is refused with the line, the column and the name of the thing.

use oxcl_tta::adf::{read, write};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::validate::validate;

/// The text of a good machine in which `old` is replaced by `new` once.
fn spoiled(old: &str, new: &str) -> String {
    let text = write(&compose(&stock::plans()[2].1));
    assert!(text.contains(old), "the machine holds no '{old}'");
    text.replacen(old, new, 1)
}

fn error(text: &str) -> String {
    match read(text) {
        Ok(_) => panic!("the file should be refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unsupported_features_are_named() {
    let flag = spoiled("<little-endian/>", "<fu-ordered/>");
    assert_eq!(error(&flag), "line 3, column 3: the flag '<fu-ordered>' is not supported");
    let bridge = spoiled("<little-endian/>", "<bridge name=\"br\"/>");
    assert!(error(&bridge).starts_with("line 3, column 3: bridge 'br' is not supported"));
    let guard = spoiled("<always-true/>", "<and-expr/>");
    assert_eq!(error(&guard), "line 7, column 7: the guard '<and-expr>' is not supported");
    let wide = spoiled("<width>32</width>", "<width>128</width>");
    assert_eq!(
        error(&wide),
        "line 5, column 5: a width of 128 bits is not supported: values have at most 64"
    );
}

#[test]
fn names_that_nothing_has_are_refused() {
    let bus = spoiled("<bus>B1</bus>", "<bus>B9</bus>");
    assert!(error(&bus).ends_with("there is no bus named 'B9'"), "{}", error(&bus));
    let socket = spoiled("<connects-to>alu_t</connects-to>", "<connects-to>nowhere</connects-to>");
    assert!(error(&socket).ends_with("there is no socket named 'nowhere'"));
    let space = spoiled("<address-space>data</address-space>", "<address-space>dtaa</address-space>");
    assert!(error(&space).ends_with("there is no address space named 'dtaa'"));
    let guard = spoiled("<index>3</index>", "<index>4</index>");
    assert!(error(&guard).ends_with("register file 'pred' has no register 4"));
}

#[test]
fn malformed_text_is_refused() {
    assert_eq!(error(""), "line 1, column 1: not well-formed XML: the file holds no element");
    assert_eq!(error("<machine/>"), "line 1, column 1: the root element is '<machine>', not '<adf>'");
    assert!(error("<adf><bus></adf>").contains("not well-formed XML"));
    assert!(error("<adf>").contains("'<adf>' is never closed"));
    assert!(error(&"<adf>".repeat(100)).contains("nested too deeply"));
    assert!(error("<adf><surprise/></adf>").ends_with("'<surprise>' is not known inside '<adf>'"));
    assert_eq!(error("<adf/>"), "line 1, column 1: '<adf>' lacks '<global-control-unit>'");
}

#[test]
fn every_truncation_is_an_error_and_none_a_panic() {
    let text = write(&compose(&stock::plans()[0].1));
    for end in (0..text.len() - 8).step_by(97) {
        assert!(read(&text[..end]).is_err());
    }
}

#[test]
fn findings_speak_to_the_designer() {
    let text = spoiled("<address-space>data</address-space>", "<address-space/>");
    let machine = read(&text).expect("it loads").machine;
    let first = &validate(&machine)[0];
    assert_eq!(first.subject, "unit 'lsu', operation 'ld8'");
    assert_eq!(first.message, "the unit has no address space");
    assert_eq!(first.help.as_deref(), Some("name one in <address-space>"));
    let text = spoiled("<triggers/>", "");
    let machine = read(&text).expect("it loads").machine;
    assert!(validate(&machine).iter().any(|f| f.message.contains("0 of its ports trigger operations")));
}
