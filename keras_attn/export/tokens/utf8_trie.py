"""The characters of UTF-8 as a trie of a dozen states: some bytes lead to a character, others to none."""

from keras_attn.export.tokens.double_array import Node

_TRAILS = range(0x80, 0xC0)
# Second bytes, where not any will do: no long forms, no surrogates, nothing above U+10FFFF.
_SECOND = {0xE0: range(0xA0, 0xC0), 0xED: range(0x80, 0xA0), 0xF0: range(0x90, 0xC0), 0xF4: range(0x80, 0x90)}


def characters(value: int) -> Node:
    """All characters, each of them a key that stands for `value`."""
    ends = [Node({}, value)]  # with none, one, ... trailing bytes left
    for _ in range(3):
        ends.append(Node(dict.fromkeys(_TRAILS, ends[-1]), None))
    children = dict.fromkeys(range(0x80), ends[0])
    for trailing, leads in enumerate((range(0xC2, 0xE0), range(0xE0, 0xF0), range(0xF0, 0xF5)), start=1):
        for lead in leads:
            second = dict.fromkeys(_SECOND.get(lead, _TRAILS), ends[trailing - 1])
            children[lead] = Node(second, None) if lead in _SECOND else ends[trailing]
    return Node(children, None)


def with_default(node: Node, default: Node) -> Node:
    """A trie with the keys of another added, as far as it does not have them. What nodes share stays shared."""
    made: dict[tuple[int, int], Node] = {}

    def merged(node: Node, default: Node) -> Node:
        if (id(node), id(default)) not in made:
            children = dict(default.children)
            for byte, child in node.children.items():
                children[byte] = merged(child, default.children[byte]) if byte in default.children else child
            made[id(node), id(default)] = Node(children, default.value if node.value is None else node.value)
        return made[id(node), id(default)]

    return merged(node, default)
