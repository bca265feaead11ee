# SPDX-License-Identifier: Apache-2.0
"""What rt.json and rt_comm.json say of a header. They are read when they are asked for."""

import os
from functools import cached_property
from typing import Any, Dict

from ._library import PACKAGE, LibraryError


class Description:
    """A description, inside an installed package, or in bindings/ of a source tree."""

    def __init__(self, file: str) -> None:
        self._file = file

    @cached_property
    def _all(self) -> Any:
        import json  # takes longer than the rest of the modules that have a description
        places = (os.path.join(PACKAGE, self._file), os.path.join(PACKAGE, "..", "..", "..", self._file))
        try:
            with open(next(filter(os.path.isfile, places), places[0]), encoding="utf-8") as file:
                return json.load(file)
        except OSError as error:
            raise LibraryError(f"The package manyrt is incomplete, {self._file} is missing: {error}. "
                               "Install python3-manyrt again.") from error

    @cached_property
    def functions(self) -> Dict[str, Any]:
        return {item["name"]: item for item in self._all["functions"]}

    @cached_property
    def constants(self) -> Dict[str, Any]:
        values = {item["name"]: item["value"] for item in self._all["constants"]}
        for enum in self._all["enums"]:
            values.update({item["name"]: item["value"] for item in enum["values"]})
        return values

    def help(self, name: str) -> str:
        """What the header says about a function."""
        item = self.functions[name]
        lines = [f"{name}({', '.join(argument['name'] for argument in item['arguments'])})", "", item["doc"], ""]
        lines += [f"{argument['name']} ({argument['type']}, {argument['direction']}): {argument['doc']}"
                  for argument in item["arguments"]]
        return "\n".join([*lines, *(f"{key}: {item['notes'][key]}" for key in ("blocks", "capture", "errors"))])
