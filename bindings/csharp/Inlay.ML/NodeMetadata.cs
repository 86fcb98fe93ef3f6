using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Inlay.ML.Tensors;

namespace Inlay.ML {
/// <summary>The type of an input or output.</summary>
public class NodeMetadata {
    readonly TypeText type;

    /// <summary>What it is.</summary>
    public OnnxValueType OnnxValueType { get { return type.Kind; } }
    /// <summary>As ONNX writes it: "tensor(float)", "seq(map(int64,tensor(float)))".</summary>
    public string TypeText { get { return type.Text; } }
    /// <summary>It is a tensor.</summary>
    public bool IsTensor { get { return OnnxValueType == OnnxValueType.ONNX_TYPE_TENSOR; } }
    /// <summary>A tensor of strings.</summary>
    public bool IsString { get { return IsTensor && type.Element == TensorElementType.String; } }
    /// <summary>The size of each axis of a tensor; -1: not fixed. Empty where the model does not specify the rank,
    /// which HasShape reports.</summary>
    public int[] Dimensions { get; private set; }
    /// <summary>The model specifies the rank.</summary>
    public bool HasShape { get; private set; }
    /// <summary>The name of each axis that is not fixed: "batch"; empty where it has none.</summary>
    public string[] SymbolicDimensions { get; private set; }
    /// <summary>A tensor's type of elements.</summary>
    public TensorElementType ElementDataType {
        get {
            if (!IsTensor) throw Errors.TypeMismatch("the value is no tensor but " + TypeText);
            return type.Element;
        }
    }
    /// <summary>The same as a type of C#; null where there is none.</summary>
    public Type ElementType { get { return ElementTypes.TypeOf(ElementDataType); } }

    internal NodeMetadata(IntPtr port) {
        type = new TypeText(Utf8.Read(Native.inlay_port_type_text(port)));
        int rank = Native.inlay_port_rank(port);
        HasShape = rank >= 0;
        var sizes = new long[Math.Max(rank, 0)];
        if (rank > 0) Marshal.Copy(Native.inlay_port_dims(port), sizes, 0, rank);
        Dimensions = Shapes.ToInts(sizes);
        SymbolicDimensions = new string[sizes.Length];
        for (int axis = 0; axis < sizes.Length; ++axis)
            SymbolicDimensions[axis] = Utf8.Read(Native.inlay_port_dim_name(port, axis));
    }
    NodeMetadata(TypeText type) {
        this.type = type;
        Dimensions = new int[0];
        SymbolicDimensions = new string[0];
    }

    /// <summary>Of a sequence: what it holds.</summary>
    public SequenceMetadata AsSequenceMetadata() {
        return new SequenceMetadata(Inner(OnnxValueType.ONNX_TYPE_SEQUENCE));
    }
    /// <summary>Of a map: its keys and values.</summary>
    public MapMetadata AsMapMetadata() {
        NodeMetadata values = Inner(OnnxValueType.ONNX_TYPE_MAP);
        return new MapMetadata(type.Key, values);
    }
    /// <summary>Of an optional: what it may hold.</summary>
    public OptionalMetadata AsOptionalMetadata() {
        return new OptionalMetadata(Inner(OnnxValueType.ONNX_TYPE_OPTIONAL));
    }
    NodeMetadata Inner(OnnxValueType kind) {
        if (OnnxValueType != kind) throw Errors.TypeMismatch("the value is " + TypeText + ", not " + kind);
        return new NodeMetadata(type.Inner());
    }
}

/// <summary>What a sequence holds.</summary>
public class SequenceMetadata {
    public NodeMetadata ElementMeta { get; private set; }
    internal SequenceMetadata(NodeMetadata element) { ElementMeta = element; }
}
/// <summary>Keys and values of a map.</summary>
public class MapMetadata {
    public TensorElementType KeyDataType { get; private set; }
    public NodeMetadata ValueMetadata { get; private set; }
    internal MapMetadata(TensorElementType key, NodeMetadata values) {
        KeyDataType = key;
        ValueMetadata = values;
    }
}
/// <summary>What an optional may hold.</summary>
public class OptionalMetadata {
    public NodeMetadata ElementMeta { get; private set; }
    internal OptionalMetadata(NodeMetadata element) { ElementMeta = element; }
}

// A type as ONNX writes it.
sealed class TypeText {
    internal readonly string Text;
    internal readonly OnnxValueType Kind;
    internal readonly TensorElementType Element, Key;  // of a tensor; of a map
    readonly string inner = "";

    internal TypeText(string text) {
        Text = text;
        int start = text.IndexOf('(');
        string kind = start < 0 ? text : text.Substring(0, start);
        string content = start < 0 ? "" : text.Substring(start + 1, text.Length - start - 2);
        switch (kind) {
            case "tensor":
            case "sparse_tensor":
                Kind = OnnxValueType.ONNX_TYPE_TENSOR;
                Element = ElementTypes.Parse(content);
                break;
            case "seq":
                Kind = OnnxValueType.ONNX_TYPE_SEQUENCE;
                inner = content;
                break;
            case "map":
                Kind = OnnxValueType.ONNX_TYPE_MAP;
                int comma = content.IndexOf(',');
                Key = ElementTypes.Parse(content.Substring(0, comma));
                inner = content.Substring(comma + 1).Trim();
                break;
            case "optional":
                Kind = OnnxValueType.ONNX_TYPE_OPTIONAL;
                inner = content;
                break;
            default:  // the values of a map of numbers
                Kind = ElementTypes.Parse(kind) == 0 ? OnnxValueType.ONNX_TYPE_UNKNOWN : OnnxValueType.ONNX_TYPE_TENSOR;
                Element = ElementTypes.Parse(kind);
                break;
        }
    }
    internal TypeText Inner() { return new TypeText(inner); }
}

/// <summary>What a model file has about itself.</summary>
public class ModelMetadata {
    /// <summary>Keys and values that its author added.</summary>
    public Dictionary<string, string> CustomMetadataMap { get; private set; }
    /// <summary>The program that wrote it.</summary>
    public string ProducerName { get; private set; }
    /// <summary>The name of the graph.</summary>
    public string GraphName { get; private set; }
    /// <summary>The domain of the model: "org.example".</summary>
    public string Domain { get; private set; }
    /// <summary>What the author wrote about it.</summary>
    public string Description { get; private set; }
    /// <summary>The version of the model.</summary>
    public long Version { get; private set; }

    internal ModelMetadata(ModelHandle model) {
        CustomMetadataMap = new Dictionary<string, string>();
        long count = Native.inlay_model_metadata_count(model);
        for (long k = 0; k < count; ++k) {
            string key = Utf8.Read(Native.inlay_model_metadata_key(model, k));
            CustomMetadataMap.Add(key, Utf8.Read(Native.inlay_model_metadata(model, Utf8.Argument(key, "key"))));
        }
        ProducerName = Utf8.Read(Native.inlay_model_producer_name(model));
        GraphName = Utf8.Read(Native.inlay_model_graph_name(model));
        Domain = Utf8.Read(Native.inlay_model_domain(model));
        Description = Utf8.Read(Native.inlay_model_description(model));
        Version = Native.inlay_model_version(model);
    }
}
}
