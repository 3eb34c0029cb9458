//! Numbered metadata at the end of the text.

use std::collections::BTreeMap;

/// Nodes, equal ones once.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    nodes: Vec<String>,
    known: BTreeMap<String, usize>,
    named: Vec<(&'static str, usize)>,
}

impl Metadata {
    /// A node of these contents, as `!7`.
    pub(crate) fn node(&mut self, contents: &str) -> String {
        if let Some(number) = self.known.get(contents) {
            return format!("!{number}");
        }
        self.known.insert(contents.to_owned(), self.nodes.len());
        self.distinct(contents.to_owned())
    }

    /// A node like no other.
    pub(crate) fn distinct(&mut self, contents: String) -> String {
        self.nodes.push(contents);
        format!("!{}", self.nodes.len() - 1)
    }

    /// The name of the node that is made next.
    pub(crate) fn next(&self) -> String {
        format!("!{}", self.nodes.len())
    }

    /// Gives a node, as `!7`, to a list of the module's.
    pub(crate) fn name(&mut self, list: &'static str, node: &str) {
        if let Some(number) = node.strip_prefix('!').and_then(|number| number.parse().ok()) {
            self.named.push((list, number));
        }
    }

    /// Whether there is a list of this name.
    pub(crate) fn has_list(&self, list: &str) -> bool {
        self.named.iter().any(|(name, _)| *name == list)
    }

    /// The lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lists: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (list, number) in &self.named {
            lists.entry(list).or_default().push(format!("!{number}"));
        }
        let named = lists.iter().map(|(list, nodes)| format!("!{list} = !{{{}}}", nodes.join(", ")));
        let nodes = self.nodes.iter().enumerate().map(|(number, node)| format!("!{number} = {node}"));
        named.chain(nodes).collect()
    }
}
