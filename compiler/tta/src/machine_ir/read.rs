//! The text of a module: lines of data, then a YAML document for each function.

use super::{
    Block, Data, Function, Module, Operand, ReadError, Relocation, StackArgument, StackObject, line,
};

/// Reads a module.
///
/// # Errors
/// Anything that the reader does not know, with its line.
pub fn parse(text: &str) -> Result<Module, ReadError> {
    let mut reader = Reader { module: Module::default(), part: Part::Data };
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        reader.take(line, line_number).map_err(|what| ReadError { line: line_number, what })?;
    }
    match reader.part {
        Part::Data | Part::Between => Ok(reader.module),
        _ => Err(ReadError { line: text.lines().count(), what: "a function is not ended".to_owned() }),
    }
}

/// Where in the text a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Data,
    Between,
    /// Facts of a function; which list the next items belong to.
    Facts(List),
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Other,
    Stack,
    Arguments,
    Constants,
}

struct Reader {
    module: Module,
    part: Part,
}

impl Reader {
    fn take(&mut self, line: &str, number: usize) -> Result<(), String> {
        match (self.part, line) {
            (Part::Data | Part::Between, "---") => {
                self.module.functions.push(Function::default());
                self.part = Part::Facts(List::Other);
                Ok(())
            }
            (Part::Data, _) if line.trim().is_empty() => Ok(()),
            (Part::Data, _) => self.data(line),
            (Part::Between, _) if line.trim().is_empty() => Ok(()),
            (Part::Between, _) => Err(format!("'---' was expected, not '{line}'")),
            (_, "...") => {
                self.part = Part::Between;
                Ok(())
            }
            (Part::Facts(list), _) => self.fact(list, line),
            (Part::Body, _) => self.body(line.trim(), number),
        }
    }

    fn data(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["data", name, space, align, size, linkage, bytes] => {
                let value = |word: &str, key: &str| {
                    word.strip_prefix(key)
                        .and_then(|v| v.parse().ok())
                        .ok_or_else(|| format!("'{key}' was expected"))
                };
                let hex = bytes.strip_prefix("bytes=").ok_or("'bytes=' was expected")?;
                self.module.data.push(Data {
                    name: (*name).to_owned(),
                    space: value(space, "space=")?,
                    align: value(align, "align=")?,
                    size: value(size, "size=")?,
                    internal: *linkage == "internal",
                    bytes: from_hex(hex).ok_or("bytes are not in hexadecimal")?,
                    relocations: Vec::new(),
                });
                Ok(())
            }
            ["relocation", offset, symbol, addend] => {
                let data = self.module.data.last_mut().ok_or("a relocation belongs to no data")?;
                data.relocations.push(Relocation {
                    offset: offset.parse().map_err(|_| "an offset is no number")?,
                    symbol: (*symbol).to_owned(),
                    addend: addend.parse().map_err(|_| "an addend is no number")?,
                });
                Ok(())
            }
            _ => Err(format!("unknown line '{line}'")),
        }
    }

    fn fact(&mut self, list: List, line: &str) -> Result<(), String> {
        let function = self.module.functions.last_mut().ok_or("there is no function")?;
        if let Some(item) = line.strip_prefix("  - {") {
            let field = |key: &str| -> Option<&str> {
                let at = item.find(&format!(" {key}: "))? + key.len() + 3;
                let rest = &item[at..];
                Some(rest[..rest.find([',', '}']).unwrap_or(rest.len())].trim())
            };
            let number = |key: &str| field(key).and_then(|v| v.parse::<i32>().ok());
            let id = number("id").and_then(|n| u32::try_from(n).ok());
            match list {
                List::Other => {}
                List::Stack => {
                    if field("type") == Some("variable-sized") {
                        return Err("objects of variable size on the stack are not supported".to_owned());
                    }
                    let positive = |key| number(key).and_then(|n| u32::try_from(n).ok());
                    function.stack.push(StackObject {
                        id: id.ok_or("a stack object has no number")?,
                        // What is empty has no size in the text.
                        size: positive("size").unwrap_or(0),
                        align: positive("alignment").unwrap_or(1),
                    });
                }
                List::Arguments => function.arguments.push(StackArgument {
                    id: id.ok_or("a stack argument has no number")?,
                    offset: number("offset").unwrap_or(0),
                }),
                List::Constants => return Err(format!("unknown constant '{item}'")),
            }
            return Ok(());
        }
        if line.starts_with(' ') {
            return if list == List::Constants { self.constant(line) } else { Ok(()) };
        }
        let (key, value) = line.split_once(':').ok_or_else(|| format!("unknown line '{line}'"))?;
        self.part = Part::Facts(List::Other);
        if value.trim() == "[]" {
            return Ok(());
        }
        match key {
            "name" => function.name = value.trim().trim_matches(['\'', '"']).to_owned(),
            "stack" => self.part = Part::Facts(List::Stack),
            "fixedStack" => self.part = Part::Facts(List::Arguments),
            "jumpTable" => return Err("jump tables are not supported".to_owned()),
            "constants" => self.part = Part::Facts(List::Constants),
            "body" => self.part = Part::Body,
            _ => {}
        }
        Ok(())
    }

    /// A line of a constant, which becomes a variable of its own: its number begins it, then come value and alignment.
    fn constant(&mut self, line: &str) -> Result<(), String> {
        let function = self.module.functions.last().map_or("", |f| f.name.as_str());
        let (key, value) =
            line.trim_start_matches([' ', '-']).split_once(':').ok_or("a constant has no facts")?;
        let value = value.trim();
        let number = || value.parse::<u32>().map_err(|_| format!("'{value}' is no number"));
        if key == "id" {
            let name = constant_name(function, number()?);
            let (bytes, relocations) = (Vec::new(), Vec::new());
            let data = Data { name, space: 0, align: 4, size: 0, internal: true, bytes, relocations };
            self.module.data.push(data);
            return Ok(());
        }
        let data = self.module.data.last_mut().ok_or("a constant has no number")?;
        match key {
            "value" => {
                let text = value.trim_matches('\'');
                data.bytes = constant_bytes(text).ok_or_else(|| format!("unknown constant '{text}'"))?;
                data.size = u32::try_from(data.bytes.len()).map_err(|_| "a constant is too large")?;
            }
            "alignment" => data.align = number()?,
            _ => {}
        }
        Ok(())
    }

    fn body(&mut self, line: &str, number: usize) -> Result<(), String> {
        let function = self.module.functions.last_mut().ok_or("there is no function")?;
        if let Some(rest) = line.strip_prefix("bb.") {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let block = rest[..end].parse().map_err(|_| "a block has no number")?;
            function.blocks.push(Block { number: block, instructions: Vec::new() });
            return Ok(());
        }
        if line.is_empty()
            || line.starts_with("successors:")
            || line.starts_with("liveins:")
            || line.starts_with(';')
        {
            return Ok(());
        }
        let block = function.blocks.last_mut().ok_or("an instruction stands in no block")?;
        let mut instruction = line::instruction(number, line)?;
        for operand in &mut instruction.operands {
            if let Operand::Symbol { name, .. } = operand
                && let Some(id) = name.strip_prefix(line::CONSTANT)
            {
                let id = id.parse().map_err(|_| "a constant has no number")?;
                *name = constant_name(&function.name, id);
            }
        }
        block.instructions.push(instruction);
        Ok(())
    }
}

/// The name of the variable that a function's constant becomes.
fn constant_name(function: &str, id: u32) -> String {
    format!("{function}.constant.{id}")
}

/// The bytes of a number as the IR writes it: its type, then decimal, or the bits of the number as a double.
fn constant_bytes(text: &str) -> Option<Vec<u8>> {
    let (kind, value) = text.split_once(' ')?;
    let double = || match value.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(f64::from_bits),
        None => value.parse::<f64>().ok(),
    };
    Some(match kind {
        "float" => (double()? as f32).to_le_bytes().to_vec(),
        "double" => double()?.to_le_bytes().to_vec(),
        "i32" => value.parse::<i32>().ok()?.to_le_bytes().to_vec(),
        "i64" => value.parse::<i64>().ok()?.to_le_bytes().to_vec(),
        _ => return None,
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    const TEXT: &str = "data tab space=2 align=4 size=8 internal bytes=0102\nrelocation 4 tab -1\n---\nname: f\n\
        fixedStack:\n  - { id: 0, offset: -24, size: 24, alignment: 8, isImmutable: true }\n\
        stack:\n  - { id: 0, size: 40, alignment: 4, local-offset: -40 }\n\
        body:             |\n  bb.0 (%ir-block.2):\n    liveins: $x10\n  \n    %0:gpr = COPY $x10\n    PseudoRET\n\n...\n";

    #[test]
    fn a_module_has_data_and_functions() {
        let module = parse(TEXT).unwrap();
        assert_eq!(
            (module.data[0].bytes.as_slice(), module.data[0].relocations[0].addend),
            (&[1, 2][..], -1)
        );
        let function = &module.functions[0];
        assert_eq!(
            (function.name.as_str(), function.stack[0].size, function.arguments[0].offset),
            ("f", 40, -24)
        );
        assert_eq!(function.blocks[0].instructions.len(), 2);
    }

    #[test]
    fn constants_become_variables() {
        let facts = "constants:\n  - id:              3\n    value:           'double 1.000000e+00'\n    alignment:       8\nstack:";
        let text = TEXT
            .replace("\nstack:", &format!("\n{facts}"))
            .replace("COPY $x10", "LUI target-flags(riscv-hi) %const.3");
        let module = parse(&text).unwrap();
        let data = module.data.last().unwrap();
        assert_eq!((data.name.as_str(), data.align, data.bytes[7]), ("f.constant.3", 8, 0x3f));
        let lifted = &module.functions[0].blocks[0].instructions[0].operands[0];
        assert!(matches!(lifted, super::Operand::Symbol { name, .. } if *name == data.name));
        assert!(parse(&text.replace("double", "fp128")).is_err());
    }

    #[test]
    fn errors_name_their_line() {
        let wrong = TEXT.replace("PseudoRET", "%1 = frob");
        assert_eq!(parse(&wrong).unwrap_err().line, 14);
        assert!(parse(&TEXT.replace("stack:", "jumpTable:")).is_err());
        assert!(parse("data x\n").is_err());
        assert!(parse(TEXT.strip_suffix("...\n").unwrap()).is_err());
    }
}
