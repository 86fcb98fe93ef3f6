using System;
using System.Collections.Generic;

namespace Inlay.ML.Tensors {
/// <summary>Types of elements, as ONNX numbers them.</summary>
public enum TensorElementType {
    Float = 1,
    UInt8 = 2,
    Int8 = 3,
    UInt16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    UInt32 = 12,
    UInt64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    BFloat16 = 16,
    Float8E4M3FN = 17,
    Float8E4M3FNUZ = 18,
    Float8E5M2 = 19,
    Float8E5M2FNUZ = 20,
    UInt4 = 21,
    Int4 = 22,
    Float4E2M1 = 23,
    Float8E8M0 = 24,
    UInt2 = 25,
    Int2 = 26,
    DataTypeMax = 27
}

static class ElementTypes {
    static readonly Dictionary<Type, TensorElementType> numbers = new Dictionary<Type, TensorElementType> {
        { typeof(float), TensorElementType.Float },
        { typeof(byte), TensorElementType.UInt8 },
        { typeof(sbyte), TensorElementType.Int8 },
        { typeof(ushort), TensorElementType.UInt16 },
        { typeof(short), TensorElementType.Int16 },
        { typeof(int), TensorElementType.Int32 },
        { typeof(long), TensorElementType.Int64 },
        { typeof(string), TensorElementType.String },
        { typeof(bool), TensorElementType.Bool },
        { typeof(Float16), TensorElementType.Float16 },
        { typeof(double), TensorElementType.Double },
        { typeof(uint), TensorElementType.UInt32 },
        { typeof(ulong), TensorElementType.UInt64 },
        { typeof(BFloat16), TensorElementType.BFloat16 }
    };
    // As ONNX writes them in types: tensor(float16). Their order is that of the numbers.
    static readonly string[] names = {
        "undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16",
            "double",
        "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"
    };

    internal static bool IsElement(Type type) { return numbers.ContainsKey(type); }
    internal static TensorElementType Of(Type type) {
        TensorElementType number;
        if (numbers.TryGetValue(type, out number)) return number;
        throw Errors.TypeMismatch("no tensor has elements of the type " + type.Name);
    }
    internal static TensorElementType Parse(string name) {
        return (TensorElementType)Math.Max(0, Array.IndexOf(names, name));
    }
    internal static string NameOf(TensorElementType type) {
        return type >= 0 && (int)type < names.Length ? names[(int)type] : "type " + (int)type;
    }
    // Null where C# has no type for it.
    internal static Type TypeOf(TensorElementType type) {
        foreach (KeyValuePair<Type, TensorElementType> entry in numbers)
            if (entry.Value == type) return entry.Key;
        return null;
    }
}
}
