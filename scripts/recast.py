"""Makes a model that Minismith runs out of what a package holds: the same weights, in the form that is needed.

Usage: recast.py yunet MODEL.onnx OUT
       recast.py centernet MODEL.json MODEL.bin LABELS.ts OUT

It needs nothing but Python, and writes the same bytes everywhere: what comes out is known by its hash. An ONNX file is a
protocol buffer, of which `Message` writes the few kinds of field that are needed. The numbers of the fields are those of
github.com/onnx/onnx, onnx/onnx.proto.
"""

import array
import base64
import hashlib
import json
import math
import re
import struct
import sys
from pathlib import Path

# What goes in, by its hash.
WHOLE = {
    "face_detection_yunet_2023mar.onnx": "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
    "centernet.json": "bfb942eaacc5becf738d536663bc4580a0ae9e560722306e6d4dd7fe4a09de05",
    "centernet.bin": "1b635a15009071f506f9f2b3519b31c072c534888989f30d269ffd44734ef7ef",
    "labels.ts": "cdbe430f6415737eb191497734ffbb2627f8cc7144fbcdbf23b0f9cb9fe7150c",
}

FLOAT, INT64 = 1, 7


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class Message:
    """A protocol buffer that grows by a field at a time."""

    def __init__(self) -> None:
        self.out = bytearray()

    def add(self, field: int, value: "int | float | str | bytes | Message") -> "Message":
        if isinstance(value, int):
            self.out += varint(field << 3) + varint(value)
        elif isinstance(value, float):
            self.out += varint(field << 3 | 5) + struct.pack("<f", value)
        else:
            value = value.out if isinstance(value, Message) else value
            value = value.encode() if isinstance(value, str) else value
            self.out += varint(field << 3 | 2) + varint(len(value)) + value
        return self


def fields(data: bytes):
    """The fields of a message: number and value, which is a number or bytes."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        elif key & 7 == 2:
            size = number()
            yield key >> 3, data[at : at + size]
            at += size
        elif key & 7 == 5:
            yield key >> 3, struct.unpack("<f", data[at : at + 4])[0]
            at += 4
        else:
            sys.exit("The model holds a kind of field that is not known here.")


def changed(data: bytes, *path: int, change) -> Message:
    """The same message, with `change` made to each field at the end of this path; nothing for it leaves the field out."""
    out = Message()
    for field, value in fields(data):
        if field == path[0]:
            value = changed(value, *path[1:], change=change) if path[1:] else change(value)
        if value is not None:
            out.add(field, value)
    return out


def value(name: str, *sides: "int | str") -> Message:
    """What goes in or comes out, of these sides: a name stands for a side that is free."""
    shape = Message()
    for side in sides:
        shape.add(1, Message().add(2 if isinstance(side, str) else 1, side))
    return Message().add(1, name).add(2, Message().add(1, Message().add(1, FLOAT).add(2, shape)))


def yunet(model: bytes) -> Message:
    """YuNet for pictures of any size, as long as both sides are multiples of 32: the shapes that were written down for one
    size are left out, and those of what goes in and comes out are free."""
    outputs = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}

    def output(data: bytes) -> Message:
        name = dict(fields(data))[1].decode()
        kind, stride = name.split("_")
        return value(name, 1, f"places_{stride}", outputs[kind])

    model = changed(model, 7, 11, change=lambda _: value("input", 1, 3, "height", "width")).out
    model = changed(model, 7, 12, change=output).out
    return changed(model, 7, 13, change=lambda _: None)


class CenterNet:
    """CenterNet as TensorFlow.js keeps it, node by node. Pictures lie row by row in TensorFlow (NHWC) and channel by channel
    in ONNX (NCHW): all that is a picture is turned where it comes in, and turned back where it is read as numbers."""

    def __init__(self, model: dict, weights: bytes) -> None:
        self.graph = Message().add(2, "centernet")
        self.weights = {}
        self.written = set()
        at = 0
        for weight in model["weightsManifest"][0]["weights"]:
            count = math.prod(weight["shape"])
            kind, size = ("i", 4) if weight["dtype"] == "int32" else ("e", 2)
            values = struct.unpack_from(f"<{count}{kind}", weights, at)
            at += count * size
            self.weights[weight["name"]] = (weight["shape"], values)
        for node in model["modelTopology"]["node"]:
            if node["op"] != "Const":
                self.node(node["name"], node["op"], node.get("input", []), node["attr"])
        self.graph.add(11, value("tower_0/images", 1, 512, 512, 3))
        self.graph.add(12, value("tower_0/detections", 1, 100, 6))

    def emit(self, kind: str, inputs: list, outputs: list, **attributes) -> None:
        node = Message()
        for name in inputs:
            node.add(1, name)
        for name in outputs:
            node.add(2, name)
        node.add(3, outputs[0]).add(4, kind)
        for name, what in attributes.items():
            attribute = Message().add(1, name)
            if isinstance(what, int):
                attribute.add(3, what).add(20, 2)
            elif isinstance(what, str):
                attribute.add(4, what).add(20, 3)
            else:
                for one in what:
                    attribute.add(8, one)
                attribute.add(20, 7)
            node.add(5, attribute)
        self.graph.add(1, node)

    def constant(self, name: str, shape: list, values) -> str:
        """Writes a constant down, once."""
        if name not in self.written:
            self.written.add(name)
            floats = any(isinstance(one, float) for one in values)
            raw = array.array("f" if floats else "q", values)
            if sys.byteorder == "big":
                raw.byteswap()
            tensor = Message()
            for side in shape:
                tensor.add(1, side)
            self.graph.add(5, tensor.add(2, FLOAT if floats else INT64).add(8, name).add(9, raw.tobytes()))
        return name

    def operand(self, name: str) -> str:
        """A number that takes part, or what a node gave."""
        if name in self.weights:
            return self.constant(name, *self.weights[name])
        return name

    def numbers(self, name: str) -> list:
        return list(self.weights[name][1])

    def convolution(self, name: str, kind: str, inputs: list, attributes: dict) -> None:
        (high, wide, deep, out), values = self.weights[inputs[1]]
        if "Depthwise" in kind:
            groups, shape = deep, [deep, 1, high, wide]
            turned = [one for channel in range(deep) for one in values[channel::deep]]
        else:
            groups, shape = 1, [out, deep, high, wide]
            turned = [
                one
                for channel in range(out)
                for below in range(deep)
                for one in values[below * out + channel :: deep * out]
            ]
        operands = [inputs[0], self.constant(inputs[1], shape, turned)]
        after = [base64.b64decode(one) for one in attributes.get("fused_ops", {}).get("list", {}).get("s", [])]
        if b"BiasAdd" in after:
            operands.append(self.operand(inputs[2]))
        given = f"{name}/before" if b"Relu" in after else name
        padding = base64.b64decode(attributes["padding"]["s"])
        self.emit(
            "Conv",
            operands,
            [given],
            auto_pad={b"SAME": "SAME_UPPER", b"VALID": "VALID"}[padding],
            group=groups,
            kernel_shape=[high, wide],
            strides=[int(one) for one in attributes["strides"]["list"]["i"][1:3]],
        )
        if given != name:
            self.emit("Relu", [given], [name])

    def node(self, name: str, kind: str, inputs: list, attributes: dict) -> None:
        inputs = [f"{one[:-2]}/places" if one.endswith(":1") else one for one in inputs]
        plain = {"Mul": "Mul", "Add": "Add", "Sub": "Sub", "FloorDiv": "Div", "FloorMod": "Mod", "Equal": "Equal"}
        plain |= {"Sigmoid": "Sigmoid", "Relu": "Relu", "Identity": "Identity"}
        if kind in plain:
            self.emit(plain[kind], [self.operand(one) for one in inputs], [name])
        elif "Conv" in kind:
            channels_first = f"{inputs[0]}/turned"
            if inputs[0] == "tower_0/images":
                self.emit("Transpose", [inputs[0]], [channels_first], perm=[0, 3, 1, 2])
                inputs[0] = channels_first
            self.convolution(name, kind, inputs, attributes)
        elif kind == "Placeholder":
            pass
        elif kind == "Relu6":
            bounds = [self.constant("zero", [], [0.0]), self.constant("six", [], [6.0])]
            self.emit("Clip", [inputs[0], *bounds], [name])
        elif kind == "Mean":
            self.emit("ReduceMean", [inputs[0]], [name], axes=[2, 3], keepdims=1)
        elif kind == "ConcatV2":
            axis = {3: 1, -1: -1}[self.numbers(inputs.pop())[0]]
            self.emit("Concat", inputs, [name], axis=axis)
        elif kind == "ResizeBilinear":
            double = self.constant("double", [4], [1.0, 1.0, 2.0, 2.0])
            where = {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}
            self.emit("Resize", [inputs[0], "", double], [name], **where)
        elif kind == "MaxPool":
            self.emit("MaxPool", inputs, [name], auto_pad="SAME_UPPER", kernel_shape=[3, 3], strides=[1, 1])
        elif kind == "Reshape":
            if inputs[0] in ("tower_0/mul_1", "tower_0/wh"):
                channels_last = f"{inputs[0]}/turned"
                self.emit("Transpose", [inputs[0]], [channels_last], perm=[0, 2, 3, 1])
                inputs[0] = channels_last
            self.emit("Reshape", [inputs[0], self.operand(inputs[1])], [name])
        elif kind == "Cast":
            self.emit("Cast", inputs, [name], to=FLOAT)
        elif kind == "TopKV2":
            count = self.constant(inputs[1], [1], self.numbers(inputs[1]))
            self.emit("TopK", [inputs[0], count], [name, f"{name}/places"], axis=-1)
        elif kind == "ExpandDims":
            axes = self.constant(inputs[1], [1], self.numbers(inputs[1]))
            self.emit("Unsqueeze", [inputs[0], axes], [name])
        elif kind == "GatherV2":
            self.emit("Gather", inputs[:2], [name], axis=0)
        elif kind == "StridedSlice":
            # Of the last of three axes alone.
            ends = [self.constant(one, [1], self.numbers(one)[2:]) for one in inputs[1:3]]
            self.emit("Slice", [inputs[0], *ends, self.constant("last", [1], [2])], [name])
        else:
            sys.exit(f"The model holds an operation that is not known here: {kind}.")


def centernet(model: bytes, weights: bytes, labels: bytes) -> Message:
    graph = CenterNet(json.loads(model), weights).graph
    names = re.findall(r"label: '([^']+)'", labels.decode())
    out = Message().add(1, 8).add(2, "recast").add(7, graph).add(8, Message().add(1, "").add(2, 13))
    return out.add(14, Message().add(1, "labels").add(2, ",".join(names)))


def main() -> None:
    recipe, *files, out = sys.argv[1:]
    inputs = []
    for file in map(Path, files):
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != WHOLE[file.name]:
            sys.exit(f"{file.name} is another than was pinned.")
        inputs.append(data)
    model = {"yunet": yunet, "centernet": centernet}[recipe](*inputs)
    Path(out).write_bytes(model.out)


if __name__ == "__main__":
    main()
