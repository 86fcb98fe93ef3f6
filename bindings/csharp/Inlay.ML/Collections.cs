using System;
using System.Collections.Generic;

namespace Inlay.ML {
/// <summary>A collection whose Dispose() disposes what it holds.</summary>
public interface IDisposableReadOnlyCollection<T> : IReadOnlyCollection<T>, IReadOnlyList<T>, IDisposable { }

sealed class DisposableList<T> : List<T>, IDisposableReadOnlyCollection<T> where T : IDisposable {
    internal DisposableList() { }
    internal DisposableList(IEnumerable<T> items) : base(items) { }
    public void Dispose() {
        foreach (T item in this) item.Dispose();
        Clear();
    }
}
}
