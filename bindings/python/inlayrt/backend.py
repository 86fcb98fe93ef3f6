"""ONNX's interface of backends, onnx.backend.base, over Inlay.

    import inlayrt.backend as backend

    y = backend.run_model(model, [x])[0]
    prepared = backend.prepare(model)
    y = prepared.run([x])["Y"]

It needs the package onnx.
"""
# mypy: allow-subclassing-any, no-warn-unused-ignores, disable-error-code="import-untyped,import-not-found"
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.helper
import onnx.shape_inference
from onnx.backend.base import Backend, BackendRep, namedtupledict

from ._errors import InvalidArgument, InvalidGraph, NotImplemented
from ._options import RunOptions, SessionOptions
from ._providers import Provider, get_available_providers
from ._session import InferenceSession, ModelSource


def _provider_of(device: str) -> tuple[str, dict[str, int]]:
    """The provider and its options for "CPU" or "NAME:1"; a device's name is the beginning of its provider's."""
    kind, _, number = device.partition(":")
    if not kind.isidentifier() or (number and not number.isdigit()):
        raise InvalidArgument(f"inlay: a device is CPU or NAME:NUMBER, not `{device}`")
    return f"{kind}ExecutionProvider", {"device_id": int(number)} if number else {}


def _providers_of(device: str) -> list[Provider]:
    name, options = _provider_of(device)
    if name not in get_available_providers():
        text = f"no {name} for the device {device}; its providers are {', '.join(get_available_providers())}"
        raise InvalidArgument(f"inlay: this build has {text}", code="unknown_provider")
    if name != "CPUExecutionProvider":
        return [(name, options), "CPUExecutionProvider"]
    if options.get("device_id"):
        raise InvalidArgument(f"inlay: there is one device CPU, not `{device}`")
    return [name]


class InlayRep(BackendRep):
    """A model that is ready to run.

    - session: the InferenceSession
    """

    def __init__(self, session: InferenceSession) -> None:
        self.session = session
        self._outputs = namedtupledict("Outputs", [o.name for o in session.get_outputs()])

    def _feeds(self, inputs: Any) -> dict[str, Any]:
        names = [i.name for i in self.session.get_inputs()]
        if isinstance(inputs, Mapping):
            return dict(inputs)
        listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(listed) > len(names):
            raise InvalidArgument(f"inlay: {len(listed)} inputs for a model of {len(names)}: {', '.join(names)}")
        return dict(zip(names, listed))

    def run(self, inputs: Any, run_options: RunOptions | None = None) -> tuple[Any, ...]:  # type: ignore[override]
        """The outputs, accessible by number and by name.

        - inputs: a list in the model's order, a dict by name, or the only one

        Raises what InferenceSession.run() does.
        """
        return self._outputs(*self.session.run(None, self._feeds(inputs), run_options))


def _type_of(value: Any) -> onnx.TypeProto:
    """ONNX's type of an input of run_node()."""
    if value is None:
        raise InvalidArgument("inlay: run_node() cannot tell the type of None; leave the input out of the node instead")
    if isinstance(value, (list, tuple)):
        if not value:
            raise InvalidArgument("inlay: run_node() cannot tell the type of an empty sequence; use run_model()")
        return onnx.helper.make_sequence_type_proto(_type_of(value[0]))
    array = np.asarray(value)
    element = onnx.TensorProto.STRING
    if array.dtype.kind not in "OUST":
        element = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_type_proto(element, array.shape)


def _outputs_of(graph: onnx.GraphProto, node: onnx.NodeProto, info: Any, opsets: Any) -> list[onnx.ValueInfoProto]:
    """The outputs with their types: those that the caller gives, else those that ONNX infers."""
    names = [name for name in node.output if name]
    if info is not None:
        if len(info) != len(names):
            raise InvalidArgument(f"inlay: outputs_info has {len(info)} entries for {len(names)} outputs of {node.op_type}")
        ports = [(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape) for dtype, shape in info]
        return [onnx.helper.make_tensor_value_info(name, *entry) for name, entry in zip(names, ports)]
    for name in names:
        graph.output.add().name = name
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    typed = list(onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output)
    del graph.output[:]
    for entry in typed:
        if not entry.type.WhichOneof("value"):
            raise InvalidArgument(f"inlay: the type of {node.op_type}'s output `{entry.name}` is not known; tell outputs_info")
    return typed


def _model_of(node: onnx.NodeProto, inputs: Any, outputs_info: Any, opset: int | None) -> onnx.ModelProto:
    """A model of the node alone."""
    names = list(dict.fromkeys(name for name in node.input if name))
    values = [inputs[name] for name in names] if isinstance(inputs, Mapping) else list(inputs)
    if len(values) != len(names):
        raise InvalidArgument(f"inlay: {len(values)} inputs for a node {node.op_type} that has {len(names)}: {', '.join(names)}")
    domain = "" if node.domain == "ai.onnx" else node.domain
    versions = {s.domain: s.since_version for s in sorted(onnx.defs.get_all_schemas(), key=lambda s: s.since_version)}
    version = opset or (onnx.defs.onnx_opset_version() if domain == "" else versions.get(domain, 1))
    opsets = [onnx.helper.make_opsetid(domain, version)]
    if domain:
        opsets.append(onnx.helper.make_opsetid("", onnx.defs.onnx_opset_version()))
    graph = onnx.helper.make_graph([node], node.op_type, [], [])
    graph.input.extend(onnx.helper.make_value_info(name, _type_of(value)) for name, value in zip(names, values))
    graph.output.extend(_outputs_of(graph, node, outputs_info, opsets))
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=onnx.helper.VERSION_TABLE[-1][1])


class InlayBackend(Backend):
    """ONNX's interface of backends: prepare, run_model, run_node, supports_device, is_compatible."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether this build has a provider for the device: "CPU", or NAME:NUMBER for one that starts with NAME."""
        return _provider_of(device)[0] in get_available_providers()

    @classmethod
    def prepare(  # type: ignore[override]
        cls,
        model: onnx.ModelProto | ModelSource,
        device: str = "CPU",
        *,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Provider] | str | None = None,
    ) -> InlayRep:
        """The model, ready to run.

        - model: onnx's, or an argument of InferenceSession
        - device: "CPU"; or NAME or NAME:NUMBER, for the provider NAMEExecutionProvider and then the CPU
        - sess_options, providers: as in InferenceSession; a list of providers replaces the device's

        Raises what InferenceSession does.
        """
        if providers is not None and device != "CPU":
            raise InvalidArgument(f"inlay: the device `{device}` and a list of providers; one is enough")
        source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else model
        return InlayRep(InferenceSession(source, sess_options, providers or _providers_of(device)))

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto | ModelSource, device: str = "CPU", **kwargs: Any) -> bool:  # type: ignore[override]
        """Whether prepare() accepts the model. Errors that are not the model's are raised."""
        try:
            cls.prepare(model, device, **kwargs)
        except (InvalidGraph, NotImplemented):
            return False
        return True

    @classmethod
    def run_model(  # type: ignore[override]
        cls, model: onnx.ModelProto | ModelSource, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        """prepare() and a run of it."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(  # type: ignore[override]
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, Sequence[int]]] | None = None,
        *,
        opset_version: int | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Runs one node.

        - inputs: a list of the values of the node's inputs, without those that are left out (named ""), or a dict by name
        - outputs_info: for each output (dtype, shape), where ONNX's inference does not find them
        - opset_version: of the node's domain; None: the latest
        - kwargs: as in prepare()

        Raises InvalidArgument where a type is not known, and what InferenceSession does.
        """
        model = _model_of(node, inputs, outputs_info, opset_version)
        names = [i.name for i in model.graph.input]
        feeds = inputs if isinstance(inputs, Mapping) else dict(zip(names, inputs))
        return cls.prepare(model, device, **kwargs).run(feeds)


is_compatible = InlayBackend.is_compatible
prepare = InlayBackend.prepare
run_model = InlayBackend.run_model
run_node = InlayBackend.run_node
supports_device = InlayBackend.supports_device
