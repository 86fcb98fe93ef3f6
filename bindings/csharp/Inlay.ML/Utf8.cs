// Texts of the library: UTF-8 that ends with a NUL.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Inlay.ML {
static class Utf8 {
    // A text that is not valid is an exception, not replaced by question marks.
    static readonly UTF8Encoding strict = new UTF8Encoding(false, true);

    internal static byte[] Bytes(string text) { return strict.GetBytes(text); }
    // For an argument that ends with a NUL, and would be cut by another.
    internal static byte[] Argument(string text, string name) {
        if (text == null) throw new ArgumentNullException(name);
        if (text.IndexOf('\0') >= 0)
            throw new ArgumentException("inlay: the argument `" + name + "` has a NUL within", name);
        return strict.GetBytes(text + "\0");
    }
    internal static unsafe string Read(IntPtr text) {
        if (text == IntPtr.Zero) return null;
        byte* bytes = (byte*)text;
        int size = 0;
        while (bytes[size] != 0) ++size;
        return size == 0 ? "" : Encoding.UTF8.GetString(bytes, size);
    }
    internal static unsafe string ReadStrictly(IntPtr text, int size) {
        return size == 0 ? "" : strict.GetString((byte*)text, size);
    }
    // Reads a text that the caller of the library frees.
    internal static string Take(IntPtr text) {
        try {
            return Read(text);
        } finally {
            Native.inlay_text_free(text);
        }
    }
}

// Names for a call that takes `const char* const*`, in one piece of memory.
struct NameList : IDisposable {
    IntPtr memory;
    internal readonly IntPtr[] Pointers;

    internal NameList(IReadOnlyList<string> names, string argument) {
        Pointers = new IntPtr[names.Count];
        var texts = new byte[names.Count][];
        int size = 0;
        for (int k = 0; k < texts.Length; ++k) size += (texts[k] = Utf8.Argument(names[k], argument)).Length;
        memory = Marshal.AllocHGlobal(Math.Max(size, 1));
        IntPtr end = memory;
        for (int k = 0; k < texts.Length; ++k) {
            Marshal.Copy(texts[k], 0, end, texts[k].Length);
            Pointers[k] = end;
            end += texts[k].Length;
        }
    }
    public void Dispose() {
        Marshal.FreeHGlobal(memory);
        memory = IntPtr.Zero;
    }
}
}
