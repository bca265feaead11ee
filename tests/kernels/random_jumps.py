# SPDX-License-Identifier: Apache-2.0
"""Gotos and cases at random, for the generators of kernels: labels anywhere in ifs, loops and switches, jumps to them from
anywhere, cases of a switch inside of its inner statements. Every turn of a loop and every jump takes from one counter, so that
all of it ends. No declaration is jumped over."""


class Jumps:
    """`statement` gives the text of a statement without declarations, `truth` that of a condition. `leaves`: `break` and
    `continue` may go to a loop around. `step`: of a `for`, an expression and its semicolon."""

    def __init__(self, random, name, statement, truth, leaves=False, step=None):
        self.random, self.statement, self.truth, self.leaves = random, statement, truth, leaves
        self.step = step or statement
        self.fuel = f"fuel_{name}"
        self.labels = [f"at_{name}_{number}" for number in range(random.randint(0, 4))]
        self.unplaced = list(self.labels)
        self.cases = []  # of each switch around: those that are left
        self.loops = 0
        self.lines = [f"{{ int {self.fuel} = {random.randint(4, 12)};"]
        self.items(3)
        self.lines += [f"{label}:;" for label in self.unplaced]
        self.lines.append(f"{self.statement()} }}")

    def turn(self):
        return f"{self.fuel}-- > 0"

    def items(self, level):
        for _ in range(self.random.randint(2, 5)):
            self.item(level)

    def item(self, level):
        kind = self.random.random()
        if kind < 0.2 and self.cases and self.cases[-1]:
            self.lines.append(self.cases[-1].pop())
        elif kind < 0.35 and self.unplaced:
            label = self.random.choice(self.unplaced)
            self.unplaced.remove(label)
            self.lines.append(f"{label}:;")
        elif kind < 0.55 and self.labels:
            where = f"if ({self.truth()})" if self.random.random() < 0.8 else ""
            jump = f"goto {self.random.choice(self.labels)};"
            self.lines.append(f"if ({self.turn()}) {where} {jump}")
        elif kind < 0.65 and (self.loops or self.cases or self.leaves):
            word = "continue" if (self.loops or self.leaves) and self.random.random() < 0.4 else "break"
            if word == "break" and not self.loops and not self.cases and not self.leaves:
                return
            self.lines.append(f"if ({self.truth()}) {word};")
        elif kind < 0.9 and level > 0:
            self.random.choice([self.branch, self.loop, self.loop, self.switch])(level - 1)
        else:
            self.lines.append(self.statement())

    def branch(self, level):
        self.lines.append(f"if ({self.truth()}) {{")
        self.items(level)
        if self.random.random() < 0.5:
            self.lines.append("} else {")
            self.items(level)
        self.lines.append("}")

    def loop(self, level):
        head, end = self.random.choice([(f"while ({self.turn()} && ({self.truth()})) {{", "}"),
                                        (f"for (; {self.turn()}; {self.step().rstrip(';')}) {{", "}"),
                                        ("do {", f"}} while ({self.turn()} && ({self.truth()}));")])
        self.lines.append(head)
        self.loops += 1
        self.items(level)
        self.loops -= 1
        self.lines.append(end)

    def switch(self, level):
        self.lines.append(f"switch (({self.truth()}) + {self.random.randint(0, 2)}) {{")
        cases = [f"case {number}:;" for number in range(4)] + ["default:;"]
        self.random.shuffle(cases)
        self.cases.append(cases[:self.random.randint(1, 5)])
        if self.random.random() < 0.8:
            self.lines.append(self.cases[-1].pop())
        self.items(level)
        self.lines += self.cases.pop()
        self.lines += [self.statement(), "}"]

    def text(self):
        return self.lines
