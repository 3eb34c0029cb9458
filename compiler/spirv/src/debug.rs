//! Lines of the source, for messages: what `OpLine` says of instructions.
//!
//! In: a function with lines. Out: a location for each instruction, below a program without debug information, as clang
//! gives it without `-g`.

use rspirv::spirv::Op;

use crate::error::Result;
use crate::metadata::Metadata;
use crate::module::Module;
use crate::text::quoted;
use crate::words::Instruction;

/// Where instructions of a function come from.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The function's own node.
    subprogram: Option<String>,
    /// The location at hand.
    location: Option<String>,
}

fn file(module: &Module, metadata: &mut Metadata, id: u32) -> String {
    let path = module.texts.get(&id).map_or("", String::as_str);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    metadata.node(&format!("!DIFile(filename: {}, directory: {})", quoted(name), quoted(folder)))
}

impl Lines {
    /// The lines of a function of this name, if any is said of it.
    pub(crate) fn of(
        module: &Module,
        metadata: &mut Metadata,
        body: &[Instruction],
        name: &str,
    ) -> Result<Self> {
        let Some(first) = body.iter().find(|i| i.op == Op::Line) else { return Ok(Self::default()) };
        let file = file(module, metadata, first.id_at(0)?);
        let unit = metadata.node(&format!(
            "distinct !DICompileUnit(language: DW_LANG_OpenCL, file: {file}, isOptimized: true, runtimeVersion: 0, emissionKind: NoDebug)"
        ));
        let version = metadata.node("!{i32 2, !\"Debug Info Version\", i32 3}");
        if !metadata.has_list("llvm.module.flags") {
            metadata.name("llvm.module.flags", &version);
            metadata.name("llvm.dbg.cu", &unit);
        }
        let ty = metadata.node("!DISubroutineType(types: null)");
        let line = first.number_at(1)?;
        let subprogram = metadata.distinct(format!(
            "distinct !DISubprogram(name: {}, scope: {file}, file: {file}, line: {line}, type: {ty}, scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {unit})",
            quoted(name)
        ));
        let mut lines = Self { subprogram: Some(subprogram), location: None };
        lines.leave(metadata);
        Ok(lines)
    }

    /// What the function's definition says.
    pub(crate) fn of_function(&self) -> String {
        self.subprogram.as_ref().map_or_else(String::new, |node| format!(" !dbg {node}"))
    }

    /// What an instruction says.
    pub(crate) fn of_instruction(&self) -> String {
        self.location.as_ref().map_or_else(String::new, |node| format!(", !dbg {node}"))
    }

    /// Goes to a line.
    pub(crate) fn enter(&mut self, module: &Module, metadata: &mut Metadata, i: &Instruction) -> Result<()> {
        if let Some(subprogram) = &self.subprogram {
            let (line, column) = (i.number_at(1)?, i.number_at(2)?.min(0xFFFF));
            let file = file(module, metadata, i.id_at(0)?);
            let scope = metadata
                .node(&format!("!DILexicalBlockFile(scope: {subprogram}, file: {file}, discriminator: 0)"));
            let location = format!("!DILocation(line: {line}, column: {column}, scope: {scope})");
            self.location = Some(metadata.node(&location));
        }
        Ok(())
    }

    /// Goes where no line is known.
    pub(crate) fn leave(&mut self, metadata: &mut Metadata) {
        if let Some(subprogram) = &self.subprogram {
            self.location = Some(metadata.node(&format!("!DILocation(line: 0, scope: {subprogram})")));
        }
    }
}
