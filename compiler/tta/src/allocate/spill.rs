//! Values that find no register: they live in the frame, or are computed anew where they are read.

use crate::code::{
    Class, Condition, Function, Input, Node, Place, STACK_POINTER, StackObject, Terminator, Value,
};
use crate::lift::Ability;
use crate::model::SpaceId;
use crate::ops::Op;
use crate::schedule::mir::{Base, Memory, SPILLED};
use std::collections::{BTreeMap, BTreeSet};

/// The operations that moving values to the frame takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ops {
    pub(super) add: Op,
    pub(super) sub: Op,
    load: Op,
    store: Op,
    space: SpaceId,
}

impl Ops {
    pub(super) fn of(ability: &Ability, space: SpaceId) -> Option<Self> {
        let op = |name| ability.op(name);
        Some(Self { add: op("add")?, sub: op("sub")?, load: op("ld32")?, store: op("st32")?, space })
    }

    fn address(&self, function: &mut Function, distance: Input, out: &mut Vec<Node>) -> Value {
        let address = function.value(Class::Word);
        out.push(Node {
            op: Some(self.add),
            inputs: vec![Input::Value(STACK_POINTER), distance],
            outputs: vec![address],
            condition: None,
            memory: None,
        });
        address
    }

    fn memory(&self, object: Option<u32>) -> Option<Memory> {
        let unknown = Memory::unknown(self.space, 4);
        // No pointer points at a spilled value.
        let scopes = object.map(|_| SPILLED).into_iter().collect();
        Some(Memory { base: object.map_or(Base::Unknown, Base::Stack), scopes, ..unknown })
    }

    /// Loads a word at a distance from the stack pointer.
    pub(super) fn load(
        &self,
        function: &mut Function,
        distance: Input,
        object: Option<u32>,
        out: &mut Vec<Node>,
    ) -> Value {
        let address = self.address(function, distance, out);
        let value = function.value(Class::Word);
        out.push(Node {
            op: Some(self.load),
            inputs: vec![Input::Value(address)],
            outputs: vec![value],
            condition: None,
            memory: self.memory(object),
        });
        value
    }

    /// Stores a word at a distance from the stack pointer.
    pub(super) fn store(
        &self,
        function: &mut Function,
        distance: Input,
        value: Value,
        object: Option<u32>,
        out: &mut Vec<Node>,
    ) {
        let address = self.address(function, distance, out);
        out.push(Node {
            op: Some(self.store),
            inputs: vec![Input::Value(address), Input::Value(value)],
            outputs: Vec::new(),
            condition: None,
            memory: self.memory(object),
        });
    }
}

/// Where a spilled value lives.
#[derive(Debug, Clone)]
enum Home {
    /// In an object of the frame.
    Frame(u32),
    /// In a word, for a bit.
    Word(Value),
    /// Nowhere: what it is copied from takes its place.
    Input(Input),
    /// Nowhere: this operation makes it again.
    Again(Node),
}

/// Takes values out of registers. What holds them from now on for one operation each is added to `temporary`.
pub(super) fn spill(
    function: &mut Function,
    spilled: &BTreeSet<Value>,
    ops: &Ops,
    temporary: &mut BTreeSet<Value>,
) {
    let mut definitions: BTreeMap<Value, Vec<Node>> = BTreeMap::new();
    for node in function.blocks.iter().flat_map(|b| &b.nodes) {
        for output in &node.outputs {
            if spilled.contains(output) {
                definitions.entry(*output).or_default().push(node.clone());
            }
        }
    }
    let mut homes = BTreeMap::new();
    for value in spilled {
        let home = home(function, *value, definitions.get(value).map_or(&[][..], Vec::as_slice));
        homes.insert(*value, home);
    }
    let mut rewriter = Rewriter { ops, homes, before: Vec::new(), after: Vec::new(), temporary };
    for number in 0..function.blocks.len() {
        let nodes = std::mem::take(&mut function.blocks[number].nodes);
        let mut out = Vec::with_capacity(nodes.len());
        for node in nodes {
            if node.outputs.len() == 1
                && let Some(Home::Input(_) | Home::Again(_)) = rewriter.homes.get(&node.outputs[0])
            {
                continue;
            }
            let node = rewriter.node(function, node);
            out.append(&mut rewriter.before);
            out.push(node);
            out.append(&mut rewriter.after);
        }
        let mut terminator = function.blocks[number].terminator.clone();
        rewriter.terminator(function, &mut terminator);
        out.append(&mut rewriter.before);
        function.blocks[number].terminator = terminator;
        function.blocks[number].nodes = out;
    }
}

fn home(function: &mut Function, value: Value, definitions: &[Node]) -> Home {
    if let [node] = definitions
        && node.condition.is_none()
    {
        match (node.op, node.inputs.as_slice()) {
            (None, [input @ (Input::Constant(_) | Input::Symbol { .. })]) => return Home::Input(*input),
            (Some(_), [Input::Value(STACK_POINTER), Input::Frame { .. } | Input::Constant(_)]) => {
                return Home::Again(node.clone());
            }
            _ => {}
        }
    }
    if function.classes[value.0 as usize] == Class::Bit {
        return Home::Word(function.value(Class::Word));
    }
    let object = u32::try_from(function.stack.len()).unwrap_or(u32::MAX);
    function.stack.push(StackObject { size: 4, align: 4 });
    Home::Frame(object)
}

struct Rewriter<'a> {
    ops: &'a Ops,
    homes: BTreeMap<Value, Home>,
    before: Vec<Node>,
    after: Vec<Node>,
    temporary: &'a mut BTreeSet<Value>,
}

impl Rewriter<'_> {
    /// Brings a value to a register for the next operation.
    fn bring(&mut self, function: &mut Function, value: Value) -> Option<Input> {
        let home = self.homes.get(&value)?.clone();
        let first = u32::try_from(function.classes.len()).unwrap_or(u32::MAX);
        let brought = match home {
            Home::Input(input) => input,
            Home::Frame(object) => {
                let distance = Input::Frame { place: Place::Object(object), offset: 0 };
                Input::Value(self.ops.load(function, distance, Some(object), &mut self.before))
            }
            Home::Word(word) => {
                let bit = function.value(Class::Bit);
                self.before.push(Node::copy(Input::Value(word), bit));
                Input::Value(bit)
            }
            Home::Again(node) => {
                let again = function.value(Class::Word);
                self.before.push(Node { outputs: vec![again], ..node });
                Input::Value(again)
            }
        };
        self.temporary.extend((first..function.classes.len() as u32).map(Value));
        Some(brought)
    }

    fn bring_value(&mut self, function: &mut Function, value: Value) -> Value {
        match self.bring(function, value) {
            Some(Input::Value(brought)) => brought,
            Some(input) => {
                let copied = function.value(function.classes[value.0 as usize]);
                self.temporary.insert(copied);
                self.before.push(Node::copy(input, copied));
                copied
            }
            None => value,
        }
    }

    fn node(&mut self, function: &mut Function, mut node: Node) -> Node {
        let mut brought: BTreeMap<Value, Input> = BTreeMap::new();
        for at in 0..node.inputs.len() {
            if let Input::Value(value) = node.inputs[at] {
                let input = match brought.get(&value) {
                    Some(input) => Some(*input),
                    None => self.bring(function, value),
                };
                if let Some(input) = input {
                    brought.insert(value, input);
                    node.inputs[at] = input;
                }
            }
        }
        if let Some(condition) = &mut node.condition {
            condition.value = self.bring_value(function, condition.value);
        }
        for at in 0..node.outputs.len() {
            let value = node.outputs[at];
            let Some(home) = self.homes.get(&value).cloned() else { continue };
            let first = u32::try_from(function.classes.len()).unwrap_or(u32::MAX);
            let written = match node.condition {
                // What it may leave as it is must be there.
                Some(_) => self.bring_value(function, value),
                None => function.value(function.classes[value.0 as usize]),
            };
            node.outputs[at] = written;
            match home {
                Home::Frame(object) => {
                    let distance = Input::Frame { place: Place::Object(object), offset: 0 };
                    self.ops.store(function, distance, written, Some(object), &mut self.after);
                }
                Home::Word(word) => self.after.push(Node::copy(Input::Value(written), word)),
                Home::Input(_) | Home::Again(_) => {}
            }
            self.temporary.extend((first..function.classes.len() as u32).map(Value));
        }
        node
    }

    fn terminator(&mut self, function: &mut Function, terminator: &mut Terminator) {
        match terminator {
            Terminator::Branch { condition, .. } => {
                let Condition { value, .. } = condition;
                *value = self.bring_value(function, *value);
            }
            Terminator::Call { callee: crate::code::Callee::Value(value), .. } => {
                *value = self.bring_value(function, *value);
            }
            Terminator::Return { address: Input::Value(value), .. } => {
                *value = self.bring_value(function, *value);
            }
            _ => {}
        }
    }
}
